#include "export/perf_data/lock_waits.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace sonde::perf_data {
namespace {

constexpr std::uint32_t kSpinlock = 1;
constexpr std::uint32_t kMutex = 32;
constexpr std::uint32_t kSpunMutex = 33;

// The fields of lock:contention_begin and, with `kind` for the outcome, of lock:contention_end.
std::string Fields(std::uint64_t lock, std::uint32_t kind) {
  std::string bytes(20, '\0');
  std::memcpy(bytes.data() + 8, &lock, sizeof lock);
  std::memcpy(bytes.data() + 16, &kind, sizeof kind);
  return bytes;
}

class LockWaitsTest : public testing::Test {
 protected:
  LockWaitsTest() {
    header_.lock = {8, 8};
    header_.lock_kind = {16, 4};
    for (const char* name : {"lock:contention_begin", "lock:contention_end"}) {
      Event event;
      event.name = name;
      event.period_or_frequency = 1;
      event.sample_type = kSampleRaw;
      header_.AddEvent(event);
    }
    waits_.Find(header_);
  }

  const Sample& At(std::uint64_t time_ns, std::uint32_t tid, std::uint64_t lock,
                   std::uint32_t kind) {
    fields_ = Fields(lock, kind);
    sample_ = Sample{};
    sample_.pid = 1;
    sample_.tid = tid;
    sample_.time_ns = time_ns;
    sample_.raw = fields_;
    return sample_;
  }

  Header header_;
  LockWaits waits_;
  Sample sample_;
  std::string fields_;
};

TEST_F(LockWaitsTest, AWaitLastsFromItsBeginningToItsEnd) {
  ASSERT_TRUE(waits_.is_recorded());
  EXPECT_TRUE(waits_.Begin(At(100, 7, 0xa, kSpunMutex), StackId{5}));
  EXPECT_TRUE(waits_.Begin(At(110, 8, 0xa, kMutex), StackId{6}));
  EXPECT_TRUE(waits_.Begin(At(130, 7, 0xa, kMutex), StackId{9}));  // Spun for, now slept for.
  const auto wait = waits_.End(At(400, 7, 0xa, 0));
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->duration_ns, 300);
  EXPECT_EQ(wait->stack, StackId{5});
  EXPECT_EQ(LockKindName(wait->kind), "mutex");
  EXPECT_FALSE(waits_.End(At(500, 7, 0xa, 0)));
  const auto rest = waits_.EndAll(1000);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].tid, 8U);
  EXPECT_EQ(rest[0].duration_ns, 890);
}

TEST_F(LockWaitsTest, NoNanosecondCountsTwice) {
  EXPECT_TRUE(waits_.Begin(At(100, 7, 0xa, kMutex), StackId{1}));
  EXPECT_TRUE(waits_.Begin(At(150, 7, 0xb, kSpinlock), StackId{2}));
  const auto inner = waits_.End(At(170, 7, 0xb, 0));
  EXPECT_TRUE(waits_.Begin(At(180, 7, 0xc, kSpinlock), StackId{3}));
  const auto outer = waits_.End(At(200, 7, 0xa, 0));  // The end of the last was lost.
  ASSERT_TRUE(inner && outer);
  EXPECT_EQ(inner->duration_ns, 20);
  EXPECT_EQ(outer->duration_ns, 80);
  EXPECT_TRUE(waits_.EndAll(300).empty());
}

TEST_F(LockWaitsTest, WhatIsNotThereIsNotMadeUp) {
  Sample cut = At(1, 7, 0xa, kMutex);
  cut.raw = cut.raw.substr(0, 12);
  EXPECT_FALSE(waits_.Begin(cut, StackId{1}));
  EXPECT_FALSE(waits_.End(cut));
  for (std::uint64_t lock = 1; lock <= 8; ++lock) {
    EXPECT_TRUE(waits_.Begin(At(lock, 7, lock, kSpinlock), StackId{1}));
  }
  EXPECT_FALSE(waits_.Begin(At(9, 7, 9, kSpinlock), StackId{1}));
  waits_.Forget(7);
  EXPECT_TRUE(waits_.EndAll(10).empty());
  EXPECT_EQ(LockKindName(0x4000), "unknown");

  // One tracepoint alone, or a sample now and then, tells no times.
  Header half;
  half.lock = {8, 8};
  half.lock_kind = {16, 4};
  Event event;
  event.name = "lock:contention_begin";
  event.period_or_frequency = 1;
  event.sample_type = kSampleRaw;
  half.AddEvent(event);
  event.name = "lock:contention_end";
  event.period_or_frequency = 2;
  half.AddEvent(event);
  LockWaits none;
  none.Find(half);
  EXPECT_FALSE(none.is_recorded());
}

}  // namespace
}  // namespace sonde::perf_data
