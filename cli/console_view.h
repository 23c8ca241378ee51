// ConsoleView: what the console's terminal client shows, and how keys change it.

#ifndef SONDE_CLI_CONSOLE_VIEW_H_
#define SONDE_CLI_CONSOLE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console_model.h"

namespace sonde::cli {

enum class LineStyle : std::uint8_t { kPlain, kStrong, kFaint, kSelected, kWarning };

struct ScreenLine {
  std::string text;  // Already cut to the width.
  LineStyle style = LineStyle::kPlain;
};

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
  enum class Tab : std::uint8_t { kTasks, kResources, kAsyncOps };
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
  struct Row {
    std::uint64_t id = 0;
    std::string text;
    LineStyle style = LineStyle::kPlain;
  };
  std::vector<Row> TaskRows(const ConsoleModel& model, int width) const;
  std::vector<Row> ResourceRows(const ConsoleModel& model, int width) const;
  std::vector<Row> AsyncOpRows(const ConsoleModel& model, int width) const;
  std::vector<Row> Rows(const ConsoleModel& model, int width) const;
  void RenderList(const ConsoleModel& model, int width, int height, std::vector<ScreenLine>& out);
  void RenderTask(const ConsoleModel& model, int width, std::vector<ScreenLine>& out) const;
  void RenderHelp(int width, std::vector<ScreenLine>& out) const;
  bool Matches(const TaskRow& task, const std::string& whole) const;
  void PressInFilter(int key);

  Tab tab_ = Tab::kTasks;
  char sort_ = 't';
  bool is_ascending_ = false;
  std::string filter_;
  bool is_filtering_ = false;
  bool shows_help_ = false;
  std::uint64_t selected_ = 0;  // An id, so that the selection stays when rows move.
  std::size_t selected_row_ = 0;
  std::size_t top_ = 0;
  int page_ = 10;
  std::optional<std::uint64_t> open_task_;
  std::optional<TaskDetails> details_;
};

// 1.23 ms: three digits and a unit that fits.
std::string ShortDuration(std::int64_t ns);

// `text` in exactly `columns` columns, cut with an ellipsis or padded.
std::string InColumns(const std::string& text, int columns, bool right_aligned = false);

}  // namespace sonde::cli

#endif  // SONDE_CLI_CONSOLE_VIEW_H_
