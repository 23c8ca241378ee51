// ProfileSpans: profiles that take a while: opened, waited for, and closed, early when nobody
// waits or the process ends.

#ifndef SONDE_CONSOLE_PROFILE_SPANS_H_
#define SONDE_CONSOLE_PROFILE_SPANS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_set>

#include "console/http_exchange.h"
#include "console/work_queue.h"

namespace sonde {

class ConsoleServer;

// Used by the server's thread only.
class ProfileSpans {
 public:
  struct Span {
    std::chrono::seconds length;
    // Both are called by the work queue's thread, unless it is too busy to close.
    std::function<void()> open;
    // What to answer; nothing when nobody waits for it any more.
    std::function<HttpResponse(bool is_wanted)> close;
    // Is given the answer, unless nobody waits for it.
    std::function<void(HttpResponse)> send;
  };

  // Both outlive it.
  ProfileSpans(ConsoleServer& server, WorkQueue& work) : server_(server), work_(work) {}

  // Profiles for `exchange`, or answers it that too many profiles are being taken.
  void Take(const std::shared_ptr<HttpExchange>& exchange, Span span);
  // From now on none is waited for: their readers get what there is or, where that is not made
  // within `patience`, that there was no time for it.
  void Finish(std::chrono::milliseconds patience);

 private:
  struct Taken;

  void Wait(const std::shared_ptr<Taken>& taken);
  void Close(const std::shared_ptr<Taken>& taken);
  // The answer to one of open_, which it is no longer.
  void Answer(const std::shared_ptr<Taken>& taken, HttpResponse response);

  ConsoleServer& server_;
  WorkQueue& work_;
  std::unordered_set<std::shared_ptr<Taken>> open_;
  bool is_ending_ = false;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_PROFILE_SPANS_H_
