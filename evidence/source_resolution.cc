// SourceResolution: which functions and source lines an address of a file belongs to.

#include "sonde/source_resolution.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "evidence/symbolizer_tool.h"
#include "evidence/whole_elf.h"
#include "export/symbols/elf_file.h"
#include "sonde/artifact.h"
#include "sonde/dwarf_lines.h"
#include "sonde/elf_symbols.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::string_view kNativeVersion = "sonde-libdw-v1";
constexpr std::size_t kAnswersKept = 100'000;

std::string Hex(std::uint64_t value) {
  std::array<char, 18> digits{'0', 'x'};
  const auto end = std::to_chars(digits.data() + 2, digits.data() + digits.size(), value, 16);
  return {digits.data(), end.ptr};
}

Error AddressError(std::string message, const std::string& file = {}) {
  return {.code = ErrorCode::kInvalid,
          .message = std::move(message),
          .file = file,
          .stage = "symbolization"};
}

json FrameJson(std::string_view symbol, std::string_view file, std::int64_t line,
               std::int64_t column, bool is_inline) {
  json frame = {{"symbol", symbol.empty() ? "unknown" : std::string(symbol)},
                {"is_inline", is_inline}};
  if (!file.empty()) frame["file"] = std::string(file);
  if (line > 0) frame["line"] = line;
  if (column > 0) frame["column"] = column;
  return frame;
}

}  // namespace

Result<std::uint64_t> ParseAddress(std::string_view text, const std::string& field) {
  const Error refused{.code = ErrorCode::kInvalid,
                      .message = field + " is not an address: " + std::string(text),
                      .stage = "cli",
                      .details = {{"field", field}}};
  int base = 10;
  if (text.size() > 2 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    if (base != 10) text.remove_prefix(2);
  }
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
    } else if (i == 0 || i + 1 == text.size() || text[i - 1] == '_') {
      return refused;
    }
  }
  std::uint64_t value = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || failure != std::errc() || end != digits.data() + digits.size()) {
    return refused;
  }
  return value;
}

Result<MappedRange> ParseMappedRange(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::size_t at = text.find('@');
  const Error refused = AddressError("a mapping is written START-END@OFFSET, in hexadecimal");
  if (dash == std::string_view::npos || at == std::string_view::npos || at < dash) return refused;
  std::array<std::uint64_t, 3> values{};
  const std::array<std::string_view, 3> parts = {
      text.substr(0, dash), text.substr(dash + 1, at - dash - 1), text.substr(at + 1)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    if (part.starts_with("0x")) part.remove_prefix(2);
    const auto [end, failure] =
        std::from_chars(part.data(), part.data() + part.size(), values[i], 16);
    if (part.empty() || failure != std::errc() || end != part.data() + part.size()) return refused;
  }
  if (values[0] >= values[1]) return AddressError("the mapping ends before it starts");
  if (values[2] > UINT64_MAX - (values[1] - values[0])) {
    return AddressError("the mapping reaches over the largest offset that a file can have");
  }
  return MappedRange{values[0], values[1], values[2]};
}

class SourceResolver::State {
 public:
  State(std::string binary, symbols::ElfFile file, std::optional<DwarfLines> lines,
        std::optional<ElfSymbols> symbols, std::optional<SymbolizerTool> tool)
      : binary_(std::move(binary)),
        file_(std::move(file)),
        lines_(std::move(lines)),
        symbols_(std::move(symbols)),
        tool_(std::move(tool)) {}

  Result<json> Resolve(std::uint64_t offset, std::optional<std::uint64_t> runtime) {
    const bool held = std::ranges::any_of(file_.segments(), [&](const symbols::LoadSegment& s) {
      return offset >= s.address && offset - s.address < s.size;
    });
    if (!held) return AddressError("no segment of the file holds " + Hex(offset), binary_);
    auto known = answers_.find(offset);
    if (known == answers_.end()) {
      Result<json> frames = tool_ ? tool_->Frames(offset) : NativeFrames(offset);
      if (!frames.ok()) return frames.error();
      if (answers_.size() >= kAnswersKept) answers_.clear();
      known = answers_.emplace(offset, std::move(frames).value()).first;
    }
    return Document(offset, runtime, known->second);
  }

  Result<json> ResolveRuntime(std::uint64_t address, const MappedRange& range) {
    if (address < range.start || address >= range.end) {
      return AddressError(Hex(address) + " is not in the mapping", binary_);
    }
    const std::uint64_t file_offset = range.file_offset + (address - range.start);
    const auto offset = symbols::AddressOfOffset(file_.segments(), file_offset);
    if (!offset) {
      return AddressError("the file has nothing loaded at offset " + Hex(file_offset), binary_);
    }
    return Resolve(*offset, address);
  }

