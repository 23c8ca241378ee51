// Header: what a recording says about itself, from its header or from its first records.

#include "export/perf_data/header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "export/symbols/elf_file.h"

namespace sonde::perf_data {
namespace {

constexpr std::size_t kHeaderBytes = 104;
constexpr std::size_t kPipeHeaderBytes = 16;
constexpr std::size_t kFeatureBits = 72;  // Where they are in the header.
constexpr std::size_t kSectionBytes = 16;
constexpr std::size_t kBuildIdBytes = 20;
constexpr std::size_t kBuildIdField = 24;  // With a byte for its length, and padding.

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

Section ReadSection(Cursor& cursor) {
  Section section;
  section.offset = cursor.U64();
  section.size = cursor.U64();
  return section;
}

bool IsWithin(const Section& section, std::string_view file) {
  return section.offset <= file.size() && section.size <= file.size() - section.offset;
}

std::string_view BytesOf(const Section& section, std::string_view file) {
  return file.substr(static_cast<std::size_t>(section.offset),
                     static_cast<std::size_t>(section.size));
}

Error Malformed(std::string message, std::uint64_t offset) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message), .byte_offset = offset};
}

Status ReadEvents(const Section& section, std::uint64_t entry_bytes, std::string_view file,
                  Header& into) {
  if (!IsWithin(section, file)) {
    return Malformed("event attributes run past the end of the file", section.offset);
  }
  if (entry_bytes <= kSectionBytes || section.size < entry_bytes) {
    return Malformed("recording without events", section.offset);
  }
  const std::string_view bytes = BytesOf(section, file);
  const auto step = static_cast<std::size_t>(entry_bytes);
  for (std::size_t at = 0; at + step <= bytes.size(); at += step) {
    Cursor cursor(bytes.substr(at, step), into.swapped);
    std::optional<Event> event = ParseEvent(cursor, step - kSectionBytes);
    if (!event.has_value()) {
      return Malformed("event attributes are cut off", section.offset + at);
    }
    Cursor ids_cursor(bytes.substr(at + step - kSectionBytes), into.swapped);
    const Section ids = ReadSection(ids_cursor);
    if (!IsWithin(ids, file)) {
      return Malformed("ids of an event run past the end of the file", section.offset + at);
    }
    Cursor numbers(BytesOf(ids, file), into.swapped);
    while (numbers.left() >= sizeof(std::uint64_t)) event->ids.push_back(numbers.U64());
    into.AddEvent(std::move(*event));
  }
  return {};
}

// The table of features stands behind the data, in the order of their bits.
Status ReadFeatures(const std::array<std::uint64_t, 4>& bits, std::uint64_t table_offset,
                    std::string_view file, Header& into) {
  if (table_offset > file.size()) return {};
  Cursor table(file.substr(static_cast<std::size_t>(table_offset)), into.swapped);
  for (unsigned feature = 0; feature < kFeatureCount; ++feature) {
    if ((bits[feature / 64] >> (feature % 64) & 1) == 0) continue;
    const Section section = ReadSection(table);
    if (!table.ok() || !IsWithin(section, file)) {
      return Malformed(
          "header section " + std::to_string(feature) + " runs past the end of the file",
          table_offset);
    }
    into.AddFeature(feature, BytesOf(section, file));
  }
  return {};
}

}  // namespace

void Header::AddEvent(Event event) {
  if (event.name.empty()) event.name = DefaultName(event);
  event.number = events_.size();
  events_.push_back(std::move(event));
  for (const std::uint64_t id : events_.back().ids) by_id_[id] = &events_.back();
}

void Header::NameEvent(std::uint64_t id, std::string_view name) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || name.empty()) return;
  for (Event& event : events_) {
    if (&event == found->second) event.name = name;
  }
}

const Event* Header::EventOf(std::uint64_t id) const noexcept {
  if (events_.empty()) return nullptr;
  if (events_.size() == 1) return &events_.front();
  const Event* const found = EventWithId(id);
  return found == nullptr ? &events_.front() : found;
}

