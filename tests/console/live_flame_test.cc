#include "console/live_flame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "console/interval_hub.h"
#include "tests/support/many_stacks.h"

namespace sonde {
namespace {

TEST(LiveFlame, AHundredThousandStacksBecomeAPictureOfBoundedSizeThatSaysWhatIsMissing) {
  IntervalHub hub([] { return ManyStacks(100'000); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  static_cast<void>(flame.Answer(HttpTarget::Parse("/api/flame")));
  const HttpResponse reply = flame.Answer(HttpTarget::Parse("/api/flame?nodes=5000"));
  EXPECT_EQ(reply.status, 200);
  const std::size_t from = reply.body.find("\"nodes\":[");
  const std::size_t until = reply.body.find(']', from);
  const auto commas = std::count(reply.body.begin() + static_cast<std::ptrdiff_t>(from),
                                 reply.body.begin() + static_cast<std::ptrdiff_t>(until), ',');
  EXPECT_LE((commas + 1) / 3, 5'000);
  EXPECT_LT(reply.body.size(), std::size_t{1} << 20);
  EXPECT_EQ(flame.Answer(HttpTarget::Parse("/api/flame?format=gif")).status, 400);
}

TEST(LiveFlame, ManyWhoAskForTheSameCostLittleMoreThanOne) {
  int cuts = 0;
  IntervalHub hub([&] {
    ++cuts;
    return ManyStacks(1'000);
  });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  const HttpTarget target = HttpTarget::Parse("/api/flame?window=10");
  static_cast<void>(flame.Answer(target));
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const std::string first = flame.Answer(target).body;
  const int before = cuts;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(flame.Answer(target).body, first);
  EXPECT_LE(cuts, before + 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_NE(flame.Answer(target).body, first);
}

std::string HeaderOf(const HttpResponse& reply, std::string_view name) {
  for (const auto& [known, value] : reply.headers) {
    if (known == name) return value;
  }
  return {};
}

TEST(LiveFlame, AnAnswerSaysHowMuchOfItsWindowItCovers) {
  IntervalHub hub([] { return ManyStacks(10); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  flame.KeepUp();
  EXPECT_FALSE(flame.is_watching());
  const HttpResponse first = flame.Answer(HttpTarget::Parse("/api/flame?window=5"));
  EXPECT_EQ(HeaderOf(first, "x-sonde-covered-ns"), "0");
  EXPECT_THAT(first.body, testing::HasSubstr("samples are kept from this request on"));
  for (int i = 0; i < 8; ++i) flame.KeepUp();
  for (const char* const format : {"json", "svg", "html", "folded"}) {
    const HttpResponse reply =
        flame.Answer(HttpTarget::Parse(std::string("/api/flame?window=5&base=4&format=") + format));
    EXPECT_EQ(HeaderOf(reply, "x-sonde-covered-ns"), "5000000000") << format;
    if (std::string_view(format) == "folded") continue;
    EXPECT_EQ(HeaderOf(reply, "x-sonde-base-covered-ns"), "5000000000") << format;
    EXPECT_THAT(reply.body, testing::Not(testing::HasSubstr("from this request on"))) << format;
  }
  flame.Rest();
  EXPECT_FALSE(flame.is_watching());
}

// The sum of the base's weights in an answer.
std::int64_t BaseOf(const std::string& body) {
  std::int64_t sum = 0;
  const auto json = nlohmann::json::parse(body);
  for (const auto& weight : json.value("base", nlohmann::json::array())) {
    sum += weight.get<std::int64_t>();
  }
  return sum;
}

TEST(LiveFlame, ADifferenceIsInEqualTime) {
  IntervalHub hub([] { return ManyStacks(10); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  static_cast<void>(flame.Answer(HttpTarget::Parse("/api/flame")));
  for (int i = 0; i < 5; ++i) flame.KeepUp();
  // Ten stacks of 10 ms each second. Of the five seconds that ended four ago, some are kept.
  const HttpResponse reply = flame.Answer(HttpTarget::Parse("/api/flame?window=5&base=4"));
  const std::int64_t covered = std::stoll(HeaderOf(reply, "x-sonde-base-covered-ns"));
  ASSERT_GT(covered, 0);
  ASSERT_LT(covered, 5'000'000'000);
  EXPECT_EQ(BaseOf(reply.body), 5 * 10 * 10'000'000);
  EXPECT_THAT(reply.body, testing::HasSubstr("scaled to the same time"));
}

TEST(LiveFlame, ATimeOfWhichNothingIsKeptIsNotComparedWith) {
  IntervalHub hub([] { return ManyStacks(10); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  static_cast<void>(flame.Answer(HttpTarget::Parse("/api/flame")));
  for (int i = 0; i < 3; ++i) flame.KeepUp();
  const HttpResponse reply = flame.Answer(HttpTarget::Parse("/api/flame?window=2&base=60"));
  EXPECT_EQ(HeaderOf(reply, "x-sonde-base-covered-ns"), "0");
  EXPECT_FALSE(nlohmann::json::parse(reply.body).contains("base"));
  EXPECT_THAT(reply.body, testing::HasSubstr("Nothing is kept of the earlier window"));
}

TEST(LiveFlame, TheLabelsOfAWindowAreThoseThatFilterIt) {
  IntervalHub hub([] { return ManyStacks(10); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  EXPECT_EQ(flame.Labels(HttpTarget::Parse("/api/labels?window=0")).status, 400);
  static_cast<void>(flame.Labels(HttpTarget::Parse("/api/labels")));
  EXPECT_TRUE(flame.is_watching());
  flame.KeepUp();
  const HttpResponse reply = flame.Labels(HttpTarget::Parse("/api/labels?window=1"));
  const auto json = nlohmann::json::parse(reply.body);
  EXPECT_EQ(json["total"], 10 * 10'000'000);
  bool has_tasks = false;
  for (const auto& label : json["labels"]) has_tasks = has_tasks || label["key"] == "task_id";
  EXPECT_TRUE(has_tasks) << reply.body;
}

TEST(LiveFlame, ALabelIsAKeyAndAValue) {
  IntervalHub hub([] { return ManyStacks(10); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  EXPECT_EQ(flame.Answer(HttpTarget::Parse("/api/flame?label=nokey")).status, 400);
  EXPECT_EQ(flame.Answer(HttpTarget::Parse("/api/flame?label=%3Dvalue")).status, 400);
  EXPECT_EQ(flame.Answer(HttpTarget::Parse("/api/flame?label=key%3Dvalue")).status, 200);
}

TEST(LiveFlame, ATaskHasItsOwnPicture) {
  IntervalHub hub([] { return ManyStacks(1'000); });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Symbolizer symbolizer;
  LiveFlame flame(hooks, symbolizer);
  static_cast<void>(flame.Answer(HttpTarget::Parse("/api/flame")));
  std::uint64_t sum = 0;
  for (const char* const task : {"task=1", "task=2"}) {
    const std::string folded =
        flame.Answer(HttpTarget::Parse(std::string("/api/flame?format=folded&") + task)).body;
    std::size_t at = 0;
    for (std::size_t end = 0; (end = folded.find('\n', at)) != std::string::npos; at = end + 1) {
      sum += std::stoull(folded.substr(folded.rfind(' ', end) + 1));
    }
  }
  // Each answer sees one more cut than the one before: half of one, and half of two.
  EXPECT_EQ(sum, 3 * 500 * std::uint64_t{10'000'000});
}

}  // namespace
}  // namespace sonde
