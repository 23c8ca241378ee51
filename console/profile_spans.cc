// ProfileSpans: profiles that take a while: opened, waited for, and closed, early when nobody
// waits or the process ends.

#include "console/profile_spans.h"

#include <utility>
#include <vector>

#include "console/console_server.h"
#include "console/http_replies.h"

namespace sonde {
namespace {

constexpr std::size_t kMostSpans = 64;

HttpResponse Busy() { return TextReply(503, "too many profiles are being taken\n"); }

}  // namespace

struct ProfileSpans::Taken {
  Span span;
  std::shared_ptr<HttpExchange> exchange;
  std::function<void()> stop_waiting{};  // Empty while it is not waited for.
};

void ProfileSpans::Take(const std::shared_ptr<HttpExchange>& exchange, Span span) {
  const auto taken = std::make_shared<Taken>(Taken{std::move(span), exchange});
  const auto open = [this, taken] {
    taken->span.open();
    server_.Post([this, taken] { Wait(taken); });
  };
  if (open_.size() >= kMostSpans || !work_.Add(open)) return taken->span.send(Busy());
  open_.insert(taken);
  exchange->on_closed = [this, weak = std::weak_ptr(taken)] {
    const auto waiting = weak.lock();
    if (waiting == nullptr || !waiting->stop_waiting) return;
    waiting->stop_waiting();
    Close(waiting);
  };
}

void ProfileSpans::Wait(const std::shared_ptr<Taken>& taken) {
  if (is_ending_ || taken->exchange->is_closed()) return Close(taken);
  taken->stop_waiting = server_.After(taken->span.length, [this, taken] {
    if (taken->stop_waiting) Close(taken);
  });
}

void ProfileSpans::Finish() {
  is_ending_ = true;
  for (const std::shared_ptr<Taken>& taken : std::vector(open_.begin(), open_.end())) {
    if (!taken->stop_waiting) continue;
    taken->stop_waiting();
    Close(taken);
  }
}

void ProfileSpans::Close(const std::shared_ptr<Taken>& taken) {
  taken->stop_waiting = nullptr;
  const bool is_wanted = !taken->exchange->is_closed();
  const bool is_closing = work_.Add([this, taken, is_wanted] {
    auto response = std::make_shared<HttpResponse>(taken->span.close(is_wanted));
    server_.Post([this, taken, response, is_wanted] {
      open_.erase(taken);
      if (is_wanted) taken->span.send(std::move(*response));
    });
  });
  if (is_closing) return;
  static_cast<void>(taken->span.close(false));
  open_.erase(taken);
  if (is_wanted) taken->span.send(Busy());
}

}  // namespace sonde
