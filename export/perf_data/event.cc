// Event: what was counted, and how its samples are laid out.

#include "export/perf_data/event.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "export/event_name.h"

namespace sonde::perf_data {
namespace {

constexpr std::uint32_t kFirstSize = 64;  // Of the structure as it was published first.

enum Type : std::uint32_t { kHardware = 0, kSoftware = 1, kTracepoint = 2 };
constexpr std::uint64_t kSoftwareDummy = 9;

constexpr std::array<std::string_view, 10> kHardwareNames{"cycles",
                                                          "instructions",
                                                          "cache-references",
                                                          "cache-misses",
                                                          "branches",
                                                          "branch-misses",
                                                          "bus-cycles",
                                                          "stalled-cycles-frontend",
                                                          "stalled-cycles-backend",
                                                          "ref-cycles"};
constexpr std::array<std::string_view, 12> kSoftwareNames{
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

std::string HexOf(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

// Bit fields start at the other end of each byte on machines of the other byte order.
std::uint64_t WithBitsOfBytesReversed(std::uint64_t number) {
  number = ((number >> 1) & 0x5555555555555555U) | ((number & 0x5555555555555555U) << 1);
  number = ((number >> 2) & 0x3333333333333333U) | ((number & 0x3333333333333333U) << 2);
  return ((number >> 4) & 0x0f0f0f0f0f0f0f0fU) | ((number & 0x0f0f0f0f0f0f0f0fU) << 4);
}

}  // namespace

bool Event::samples_every_switch() const noexcept {
  return !uses_frequency() && period_or_frequency == 1 &&
         (IsEventNamed(name, "sched:sched_switch") || IsEventNamed(name, "context-switches"));
}

bool Event::samples_every(std::string_view named) const noexcept {
  return !uses_frequency() && period_or_frequency == 1 && has(kSampleRaw) &&
         IsEventNamed(name, named);
}

bool Event::is_dummy() const noexcept { return type == kSoftware && config == kSoftwareDummy; }

std::optional<Event> ParseEvent(Cursor& cursor, std::size_t most) {
  Cursor peek = cursor;
  Event event;
  event.type = peek.U32();
  std::uint32_t size = peek.U32();
  if (size == 0) size = kFirstSize;
  if (!peek.ok() || size > most || size < kFirstSize) return std::nullopt;

  const std::string_view bytes = cursor.Bytes(size);
  if (bytes.size() != size) return std::nullopt;
  // An older structure ends early: its missing fields are zeros.
  Cursor fields(bytes, cursor.swapped());
  fields.Skip(8);
  event.config = fields.U64();
  event.period_or_frequency = fields.U64();
  event.sample_type = fields.U64();
  event.read_format = fields.U64();
  event.flags = fields.U64();
  if (cursor.swapped()) {
    event.flags = WithBitsOfBytesReversed(__builtin_bswap64(event.flags));
  }
  fields.Skip(24);
  event.branch_sample_type = fields.U64();
  event.user_registers = fields.U64();
  return event;
}

std::string DefaultName(const Event& event) {
  if (event.type == kHardware && event.config < kHardwareNames.size()) {
    return std::string(kHardwareNames[static_cast<std::size_t>(event.config)]);
  }
  if (event.type == kSoftware && event.config < kSoftwareNames.size()) {
    return std::string(kSoftwareNames[static_cast<std::size_t>(event.config)]);
  }
  if (event.type == kTracepoint) return "tracepoint " + std::to_string(event.config);
  return "raw " + HexOf(event.config);
}

}  // namespace sonde::perf_data
