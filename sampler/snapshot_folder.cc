// SnapshotFolder: puts snapshots into a folder that several processes may share.

#include "sampler/snapshot_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "sampler/file_names.h"
#include "sonde/byte_sink.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::string_view kCatalogName = "catalog.json";
constexpr std::string_view kLockName = ".catalog.lock";
constexpr std::chrono::milliseconds kLockPoll{5};
constexpr std::time_t kLeftoverAge = 60;  // In seconds.

Status WriteFile(const std::string& path, std::string_view bytes) {
  auto sink = FileSink::Open(path);
  if (!sink.ok()) return sink.error();
  if (Status status = sink.value()->Write(bytes); !status.ok()) return status;
  return sink.value()->Close();
}

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The process that wrote a temporary file ".<name>.<pid>-<n>.tmp" of ours; 0 when it is none.
pid_t WriterOf(std::string_view file_name) {
  constexpr std::string_view kEnding = ".tmp";
  if (!file_name.starts_with('.') || !file_name.ends_with(kEnding)) return 0;
  file_name.remove_prefix(1);
  file_name.remove_suffix(kEnding.size());
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return 0;
  const std::string_view target = file_name.substr(0, dot);
  if (target != kCatalogName && !SnapshotName::Parse(target)) return 0;
  pid_t pid = 0;
  const std::string_view rest = file_name.substr(dot + 1);
  std::from_chars(rest.data(), rest.data() + rest.size(), pid);
  return pid;
}

}  // namespace

// Holds the folder's lock file, or says why it does not.
class SnapshotFolder::Lock {
 public:
  explicit Lock(const std::string& folder) {
    const std::string path = folder + '/' + std::string(kLockName);
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ < 0) {
      status_ = Error{.code = ErrorCode::kOutput,
                      .message = std::string("cannot open the lock: ") + std::strerror(errno),
                      .file = path};
      return;
    }
    const auto deadline = steady_clock::now() + kLockTimeout;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK || steady_clock::now() >= deadline) {
        status_ = Error{.code = ErrorCode::kOutput,
                        .message = std::string("cannot get the lock: ") + std::strerror(errno),
                        .file = path};
        return;
      }
      std::this_thread::sleep_for(kLockPoll);
    }
  }
  ~Lock() {
    if (descriptor_ < 0) return;
    // A child that was forked meanwhile shares the lock; closing our end would not release it.
    if (status_.ok()) ::flock(descriptor_, LOCK_UN);
    ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  const Status& status() const noexcept { return status_; }

 private:
  int descriptor_ = -1;
  Status status_;
};

SnapshotFolder::SnapshotFolder(std::string folder, std::size_t keep)
    : folder_(std::move(folder)), keep_(std::max<std::size_t>(keep, 1)) {}

Status SnapshotFolder::Create() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) return {};
  return Error{.code = ErrorCode::kOutput,
               .message = "cannot create the folder: " + error.message(),
               .file = folder_};
}

std::string SnapshotFolder::PathOf(const SnapshotName& name) const {
  return folder_ + '/' + name.Text();
}

SnapshotName SnapshotFolder::FreeName(SnapshotName name) const {
  std::error_code error;
  if (fs::exists(PathOf(name), error)) name.pid = ::getpid();
  while (fs::exists(PathOf(name), error)) ++name.time_ms;
  return name;
}

Result<SnapshotFolder::Added> SnapshotFolder::Add(SnapshotName name, std::string_view bytes) {
  if (Status status = Create(); !status.ok()) return status.error();
  const Lock lock(folder_);
  if (lock.status().ok()) {
    name = FreeName(std::move(name));
  } else {
    name.pid = ::getpid();  // The samples come first; the catalog can wait for the next snapshot.
  }
  Added added{PathOf(name), lock.status()};
  const std::string newest = name.Text();
  if (Status status = WriteFile(added.path, bytes); !status.ok()) return status.error();
  if (lock.status().ok()) added.catalog = Tidy(newest);
  return added;
}

Status SnapshotFolder::Refresh() {
  if (Status status = Create(); !status.ok()) return status;
  const Lock lock(folder_);
  return lock.status().ok() ? Tidy({}) : lock.status();
}

// A snapshot that stands is told even where there is no memory for this.
Status SnapshotFolder::Tidy(std::string_view newest) try {
  RemoveLeftovers();
  Result<SnapshotCatalog> catalog = SnapshotCatalog::Scan(folder_, known_);
  if (!catalog.ok()) return catalog.error();
  known_ = std::move(catalog).value();
  Prune(known_, newest);
  return WriteFile(folder_ + '/' + std::string(kCatalogName), known_.ToJson());
} catch (const std::exception&) {
  return Error{.code = ErrorCode::kSystem, .message = "out of memory", .stage = "catalog"};
}

void SnapshotFolder::RemoveLeftovers() const {
  const Result<std::vector<std::string>> names = FileNames(folder_);
  if (!names.ok()) return;
  for (const std::string& name : names.value()) {
    const pid_t writer = WriterOf(name);
    const std::string path = folder_ + '/' + name;
    struct stat status {};
    if (writer <= 0 || ::lstat(path.c_str(), &status) != 0) continue;
    const bool is_dead = ::kill(writer, 0) != 0 && errno == ESRCH;
    // Another container's process ids mean nothing here; its file is young while it is written.
    const bool is_old = std::time(nullptr) - status.st_mtim.tv_sec > kLeftoverAge;
    if (is_dead || is_old) ::unlink(path.c_str());
  }
}

void SnapshotFolder::Prune(SnapshotCatalog& catalog, std::string_view newest) const {
  // After the clock was set back, files from the future would outlive all new ones.
  const std::int64_t now_ms = NowMs();
  std::vector<SnapshotEntry>& entries = catalog.entries_;
  std::vector<const SnapshotEntry*> by_age;  // Newest first.
  for (const SnapshotEntry& entry : entries) by_age.push_back(&entry);
  std::stable_partition(by_age.begin(), by_age.end(), [&](const SnapshotEntry* entry) {
    return entry->file_name == newest || entry->name.time_ms <= now_ms;
  });
  std::stable_partition(by_age.begin(), by_age.end(),
                        [&](const SnapshotEntry* entry) { return entry->file_name == newest; });

  std::map<std::string, std::size_t> kept;
  std::vector<std::string> removed;
  for (const SnapshotEntry* entry : by_age) {
    if (++kept[entry->name.prefix()] > keep_) removed.push_back(entry->file_name);
  }
  for (const std::string& file_name : removed) {
    std::error_code error;
    fs::remove(fs::path(folder_) / file_name, error);
    if (error) continue;  // Still there, so it stays listed.
    std::erase_if(entries,
                  [&](const SnapshotEntry& entry) { return entry.file_name == file_name; });
  }
}

}  // namespace sonde
