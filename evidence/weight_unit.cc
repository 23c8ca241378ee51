// WeightUnit: what the weights of an event count.

#include "evidence/weight_unit.h"

#include <algorithm>

namespace sonde {
namespace {

// https://man7.org/linux/man-pages/man1/perf-list.1.html, "EVENT MODIFIERS".
constexpr std::string_view kModifiers = "ukhGHpPSDWebIR";

}  // namespace

std::string BaseEvent(std::string_view event) {
  const std::size_t colon = event.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view tail = event.substr(colon + 1);
    if (std::ranges::all_of(tail,
                            [](char c) { return kModifiers.find(c) != std::string_view::npos; })) {
      event = event.substr(0, colon);
    }
  }
  if (const std::size_t open = event.find('/'); open != std::string_view::npos) {
    event.remove_prefix(open + 1);
    event = event.substr(0, event.find('/'));
  }
  return event == "cpu-cycles" ? "cycles" : std::string(event);
}

std::string UnitOfEvent(std::string_view event) {
  const std::string base = BaseEvent(event);
  if (base == "cpu-clock" || base == "task-clock") return "nanoseconds";
  if (base == "cycles" || base == "instructions") return base;
  return "event_count";
}

}  // namespace sonde
