// ReadPerfScript: the text that `perf script` prints, as a Profile.

#include "export/perf_script/perf_script.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "export/event_name.h"
#include "export/limit_guard.h"
#include "export/perf_script/script_frames.h"
#include "export/perf_script/script_part.h"
#include "export/span_of_time.h"
#include "sonde/profile_builder.h"
#include "sonde/usable_cores.h"

namespace sonde {
namespace {

using perf_script::HeaderLine;
using perf_script::ScriptFrames;
using perf_script::ScriptPart;

// How far behind the middle the end of a sample is looked for.
constexpr std::size_t kSplitReach = std::size_t{1} << 20;

// Where a sample begins near the middle of a text; 0 when there is no such place.
std::size_t SplitOf(std::string_view text) {
  const std::string_view reach = text.substr(text.size() / 2, kSplitReach);
  for (const std::string_view blank : {"\n\n", "\n\r\n"}) {
    const std::size_t found = reach.find(blank);
    if (found != std::string_view::npos) return text.size() / 2 + found + blank.size();
  }
  return 0;
}

std::vector<std::unique_ptr<ScriptPart>> PartsOf(std::string_view text, const ReadOptions& options,
                                                 std::size_t smallest_to_split) {
  std::vector<std::unique_ptr<ScriptPart>> parts;
  const bool is_large = text.size() >= smallest_to_split && UsableCores() > 1;
  const std::size_t split = is_large ? SplitOf(text) : 0;
  if (split != 0) parts.push_back(std::make_unique<ScriptPart>(text, 0, split, options));
  parts.push_back(std::make_unique<ScriptPart>(text, split, text.size(), options));
  return parts;
}

Status ReadParts(std::vector<std::unique_ptr<ScriptPart>>& parts, std::size_t total,
                 const ReadOptions& options) {
  std::function<void(std::uint64_t)> progress;
  if (options.progress) {
    progress = [&](std::uint64_t done) { options.progress(done * parts.size(), total); };
  }
  if (parts.size() == 1) return parts.front()->Read(progress);
  Status second;
  std::thread other([&] { second = parts.back()->Read({}); });
  const Status first = parts.front()->Read(progress);
  other.join();
  return first.ok() ? second : first;
}

// Lines are counted only when one has to be named.
std::uint64_t LineAt(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::uint64_t>(std::ranges::count(before, '\n'));
}

std::string PlaceAt(std::string_view text, std::size_t offset) {
  return "line " + std::to_string(LineAt(text, offset));
}

// The last line of a text that was cut off inside it: it has no line end, and not the end that
// the nearest line of its kind has. Empty when it is whole.
std::string_view CutLine(std::string_view text) {
  constexpr std::size_t kReach = std::size_t{64} << 10;
  const std::size_t start = text.rfind('\n') + 1;
  const std::string_view last = text.substr(start);
  const std::string_view shown = perf_script::Trim(last);
  if (start == 0 || shown.empty() || shown.back() == ')' || shown.back() == ':') return {};
  if (perf_script::ParseFrame(shown).kind == perf_script::LineKind::kSourceLine) return {};
  const auto is_indented = [](std::string_view line) { return line[0] == ' ' || line[0] == '\t'; };
  std::string_view before = text.substr(0, start - 1);
  before = before.substr(before.size() - std::min(before.size(), kReach));
  while (!before.empty()) {
    const std::size_t newline = before.rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view line = before.substr(begin);
    before = before.substr(0, begin == 0 ? 0 : newline);
    const std::string_view model = perf_script::Trim(line);
    if (model.empty() || is_indented(line) != is_indented(last)) continue;
    return model.back() == ')' || model.back() == ':' ? last : std::string_view();
  }
  return {};
}

std::vector<std::string_view> EventsOf(const std::vector<std::unique_ptr<ScriptPart>>& parts) {
  std::vector<std::string_view> events;
  for (const auto& part : parts) {
    for (const std::string_view event : part->events()) {
      if (std::ranges::find(events, event) == events.end()) events.push_back(event);
    }
  }
  return events;
}

// Adds one part after the other: ids then count up as if the text had been read in one go.
class Assembler {
 public:
  Assembler(std::string_view text, const ReadOptions& options, std::vector<std::string_view> events)
      : text_(text),
        options_(options),
        events_(std::move(events)),
        builder_(TypesOf(events_, options)),
        frames_(builder_, options.keep_addresses) {
    builder_.SetDefaultSampleType(0);
    builder_.SetCountsEvents(true);
  }

