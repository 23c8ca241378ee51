// SplitMessages: the pprof messages that were written one behind the other.

#include "export/pprof/split.h"

#include <cstdint>

#include "export/pprof/fields.h"
#include "export/protobuf_reader.h"

namespace sonde::pprof {
namespace {

bool IsInFrontOfTexts(std::uint32_t field) { return field < profile::kStringTable; }

bool IsFact(std::uint32_t field) {
  switch (field) {
    case profile::kDropFrames:
    case profile::kKeepFrames:
    case profile::kTimeNanos:
    case profile::kDurationNanos:
    case profile::kPeriodType:
    case profile::kPeriod:
    case profile::kDefaultSampleType:
    case profile::kDocUrl:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::string_view> SplitMessages(std::string_view bytes) {
  std::vector<std::string_view> messages;
  std::size_t start = 0;
  bool has_texts = false;
  std::uint64_t facts = 0;  // One bit for each field.
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    const std::uint32_t field = fields.field();
    const std::uint64_t fact = IsFact(field) ? std::uint64_t{1} << field : 0;
    if (has_texts && (IsInFrontOfTexts(field) || (facts & fact) != 0)) {
      messages.push_back(bytes.substr(start, fields.offset() - start));
      start = fields.offset();
      has_texts = false;
      facts = 0;
    }
    if (field == profile::kStringTable) has_texts = true;
    facts |= fact;
  }
  if (!fields.ok()) return {bytes};
  messages.push_back(bytes.substr(start));
  return messages;
}

}  // namespace sonde::pprof
