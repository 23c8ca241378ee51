// Terminal: the screen of the terminal client, given back as it was however the program ends.

#ifndef SONDE_CLI_TERMINAL_H_
#define SONDE_CLI_TERMINAL_H_

#include <chrono>
#include <memory>
#include <vector>

#include "cli/console_view.h"
#include "sonde/result.h"

namespace sonde::cli {

// At most one. Honours NO_COLOR. Not thread-safe.
class Terminal {
 public:
  // Fails with kUsage when standard input or output is no terminal.
  static Result<std::unique_ptr<Terminal>> Open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int width() const;
  int height() const;
  void Draw(const std::vector<ScreenLine>& lines);
  // Waits for a key or for `descriptor` (-1 = none) to have something to read, at most `timeout`.
  // Returns the key, or -1.
  int WaitForKey(int descriptor, std::chrono::milliseconds timeout);

 private:
  Terminal();
  bool has_colors_ = false;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_TERMINAL_H_
