// sonde console: watch the tasks of a running program, record them and play them back.

#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "cli/commands.h"
#include "cli/console_model.h"
#include "cli/console_view.h"
#include "cli/grpc_client.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "console/recording.h"
#include "console/replay_console.h"
#include "sonde/byte_sink.h"

namespace sonde::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct Options {
  std::string url = "http://127.0.0.1:6669";
  std::string token;
  bool as_json = false;
  double seconds = 0;
  std::string output;
  std::string input;
  std::uint16_t port = 6669;
};

volatile std::sig_atomic_t g_interrupted = 0;

void CatchInterrupt() {
  std::signal(SIGINT, [](int) { g_interrupted = 1; });
  std::signal(SIGTERM, [](int) { g_interrupted = 1; });
}

// A connection with its two long calls.
class Watch {
 public:
  static Result<std::unique_ptr<Watch>> Start(const Options& options) {
    auto client = GrpcClient::Connect(options.url, options.token);
    if (!client.ok()) return client.error();
    auto watch = std::unique_ptr<Watch>(new Watch(std::move(client).value()));
    const auto updates = watch->client_->Call("WatchUpdates");
    if (!updates.ok()) return updates.error();
    const auto states = watch->client_->Call("WatchState");
    if (!states.ok()) return states.error();
    watch->updates_ = updates.value();
    watch->states_ = states.value();
    return watch;
  }

  // Takes what the server sends within `timeout`. `on_update` gets the bytes of each Update.
  template <typename OnUpdate>
  Status Poll(std::chrono::milliseconds timeout, OnUpdate&& on_update) {
    auto events = client_->Wait(timeout);
    if (!events.ok()) return events.error();
    for (GrpcEvent& event : events.value()) {
      if (event.call == updates_) {
        if (event.is_end) {
          return Error{
              .code = ErrorCode::kInvalid,
              .message = "the server ended the stream: " +
                         (event.message.empty() ? "status " + event.status : event.message)};
        }
        const Status taken = on_update(event.message);
        if (!taken.ok()) return taken;
      } else if (event.call == states_ && !event.is_end) {
        is_paused_ = event.message.find('\x01') != std::string::npos;
      } else if (event.call == details_ && !event.is_end) {
        auto details = ReadTaskDetails(event.message);
        if (!details.ok()) return details.error();
        task_details_ = std::move(details).value();
        details_bytes_ = std::move(event.message);
      }
    }
    return {};
  }

  void OpenTask(std::uint64_t id) {
    CloseTask();
    const auto call = client_->Call("WatchTaskDetails", TaskDetailsRequest(id));
    if (call.ok()) details_ = call.value();
  }
  void CloseTask() {
    if (details_ != 0) client_->Cancel(std::exchange(details_, 0));
  }
  void TogglePause() { static_cast<void>(client_->Call(is_paused_ ? "Resume" : "Pause")); }

  GrpcClient& client() { return *client_; }
  bool is_paused() const { return is_paused_; }
  std::optional<TaskDetails> TakeDetails() { return std::exchange(task_details_, std::nullopt); }
  // The same as it came; empty when nothing came since.
  std::string TakeDetailsBytes() { return std::exchange(details_bytes_, {}); }

 private:
  explicit Watch(std::unique_ptr<GrpcClient> client) : client_(std::move(client)) {}

  std::unique_ptr<GrpcClient> client_;
  std::int32_t updates_ = 0;
  std::int32_t states_ = 0;
  std::int32_t details_ = 0;
  bool is_paused_ = false;
  std::optional<TaskDetails> task_details_;
  std::string details_bytes_;
};

