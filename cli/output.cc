// Output: where a sub-command writes, checked before the work begins.

#include "cli/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace sonde::cli {
namespace {

Error Unsafe(const std::string& path, std::string message) {
  return {.code = ErrorCode::kPathSafety, .message = std::move(message), .file = path};
}

// Where `path` would be written, with links and dots resolved as far as it exists.
std::filesystem::path Resolved(const std::string& path) {
  std::error_code fault;
  // Of a relative name of which nothing exists, the folder would not become part.
  const std::filesystem::path whole = std::filesystem::absolute(path, fault);
  std::filesystem::path resolved = std::filesystem::weakly_canonical(whole, fault);
  return fault ? whole.lexically_normal() : resolved;
}

// The files that names lead to. One that exists is told by its device and inode, whatever name led
// there; one that does not, by where it would be.
class NamedFiles {
 public:
  void Add(const std::string& name) {
    if (const std::optional<Identity> identity = IdentityOf(name)) {
      existing_.emplace(*identity, name);
    } else {
      missing_.emplace(Resolved(name), name);
    }
  }

  // The name under which the file was added; nullptr when it was not.
  const std::string* Find(const std::string& name) const {
    if (const std::optional<Identity> identity = IdentityOf(name)) {
      return NameIn(existing_, *identity);
    }
    return NameIn(missing_, Resolved(name));
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  static std::optional<Identity> IdentityOf(const std::string& name) {
    struct stat status {};
    if (::stat(name.c_str(), &status) != 0) return std::nullopt;
    return Identity(status.st_dev, status.st_ino);
  }

  static const std::string* NameIn(const auto& names, const auto& key) {
    const auto found = names.find(key);
    return found == names.end() ? nullptr : &found->second;
  }

  std::map<Identity, std::string> existing_;
  std::map<std::filesystem::path, std::string> missing_;
};

NamedFiles FilesOf(std::span<const std::string> inputs) {
  NamedFiles files;
  for (const std::string& input : inputs) {
    if (input != "-") files.Add(input);
  }
  return files;
}

Status RefuseInput(const std::string& output, const NamedFiles& inputs) {
  const std::string* const input = output == "-" ? nullptr : inputs.Find(output);
  if (input == nullptr) return {};
  return Unsafe(output, "the output would overwrite the input " + *input);
}

Status CheckPlace(const std::string& path, MissingFolder missing) {
  std::error_code fault;
  const std::filesystem::file_status status = std::filesystem::status(path, fault);
  if (std::filesystem::is_directory(status)) return Unsafe(path, "is a folder");
  if (IsDeviceOrPipe(path)) return {};
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (missing == MissingFolder::kMade && !std::filesystem::exists(folder, fault)) return {};
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{.code = ErrorCode::kOutput,
                 .message = std::string("cannot write into its folder: ") + std::strerror(errno),
                 .file = path};
  }
  return {};
}

// A stream is read once.
Status CheckInputs(std::span<const std::string> inputs) {
  if (std::ranges::count(inputs, "-") <= 1) return {};
  return Error{.code = ErrorCode::kUsage, .message = "standard input (-) can be named only once"};
}

}  // namespace

Status CheckOutputs(std::span<const std::string> outputs, std::span<const std::string> inputs,
                    MissingFolder folder) {
  if (Status status = CheckInputs(inputs); !status.ok()) return status;
  const NamedFiles read = FilesOf(inputs);
  NamedFiles written;
  for (const std::string& output : outputs) {
    if (output == "-") continue;
    if (output.empty()) return Unsafe(output, "the name of the output is empty");
    if (Status status = RefuseInput(output, read); !status.ok()) return status;
    if (written.Find(output) != nullptr) return Unsafe(output, "two outputs have the same name");
    written.Add(output);
    if (Status status = CheckPlace(output, folder); !status.ok()) return status;
  }
  return {};
}

Status CheckNoInput(const std::string& output, std::span<const std::string> inputs) {
  return RefuseInput(output, FilesOf(inputs));
}

Status CheckOutput(const std::string& output, std::span<const std::string> inputs) {
  return CheckOutputs({&output, 1}, inputs);
}

Status CheckOutput(const std::string& output, const std::string& input) {
  return CheckOutputs({&output, 1}, {&input, 1});
}

bool HasExtension(const std::string& path, std::initializer_list<std::string_view> extensions) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return std::ranges::find(extensions, std::string_view(extension)) != extensions.end();
}

Result<std::unique_ptr<ByteSink>> OpenOutput(const std::string& path) {
  if (path == "-") return std::unique_ptr<ByteSink>(new DescriptorSink(STDOUT_FILENO));
  return OpenPath(path);
}

}  // namespace sonde::cli