 private:
  Result<json> NativeFrames(std::uint64_t offset) {
    json frames = json::array();
    if (lines_) {
      const std::span<const SourceFrame> found = lines_->Find(offset);
      for (std::size_t i = 0; i < found.size(); ++i) {
        frames.push_back(FrameJson(found[i].function, found[i].file, found[i].line, found[i].column,
                                   i + 1 < found.size()));
      }
    }
    if (frames.empty() && symbols_) {
      if (const std::optional<ElfSymbol> symbol = symbols_->Find(offset)) {
        frames.push_back(FrameJson(Demangle(symbol->name), {}, 0, 0, false));
      }
    }
    if (frames.empty()) frames.push_back(FrameJson({}, {}, 0, 0, false));
    return frames;
  }

  json Document(std::uint64_t offset, std::optional<std::uint64_t> runtime,
                const json& frames) const {
    json warnings = json::array();
    if (!lines_ && !file_.has_symbol_table()) {
      warnings.push_back("the file is stripped and no debug file of its build is here");
    }
    const bool placed = std::ranges::any_of(
        frames, [](const json& frame) { return frame.contains("file") && frame.contains("line"); });
    if (!placed) warnings.push_back("no frame has a source line");
    json value = {{"schema_version", kSchemaVersion},
                  {"resolver_version", tool_ ? tool_->version() : std::string(kNativeVersion)},
                  {"status", warnings.empty() ? "complete" : "partial"},
                  {"build_id", file_.build_id().empty() ? "path:" + binary_ : file_.build_id()},
                  {"binary_path", binary_},
                  {"module_offset", Hex(offset)},
                  {"frames", frames},
                  {"warnings", std::move(warnings)}};
    if (lines_ && lines_->debug_file() != binary_) value["debug_file"] = lines_->debug_file();
    if (runtime) value["runtime_address"] = Hex(*runtime);
    return value;
  }

  std::string binary_;
  symbols::ElfFile file_;
  std::optional<DwarfLines> lines_;
  std::optional<ElfSymbols> symbols_;
  std::optional<SymbolizerTool> tool_;
  std::map<std::uint64_t, json> answers_;  // The build and the resolver are this object's own.
};

SourceResolver::SourceResolver(std::unique_ptr<State> state) : state_(std::move(state)) {}
SourceResolver::SourceResolver(SourceResolver&&) noexcept = default;
SourceResolver& SourceResolver::operator=(SourceResolver&&) noexcept = default;
SourceResolver::~SourceResolver() = default;

Result<SourceResolver> SourceResolver::Open(const std::string& binary, Tool tool,
                                            const std::string& tool_path,
                                            const std::stop_token& stop) {
  Result<symbols::ElfFile> file = OpenWholeElf(binary);
  if (!file.ok()) return file.error();
  std::string absolute = std::filesystem::absolute(binary).lexically_normal().string();
  std::optional<DwarfLines> lines;
  if (Result<DwarfLines> opened = DwarfLines::Open(absolute); opened.ok()) {
    lines.emplace(std::move(opened).value());
  }
  std::optional<ElfSymbols> symbols;
  if (Result<ElfSymbols> opened = ElfSymbols::Open(absolute); opened.ok()) {
    symbols.emplace(std::move(opened).value());
  }
  std::optional<SymbolizerTool> external;
  if (tool != Tool::kNative) {
    const std::string module = lines ? lines->debug_file() : absolute;
    Result<SymbolizerTool> started =
        SymbolizerTool::Make(tool == Tool::kLlvmSymbolizer ? SymbolizerTool::Kind::kLlvm
                                                           : SymbolizerTool::Kind::kAddr2line,
                             tool_path, module, stop);
    if (!started.ok()) return started.error();
    external.emplace(std::move(started).value());
  }
  return SourceResolver(std::make_unique<State>(std::move(absolute), std::move(file).value(),
                                                std::move(lines), std::move(symbols),
                                                std::move(external)));
}

Result<json> SourceResolver::Resolve(std::uint64_t module_offset) {
  return state_->Resolve(module_offset, std::nullopt);
}

Result<json> SourceResolver::ResolveRuntime(std::uint64_t address, const MappedRange& range) {
  return state_->ResolveRuntime(address, range);
}

}  // namespace sonde
