// TextHead: what a text profile of gperftools says of itself in front of its records.

#ifndef SONDE_EXPORT_GPERFTOOLS_TEXT_HEAD_H_
#define SONDE_EXPORT_GPERFTOOLS_TEXT_HEAD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/profile_builder.h"
#include "sonde/result.h"

namespace sonde::gperftools {

enum class TextKind { kHeap, kJemallocHeap, kJavaHeap, kContention, kThreads, kCounts };

// What starts a thread in a profile of kind kThreads.
inline constexpr std::string_view kThreadMark = "--- Thread ";

// Not thread-safe.
class TextHead {
 public:
  // The first line, without blanks around it. Fails with kUnsupported for no kind that is known,
  // kMalformed for a sampling rate that is none.
  Status ReadFirst(std::string_view line);
  // "KEY = VALUE" behind it. Fails with kMalformed where the records cannot be read.
  Status ReadVariable(std::string_view line);

  TextKind kind() const noexcept { return kind_; }
  // Heap records tell what was ever allocated beside what is in use.
  bool has_totals() const noexcept { return has_totals_; }
  // Addresses are a runtime's numbers of its functions.
  bool is_java() const noexcept { return is_java_; }
  // Of the bytes allocated, one in that many is sampled.
  std::int64_t rate() const noexcept { return rate_; }
  // Of the waits, one in that many is sampled.
  std::int64_t period() const noexcept { return period_; }
  // The time that `waited` stands for, in the unit of the sample type.
  double DelayOf(std::int64_t waited) const noexcept;

  std::vector<ValueType> SampleTypes() const;
  // Sets what is known of the whole profile, and counts what the profiled program discarded.
  void Describe(ProfileBuilder& builder) const;

 private:
  Status ReadHeapHead(std::string_view rest);

  TextKind kind_ = TextKind::kHeap;
  bool has_totals_ = false;
  bool is_java_ = false;
  std::int64_t rate_ = 1;
  std::int64_t period_ = 1;
  std::int64_t duration_ns_ = 0;
  std::uint64_t discarded_ = 0;
  double cycles_per_second_ = 0;
  std::string resolution_;
  std::string count_type_;
};

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_TEXT_HEAD_H_
