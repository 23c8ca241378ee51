// MessageTables: the tables of a pprof message by the ids it gives them.

#include "export/pprof/message_tables.h"

#include <algorithm>
#include <utility>

#include "export/pprof/fields.h"

namespace sonde::pprof {

Status MessageTables::ReadText(std::uint64_t number, std::string_view at, StringId& id) {
  if (number == 0) {
    id = StringId{};
    return {};
  }
  std::string_view text;
  if (Status status = parts_.ReadText(number, at, text); !status.ok()) return status;
  std::uint32_t& known = text_ids_[number];
  if (known == kUnknownText) known = static_cast<std::uint32_t>(builder_->Intern(text));
  id = StringId{known};
  return {};
}

Status MessageTables::AddId(IdMap& ids, std::uint64_t id, std::uint32_t number,
                            std::string_view what, std::string_view at) const {
  if (id == 0) return parts_.Malformed(std::string(what) + " with the reserved id 0", at);
  if (ids.Add(id, number)) return {};
  // Each message starts its string table with the empty text.
  if (std::ranges::count(parts_.texts(), std::string_view()) > 1) {
    return parts_.Concatenated(static_cast<std::size_t>(at.data() - parts_.message().data()));
  }
  return parts_.Malformed("two of the " + std::string(what) + "s have the id " + std::to_string(id),
                          at);
}

Status MessageTables::Fill(ProfileBuilder& builder, const LimitGuard& guard) {
  builder_ = &builder;
  text_ids_.assign(parts_.texts().size(), kUnknownText);
  mapping_ids_ = IdMap(parts_.mappings().size());
  function_ids_ = IdMap(parts_.functions().size());
  location_ids_ = IdMap(parts_.locations().size());
  for (const std::string_view bytes : parts_.mappings()) {
    if (Status status = ReadMapping(bytes); !status.ok()) return status;
  }
  for (const std::string_view bytes : parts_.functions()) {
    if (Status status = ReadFunction(bytes); !status.ok()) return status;
  }
  for (const std::string_view bytes : parts_.locations()) {
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
  if (!fields.ok()) return parts_.Malformed("broken mapping", bytes);
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
  if (!fields.ok()) return parts_.Malformed("broken function", bytes);
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
          return parts_.Malformed(
              "location refers to mapping " + std::to_string(number) + ", which is not there",
              bytes);
        }
        location.mapping = MappingId{mapping_ids_.Find(number)};
        break;
      case kAddress:
        location.address = number;
        break;
      case location::kLine:
        if (fields.wire() != ProtobufReader::kBytes) return parts_.Malformed("broken line", bytes);
        if (Status status = ReadLine(fields.bytes()); !status.ok()) return status;
        break;
      case kIsFolded:
        location.is_folded = number != 0;
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return parts_.Malformed("broken location", bytes);
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
  if (!fields.ok()) return parts_.Malformed("broken line", bytes);
  // A line without a function is allowed: its place is known, its name is not.
  const std::uint32_t number = function == 0 ? static_cast<std::uint32_t>(builder_->AddFunction({}))
                                             : function_ids_.Find(function);
  if (number == IdMap::kNone) {
    return parts_.Malformed(
        "line refers to function " + std::to_string(function) + ", which is not there", bytes);
  }
  line.function = FunctionId{number};
  lines_.push_back(line);
  return {};
}

}  // namespace sonde::pprof