// One snapshot: what the server sends before it has to wait for its next interval.
Status TakeSnapshot(const Options& options, ConsoleModel& model) {
  auto watch = Watch::Start(options);
  if (!watch.ok()) return watch.error();
  const auto deadline = steady_clock::now() + 10s;
  bool has_come = false;
  while (steady_clock::now() < deadline) {
    bool is_quiet = true;
    const Status polled =
        watch.value()->Poll(has_come ? 150ms : 1000ms, [&](const std::string& update) {
          is_quiet = false;
          has_come = true;
          return model.Apply(update);
        });
    if (!polled.ok()) return polled;
    if (has_come && is_quiet) return {};
  }
  if (has_come) return {};
  return Error{.code = ErrorCode::kTimeout,
               .message = "no update within 10 seconds from " + options.url};
}

Result<int> PrintSnapshot(const Options& options) {
  ConsoleModel model;
  const Status taken = TakeSnapshot(options, model);
  if (!taken.ok()) return taken.error();
  if (options.as_json) {
    std::cout << model.ToJson() << '\n';
    return 0;
  }
  ConsoleView view;
  constexpr int kPlainWidth = 160;
  const int lines = static_cast<int>(model.tasks().size()) + 4;
  for (const ScreenLine& line :
       view.Render(model, {options.url, true, false, {}}, kPlainWidth, lines)) {
    if (line.style == LineStyle::kFaint && line.text.starts_with("1 tasks")) continue;
    const std::size_t end = line.text.find_last_not_of(' ');
    std::cout << line.text.substr(0, end == std::string::npos ? 0 : end + 1) << '\n';
  }
  return 0;
}

void Grant(ConsoleView::Wish wish, const ConsoleView& view, Watch& watch) {
  switch (wish) {
    case ConsoleView::Wish::kTogglePause:
      return watch.TogglePause();
    case ConsoleView::Wish::kOpenTask:
      return watch.OpenTask(*view.open_task());
    case ConsoleView::Wish::kCloseTask:
      return watch.CloseTask();
    case ConsoleView::Wish::kQuit:
    case ConsoleView::Wish::kNothing:
      break;
  }
}

Result<int> ShowLive(const Options& options) {
  auto terminal = Terminal::Open();
  if (!terminal.ok()) return PrintSnapshot(options);
  ConsoleModel model;
  ConsoleView view;
  ConnectionLine connection{options.url, false, false, "connecting"};
  std::unique_ptr<Watch> watch;
  auto retry_at = steady_clock::now();
  while (true) {
    if (watch == nullptr && steady_clock::now() >= retry_at) {
      auto started = Watch::Start(options);
      if (started.ok()) {
        watch = std::move(started).value();
        // Ids may begin anew after a restart: what was known is no longer true.
        model = ConsoleModel();
        if (view.open_task().has_value()) watch->OpenTask(*view.open_task());
      } else {
        connection.problem = started.error().message;
        retry_at = steady_clock::now() + 1s;
      }
    }
    if (watch != nullptr) {
      const Status polled =
          watch->Poll(0ms, [&](const std::string& update) { return model.Apply(update); });
      if (!polled.ok()) {
        connection.problem = polled.error().message;
        watch.reset();
        retry_at = steady_clock::now() + 500ms;
      } else if (auto details = watch->TakeDetails()) {
        view.SetDetails(std::move(*details));
      }
    }
    connection.is_connected = watch != nullptr;
    connection.is_paused = watch != nullptr && watch->is_paused();
    model.Retire();
    Terminal& screen = *terminal.value();
    screen.Draw(view.Render(model, connection, screen.width(), screen.height()));

    const int descriptor = watch == nullptr ? -1 : watch->client().descriptor();
    // What was typed meanwhile is taken before the screen is drawn again.
    for (int key = screen.WaitForKey(descriptor, 500ms); key >= 0;
         key = screen.WaitForKey(-1, 0ms)) {
      const ConsoleView::Wish wish = view.Press(key, model);
      if (wish == ConsoleView::Wish::kQuit) return 0;
      if (watch != nullptr) Grant(wish, view, *watch);
    }
  }
}

