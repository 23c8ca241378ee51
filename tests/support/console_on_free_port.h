// ConsoleOnFreePort: a console in the test's own process, with samples that the test makes up.

#ifndef SONDE_TESTS_SUPPORT_CONSOLE_ON_FREE_PORT_H_
#define SONDE_TESTS_SUPPORT_CONSOLE_ON_FREE_PORT_H_

#include <memory>
#include <string>
#include <utility>

#include "console/console_hooks.h"
#include "sonde/console.h"
#include "tests/support/free_port.h"

namespace sonde {

// Two stacks under one root, 70 and 30 periods of 10 ms, in every cut.
inline Interval SevenToThree() {
  Interval interval;
  interval.time_ns = 1'764'498'000'000'000'000;
  interval.duration_ns = 1'000'000'000;
  interval.period_ns = 10'000'000;
  interval.threads.push_back({42, "worker"});
  interval.label_sets.resize(1);
  for (const auto& [leaf, weight] : {std::pair(0x7000U, 70U), std::pair(0x3000U, 30U)}) {
    IntervalSample sample;
    sample.frames = {{leaf}, {0x1000}};
    sample.signals = sample.weight = weight;
    interval.samples.push_back(std::move(sample));
  }
  interval.stats.taken = interval.stats.written = 100;
  return interval;
}

class ConsoleOnFreePort {
 public:
  explicit ConsoleOnFreePort(ConsoleOptions options = {}, ConsoleHooks hooks = {}) {
    hooks.samples = &hub_;
    options.console_port = 0;
    options.http_port = FreePort();
    auto started = Console::Start(options, &hooks);
    if (started.ok()) console_ = std::move(started).value();
  }

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(console_ == nullptr ? 0 : console_->http_port());
  }

 private:
  IntervalHub hub_{SevenToThree};
  std::unique_ptr<Console> console_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_CONSOLE_ON_FREE_PORT_H_
