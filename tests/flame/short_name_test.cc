#include "export/flame/short_name.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "export/flame/markup.h"

namespace sonde {
namespace {

// names.tsv: name, room, what is shown. The browser test reads the same file.
TEST(ShortName, CutsWhatSaysLeastFirst) {
  std::ifstream file(SONDE_SOURCE_DIR "/tests/flame/names.tsv");
  ASSERT_TRUE(file.is_open());
  std::size_t cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    const std::string name = line.substr(0, first);
    const std::size_t room = std::stoul(line.substr(first + 1));
    EXPECT_EQ(ShortName(name, room), line.substr(second + 1)) << name << " in " << room;
  }
  EXPECT_GT(cases, 20U);
}

TEST(ShortName, NeverIsLongerThanItsRoom) {
  for (const std::string name :
       {"std::vector<std::pair<int, int>>::operator[](unsigned long) const",
        "naïve::größe::übel(int)", "a<b<c<d<e", "operator", "((((",
        "<T as core::fmt::Display>::fmt", "::::", "f(", "日本語の名前"}) {
    for (std::size_t room = 0; room < 80; ++room) {
      EXPECT_LE(CharacterCount(ShortName(name, room)), room) << name;
      EXPECT_EQ(CleanText(ShortName(name, room)), ShortName(name, room)) << name;
    }
  }
}

}  // namespace
}  // namespace sonde
