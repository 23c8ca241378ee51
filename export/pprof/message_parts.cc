// MessageParts: a pprof message taken apart, as views of its bytes.

#include "export/pprof/message_parts.h"

#include "export/pprof/fields.h"

namespace sonde::pprof {
namespace {

Error WrongWire(const ProtobufReader& field) {
  return {.code = ErrorCode::kMalformed,
          .message = "field " + std::to_string(field.field()) + " of the profile has a wrong type",
          .byte_offset = field.offset()};
}

}  // namespace

Error MessageParts::Malformed(std::string message, std::string_view at) const {
  return {.code = ErrorCode::kMalformed,
          .message = std::move(message),
          .byte_offset = static_cast<std::uint64_t>(at.data() - message_.data())};
}

// Repeated scalars of the whole profile tell of two messages in a row: protobuf
// would merge them into one that mixes the ids of both.
Status MessageParts::SetOnce(std::optional<std::int64_t>& fact, const ProtobufReader& field) {
  if (fact.has_value()) return Concatenated(field.offset());
  fact = field.integer();
  return {};
}

Error MessageParts::Concatenated(std::size_t offset) const {
  return {
      .code = ErrorCode::kMalformed,
      .message = "concatenated profiles: the input holds more than one, which --split takes apart",
      .byte_offset = offset};
}

Status MessageParts::Scan() {
  ProtobufReader fields(message_);
  while (fields.Next()) {
    if (Status status = ScanField(fields); !status.ok()) return status;
  }
  if (!fields.ok()) {
    return Error{.code = ErrorCode::kMalformed,
                 .message = "the profile breaks off or is not a pprof message",
                 .byte_offset = fields.offset()};
  }
  if (!texts_.empty() && !texts_.front().empty()) {
    return Malformed("string_table[0] is not empty", texts_.front());
  }
  return {};
}

Status MessageParts::ScanField(const ProtobufReader& field) {
  using namespace profile;
  const bool is_message = field.wire() == ProtobufReader::kBytes;
  const bool is_number = field.wire() == ProtobufReader::kVarint;
  switch (field.field()) {
    case kSampleType:
    case kSample:
    case kMapping:
    case kLocation:
    case kFunction:
    case kStringTable:
    case kPeriodType:
      if (!is_message) return WrongWire(field);
      break;
    case kDropFrames:
    case kKeepFrames:
    case kTimeNanos:
    case kDurationNanos:
    case kPeriod:
    case kDefaultSampleType:
    case kDocUrl:
      if (!is_number) return WrongWire(field);
      break;
    default:
      break;
  }
  switch (field.field()) {
    case kSampleType:
      sample_types_.push_back(field.bytes());
      break;
    case kSample:
      ++sample_count_;
      break;
    case kMapping:
      mappings_.push_back(field.bytes());
      break;
    case kLocation:
      locations_.push_back(field.bytes());
      break;
    case kFunction:
      functions_.push_back(field.bytes());
      break;
    case kStringTable:
      texts_.push_back(field.bytes());
      break;
    case kPeriodType:
      if (period_type.has_value()) return Concatenated(field.offset());
      period_type = field.bytes();
      break;
    case kTimeNanos:
      return SetOnce(time_ns, field);
    case kDurationNanos:
      return SetOnce(duration_ns, field);
    case kPeriod:
      return SetOnce(period, field);
    case kDefaultSampleType:
      return SetOnce(default_sample_type, field);
    case kDropFrames:
      return SetOnce(drop_frames, field);
    case kKeepFrames:
      return SetOnce(keep_frames, field);
    case kDocUrl:
      return SetOnce(doc_url, field);
    case kComment:
      if (!field.ForEachNumber([&](std::uint64_t number) { comments_.push_back(number); })) {
        return WrongWire(field);
      }
      break;
    default:
      break;
  }
  return {};
}

Status MessageParts::ReadText(std::uint64_t number, std::string_view at,
                              std::string_view& text) const {
  if (number == 0) {
    text = {};
  } else if (number < texts_.size()) {
    text = texts_[number];
  } else {
    return Malformed("text " + std::to_string(number) + " is not in the string table", at);
  }
  return {};
}

Status MessageParts::ReadValueType(std::string_view bytes, ValueType& type) const {
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    std::string_view text;
    if (fields.field() == value_type::kType) {
      if (Status status = ReadText(fields.number(), bytes, text); !status.ok()) return status;
      type.type = text;
    } else if (fields.field() == value_type::kUnit) {
      if (Status status = ReadText(fields.number(), bytes, text); !status.ok()) return status;
      type.unit = text;
    }
  }
  if (!fields.ok()) return Malformed("broken sample type", bytes);
  return {};
}

}  // namespace sonde::pprof
