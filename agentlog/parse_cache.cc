// ParseCache: the tallies of logs that did not change since they were read.

#include "agentlog/parse_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "agentlog/hash.h"
#include "agentlog/log_file.h"

namespace sonde::agentlog {
namespace {

constexpr std::uint64_t kMagic = 0x31'676f'6c2d'6473;
// Counts up with every change of what is kept or how a log is understood.
constexpr std::uint64_t kUnderstanding = 5;
constexpr std::uint64_t kVersion = kUnderstanding << 32 | sizeof(CallRow) << 24 |
                                   sizeof(ToolRow) << 16 | sizeof(PromptRow) << 8 |
                                   (sizeof(MarkRow) + sizeof(OriginPoint));
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t version = kVersion;
  std::uint64_t identity = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t KeyOf(const LogIdentity& log) {
  return Hash64('i')
      .Add(log.path)
      .Add(log.device)
      .Add(log.inode)
      .Add(log.bytes)
      .Add(static_cast<std::uint64_t>(log.modified_ns))
      .Add(static_cast<std::uint64_t>(log.changed_ns))
      .Add(log.max_line_bytes)
      .value();
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string ReadAll(int descriptor, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = read(descriptor, bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

std::string ParseCache::PathOf(const LogIdentity& log) const {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "/%016llx",
                static_cast<unsigned long long>(HashOf(log.path)));
  return folder_ + name.data();
}

std::unique_ptr<Tally> ParseCache::Load(const LogIdentity& log) const {
  if (folder_.empty()) return nullptr;
  const OpenFile file(open(PathOf(log).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) return nullptr;
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0) return nullptr;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < sizeof(Header) || size > kMostBytes) return nullptr;
  const std::string bytes = ReadAll(file.descriptor(), size);
  if (bytes.size() != size) return nullptr;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::string_view body = std::string_view(bytes).substr(sizeof(header));
  if (header.magic != kMagic || header.version != kVersion || header.identity != KeyOf(log) ||
      header.bytes != body.size() || header.checksum != HashOf(body)) {
    return nullptr;
  }
  std::unique_ptr<Tally> tally = DecodeTally(body);
  if (tally) tally->file = log.path;
  return tally;
}

void ParseCache::Save(const LogIdentity& log, const Tally& tally) const {
  if (folder_.empty()) return;
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  if (std::filesystem::create_directories(folder_, error)) {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, error);
  }
  const std::string path = PathOf(log);
  const std::string temporary =
      path + '.' + std::to_string(getpid()) + '.' + std::to_string(counter++);
  const std::string body = EncodeTally(tally);
  const Header header{.identity = KeyOf(log), .bytes = body.size(), .checksum = HashOf(body)};
  const OpenFile file(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.descriptor() < 0) return;
  const std::string_view head(reinterpret_cast<const char*>(&header), sizeof(header));
  if (!WriteAll(file.descriptor(), head) || !WriteAll(file.descriptor(), body) ||
      rename(temporary.c_str(), path.c_str()) != 0) {
    unlink(temporary.c_str());
  }
}

}  // namespace sonde::agentlog
