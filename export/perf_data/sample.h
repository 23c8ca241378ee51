// Sample: one sample of a recording, taken apart by the layout of its event.

#ifndef SONDE_EXPORT_PERF_DATA_SAMPLE_H_
#define SONDE_EXPORT_PERF_DATA_SAMPLE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "export/perf_data/event.h"

namespace sonde::perf_data {

// Of a sample whose event does not record where it ran.
inline constexpr std::uint32_t kNoCpu = UINT32_MAX;

// What the counter that is called `id` stood at when the sample was taken.
struct CounterValue {
  std::uint64_t id = 0;  // 0 when not recorded.
  std::uint64_t value = 0;
};

// Zeros for what the event does not record. Views point into the record.
struct Sample {
  std::uint64_t ip = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;  // Of the recording's clock.
  std::uint64_t id = 0;
  std::uint32_t cpu = kNoCpu;
  std::uint64_t period = 0;
  std::vector<CounterValue> counters;         // Of the event, or of all of its group.
  std::vector<std::uint64_t> callchain;       // The innermost first, with context values.
  std::string_view raw;                       // Of a tracepoint: its fields.
  std::vector<std::uint64_t> branch_from;     // The newest first.
  std::uint64_t registers_abi = 0;            // 0 when there are no registers.
  std::vector<std::uint64_t> user_registers;  // In the order of Event::user_registers.
  std::string_view user_stack;                // From the stack pointer up, as much as is valid.
};

// Reads the payload of a SAMPLE record. False when it is cut off.
bool ParseSample(const Event& event, std::string_view payload, bool swapped, Sample& into);

// What records other than samples end with.
struct Trailer {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;  // 0 when not recorded.
  std::uint64_t id = 0;
  std::uint32_t cpu = 0;
};
Trailer ParseTrailer(const Event& event, std::string_view payload, bool swapped);

// The time of a SAMPLE record without taking it apart; 0 when not recorded.
std::uint64_t TimeOfSample(const Event& event, std::string_view payload, bool swapped);

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_SAMPLE_H_
