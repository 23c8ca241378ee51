// Output: where a sub-command writes, checked before the work begins.

#include "cli/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace sonde::cli {
namespace {

Error Unsafe(const std::string& path, std::string message) {
  return {.code = ErrorCode::kPathSafety, .message = std::move(message), .file = path};
}

// Both names lead to one file.
bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Where `path` would be written, with links and dots resolved as far as it exists.
std::filesystem::path Resolved(const std::string& path) {
  std::error_code fault;
  // Of a relative name of which nothing exists, the folder would not become part.
  const std::filesystem::path whole = std::filesystem::absolute(path, fault);
  std::filesystem::path resolved = std::filesystem::weakly_canonical(whole, fault);
  return fault ? whole.lexically_normal() : resolved;
}

Status CheckPlace(const std::string& path) {
  std::error_code fault;
  const std::filesystem::file_status status = std::filesystem::status(path, fault);
  if (std::filesystem::is_directory(status)) return Unsafe(path, "is a folder");
  if (IsDeviceOrPipe(path)) return {};
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
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

Status CheckOutputs(std::span<const std::string> outputs, std::span<const std::string> inputs) {
  if (Status status = CheckInputs(inputs); !status.ok()) return status;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    if (output == "-") continue;
    if (output.empty()) return Unsafe(output, "the name of the output is empty");
    for (const std::string& input : inputs) {
      if (input == "-") continue;
      if (IsSameFile(output, input) || Resolved(output) == Resolved(input)) {
        return Unsafe(output, "the output would overwrite the input " + input);
      }
    }
    for (const std::string& other : outputs.subspan(0, i)) {
      if (other == "-") continue;
      if (IsSameFile(output, other) || Resolved(output) == Resolved(other)) {
        return Unsafe(output, "two outputs have the same name");
      }
    }
    if (Status status = CheckPlace(output); !status.ok()) return status;
  }
  return {};
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
