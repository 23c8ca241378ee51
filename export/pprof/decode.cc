// ReadPprof: a Profile from the protobuf message perftools.profiles.Profile.

#include "export/pprof/decode.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/id_map.h"
#include "export/limit_guard.h"
#include "export/pprof/accounting.h"
#include "export/pprof/fields.h"
#include "export/protobuf_reader.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

constexpr std::uint64_t kSamplesBetweenProgress = 1 << 16;

// What was made of the most recent byte sequences, so that a stack or a label
// set that occurs again is found by comparing its bytes.
template <typename Id, std::size_t kSlots>
class RecentBytes {
 public:
  RecentBytes() : slots_(kSlots) {}

  std::optional<Id> Find(std::string_view bytes) noexcept {
    slot_ = &slots_[HashOf(bytes) & (kSlots - 1)];
    if (slot_->bytes.data() == nullptr || slot_->bytes != bytes) return std::nullopt;
    return slot_->id;
  }
  // For the bytes that Find just missed.
  void Keep(std::string_view bytes, Id id) noexcept { *slot_ = {bytes, id}; }

 private:
  struct Slot {
    std::string_view bytes;
    Id id{};
  };
  static std::uint64_t HashOf(std::string_view bytes) noexcept {
    std::uint64_t hash = bytes.size();
    while (bytes.size() >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), sizeof(word));
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
      bytes.remove_prefix(sizeof(word));
    }
    std::uint64_t tail = 0;
    std::memcpy(&tail, bytes.data(), bytes.size());
    hash = (hash ^ tail) * 0x9e3779b97f4a7c15ULL;
    return hash >> 40;
  }

  std::vector<Slot> slots_;
  Slot* slot_ = nullptr;
};

// The message is walked twice: once for its tables, which may stand anywhere in
// it, and once for its samples.
class Decoder {
 public:
  Decoder(std::string_view message, const ReadOptions& options)
      : message_(message), options_(options) {}

  Result<Profile> Decode() {
    if (Status status = ScanTables(); !status.ok()) return status.error();
    if (Status status = ReadSampleTypes(); !status.ok()) return status.error();
    LimitGuard guard(options_.limits, *builder_);
    if (Status status = ReadTables(guard); !status.ok()) return status.error();
    if (Status status = ReadFacts(); !status.ok()) return status.error();
    if (Status status = ReadSamples(guard); !status.ok()) return status.error();
    return std::move(*builder_).Build();
  }

 private:
  Error Malformed(std::string message, std::string_view at) const {
    return {.code = ErrorCode::kMalformed,
            .message = std::move(message),
            .byte_offset = static_cast<std::uint64_t>(at.data() - message_.data())};
  }

  // Repeated scalars of the whole profile tell of two messages in a row: protobuf
  // would merge them into one that mixes the ids of both.
  Status SetOnce(std::optional<std::int64_t>& fact, const ProtobufReader& field) {
    if (fact.has_value()) return Concatenated(field.offset());
    fact = field.integer();
    return {};
  }
  Error Concatenated(std::size_t offset) const {
    return {.code = ErrorCode::kMalformed,
            .message = "concatenated profiles: the input holds more than one",
            .byte_offset = offset};
  }

  Status ScanTables() {
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
    text_ids_.assign(texts_.size(), kUnknownText);
    return {};
  }

