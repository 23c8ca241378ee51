// PushLoop: takes a profile every interval and sends it, again where that fails.

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "console/client/deadline.h"
#include "console/client/http_client.h"
#include "console/client/push_request.h"
#include "console/serving_thread.h"
#include "sonde/push.h"

namespace sonde {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1'000};
constexpr milliseconds kLongestPause{60'000};
constexpr milliseconds kLongestWish{300'000};  // Of an engine that says when to come again.
constexpr milliseconds kGrace{2'000};
constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // That wait.

// So short that it needs none.
Error OutOfMemory() {
  return {.code = ErrorCode::kSystem, .message = "out of memory", .stage = "push"};
}

class PushLoop final : public Pusher {
 public:
  PushLoop(const PushOptions& options, PushTarget target, PushSource source, PushErrors on_error)
      : options_(options),
        target_(std::move(target)),
        source_(std::move(source)),
        on_error_(std::move(on_error)),
        thread_([this] { Run(); }) {}

  ~PushLoop() override { Finish(); }

  void Finish() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      deadline_.BringForward(kGrace);
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  PushStats stats() const override {
    const std::lock_guard lock(mutex_);
    PushStats stats = stats_;
    stats.waiting = queue_.size();
    return stats;
  }

 private:
  void Run() {
    BecomeServingThread("sonde-push");
    Clock::time_point next_take = Clock::now() + options_.interval;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        const Clock::time_point next =
            queue_.empty() ? next_take : std::min(next_take, next_attempt_);
        wake_.wait_until(lock, next, [this] { return is_ending_; });
        if (is_ending_) break;
      }
      if (Clock::now() >= next_take) {
        Take();
        // A take that came late is not made up for: the next one holds what it missed.
        next_take = std::max(next_take + options_.interval, Clock::now());
      }
      if (Clock::now() >= next_attempt_) static_cast<void>(SendFirst());
    }
    {
      const std::lock_guard lock(mutex_);
      deadline_.Set(kGrace);
    }
    Take();
    // An engine that did not answer the last time will not do so now.
    while (!has_failed_ && SendFirst()) {
    }
    const std::lock_guard lock(mutex_);
    stats_.dropped += queue_.size();
    queue_.clear();
  }

  void Take() try {
    PushedProfile profile = source_();
    if (profile.bytes.empty()) return;
    const std::lock_guard lock(mutex_);
    const std::size_t bytes = profile.bytes.size();
    queue_.push_back(std::move(profile));
    has_lacked_memory_ = false;
    ++stats_.taken;
    waiting_bytes_ += bytes;
    while (queue_.size() > std::max<std::size_t>(options_.queue, 1) ||
           (waiting_bytes_ > kMostBytes && queue_.size() > 1)) {
      DropFirst();
      ++stats_.dropped;
    }
  } catch (const std::exception&) {
    {
      const std::lock_guard lock(mutex_);
      ++stats_.taken;
      ++stats_.dropped;
    }
    if (!std::exchange(has_lacked_memory_, true)) Tell(OutOfMemory());
  }

  // With the lock held.
  void DropFirst() {
    waiting_bytes_ -= queue_.front().bytes.size();
    queue_.pop_front();
  }

  // True when the first was sent and another waits.
  bool SendFirst() try {
    HttpQuestion request;
    std::size_t size = 0;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return false;
      request = target_.RequestFor(queue_.front());
      size = queue_.front().bytes.size();
      if (!is_ending_) deadline_.Set(options_.timeout);
    }
    // This thread alone takes from the queue: the first one stays the first.
    const Result<HttpAnswer> answer = AskHttp(target_.address(), request, deadline_);
    PushOutcome outcome = PushOutcome::kTryAgain;
    milliseconds wish{0};
    Error problem{.code = ErrorCode::kSystem, .stage = "push"};
    if (!answer.ok()) {
      problem = answer.error();
      problem.stage = "push";
    } else if (outcome = OutcomeOf(answer.value().status); outcome != PushOutcome::kTaken) {
      const std::string& body = answer.value().body;
      constexpr std::size_t kLongestReason = 200;
      problem.message = "the engine answers " + std::to_string(answer.value().status) + ": " +
                        body.substr(0, std::min(body.find('\n'), kLongestReason));
      if (const int seconds = std::atoi(answer.value().retry_after.c_str()); seconds > 0) {
        wish = std::min(kLongestWish, milliseconds(std::chrono::seconds(seconds)));
      }
    }
    if (Settle(outcome, size, wish, problem.message)) Tell(problem);
    return outcome == PushOutcome::kTaken;
  } catch (const std::exception&) {
    const Error problem = OutOfMemory();
    if (Settle(PushOutcome::kTryAgain, 0, milliseconds(0), problem.message)) Tell(problem);
    return false;
  }

  // Where there is no memory to tell it, it is only counted.
  void Tell(const Error& error) const noexcept {
    try {
      if (on_error_) on_error_(error);
    } catch (const std::exception&) {
    }
  }

  // Whether it failed where all was well before.
  bool Settle(PushOutcome outcome, std::size_t size, milliseconds wish,
              std::string problem) noexcept {
    const std::lock_guard lock(mutex_);
    if (outcome != PushOutcome::kTryAgain) DropFirst();
    if (outcome == PushOutcome::kTaken) {
      ++stats_.pushed;
      stats_.bytes += size;
      stats_.problem.clear();
      pause_ = kFirstPause;
      has_failed_ = false;
      return false;
    }
    ++stats_.failures;
    stats_.problem = std::move(problem);
    if (outcome == PushOutcome::kRefused) {
      ++stats_.dropped;
    } else {
      // Many programs that lost one engine must not come back to it at the same moment.
      const double spread = std::uniform_real_distribution(0.8, 1.2)(random_);
      const auto pause = std::chrono::duration_cast<milliseconds>(pause_ * spread);
      next_attempt_ = Clock::now() + std::max(pause, wish);
      pause_ = std::min(kLongestPause, pause_ * 2);
    }
    return !std::exchange(has_failed_, true);
  }

  const PushOptions options_;
  const PushTarget target_;
  const PushSource source_;
  const PushErrors on_error_;
  mutable std::mutex mutex_;  // Guards what follows, up to the line.
  std::condition_variable wake_;
  std::deque<PushedProfile> queue_;
  std::size_t waiting_bytes_ = 0;
  PushStats stats_;
  bool is_ending_ = false;

  Deadline deadline_{milliseconds(0)};  // Of the attempt in progress.
  // Of the loop's thread alone.
  Clock::time_point next_attempt_{};
  milliseconds pause_ = kFirstPause;
  bool has_failed_ = false;
  bool has_lacked_memory_ = false;  // For the last profile.
  std::minstd_rand random_{std::random_device{}()};
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Pusher>> MakeHttpPusher(const PushOptions& options, PushSource source,
                                               PushErrors on_error) {
  Result<PushTarget> target = PushTarget::Make(options);
  if (!target.ok()) return target.error();
  if (options.interval < milliseconds(100)) {
    return Error{.code = ErrorCode::kUsage, .message = "push.interval_seconds is under 0.1"};
  }
  try {
    return std::unique_ptr<Pusher>(std::make_unique<PushLoop>(
        options, std::move(target).value(), std::move(source), std::move(on_error)));
  } catch (const std::exception& exception) {  // No thread or memory is left.
    return Error{.code = ErrorCode::kSystem, .message = exception.what(), .stage = "push"};
  }
}

}  // namespace sonde
