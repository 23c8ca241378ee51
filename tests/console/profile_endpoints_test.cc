#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "console/console_hooks.h"
#include "sonde/console.h"
#include "tests/console/console_test.h"
#include "tests/support/console_on_free_port.h"

namespace sonde {
namespace {

using namespace std::chrono_literals;

// A hub, and whether somebody is being sampled for.
class WatchedHub {
 public:
  IntervalHub& hub() { return hub_; }
  bool Settles(int wanted) const {
    for (int i = 0; i < 500 && watched_ != wanted; ++i) std::this_thread::sleep_for(10ms);
    return watched_ == wanted;
  }

 private:
  std::atomic<int> watched_{0};
  IntervalHub hub_{SevenToThree, [this](bool is_wanted) { watched_ += is_wanted ? 1 : -1; }};
};

TEST_F(ConsoleTest, WallClockTimeIsSampledWhileItIsAskedFor) {
  std::vector<bool> watched;
  IntervalHub wall(
      [] {
        Interval interval;
        interval.kind = IntervalKind::kWall;
        return interval;
      },
      [&](bool is_wanted) { watched.push_back(is_wanted); });
  ConsoleHooks hooks;
  hooks.wall = &wall;
  Start({}, hooks);
  const std::string answer = Ask("GET /debug/pprof/wall?seconds=1");

  EXPECT_EQ(StatusOf(answer), "200");
  EXPECT_NE(answer.find("filename=\"wall\""), std::string::npos);
  EXPECT_EQ(watched, (std::vector<bool>{true, false}));
  // It interrupts the program's calls, so that a page of another origin must not start it.
  for (const char* const header :
       {"Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n",
        "Origin: http://evil.example\r\n"}) {
    EXPECT_EQ(StatusOf(Ask("GET /debug/pprof/wall?seconds=1",
                           std::string("Host: localhost\r\n") + header)),
              "403");
  }
  EXPECT_EQ(watched.size(), 2U);
}

Result<HeapProfile> HeapOf(std::int64_t bytes) {
  ProfileBuilder builder({{"inuse_objects", "count"}, {"inuse_space", "bytes"}});
  const LocationId frame = builder.FrameNamed("allocate");
  builder.AddSample(builder.AddStack({&frame, 1}), kNoLabels, {1, bytes});
  return HeapProfile{std::move(builder), 1, "heap profile: 1: 10 [1: 10] @ heap_v2/524288\n"};
}

TEST_F(ConsoleTest, HeapProfilesKnowWhatGosDo) {
  ConsoleHooks hooks;
  int asked = 0;
  hooks.heap = [&](HeapKind) { return HeapOf(1000 * ++asked); };
  Start({}, hooks);
  const std::string pprof = Ask("GET /debug/pprof/heap?gc=1");
  EXPECT_EQ(StatusOf(pprof), "200");
  EXPECT_NE(pprof.find("filename=\"heap\""), std::string::npos);
  EXPECT_NE(pprof.find("\r\n\r\n\x1f\x8b"), std::string::npos);
  EXPECT_NE(Ask("GET /debug/pprof/heap?debug=1").find("\r\n\r\nheap profile: 1: 10 "),
            std::string::npos);
  EXPECT_NE(Ask("GET /pprof/heap").find("\r\n\r\nheap profile: 1: 10 "), std::string::npos);
  const std::string delta = Ask("GET /debug/pprof/allocs?seconds=1");
  EXPECT_NE(delta.find("filename=\"allocs-delta\""), std::string::npos);
  EXPECT_EQ(asked, 5);
  for (const char* const wrong :
       {"seconds=0", "seconds=-1", "seconds=x", "seconds=1&debug=1", "seconds=100000"}) {
    const std::string answer = Ask(std::string("GET /debug/pprof/heap?") + wrong);
    EXPECT_EQ(StatusOf(answer), "400") << wrong;
    EXPECT_NE(answer.find("x-go-pprof: 1"), std::string::npos) << wrong;
  }
  EXPECT_NE(Ask("GET /metrics").find("{endpoint=\"allocs\",code=\"200\"} 1\n"), std::string::npos);
}

TEST_F(ConsoleTest, TwoClientsAreSampledAtTheSameTime) {
  IntervalHub hub(SevenToThree);
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Start({}, hooks);
  std::string first;
  std::thread other([&] { first = Ask("GET /debug/pprof/profile?seconds=1"); });
  const std::string second = Ask("GET /pprof/profile?seconds=1");
  other.join();
  EXPECT_EQ(StatusOf(first), "200");
  EXPECT_EQ(StatusOf(second), "200");
  // The header of gperftools' format: 0, 3, 0, period in microseconds.
  const std::size_t body = second.find("\r\n\r\n") + 4;
  ASSERT_GT(second.size(), body + 32);
  std::uint64_t words[4];
  std::memcpy(words, second.data() + body, sizeof(words));
  EXPECT_EQ(words[1], 3U);
  EXPECT_EQ(words[3], 10'000U);
  console_.reset();
}

TEST_F(ConsoleTest, AProfileThatNobodyWaitsForIsNotTaken) {
  WatchedHub samples;
  ConsoleHooks hooks;
  hooks.samples = &samples.hub();
  Start({}, hooks);
  {
    std::vector<std::unique_ptr<Peer>> leaving;
    for (int i = 0; i < 80; ++i) {
      leaving.push_back(std::make_unique<Peer>(console_->http_port()));
      leaving.back()->Send(
          "GET /debug/pprof/profile?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    EXPECT_NE(leaving.back()->Receive("being taken").find("HTTP/1.1 503"), std::string::npos);
    EXPECT_TRUE(samples.Settles(1));
  }
  EXPECT_TRUE(samples.Settles(0));
  EXPECT_EQ(StatusOf(Ask("GET /debug/pprof/profile?seconds=1")), "200");
  console_.reset();
}

TEST_F(ConsoleTest, WhatWouldTakeLongerIsAnsweredWhenTheProcessEnds) {
  WatchedHub samples;
  ConsoleHooks hooks;
  hooks.samples = &samples.hub();
  Start({}, hooks);
  Peer profile(console_->http_port());
  profile.Send("GET /debug/pprof/profile?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  Peer events(console_->http_port());
  events.Send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  events.Receive("event: status");
  ASSERT_TRUE(samples.Settles(1));
  std::thread end([&] { console_->Stop(); });
  const std::string answer = profile.Receive();
  end.join();
  EXPECT_EQ(StatusOf(answer), "200");
  EXPECT_NE(answer.find("\r\n\r\n\x1f\x8b"), std::string::npos);
  EXPECT_TRUE(events.Receive().ends_with("0\r\n\r\n"));
  EXPECT_TRUE(samples.Settles(0));
  console_.reset();
}

TEST_F(ConsoleTest, WhenTimeRunsOutAtTheEndTheRestIsTold) {
  constexpr int kClients = 40;
  std::atomic<bool> is_slow{false};
  std::atomic<int> opened{0};
  IntervalHub hub([&] {
    ++opened;
    if (is_slow) std::this_thread::sleep_for(100ms);
    return SevenToThree();
  });
  ConsoleHooks hooks;
  hooks.samples = &hub;
  Start({}, hooks);
  std::vector<std::unique_ptr<Peer>> waiting;
  for (int i = 0; i < kClients; ++i) {
    waiting.push_back(std::make_unique<Peer>(console_->http_port()));
    waiting.back()->Send(
        "GET /debug/pprof/profile?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  for (int i = 0; i < 500 && opened < kClients; ++i) std::this_thread::sleep_for(10ms);
  ASSERT_EQ(opened, kClients);
  is_slow = true;
  const auto began = std::chrono::steady_clock::now();
  std::thread end([&] { console_->Stop(); });
  int profiles = 0;
  int refusals = 0;
  for (const auto& peer : waiting) {
    const std::string answer = peer->Receive();
    profiles += answer.find("\r\n\r\n\x1f\x8b") != std::string::npos ? 1 : 0;
    refusals += answer.find("no time was left") != std::string::npos ? 1 : 0;
  }
  end.join();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s);
  EXPECT_EQ(profiles + refusals, kClients);
  EXPECT_GT(profiles, 0);
  EXPECT_GT(refusals, 0);
  console_.reset();
}

TEST_F(ConsoleTest, WhoHasSentItsLastByteGetsAnswersButNothingThatTakesAWhile) {
  WatchedHub samples;
  ConsoleHooks hooks;
  hooks.samples = &samples.hub();
  Start({}, hooks);
  const std::string symbol = "GET /pprof/symbol?0x1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  Peer asking(console_->http_port());
  asking.Send(symbol + symbol + symbol);
  asking.EndSending();
  const std::string answers = asking.Receive();
  std::size_t count = 0;
  for (std::size_t at = 0; (at = answers.find("num_symbols", at)) != std::string::npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 3U);

  const std::string profile =
      "GET /debug/pprof/profile?seconds=3600 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  Peer leaving(console_->http_port());
  leaving.Send(profile);
  ASSERT_TRUE(samples.Settles(1));
  leaving.EndSending();
  EXPECT_EQ(leaving.Receive(), "");
  EXPECT_TRUE(samples.Settles(0));
  Peer left(console_->http_port());
  left.Send(symbol + profile);
  left.EndSending();
  EXPECT_NE(left.Receive().find("num_symbols"), std::string::npos);
  EXPECT_TRUE(samples.Settles(0));
  console_.reset();
}

}  // namespace
}  // namespace sonde
