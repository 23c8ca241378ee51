// DebugFiles: where the code and the debug information of a recorded file lie on this machine.

#include "export/symbols/debug_files.h"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace sonde::symbols {
namespace {

constexpr std::size_t kFolderDigits = 2;

bool IsReadable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

std::uint32_t CrcOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 65'536> block{};
  uLong crc = crc32(0, nullptr, 0);
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    crc =
        crc32(crc, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(file.gcount()));
  }
  return static_cast<std::uint32_t>(crc);
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// "ab/cdef..." of the build id "abcdef..."; empty when it is not one.
std::string SplitBuildId(std::string_view build_id) {
  if (build_id.size() <= kFolderDigits) return {};
  if (build_id.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  return std::string(build_id.substr(0, kFolderDigits)) + '/' +
         std::string(build_id.substr(kFolderDigits));
}

bool HasBuildId(const std::string& path, std::string_view build_id) {
  const Result<ElfFile> file = ElfFile::Open(path);
  if (!file.ok()) return false;
  // perf pads short build ids with zeros to 20 bytes.
  const std::string& have = file.value().build_id();
  return !have.empty() && build_id.starts_with(have) &&
         build_id.find_first_not_of('0', have.size()) == std::string_view::npos;
}

}  // namespace

DebugFiles::DebugFiles() : debug_roots_{"/usr/lib/debug"} {
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    perf_store_ = std::string(home) + "/.debug";
  }
}

std::optional<std::string> DebugFiles::FindBinary(std::string_view path,
                                                  std::string_view build_id) const {
  std::string original(path);
  if (build_id.empty()) {
    if (path.starts_with('/') && ElfFile::Open(original).ok()) return original;
    return std::nullopt;
  }
  if (path.starts_with('/') && HasBuildId(original, build_id)) return original;
  const std::string split = SplitBuildId(build_id);
  if (split.empty()) return std::nullopt;
  if (!perf_store_.empty()) {
    const std::string folder = perf_store_ + "/.build-id/" + split;
    for (const char* const name : {"/elf", "/vdso"}) {
      std::string stored = folder + name;
      if (IsReadable(stored) && HasBuildId(stored, build_id)) return stored;
    }
  }
  for (const std::string& root : debug_roots_) {
    std::string stored = root + "/.build-id/" + split + ".debug";
    if (HasBuildId(stored, build_id)) return stored;
  }
  return std::nullopt;
}

std::optional<std::string> DebugFiles::FindDebugFile(const ElfFile& binary) const {
  const std::string split = SplitBuildId(binary.build_id());
  if (!split.empty()) {
    for (const std::string& root : debug_roots_) {
      std::string stored = root + "/.build-id/" + split + ".debug";
      if (HasBuildId(stored, binary.build_id())) return stored;
    }
    if (!perf_store_.empty()) {
      std::string stored = perf_store_ + "/.build-id/" + split + "/debug";
      if (HasBuildId(stored, binary.build_id())) return stored;
    }
  }

  const std::optional<DebugLink> link = binary.debug_link();
  if (!link.has_value() || link->name.find('/') != std::string::npos) return std::nullopt;
  const std::string folder = FolderOf(binary.path());
  std::vector<std::string> candidates{folder + '/' + link->name, folder + "/.debug/" + link->name};
  for (const std::string& root : debug_roots_) {
    candidates.push_back(root + folder + '/' + link->name);
  }
  for (std::string& candidate : candidates) {
    if (candidate == binary.path() || !IsReadable(candidate)) continue;
    if (CrcOf(candidate) == link->crc) return std::move(candidate);
  }
  return std::nullopt;
}

std::optional<std::string> DebugFiles::FindKallsyms(std::string_view build_id) const {
  const std::string split = SplitBuildId(build_id);
  if (perf_store_.empty() || split.empty()) return std::nullopt;
  std::string stored = perf_store_ + "/.build-id/" + split + "/kallsyms";
  if (IsReadable(stored)) return stored;
  return std::nullopt;
}

}  // namespace sonde::symbols
