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
constexpr std::size_t kBytesOfABlock = 1024;
constexpr std::size_t kMostBlocks = std::size_t{1} << 13;

bool IsSpace(char c) { return c == ' ' || c == '\t'; }

}  // namespace

ScriptPart::ScriptPart(std::string_view whole, std::size_t begin, std::size_t end,
                       const ReadOptions& options)
    : whole_(whole),
      at_(begin),
      end_(end),
      options_(options),
      lines_(whole, end - begin, options.keep_addresses),
      recent_blocks_(whole, std::min((end - begin) / kBytesOfABlock, kMostBlocks)) {}

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
  Finish();
  return {};
}

// What only reading needs, so that it is not there beside the profile that is made of the part.
void ScriptPart::Finish() {
  lines_.Finish();
  stacks_.Finish();
  recent_blocks_.Forget();
  thread_index_ = {};
  row_index_ = {};
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
  if (distinct_stacks_ > limits.unique_stacks) {
    return at_line(OverLimit("distinct stacks", "max_unique_call_paths", limits.unique_stacks,
                             distinct_stacks_));
  }
  return {};
}

bool ScriptPart::IsWanted(const HeaderLine& header) {
  if (!options_.event.empty() && !IsEventNamed(header.event, options_.event)) return false;
  if (header.time_ns != HeaderLine::kNotPrinted) recorded_.Add(header.time_ns);
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
  CountComm(header.comm);
  if (has_block && !line_by_line_) {
    ReadBlock();
  } else if (has_block || (has_lines && !has_only_frame)) {
    ReadLines();
    stack_ = InternStack();
  } else {
    stack_ = InternStack();
  }
  if (has_only_frame && stack_ == 0) {
    frames_.assign(1, lines_.NumberOf(header.rest));
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
    const std::uint32_t number = lines_.NumberOf(text);
    if (number == LineTable::kNone) return;
    if (!IsSpace(line.front()) && lines_[number].kind == LineKind::kUnknown) return;
    frames_.push_back(number);
    TakeLine();
  }
}

std::uint32_t ScriptPart::InternStack() {
  StackId stack = kEmptyStack;
  for (std::size_t i = frames_.size(); i-- > 0;)
    stack = stacks_.Extend(stack, LocationId{frames_[i]});
  const auto number = static_cast<std::uint32_t>(stack);
  if (number >= is_whole_.size()) is_whole_.resize(stacks_.size() + number / 2 + 1, false);
  if (!is_whole_[number]) {
    is_whole_[number] = true;
    ++distinct_stacks_;
    deepest_stack_ = std::max(deepest_stack_, frames_.size());
  }
  return number;
}

void ScriptPart::GetStack(std::uint32_t stack, std::vector<std::uint32_t>& lines) const {
  lines.clear();
  for (StackId at{stack}; at != kEmptyStack; at = stacks_.caller(at)) {
    lines.push_back(static_cast<std::uint32_t>(stacks_.leaf(at)));
  }
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

void ScriptPart::CountComm(std::string_view comm) {
  if (last_comm_ == nullptr || last_comm_->first != comm) {
    last_comm_ = &*comms_.try_emplace(comm, 0).first;
  }
  ++last_comm_->second;
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
