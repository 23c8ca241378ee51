// ManyStacks: samples of a program in which no stack is seen twice.

#ifndef SONDE_TESTS_SUPPORT_MANY_STACKS_H_
#define SONDE_TESTS_SUPPORT_MANY_STACKS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "sampler/interval.h"

namespace sonde {

// What the program is like: each function calls so many others.
struct ProgramShape {
  std::uint64_t functions = 64;
  std::uint64_t callees = 64;
  std::uint64_t depth = 4;
};

// An interval of a second with `stacks` stacks that all differ, as long as there are as many; of
// tasks 1 and 2 by turns. Each was seen once, for a period of 10 ms.
inline Interval ManyStacks(std::uint64_t stacks, const ProgramShape& shape = {}) {
  Interval interval;
  interval.duration_ns = 1'000'000'000;
  interval.period_ns = 10'000'000;
  interval.threads.push_back({1, "worker"});
  interval.label_sets.resize(1);
  // Code without symbols is called by its module: as many names as modules.
  for (std::uint64_t i = 0; i < shape.functions; ++i) {
    interval.modules.push_back({.start = i << 16,
                                .limit = (i + 1) << 16,
                                .path = "/nowhere/lib" + std::to_string(i) + ".so",
                                .build_id = {}});
  }
  for (std::uint64_t i = 0; i < stacks; ++i) {
    IntervalSample sample;
    std::uint64_t path = i;
    for (std::uint64_t level = 0; level < shape.depth; ++level) {
      const std::uint64_t caller = path / shape.callees * shape.depth + level;
      const std::uint64_t function =
          ((caller * 0x9fb21c651e98df25U >> 32) + path % shape.callees) % shape.functions;
      sample.frames.push_back({(function << 16) + 16, static_cast<std::uint32_t>(function)});
      path /= shape.callees;
    }
    sample.task_id = 1 + i % 2;
    sample.signals = sample.weight = 1;
    interval.samples.push_back(std::move(sample));
  }
  return interval;
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_MANY_STACKS_H_
