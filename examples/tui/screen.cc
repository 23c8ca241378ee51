// Screen: the terminal as a program with a full screen has it, given back on the way out.

#include "screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

namespace chat {
namespace {

constexpr const char* kEnterSecondScreen = "\033[?1049h";
constexpr const char* kLeaveSecondScreen = "\033[?1049l";
constexpr const char* kClear = "\033[H\033[2J";
constexpr std::size_t kLinesWithoutTerminal = 24;

std::size_t Height() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 4 ? size.ws_row
                                                                           : kLinesWithoutTerminal;
}

}  // namespace

Screen::Screen()
    : is_terminal_(::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0 &&
                   ::tcgetattr(STDIN_FILENO, &before_) == 0) {
  if (is_terminal_) std::cout << kEnterSecondScreen << std::flush;
}

Screen::~Screen() {
  if (!is_terminal_) return;
  std::cout << kLeaveSecondScreen << std::flush;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void Screen::Draw(const std::string& title, const std::vector<std::string>& lines) {
  if (!is_terminal_) {
    if (!lines.empty()) std::cout << lines.back() << '\n';
    return;
  }
  const std::size_t room = Height() - 3;
  const std::size_t first = lines.size() > room ? lines.size() - room : 0;
  std::cout << kClear << title << "\n\n";
  for (std::size_t i = first; i < lines.size(); ++i) std::cout << lines[i] << '\n';
  std::cout << "> " << std::flush;
}

std::optional<std::string> Screen::ReadLine() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

}  // namespace chat
