// Session: profiles the process from Start to End, with snapshots on disk.

#include "sonde/session.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "console/session_config.h"
#include "sampler/interval.h"
#include "sampler/snapshot_writer.h"

namespace sonde {
namespace {

std::string RoleName(Role role) { return role == Role::kDaemon ? "daemon" : "tui"; }

Error Usage(const char* message) { return {.code = ErrorCode::kUsage, .message = message}; }

}  // namespace

class Session::Impl {
 public:
  explicit Impl(SessionOptions options)
      : options_(std::move(options)), folder_(options_.directory + "/profiling") {}

  ~Impl() {
    if (IsOurs()) return;
    // In a forked child the threads behind these do not exist: nothing to join, nothing to free.
    static_cast<void>(writer_.release());
    static_cast<void>(sampler_.release());
  }

  Status Start(const std::shared_ptr<Impl>& self);
  Result<std::string> Snapshot();
  Status End();
  SessionStats stats() const;

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

  const SessionOptions options_;
  const std::string folder_;
  const pid_t pid_ = ::getpid();
  mutable std::mutex mutex_;  // Held by Start and End from their first line to their last.
  State state_ = State::kIdle;
  std::unique_ptr<Sampler> sampler_;  // Both are kept after the end, for their stats.
  std::unique_ptr<SnapshotWriter> writer_;
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
  Status status = Begin();
  if (status.ok()) {
    state_ = State::kRunning;
  } else {
    const std::lock_guard running_lock(running.mutex);
    running.session.reset();
  }
  return status;
}

Status Session::Impl::Begin() {
  if (!options_.sampling) return {};
  Result<std::unique_ptr<Sampler>> sampler = Sampler::Start(options_.sampler);
  if (!sampler.ok()) return sampler.error();
  sampler_ = std::move(sampler).value();
  SnapshotWriterOptions writer{.folder = folder_,
                               .role = RoleName(options_.role),
                               .interval = options_.snapshots.interval,
                               .keep = options_.snapshots.keep,
                               .privacy = {.function_names = options_.snapshots.function_names,
                                           .full_paths = options_.snapshots.full_paths},
                               .task_name = {},
                               .on_error = options_.on_error};
  std::vector<ExtraSource> extras;
  if (options_.heap) {
    extras.push_back({"heap", [this] { return options_.heap(HeapKind::kInUse); }});
    extras.push_back({"growth", [this] { return options_.heap(HeapKind::kGrowth); }});
  }
  writer_ = std::make_unique<SnapshotWriter>(
      std::move(writer), [this] { return sampler_->TakeInterval(); }, std::move(extras));
  return {};
}

Result<std::string> Session::Impl::Snapshot() {
  if (!IsOurs()) return Usage("the session belongs to the process that this one was forked from");
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kRunning) return Usage("the session does not run");
    if (writer_ == nullptr) return Usage("the session does not sample");
  }
  return writer_->WriteNow();
}

Status Session::Impl::End() {
  if (!IsOurs()) return {};
  const std::lock_guard lock(mutex_);
  if (state_ != State::kRunning) return {};
  state_ = State::kEnded;
  Status status;
  if (writer_ != nullptr) {
    const Result<std::string> last = writer_->Finish([this] { return sampler_->Stop(); });
    if (!last.ok()) status = last.error();
  }
  Running& running = Running::Get();
  const std::lock_guard running_lock(running.mutex);
  running.session.reset();
  return status;
}

SessionStats Session::Impl::stats() const {
  if (!IsOurs()) return {};
  const std::lock_guard lock(mutex_);
  SessionStats stats;
  if (sampler_ != nullptr) stats.sampler = sampler_->stats();
  if (writer_ != nullptr) stats.snapshots = writer_->stats();
  return stats;
}

Session::Session(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::Session(Session&&) noexcept = default;

Session::~Session() {
  if (impl_ != nullptr) static_cast<void>(impl_->End());
}

Result<Session> Session::Create(SessionOptions options) {
  if (Status status = ApplyConfiguration(environ, options); !status.ok()) return status.error();
  // The host may change its working directory later.
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::absolute(options.directory, error);
  if (!error) options.directory = directory.lexically_normal().string();
  return Session(std::make_shared<Impl>(std::move(options)));
}

Status Session::Start() { return impl_->Start(impl_); }

Result<std::string> Session::Snapshot() { return impl_->Snapshot(); }

Status Session::End() { return impl_->End(); }

SessionStats Session::stats() const { return impl_->stats(); }

const SessionOptions& Session::options() const noexcept { return impl_->options(); }

std::string Session::folder() const { return impl_->folder(); }

Result<std::string> Session::SnapshotCurrent() {
  const std::shared_ptr<Impl> current = Impl::Current();
  return current != nullptr ? current->Snapshot() : Usage("no session runs in this process");
}

ScopedSession::ScopedSession(SessionOptions options) {
  const std::function<void(const Error&)> on_error = options.on_error;
  Result<Session> session = Session::Create(std::move(options));
  if (session.ok()) {
    session_ = std::make_unique<Session>(std::move(session).value());
    const Status started = session_->Start();
    if (started.ok()) return;
    if (on_error) on_error(started.error());
  } else if (on_error) {
    on_error(session.error());
  }
}

ScopedSession::~ScopedSession() = default;

}  // namespace sonde
