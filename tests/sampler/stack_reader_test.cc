#include "sampler/stack_reader.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace sonde {
namespace {

constexpr std::uint64_t kPage = 4096;

// Four pages that can be read, with a guard on either side.
class StackReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    void* memory = mmap(nullptr, 6 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    base_ = reinterpret_cast<std::uint64_t>(memory);
    low_ = base_ + kPage;
    high_ = low_ + 4 * kPage;
    ASSERT_EQ(mprotect(reinterpret_cast<void*>(low_), 4 * kPage, PROT_READ | PROT_WRITE), 0);
    *reinterpret_cast<std::uint64_t*>(high_ - 8) = 42;
  }
  void TearDown() override { munmap(reinterpret_cast<void*>(base_), 6 * kPage); }

  std::uint64_t base_ = 0;
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
  std::uint64_t value_ = 0;
};

TEST_F(StackReaderTest, ReadsUpToTheGuardAndNotIntoIt) {
  StackRange range;
  StackReader stack(range, low_ + 64);

  EXPECT_TRUE(stack.Read(high_ - 8, value_));
  EXPECT_EQ(value_, 42U);
  EXPECT_FALSE(stack.Read(high_, value_));
  EXPECT_EQ(range.low, low_);
  EXPECT_EQ(range.high, high_);
}

TEST_F(StackReaderTest, RefusesWhatIsNotAWordOfTheStack) {
  StackRange range;
  StackReader stack(range, low_ + kPage);

  EXPECT_FALSE(stack.Read(low_ + kPage + 4, value_));
  EXPECT_FALSE(stack.Read(low_, value_));
  EXPECT_FALSE(stack.Read(0, value_));
  EXPECT_FALSE(stack.Read(~std::uint64_t{7}, value_));
}

TEST_F(StackReaderTest, AStackThatGrewKeepsWhatWasKnown) {
  StackRange range;
  { StackReader stack(range, low_ + 3 * kPage); }
  { StackReader stack(range, low_ + kPage); }

  EXPECT_EQ(range.low, low_ + kPage);
  EXPECT_EQ(range.high, high_);
}

TEST_F(StackReaderTest, AStackPointerInAGuardReadsNothing) {
  StackRange range;
  StackReader stack(range, base_ + 8);

  EXPECT_FALSE(stack.Read(base_ + 8, value_));
  EXPECT_FALSE(stack.Read(low_, value_));
}

TEST_F(StackReaderTest, ProbingAnewFindsOutWhatIsGone) {
  StackRange range;
  StackReader stack(range, low_);
  ASSERT_TRUE(stack.Read(low_ + kPage, value_));
  munmap(reinterpret_cast<void*>(low_ + kPage), kPage);

  stack.ProbeAnew(low_);
  EXPECT_TRUE(stack.Read(low_, value_));
  EXPECT_FALSE(stack.Read(low_ + kPage, value_));
  EXPECT_TRUE(ReadThroughKernel(low_, 8, &value_));
  EXPECT_FALSE(ReadThroughKernel(low_ + kPage - 4, 8, &value_));
}

}  // namespace
}  // namespace sonde
