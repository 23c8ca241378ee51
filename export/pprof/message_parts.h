// MessageParts: a pprof message taken apart, as views of its bytes.

#ifndef SONDE_EXPORT_PPROF_MESSAGE_PARTS_H_
#define SONDE_EXPORT_PPROF_MESSAGE_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/protobuf_reader.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde::pprof {

// Samples are counted only. Not thread-safe.
class MessageParts {
 public:
  // Views `message`, which outlives the object.
  explicit MessageParts(std::string_view message) : message_(message) {}

  // Called once, before the rest. Fails with kMalformed for what is no pprof message, or two.
  Status Scan();

  std::string_view message() const noexcept { return message_; }
  const std::vector<std::string_view>& texts() const noexcept { return texts_; }
  const std::vector<std::string_view>& sample_types() const noexcept { return sample_types_; }
  const std::vector<std::string_view>& mappings() const noexcept { return mappings_; }
  const std::vector<std::string_view>& locations() const noexcept { return locations_; }
  const std::vector<std::string_view>& functions() const noexcept { return functions_; }
  const std::vector<std::uint64_t>& comments() const noexcept { return comments_; }
  std::size_t sample_count() const noexcept { return sample_count_; }

  // What there is once, as it stands in the message.
  std::optional<std::string_view> period_type;
  std::optional<std::int64_t> time_ns, duration_ns, period, default_sample_type, drop_frames,
      keep_frames, doc_url;

  // A text by its number in the string table. `at` is what refers to it. Fails with kMalformed when
  // there is no such number.
  Status ReadText(std::uint64_t number, std::string_view at, std::string_view& text) const;
  Status ReadValueType(std::string_view bytes, ValueType& type) const;

  // An error about what starts at `at`, a part of the message.
  Error Malformed(std::string message, std::string_view at) const;
  // The error of two messages in a row, found out at that byte.
  Error Concatenated(std::size_t offset) const;

 private:
  Status SetOnce(std::optional<std::int64_t>& fact, const ProtobufReader& field);
  Status ScanField(const ProtobufReader& field);

  std::string_view message_;
  std::vector<std::string_view> texts_, sample_types_, mappings_, locations_, functions_;
  std::vector<std::uint64_t> comments_;
  std::size_t sample_count_ = 0;
};

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_MESSAGE_PARTS_H_