  Status ScanField(const ProtobufReader& field) {
    using namespace pprof::profile;
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
        if (period_type_.has_value()) return Concatenated(field.offset());
        period_type_ = field.bytes();
        break;
      case kTimeNanos:
        return SetOnce(time_ns_, field);
      case kDurationNanos:
        return SetOnce(duration_ns_, field);
      case kPeriod:
        return SetOnce(period_, field);
      case kDefaultSampleType:
        return SetOnce(default_sample_type_, field);
      case kDropFrames:
        return SetOnce(drop_frames_, field);
      case kKeepFrames:
        return SetOnce(keep_frames_, field);
      case kDocUrl:
        return SetOnce(doc_url_, field);
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

  static Error WrongWire(const ProtobufReader& field) {
    return {
        .code = ErrorCode::kMalformed,
        .message = "field " + std::to_string(field.field()) + " of the profile has a wrong type",
        .byte_offset = field.offset()};
  }

  // A text by its number in the message's string table.
  Status ReadText(std::uint64_t number, std::string_view at, std::string_view& text) const {
    if (number == 0) {
      text = {};
    } else if (number < texts_.size()) {
      text = texts_[number];
    } else {
      return Malformed("text " + std::to_string(number) + " is not in the string table", at);
    }
    return {};
  }
  Status ReadText(std::uint64_t number, std::string_view at, StringId& id) {
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

  Status ReadValueType(std::string_view bytes, ValueType& type) const {
    ProtobufReader fields(bytes);
    while (fields.Next()) {
      std::string_view text;
      if (fields.field() == pprof::value_type::kType) {
        if (Status status = ReadText(fields.number(), bytes, text); !status.ok()) return status;
        type.type = text;
      } else if (fields.field() == pprof::value_type::kUnit) {
        if (Status status = ReadText(fields.number(), bytes, text); !status.ok()) return status;
        type.unit = text;
      }
    }
    if (!fields.ok()) return Malformed("broken sample type", bytes);
    return {};
  }

  Status ReadSampleTypes() {
    std::vector<ValueType> types;
    for (const std::string_view bytes : sample_types_) {
      if (Status status = ReadValueType(bytes, types.emplace_back()); !status.ok()) return status;
    }
    if (types.empty()) {
      return Error{.code = ErrorCode::kMalformed, .message = "profile without sample types"};
    }
    std::size_t shown = types.size() - 1;
    if (default_sample_type_.value_or(0) != 0) {
      std::string_view name;
      const auto number = static_cast<std::uint64_t>(*default_sample_type_);
      if (Status status = ReadText(number, message_, name); !status.ok()) return status;
      const auto it = std::ranges::find(types, name, &ValueType::type);
      if (it != types.end()) shown = static_cast<std::size_t>(it - types.begin());
    }
    builder_.emplace(std::move(types));
    builder_->SetDefaultSampleType(shown);
    return {};
  }

  Status AddId(IdMap& ids, std::uint64_t id, std::uint32_t number, std::string_view what,
               std::string_view at) const {
    if (id == 0) return Malformed(std::string(what) + " with the reserved id 0", at);
    if (ids.Add(id, number)) return {};
    // Each message starts its string table with the empty text.
    if (std::ranges::count(texts_, std::string_view()) > 1) {
      return Concatenated(static_cast<std::size_t>(at.data() - message_.data()));
    }
    return Malformed("two of the " + std::string(what) + "s have the id " + std::to_string(id), at);
  }

  Status ReadTables(LimitGuard& guard) {
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

  Status ReadMapping(std::string_view bytes) {
    using namespace pprof::mapping;
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

  Status ReadFunction(std::string_view bytes) {
    using namespace pprof::function;
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

  Status ReadLocation(std::string_view bytes) {
    using namespace pprof::location;
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
        case pprof::location::kLine:
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

  Status ReadLine(std::string_view bytes) {
    Line line;
    std::uint64_t function = 0;
    ProtobufReader fields(bytes);
    while (fields.Next()) {
      switch (fields.field()) {
        case pprof::line::kFunctionId:
          function = fields.number();
          break;
        case pprof::line::kLine:
          line.line = fields.integer();
          break;
        case pprof::line::kColumn:
          line.column = fields.integer();
          break;
        default:
          break;
      }
    }
    if (!fields.ok()) return Malformed("broken line", bytes);
    // A line without a function is allowed: its place is known, its name is not.
    const std::uint32_t number = function == 0
                                     ? static_cast<std::uint32_t>(builder_->AddFunction({}))
                                     : function_ids_.Find(function);
    if (number == IdMap::kNone) {
      return Malformed(
          "line refers to function " + std::to_string(function) + ", which is not there", bytes);
    }
    line.function = FunctionId{number};
    lines_.push_back(line);
    return {};
  }

  Status ReadFacts() {
    if (period_type_.has_value() || period_.has_value()) {
      ValueType type;
      if (period_type_.has_value()) {
        if (Status status = ReadValueType(*period_type_, type); !status.ok()) return status;
      }
      builder_->SetPeriod(std::move(type), period_.value_or(0));
    }
    builder_->SetTime(time_ns_.value_or(0));
    builder_->SetDuration(duration_ns_.value_or(0));

    std::string_view text;
    for (const std::uint64_t number : comments_) {
      if (Status status = ReadText(number, message_, text); !status.ok()) return status;
      if (!pprof::TakeAccounting(text, *builder_)) builder_->AddComment(std::string(text));
    }
    const auto text_of = [&](const std::optional<std::int64_t>& fact) {
      return ReadText(static_cast<std::uint64_t>(fact.value_or(0)), message_, text);
    };
    if (Status status = text_of(drop_frames_); !status.ok()) return status;
    builder_->SetDropFrames(std::string(text));
    if (Status status = text_of(keep_frames_); !status.ok()) return status;
    builder_->SetKeepFrames(std::string(text));
    if (Status status = text_of(doc_url_); !status.ok()) return status;
    builder_->SetDocUrl(std::string(text));
    return {};
  }

  Status ReadSamples(LimitGuard& guard) {
    builder_->ReserveSamples(sample_count_);
    ProtobufReader fields(message_);
    while (fields.Next()) {
      if (fields.field() != pprof::profile::kSample) continue;
      if (Status status = guard.CountRecord(); !status.ok()) return status;
      if (Status status = ReadSample(fields.bytes(), guard); !status.ok()) return status;
      if (options_.progress && guard.records() % kSamplesBetweenProgress == 0) {
        options_.progress(fields.offset(), message_.size());
      }
    }
    return {};
  }

  Status ReadSample(std::string_view bytes, LimitGuard& guard) {
    using namespace pprof::sample;
    values_.clear();
    std::string_view packed_stack;
    bool loose_stack = false;
    const char* labels_begin = nullptr;
    const char* labels_end = nullptr;

    ProtobufReader fields(bytes);
    while (fields.Next()) {
      switch (fields.field()) {
        case kLocationId:
          // One packed field is how everybody writes it; the wire format allows more.
          if (fields.wire() == ProtobufReader::kBytes && packed_stack.data() == nullptr) {
            packed_stack = fields.bytes();
          } else {
            loose_stack = true;
          }
          break;
        case kValue:
          if (!fields.ForEachNumber([&](std::uint64_t number) {
                values_.push_back(static_cast<std::int64_t>(number));
              })) {
            return Malformed("broken sample values", bytes);
          }
          break;
        case kLabel:
          if (fields.wire() != ProtobufReader::kBytes) return Malformed("broken label", bytes);
          if (labels_begin == nullptr) labels_begin = bytes.data() + fields.offset();
          labels_end = fields.bytes().data() + fields.bytes().size();
          break;
        default:
          break;
      }
    }
    if (!fields.ok()) return Malformed("broken sample", bytes);
    if (values_.size() != sample_types_.size()) {
      return Malformed("sample has " + std::to_string(values_.size()) + " values where there are " +
                           std::to_string(sample_types_.size()) + " sample types",
                       bytes);
    }

    StackId stack = kEmptyStack;
    if (Status status = loose_stack ? ReadLooseStack(bytes, guard, stack)
                                    : ReadStack(packed_stack, guard, stack);
        !status.ok()) {
      return status;
    }
    if (Status status = guard.CountStack(stack); !status.ok()) return status;
    LabelSetId labels = kNoLabels;
    if (labels_begin != nullptr) {
      const std::string_view region(labels_begin,
                                    static_cast<std::size_t>(labels_end - labels_begin));
      if (Status status = ReadLabels(region, labels); !status.ok()) return status;
    }
    builder_->AddSample(stack, labels, values_);
    return {};
  }

  Status ReadStack(std::string_view packed, LimitGuard& guard, StackId& stack) {
    if (packed.empty()) return {};
    if (const auto known = recent_stacks_.Find(packed)) {
      stack = *known;
      return {};
    }
    leaf_first_.clear();
    if (!ProtobufReader::ForEachPacked(packed,
                                       [&](std::uint64_t id) { leaf_first_.push_back(id); })) {
      return Malformed("broken stack", packed);
    }
    if (Status status = AddStack(packed, guard, stack); !status.ok()) return status;
    recent_stacks_.Keep(packed, stack);
    return {};
  }

  Status ReadLooseStack(std::string_view sample, LimitGuard& guard, StackId& stack) {
    leaf_first_.clear();
    ProtobufReader fields(sample);
    while (fields.Next()) {
      if (fields.field() != pprof::sample::kLocationId) continue;
      if (!fields.ForEachNumber([&](std::uint64_t id) { leaf_first_.push_back(id); })) {
        return Malformed("broken stack", sample);
      }
    }
    return AddStack(sample, guard, stack);
  }

  Status AddStack(std::string_view at, LimitGuard& guard, StackId& stack) {
    if (Status status = guard.CheckDepth(leaf_first_.size()); !status.ok()) return status;
    for (std::size_t i = leaf_first_.size(); i-- > 0;) {
      const std::uint32_t location = location_ids_.Find(leaf_first_[i]);
      if (location == IdMap::kNone) {
        return Malformed(
            "sample refers to location " + std::to_string(leaf_first_[i]) + ", which is not there",
            at);
      }
      stack = builder_->Extend(stack, LocationId{location});
    }
    return {};
  }

  // `region` runs from the first label of a sample to its last.
  Status ReadLabels(std::string_view region, LabelSetId& labels) {
    if (const auto known = recent_labels_.Find(region)) {
      labels = *known;
      return {};
    }
    labels_.clear();
    ProtobufReader fields(region);
    while (fields.Next()) {
      if (fields.field() != pprof::sample::kLabel) continue;
      if (Status status = ReadLabel(fields.bytes()); !status.ok()) return status;
    }
    labels = builder_->AddLabels(labels_);
    recent_labels_.Keep(region, labels);
    return {};
  }

  Status ReadLabel(std::string_view bytes) {
    using namespace pprof::label;
    Label label;
    ProtobufReader fields(bytes);
    while (fields.Next()) {
      const std::uint64_t number = fields.number();
      Status status;
      switch (fields.field()) {
        case kKey:
          status = ReadText(number, bytes, label.key);
          break;
        case kStr:
          status = ReadText(number, bytes, label.text);
          break;
        case kNum:
          label.number = fields.integer();
          break;
        case kNumUnit:
          status = ReadText(number, bytes, label.unit);
          break;
        default:
          break;
      }
      if (!status.ok()) return status;
    }
    if (!fields.ok()) return Malformed("broken label", bytes);
    labels_.push_back(label);
    return {};
  }

  static constexpr std::uint32_t kUnknownText = 0xffff'ffff;

  std::string_view message_;
  const ReadOptions& options_;

  // Views into the message.
  std::vector<std::string_view> texts_, sample_types_, mappings_, locations_, functions_;
  std::optional<std::string_view> period_type_;
  std::optional<std::int64_t> time_ns_, duration_ns_, period_, default_sample_type_, drop_frames_,
      keep_frames_, doc_url_;
  std::vector<std::uint64_t> comments_;
  std::size_t sample_count_ = 0;

  std::optional<ProfileBuilder> builder_;
  std::vector<std::uint32_t> text_ids_;  // By number in texts_: StringId, or kUnknownText.
  IdMap mapping_ids_{0}, function_ids_{0}, location_ids_{0};
  std::vector<Line> lines_;
  std::vector<std::uint64_t> leaf_first_;
  std::vector<std::int64_t> values_;
  std::vector<Label> labels_;
  RecentBytes<StackId, std::size_t{1} << 15> recent_stacks_;
  RecentBytes<LabelSetId, std::size_t{1} << 12> recent_labels_;
};

}  // namespace

Result<Profile> ReadPprof(std::string_view message, const ReadOptions& options) {
  if (message.empty()) return Error{.code = ErrorCode::kInvalid, .message = "empty profile"};
  return Decoder(message, options).Decode();
}

}  // namespace sonde
