// Session: profiles the process from Start to End, with snapshots on disk.

#ifndef SONDE_SESSION_H_
#define SONDE_SESSION_H_

#include "sonde/switch.h"

// Profiles until the end of the enclosing scope, where the last snapshot is
// written: SONDE_SESSION(sonde::SessionOptions{.directory = "run/session-1"});
// What goes wrong is handed to SessionOptions::on_error and never stops the
// program. Vanishes when profiling is compiled out: the options are not evaluated.
#define SONDE_SESSION(...) \
  SONDE_DETAIL_WHEN_ENABLED(const ::sonde::ScopedSession sonde_session{__VA_ARGS__})

// Writes a snapshot of the running session now, and so splits its interval.
// Does nothing when no session runs; vanishes when profiling is compiled out.
#define SONDE_SNAPSHOT() \
  SONDE_DETAIL_WHEN_ENABLED(static_cast<void>(::sonde::Session::SnapshotCurrent()))

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "sonde/console.h"
#include "sonde/heap.h"
#include "sonde/push.h"
#include "sonde/result.h"
#include "sonde/sampler.h"
#include "sonde/sampler_stats.h"
#include "sonde/snapshot_stats.h"

namespace sonde {

enum class Role : std::uint8_t {
  kDaemon,      // Snapshots are called daemon-profile-...
  kTerminalUi,  // Snapshots are called tui-profile-...
};

struct SnapshotOptions {
  std::chrono::milliseconds interval{60'000};  // 50 ms to a day.
  std::size_t keep = 8;                        // Newest files kept of each prefix, 1 to 10,000.
  bool function_names = true;                  // False: addresses and build ids only.
  bool full_paths = true;                      // False: files by their base names.
};

// Defaults; sonde.toml goes over them, and SONDE_<SECTION>_<KEY> in the environment over both.
struct SessionOptions {
  Role role = Role::kDaemon;
  // Folder of the session; snapshots go to "profiling" inside, which several processes may
  // share. Created when missing.
  std::string directory = ".";
  // Empty: the file that SONDE_CONFIG names, else sonde.toml in `directory`, if there.
  std::string config_file{};
  bool sampling = true;  // False: no sampler and no snapshots.
  SamplerOptions sampler{};
  // Samples wall-clock time too, and writes a snapshot of kind "wall" with each of CPU time. Its
  // signals may interrupt blocking calls: see Sampler::BeginWall.
  bool wall = false;
  SnapshotOptions snapshots{};
  // When set, a heap and a growth profile are written with each snapshot.
  HeapSource heap{};
  // Shows tasks, profiles and snapshots on loopback. By role: the daemon listens on 6669 and
  // 6060, the terminal UI on 6670 and 6061. A port that is taken is told to on_error once.
  ConsoleOptions console{.console_port = kPortByRole, .http_port = kPortByRole};
  // Where CPU profiles are sent besides, and what sends them: MakeHttpPusher of sonde::push.
  PushOptions push{};
  PusherFactory pusher{};
  // Told what goes wrong while the session runs, once for each kind of failure until it has
  // gone well again. Called on a thread of the profiler; must not call the session.
  std::function<void(const Error&)> on_error{};
};

struct SessionStats {
  SamplerStats sampler;
  SnapshotStats snapshots;
  PushStats push;
};

#if defined(SONDE_ENABLED) && SONDE_ENABLED

// At most one may run in a process. In a child made by fork it does nothing, not
// even at its end; the child may create one of its own.
class Session {
 public:
  // An idle session with its configuration read. Fails with kUsage, kMalformed or
  // kInvalid for an unknown key, a wrong type or a value out of range; the error
  // names file, line and key.
  static Result<Session> Create(SessionOptions options);

  // Ends the session.
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) = delete;

  // Begins to sample. Fails like Sampler::Start, and with kUsage when a session runs in
  // this process or this one has run already. A folder that cannot be written is no
  // failure: it is reported to on_error. Any thread.
  Status Start();

  // Writes a snapshot now, and so splits the interval. The path of the file, or
  // why there is none. Waits. Any thread, but not from on_error.
  Result<std::string> Snapshot();

  // Samples wall-clock time for `length`, 1 ms to an hour, and writes it as a snapshot of kind
  // "wall": the path of the file, or why there is none. Waits. Needs no SessionOptions::wall; see
  // Sampler::BeginWall for what it does to blocking calls. Any thread, but not from on_error.
  Result<std::string> CaptureWall(std::chrono::milliseconds length);

  // Stops sampling and writes the last snapshot. Without effect when it does not
  // run; also called by exit(). Any thread, but not from on_error.
  Status End();

  // Since Start. Any thread.
  SessionStats stats() const;

  // The console while the session runs, or null. Any thread.
  const Console* console() const;

  // The options as they are in force. Any thread.
  const SessionOptions& options() const noexcept;
  // Where the snapshots lie. Any thread.
  std::string folder() const;

  // Snapshot() of the session that runs, kUsage when none does. Any thread.
  static Result<std::string> SnapshotCurrent();

 private:
  class Impl;
  explicit Session(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// Runs a session as long as it lives. What SONDE_SESSION makes.
class ScopedSession {
 public:
  explicit ScopedSession(SessionOptions options = {});
  ~ScopedSession();
  ScopedSession(const ScopedSession&) = delete;
  ScopedSession& operator=(const ScopedSession&) = delete;

 private:
  std::unique_ptr<Session> session_;  // Null when it could not be created.
};

#else

// Stands in for the session where profiling is compiled out, so that code which names it
// compiles. A namespace of its own keeps it apart from the real one.
inline namespace compiled_out {

class Session {
 public:
  static Result<Session> Create(SessionOptions options) { return Session(std::move(options)); }
  Session(Session&&) noexcept = default;
  Session& operator=(Session&&) = delete;
  Status Start() { return {}; }
  Result<std::string> Snapshot() { return SnapshotCurrent(); }
  Result<std::string> CaptureWall(std::chrono::milliseconds) { return SnapshotCurrent(); }
  Status End() { return {}; }
  SessionStats stats() const { return {}; }
  const Console* console() const { return nullptr; }
  const SessionOptions& options() const noexcept { return options_; }
  std::string folder() const { return options_.directory + "/profiling"; }
  static Result<std::string> SnapshotCurrent() {
    return Error{.code = ErrorCode::kUnsupported, .message = "profiling is compiled out"};
  }

 private:
  explicit Session(SessionOptions options) : options_(std::move(options)) {}
  SessionOptions options_;
};

class ScopedSession {
 public:
  explicit ScopedSession(const SessionOptions& = {}) {}
  ~ScopedSession() {}  // NOLINT(modernize-use-equals-default): an unused variable would warn.
  ScopedSession(const ScopedSession&) = delete;
  ScopedSession& operator=(const ScopedSession&) = delete;
};

}  // namespace compiled_out

#endif

}  // namespace sonde

#endif  // SONDE_SESSION_H_
