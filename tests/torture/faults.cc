// torture.faults [CASE]...: a session whose machine fails it. In each case the host must go on as
// if nothing were, the failure must be told once and counted, and no half file may be listed.

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sonde/session.h"
#include "sonde/snapshot_catalog.h"
#include "tests/support/temporary_folder.h"

namespace {

std::atomic<std::int64_t> clock_step_s{0};

}  // namespace

// Stands before libc's, so that the time of day can step without the machine's doing so.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME && result == 0) time->tv_sec += clock_step_s.load();
  return static_cast<int>(result);
}

namespace sonde::torture {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kSkipped = 77;

void Check(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("  not so: %s\n", what.c_str());
  std::fflush(stdout);
  _exit(1);
}

// The host: four threads with work to do, which must never stand still.
class Host {
 public:
  explicit Host(const std::string& folder) {
    SessionOptions options;
    options.directory = folder;
    options.snapshots.interval = 50ms;
    options.console.console_port = 0;
    options.console.http_port = 0;
    Begin(std::move(options));
  }
  explicit Host(SessionOptions options) { Begin(std::move(options)); }

  void Run(std::chrono::milliseconds length) { std::this_thread::sleep_for(length); }

  // Ends the session and holds what is true of every run.
  SessionStats End() {
    Check(session_->End().ok() || failures_expected_, "the session ends well");
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    Check(longest_pause_.load() < 2s,
          "the host stood still for " + std::to_string(longest_pause_.load() / 1ms) + " ms");
    const SessionStats stats = session_->stats();
    Check(stats.sampler.taken == stats.sampler.written + stats.sampler.dropped,
          "taken = written + dropped");
    Check(stats.sampler.written == stats.snapshots.samples + stats.snapshots.samples_lost,
          "written = in snapshots + in snapshots that failed");
    Check(stats.sampler.taken > 10, "samples were taken");
    return stats;
  }

  std::vector<std::string> errors() {
    const std::lock_guard lock(mutex_);
    return errors_;
  }
  SnapshotStats snapshots() const { return session_->stats().snapshots; }
  void ExpectFailureAtTheEnd() { failures_expected_ = true; }

 private:
  void Begin(SessionOptions options) {
    options.on_error = [this](const Error& error) {
      const std::lock_guard lock(mutex_);
      errors_.push_back(Describe(error));
    };
    Result<Session> session = Session::Create(std::move(options));
    Check(session.ok(), "the session is made");
    session_ = std::make_unique<Session>(std::move(session).value());
    Check(session_->Start().ok(), "the session starts");
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { Work(); });
  }

  void Work() {
    volatile double sum = 1;
    auto last = Clock::now();
    while (!done_) {
      for (int i = 0; i < 10'000; ++i) sum = sum * 1.0000001 + 1e-9;
      const auto now = Clock::now();
      if (now - last > longest_pause_.load()) longest_pause_ = now - last;
      last = now;
    }
  }

  std::unique_ptr<Session> session_;
  std::vector<std::thread> threads_;
  std::atomic<bool> done_{false};
  std::atomic<Clock::duration> longest_pause_{Clock::duration::zero()};
  std::mutex mutex_;
  std::vector<std::string> errors_;
  bool failures_expected_ = false;
};

// Every file that is listed is whole, catalog.json lists what is there, and nothing else is left.
std::size_t CheckFolder(const std::string& session_folder) {
  const auto catalog = SnapshotCatalog::Read(session_folder);
  Check(catalog.ok(), "the folder can be read");
  for (const SnapshotEntry& entry : catalog.value().entries()) {
    Check(entry.readable, entry.file_name + " is whole");
  }
  std::ifstream file(catalog.value().folder() + "/catalog.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const SnapshotEntry& entry : catalog.value().entries()) {
    Check(text.find('"' + entry.file_name + '"') != text.npos,
          "catalog.json lists " + entry.file_name);
  }
  for (const auto& file_there : fs::directory_iterator(catalog.value().folder())) {
    const std::string name = file_there.path().filename().string();
    Check(SnapshotName::Parse(name).has_value() || name == "catalog.json" || name.front() == '.',
          name + " is left over");
  }
  return catalog.value().entries().size();
}

// A file system of its own at `path`, seen by this process alone.
void MountSmallDisk(const std::string& path) {
  fs::create_directories(path);
  const bool is_private = unshare(CLONE_NEWNS) == 0 &&
                          mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          mount("sonde", path.c_str(), "tmpfs", 0, "size=256k") == 0;
  if (is_private) return;
  std::printf("  no disk of its own can be mounted here: %s\n", std::strerror(errno));
  std::fflush(stdout);
  _exit(kSkipped);
}

// Writes fail from `Break` on, and go well after `Mend`.
template <typename Break, typename Mend>
void FailAndRecover(const std::string& folder, Break break_it, Mend mend) {
  Host host(folder);
  host.Run(300ms);
  const SnapshotStats before = host.snapshots();
  Check(before.snapshots > 0 && before.failures == 0, "snapshots are written at first");
  break_it();
  host.Run(500ms);
  const SnapshotStats during = host.snapshots();
  Check(during.failures > before.failures, "failures are counted");
  const std::vector<std::string> told = host.errors();
  for (const std::string& error : told) std::printf("  told: %s\n", error.c_str());
  // It may begin between a snapshot and its catalog, which are two kinds of failure.
  Check(told.size() == 1 || told.size() == 2, "a failure that goes on is told once");
  mend();
  host.Run(400ms);
  Check(host.snapshots().snapshots > during.snapshots, "snapshots are written again");
  const SessionStats stats = host.End();
  Check(stats.snapshots.samples_lost > 0, "what was lost is counted");
  CheckFolder(folder);
  std::printf("  %lu written, %lu failed, %lu samples lost\n",
              static_cast<unsigned long>(stats.snapshots.snapshots),
              static_cast<unsigned long>(stats.snapshots.failures),
              static_cast<unsigned long>(stats.snapshots.samples_lost));
}

void DiskFull(const TemporaryFolder& folder) {
  const std::string disk = folder / "disk";
  MountSmallDisk(disk);
  FailAndRecover(
      disk,
      [&] {
        std::ofstream filler(disk + "/filler", std::ios::binary);
        const std::string block(4096, 'x');
        while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
        }
      },
      [&] { fs::remove(disk + "/filler"); });
}

