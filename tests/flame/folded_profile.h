// ProfileOf: a small profile written as folded stacks, for tests.

#ifndef SONDE_TESTS_FLAME_FOLDED_PROFILE_H_
#define SONDE_TESTS_FLAME_FOLDED_PROFILE_H_

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/profile_builder.h"

namespace sonde {

// One stack a line: "main;parse;read 12".
inline Profile ProfileOf(std::string_view folded, ValueType type = {"samples", "count"}) {
  ProfileBuilder builder({std::move(type)});
  while (!folded.empty()) {
    const std::size_t line_end = folded.find('\n');
    const std::string_view line = folded.substr(0, line_end);
    folded.remove_prefix(line_end == std::string_view::npos ? folded.size() : line_end + 1);
    const std::size_t space = line.rfind(' ');
    std::int64_t weight = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), weight);
    std::vector<LocationId> stack;
    for (std::string_view rest = line.substr(0, space); !rest.empty();) {
      const std::size_t semicolon = rest.find(';');
      stack.push_back(builder.FrameNamed(rest.substr(0, semicolon)));
      rest.remove_prefix(semicolon == std::string_view::npos ? rest.size() : semicolon + 1);
    }
    builder.AddSample(builder.AddStack(stack), kNoLabels, {weight});
  }
  return std::move(builder).Build();
}

}  // namespace sonde

#endif  // SONDE_TESTS_FLAME_FOLDED_PROFILE_H_
