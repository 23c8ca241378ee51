// MeasureUnit: the units of time and of size that benchmarks write.

#ifndef SONDE_EVIDENCE_MEASURE_UNIT_H_
#define SONDE_EVIDENCE_MEASURE_UNIT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde {

struct MeasureUnit {
  enum class Kind : std::uint8_t { kTime, kSize };
  Kind kind = Kind::kTime;
  double scale = 1;  // Seconds or bytes in one of it.
};

// Nothing for a unit of something else. **Any thread.**
std::optional<MeasureUnit> MeasureUnitNamed(std::string_view name);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_MEASURE_UNIT_H_
