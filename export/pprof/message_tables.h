// MessageTables: what a pprof message holds once, and its tables by the ids it gives them.

#ifndef SONDE_EXPORT_PPROF_MESSAGE_TABLES_H_
#define SONDE_EXPORT_PPROF_MESSAGE_TABLES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/id_map.h"
#include "export/limit_guard.h"
#include "export/protobuf_reader.h"
#include "sonde/profile_builder.h"

namespace sonde::pprof {

// Scan takes the message apart without copying, Fill puts its functions, mappings
// and locations into a builder; then samples can be looked up. May be filled again,
// into another builder. Not thread-safe.
class MessageTables {
 public:
  // Views `message`, which outlives the object.
  explicit MessageTables(std::string_view message) : message_(message) {}

  Status Scan();
  Status Fill(ProfileBuilder& builder, const LimitGuard& guard);

  // Errors: kMalformed when the string table has no such number.
  Status ReadText(std::uint64_t number, std::string_view at, std::string_view& text) const;
  Status ReadText(std::uint64_t number, std::string_view at, StringId& id);
  Status ReadValueType(std::string_view bytes, ValueType& type) const;
  // IdMap::kNone when there is no such id.
  std::uint32_t FindLocation(std::uint64_t id) const { return location_ids_.Find(id); }

  // An error about what starts at `at`, a part of the message.
  Error Malformed(std::string message, std::string_view at) const;

  std::string_view message() const noexcept { return message_; }
  std::size_t sample_count() const noexcept { return sample_count_; }
  const std::vector<std::string_view>& sample_types() const noexcept { return sample_types_; }
  const std::vector<std::uint64_t>& comments() const noexcept { return comments_; }

  // What there is once, as it stands in the message.
  std::optional<std::string_view> period_type;
  std::optional<std::int64_t> time_ns, duration_ns, period, default_sample_type, drop_frames,
      keep_frames, doc_url;

 private:
  static constexpr std::uint32_t kUnknownText = 0xffff'ffff;

  Error Concatenated(std::size_t offset) const;
  Status SetOnce(std::optional<std::int64_t>& fact, const ProtobufReader& field);
  Status ScanField(const ProtobufReader& field);
  Status AddId(IdMap& ids, std::uint64_t id, std::uint32_t number, std::string_view what,
               std::string_view at) const;
  Status ReadMapping(std::string_view bytes);
  Status ReadFunction(std::string_view bytes);
  Status ReadLocation(std::string_view bytes);
  Status ReadLine(std::string_view bytes);

  std::string_view message_;
  std::vector<std::string_view> texts_, sample_types_, mappings_, locations_, functions_;
  std::vector<std::uint64_t> comments_;
  std::size_t sample_count_ = 0;

  ProfileBuilder* builder_ = nullptr;
  std::vector<std::uint32_t> text_ids_;  // By number in texts_: StringId, or kUnknownText.
  IdMap mapping_ids_{0}, function_ids_{0}, location_ids_{0};
  std::vector<Line> lines_;  // Of the location at hand.
};

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_MESSAGE_TABLES_H_
