// VirtualCalls: the work that is sampled: virtual calls forty deep, with strings and handlers.

#ifndef SONDE_TESTS_BENCH_VIRTUAL_CALLS_H_
#define SONDE_TESTS_BENCH_VIRTUAL_CALLS_H_

#include <unistd.h>

#include <cstdint>
#include <string>

#include "sampler/cpu_clock.h"

namespace sonde {

inline volatile double sink;

[[gnu::noinline]] inline double Turn(double x, int rounds) {
  for (int i = 0; i < rounds; ++i) x = x * 1.0000001 + 1e-9;
  return x;
}

// A stack of virtual calls, strings and handlers, with work at every depth.
struct Node {
  virtual ~Node() = default;
  virtual double Go(int depth, double x) = 0;
  Node* next = nullptr;
};
struct Plain : Node {
  [[gnu::noinline]] double Go(int depth, double x) override {
    x = Turn(x, 2000);
    if (depth <= 0) return x;
    return Turn(next->Go(depth - 1, x + 1), 500) + 1;
  }
};
struct WithString : Node {
  [[gnu::noinline]] double Go(int depth, double x) override {
    const std::string text = std::to_string(depth);
    x = Turn(x, 2000);
    if (depth <= 0) return x + static_cast<double>(text.size());
    return Turn(next->Go(depth - 1, x + text[0]), 500) + static_cast<double>(text.size());
  }
};
struct WithHandler : Node {
  [[gnu::noinline]] double Go(int depth, double x) override {
    x = Turn(x, 2000);
    if (depth <= 0) return x;
    try {
      return Turn(next->Go(depth - 1, x - 1), 500);
    } catch (int) {
      return 0;
    }
  }
};

class VirtualCalls {
 public:
  VirtualCalls() {
    plain_.next = &string_;
    string_.next = &handler_;
    handler_.next = &plain_;
  }
  // CPU seconds that `rounds` of it took.
  double Run(int rounds) {
    const std::uint64_t before = ThreadCpuNs(gettid());
    for (int i = 0; i < rounds; ++i) sink = plain_.Go(40, i);
    return static_cast<double>(ThreadCpuNs(gettid()) - before) / 1e9;
  }

 private:
  Plain plain_;
  WithString string_;
  WithHandler handler_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_BENCH_VIRTUAL_CALLS_H_
