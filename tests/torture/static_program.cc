// static_program: a program without shared libraries samples itself. Exits 0 when its stacks, but
// those in the middle of an exception's landing, reach their root and hold the whole recursion.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sampler/interval.h"
#include "sonde/sampler.h"
#include "tests/sampler/signal/spin.h"

namespace sonde {
namespace {

constexpr int kDepth = 20;

// Allocates and throws, so that there are frames of every library in the program.
[[gnu::noinline]] std::size_t Work() {
  std::size_t size_of_all = 0;
  const auto end = ThreadCpu() + std::chrono::milliseconds(20);
  while (ThreadCpu() < end) {
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i) texts.push_back(std::to_string(i) + std::string(100, 'x'));
    try {
      if (texts.size() > 10) throw texts.size();
    } catch (std::size_t size) {
      size_of_all += size;
    }
  }
  return size_of_all;
}

[[gnu::noinline, gnu::aligned(256)]] std::size_t Recurse(int depth) {
  std::size_t sum = depth == 0 ? Work() : Recurse(depth - 1);
  asm volatile("" : "+r"(sum));  // A call, not a loop.
  return sum + 1;
}

int Run() {
  auto sampler = Sampler::Start({.hz = 999});
  if (!sampler.ok()) {
    std::printf("static: %s\n", Describe(sampler.error()).c_str());
    return 1;
  }
  for (int i = 0; i < 20; ++i) Recurse(kDepth);
  const Interval interval = sampler.value()->Stop();
  const auto low = reinterpret_cast<std::uint64_t>(&Recurse);
  std::uint64_t whole = 0;
  for (const IntervalSample& sample : interval.samples) {
    int frames = 0;
    for (const RawFrame& frame : sample.frames) {
      frames += frame.address >= low && frame.address < low + 256;
    }
    if (frames >= kDepth) whole += sample.signals;
  }
  const std::uint64_t signals = interval.stats.signals;
  std::printf("static: %lu samples, %lu cut, %lu with the whole recursion\n", signals,
              interval.stats.Truncated(), whole);
  return signals >= 20 && interval.stats.Truncated() * 30 <= signals && whole * 30 >= signals * 29 ? 0 : 1;
}

}  // namespace
}  // namespace sonde

int main() { return sonde::Run(); }
