// ReadPprof: a Profile from the protobuf message perftools.profiles.Profile.

#include "export/pprof/decode.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/limit_guard.h"
#include "export/pprof/accounting.h"
#include "export/pprof/message_parts.h"
#include "export/pprof/message_tables.h"
#include "export/pprof/sample_reader.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

// The message is walked twice: once for its tables, which may stand anywhere in
// it, and once for its samples.
class Decoder {
 public:
  Decoder(std::string_view message, const ReadOptions& options)
      : options_(options), parts_(message), tables_(parts_) {}

  Result<Profile> Decode() {
    if (Status status = parts_.Scan(); !status.ok()) return status.error();
    bool done = false;
    if (Status status = Build(options_.keep_labels, done); !status.ok()) return status.error();
    if (!done) {
      if (Status status = Build(true, done); !status.ok()) return status.error();
    }
    return std::move(*builder_).Build();
  }

 private:
  // Sets `done` unless the labels were left out and turned out to be needed.
  Status Build(bool keep_labels, bool& done) {
    if (Status status = ReadSampleTypes(); !status.ok()) return status;
    LimitGuard guard(options_.limits, *builder_, options_.stop);
    if (Status status = tables_.Fill(*builder_, guard); !status.ok()) return status;
    if (Status status = ReadFacts(); !status.ok()) return status;
    pprof::SampleReader samples(tables_, guard, *builder_, keep_labels);
    if (Status status = samples.Read(options_); !status.ok()) return status;
    done = !samples.needs_labels();
    return {};
  }

  Status ReadSampleTypes() {
    std::vector<ValueType> types;
    for (const std::string_view bytes : parts_.sample_types()) {
      if (Status status = parts_.ReadValueType(bytes, types.emplace_back()); !status.ok())
        return status;
    }
    if (types.empty()) {
      return Error{.code = ErrorCode::kMalformed, .message = "profile without sample types"};
    }
    std::size_t shown = types.size() - 1;
    if (parts_.default_sample_type.value_or(0) != 0) {
      std::string_view name;
      const auto number = static_cast<std::uint64_t>(*parts_.default_sample_type);
      if (Status status = parts_.ReadText(number, parts_.message(), name); !status.ok())
        return status;
      const auto it = std::ranges::find(types, name, &ValueType::type);
      if (it != types.end()) shown = static_cast<std::size_t>(it - types.begin());
    }
    builder_.emplace(std::move(types));
    builder_->SetDefaultSampleType(shown);
    return {};
  }

  Status ReadFacts() {
    if (parts_.period_type.has_value() || parts_.period.has_value()) {
      ValueType type;
      if (parts_.period_type.has_value()) {
        if (Status status = parts_.ReadValueType(*parts_.period_type, type); !status.ok())
          return status;
      }
      builder_->SetPeriod(std::move(type), parts_.period.value_or(0));
    }
    builder_->SetTime(parts_.time_ns.value_or(0));
    builder_->SetDuration(parts_.duration_ns.value_or(0));

    std::string_view text;
    for (const std::uint64_t number : parts_.comments()) {
      if (Status status = parts_.ReadText(number, parts_.message(), text); !status.ok())
        return status;
      if (!pprof::TakeAccounting(text, *builder_)) builder_->AddComment(std::string(text));
    }
    const auto text_of = [&](const std::optional<std::int64_t>& fact) {
      return parts_.ReadText(static_cast<std::uint64_t>(fact.value_or(0)), parts_.message(), text);
    };
    if (Status status = text_of(parts_.drop_frames); !status.ok()) return status;
    builder_->SetDropFrames(std::string(text));
    if (Status status = text_of(parts_.keep_frames); !status.ok()) return status;
    builder_->SetKeepFrames(std::string(text));
    if (Status status = text_of(parts_.doc_url); !status.ok()) return status;
    builder_->SetDocUrl(std::string(text));
    return {};
  }

  const ReadOptions& options_;
  pprof::MessageParts parts_;
  pprof::MessageTables tables_;
  std::optional<ProfileBuilder> builder_;
};

}  // namespace

Result<Profile> ReadPprof(std::string_view message, const ReadOptions& options) {
  if (message.empty()) return Error{.code = ErrorCode::kInvalid, .message = "empty profile"};
  return Decoder(message, options).Decode();
}

}  // namespace sonde