void ReadOnly(const TemporaryFolder& folder) {
  const std::string disk = folder / "disk";
  MountSmallDisk(disk);
  const auto remount = [&](unsigned long flags) {
    // Refused while a file is open for writing, which is so for moments only.
    for (int i = 0; i < 1000; ++i) {
      if (mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | flags, nullptr) == 0) return;
      std::this_thread::sleep_for(1ms);
    }
    Check(false, "the disk can be mounted anew");
  };
  FailAndRecover(
      disk, [&] { remount(MS_RDONLY); }, [&] { remount(0); });
}

void FileInTheWay(const TemporaryFolder& folder) {
  const std::string session = folder / "session";
  FailAndRecover(
      session,
      [&] {
        fs::rename(session, session + ".away");
        std::ofstream(session) << "a file";
      },
      [&] {
        fs::remove(session);
        fs::rename(session + ".away", session);
      });
}

void NoDescriptors(const TemporaryFolder& folder) {
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  FailAndRecover(
      folder / "session",
      [&] {
        rlimit none = usual;
        none.rlim_cur = 0;
        setrlimit(RLIMIT_NOFILE, &none);
      },
      [&] { setrlimit(RLIMIT_NOFILE, &usual); });
}

// A folder that is removed under a session is made again.
void Vanished(const TemporaryFolder& folder) {
  const std::string session = folder / "session";
  Host host(session);
  for (int i = 0; i < 5; ++i) {
    host.Run(150ms);
    std::error_code ignored;
    fs::remove_all(session, ignored);
  }
  host.Run(200ms);
  host.End();
  Check(CheckFolder(session) > 0, "there are snapshots at the end");
}

// The time of day goes back by an hour and forward by two.
void ClockSteps(const TemporaryFolder& folder) {
  const std::string session = folder / "session";
  Host host(session);
  for (const std::int64_t step : {0, -3600, 3600, -86'400, 0}) {
    clock_step_s = step;
    host.Run(200ms);
  }
  const SessionStats stats = host.End();
  Check(host.errors().empty(), "nothing is told");
  Check(stats.snapshots.failures == 0, "nothing fails");
  Check(CheckFolder(session) <= 8, "no more than the newest are kept");
}

// Killed at any moment, a daemon leaves whole files; the next one clears up the rest.
void Killed(const TemporaryFolder& folder) {
  const std::string session = folder / "session";
  for (int round = 0; round < 25; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      Host host(session);
      host.Run(10s);
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + round * 13));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!fs::exists(session)) continue;
    const auto catalog = SnapshotCatalog::Read(session);
    Check(catalog.ok(), "the folder can be read");
    for (const SnapshotEntry& entry : catalog.value().entries()) {
      Check(entry.readable, entry.file_name + " is whole");
    }
  }
  Host host(session);
  host.Run(300ms);
  host.End();
  Check(CheckFolder(session) == 8, "the newest eight are there");
}

void PortTaken(const TemporaryFolder& folder) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  Check(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
            listen(listener, 1) == 0 &&
            getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0,
        "a port is taken");
  SessionOptions options;
  options.directory = folder / "session";
  options.snapshots.interval = 50ms;
  options.console.console_port = 0;
  options.console.http_port = ntohs(address.sin_port);
  Host host(std::move(options));
  host.Run(400ms);
  const SessionStats stats = host.End();
  Check(host.errors().size() == 1, "it is told once");
  Check(stats.snapshots.snapshots > 3, "snapshots are written");
  close(listener);
}

struct Case {
  const char* name;
  void (*run)(const TemporaryFolder& folder);
};
constexpr Case kCases[] = {
    {"disk-full", DiskFull},
    {"read-only", ReadOnly},
    {"file-in-the-way", FileInTheWay},
    {"no-descriptors", NoDescriptors},
    {"vanished", Vanished},
    {"clock-steps", ClockSteps},
    {"killed", Killed},
    {"port-taken", PortTaken},
};

// Each in a process of its own, so that one cannot spoil the next.
bool Holds(const Case& one) {
  std::printf("%s\n", one.name);
  std::fflush(stdout);
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    one.run(folder);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("  died of signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kSkipped);
}

}  // namespace
}  // namespace sonde::torture

int main(int argc, char** argv) {
  bool good = true;
  for (const auto& one : sonde::torture::kCases) {
    bool is_wanted = argc == 1;
    for (int i = 1; i < argc; ++i) is_wanted |= std::strcmp(argv[i], one.name) == 0;
    if (is_wanted) good &= sonde::torture::Holds(one);
  }
  std::printf("%s\n", good ? "faults: good" : "faults: FAILED");
  return good ? 0 : 1;
}
