// HttpService: what it answers about the heap: as pprof, as text, and what was added in a while.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "console/http_replies.h"
#include "console/http_service.h"
#include "sonde/combine.h"

namespace sonde {
namespace {

HttpResponse NotLinked() {
  return GoError(404, "no heap profiles: the program does not link sonde::heap");
}

struct TimedHeap {
  Result<HeapProfile> heap;
  std::int64_t taken_ns = SteadyNs();
};

// `before` is taken out.
HttpResponse DeltaReply(TimedHeap& before, TimedHeap after, const std::string& file_name) {
  for (const TimedHeap* timed : {&before, &after}) {
    if (!timed->heap.ok()) return GoError(404, timed->heap.error().message);
  }
  ProfileBuilder& now = after.heap.value().profile;
  now.SetDuration(after.taken_ns - before.taken_ns);
  const Profile later = std::move(now).Build();
  const Profile earlier = std::move(before.heap.value().profile).Build();
  const Result<Profile> added = Subtract(later, earlier);
  return added.ok() ? PprofReply(added.value(), file_name) : GoError(500, added.error().message);
}

}  // namespace

void HttpService::ServeHeap(const Context& context, HeapKind kind, std::string_view file_name) {
  if (!hooks_.heap) return Send(context.exchange, NotLinked());
  const bool wants_text = context.target.Number("debug").value_or(0) != 0;
  const std::string_view span = context.target.Parameter("seconds");
  if (!span.empty()) {
    constexpr std::int64_t kLongestSeconds = 3600;
    const std::int64_t seconds = context.target.Number("seconds").value_or(0);
    if (seconds <= 0) {
      return Send(context.exchange,
                  GoError(400, "invalid value for \"seconds\" - must be a positive integer"));
    }
    if (seconds > kLongestSeconds) {
      return Send(context.exchange, GoError(400, "profile duration exceeds an hour"));
    }
    if (wants_text) {
      return Send(context.exchange, GoError(400, "seconds and debug params are incompatible"));
    }
    return ServeHeapDelta(context, kind, seconds, std::string(file_name));
  }
  if (wants_text) return ServeHeapText(context, kind, file_name);
  AnswerLater(
      context.exchange,
      [this, kind, file = std::string(file_name)] {
        Result<HeapProfile> heap = hooks_.heap(kind);
        if (!heap.ok()) return GoError(404, heap.error().message);
        return PprofReply(std::move(heap.value().profile).Build(), file);
      },
      std::string(file_name));
}

void HttpService::ServeHeapText(const Context& context, HeapKind kind, std::string_view file_name) {
  if (!hooks_.heap) return Send(context.exchange, NotLinked());
  AnswerLater(
      context.exchange,
      [this, kind] {
        Result<HeapProfile> heap = hooks_.heap(kind);
        if (!heap.ok()) return GoError(404, heap.error().message);
        return TextReply(200, std::move(heap.value().text));
      },
      std::string(file_name));
}

void HttpService::ServeHeapDelta(const Context& context, HeapKind kind, std::int64_t seconds,
                                 const std::string& file_name) {
  const Exchange exchange = context.exchange;
  const auto before = std::make_shared<std::optional<TimedHeap>>();
  spans_.Take(exchange,
              {.length = std::chrono::seconds(seconds),
               .open = [this, before, kind] { before->emplace(TimedHeap{hooks_.heap(kind)}); },
               .close =
                   [this, before, kind, file_name](bool is_wanted) {
                     if (!is_wanted) return HttpResponse();
                     return DeltaReply(**before, {hooks_.heap(kind)}, file_name + "-delta");
                   },
               .send =
                   [this, exchange, file_name](HttpResponse response) {
                     SendProfile(exchange, file_name, std::move(response));
                   }});
}

}  // namespace sonde
