// Header: what a recording says about itself, from its header or from its first records.

#ifndef SONDE_EXPORT_PERF_DATA_HEADER_H_
#define SONDE_EXPORT_PERF_DATA_HEADER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/perf_data/event.h"
#include "export/perf_data/trace_field.h"
#include "sonde/result.h"

namespace sonde::perf_data {

struct BuildId {
  std::string file;
  std::string hex;  // Lower case.
};

// Filled by ReadHeader and, for recordings that went through a pipe, by the
// records that carry the same. Not thread-safe.
class Header {
 public:
  bool swapped = false;                  // Written on a machine of the other byte order.
  bool is_pipe = false;                  // No header: attributes and features come as records.
  std::string_view data;                 // The records.
  std::uint64_t data_offset = 0;         // Of `data` in the file.
  bool is_cut_off = false;               // The file ends before its data does.
  std::int64_t unix_minus_clock_ns = 0;  // 0 when not known.
  TraceField next_thread;                // sched:sched_switch: the thread that comes.
  TraceField state_that_left;  // sched:sched_switch: bits of the thread that leaves, 0 for running.
  TraceField lock;             // lock:contention_begin and _end: the lock's address.
  TraceField lock_kind;        // lock:contention_begin: flags.

  void AddEvent(Event event);
  // A section of the header; unknown ones are left alone.
  void AddFeature(unsigned feature, std::string_view bytes);
  // The payload of a BUILD_ID record.
  void AddBuildId(std::uint16_t misc, std::string_view payload);
  void NameEvent(std::uint64_t id, std::string_view name);

  // At least one where ReadHeader succeeded and it is no pipe.
  const std::deque<Event>& events() const noexcept { return events_; }
  // The event that samples call `id`; the only one, or the first, where ids are not recorded.
  const Event* EventOf(std::uint64_t id) const noexcept;
  // Nothing when none is called so.
  const Event* EventWithId(std::uint64_t id) const noexcept;
  // Where all events have an identifier, the layout need not be known to find the event.
  const Event* EventOfSample(std::string_view payload) const noexcept;
  const Event* EventOfTrailer(std::string_view payload) const noexcept;

  const std::vector<BuildId>& build_ids() const noexcept { return build_ids_; }
  // Empty when there is none for that file.
  std::string_view BuildIdOf(std::string_view file) const noexcept;

 private:
  void AddEventNames(std::string_view bytes);
  void AddBuildIds(std::string_view bytes);
  void AddClock(std::string_view bytes);
  void AddTraceFormats(std::string_view bytes);

  std::deque<Event> events_;  // Pointers into it stay valid.
  std::unordered_map<std::uint64_t, const Event*> by_id_;
  std::vector<BuildId> build_ids_;
};

// Reads the start of a file. Fails with kMalformed where a table runs past the
// end, kUnsupported for versions that nobody wrote.
Result<Header> ReadHeader(std::string_view file);

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_HEADER_H_
