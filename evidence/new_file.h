// NewFile: files that come into being complete or not at all, and never replace another.

#ifndef SONDE_EVIDENCE_NEW_FILE_H_
#define SONDE_EVIDENCE_NEW_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

// kPathSafety when something is at `path` already, be it a link to nowhere, or when its folder
// is missing.
Status CheckNewFile(const std::string& path);

// A folder of our own beside a future output, gone with all it holds in the end. Not thread-safe.
class ScratchFolder {
 public:
  // In the folder of `output`. kOutput when that cannot be written to.
  static Result<ScratchFolder> Beside(const std::string& output);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  std::string operator/(std::string_view name) const { return path_ + '/' + std::string(name); }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Gives a complete file its name. kPathSafety when the name was taken meanwhile.
Status PutInPlace(const std::string& complete, const std::string& name);

// Writes `text` and syncs it. kOutput.
Status WriteSynced(const std::string& path, std::string_view text);

// Lower-case hex SHA-256 of a file of any size. kInvalid.
Result<std::string> Sha256OfFile(const std::string& path);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_NEW_FILE_H_
