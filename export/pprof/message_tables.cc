// MessageTables: what a pprof message holds once, and its tables by the ids it gives them.

#include "export/pprof/message_tables.h"

#include <algorithm>
#include <utility>

#include "export/pprof/fields.h"

namespace sonde::pprof {
namespace {

Error WrongWire(const ProtobufReader& field) {
  return {.code = ErrorCode::kMalformed,
          .message = "field " + std::to_string(field.field()) + " of the profile has a wrong type",
          .byte_offset = field.offset()};
}

}  // namespace

Error MessageTables::Malformed(std::string message, std::string_view at) const {
  return {.code = ErrorCode::kMalformed,
          .message = std::move(message),
          .byte_offset = static_cast<std::uint64_t>(at.data() - message_.data())};
}

// Repeated scalars of the whole profile tell of two messages in a row: protobuf
// would merge them into one that mixes the ids of both.
Status MessageTables::SetOnce(std::optional<std::int64_t>& fact, const ProtobufReader& field) {
  if (fact.has_value()) return Concatenated(field.offset());
  fact = field.integer();
  return {};
}
Error MessageTables::Concatenated(std::size_t offset) const {
  return {
      .code = ErrorCode::kMalformed,
      .message = "concatenated profiles: the input holds more than one, which --split takes apart",
      .byte_offset = offset};
}

Status MessageTables::Scan() {
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

Status MessageTables::ScanField(const ProtobufReader& field) {
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

// A text by its number in the message's string table.
Status MessageTables::ReadText(std::uint64_t number, std::string_view at,
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
Status MessageTables::ReadText(std::uint64_t number, std::string_view at, StringId& id) {
  if (number == 0) {
    id = StringId{};
    return {};
  }
  if (number < texts_.size()) {
    std::uint32_t& known = text_ids_[number];
    if (known == kUnknownText) {
      known = static_cast<std::uint32_t>(builder_->Intern(texts_[number]));
    }
    id = StringId{known};
    return {};
  }
  return Malformed("text " + std::to_string(number) + " is not in the string table", at);
}

Status MessageTables::ReadValueType(std::string_view bytes, ValueType& type) const {
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

Status MessageTables::AddId(IdMap& ids, std::uint64_t id, std::uint32_t number,
                            std::string_view what, std::string_view at) const {
  if (id == 0) return Malformed(std::string(what) + " with the reserved id 0", at);
  if (ids.Add(id, number)) return {};
  // Each message starts its string table with the empty text.
  if (std::ranges::count(texts_, std::string_view()) > 1) {
    return Concatenated(static_cast<std::size_t>(at.data() - message_.data()));
  }
  return Malformed("two of the " + std::string(what) + "s have the id " + std::to_string(id), at);
}

Status MessageTables::Fill(ProfileBuilder& builder, const LimitGuard& guard) {
  builder_ = &builder;
  text_ids_.assign(texts_.size(), kUnknownText);
  mapping_ids_ = IdMap(mappings_.size());
  function_ids_ = IdMap(functions_.size());
  location_ids_ = IdMap(locations_.size());
  for (const std::string_view bytes : mappings_) {
    if (Status status = ReadMapping(bytes); !status.ok()) return status;
  }
  for (const std::string_view bytes : functions_) {
    if (Status status = ReadFunction(bytes); !status.ok()) return status;
  }
  for (const std::string_view bytes : locations_) {
    if (Status status = ReadLocation(bytes); !status.ok()) return status;
    if (Status status = guard.CheckFrames(); !status.ok()) return status;
  }
  return {};
}

Status MessageTables::ReadMapping(std::string_view bytes) {
  using namespace mapping;
  Mapping mapping;
  std::uint64_t id = 0;
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    const std::uint64_t number = fields.number();
    Status status;
    switch (fields.field()) {
      case kId:
        id = number;
        break;
      case kMemoryStart:
        mapping.start = number;
        break;
      case kMemoryLimit:
        mapping.limit = number;
        break;
      case kFileOffset:
        mapping.offset = number;
        break;
      case kFilename:
        status = ReadText(number, bytes, mapping.file);
        break;
      case kBuildId:
        status = ReadText(number, bytes, mapping.build_id);
        break;
      case kHasFunctions:
        mapping.has_functions = number != 0;
        break;
      case kHasFilenames:
        mapping.has_filenames = number != 0;
        break;
      case kHasLineNumbers:
        mapping.has_line_numbers = number != 0;
        break;
      case kHasInlineFrames:
        mapping.has_inline_frames = number != 0;
        break;
      default:
        break;
    }
    if (!status.ok()) return status;
  }
  if (!fields.ok()) return Malformed("broken mapping", bytes);
  const auto number = static_cast<std::uint32_t>(builder_->AddMapping(mapping));
  return AddId(mapping_ids_, id, number, "mapping", bytes);
}

Status MessageTables::ReadFunction(std::string_view bytes) {
  using namespace function;
  Function function;
  std::uint64_t id = 0;
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    const std::uint64_t number = fields.number();
    Status status;
    switch (fields.field()) {
      case kId:
        id = number;
        break;
      case kName:
        status = ReadText(number, bytes, function.name);
        break;
      case kSystemName:
        status = ReadText(number, bytes, function.system_name);
        break;
      case kFilename:
        status = ReadText(number, bytes, function.file);
        break;
      case kStartLine:
        function.start_line = fields.integer();
        break;
      default:
        break;
    }
    if (!status.ok()) return status;
  }
  if (!fields.ok()) return Malformed("broken function", bytes);
  const auto number = static_cast<std::uint32_t>(builder_->AddFunction(function));
  return AddId(function_ids_, id, number, "function", bytes);
}

Status MessageTables::ReadLocation(std::string_view bytes) {
  using namespace location;
  Location location;
  std::uint64_t id = 0;
  lines_.clear();
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    const std::uint64_t number = fields.number();
    switch (fields.field()) {
      case kId:
        id = number;
        break;
      case kMappingId:
        if (number == 0) break;
        if (mapping_ids_.Find(number) == IdMap::kNone) {
          return Malformed(
              "location refers to mapping " + std::to_string(number) + ", which is not there",
              bytes);
        }
        location.mapping = MappingId{mapping_ids_.Find(number)};
        break;
      case kAddress:
        location.address = number;
        break;
      case location::kLine:
        if (fields.wire() != ProtobufReader::kBytes) return Malformed("broken line", bytes);
        if (Status status = ReadLine(fields.bytes()); !status.ok()) return status;
        break;
      case kIsFolded:
        location.is_folded = number != 0;
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return Malformed("broken location", bytes);
  location.lines = lines_;
  const auto number = static_cast<std::uint32_t>(builder_->AddLocation(location));
  return AddId(location_ids_, id, number, "location", bytes);
}

Status MessageTables::ReadLine(std::string_view bytes) {
  Line line;
  std::uint64_t function = 0;
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    switch (fields.field()) {
      case line::kFunctionId:
        function = fields.number();
        break;
      case line::kLine:
        line.line = fields.integer();
        break;
      case line::kColumn:
        line.column = fields.integer();
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return Malformed("broken line", bytes);
  // A line without a function is allowed: its place is known, its name is not.
  const std::uint32_t number = function == 0 ? static_cast<std::uint32_t>(builder_->AddFunction({}))
                                             : function_ids_.Find(function);
  if (number == IdMap::kNone) {
    return Malformed("line refers to function " + std::to_string(function) + ", which is not there",
                     bytes);
  }
  line.function = FunctionId{number};
  lines_.push_back(line);
  return {};
}

}  // namespace sonde::pprof
