// pprof: writes a Profile as the protobuf message perftools.profiles.Profile.

#include <string>
#include <vector>

#include "export/pprof/accounting.h"
#include "export/pprof/fields.h"
#include "export/protobuf_writer.h"
#include "sonde/pprof.h"

namespace sonde {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;

// Ids of functions, mappings and locations are 1 + their number in the profile;
// only texts that the message refers to enter its string table.
class Encoder {
 public:
  Encoder(const Profile& profile, ByteSink& sink)
      : profile_(profile), sink_(sink), writer_(out_), numbers_(profile.strings().size(), 0) {}

  Status Encode() {
    for (const ValueType& type : profile_.sample_types()) {
      WriteValueType(pprof::profile::kSampleType, type);
    }
    for (std::size_t i = 0; i < profile_.sample_count(); ++i) {
      WriteSample(profile_.sample(i));
      if (Status status = FlushWhenLarge(); !status.ok()) return status;
    }
    for (std::size_t i = 0; i < profile_.mappings().size(); ++i) {
      WriteMapping(i + 1, profile_.mappings()[i]);
    }
    for (std::uint32_t i = 0; i < profile_.location_count(); ++i) {
      WriteLocation(i + 1, profile_.location(LocationId{i}));
      if (Status status = FlushWhenLarge(); !status.ok()) return status;
    }
    for (std::size_t i = 0; i < profile_.functions().size(); ++i) {
      WriteFunction(i + 1, profile_.functions()[i]);
      if (Status status = FlushWhenLarge(); !status.ok()) return status;
    }
    WriteFacts();
    for (const std::string_view text : texts_) {
      writer_.AlwaysBytes(pprof::profile::kStringTable, text);
      if (Status status = FlushWhenLarge(); !status.ok()) return status;
    }
    return sink_.Write(out_);
  }

 private:
  Status FlushWhenLarge() {
    if (out_.size() < kFlushBytes) return {};
    Status status = sink_.Write(out_);
    out_.clear();
    return status;
  }

  std::int64_t NumberOf(StringId id) {
    if (id == StringId{}) return 0;
    std::uint32_t& number = numbers_[static_cast<std::uint32_t>(id)];
    if (number == 0) {
      number = static_cast<std::uint32_t>(texts_.size());
      texts_.push_back(profile_.text(id));
    }
    return number;
  }
  // For texts outside the profile's string table; they stay in `profile_` or `comments_`.
  std::int64_t NumberOf(std::string_view text) {
    if (text.empty()) return 0;
    if (const auto id = profile_.strings().Find(text)) return NumberOf(*id);
    for (const std::size_t known : loose_) {
      if (texts_[known] == text) return static_cast<std::int64_t>(known);
    }
    loose_.push_back(texts_.size());
    texts_.push_back(text);
    return static_cast<std::int64_t>(texts_.size() - 1);
  }

  void WriteValueType(std::uint32_t field, const ValueType& type) {
    writer_.Message(field, [&] {
      writer_.IntField(pprof::value_type::kType, NumberOf(std::string_view(type.type)));
      writer_.IntField(pprof::value_type::kUnit, NumberOf(std::string_view(type.unit)));
    });
  }

  void WriteSample(const Sample& sample) {
    writer_.Message(pprof::profile::kSample, [&] {
      writer_.Packed(pprof::sample::kLocationId, [&] {
        const StackTable& stacks = profile_.stacks();
        for (StackId at = sample.stack; at != kEmptyStack; at = stacks.caller(at)) {
          writer_.Varint(std::uint64_t{static_cast<std::uint32_t>(stacks.leaf(at))} + 1);
        }
      });
      writer_.Packed(pprof::sample::kValue, [&] {
        for (const std::int64_t value : sample.values) {
          writer_.Varint(static_cast<std::uint64_t>(value));
        }
      });
      for (const Label& label : profile_.labels(sample.labels)) {
        writer_.Message(pprof::sample::kLabel, [&] {
          writer_.IntField(pprof::label::kKey, NumberOf(label.key));
          writer_.IntField(pprof::label::kStr, NumberOf(label.text));
          writer_.IntField(pprof::label::kNum, label.number);
          writer_.IntField(pprof::label::kNumUnit, NumberOf(label.unit));
        });
      }
    });
  }

