// MeasureUnit: the units of time and of size that benchmarks write.

#include "evidence/measure_unit.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sonde {

std::optional<MeasureUnit> MeasureUnitNamed(std::string_view name) {
  using enum MeasureUnit::Kind;
  static constexpr std::array<std::pair<std::string_view, MeasureUnit>, 16> kUnits{
      {{"s", {kTime, 1}},
       {"second", {kTime, 1}},
       {"seconds", {kTime, 1}},
       {"ms", {kTime, 1e-3}},
       {"milliseconds", {kTime, 1e-3}},
       {"msec", {kTime, 1e-3}},
       {"us", {kTime, 1e-6}},
       {"microseconds", {kTime, 1e-6}},
       {"ns", {kTime, 1e-9}},
       {"nanoseconds", {kTime, 1e-9}},
       {"byte", {kSize, 1}},
       {"bytes", {kSize, 1}},
       {"kB", {kSize, 1e3}},
       {"KiB", {kSize, 1024}},
       {"MB", {kSize, 1e6}},
       {"MiB", {kSize, 1048576}}}};
  const auto* const known =
      std::ranges::find(kUnits, name, &std::pair<std::string_view, MeasureUnit>::first);
  if (known == kUnits.end()) return std::nullopt;
  return known->second;
}

}  // namespace sonde
