// SymbolizerTool: llvm-symbolizer or addr2line, asked for the frames of an address.

#ifndef SONDE_EVIDENCE_SYMBOLIZER_TOOL_H_
#define SONDE_EVIDENCE_SYMBOLIZER_TOOL_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

// Only used on request. Each question is one run of the tool, held to five seconds and 1 MiB;
// its version is part of every answer's identity.
class SymbolizerTool {
 public:
  enum class Kind : std::uint8_t { kLlvm, kAddr2line };

  // `path` is the absolute path of the tool; empty looks on the PATH. `module` is the file
  // that holds the debug information. `stop` ends whatever run is going on.
  static Result<SymbolizerTool> Make(Kind kind, const std::string& path, std::string module,
                                     const std::stop_token& stop);

  // The frames at `offset`, innermost first, as the artifact shows them. kTool when the tool
  // fails or says something that cannot be read.
  Result<nlohmann::json> Frames(std::uint64_t offset) const;
  const std::string& version() const noexcept { return version_; }

 private:
  Kind kind_ = Kind::kLlvm;
  std::string path_;
  std::string module_;
  std::string version_;
  std::stop_token stop_;
};

// The line of what a tool prints for --version that has the number; "unknown" where none has.
std::string VersionLine(std::string_view output);

// What the tools print for one address. Exposed for tests and fuzzing.
Result<nlohmann::json> FramesFromLlvm(std::string_view output);
Result<nlohmann::json> FramesFromAddr2line(std::string_view output);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_SYMBOLIZER_TOOL_H_
