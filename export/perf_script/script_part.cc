// ScriptPart: a stretch of perf script's text, reduced to its distinct stacks and their weights.

#include "export/perf_script/script_part.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "export/event_name.h"
#include "export/limit_guard.h"
#include "sonde/losses.h"

namespace sonde::perf_script {
namespace {

constexpr std::uint64_t kProgressStep = std::uint64_t{16} << 20;
constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63;

// Places for texts that are remembered, as many as a part of that size may need.
std::size_t PlacesFor(std::size_t bytes, std::size_t bytes_of_a_place, std::size_t most) {
  return std::clamp<std::size_t>(bytes / bytes_of_a_place, 64, most);
}
constexpr std::size_t kBytesOfALine = 64;
constexpr std::size_t kMostLines = std::size_t{1} << 12;
constexpr std::size_t kBytesOfABlock = 1024;
constexpr std::size_t kMostBlocks = std::size_t{1} << 14;

bool IsSpace(char c) { return c == ' ' || c == '\t'; }

std::uint64_t HashOf(std::span<const std::uint32_t> numbers) {
  return HashBytes({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

std::uint64_t HashOf(const FrameLine& line) {
  const std::uint64_t names = MixHash(HashBytes(line.function), HashBytes(line.module));
  const std::uint64_t source =
      line.kind == LineKind::kSourceLine
          ? MixHash(HashBytes(line.file), static_cast<std::uint64_t>(line.line))
          : 0;
  return MixHash(names ^ source, line.address + static_cast<std::uint64_t>(line.kind));
}

bool IsPartOfStack(LineKind kind) { return kind != LineKind::kHeader; }

// Whether such a line is a frame may depend on its address.
bool MayBeHeader(std::string_view text) {
  return text.ends_with(':') || text.find(": ") != std::string_view::npos;
}

}  // namespace

ScriptPart::ScriptPart(std::string_view whole, std::size_t begin, std::size_t end,
                       const ReadOptions& options)
    : whole_(whole),
      at_(begin),
      end_(end),
      options_(options),
      recent_lines_{RecentTexts(whole, PlacesFor(end - begin, kBytesOfALine, kMostLines)),
                    RecentTexts(whole, PlacesFor(end - begin, kBytesOfALine, kMostLines)),
                    RecentTexts(whole, PlacesFor(end - begin, kBytesOfALine, kMostLines))},
      recent_blocks_(whole, PlacesFor(end - begin, kBytesOfABlock, kMostBlocks)) {}

Status ScriptPart::Read(const std::function<void(std::uint64_t)>& progress) {
  const std::size_t begin = at_;
  std::uint64_t next_report = kProgressStep;
  while (at_ < end_) {
    if (at_ - begin >= next_report) {
      if (options_.stop.stop_requested()) return ReadingCalledOff();
      if (progress) progress(at_ - begin);
      next_report += kProgressStep;
    }
    const std::size_t line_offset = at_;
    const std::string_view line = TakeLine();
    if (line.empty() || line.front() == '#' || Trim(line).empty()) continue;
    longest_line_ = std::max(longest_line_, line.size());

    const bool is_indented = IsSpace(line.front());
    std::optional<HeaderLine> header = headers_.Read(line);
    if (!header.has_value() && !is_indented && Peek() == '\t') {
      header = HeaderLine{.comm = Trim(line), .thread = Trim(line)};
    } else if (!header.has_value() && line.front() == '\t' &&
               ParseFrame(Trim(line)).kind == LineKind::kFrame) {
      // perf was asked for frames alone.
      at_ = line_offset;
      header = HeaderLine{};
    }
    if (!header.has_value()) {
      CountStray(line);
      if (options_.strict) return CheckLimits(line);
      continue;
    }
    if (const Status read = ReadSample(*header, is_indented); !read.ok()) return read;
    if (const Status within = CheckLimits(line); !within.ok()) return within;
  }
  return {};
}

std::string_view ScriptPart::PeekLine() const {
  const char* const start = whole_.data() + at_;
  const void* const found = std::memchr(start, '\n', end_ - at_);
  const std::size_t size = found == nullptr
                               ? end_ - at_
                               : static_cast<std::size_t>(static_cast<const char*>(found) - start);
  return {start, size};
}

std::string_view ScriptPart::TakeLine() {
  const std::string_view line = PeekLine();
  at_ = std::min(end_, at_ + line.size() + 1);
  return line;
}

void ScriptPart::CountStray(std::string_view line) {
  ++stray_lines_;
  if (stray_offsets_.size() < Losses::kPlacesKept) {
    stray_offsets_.push_back(static_cast<std::size_t>(line.data() - whole_.data()));
  }
}

Status ScriptPart::CheckLimits(std::string_view line) const {
  const ReadLimits& limits = options_.limits;
  const auto at_line = [&](Error error) {
    error.byte_offset = static_cast<std::uint64_t>(line.data() - whole_.data());
    return error;
  };
  if (options_.strict && stray_lines_ > 0) {
    return at_line({.code = ErrorCode::kMalformed,
                    .message = "line is neither a sample nor a frame of perf script"});
  }
  if (records_ > limits.records) {
    return at_line(OverLimit("records", "max_records", limits.records, records_));
  }
  if (longest_line_ > limits.line_bytes) {
    return at_line(
        OverLimit("bytes in a line", "max_line_bytes", limits.line_bytes, longest_line_));
  }
  if (deepest_stack_ > limits.stack_depth) {
    return at_line(
        OverLimit("frames on a stack", "max_stack_depth", limits.stack_depth, deepest_stack_));
  }
  if (lines_.size() > limits.unique_frames) {
    return at_line(
        OverLimit("distinct frames", "max_unique_frames", limits.unique_frames, lines_.size()));
  }
  if (stacks_.size() > limits.unique_stacks) {
    return at_line(OverLimit("distinct stacks", "max_unique_call_paths", limits.unique_stacks,
                             stacks_.size()));
  }
  return {};
}

bool ScriptPart::IsWanted(const HeaderLine& header) const {
  if (!options_.event.empty() && !IsEventNamed(header.event, options_.event)) return false;
  if (options_.from_ns == INT64_MIN && options_.until_ns == INT64_MAX) return true;
  return header.time_ns != HeaderLine::kNotPrinted && header.time_ns >= options_.from_ns &&
         header.time_ns < options_.until_ns;
}

Status ScriptPart::ReadSample(const HeaderLine& header, bool header_is_indented) {
  ++records_;
  frames_.clear();
  const char next = Peek();
  // Without call chains perf indents short comms, so that an indented line is the next sample.
  const bool has_block = next == '\t' || (next == ' ' && !header_is_indented);
  const bool has_lines = !IsSpace(next) && next != '\n' && next != '\r' && next != '#';
  const FrameLine only = ParseFrame(header.rest);
  const bool has_only_frame = only.kind == LineKind::kFrame && only.address != 0;

  if (!IsWanted(header)) {
    if (has_block && !line_by_line_) {
      at_ = FindBlockEnd();
    } else if (has_block || (has_lines && !has_only_frame)) {
      ReadLines();
    }
    return {};
  }
  if (has_block && !line_by_line_) {
    ReadBlock();
  } else if (has_block || (has_lines && !has_only_frame)) {
    ReadLines();
    stack_ = InternStack();
  } else {
    stack_ = InternStack();
  }
  if (has_only_frame && stacks_[stack_].count == 0) {
    frames_.assign(1, NumberOfLine(header.rest));
    stack_ = InternStack();
  }
  AddToRow(stack_, header);
  return {};
}

// Behind the last line in a row that is indented.
std::size_t ScriptPart::FindBlockEnd() const {
  const char* at = whole_.data() + at_;
  const char* const end = whole_.data() + end_;
  while (at < end && IsSpace(*at)) {
    const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (found == nullptr) return end_;
    at = static_cast<const char*>(found) + 1;
  }
  return static_cast<std::size_t>(at - whole_.data());
}

void ScriptPart::ReadBlock() {
  const std::size_t start = at_;
  const std::size_t end = FindBlockEnd();
  const std::string_view text = whole_.substr(start, end - start);
  const std::uint64_t hash = HashBytes(text);
  const std::uint32_t known = recent_blocks_.Find(hash, text);
  if (known != RecentTexts::kNone) {
    at_ = end;
    stack_ = known;
    return;
  }

  ReadLines();
  stack_ = InternStack();
  if (at_ < end) {
    line_by_line_ = true;
  } else {
    recent_blocks_.Add(hash, text, stack_);
  }
}

void ScriptPart::ReadLines() {
  while (at_ < end_) {
    const std::string_view line = PeekLine();
    const std::string_view text = Trim(line);
    if (text.empty() || line.front() == '#') return;
    if (!IsSpace(line.front()) && ParseHeader(line).has_value()) return;
    longest_line_ = std::max(longest_line_, line.size());
    const std::uint32_t number = NumberOfLine(text);
    if (number == HashIndex::kNone) return;
    if (!IsSpace(line.front()) && lines_[number].kind == LineKind::kUnknown) return;
    frames_.push_back(number);
    TakeLine();
  }
}

// HashIndex::kNone for a line that is no part of a stack.
std::uint32_t ScriptPart::NumberOfLine(std::string_view text) {
  AddressedText cut{.rest = text};
  if (!options_.keep_addresses) cut = CutAddress(text);
  RecentTexts& recent = recent_lines_[!cut.has_address ? 0U : cut.is_upper_half ? 2U : 1U];
  const std::uint64_t hash = HashBytes(cut.rest);
  const std::uint32_t known = recent.Find(hash, cut.rest);
  if (known != RecentTexts::kNone) return known;
  FrameLine line = ParseFrame(text);
  if (!IsPartOfStack(line.kind)) return HashIndex::kNone;
  if (!options_.keep_addresses) line.address &= kUpperHalf;
  const std::uint32_t number = InternLine(line);
  if (!MayBeHeader(cut.rest)) recent.Add(hash, cut.rest, number);
  return number;
}

std::uint32_t ScriptPart::InternLine(const FrameLine& line) {
  const std::uint64_t hash = HashOf(line);
  const std::uint32_t known =
      line_index_.Find(hash, [&](std::uint32_t number) { return lines_[number] == line; });
  if (known != HashIndex::kNone) return known;
  const auto number = static_cast<std::uint32_t>(lines_.size());
  line_index_.Add(hash, number);
  lines_.push_back(line);
  return number;
}

std::uint32_t ScriptPart::InternStack() {
  const std::uint64_t hash = HashOf(frames_);
  const std::uint32_t known = stack_index_.Find(
      hash, [&](std::uint32_t number) { return std::ranges::equal(stack(number), frames_); });
  if (known != HashIndex::kNone) return known;
  const auto number = static_cast<std::uint32_t>(stacks_.size());
  stack_index_.Add(hash, number);
  stacks_.push_back(
      {static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(frames_.size())});
  pool_.insert(pool_.end(), frames_.begin(), frames_.end());
  deepest_stack_ = std::max(deepest_stack_, frames_.size());
  return number;
}

std::uint32_t ScriptPart::InternThread(const HeaderLine& header) {
  Thread thread;
  if (options_.keep_labels) {
    thread.comm = header.comm;
    if (options_.keep_cpu) thread.cpu = header.cpu;
  }
  if (options_.keep_labels && options_.keep_ids) {
    thread.pid = header.pid;
    thread.tid = header.tid;
    thread.text = header.thread;
  } else {
    thread.text = thread.comm;
  }
  const auto is_same = [&](std::uint32_t number) {
    return threads_[number].text == thread.text && threads_[number].cpu == thread.cpu;
  };
  if (!threads_.empty() && is_same(last_thread_)) return last_thread_;
  const std::uint64_t hash =
      MixHash(HashBytes(thread.text), static_cast<std::uint64_t>(thread.cpu));
  last_thread_ = thread_index_.Find(hash, is_same);
  if (last_thread_ != HashIndex::kNone) return last_thread_;
  last_thread_ = static_cast<std::uint32_t>(threads_.size());
  thread_index_.Add(hash, last_thread_);
  threads_.push_back(thread);
  return last_thread_;
}

std::uint32_t ScriptPart::InternEvent(std::string_view event) {
  const auto known = std::ranges::find(events_, event);
  if (known == events_.end()) {
    events_.push_back(event);
    return static_cast<std::uint32_t>(events_.size() - 1);
  }
  return static_cast<std::uint32_t>(known - events_.begin());
}

void ScriptPart::AddToRow(std::uint32_t stack, const HeaderLine& header) {
  const Row wanted{
      .stack = stack, .thread = InternThread(header), .event = InternEvent(header.event)};
  const std::uint64_t hash =
      MixHash(std::uint64_t{wanted.stack} << 32 | wanted.thread, wanted.event);
  std::uint32_t number = row_index_.Find(hash, [&](std::uint32_t candidate) {
    const Row& row = rows_[candidate];
    return row.stack == wanted.stack && row.thread == wanted.thread && row.event == wanted.event;
  });
  if (number == HashIndex::kNone) {
    number = static_cast<std::uint32_t>(rows_.size());
    row_index_.Add(hash, number);
    rows_.push_back(wanted);
  }
  Row& row = rows_[number];
  const std::int64_t weight = options_.count_samples ? 1 : std::max<std::int64_t>(header.period, 1);
  ++row.samples;
  if (std::int64_t sum = 0; __builtin_add_overflow(row.weight, weight, &sum)) {
    row.weight = INT64_MAX;
    ++row.overflows;
  } else {
    row.weight = sum;
  }
  if (header.time_ns != HeaderLine::kNotPrinted) {
    first_ns_ =
        first_ns_ == HeaderLine::kNotPrinted ? header.time_ns : std::min(first_ns_, header.time_ns);
    last_ns_ = std::max(last_ns_, header.time_ns);
  }
}

}  // namespace sonde::perf_script
