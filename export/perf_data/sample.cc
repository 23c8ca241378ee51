// Sample: one sample of a recording, taken apart by the layout of its event.

#include "export/perf_data/sample.h"

#include <algorithm>
#include <bit>

namespace sonde::perf_data {
namespace {

constexpr std::size_t kWord = 8;

void ReadCounters(const Event& event, Cursor& cursor, std::vector<CounterValue>& into) {
  const auto words_of = [&](std::uint64_t bit) {
    return (event.read_format & bit) != 0 ? kWord : 0;
  };
  const bool is_group = (event.read_format & kReadGroup) != 0;
  const std::uint64_t times = words_of(kReadEnabled) + words_of(kReadRunning);
  const std::uint64_t count = is_group ? cursor.U64() : 1;
  if (is_group) cursor.Skip(times);
  for (std::uint64_t i = 0; i < count && cursor.ok(); ++i) {
    CounterValue& counter = into.emplace_back();
    counter.value = cursor.U64();
    if (!is_group) cursor.Skip(times);
    if (words_of(kReadId) != 0) counter.id = cursor.U64();
    cursor.Skip(words_of(kReadLost));
  }
}

void ReadWords(std::uint64_t count, Cursor& cursor, std::vector<std::uint64_t>& into) {
  if (count > cursor.left() / kWord) {
    cursor.Skip(UINT64_MAX);
    return;
  }
  into.resize(static_cast<std::size_t>(count));
  if (!cursor.swapped()) {
    if (count > 0) {
      const std::string_view bytes = cursor.Bytes(count * kWord);
      std::memcpy(into.data(), bytes.data(), bytes.size());
    }
    return;
  }
  for (std::uint64_t& word : into) word = cursor.U64();
}

void ReadBranches(const Event& event, Cursor& cursor, std::vector<std::uint64_t>& into) {
  constexpr std::size_t kEntryBytes = 24;  // From, to, flags.
  const std::uint64_t count = cursor.U64();
  if ((event.branch_sample_type & kBranchHwIndex) != 0) cursor.Skip(kWord);
  if (count > cursor.left() / kEntryBytes) {
    cursor.Skip(UINT64_MAX);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    into.push_back(cursor.U64());
    cursor.Skip(kEntryBytes - kWord);
  }
}

void ReadUserStack(Cursor& cursor, std::string_view& into) {
  const std::uint64_t size = cursor.U64();
  if (size == 0) return;
  into = cursor.Bytes(size);
  const std::uint64_t valid = cursor.U64();
  into = into.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(valid, into.size())));
}

}  // namespace

bool ParseSample(const Event& event, std::string_view payload, bool swapped, Sample& into) {
  into.ip = into.time_ns = into.id = into.period = into.registers_abi = 0;
  into.pid = into.tid = 0;
  into.cpu = kNoCpu;
  into.counters.clear();
  into.callchain.clear();
  into.branch_from.clear();
  into.user_registers.clear();
  into.user_stack = {};
  into.raw = {};

  Cursor cursor(payload, swapped);
  if (event.has(kSampleIdentifier)) into.id = cursor.U64();
  if (event.has(kSampleIp)) into.ip = cursor.U64();
  if (event.has(kSampleTid)) {
    into.pid = cursor.U32();
    into.tid = cursor.U32();
  }
  if (event.has(kSampleTime)) into.time_ns = cursor.U64();
  if (event.has(kSampleAddr)) cursor.Skip(kWord);
  if (event.has(kSampleId)) into.id = cursor.U64();
  if (event.has(kSampleStreamId)) cursor.Skip(kWord);
  if (event.has(kSampleCpu)) {
    into.cpu = cursor.U32();
    cursor.Skip(4);
  }
  if (event.has(kSamplePeriod)) {
    into.period = cursor.U64();
  } else if (!event.uses_frequency()) {
    into.period = event.period_or_frequency;
  }
  if (event.has(kSampleRead)) ReadCounters(event, cursor, into.counters);
  if (event.has(kSampleCallchain)) ReadWords(cursor.U64(), cursor, into.callchain);
  if (event.has(kSampleRaw)) into.raw = cursor.Bytes(cursor.U32());
  if (event.has(kSampleBranchStack)) ReadBranches(event, cursor, into.branch_from);
  if (event.has(kSampleRegsUser)) {
    into.registers_abi = cursor.U64();
    if (into.registers_abi != 0) {
      ReadWords(static_cast<std::uint64_t>(std::popcount(event.user_registers)), cursor,
                into.user_registers);
    }
  }
  if (event.has(kSampleStackUser)) ReadUserStack(cursor, into.user_stack);
  return cursor.ok();
}

Trailer ParseTrailer(const Event& event, std::string_view payload, bool swapped) {
  Trailer trailer;
  if (!event.has_trailer()) return trailer;
  constexpr std::uint64_t kInTrailer =
      kSampleTid | kSampleTime | kSampleId | kSampleStreamId | kSampleCpu | kSampleIdentifier;
  const auto words = static_cast<std::size_t>(std::popcount(event.sample_type & kInTrailer));
  if (payload.size() < words * kWord) return trailer;
  Cursor cursor(payload.substr(payload.size() - words * kWord), swapped);
  if (event.has(kSampleTid)) {
    trailer.pid = cursor.U32();
    trailer.tid = cursor.U32();
  }
  if (event.has(kSampleTime)) trailer.time_ns = cursor.U64();
  if (event.has(kSampleId)) trailer.id = cursor.U64();
  if (event.has(kSampleStreamId)) cursor.Skip(kWord);
  if (event.has(kSampleCpu)) {
    trailer.cpu = cursor.U32();
    cursor.Skip(4);
  }
  if (event.has(kSampleIdentifier)) trailer.id = cursor.U64();
  return trailer;
}

std::uint64_t TimeOfSample(const Event& event, std::string_view payload, bool swapped) {
  if (!event.has(kSampleTime)) return 0;
  constexpr std::uint64_t kBefore = kSampleIdentifier | kSampleIp | kSampleTid;
  Cursor cursor(payload, swapped);
  cursor.Skip(kWord * static_cast<std::size_t>(std::popcount(event.sample_type & kBefore)));
  return cursor.U64();
}

}  // namespace sonde::perf_data
