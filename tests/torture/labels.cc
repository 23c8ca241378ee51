// labels [COUNT]: threads set labels whose text is freed at once, while signals read them at 4 kHz.
// Exits 0 when COUNT labels were set, every sample has labels that belong together, and every
// sample is accounted for. Build it with the asan preset to have each access checked.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sampler/interval.h"
#include "sonde/label.h"
#include "sonde/sampler.h"
#include "tests/torture/fast_timer.h"

namespace sonde::torture {
namespace {

constexpr int kHz = 4000;
constexpr std::uint64_t kRoutes = 50;
constexpr std::uint64_t kSteps = 40;

// Two labels, from text that lives no longer than their constructors.
void SetTwo(std::uint64_t round) {
  const std::string route = std::to_string(round % kRoutes);
  const ScopedLabel outer(std::make_unique<std::string>("route")->c_str(),
                          *std::make_unique<std::string>(route));
  const ScopedLabel inner(
      std::string("step"),
      *std::make_unique<std::string>(route + '/' + std::to_string(round / 7 % kSteps)));
}

void SetMany(std::atomic<std::uint64_t>& left) {
  const FastTimer timer(kHz);
  constexpr std::uint64_t kBatch = 5000;
  for (std::uint64_t before = left.load(); before != 0;) {
    const std::uint64_t batch = before < kBatch ? before : kBatch;
    if (!left.compare_exchange_weak(before, before - batch)) continue;
    for (std::uint64_t i = 0; i < batch; i += 2) SetTwo(before - i);
    before = left.load();
    // A new thread takes over the slot of this one now and then.
    if (before % 11 == 0) return;
  }
}

struct Seen {
  std::uint64_t labelled = 0;
  std::uint64_t wrong = 0;
};

void Check(const Interval& interval, Seen& seen) {
  for (const IntervalSample& sample : interval.samples) {
    std::string_view route;
    std::string_view step;
    for (const auto& [key, value] : interval.label_sets[sample.label_set]) {
      if (key == "route") {
        route = value;
      } else if (key == "step") {
        step = value;
      } else {
        seen.wrong += sample.signals;
      }
    }
    if (route.empty() && step.empty()) continue;
    seen.labelled += sample.signals;
    const bool fits = step.empty() || (step.starts_with(route) && step[route.size()] == '/');
    if (route.empty() || !fits) seen.wrong += sample.signals;
  }
}

int Run(std::uint64_t count) {
  auto started = Sampler::Start({.hz = 999, .ring_bytes = std::size_t{8} << 20});
  if (!started.ok()) {
    std::printf("labels: %s\n", Describe(started.error()).c_str());
    return 1;
  }
  Sampler& sampler = *started.value();
  std::atomic<std::uint64_t> left{count};
  Seen seen;
  std::thread reader([&] {
    while (left != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      Check(sampler.TakeInterval(), seen);
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (left != 0) std::thread([&] { SetMany(left); }).join();
    });
  }
  for (std::thread& thread : threads) thread.join();
  reader.join();
  Check(sampler.Stop(), seen);
  const SamplerStats stats = sampler.stats();
  const bool good =
      seen.wrong == 0 && seen.labelled > 0 && stats.taken == stats.written + stats.dropped;
  std::printf(
      "labels: %lu set at %d Hz a thread: %lu samples, %lu with labels, %lu of them wrong (0), "
      "taken %lu = written %lu + dropped %lu\n",
      count, kHz, stats.signals, seen.labelled, seen.wrong, stats.taken, stats.written,
      stats.dropped);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace sonde::torture

int main(int argc, char** argv) {
  return sonde::torture::Run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000'000);
}
