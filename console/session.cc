// Session: profiles the process from Start to End, with snapshots on disk.

#include "sonde/session.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>

#include "console/console_hooks.h"
#include "console/session_config.h"
#include "console/session_push.h"
#include "console/session_sampling.h"

namespace sonde {
namespace {

Error Usage(const char* message) { return {.code = ErrorCode::kUsage, .message = message}; }

// What `work` returns, or why it could not: no exception reaches the program.
template <typename Work>
auto WithoutThrowing(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& exception) {  // No thread or memory is left.
    return Error{.code = ErrorCode::kSystem, .message = exception.what(), .stage = "session"};
  }
}

}  // namespace

class Session::Impl {
 public:
  explicit Impl(SessionOptions options)
      : options_(std::move(options)), folder_(options_.directory + "/profiling") {}

  ~Impl() {
    if (IsOurs()) return;
    // In a forked child the threads behind these do not exist: nothing to join, nothing to free.
    static_cast<void>(push_.release());
    static_cast<void>(console_.release());
    static_cast<void>(sampling_.release());
  }

  Status Start(const std::shared_ptr<Impl>& self);
  Result<std::string> Snapshot();
  Result<std::string> CaptureWall(std::chrono::milliseconds length);
  Status End();
  SessionStats stats() const;
  const Console* console() const;

  const SessionOptions& options() const noexcept { return options_; }
  const std::string& folder() const noexcept { return folder_; }

  // The session that runs in this process, or null.
  static std::shared_ptr<Impl> Current();

 private:
  enum class State : std::uint8_t { kIdle, kRunning, kEnded };
  struct Running;

  // False in a forked child, where no lock of the session may be touched.
  bool IsOurs() const noexcept { return ::getpid() == pid_; }
  Status Begin();
  void Abandon();
  void BeginConsole();
  std::string TaskName(std::uint64_t id) const {
    return console_ != nullptr ? console_->TaskName(id) : std::string();
  }
  Result<std::string> SnapshotForConsole();

  const SessionOptions options_;
  const std::string folder_;
  const pid_t pid_ = ::getpid();
  mutable std::mutex mutex_;  // Held by Start and End from their first line to their last.
  State state_ = State::kIdle;
  // Each is kept after the end, for its stats.
  std::unique_ptr<SessionSampling> sampling_;  // Null: the process is not sampled.
  std::unique_ptr<Console> console_;
  std::unique_ptr<SessionPush> push_ = std::make_unique<SessionPush>();
};

// Which session runs. Never destroyed: exit() may still ask for it.
struct Session::Impl::Running {
  std::mutex mutex;
  std::weak_ptr<Impl> session;

  static Running& Get() {
    static Running* const running = [] {
      auto* made = new Running;
      pthread_atfork([] { Get().mutex.lock(); }, [] { Get().mutex.unlock(); },
                     [] { Get().mutex.unlock(); });
      // A program that leaves through exit() gets its last snapshot all the same.
      static_cast<void>(std::atexit([] {
        if (const std::shared_ptr<Impl> current = Current()) static_cast<void>(current->End());
      }));
      return made;
    }();
    return *running;
  }
};

std::shared_ptr<Session::Impl> Session::Impl::Current() {
  Running& running = Running::Get();
  const std::lock_guard lock(running.mutex);
  std::shared_ptr<Impl> session = running.session.lock();
  return session != nullptr && session->IsOurs() ? session : nullptr;
}

Status Session::Impl::Start(const std::shared_ptr<Impl>& self) {
  if (!IsOurs()) return Usage("the session belongs to the process that this one was forked from");
  const std::lock_guard lock(mutex_);
  if (state_ != State::kIdle) return Usage("the session has been started already");
  Running& running = Running::Get();
  {
    const std::lock_guard running_lock(running.mutex);
    const std::shared_ptr<Impl> other = running.session.lock();
    if (other != nullptr && other->IsOurs()) {
      return Usage("another session runs in this process");
    }
    running.session = self;
  }
  Status status = WithoutThrowing([this] { return Begin(); });
  if (status.ok()) {
    state_ = State::kRunning;
  } else {
    Abandon();
    const std::lock_guard running_lock(running.mutex);
    running.session.reset();
  }
  return status;
}

Status Session::Impl::Begin() {
  if (options_.sampling) {
    auto sampling = SessionSampling::Start(options_);
    if (!sampling.ok()) return sampling.error();
    sampling_ = std::move(sampling).value();
  }
  const auto task_name = [this](std::uint64_t id) { return TaskName(id); };
  BeginConsole();  // First, for the others have the names of tasks from it.
  if (sampling_ != nullptr) sampling_->BeginSnapshots(folder_, task_name);
  push_->Begin(options_, sampling_ != nullptr ? &sampling_->samples() : nullptr, task_name);
  return {};
}

// Of what was begun, nothing stays. Each may be asked by the one that ends before it.
void Session::Impl::Abandon() {
  push_->Finish();
  if (sampling_ != nullptr) sampling_->EndSnapshots();
  console_.reset();
  sampling_.reset();
}

