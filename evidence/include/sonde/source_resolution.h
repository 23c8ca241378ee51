// SourceResolution: which functions and source lines an address of a file belongs to.

#ifndef SONDE_SOURCE_RESOLUTION_H_
#define SONDE_SOURCE_RESOLUTION_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// Where a file was mapped, as /proc/PID/maps says it. What turns a runtime address into an
// address of the file; without it a runtime address is refused, never guessed at.
struct MappedRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;  // Of `start`.
};

// "START-END@OFFSET", all hexadecimal with or without 0x. kInvalid also for a range that is empty
// or whose offsets would wrap.
Result<MappedRange> ParseMappedRange(std::string_view text);

// A number as people write addresses: decimal, or with 0x, 0o or 0b in front; single
// underscores may separate digits. `field` names it in the error.
Result<std::uint64_t> ParseAddress(std::string_view text, const std::string& field);

// Resolves addresses of one file: DWARF read natively, or an external tool when asked for.
// Answers are kept; the key of an answer is build id, module offset and resolver version.
// Not thread-safe.
class SourceResolver {
 public:
  enum class Tool : std::uint8_t { kNative, kLlvmSymbolizer, kAddr2line };

  // `tool_path` is the absolute path of the tool, for tools that are not native; `stop` ends one
  // that runs.
  static Result<SourceResolver> Open(const std::string& binary, Tool tool = Tool::kNative,
                                     const std::string& tool_path = {},
                                     const std::stop_token& stop = {});
  SourceResolver(SourceResolver&&) noexcept;
  SourceResolver& operator=(SourceResolver&&) noexcept;
  ~SourceResolver();

  // `module_offset` is an address as the file counts them. kInvalid when no segment of the
  // file holds it.
  Result<nlohmann::json> Resolve(std::uint64_t module_offset);
  // Converts by `range` and resolves. kInvalid when the address is not in the range, or the
  // file has nothing loaded there.
  Result<nlohmann::json> ResolveRuntime(std::uint64_t address, const MappedRange& range);

 private:
  class State;
  explicit SourceResolver(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct SourceContextOptions {
  std::string workspace;  // Nothing outside it is read.
  std::uint64_t line = 1;
  std::uint64_t before = 20;
  std::uint64_t after = 20;
  // Build path prefix to workspace path, by whole components; the first that fits wins.
  std::vector<std::pair<std::string, std::string>> mappings;
};

// The lines around a place in a source file. kPathSafety when the file, with symbolic links
// followed, lies outside the workspace; kInvalid when the line is behind the end of the file
// or more than 400 lines are asked for.
Result<nlohmann::json> ReadSourceContext(const std::string& file,
                                         const SourceContextOptions& options);

}  // namespace sonde

#endif  // SONDE_SOURCE_RESOLUTION_H_
