// TaskRegistry: the records of all tasks, resources and async operations of this process.

#include "console/task_registry.h"

#include <time.h>

namespace sonde {
namespace {

constinit TaskRegistry g_registry;

}  // namespace

TaskRegistry& TaskRegistry::Get() noexcept { return g_registry; }

std::int64_t SteadyNs() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace sonde