Result<int> Record(const Options& options) {
  if (Status status = CheckOutput(options.output, std::span<const std::string>()); !status.ok()) {
    return status.error();
  }
  auto file = OpenPath(options.output);
  if (!file.ok()) return file.error();
  RecordingWriter recording(*file.value());
  auto watch = Watch::Start(options);
  if (!watch.ok()) return watch.error();
  CatchInterrupt();
  const auto end = steady_clock::now() + std::chrono::duration<double>(options.seconds);
  Status outcome;
  ConsoleModel model;
  std::uint64_t asked = 0;  // The last task whose histograms were asked for.
  auto ask_again = steady_clock::now();
  std::uint64_t updates = 0;
  while (g_interrupted == 0 && (options.seconds <= 0 || steady_clock::now() < end)) {
    outcome = watch.value()->Poll(100ms, [&](const std::string& update) {
      ++updates;
      const Status known = model.Apply(update);
      return known.ok() ? recording.Add(RecordKind::kUpdate, update) : known;
    });
    if (!outcome.ok()) break;
    // Histograms come task by task: each in turn, for as long as it takes to see them once.
    const std::string details = watch.value()->TakeDetailsBytes();
    if (!details.empty()) {
      const Status written = recording.Add(RecordKind::kDetails, details);
      if (!written.ok()) return written.error();
    }
    // Every question ends the one before, and servers mistrust clients that reset often.
    if (steady_clock::now() < ask_again) continue;
    ask_again = steady_clock::now() + 200ms;
    model.Retire();
    auto next = model.tasks().upper_bound(asked);
    if (next == model.tasks().end()) next = model.tasks().begin();
    if (next == model.tasks().end()) continue;
    asked = next->first;
    watch.value()->OpenTask(asked);
  }
  const Status closed = file.value()->Close();
  if (!closed.ok()) return closed.error();
  if (!outcome.ok())
    std::cerr << "sonde: the recording ends early: " << Describe(outcome.error()) << '\n';
  std::cerr << "recorded " << updates << " updates to " << options.output << '\n';
  return 0;
}

Result<int> Replay(const Options& options) {
  ReplayOptions replay_options;
  replay_options.port = options.port;
  auto replay = ReplayConsole::Start(options.input, replay_options);
  if (!replay.ok()) return replay.error();
  CatchInterrupt();
  std::cout << "replaying on http://127.0.0.1:" << replay.value()->port() << " until interrupted"
            << std::endl;
  while (g_interrupted == 0) std::this_thread::sleep_for(50ms);
  return 0;
}

}  // namespace

void AddConsole(Program& program) {
  const auto options = std::make_shared<Options>();
  const auto chosen = std::make_shared<std::pair<CLI::App*, CLI::App*>>();
  CLI::App* const command = program.Command(
      "console", "Watch the tasks of a running program", [options, chosen]() -> Result<int> {
        if (chosen->first->parsed()) return Record(*options);
        if (chosen->second->parsed()) return Replay(*options);
        return options->as_json ? PrintSnapshot(*options) : ShowLive(*options);
      });
  command
      ->add_option("url", options->url, "Where the program listens: http://host:port or unix:/path")
      ->capture_default_str();
  command->add_option("--token", options->token, "Secret that the program asks for")
      ->envname("SONDE_TOKEN");
  command->add_flag("--json", options->as_json, "Print one snapshot as JSON and exit");

  CLI::App* const record = command->add_subcommand("record", "Store what the program sends");
  record->add_option("url", options->url, "Where the program listens")->capture_default_str();
  record->add_option("-o,--output", options->output, "File to write")->required();
  record->add_option("--seconds", options->seconds, "Length; 0 records until interrupted")
      ->capture_default_str();
  CLI::App* const replay =
      command->add_subcommand("replay", "Serve a recording to console clients as if it were live");
  replay->add_option("file", options->input, "Recording")->required();
  replay->add_option("--port", options->port, "TCP port on 127.0.0.1; 0 chooses one")
      ->capture_default_str();
  *chosen = {record, replay};
}

}  // namespace sonde::cli
