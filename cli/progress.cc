// Progress: shows on a terminal how far a long reading has come.

#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace sonde::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{1'000};
constexpr std::chrono::milliseconds kBetween{100};

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)),
      on_terminal_(::isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + kPatience) {}

std::function<void(std::uint64_t, std::uint64_t)> Progress::Callback() {
  if (!on_terminal_) return {};
  return [this](std::uint64_t done, std::uint64_t total) { Show(done, total); };
}

void Progress::Show(std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  if (total == 0) {
    std::fprintf(stderr, "\r\033[K%s: %.1f MB", what_.c_str(), static_cast<double>(done) / 1e6);
  } else {
    std::fprintf(stderr, "\r\033[K%s: %.0f %%", what_.c_str(),
                 100.0 * static_cast<double>(done) / static_cast<double>(total));
  }
}

void Progress::Clear() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

}  // namespace sonde::cli
