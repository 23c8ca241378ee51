// SessionPush: what a session sends to a continuous-profiling engine.

#include "console/session_push.h"

#include <utility>

#include "console/pushed_profile.h"
#include "console/session_sampling.h"
#include "sampler/interval.h"

namespace sonde {

std::string SessionPush::EngineOf(const SessionOptions& options) {
  if (options.push.url.empty()) return {};
  return options.push.engine == PushEngine::kParca ? "parca" : "pyroscope";
}

void SessionPush::Begin(const SessionOptions& options, IntervalHub* samples,
                        std::function<std::string(std::uint64_t)> task_name) {
  if (options.push.url.empty()) return;
  const auto report = [&options](Error error) {
    error.stage = "push";
    if (options.on_error) options.on_error(error);
  };
  const auto refuse = [&report](const char* message) {
    report({.code = ErrorCode::kUsage, .message = message});
  };
  if (samples == nullptr) return refuse("push.url is set, but nothing is sampled");
  if (!options.pusher) {
    return refuse("push.url is set, but the session has no pusher: link sonde::push");
  }
  samples_ = samples;
  symbolizer_ = std::make_unique<Symbolizer>(PrivacyOf(options));
  symbolizer_->NameTasksBy(std::move(task_name));
  span_ = samples_->Open();
  auto made = options.pusher(
      options.push, [this] { return Take(); }, options.on_error);
  if (!made.ok()) {
    static_cast<void>(samples_->Close(span_));
    return report(made.error());
  }
  pusher_ = std::move(made).value();
  shown_ = pusher_.get();
}

PushedProfile SessionPush::Take() {
  const Interval interval = samples_->Take(span_);
  if (interval.samples.empty()) return {};
  const Profile profile = symbolizer_->Name(interval).Build();
  Result<PushedProfile> pushed = MakePushedProfile(profile, interval.time_ns);
  return pushed.ok() ? std::move(pushed).value() : PushedProfile();
}

void SessionPush::Finish() {
  if (pusher_ != nullptr) pusher_->Finish();
}

PushStats SessionPush::stats() const {
  const Pusher* const pusher = shown_;
  return pusher != nullptr ? pusher->stats() : PushStats();
}

}  // namespace sonde