  void WriteMapping(std::uint64_t id, const Mapping& mapping) {
    writer_.Message(pprof::profile::kMapping, [&] {
      writer_.UintField(pprof::mapping::kId, id);
      writer_.UintField(pprof::mapping::kMemoryStart, mapping.start);
      writer_.UintField(pprof::mapping::kMemoryLimit, mapping.limit);
      writer_.UintField(pprof::mapping::kFileOffset, mapping.offset);
      writer_.IntField(pprof::mapping::kFilename, NumberOf(mapping.file));
      writer_.IntField(pprof::mapping::kBuildId, NumberOf(mapping.build_id));
      writer_.BoolField(pprof::mapping::kHasFunctions, mapping.has_functions);
      writer_.BoolField(pprof::mapping::kHasFilenames, mapping.has_filenames);
      writer_.BoolField(pprof::mapping::kHasLineNumbers, mapping.has_line_numbers);
      writer_.BoolField(pprof::mapping::kHasInlineFrames, mapping.has_inline_frames);
    });
  }

  void WriteLocation(std::uint64_t id, const Location& location) {
    writer_.Message(pprof::profile::kLocation, [&] {
      writer_.UintField(pprof::location::kId, id);
      if (location.mapping != kNoMapping) {
        writer_.UintField(pprof::location::kMappingId,
                          std::uint64_t{static_cast<std::uint32_t>(location.mapping)} + 1);
      }
      writer_.UintField(pprof::location::kAddress, location.address);
      for (const Line& line : location.lines) {
        writer_.Message(pprof::location::kLine, [&] {
          writer_.UintField(pprof::line::kFunctionId,
                            std::uint64_t{static_cast<std::uint32_t>(line.function)} + 1);
          writer_.IntField(pprof::line::kLine, line.line);
          writer_.IntField(pprof::line::kColumn, line.column);
        });
      }
      writer_.BoolField(pprof::location::kIsFolded, location.is_folded);
    });
  }

  void WriteFunction(std::uint64_t id, const Function& function) {
    writer_.Message(pprof::profile::kFunction, [&] {
      writer_.UintField(pprof::function::kId, id);
      writer_.IntField(pprof::function::kName, NumberOf(function.name));
      writer_.IntField(pprof::function::kSystemName, NumberOf(function.system_name));
      writer_.IntField(pprof::function::kFilename, NumberOf(function.file));
      writer_.IntField(pprof::function::kStartLine, function.start_line);
    });
  }

  // Everything that there is once.
  void WriteFacts() {
    writer_.IntField(pprof::profile::kDropFrames,
                     NumberOf(std::string_view(profile_.drop_frames())));
    writer_.IntField(pprof::profile::kKeepFrames,
                     NumberOf(std::string_view(profile_.keep_frames())));
    writer_.IntField(pprof::profile::kTimeNanos, profile_.time_ns());
    writer_.IntField(pprof::profile::kDurationNanos, profile_.duration_ns());
    if (profile_.period_type() != ValueType{}) {
      WriteValueType(pprof::profile::kPeriodType, profile_.period_type());
    }
    writer_.IntField(pprof::profile::kPeriod, profile_.period());
    accounting_ = pprof::AccountingOf(profile_);
    writer_.Packed(pprof::profile::kComment, [&] {
      for (const std::string_view comment : profile_.comments()) WriteReference(comment);
      for (const std::string_view comment : accounting_) WriteReference(comment);
    });
    writer_.IntField(
        pprof::profile::kDefaultSampleType,
        NumberOf(std::string_view(profile_.sample_types()[profile_.default_sample_type()].type)));
    writer_.IntField(pprof::profile::kDocUrl, NumberOf(std::string_view(profile_.doc_url())));
  }

  void WriteReference(std::string_view text) {
    writer_.Varint(static_cast<std::uint64_t>(NumberOf(text)));
  }

  const Profile& profile_;
  ByteSink& sink_;
  std::string out_;
  ProtobufWriter writer_;
  std::vector<std::uint32_t> numbers_;       // By StringId: index in texts_, or 0.
  std::vector<std::string_view> texts_{{}};  // The message's string table.
  std::vector<std::size_t> loose_;           // Those of texts_ that the profile's table lacks.
  std::vector<std::string> accounting_;
};

}  // namespace

Status WritePprof(const Profile& profile, ByteSink& sink) {
  return Encoder(profile, sink).Encode();
}

}  // namespace sonde
