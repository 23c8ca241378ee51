// ConsoleView: what the console's terminal client shows, and how keys change it.

#ifndef SONDE_CLI_CONSOLE_VIEW_H_
#define SONDE_CLI_CONSOLE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console_list.h"
#include "cli/console_model.h"
#include "cli/screen_line.h"

namespace sonde::cli {

// Keys that are no characters.
enum Key : int {
  kKeyUp = 0x10'0000,
  kKeyDown,
  kKeyPageUp,
  kKeyPageDown,
  kKeyHome,
  kKeyEnd,
  kKeyEnter,
  kKeyEscape,
  kKeyBackspace,
};

struct ConnectionLine {
  std::string url;
  bool is_connected = false;
  bool is_paused = false;
  std::string problem;  // Why there is no connection.
};

// Knows nothing of terminals, so that it can be tested. Not thread-safe.
class ConsoleView {
 public:
  // What the program is to do after a key.
  enum class Wish : std::uint8_t { kNothing, kQuit, kTogglePause, kOpenTask, kCloseTask };

  Wish Press(int key, const ConsoleModel& model);
  // The whole screen: exactly `height` lines of at most `width` columns.
  std::vector<ScreenLine> Render(const ConsoleModel& model, const ConnectionLine& connection,
                                 int width, int height);

  // The task whose detail is shown.
  std::optional<std::uint64_t> open_task() const noexcept { return open_task_; }
  void SetDetails(TaskDetails details) { details_ = std::move(details); }

 private:
  void RenderList(const ConsoleModel& model, int width, int height, std::vector<ScreenLine>& out);
  void RenderTask(const ConsoleModel& model, int width, std::vector<ScreenLine>& out) const;
  void RenderHelp(int width, std::vector<ScreenLine>& out) const;
  void PressInFilter(int key);

  ListQuery query_;
  bool is_filtering_ = false;
  bool shows_help_ = false;
  std::uint64_t selected_ = 0;  // An id, so that the selection stays when rows move.
  std::size_t selected_row_ = 0;
  std::size_t top_ = 0;
  int page_ = 10;
  std::optional<std::uint64_t> open_task_;
  std::optional<TaskDetails> details_;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_CONSOLE_VIEW_H_
