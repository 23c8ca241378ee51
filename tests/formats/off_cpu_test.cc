// OffCpuTimes: what the kernel's own description of a switch tells beside its time.

#include "export/perf_data/off_cpu.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace sonde::perf_data {
namespace {

constexpr std::uint64_t kRunning = 0;
constexpr std::uint64_t kSleeps = 1;
constexpr std::uint64_t kZombie = 0x20;
constexpr std::uint64_t kPreempted = 0x100;  // TASK_REPORT_MAX of Linux 6.1.

class OffCpuTest : public testing::Test {
 protected:
  OffCpuTest() {
    header_.state_that_left = {8, 8};
    header_.next_thread = {16, 4};
    Event event;
    event.name = "sched:sched_switch";
    event.period_or_frequency = 1;
    event.sample_type = kSampleRaw;
    header_.AddEvent(event);
    times_.Find(header_);
  }

  const Sample& At(std::uint64_t time_ns, std::uint32_t tid, std::uint64_t state,
                   std::uint32_t next) {
    fields_.assign(20, '\0');
    std::memcpy(fields_.data() + 8, &state, sizeof state);
    std::memcpy(fields_.data() + 16, &next, sizeof next);
    sample_ = Sample{};
    sample_.pid = tid;
    sample_.tid = tid;
    sample_.time_ns = time_ns;
    sample_.raw = fields_;
    return sample_;
  }

  Header header_;
  OffCpuTimes times_;
  Sample sample_;
  std::string fields_;
};

TEST_F(OffCpuTest, AThreadThatCouldHaveRunOnIsPreemptedAndOneThatWaitsIsNot) {
  ASSERT_TRUE(times_.is_recorded());
  EXPECT_TRUE(times_.Leave(At(100, 7, kPreempted, 8), StackId{1}));
  EXPECT_TRUE(times_.Leave(At(110, 8, kSleeps, 9), StackId{2}));
  EXPECT_TRUE(times_.Leave(At(120, 9, kRunning, 7), StackId{3}));
  const auto preempted = times_.ReturnOfNext(sample_);
  ASSERT_TRUE(preempted.has_value());
  EXPECT_EQ(preempted->duration_ns, 20);
  EXPECT_TRUE(preempted->was_preempted);
  const auto rest = times_.End(200);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_FALSE(rest[0].was_preempted);
  EXPECT_TRUE(rest[1].was_preempted);
}

TEST_F(OffCpuTest, AThreadThatEndsIsNotAway) {
  EXPECT_TRUE(times_.Leave(At(100, 7, kZombie, 8), StackId{1}));
  // Switches of threads that the kernel has let go of have no id.
  EXPECT_TRUE(times_.Leave(At(110, UINT32_MAX, kSleeps, 8), StackId{1}));
  EXPECT_TRUE(times_.Leave(At(120, UINT32_MAX, kSleeps, 8), StackId{1}));
  EXPECT_TRUE(times_.End(200).empty());
}

TEST_F(OffCpuTest, FieldsThatAreCutOffTellNothing) {
  Sample cut = At(100, 7, kSleeps, 8);
  cut.raw = cut.raw.substr(0, 12);
  EXPECT_TRUE(times_.Leave(cut, StackId{1}));
  EXPECT_FALSE(times_.ReturnOfNext(cut).has_value());
  const auto rest = times_.End(130);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_FALSE(rest[0].was_preempted);
}

}  // namespace
}  // namespace sonde::perf_data
