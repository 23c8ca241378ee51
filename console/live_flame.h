// LiveFlame: answers GET /api/flame and GET /api/labels, of a window of the last minutes.

#ifndef SONDE_CONSOLE_LIVE_FLAME_H_
#define SONDE_CONSOLE_LIVE_FLAME_H_

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>

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

  // For 200 ms, or for as long as it took to draw, the same question has the same answer: several
  // pages, or a scraper in a hurry, cost the process little more than one page.
  HttpResponse Answer(const HttpTarget& target);
  // Which labels the window's samples have.
  HttpResponse Labels(const HttpTarget& target);
  // Ends a slice of what is kept for windows, or lets go of it all when nobody asked for a minute.
  // To be called each second while it is watching.
  void KeepUp();
  // Lets go of everything, until it is asked again.
  void Rest();
  // True while samples are kept. Any thread.
  bool is_watching() const noexcept { return is_watching_.load(); }

 private:
  struct Kept {
    std::string query;
    std::chrono::steady_clock::time_point until;
    HttpResponse reply;
  };

  HttpResponse Draw(const HttpTarget& target);
  // All samples of the window that ended `ago`.
  Profile Window(const HttpTarget& target, std::chrono::seconds ago);
  // Notes that somebody looks; true for the first one.
  bool IsFirstLook();

  Symbolizer& symbolizer_;
  std::unique_ptr<LiveWindow> window_;  // Null: the process is not sampled.
  std::atomic<bool> is_watching_{false};
  std::chrono::steady_clock::time_point last_asked_{};
  std::deque<Kept> kept_;  // The oldest first.
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_LIVE_FLAME_H_
