// BoundedProcess: runs another program within stated bounds.

#include "evidence/bounded_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "evidence/markdown.h"

extern char** environ;

namespace sonde {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kStage = "external_tool";
constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

Error ToolError(ErrorCode code, std::string message, std::vector<ErrorDetail> details = {}) {
  return {.code = code,
          .message = std::move(message),
          .stage = std::string(kStage),
          .details = std::move(details)};
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  bool ok() const { return ends_[0] >= 0; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void CloseRead() { Close(ends_[0]); }
  void CloseWrite() { Close(ends_[1]); }

 private:
  static void Close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// What one stream has said so far.
struct Capture {
  std::string text{};
  std::uint64_t limit = 0;
  std::uint64_t dropped = 0;

  // Reads what is there. False at the end of the stream.
  bool Take(int descriptor) {
    std::array<char, kReadBytes> buffer{};
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    const std::uint64_t room = limit - std::min<std::uint64_t>(limit, text.size());
    const auto kept = std::min<std::uint64_t>(room, static_cast<std::uint64_t>(got));
    text.append(buffer.data(), static_cast<std::size_t>(kept));
    dropped += static_cast<std::uint64_t>(got) - kept;
    return true;
  }
};

// A child that leads its own process group and is gone, with the group, in the end.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    End();
    ::kill(-pid_, SIGKILL);
  }

  std::optional<int> Poll() {
    if (!status_) {
      int status = 0;
      const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
      if (reaped == pid_)
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (reaped < 0 && errno == ECHILD) status_ = 127;
    }
    return status_;
  }

  void End() {
    if (Poll()) return;
    ::kill(-pid_, SIGTERM);
    const Clock::time_point deadline = Clock::now() + kGrace;
    while (!Poll() && Clock::now() < deadline) std::this_thread::sleep_for(kTick / 5);
    while (!Poll()) {
      ::kill(-pid_, SIGKILL);
      std::this_thread::sleep_for(kTick / 10);
    }
  }

 private:
  pid_t pid_;
  std::optional<int> status_;
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  // posix_spawn changes neither; its types predate const.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Result<pid_t> Spawn(const std::vector<std::string>& argv,
                    const std::vector<std::string>& environment, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int failure = ::posix_spawn(&pid, argv[0].c_str(), &actions, &attributes,
                                    Pointers(argv).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    return ToolError(ErrorCode::kTool, "cannot start " + argv[0] + ": " + std::strerror(failure));
  }
  return pid;
}

std::string Seconds(std::chrono::milliseconds time) {
  std::string text = FixedText(static_cast<double>(time.count()) / 1000, 3);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

Status CheckBounds(const ProcessLimits& limits, const Capture& out, Clock::time_point deadline) {
  if (limits.stop.stop_requested()) return CalledOff();
  if (Clock::now() >= deadline) {
    return ToolError(ErrorCode::kTimeout, "the program took longer than " + Seconds(limits.timeout),
                     {{"timeout_ms", static_cast<std::int64_t>(limits.timeout.count())}});
  }
  if (out.dropped > 0 && !limits.drop_excess_stdout) {
    return ToolError(ErrorCode::kLimit, "the program wrote more than allowed",
                     {{"max_stdout_bytes", static_cast<std::int64_t>(limits.stdout_bytes)}});
  }
  if (!limits.watched_file.empty()) {
    struct stat status {};
    if (::stat(limits.watched_file.c_str(), &status) == 0 &&
        static_cast<std::uint64_t>(status.st_size) > limits.watched_bytes) {
      return ToolError(ErrorCode::kLimit,
                       "the program's output file grew past its limit, " +
                           std::to_string(limits.watched_bytes) + " bytes",
                       {{"max_data_bytes", static_cast<std::int64_t>(limits.watched_bytes)}});
    }
  }
  return {};
}

}  // namespace

Error CalledOff() { return ToolError(ErrorCode::kTimeout, "the work was called off"); }

std::vector<std::string> PlainEnvironment() {
  std::vector<std::string> environment = {"LANG=C", "LC_ALL=C", "PATH=/usr/bin:/bin"};
  if (const char* home = std::getenv("HOME")) environment.push_back(std::string("HOME=") + home);
  return environment;
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

Status CheckExecutable(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::path(path).is_absolute()) {
    return ToolError(ErrorCode::kPathSafety,
                     "a program is named by its absolute path, which '" + path + "' is not");
  }
  if (!std::filesystem::is_regular_file(path, failure) || ::access(path.c_str(), X_OK) != 0) {
    return ToolError(ErrorCode::kPathSafety, "not an executable file: " + path);
  }
  return {};
}

Result<std::string> AllowedExecutable(const std::string& path, std::string_view name) {
  if (Status status = CheckExecutable(path); !status.ok()) return status.error();
  std::error_code failure;
  const std::filesystem::path resolved = std::filesystem::canonical(path, failure);
  const std::string file = resolved.filename().string();
  const bool is_allowed = !failure && file.starts_with(name) &&
                          file.find_first_not_of("-_.0123456789", name.size()) == std::string::npos;
  if (!is_allowed) {
    return ToolError(ErrorCode::kPathSafety, "not " + std::string(name) + ": " + path);
  }
  return resolved.string();
}

Result<ProcessOutcome> RunBounded(const std::vector<std::string>& argv,
                                  const std::vector<std::string>& environment,
                                  const ProcessLimits& limits) {
  if (Status status = CheckExecutable(argv[0]); !status.ok()) return status.error();
  Pipe out;
  Pipe err;
  if (!out.ok() || !err.ok()) {
    return ToolError(ErrorCode::kTool, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const Clock::time_point deadline = Clock::now() + limits.timeout;
  const Result<pid_t> pid = Spawn(argv, environment, out, err);
  if (!pid.ok()) return pid.error();
  out.CloseWrite();
  err.CloseWrite();
  Child child(pid.value());

  Capture said{.limit = limits.stdout_bytes};
  Capture complained{.limit = limits.stderr_bytes};
  std::optional<int> exit_code;
  // Until the child is gone and has nothing left to say. One that closes its streams and lives
  // on is still held to its time; a grandchild that keeps them open is not waited for.
  while (true) {
    exit_code = child.Poll();
    std::array<pollfd, 2> waits{pollfd{out.read_end(), POLLIN, 0},
                                pollfd{err.read_end(), POLLIN, 0}};
    const int wait = exit_code ? 0 : static_cast<int>(kTick.count());
    const int ready = ::poll(waits.data(), waits.size(), wait);
    if (ready > 0) {
      if (waits[0].revents != 0 && !said.Take(out.read_end())) out.CloseRead();
      if (waits[1].revents != 0 && !complained.Take(err.read_end())) err.CloseRead();
    } else if (exit_code) {
      break;
    }
    if (Status status = CheckBounds(limits, said, deadline); !status.ok()) {
      child.End();
      return status.error();
    }
  }
  return ProcessOutcome{*exit_code, std::move(said.text), std::move(complained.text), said.dropped,
                        complained.dropped};
}

Result<std::string> FindExecutable(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + '/' + name;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    std::error_code failure;
    if (candidate.front() == '/' && ::access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate, failure)) {
      const std::filesystem::path resolved = std::filesystem::canonical(candidate, failure);
      if (!failure) return resolved.string();
    }
  }
  return ToolError(ErrorCode::kTool, "no " + name + " on the PATH");
}

Error FailedProcess(const std::string& executable, const ProcessOutcome& outcome) {
  return ToolError(ErrorCode::kTool,
                   executable + " failed with exit code " + std::to_string(outcome.exit_code),
                   {{"executable", executable},
                    {"exit_code", std::int64_t{outcome.exit_code}},
                    {"stderr", outcome.stderr_text},
                    {"stderr_truncated", std::int64_t{outcome.stderr_dropped > 0 ? 1 : 0}}});
}

}  // namespace sonde
