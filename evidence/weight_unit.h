// WeightUnit: what the weights of an event count.

#ifndef SONDE_EVIDENCE_WEIGHT_UNIT_H_
#define SONDE_EVIDENCE_WEIGHT_UNIT_H_

#include <string>
#include <string_view>

namespace sonde {

// Of weights that the input does not name and that cannot be samples.
inline constexpr std::string_view kUnknownUnit = "unknown";

// The event without its modifiers: "cycles" for "cycles:u", "cpu_core/cycles/" and
// "cpu-cycles:upp". Text behind the last ':' is a modifier only when all its letters are.
std::string BaseEvent(std::string_view event);

// "nanoseconds" for clocks, "cycles", "instructions", otherwise "event_count".
std::string UnitOfEvent(std::string_view event);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_WEIGHT_UNIT_H_
