// FileNames: see file_names.h.

#include "sampler/file_names.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

namespace sonde {
namespace {

Error CannotRead(const std::string& folder, int error) {
  return {.code = error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid,
          .message = "cannot read the folder: " + std::generic_category().message(error),
          .file = folder};
}

struct Closer {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

Result<std::vector<std::string>> FileNames(const std::string& folder) {
  const std::unique_ptr<DIR, Closer> directory(opendir(folder.c_str()));
  if (directory == nullptr) return CannotRead(folder, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return CannotRead(folder, errno);
  return names;
}

}  // namespace sonde
