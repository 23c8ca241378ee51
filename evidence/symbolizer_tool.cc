// SymbolizerTool: llvm-symbolizer or addr2line, asked for the frames of an address.

#include "evidence/symbolizer_tool.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "evidence/bounded_process.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

ProcessLimits ToolLimits(const std::stop_token& stop) {
  return {.timeout = std::chrono::milliseconds(5000),
          .stdout_bytes = std::uint64_t{1} << 20,
          .stderr_bytes = std::uint64_t{64} << 10,
          .watched_file = {},
          .stop = stop};
}

Error BadAnswer(const std::string& why) {
  return {.code = ErrorCode::kTool,
          .message = "the symbolizer's answer cannot be read: " + why,
          .stage = "symbolization"};
}

json Frame(std::string_view symbol, std::string_view file, std::int64_t line, std::int64_t column) {
  json frame = {{"symbol", symbol.empty() || symbol == "??" ? "unknown" : std::string(symbol)},
                {"is_inline", true}};
  if (!file.empty() && file != "??") frame["file"] = std::string(file);
  if (line > 0) frame["line"] = line;
  if (column > 0) frame["column"] = column;
  return frame;
}

// All frames but the last were inlined into the one behind them.
json Finished(json frames) {
  if (frames.empty()) frames.push_back(Frame({}, {}, 0, 0));
  frames.back()["is_inline"] = false;
  return frames;
}

std::optional<std::int64_t> NumberIn(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string_view NextLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

// "src/a.cc:12:3 (discriminator 4)"; "?" and 0 are not known.
json PlacedFrame(std::string_view symbol, std::string_view place) {
  place = place.substr(0, place.find(" (discriminator"));
  std::array<std::int64_t, 2> numbers{0, 0};
  std::size_t count = 0;
  for (; count < 2; ++count) {
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) break;
    const std::string_view digits = place.substr(colon + 1);
    const std::optional<std::int64_t> number = NumberIn(digits);
    if (!number && digits != "?") break;
    numbers[count] = number.value_or(0);
    place = place.substr(0, colon);
  }
  return count == 2 ? Frame(symbol, place, numbers[1], numbers[0])
                    : Frame(symbol, place, numbers[0], 0);
}

}  // namespace

std::string VersionLine(std::string_view output) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!output.empty()) {
    std::string_view line = NextLine(output);
    // "14.0.6", "2.40": not the 3 of the licence, and not the year of the copyright.
    for (std::size_t dot = 1; dot + 1 < line.size(); ++dot) {
      if (line[dot] != '.') continue;
      if (!is_digit(line[dot - 1]) || !is_digit(line[dot + 1])) continue;
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      return std::string(line);
    }
  }
  return "unknown";
}

Result<json> FramesFromLlvm(std::string_view output) {
  Result<json> parsed = ParseArtifact(output.substr(0, output.find('\n')), "symbolization");
  if (!parsed.ok()) return BadAnswer(parsed.error().message);
  json answer = std::move(parsed).value();
  if (answer.is_array() && !answer.empty()) answer = json(answer.front());
  if (!answer.is_object()) return BadAnswer("not an object");
  if (const auto error = answer.find("Error"); error != answer.end() && error->is_object()) {
    return BadAnswer(error->value("Message", "unknown error"));
  }
  json frames = json::array();
  const auto symbols = answer.find("Symbol");
  if (symbols == answer.end() || !symbols->is_array()) return BadAnswer("no symbols");
  for (const json& symbol : *symbols) {
    if (!symbol.is_object()) return BadAnswer("a symbol is not an object");
    const auto text = [&](const char* key, const char* other) {
      for (const char* name : {key, other}) {
        const auto it = symbol.find(name);
        if (it != symbol.end() && it->is_string()) return it->get<std::string>();
      }
      return std::string();
    };
    const auto number = [&](const char* key) {
      const auto it = symbol.find(key);
      return it != symbol.end() && it->is_number_integer() ? it->get<std::int64_t>() : 0;
    };
    frames.push_back(Frame(text("FunctionName", "Function"), text("FileName", "File"),
                           number("Line"), number("Column")));
  }
  return Finished(std::move(frames));
}

Result<json> FramesFromAddr2line(std::string_view output) {
  if (!NextLine(output).starts_with("0x")) return BadAnswer("no address");
  json frames = json::array();
  while (!output.empty()) {
    std::string_view symbol = NextLine(output);
    if (symbol.empty() && output.empty()) break;
    const std::string_view place = NextLine(output);
    if (place.empty()) return BadAnswer("a function without a place");
    // elfutils puts where a function was inlined behind its name.
    if (const std::size_t note = symbol.find(" inlined at "); note != std::string_view::npos) {
      symbol = symbol.substr(0, note);
    }
    frames.push_back(PlacedFrame(symbol, place));
  }
  return Finished(std::move(frames));
}

Result<SymbolizerTool> SymbolizerTool::Make(Kind kind, const std::string& path, std::string module,
                                            const std::stop_token& stop) {
  SymbolizerTool tool;
  tool.stop_ = stop;
  tool.kind_ = kind;
  tool.module_ = std::move(module);
  tool.path_ = path;
  if (path.empty()) {
    Result<std::string> found =
        FindExecutable(kind == Kind::kLlvm ? "llvm-symbolizer" : "addr2line");
    if (!found.ok()) return found.error();
    tool.path_ = std::move(found).value();
  }
  Result<ProcessOutcome> asked =
      RunBounded({tool.path_, "--version"}, PlainEnvironment(), ToolLimits(stop));
  if (!asked.ok()) return asked.error();
  tool.version_ = (kind == Kind::kLlvm ? "llvm-symbolizer: " : "addr2line: ") +
                  VersionLine(asked.value().stdout_text);
  return tool;
}

Result<json> SymbolizerTool::Frames(std::uint64_t offset) const {
  std::array<char, 18> digits{'0', 'x'};
  const auto end = std::to_chars(digits.data() + 2, digits.data() + digits.size(), offset, 16);
  const std::string address(digits.data(), end.ptr);
  const std::vector<std::string> argv =
      kind_ == Kind::kLlvm
          ? std::vector<std::string>{path_,        "--output-style=JSON", "--inlines",
                                     "--demangle", "--obj=" + module_,    address}
          : std::vector<std::string>{path_, "-a", "-f", "-C", "-i", "-e", module_, address};
  const Result<ProcessOutcome> asked = RunBounded(argv, PlainEnvironment(), ToolLimits(stop_));
  if (!asked.ok()) return asked.error();
  if (asked.value().exit_code != 0) return FailedProcess(path_, asked.value());
  return kind_ == Kind::kLlvm ? FramesFromLlvm(asked.value().stdout_text)
                              : FramesFromAddr2line(asked.value().stdout_text);
}

}  // namespace sonde
