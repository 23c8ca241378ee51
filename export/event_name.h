// Names of perf events: which one a person means, and what its values count.

#ifndef SONDE_EXPORT_EVENT_NAME_H_
#define SONDE_EXPORT_EVENT_NAME_H_

#include <string>
#include <string_view>

#include "sonde/profile.h"

namespace sonde {

// "cycles" also means "cycles:u", but not "cycles-ct" or "sched:sched_switch".
inline bool IsEventNamed(std::string_view event, std::string_view wanted) noexcept {
  constexpr std::string_view kModifiers = "ukhGHIpPSDWe";
  if (!event.starts_with(wanted)) return false;
  const std::string_view rest = event.substr(wanted.size());
  return rest.empty() ||
         (rest.front() == ':' && rest.find_first_not_of(kModifiers, 1) == std::string_view::npos);
}

// The clocks count nanoseconds. An event without a name counts samples.
inline ValueType TypeOfEvent(std::string_view event, bool count_samples) {
  if (event.empty()) return {"samples", "count"};
  if (count_samples) return {std::string(event), "samples"};
  const bool is_clock = event.starts_with("cpu-clock") || event.starts_with("task-clock");
  return {std::string(event), is_clock ? "nanoseconds" : "count"};
}

}  // namespace sonde

#endif  // SONDE_EXPORT_EVENT_NAME_H_
