// SessionPush: what a session sends to a continuous-profiling engine.

#ifndef SONDE_CONSOLE_SESSION_PUSH_H_
#define SONDE_CONSOLE_SESSION_PUSH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "console/interval_hub.h"
#include "sampler/symbolizer.h"
#include "sonde/push.h"
#include "sonde/session.h"

namespace sonde {

class SessionPush {
 public:
  // The engine's name; empty when the session pushes to none.
  static std::string EngineOf(const SessionOptions& options);

  // Begins to push, if the options say so. What cannot be is told to `on_error` of the options.
  // `samples` is null when the process is not sampled, and outlives the object.
  void Begin(const SessionOptions& options, IntervalHub* samples,
             std::function<std::string(std::uint64_t)> task_name);
  // Sends what waits, within two seconds.
  void Finish();
  // Any thread, also while it begins.
  PushStats stats() const;

 private:
  PushedProfile Take();

  IntervalHub* samples_ = nullptr;
  std::uint64_t span_ = 0;
  std::unique_ptr<Symbolizer> symbolizer_;  // Of the pusher's thread.
  std::unique_ptr<Pusher> pusher_;
  std::atomic<const Pusher*> shown_{nullptr};  // The same, for other threads.
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_SESSION_PUSH_H_