  Status Add(const ScriptPart& part);
  // The last line is not whole.
  void CountCutLine(std::string_view line) {
    const auto offset = static_cast<std::size_t>(line.data() - text_.data());
    builder_.losses().Add("text cut off", "lines", 1, PlaceAt(text_, offset));
  }
  Profile Build(std::int64_t duration_ns) && {
    builder_.SetRecords(samples_);
    builder_.SetDuration(duration_ns);
    if (samples_ == 0) recorded_.TellIn(builder_);
    const MappingId program = frames_.Program(comms_);
    return std::move(builder_).Build(program);
  }

 private:
  static std::vector<ValueType> TypesOf(const std::vector<std::string_view>& events,
                                        const ReadOptions& options) {
    std::vector<ValueType> types;
    for (const std::string_view event : events) {
      types.push_back(TypeOfEvent(event, options.count_samples));
    }
    if (options.count_records) {
      for (const std::string_view event : events) {
        types.push_back({"records", std::string(event.empty() ? "count" : event)});
      }
    }
    return types;
  }

  LabelSetId LabelsOf(const ScriptPart::Thread& thread);
  void CountUnknown(std::string_view line, std::uint64_t samples);
  Status CheckLimits() const;

  std::string_view text_;
  const ReadOptions& options_;
  std::vector<std::string_view> events_;
  ProfileBuilder builder_;
  ScriptFrames frames_;
  SpanOfTime recorded_;
  std::unordered_map<std::string_view, std::uint64_t> comms_;
  std::uint64_t samples_ = 0;
  std::uint64_t records_ = 0;
  std::vector<std::size_t> places_told_;  // Of unknown lines.
};

LabelSetId Assembler::LabelsOf(const ScriptPart::Thread& thread) {
  std::vector<Label> labels;
  if (!thread.comm.empty()) labels.push_back(builder_.TextLabel("comm", thread.comm));
  const auto add = [&](std::string_view key, std::int64_t number) {
    if (number != HeaderLine::kNotPrinted) labels.push_back(builder_.NumberLabel(key, number));
  };
  add("pid", thread.pid);
  add("tid", thread.tid);
  add("cpu", thread.cpu);
  return builder_.AddLabels(labels);
}

void Assembler::CountUnknown(std::string_view line, std::uint64_t samples) {
  const auto offset = static_cast<std::size_t>(line.data() - text_.data());
  // To tell a place takes a look at all of the text before it.
  std::string place;
  if (places_told_.size() < Losses::kPlacesKept &&
      std::ranges::find(places_told_, offset) == places_told_.end()) {
    places_told_.push_back(offset);
    place = PlaceAt(text_, offset);
  }
  builder_.losses().Add("unknown line", "lines", samples, place);
}

Status Assembler::CheckLimits() const {
  const ReadLimits& limits = options_.limits;
  if (records_ > limits.records) {
    return OverLimit("records", "max_records", limits.records, records_);
  }
  if (builder_.location_count() > limits.unique_frames) {
    return OverLimit("distinct frames", "max_unique_frames", limits.unique_frames,
                     builder_.location_count());
  }
  return {};
}

Status Assembler::Add(const ScriptPart& part) {
  records_ += part.records();
  recorded_.Add(part.recorded());
  for (const auto& [comm, samples] : part.comms()) comms_[comm] += samples;
  if (part.stray_lines() > 0) {
    Losses& losses = builder_.losses();
    losses.Add("unknown line", "lines", part.stray_lines() - part.stray_offsets().size());
    for (const std::size_t offset : part.stray_offsets()) {
      losses.Add("unknown line", "lines", 1, PlaceAt(text_, offset));
    }
  }

  std::vector<std::size_t> type_of_event;
  for (const std::string_view event : part.events()) {
    type_of_event.push_back(
        static_cast<std::size_t>(std::ranges::find(events_, event) - events_.begin()));
  }
  std::vector<LabelSetId> labels_of_thread;
  for (const ScriptPart::Thread& thread : part.threads()) {
    labels_of_thread.push_back(LabelsOf(thread));
  }

  frames_.Begin(part.lines());
  std::vector<std::optional<StackId>> stacks(part.stack_limit());
  std::vector<std::uint32_t> lines;
  std::vector<std::int64_t> values(events_.size() * (options_.count_records ? 2 : 1), 0);
  for (const ScriptPart::Row& row : part.rows()) {
    part.GetStack(row.stack, lines);
    if (!stacks[row.stack].has_value()) stacks[row.stack] = frames_.Add(lines);
    for (const std::uint32_t line : lines) {
      if (part.lines()[line].kind == perf_script::LineKind::kUnknown) {
        if (options_.strict) {
          const auto offset =
              static_cast<std::size_t>(part.lines()[line].function.data() - text_.data());
          return Error{.code = ErrorCode::kMalformed,
                       .message = "line is not a frame of perf script",
                       .byte_offset = offset,
                       .line = LineAt(text_, offset)};
        }
        CountUnknown(part.lines()[line].function, row.samples);
      }
    }
    const std::size_t type = type_of_event[row.event];
    values[type] = row.weight;
    if (options_.count_records) {
      values[events_.size() + type] = static_cast<std::int64_t>(row.samples);
    }
    builder_.AddSample(*stacks[row.stack], labels_of_thread[row.thread], values, row.samples);
    values[type] = 0;
    if (options_.count_records) values[events_.size() + type] = 0;
    samples_ += row.samples;
    if (row.overflows > 0) {
      builder_.losses().Add("value overflow", "samples", row.overflows);
    }
    if (const Status within = CheckLimits(); !within.ok()) return within;
  }
  return {};
}

std::int64_t DurationOf(const std::vector<std::unique_ptr<ScriptPart>>& parts) {
  std::int64_t first = HeaderLine::kNotPrinted;
  std::int64_t last = HeaderLine::kNotPrinted;
  for (const auto& part : parts) {
    if (part->first_ns() == HeaderLine::kNotPrinted) continue;
    first = first == HeaderLine::kNotPrinted ? part->first_ns() : std::min(first, part->first_ns());
    last = std::max(last, part->last_ns());
  }
  return first == HeaderLine::kNotPrinted ? 0 : last - first;
}

}  // namespace

Result<Profile> ReadPerfScript(std::string_view text, const ReadOptions& options,
                               std::size_t smallest_to_split) {
  const std::string_view cut = CutLine(text);
  if (options.strict && !cut.empty()) {
    const std::size_t offset = text.size() - cut.size();
    return Error{.code = ErrorCode::kMalformed,
                 .message = "the text is cut off",
                 .byte_offset = offset,
                 .line = LineAt(text, offset)};
  }
  text.remove_suffix(cut.size());
  std::vector<std::unique_ptr<ScriptPart>> parts = PartsOf(text, options, smallest_to_split);
  if (const Status read = ReadParts(parts, text.size(), options); !read.ok()) {
    Error error = read.error();
    error.line = LineAt(text, static_cast<std::size_t>(error.byte_offset));
    return error;
  }

  std::uint64_t records = 0;
  for (const auto& part : parts) records += part->records();
  if (records == 0) {
    return Error{.code = ErrorCode::kMalformed, .message = "no sample of perf script in the text"};
  }
  std::vector<std::string_view> events = EventsOf(parts);
  if (events.empty()) events.push_back(options.event);

  Assembler assembler(text, options, std::move(events));
  if (!cut.empty()) assembler.CountCutLine(cut);
  for (const auto& part : parts) {
    if (const Status added = assembler.Add(*part); !added.ok()) return added.error();
  }
  return std::move(assembler).Build(DurationOf(parts));
}

}  // namespace sonde
