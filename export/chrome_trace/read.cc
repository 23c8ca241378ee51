// ReadChromeTrace: a Profile from a trace in Chrome's event format.

#include "export/chrome_trace/read.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/json_fault.h"
#include "export/limit_guard.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

namespace dom = simdjson::dom;

constexpr double kNanosecondsPerMicrosecond = 1e3;
constexpr double kLargestMicroseconds = 9.2e15;

Error Malformed(std::string message) {
  return {.code = ErrorCode::kMalformed, .message = "chrome trace: " + std::move(message)};
}

struct Span {
  std::int64_t start;
  std::int64_t end;
  LocationId frame;
};

// One thread of the trace.
struct Thread {
  std::vector<Span> spans;
  std::vector<Span> open;  // Begun and not ended.
  std::string name;
};
using ThreadKey = std::pair<std::string, std::string>;  // pid and tid, as written.

std::string_view TextAt(dom::element object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// Numbers in most traces, texts in some.
std::string IdAt(dom::element object, const char* key) {
  std::int64_t number = 0;
  if (object[key].get(number) == simdjson::SUCCESS) return std::to_string(number);
  return std::string(TextAt(object, key));
}

std::optional<std::int64_t> Nanoseconds(dom::element object, const char* key) {
  double microseconds = 0;
  if (object[key].get(microseconds) != simdjson::SUCCESS ||
      !(std::abs(microseconds) < kLargestMicroseconds)) {
    return std::nullopt;
  }
  return std::llround(microseconds * kNanosecondsPerMicrosecond);
}

class ChromeTraceReader {
 public:
  explicit ChromeTraceReader(const ReadOptions& options)
      : options_(options),
        builder_({{"time", "nanoseconds"}}),
        guard_(options.limits, builder_, options.stop) {}

  Result<Profile> Read(dom::array events) {
    std::size_t index = 0;
    for (const dom::element event : events) {
      if (Status status = guard_.CountRecord(); !status.ok()) return status.error();
      if (Status status = TakeEvent(event, index); !status.ok()) return status.error();
      ++index;
    }
    for (auto& [key, thread] : threads_) {
      if (Status status = AddThread(key, thread); !status.ok()) return status.error();
    }
    return std::move(builder_).Build();
  }

 private:
  Status Refuse(std::string_view kind, std::size_t index) {
    const std::string place = "event " + std::to_string(index);
    if (options_.strict) return Malformed(std::string(kind) + " (" + place + ')');
    builder_.losses().Add(kind, "records", 1, place);
    return {};
  }

  Status TakeEvent(dom::element event, std::size_t index) {
    const std::string_view phase = TextAt(event, "ph");
    Thread& thread = threads_[{IdAt(event, "pid"), IdAt(event, "tid")}];
    if (phase == "M") {
      if (TextAt(event, "name") == "thread_name") {
        std::string_view name;
        if (event["args"]["name"].get(name) == simdjson::SUCCESS) thread.name = name;
      }
      return {};
    }
    if (phase != "X" && phase != "B" && phase != "E") {
      builder_.losses().Add("event without a duration", "records", 1,
                            "event " + std::to_string(index));
      return {};
    }
    const std::optional<std::int64_t> start = Nanoseconds(event, "ts");
    if (!start.has_value()) return Refuse("event without a time", index);
    if (phase == "E") {
      if (thread.open.empty() || *start < thread.open.back().start) {
        return Refuse("end without a beginning", index);
      }
      Span span = thread.open.back();
      thread.open.pop_back();
      span.end = *start;
      thread.spans.push_back(span);
      return {};
    }
    const std::string_view name = TextAt(event, "name");
    if (name.empty()) return Refuse("event without a name", index);
    Span span{*start, *start, builder_.FrameNamed(name)};
    if (Status status = guard_.CheckFrames(); !status.ok()) return status;
    if (phase == "B") {
      thread.open.push_back(span);
      return {};
    }
    const std::optional<std::int64_t> duration = Nanoseconds(event, "dur");
    if (!duration.has_value() || *duration < 0) return Refuse("event without a duration", index);
    span.end = *start + *duration;
    thread.spans.push_back(span);
    return {};
  }

  LabelSetId LabelsOf(const ThreadKey& key, const Thread& thread) {
    std::vector<Label> labels;
    for (const auto& [name, value] :
         {std::pair{"pid", &key.first}, std::pair{"tid", &key.second}}) {
      if (value->empty()) continue;
      std::int64_t number = 0;
      const auto parsed = std::from_chars(value->data(), value->data() + value->size(), number);
      const bool is_number = parsed.ptr == value->data() + value->size();
      labels.push_back(is_number ? builder_.NumberLabel(name, number)
                                 : builder_.TextLabel(name, *value));
    }
    if (!thread.name.empty()) labels.push_back(builder_.TextLabel("thread", thread.name));
    return builder_.AddLabels(labels);
  }

  // Spans in order of their start, the longer first: each lies in those still open.
  Status AddThread(const ThreadKey& key, Thread& thread) {
    if (!thread.open.empty()) {
      builder_.losses().Add("beginning without an end", "records", thread.open.size());
    }
    std::ranges::stable_sort(thread.spans, [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    const LabelSetId labels = LabelsOf(key, thread);
    struct Open {
      std::int64_t end;
      StackId stack;
    };
    std::vector<Open> open;
    std::int64_t now = 0;
    // Gives the time up to `until` to what is open, innermost first.
    const auto pass = [&](std::int64_t until) -> Status {
      while (!open.empty() && now < until) {
        const std::int64_t stop = std::min(open.back().end, until);
        if (stop > now) {
          if (Status status = guard_.CountStack(open.back().stack); !status.ok()) return status;
          builder_.AddSample(open.back().stack, labels, {stop - now}, std::nullopt);
          now = stop;
        }
        if (open.back().end <= now) {
          open.pop_back();
        } else {
          break;
        }
      }
      now = until;
      while (!open.empty() && open.back().end <= now) open.pop_back();
      return {};
    };
    for (const Span& span : thread.spans) {
      if (Status status = pass(span.start); !status.ok()) return status;
      const StackId caller = open.empty() ? kEmptyStack : open.back().stack;
      // A child never outlasts what it is called from.
      const std::int64_t end = open.empty() ? span.end : std::min(span.end, open.back().end);
      if (end < span.end) builder_.losses().Add("span outlasts its parent", "records", 1);
      if (Status status = guard_.CheckDepth(open.size() + 1); !status.ok()) return status;
      open.push_back({end, builder_.Extend(caller, span.frame)});
    }
    return pass(INT64_MAX);
  }

  const ReadOptions& options_;
  ProfileBuilder builder_;
  LimitGuard guard_;
  std::map<ThreadKey, Thread> threads_;
};

}  // namespace

Result<Profile> ReadChromeTrace(std::string_view text, const ReadOptions& options) {
  dom::parser parser;
  dom::element root;
  const simdjson::padded_string padded(text);
  if (const auto fault = parser.parse(padded).get(root); fault != simdjson::SUCCESS) {
    return JsonFault("chrome trace", text, fault);
  }
  dom::array events;
  if (root.get(events) != simdjson::SUCCESS &&
      root["traceEvents"].get(events) != simdjson::SUCCESS) {
    return Malformed("no events");
  }
  return ChromeTraceReader(options).Read(events);
}

}  // namespace sonde
