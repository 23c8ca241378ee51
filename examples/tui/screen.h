// Screen: the terminal as a program with a full screen has it, given back on the way out.

#ifndef SONDE_EXAMPLES_TUI_SCREEN_H_
#define SONDE_EXAMPLES_TUI_SCREEN_H_

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

namespace chat {

// At most one. Does without a terminal as well: lines in, lines out.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Draws `lines` and a prompt below them.
  void Draw(const std::string& title, const std::vector<std::string>& lines);
  // A line that the user typed; nullopt at the end of the input.
  std::optional<std::string> ReadLine();

 private:
  bool is_terminal_;
  termios before_{};
};

}  // namespace chat

#endif  // SONDE_EXAMPLES_TUI_SCREEN_H_
