// ProfileSpans: profiles that take a while: opened, waited for, and closed, early when nobody
// waits or the process ends.

#include "console/profile_spans.h"

#include <atomic>
#include <utility>
#include <vector>

#include "console/console_server.h"
#include "console/http_replies.h"

namespace sonde {
namespace {

constexpr std::size_t kMostSpans = 64;

HttpResponse Busy() { return TextReply(503, "too many profiles are being taken\n"); }

HttpResponse TooLate() {
  return TextReply(503, "the process ends, and no time was left to make this profile\n");
}

}  // namespace

struct ProfileSpans::Taken {
  Taken(Span of, std::shared_ptr<HttpExchange> to) : span(std::move(of)), exchange(std::move(to)) {}

  Span span;
  std::shared_ptr<HttpExchange> exchange;
  std::function<void()> stop_waiting{};  // Empty while it is not waited for.
  std::atomic<bool> is_wanted{true};
};

void ProfileSpans::Take(const std::shared_ptr<HttpExchange>& exchange, Span span) {
  const auto taken = std::make_shared<Taken>(std::move(span), exchange);
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

void ProfileSpans::Finish(std::chrono::milliseconds patience) {
  is_ending_ = true;
  for (const std::shared_ptr<Taken>& taken : std::vector(open_.begin(), open_.end())) {
    if (!taken->stop_waiting) continue;
    taken->stop_waiting();
    Close(taken);
  }
  // They are made one after the other, and each takes as long as it has functions to name.
  server_.After(patience, [this] {
    for (const std::shared_ptr<Taken>& taken : std::vector(open_.begin(), open_.end())) {
      Answer(taken, TooLate());
    }
  });
}

void ProfileSpans::Answer(const std::shared_ptr<Taken>& taken, HttpResponse response) {
  if (open_.erase(taken) != 0 && taken->is_wanted.exchange(false)) {
    taken->span.send(std::move(response));
  }
}

void ProfileSpans::Close(const std::shared_ptr<Taken>& taken) {
  taken->stop_waiting = nullptr;
  if (taken->exchange->is_closed()) taken->is_wanted = false;
  const bool is_closing = work_.Add([this, taken] {
    auto response = std::make_shared<HttpResponse>(taken->span.close(taken->is_wanted));
    server_.Post([this, taken, response] { Answer(taken, std::move(*response)); });
  });
  if (is_closing) return;
  static_cast<void>(taken->span.close(false));
  Answer(taken, Busy());
}

}  // namespace sonde
