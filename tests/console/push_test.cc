#include "sonde/push.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "console/client/push_request.h"
#include "tests/support/console_on_free_port.h"
#include "tests/support/fake_engine.h"

namespace sonde {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

PushedProfile Sampled() {
  return {.bytes = "\x1f\x8bnot really",
          .time_ns = 1'764'498'000'500'000'000,
          .duration_ns = 15'000'000'000,
          .sample_types = {{"samples", "count"}, {"cpu", "nanoseconds"}},
          .samples_per_second = 99};
}

PushOptions OptionsFor(const std::string& url) {
  PushOptions options;
  options.url = url;
  options.application = "ingestd";
  options.interval = 100ms;
  return options;
}

template <typename Condition>
bool Within(std::chrono::seconds limit, Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

void ExpectConserved(const PushStats& stats) {
  EXPECT_EQ(stats.taken, stats.pushed + stats.dropped + stats.waiting);
}

TEST(PushRequest, PyroscopeGetsNameSpanAndTypes) {
  PushOptions options = OptionsFor("http://engine:4040/base/");
  options.labels = "zone=eu-1,version=7";
  options.tenant = "team";
  options.user = "me";
  options.password = "pass:word";
  const HttpQuestion request = PushTarget::Make(options).value().RequestFor(Sampled());
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target,
            "/base/ingest?name=ingestd%7Bzone%3Deu-1%2Cversion%3D7%7D&from=1764498000"
            "&until=1764498016&format=pprof&spyName=sonde&sampleRate=99");
  EXPECT_THAT(request.body, HasSubstr("name=\"profile\"; filename"));
  EXPECT_THAT(request.body, HasSubstr("\r\n\r\n\x1f\x8bnot really\r\n--"));
  EXPECT_THAT(request.body, HasSubstr("\"cpu\":{\"units\":\"nanoseconds\",\"display-name\":\"cpu\","
                                      "\"aggregation\":\"sum\",\"sampled\":true}"));
  EXPECT_THAT(request.headers, testing::Contains(testing::Pair("x-scope-orgid", "team")));
  EXPECT_THAT(request.headers,
              testing::Contains(testing::Pair("authorization", "Basic bWU6cGFzczp3b3Jk")));
}

TEST(PushRequest, ParcaGetsASeriesWithTheProfileInBase64) {
  PushOptions options = OptionsFor("https://parca.example");
  options.engine = PushEngine::kParca;
  options.labels = "zone=eu-1";
  options.token = "secret";
  const PushTarget target = PushTarget::Make(options).value();
  const HttpQuestion request = target.RequestFor(Sampled());
  EXPECT_EQ(target.address().port, "443");
  EXPECT_EQ(request.target, "/profiles/writeraw");
  EXPECT_EQ(
      request.body,
      "{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\",\"value\":\"process_cpu\"},"
      "{\"name\":\"job\",\"value\":\"ingestd\"},{\"name\":\"zone\",\"value\":\"eu-1\"}]},"
      "\"samples\":[{\"raw_profile\":\"H4tub3QgcmVhbGx5\"}]}],\"normalized\":false}");
  EXPECT_THAT(request.headers, testing::Contains(testing::Pair("authorization", "Bearer secret")));
}

TEST(PushRequest, OptionsThatCannotBeRightAreNamed) {
  const auto problem = [](auto change) {
    PushOptions options = OptionsFor("http://engine");
    change(options);
    const auto target = PushTarget::Make(options);
    return target.ok() ? std::string() : target.error().message;
  };
  EXPECT_EQ(problem([](PushOptions&) {}), "");
  EXPECT_THAT(problem([](PushOptions& o) { o.url = "ftp://x"; }), HasSubstr("push.url"));
  EXPECT_THAT(problem([](PushOptions& o) { o.application = "a{b}"; }),
              HasSubstr("push.application"));
  EXPECT_THAT(problem([](PushOptions& o) { o.labels = "zone"; }), HasSubstr("push.labels"));
  EXPECT_THAT(problem([](PushOptions& o) { o.labels = "1a=b"; }), HasSubstr("push.labels"));
  EXPECT_THAT(problem([](PushOptions& o) { o.token = "a\r\nX: y"; }), HasSubstr("push.token"));
  EXPECT_THAT(problem([](PushOptions& o) { o.token = o.user = "a"; }), HasSubstr("exclude"));
}

TEST(Pusher, PushesEachIntervalAndALastTimeAtTheEnd) {
  const FakeEngine engine({"200 OK"});
  auto pusher = MakeHttpPusher(OptionsFor(engine.url()), Sampled, {});
  ASSERT_TRUE(pusher.ok());
  ASSERT_TRUE(Within(10s, [&] { return pusher.value()->stats().pushed >= 2; }));
  pusher.value()->Finish();
  const PushStats stats = pusher.value()->stats();
  EXPECT_EQ(stats.pushed, stats.taken);
  EXPECT_EQ(stats.failures, 0U);
  EXPECT_EQ(engine.requests().size(), stats.pushed);
  EXPECT_EQ(stats.bytes, stats.pushed * Sampled().bytes.size());
  ExpectConserved(stats);
}

TEST(Pusher, AnEngineInTroubleIsAskedAgainAndTheProfileKept) {
  const FakeEngine engine({"503 Unavailable", "200 OK"});
  std::vector<std::string> problems;
  PushOptions options = OptionsFor(engine.url());
  options.interval = 300ms;
  auto pusher = MakeHttpPusher(options, Sampled,
                               [&](const Error& error) { problems.push_back(error.message); });
  ASSERT_TRUE(Within(10s, [&] { return pusher.value()->stats().pushed >= 1; }));
  pusher.value()->Finish();
  const PushStats stats = pusher.value()->stats();
  EXPECT_EQ(stats.failures, 1U);
  EXPECT_EQ(stats.dropped, 0U);
  EXPECT_EQ(stats.problem, "");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("503: no"));
  const std::vector<std::string> requests = engine.requests();
  EXPECT_EQ(requests[0], requests[1]);
  ExpectConserved(stats);
}