void Session::Impl::BeginConsole() {
  const bool is_daemon = options_.role == Role::kDaemon;
  ConsoleOptions console = options_.console;
  if (console.console_port == kPortByRole) console.console_port = is_daemon ? 6669 : 6670;
  if (console.http_port == kPortByRole) console.http_port = is_daemon ? 6060 : 6061;
  const ConsoleHooks hooks{
      .role = RoleName(options_.role),
      .samples = sampling_ != nullptr ? &sampling_->samples() : nullptr,
      .wall = sampling_ != nullptr ? &sampling_->wall() : nullptr,
      .privacy = PrivacyOf(options_),
      .snapshot_folder = options_.sampling ? folder_ : std::string(),
      .write_snapshot = [this] { return SnapshotForConsole(); },
      .snapshot_stats = options_.sampling ? [this] { return sampling_->snapshot_stats(); }
                                          : std::function<SnapshotStats()>(),
      .sampler_stats = options_.sampling ? [this] { return sampling_->sampler_stats(); }
                                         : std::function<SamplerStats()>(),
      .heap = options_.heap,
      .push_engine = SessionPush::EngineOf(options_),
      .push_stats = [this] { return push_->stats(); }};
  Result<std::unique_ptr<Console>> started = Console::Start(console, &hooks);
  if (!started.ok()) {
    if (options_.on_error) options_.on_error(started.error());
    return;
  }
  console_ = std::move(started).value();
  if (!options_.on_error) return;
  for (const std::string& problem : console_->problems()) {
    options_.on_error({.code = ErrorCode::kSystem, .message = problem, .stage = "console"});
  }
}

// Start and End hold the lock while they wait for the console's threads: these must not wait for
// it.
Result<std::string> Session::Impl::SnapshotForConsole() {
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || state_ != State::kRunning || sampling_ == nullptr) {
      return Usage("the session starts or ends at this moment");
    }
  }
  return sampling_->WriteNow();
}

Result<std::string> Session::Impl::Snapshot() {
  if (!IsOurs()) return Usage("the session belongs to the process that this one was forked from");
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kRunning) return Usage("the session does not run");
    if (sampling_ == nullptr) return Usage("the session does not sample");
  }
  return sampling_->WriteNow();
}

Result<std::string> Session::Impl::CaptureWall(std::chrono::milliseconds length) {
  if (!IsOurs()) return Usage("the session belongs to the process that this one was forked from");
  if (length < std::chrono::milliseconds(1) || length > std::chrono::hours(1)) {
    return Usage("the length of a capture must be from 1 ms to an hour");
  }
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kRunning) return Usage("the session does not run");
    if (sampling_ == nullptr) return Usage("the session does not sample");
  }
  return sampling_->CaptureWall(length);
}

Status Session::Impl::End() {
  if (!IsOurs()) return {};
  const std::lock_guard lock(mutex_);
  if (state_ != State::kRunning) return {};
  state_ = State::kEnded;
  const Status status =
      WithoutThrowing([this] { return sampling_ != nullptr ? sampling_->Finish() : Status(); });
  push_->Finish();
  // After the last snapshot, so that clients could still ask for it.
  if (console_ != nullptr) console_->Stop();
  Running& running = Running::Get();
  const std::lock_guard running_lock(running.mutex);
  running.session.reset();
  return status;
}

SessionStats Session::Impl::stats() const {
  if (!IsOurs()) return {};
  const std::lock_guard lock(mutex_);
  SessionStats stats;
  if (sampling_ != nullptr) {
    stats.sampler = sampling_->sampler_stats();
    stats.snapshots = sampling_->snapshot_stats();
  }
  stats.push = push_->stats();
  return stats;
}

const Console* Session::Impl::console() const {
  if (!IsOurs()) return nullptr;
  const std::lock_guard lock(mutex_);
  return state_ == State::kRunning ? console_.get() : nullptr;
}

Session::Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::Session(Session&&) noexcept = default;

Session::~Session() {
  if (impl_ != nullptr) static_cast<void>(impl_->End());
}

Result<Session> Session::Create(SessionOptions options) {
  return WithoutThrowing([&]() -> Result<Session> {
    if (Status status = ApplyConfiguration(environ, options); !status.ok()) return status.error();
    // The host may change its working directory later.
    std::error_code error;
    const std::filesystem::path directory = std::filesystem::absolute(options.directory, error);
    if (!error) options.directory = directory.lexically_normal().string();
    return Session(std::make_shared<Impl>(std::move(options)));
  });
}

Status Session::Start() {
  return WithoutThrowing([this] { return impl_->Start(impl_); });
}

Result<std::string> Session::Snapshot() {
  return WithoutThrowing([this] { return impl_->Snapshot(); });
}

Result<std::string> Session::CaptureWall(std::chrono::milliseconds length) {
  const std::shared_ptr<Impl> impl = impl_;
  return WithoutThrowing([&] { return impl->CaptureWall(length); });
}

Status Session::End() { return impl_->End(); }

SessionStats Session::stats() const { return impl_->stats(); }

const Console* Session::console() const { return impl_->console(); }

const SessionOptions& Session::options() const noexcept { return impl_->options(); }

std::string Session::folder() const { return impl_->folder(); }

Result<std::string> Session::SnapshotCurrent() {
  return WithoutThrowing([]() -> Result<std::string> {
    const std::shared_ptr<Impl> current = Impl::Current();
    return current != nullptr ? current->Snapshot() : Usage("no session runs in this process");
  });
}

ScopedSession::ScopedSession(SessionOptions options) {
  std::function<void(const Error&)> on_error;
  const Status started = WithoutThrowing([&]() -> Status {
    on_error = options.on_error;
    Result<Session> session = Session::Create(std::move(options));
    if (!session.ok()) return session.error();
    session_ = std::make_unique<Session>(std::move(session).value());
    return session_->Start();
  });
  if (started.ok() || !on_error) return;
  static_cast<void>(WithoutThrowing([&]() -> Status {
    on_error(started.error());
    return {};
  }));
}

ScopedSession::~ScopedSession() = default;

}  // namespace sonde
