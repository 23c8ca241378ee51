#include "sampler/sample_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace sonde {
namespace {

RawSample SampleOf(std::uint32_t tid, std::uint16_t depth) {
  RawSample sample;
  sample.tid = tid;
  sample.depth = depth;
  sample.weight = 1;
  return sample;
}

TEST(SampleRing, AFullRingRefusesTheNewest) {
  std::array<SampleRing::Word, 16> memory{};
  SampleRing ring;
  ring.Attach(memory.data(), memory.size());
  const std::array<PackedFrame, 3> frames = {PackedFrame(0x1000, 1), PackedFrame(0x2000, 2),
                                             PackedFrame(0x3000, 2)};
  bool half_full = false;

  EXPECT_TRUE(ring.Write(SampleOf(1, 3), frames.data(), half_full));
  EXPECT_TRUE(half_full);
  EXPECT_FALSE(ring.Write(SampleOf(2, 3), frames.data(), half_full));

  std::vector<std::uint64_t> words;
  std::uint32_t tid = 0;
  const auto take = [&](const RawSample& sample, std::uint64_t count, auto word_at) {
    tid = sample.tid;
    for (std::uint64_t i = 0; i < count; ++i) words.push_back(word_at(i));
  };
  EXPECT_TRUE(ring.Read(take));
  EXPECT_EQ(tid, 1U);
  EXPECT_EQ(words, (std::vector{frames[0].bits(), frames[1].bits(), frames[2].bits()}));
  EXPECT_FALSE(ring.Read(take));
  EXPECT_TRUE(ring.Write(SampleOf(3, 3), frames.data(), half_full));
}

TEST(SampleRing, EverySampleOfAnyWriterIsReadOnceAndWholeOrRefused) {
  constexpr std::uint32_t kWriters = 4;
  constexpr std::uint64_t kEach = 20'000;
  std::vector<SampleRing::Word> memory(512);
  SampleRing ring;
  ring.Attach(memory.data(), memory.size());
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint32_t> done{0};
  std::vector<std::thread> writers;
  for (std::uint32_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      std::array<PackedFrame, 32> frames;
      bool half_full = false;
      for (std::uint64_t i = 0; i < kEach; ++i) {
        const auto depth = static_cast<std::uint16_t>(i % frames.size());
        for (auto& frame : frames) frame = PackedFrame(i, writer);
        if (!ring.Write(SampleOf(writer, depth), frames.data(), half_full)) ++refused;
      }
      ++done;
    });
  }

  std::uint64_t read = 0;
  std::uint64_t torn = 0;
  const auto take = [&](const RawSample& sample, std::uint64_t count, auto word_at) {
    ++read;
    torn += count != sample.depth;
    for (std::uint64_t i = 0; i < count; ++i) {
      torn += word_at(i) != word_at(0) || PackedFrame::FromBits(word_at(i)).module() != sample.tid;
    }
  };
  while (done.load() < kWriters) {
    if (!ring.Read(take)) std::this_thread::yield();
  }
  while (ring.Read(take)) {
  }
  for (auto& writer : writers) writer.join();

  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(read + refused.load(), kWriters * kEach);
}

}  // namespace
}  // namespace sonde