const Event* Header::EventWithId(std::uint64_t id) const noexcept {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

const Event* Header::EventOfSample(std::string_view payload) const noexcept {
  if (events_.size() < 2) return events_.empty() ? nullptr : &events_.front();
  const Event& first = events_.front();
  Cursor cursor(payload, swapped);
  if (!first.has(kSampleIdentifier)) {
    if (!first.has(kSampleId)) return &first;
    constexpr std::uint64_t kBefore = kSampleIp | kSampleTid | kSampleTime | kSampleAddr;
    cursor.Skip(8 * static_cast<std::size_t>(std::popcount(first.sample_type & kBefore)));
  }
  return EventWithId(cursor.U64());
}

const Event* Header::EventOfTrailer(std::string_view payload) const noexcept {
  if (events_.size() < 2) return events_.empty() ? nullptr : &events_.front();
  const Event& first = events_.front();
  if (!first.has_trailer() || payload.size() < 8) return &first;
  std::size_t words_from_end = 1;
  if (!first.has(kSampleIdentifier)) {
    if (!first.has(kSampleId)) return &first;
    constexpr std::uint64_t kBehind = kSampleStreamId | kSampleCpu;
    words_from_end += static_cast<std::size_t>(std::popcount(first.sample_type & kBehind));
  }
  if (payload.size() < words_from_end * 8) return &first;
  Cursor cursor(payload.substr(payload.size() - words_from_end * 8), swapped);
  return EventOf(cursor.U64());
}

void Header::AddFeature(unsigned feature, std::string_view bytes) {
  switch (feature) {
    case kFeatureTracingData:
      AddTraceFormats(bytes);
      break;
    case kFeatureBuildId:
      AddBuildIds(bytes);
      break;
    case kFeatureEventDesc:
      AddEventNames(bytes);
      break;
    case kFeatureClockData:
      AddClock(bytes);
      break;
    default:
      break;
  }
}

void Header::AddEventNames(std::string_view bytes) {
  Cursor cursor(bytes, swapped);
  const std::uint32_t count = cursor.U32();
  const std::uint32_t attribute_bytes = cursor.U32();
  std::size_t position = 0;
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
    cursor.Skip(attribute_bytes);
    const std::uint32_t id_count = cursor.U32();
    const std::string_view name = UpToZero(cursor.Bytes(cursor.U32()));
    if (!cursor.ok() || name.empty()) return;
    bool is_named = false;
    for (std::uint32_t id = 0; id < id_count && cursor.ok(); ++id) {
      const std::uint64_t number = cursor.U64();
      if (!cursor.ok()) return;
      NameEvent(number, name);
      is_named = is_named || by_id_.contains(number);
    }
    // Recordings without ids list the events in the order of their attributes.
    if (!is_named && position < events_.size()) events_[position].name = name;
    ++position;
  }
}

void Header::AddBuildIds(std::string_view bytes) {
  Cursor cursor(bytes, swapped);
  while (cursor.left() >= 8) {
    cursor.Skip(4);
    const std::uint16_t misc = cursor.U16();
    const std::uint16_t size = cursor.U16();
    if (size < 8) return;
    const std::string_view payload = cursor.Bytes(size - 8U);
    if (!cursor.ok()) return;
    AddBuildId(misc, payload);
  }
}

void Header::AddBuildId(std::uint16_t misc, std::string_view payload) {
  Cursor cursor(payload, swapped);
  cursor.Skip(4);  // The process, or -1 for the kernel.
  const std::string_view field = cursor.Bytes(kBuildIdField);
  const std::string_view file = cursor.Text();
  if (!cursor.ok() || field.size() < kBuildIdField || file.empty()) return;
  std::size_t size = kBuildIdBytes;
  if ((misc & kMiscBuildIdSize) != 0) {
    size = std::min<std::size_t>(size, static_cast<unsigned char>(field[kBuildIdBytes]));
  }
  build_ids_.push_back({std::string(file), symbols::HexOf(field.substr(0, size))});
}

