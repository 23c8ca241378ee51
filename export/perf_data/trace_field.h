// TraceField: where a tracepoint has one of its fields, by the recorded kernel's description.

#ifndef SONDE_EXPORT_PERF_DATA_TRACE_FIELD_H_
#define SONDE_EXPORT_PERF_DATA_TRACE_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "export/perf_data/cursor.h"

namespace sonde::perf_data {

struct TraceField {
  std::size_t offset = 0;  // In Sample::raw.
  std::size_t size = 0;    // 4 or 8; 0 when not known.

  bool is_known() const noexcept { return size != 0; }
  // Nothing when the field is not known or `raw` ends before it does.
  std::optional<std::uint64_t> In(std::string_view raw, bool swapped) const {
    if (!is_known()) return std::nullopt;
    Cursor fields(raw, swapped);
    fields.Skip(offset);
    const std::uint64_t number = size == sizeof(std::uint32_t) ? fields.U32() : fields.U64();
    return fields.ok() ? std::optional(number) : std::nullopt;
  }
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_TRACE_FIELD_H_
