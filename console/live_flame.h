<<<<<<< HEAD
// LiveFlame: answers GET /api/flame, the flame graph of a window of the last minutes.
=======
// LiveFlame: the flame graph of the last seconds, as a request asks for it.
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)

#ifndef SONDE_CONSOLE_LIVE_FLAME_H_
#define SONDE_CONSOLE_LIVE_FLAME_H_

#include <chrono>
#include <memory>

<<<<<<< HEAD
#include "console/console_hooks.h"
#include "console/http_exchange.h"
#include "console/http_target.h"
#include "console/live_window.h"

namespace sonde {

// Used by one thread. docs/http.md says what it answers.
class LiveFlame {
 public:
  // Both outlive it.
  LiveFlame(const ConsoleHooks& hooks, Symbolizer& symbolizer);

  HttpResponse Answer(const HttpTarget& target);
  // Lets go of the samples when nobody asked for a minute.
  void RestWhenUnasked();

 private:
  Result<Profile> Window(const HttpTarget& target, std::chrono::seconds ago);

  Symbolizer& symbolizer_;
  std::unique_ptr<LiveWindow> window_;  // Null: the process is not sampled.
  std::chrono::steady_clock::time_point last_asked_{};
=======
#include "console/http_exchange.h"
#include "console/http_target.h"
#include "console/interval_hub.h"
#include "console/live_window.h"
#include "console/task_names.h"
#include "sampler/symbolizer.h"

namespace sonde {

// Not thread-safe.
class LiveFlame {
 public:
  // What is handed in outlives the object.
  LiveFlame(IntervalHub& hub, Symbolizer& symbolizer, const TaskNames& names)
      : window_(hub), symbolizer_(symbolizer), names_(names) {}

  // The answer to GET /api/flame with the parameters of `target`.
  HttpResponse Reply(const HttpTarget& target);
  // Lets go of the samples when nobody has asked for a minute.
  void RestWhenIdle();

 private:
  struct Filter;
  Profile ProfileOf(Interval interval, const Filter& filter);

  LiveWindow window_;
  Symbolizer& symbolizer_;
  const TaskNames& names_;
  std::chrono::steady_clock::time_point last_asked_;
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_LIVE_FLAME_H_
