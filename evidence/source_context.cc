// Source context: the lines around a place, from inside a workspace only.

#include <algorithm>
#include <filesystem>

#include "sonde/artifact.h"
#include "sonde/source_resolution.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostLines = 400;
constexpr std::size_t kLongestLine = 16'384;
constexpr std::uint64_t kLargestSource = std::uint64_t{64} << 20;
constexpr std::string_view kStage = "source";

Error SourceError(ErrorCode code, std::string message, const std::string& file) {
  return {.code = code, .message = std::move(message), .file = file, .stage = std::string(kStage)};
}

// `path` with the first mapping that fits applied; components, not characters, must agree.
fs::path Mapped(const fs::path& path, const SourceContextOptions& options) {
  for (const auto& [from, to] : options.mappings) {
    const fs::path prefix = fs::path(from).lexically_normal();
    auto step = path.begin();
    auto wanted = prefix.begin();
    while (wanted != prefix.end() && step != path.end() && (*wanted == *step || wanted->empty())) {
      if (!wanted->empty()) ++step;
      ++wanted;
    }
    if (wanted != prefix.end()) continue;
    fs::path mapped = to;
    for (; step != path.end(); ++step) mapped /= *step;
    return mapped;
  }
  return path;
}

bool IsInside(const fs::path& path, const fs::path& root) {
  const auto [end, step] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

}  // namespace

Result<nlohmann::json> ReadSourceContext(const std::string& file,
                                         const SourceContextOptions& options) {
  if (options.line == 0 || options.before + options.after > kMostLines) {
    return SourceError(ErrorCode::kInvalid, "lines count from 1, and at most 400 are shown", file);
  }
  std::error_code failure;
  const fs::path root = fs::canonical(options.workspace, failure);
  if (failure || !fs::is_directory(root)) {
    return SourceError(ErrorCode::kInvalid, "the workspace is not a folder", options.workspace);
  }
  fs::path path = Mapped(fs::path(file).lexically_normal(), options);
  if (path.is_relative()) path = root / path;
  const fs::path resolved = fs::canonical(path, failure);
  if (failure) {
    // Whether something exists outside the workspace is not told.
    const fs::path wanted = fs::weakly_canonical(path, failure);
    return !failure && IsInside(wanted, root)
               ? SourceError(ErrorCode::kNotFound, "no such source file", path.string())
               : SourceError(ErrorCode::kPathSafety, "the source file is outside the workspace",
                             path.string());
  }
  if (!IsInside(resolved, root)) {
    return SourceError(ErrorCode::kPathSafety, "the source file is outside the workspace",
                       path.string());
  }
  const Result<std::string> text = ReadRegularFile(resolved.string(), kLargestSource);
  if (!text.ok()) return text.error();
  if (text.value().find('\0') != std::string::npos) {
    return SourceError(ErrorCode::kInvalid, "holds zero bytes: not a source file",
                       resolved.string());
  }

  const std::uint64_t first = options.line > options.before ? options.line - options.before : 1;
  const std::uint64_t last = options.line + options.after;
  std::string_view rest = text.value();
  nlohmann::json lines = nlohmann::json::array();
  std::uint64_t number = 0;
  while (!rest.empty() && number < last) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (++number < first) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(std::string(line.substr(0, kLongestLine)));
  }
  if (number < options.line) {
    return SourceError(ErrorCode::kInvalid,
                       "line " + std::to_string(options.line) + " is behind the last line, " +
                           std::to_string(number),
                       resolved.string());
  }
  return nlohmann::json{{"schema_version", kSchemaVersion},
                        {"file", resolved.string()},
                        {"line", options.line},
                        {"start_line", first},
                        {"end_line", number},
                        {"lines", std::move(lines)}};
}

}  // namespace sonde
