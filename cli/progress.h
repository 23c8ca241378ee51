// Progress: shows on a terminal how far a long reading has come.

#ifndef SONDE_CLI_PROGRESS_H_
#define SONDE_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace sonde::cli {

// Writes to standard error when that is a terminal, and only once a second of
// work has passed. Outlives its callback. Not thread-safe.
class Progress {
 public:
  explicit Progress(std::string what);

  // For ReadOptions::progress; empty when there is nobody to see it.
  std::function<void(std::uint64_t done, std::uint64_t total)> Callback();
  // Takes the line away again.
  void Clear();

 private:
  void Show(std::uint64_t done, std::uint64_t total);

  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_PROGRESS_H_