void Header::AddClock(std::string_view bytes) {
  Cursor cursor(bytes, swapped);
  cursor.Skip(8);  // Version and clock.
  const std::uint64_t wall_ns = cursor.U64();
  const std::uint64_t clock_ns = cursor.U64();
  if (cursor.ok()) unix_minus_clock_ns = static_cast<std::int64_t>(wall_ns - clock_ns);
}

// Among other things the section holds the kernel's description of each tracepoint, as text.
void Header::AddTraceFormats(std::string_view bytes) {
  const auto find = [&](const std::string& tracepoint, const std::string& field) {
    TraceField found;
    const std::size_t start = bytes.find("name: " + tracepoint + '\n');
    if (start == std::string_view::npos) return found;
    std::string_view text = bytes.substr(start);
    text = text.substr(0, text.find("print fmt:"));
    const auto number_behind = [&](const std::string& before) {
      std::size_t number = 0;
      const std::size_t at = text.find(before);
      if (at == std::string_view::npos) return number;
      text.remove_prefix(at + before.size());
      std::from_chars(text.data(), text.data() + text.size(), number);
      return number;
    };
    found.offset = number_behind(' ' + field + ";\toffset:");
    if (found.offset == 0) return found;
    const std::size_t size = number_behind(";\tsize:");
    if (size == sizeof(std::uint32_t) || size == sizeof(std::uint64_t)) found.size = size;
    return found;
  };
  next_thread = find("sched_switch", "next_pid");
  state_that_left = find("sched_switch", "prev_state");
  lock = find("contention_begin", "lock_addr");
  lock_kind = find("contention_begin", "flags");
}

std::string_view Header::BuildIdOf(std::string_view file) const noexcept {
  for (const BuildId& build_id : build_ids_) {
    if (build_id.file == file) return build_id.hex;
  }
  return {};
}

Result<Header> ReadHeader(std::string_view file) {
  Header header;
  header.swapped = file.starts_with("2ELIFREP") || file.starts_with("ELIFFREP");
  Cursor cursor(file, header.swapped);
  const std::string_view magic = cursor.Bytes(8);
  const bool is_known = header.swapped || magic == "PERFILE2" || magic == "PERFFILE";
  if (!is_known) return Malformed("not a perf.data file", 0);
  const std::uint64_t size = cursor.U64();
  if (!cursor.ok()) return Malformed("header is cut off", file.size());

  if (size == kPipeHeaderBytes) {
    header.is_pipe = true;
    header.data_offset = kPipeHeaderBytes;
    header.data = cursor.rest();
    return header;
  }
  if (size != kHeaderBytes && size != kFeatureBits) {
    return Error{.code = ErrorCode::kUnsupported,
                 .message = "perf.data header of " + std::to_string(size) + " bytes",
                 .byte_offset = 8};
  }
  const std::uint64_t entry_bytes = cursor.U64();
  const Section attributes = ReadSection(cursor);
  Section data = ReadSection(cursor);
  cursor.Skip(kSectionBytes);  // Event types, which nobody fills any more.
  std::array<std::uint64_t, 4> bits{};
  if (size == kHeaderBytes) {
    for (std::uint64_t& word : bits) word = cursor.U64();
  }
  if (!cursor.ok()) return Malformed("header is cut off", file.size());
  if (data.offset > file.size()) return Malformed("data begins behind the end of the file", 40);
  if (Status events = ReadEvents(attributes, entry_bytes, file, header); !events.ok()) {
    return events.error();
  }

  // A recording that was not ended says nothing about the size of its data.
  const std::uint64_t most = file.size() - data.offset;
  header.is_cut_off = data.size == 0 || data.size > most;
  if (header.is_cut_off) data.size = most;
  header.data = BytesOf(data, file);
  header.data_offset = data.offset;
  if (!header.is_cut_off) {
    Status features = ReadFeatures(bits, data.offset + data.size, file, header);
    if (!features.ok()) return features.error();
  }
  return header;
}

}  // namespace sonde::perf_data