TEST(Pusher, WhatTheEngineRefusesForGoodIsDropped) {
  const FakeEngine engine({"422 Unprocessable Entity"});
  auto pusher = MakeHttpPusher(OptionsFor(engine.url()), Sampled, {});
  ASSERT_TRUE(Within(10s, [&] { return pusher.value()->stats().dropped >= 2; }));
  pusher.value()->Finish();
  EXPECT_EQ(pusher.value()->stats().pushed, 0U);
  EXPECT_THAT(pusher.value()->stats().problem, HasSubstr("422"));
  ExpectConserved(pusher.value()->stats());
}

TEST(Pusher, WithoutAnEngineTheOldestGoAndTheEndIsSoon) {
  PushOptions options = OptionsFor("http://127.0.0.1:" + std::to_string(FreePort()));
  options.queue = 2;
  int taken = 0;
  auto pusher = MakeHttpPusher(options,
                               [&] {
                                 PushedProfile profile = Sampled();
                                 profile.bytes = std::to_string(++taken);
                                 return profile;
                               },
                               {});
  ASSERT_TRUE(Within(10s, [&] { return pusher.value()->stats().dropped >= 2; }));
  EXPECT_LE(pusher.value()->stats().waiting, 2U);
  ExpectConserved(pusher.value()->stats());
  const auto began = std::chrono::steady_clock::now();
  pusher.value()->Finish();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  EXPECT_EQ(pusher.value()->stats().dropped, pusher.value()->stats().taken);
  EXPECT_THAT(pusher.value()->stats().problem, HasSubstr("nothing answers"));
}

TEST(Pusher, NothingSampledIsNothingPushed) {
  const FakeEngine engine({"200 OK"});
  int asked = 0;
  auto pusher = MakeHttpPusher(OptionsFor(engine.url()),
                               [&] {
                                 ++asked;
                                 return PushedProfile();
                               },
                               {});
  pusher.value()->Finish();
  EXPECT_GE(asked, 1);
  EXPECT_TRUE(engine.requests().empty());
}

}  // namespace
}  // namespace sonde
