#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sonde/console.h"
#include "sonde/task.h"
#include "tests/console/peer.h"
#include "tests/support/console_on_free_port.h"

namespace sonde {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// A console, work that the program goes on with, and a friendly client that wants answers.
class HostileClients : public testing::Test {
 protected:
  HostileClients() {
    ConsoleOptions options;
    options.console_port = 0;
    options.http_port = FreePort();
    options.max_connections = 64;
    options.publish_interval = 50ms;
    console_ = std::move(Console::Start(options)).value();
    worker_ = std::thread([this] {
      Task task("the program's own work");
      while (!is_over_) {
        const PollGuard poll = task.Poll();
        ++rounds_;
        std::this_thread::sleep_for(1ms);
      }
    });
  }
  ~HostileClients() override {
    is_over_ = true;
    worker_.join();
  }

  std::uint16_t port() const { return console_->http_port(); }

  // Whether somebody who asks properly is answered, at the latest when `limit` has passed.
  bool IsServed(std::chrono::seconds limit = 20s) const {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      Peer friendly(port());
      friendly.Send("GET /api/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      if (friendly.Receive().starts_with("HTTP/1.1 200")) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  // Whether the program went on with its work as well.
  bool Works() const {
    const std::uint64_t before = rounds_;
    for (int i = 0; i < 2000 && rounds_ < before + 3; ++i) std::this_thread::sleep_for(1ms);
    return rounds_ >= before + 3;
  }
  bool AllGone() const {
    for (int i = 0; i < 2000 && console_->stats().connections > 0; ++i) {
      std::this_thread::sleep_for(10ms);
    }
    return console_->stats().connections == 0;
  }

  std::unique_ptr<Console> console_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> rounds_{0};
  std::thread worker_;
};

// One frame of HTTP/2 with `size` bytes of nothing, or saying so.
std::string Frame(char type, char flags, std::uint32_t stream, std::string_view payload,
                  std::size_t size) {
  std::string frame;
  for (int shift = 16; shift >= 0; shift -= 8) frame.push_back(static_cast<char>(size >> shift));
  frame += {type, flags};
  for (int shift = 24; shift >= 0; shift -= 8) frame.push_back(static_cast<char>(stream >> shift));
  return frame += payload;
}
std::string Frame(char type, char flags, std::uint32_t stream, std::string_view payload) {
  return Frame(type, flags, stream, payload, payload.size());
}
const std::string kGet("\x82\x86\x84\x41\x09localhost", 14);

TEST_F(HostileClients, GarbageEndsItsOwnConnectionOnly) {
  std::minstd_rand random(1);
  for (int i = 0; i < 60; ++i) {
    Peer peer(port());
    std::string bytes(1 + random() % 3000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    peer.Send(i % 2 == 0 ? bytes : std::string(kPreface) + bytes);
  }
  EXPECT_TRUE(IsServed());
  EXPECT_TRUE(Works());
  EXPECT_TRUE(AllGone());
}

TEST_F(HostileClients, WhatOnceBrokeOtherServersDoesNotBreakThisOne) {
  for (const char* const version : {"http1", "http2"}) {
    const std::filesystem::path corpus =
        std::filesystem::path(SONDE_SOURCE_DIR) / "tests/fuzz/corpus" / version;
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::string bytes{std::istreambuf_iterator<char>(file), {}};
      bytes.erase(0, 1);  // How long the pieces are.
      Peer peer(port());
      peer.Send(std::string_view(version) == "http2" ? std::string(kPreface) + bytes : bytes);
    }
  }
  EXPECT_TRUE(IsServed());
  EXPECT_TRUE(Works());
  EXPECT_TRUE(AllGone());
}

TEST_F(HostileClients, SlowOnesTakeUpTheirConnectionsAndNoMore) {
  std::vector<std::unique_ptr<Peer>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<Peer>(port()));
    slow.back()->Send(i % 2 == 0 ? "GET / HTTP/1.1\r\nHost: loc" : kPreface.substr(0, 10));
  }
  for (int round = 0; round < 10; ++round) {
    for (const auto& peer : slow) peer->Send("x");
    EXPECT_TRUE(IsServed());
  }
  EXPECT_TRUE(Works());
  slow.clear();
  EXPECT_TRUE(AllGone());
}

TEST_F(HostileClients, ManyConnectionsAreRefusedBeyondTheLimitAndCounted) {
  constexpr std::size_t kFlood = 1'500;
  std::size_t opened = 0;
  for (std::size_t i = 0; i < kFlood; ++i) opened += Peer(port()).ok() ? 1 : 0;
  std::vector<std::unique_ptr<Peer>> held;
  for (int i = 0; i < 200; ++i) held.push_back(std::make_unique<Peer>(port()));
  for (int i = 0; i < 1000 && console_->stats().connections_refused < 100; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_GE(console_->stats().connections_refused, 100U);
  EXPECT_LE(console_->stats().connections, 64U);
  EXPECT_GT(opened, kFlood / 2);
  EXPECT_TRUE(Works());
  held.clear();
  EXPECT_TRUE(IsServed());
  EXPECT_TRUE(AllGone());
}

TEST_F(HostileClients, AFloodOfResetsEndsTheConnectionCalmly) {
  Peer peer(port());
  peer.Send(std::string(kPreface) + Frame(4, 0, 0, {}));
  std::string flood;
  for (std::uint32_t stream = 1; stream < 4000; stream += 2) {
    flood += Frame(1, 5, stream, kGet) + Frame(3, 0, stream, std::string("\0\0\0\x08", 4));
  }
  peer.Send(flood);
  const std::string answer = peer.Receive();  // Until it is closed.
  const std::string calm("\0\0\0\x0b", 4);    // ENHANCE_YOUR_CALM
  EXPECT_NE(answer.find(calm), std::string::npos);
  EXPECT_TRUE(IsServed());
  EXPECT_TRUE(Works());
}

TEST_F(HostileClients, FramesThatAskForNothingAreBorneForAWhile) {
  const std::string open = Frame(1, 4, 1, kGet);  // A request whose body does not end.
  for (const std::string& frame :
       {Frame(6, 0, 0, "12345678"), Frame(4, 0, 0, {}), Frame(0, 0, 1, {}),
        Frame(2, 0, 1, std::string("\0\0\0\0\x10", 5))}) {
    Peer peer(port());
    peer.Send(std::string(kPreface) + Frame(4, 0, 0, {}) + open);
    std::string some;
    for (int i = 0; i < 50; ++i) some += frame;
    for (int i = 0; i < 200; ++i) peer.Send(some);
    EXPECT_TRUE(AllGone()) << static_cast<int>(frame[3]);
  }
  EXPECT_TRUE(IsServed());
  EXPECT_TRUE(Works());
}

// They open streams, break their rules and have the server reset them.
TEST_F(HostileClients, ResetsThatTheServerIsDrivenToCountToo) {
  Peer peer(port());
  peer.Send(std::string(kPreface) + Frame(4, 0, 0, {}));
  std::string flood;
  for (std::uint32_t stream = 1; stream < 4000; stream += 2) {
    flood += Frame(1, 4, stream, kGet) + Frame(8, 0, stream, "\x7f\xff\xff\xff");
  }
  peer.Send(flood);
  EXPECT_NE(peer.Receive().find(std::string("\0\0\0\x0b", 4)), std::string::npos);
  EXPECT_TRUE(IsServed());
}

TEST_F(HostileClients, HeadersThatNeverEndAreNotCollected) {
  Peer peer(port());
  peer.Send(std::string(kPreface) + Frame(4, 0, 0, {}) + Frame(1, 0, 1, kGet));
  const std::string more(16'000, '\x82');
  for (int i = 0; i < 200; ++i) peer.Send(Frame(9, 0, 1, more));
  EXPECT_FALSE(peer.Receive().empty());  // It is closed, or reset.
  EXPECT_TRUE(IsServed());
  EXPECT_TRUE(Works());
}

TEST_F(HostileClients, AHeaderThatIsTooLongIsRefusedAndTheConnectionGoesOn) {
  Peer peer(port());
  // A field "x" of 20,000 bytes, not indexed, in two frames.
  const std::string long_field =
      std::string("\x00\x01x\x7f\xa1\x9b\x01", 7) + std::string(20'000, 'y');
  const std::string block = kGet + long_field;
  peer.Send(std::string(kPreface) + Frame(4, 0, 0, {}) + Frame(1, 1, 1, block.substr(0, 16'000)) +
            Frame(9, 4, 1, block.substr(16'000)));
  EXPECT_NE(peer.Receive("too long").find("the header is too long"), std::string::npos);
  peer.Send(Frame(1, 5, 3, kGet));
  EXPECT_NE(peer.Receive("<html").find("<html"), std::string::npos);
}

TEST_F(HostileClients, FramesThatAreTooLongAreNotWaitedFor) {
  Peer peer(port());
  peer.Send(std::string(kPreface) + Frame(4, 0, 0, {}) +
            Frame(0, 0, 1, std::string(100, 'x'), 0xffffff));
  const std::string frame_size_error("\0\0\0\x06", 4);
  EXPECT_NE(peer.Receive().find(frame_size_error), std::string::npos);
  EXPECT_TRUE(IsServed());
}

TEST_F(HostileClients, WhoAsksForMuchAndReadsNothingIsForgotten) {
  {
    std::vector<std::unique_ptr<Peer>> deaf;
    for (int i = 0; i < 10; ++i) {
      deaf.push_back(std::make_unique<Peer>(port()));
      for (int request = 0; request < 200; ++request) {
        deaf.back()->Send("GET /assets/page.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
      }
      deaf.back()->Send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    EXPECT_TRUE(IsServed());
    EXPECT_TRUE(Works());
  }
  EXPECT_TRUE(AllGone());
}

}  // namespace
}  // namespace sonde
