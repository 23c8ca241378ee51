// Console: shows the tasks of this process to clients on loopback.

#ifndef SONDE_CONSOLE_H_
#define SONDE_CONSOLE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// Stands for the port that the role of a session has.
inline constexpr std::uint16_t kPortByRole = 0xffff;

struct ConsoleOptions {
  // 127.0.0.1, ::1 or localhost. Any other address is refused unless `allow_remote`.
  std::string address = "127.0.0.1";
  bool allow_remote = false;
  // TCP ports; 0 = none. Both serve everything: tokio-console looks for 6669, which browsers refuse
  // to open.
  std::uint16_t console_port = 6669;
  std::uint16_t http_port = 6060;
  std::string unix_socket{};  // Path; empty = none. Its file is for its owner alone.
  std::string token{};        // When not empty, clients must send it: "Bearer <token>".

  std::chrono::milliseconds publish_interval{1000};
  std::chrono::milliseconds retention{60'000};  // Of tasks that have ended.
  // Tasks kept, living and ended, of 1 KiB each; also of resources and of operations. Beyond it
  // what ended first is forgotten early, and where all still live new ones are not recorded; both
  // is counted.
  std::uint32_t max_tasks = 100'000;
  std::size_t max_connections = 256;
};

struct ConsoleStats {
  std::uint32_t tasks = 0;          // Records in use: living, and ended but kept.
  std::uint64_t tasks_seen = 0;     // Recorded since the process began.
  std::uint64_t tasks_dropped = 0;  // Not recorded: no room.
  std::uint64_t tasks_evicted = 0;  // Forgotten before their retention was over.
  std::uint64_t slow_clients = 0;   // Dropped because they did not keep up.
  std::uint64_t watchers = 0;
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;  // Beyond max_connections.
  std::size_t record_bytes = 0;           // Memory of all records.
};

struct ConsoleHooks;

// Runs two threads of its own, which are not sampled, from Start to Stop. At most one in a process.
class Console {
 public:
  // A port that is taken is no error: everything else is served, and problems() tells of it.
  // Errors: kUsage for options that contradict themselves, or when a Console runs already;
  // kSystem when the process has no descriptor, thread or memory left for it.
  // `hooks` is what a session adds: samples, snapshots; copied.
  static Result<std::unique_ptr<Console>> Start(const ConsoleOptions& options = {},
                                                const ConsoleHooks* hooks = nullptr);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Tells all clients that the server goes away and waits for them, half a second at most. Any
  // thread.
  void Stop();

  // Where it listens; 0 when it does not.
  std::uint16_t console_port() const noexcept;
  std::uint16_t http_port() const noexcept;
  // What could not be set up, one line each. For the host to report once.
  const std::vector<std::string>& problems() const noexcept;

  // Any thread.
  ConsoleStats stats() const;
  // What the task was called; empty when it is not known, or no more. Any thread.
  std::string TaskName(std::uint64_t task_id) const;

 private:
  class Impl;
  explicit Console(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_H_
