// NewFile: files that come into being complete or not at all, and never replace another.

#include "evidence/new_file.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

Error OutputError(ErrorCode code, std::string message, const std::string& path) {
  return {.code = code, .message = std::move(message), .file = path, .stage = "output"};
}

fs::path FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

}  // namespace

Status CheckNewFile(const std::string& path) {
  std::error_code failure;
  if (path.empty() || path.back() == '/') {
    return OutputError(ErrorCode::kPathSafety, "not the name of a file", path);
  }
  if (!fs::is_directory(FolderOf(path), failure)) {
    return OutputError(ErrorCode::kPathSafety, "its folder does not exist", path);
  }
  if (fs::symlink_status(path, failure).type() != fs::file_type::not_found) {
    return OutputError(ErrorCode::kPathSafety, "exists already and is not overwritten", path);
  }
  return {};
}

Result<ScratchFolder> ScratchFolder::Beside(const std::string& output) {
  std::string pattern = (fs::absolute(FolderOf(output)) / ".sonde-collect-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return OutputError(ErrorCode::kOutput,
                       std::string("cannot write into its folder: ") + std::strerror(errno),
                       output);
  }
  return ScratchFolder(pattern);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status PutInPlace(const std::string& complete, const std::string& name) {
  if (::link(complete.c_str(), name.c_str()) == 0) return {};
  const int failure = errno;
  if (failure == EEXIST) {
    return OutputError(ErrorCode::kPathSafety, "exists already and is not overwritten", name);
  }
  return OutputError(ErrorCode::kOutput, std::string("cannot put it there: ") + strerror(failure),
                     name);
}

Status WriteSynced(const std::string& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = descriptor >= 0;
  while (good && !text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    good = put >= 0 || errno == EINTR;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  good = good && ::fsync(descriptor) == 0;
  const int failure = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (good) return {};
  return OutputError(ErrorCode::kOutput, std::string("cannot write: ") + std::strerror(failure),
                     path);
}

Result<std::string> Sha256OfFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> digest(EVP_MD_CTX_new(),
                                                                  EVP_MD_CTX_free);
  bool good = descriptor >= 0 && EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(kReadBytes);
  while (good) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) break;
    good = got > 0 ? EVP_DigestUpdate(digest.get(), buffer.data(), static_cast<std::size_t>(got))
                   : errno == EINTR;
  }
  if (descriptor >= 0) ::close(descriptor);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (!good || EVP_DigestFinal_ex(digest.get(), bytes.data(), &size) != 1) {
    return OutputError(ErrorCode::kInvalid, "cannot be read", path);
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += kDigits[bytes[i] >> 4];
    hex += kDigits[bytes[i] & 15];
  }
  return hex;
}

}  // namespace sonde
