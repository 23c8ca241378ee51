// A console whose samples are made up: a hundred thousand stacks that all differ, each time
// that they are asked for, with other weights and the same sum.
//
//   browser.served_stacks HTTP_PORT
//
// Until its standard input ends.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "console/console_hooks.h"
#include "console/interval_hub.h"
#include "sonde/console.h"
#include "tests/support/many_stacks.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::uint64_t cuts = 0;
  sonde::IntervalHub hub([&] {
    sonde::Interval interval =
        sonde::ManyStacks(100'000, {.functions = 1024, .callees = 4, .depth = 10});
    // From 1 to 40 periods, each as often as the others.
    std::uint64_t number = ++cuts;
    for (sonde::IntervalSample& sample : interval.samples) sample.weight += (number += 7) % 40;
    return interval;
  });
  sonde::ConsoleHooks hooks;
  hooks.samples = &hub;
  sonde::ConsoleOptions options;
  options.console_port = 0;
  options.http_port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const auto console = sonde::Console::Start(options, &hooks);
  if (!console.ok() || console.value()->http_port() == 0) return 1;
  while (std::getchar() != EOF) {
  }
  return 0;
}
