// Event: what was counted, and how its samples are laid out.

#ifndef SONDE_EXPORT_PERF_DATA_EVENT_H_
#define SONDE_EXPORT_PERF_DATA_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/perf_data/abi.h"
#include "export/perf_data/cursor.h"

namespace sonde::perf_data {

// The parts of perf_event_attr that decide how records are read.
struct Event {
  std::string name;        // As perf shows it.
  std::size_t number = 0;  // Its place in the recording.
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t period_or_frequency = 0;
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  std::uint64_t flags = 0;
  std::uint64_t branch_sample_type = 0;
  std::uint64_t user_registers = 0;  // Which ones a sample holds, by bit.
  std::vector<std::uint64_t> ids;    // What samples call it.

  bool has(SampleBit bit) const noexcept { return (sample_type & bit) != 0; }
  bool uses_frequency() const noexcept { return (flags & kFlagFrequency) != 0; }
  // Whether threads that the counted one starts are counted too, each on its own.
  bool is_inherited() const noexcept { return (flags & kFlagInherit) != 0; }
  // Whether samples hold what the counters of a group stand at, by id: that weighs them, and a
  // sample of the leader is one of each member.
  bool reads_counters() const noexcept { return has(kSampleRead) && (read_format & kReadId) != 0; }
  // Whether SWITCH records tell when each thread left the CPU and when it came back.
  bool has_switch_records() const noexcept { return (flags & kFlagContextSwitch) != 0; }
  // Whether each time a thread left the CPU is a sample: all of them, not every so many.
  bool samples_every_switch() const noexcept;
  // Whether each time the tracepoint `named` was passed is a sample, with its fields.
  bool samples_every(std::string_view named) const noexcept;
  // Whether records other than samples end with time, thread and so on.
  bool has_trailer() const noexcept { return (flags & kFlagSampleIdAll) != 0; }
  // Counts nothing: it is there to get the other records.
  bool is_dummy() const noexcept;
};

// Reads a perf_event_attr, which says itself how long it is, and steps behind it;
// fields that a newer kernel added are skipped. `most` bytes are there for it.
// Nothing when it is cut off.
std::optional<Event> ParseEvent(Cursor& cursor, std::size_t most);

// A name made of the numbers, for recordings without names.
std::string DefaultName(const Event& event);

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_EVENT_H_
