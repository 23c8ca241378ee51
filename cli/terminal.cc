// Terminal: the screen of the terminal client, given back as it was however the program ends.

#include "cli/terminal.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <cstdlib>
#include <string_view>

namespace sonde::cli {
namespace {

termios g_settings;

// Leaves the second screen, shows the cursor, plain colours. Async-signal-safe.
void RestoreInSignal() {
  constexpr std::string_view kRestore = "\x1b[?1049l\x1b[?25h\x1b[0m\x1b[?1l\x1b>";
  const ssize_t ignored = ::write(STDOUT_FILENO, kRestore.data(), kRestore.size());
  static_cast<void>(ignored);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &g_settings);
}

void OnDeadlySignal(int number) {
  RestoreInSignal();
  ::signal(number, SIG_DFL);
  ::raise(number);
}

constexpr std::array kDeadlySignals{SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                    SIGSEGV, SIGABRT, SIGBUS, SIGFPE};

int AttributeOf(LineStyle style, bool has_colors) {
  switch (style) {
    case LineStyle::kStrong:
      return A_BOLD;
    case LineStyle::kFaint:
      return A_DIM;
    case LineStyle::kSelected:
      return A_REVERSE;
    case LineStyle::kWarning:
      return has_colors ? COLOR_PAIR(1) : A_BOLD;
    case LineStyle::kPlain:
      break;
  }
  return A_NORMAL;
}

int KeyOf(int key) {
  switch (key) {
    case KEY_UP:
      return kKeyUp;
    case KEY_DOWN:
      return kKeyDown;
    case KEY_PPAGE:
      return kKeyPageUp;
    case KEY_NPAGE:
      return kKeyPageDown;
    case KEY_HOME:
      return kKeyHome;
    case KEY_END:
      return kKeyEnd;
    case KEY_ENTER:
    case '\n':
    case '\r':
      return kKeyEnter;
    case KEY_BACKSPACE:
    case 127:
    case 8:
      return kKeyBackspace;
    case 27:
      return kKeyEscape;
    default:
      return key;
  }
}

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::Open() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0 ||
      ::tcgetattr(STDIN_FILENO, &g_settings) != 0) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "standard input and output must be a terminal"};
  }
  return std::unique_ptr<Terminal>(new Terminal());
}

Terminal::Terminal() {
  std::setlocale(LC_ALL, "");
  ::setenv("ESCDELAY", "25", 0);
  for (const int number : kDeadlySignals) ::signal(number, OnDeadlySignal);
  initscr();
  cbreak();
  noecho();
  curs_set(0);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  const char* const no_color = std::getenv("NO_COLOR");
  has_colors_ = has_colors() && (no_color == nullptr || *no_color == '\0');
  if (has_colors_) {
    start_color();
    use_default_colors();
    init_pair(1, COLOR_YELLOW, -1);
  }
}

Terminal::~Terminal() {
  endwin();
  for (const int number : kDeadlySignals) ::signal(number, SIG_DFL);
}

int Terminal::width() const { return getmaxx(stdscr); }
int Terminal::height() const { return getmaxy(stdscr); }

void Terminal::Draw(const std::vector<ScreenLine>& lines) {
  erase();
  int row = 0;
  for (const ScreenLine& line : lines) {
    const int attribute = AttributeOf(line.style, has_colors_);
    attrset(attribute);
    const std::string text =
        line.style == LineStyle::kSelected ? InColumns(line.text, width()) : line.text;
    mvaddstr(row++, 0, text.c_str());
  }
  attrset(A_NORMAL);
  refresh();
}

int Terminal::WaitForKey(int descriptor, std::chrono::milliseconds timeout) {
  int key = getch();
  if (key == ERR) {
    std::array<pollfd, 2> waiting{{{STDIN_FILENO, POLLIN, 0}, {descriptor, POLLIN, 0}}};
    ::poll(waiting.data(), descriptor < 0 ? 1 : 2, static_cast<int>(timeout.count()));
    key = getch();
  }
  return key == ERR || key == KEY_RESIZE ? -1 : KeyOf(key);
}

}  // namespace sonde::cli
