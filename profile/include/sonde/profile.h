// Profile: the noun in the middle, that every reader fills and every writer drains.

#ifndef SONDE_PROFILE_H_
#define SONDE_PROFILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/losses.h"
#include "sonde/stack_table.h"
#include "sonde/string_table.h"

namespace sonde {

enum class FunctionId : std::uint32_t {};
enum class MappingId : std::uint32_t {};
inline constexpr MappingId kNoMapping{0xffff'ffff};
// 0 is the empty label set.
enum class LabelSetId : std::uint32_t {};
inline constexpr LabelSetId kNoLabels{0};

// What one value of a sample counts: {"cpu", "nanoseconds"}, {"samples", "count"}.
struct ValueType {
  std::string type;
  std::string unit;

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

struct Function {
  StringId name{};         // As shown: demangled.
  StringId system_name{};  // As the linker knows it: mangled. Empty when the same or not known.
  StringId file{};         // Source file; empty when not known.
  std::int64_t start_line = 0;

  friend bool operator==(const Function&, const Function&) = default;
};

// One function at a location. Several when the compiler inlined.
struct Line {
  FunctionId function{};
  std::int64_t line = 0;    // Source line, 0 when not known.
  std::int64_t column = 0;  // Source column, 0 when not known.

  friend bool operator==(const Line&, const Line&) = default;
};

// A range of the address space that came from one file.
struct Mapping {
  std::uint64_t start = 0;   // Address of the first byte.
  std::uint64_t limit = 0;   // Address behind the last byte.
  std::uint64_t offset = 0;  // Of `start` in the file.
  StringId file{};
  StringId build_id{};  // Lower-case hex; empty when not known.
  bool has_functions = false;
  bool has_filenames = false;
  bool has_line_numbers = false;
  bool has_inline_frames = false;

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

// A place in the program: an address, the functions it stands for, or both.
struct Location {
  MappingId mapping = kNoMapping;
  // The interrupted pc, or the address of the call (return address - 1); 0 when not known.
  std::uint64_t address = 0;
  // The innermost inlined function first, the physical function last. Empty when not symbolised.
  std::span<const Line> lines;
  bool is_folded = false;  // Several addresses may share this location.
};

// A label of a sample: text (`text` set) or a number with a unit.
struct Label {
  StringId key{};
  StringId text{};
  std::int64_t number = 0;
  StringId unit{};

  friend bool operator==(const Label&, const Label&) = default;
};

struct Sample {
  StackId stack = kEmptyStack;
  LabelSetId labels = kNoLabels;
  // One for each of Profile::sample_types(), in that order.
  std::span<const std::int64_t> values;
};

// Immutable once built (by ProfileBuilder). Any number of threads may read one
// at the same time. Equal (stack, labels) pairs occur once.
class Profile {
 public:
  Profile(Profile&&) noexcept = default;
  Profile& operator=(Profile&&) noexcept = default;

  // At least one.
  std::span<const ValueType> sample_types() const noexcept { return sample_types_; }
  // The type a reader shows first: an index into sample_types().
  std::size_t default_sample_type() const noexcept { return default_sample_type_; }
  // The index of the sample type called `type`, if there is one.
  std::optional<std::size_t> FindSampleType(std::string_view type) const noexcept;

  std::size_t sample_count() const noexcept { return rows_.size(); }
  Sample sample(std::size_t index) const noexcept {
    const std::size_t stride = sample_types_.size();
    return {rows_[index].stack, rows_[index].labels,
            std::span(values_).subspan(index * stride, stride)};
  }
  std::int64_t value(std::size_t sample, std::size_t type) const noexcept {
    return values_[sample * sample_types_.size() + type];
  }
  // Sum over all samples; saturates.
  std::int64_t Total(std::size_t type) const noexcept;

  const StackTable& stacks() const noexcept { return stacks_; }
  const StringTable& strings() const noexcept { return strings_; }
  std::string_view text(StringId id) const noexcept { return strings_.text(id); }

  std::size_t location_count() const noexcept { return locations_.size(); }
  Location location(LocationId id) const noexcept {
    const StoredLocation& stored = locations_[static_cast<std::uint32_t>(id)];
    return {stored.mapping, stored.address,
            std::span(lines_).subspan(stored.first_line, stored.line_count), stored.is_folded != 0};
  }
  std::span<const Function> functions() const noexcept { return functions_; }
  const Function& function(FunctionId id) const noexcept {
    return functions_[static_cast<std::uint32_t>(id)];
  }
  std::string_view name(FunctionId id) const noexcept { return text(function(id).name); }
  std::span<const Mapping> mappings() const noexcept { return mappings_; }
  const Mapping& mapping(MappingId id) const noexcept {
    return mappings_[static_cast<std::uint32_t>(id)];
  }
  std::span<const Label> labels(LabelSetId id) const noexcept {
    const Range& range = label_sets_[static_cast<std::uint32_t>(id)];
    return std::span(labels_).subspan(range.first, range.count);
  }
  std::size_t label_set_count() const noexcept { return label_sets_.size(); }

  const ValueType& period_type() const noexcept { return period_type_; }
  std::int64_t period() const noexcept { return period_; }  // In period_type().unit; 0 = not known.
  std::int64_t time_ns() const noexcept {
    return time_ns_;
  }  // Unix time of the start; 0 = not known.
  std::int64_t duration_ns() const noexcept { return duration_ns_; }  // 0 = not known.
  std::span<const std::string> comments() const noexcept { return comments_; }
  const std::string& drop_frames() const noexcept { return drop_frames_; }
  const std::string& keep_frames() const noexcept { return keep_frames_; }
  const std::string& doc_url() const noexcept { return doc_url_; }

  // Records of the input that this profile was made of; equal ones were merged. Nothing where
  // the input does not tell.
  std::optional<std::uint64_t> records() const noexcept { return records_; }
  // The same for one sample; nothing also where values were taken away from it.
  std::optional<std::uint64_t> records(std::size_t sample) const noexcept;
  // Each sample type counts records of its own, as the events of a recording do.
  bool counts_events() const noexcept { return counts_events_; }
  // Of these records those that weigh in sample type `type`: all, unless counts_events(). Nothing
  // where a sample holds several events.
  std::optional<std::uint64_t> RecordsOf(std::size_t type) const noexcept;
  std::optional<std::uint64_t> RecordsOf(std::size_t type, std::size_t sample) const noexcept;
  // The sample type that counts records where nothing else tells: {"samples", "count"}. None where
  // its total is not records(): it counts the periods that they stand for.
  std::optional<std::size_t> record_type() const noexcept { return record_type_; }
  const Losses& losses() const noexcept { return losses_; }

 private:
  friend class ProfileBuilder;
  struct Row {
    StackId stack;
    LabelSetId labels;
  };
  struct StoredLocation {
    std::uint64_t address;
    MappingId mapping;
    std::uint32_t first_line;
    std::uint32_t line_count : 31;
    std::uint32_t is_folded : 1;
  };
  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };

  Profile() = default;

  std::vector<ValueType> sample_types_;
  std::size_t default_sample_type_ = 0;
  std::optional<std::size_t> record_type_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> values_;        // rows_.size() x sample_types_.size().
  std::vector<std::uint64_t> row_records_;  // By row; empty when they were not told.
  StackTable stacks_;
  StringTable strings_;
  std::vector<StoredLocation> locations_;
  std::vector<Line> lines_;
  std::vector<Function> functions_;
  std::vector<Mapping> mappings_;
  std::vector<Range> label_sets_{{0, 0}};
  std::vector<Label> labels_;
  ValueType period_type_;
  std::int64_t period_ = 0;
  std::int64_t time_ns_ = 0;
  std::int64_t duration_ns_ = 0;
  std::vector<std::string> comments_;
  std::string drop_frames_;
  std::string keep_frames_;
  std::string doc_url_;
  std::optional<std::uint64_t> records_;
  bool counts_events_ = false;
  Losses losses_;
};

// Adds without wrapping: stays at the largest or smallest value instead.
std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) noexcept;

}  // namespace sonde

#endif  // SONDE_PROFILE_H_
