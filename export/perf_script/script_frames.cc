// ScriptFrames: turns lines of perf script's text into locations of a profile.

#include "export/perf_script/script_frames.h"

#include <algorithm>
#include <string>

#include "export/symbols/demangle.h"
#include "sonde/frame_names.h"

namespace sonde::perf_script {
namespace {

constexpr std::uint64_t kKernelHalf = std::uint64_t{1} << 63;
constexpr std::string_view kInlinedCall = "->";

bool IsPerfMap(std::string_view module) {
  const std::string_view name = BaseName(module);
  return name.starts_with("perf-") && name.ends_with(".map");
}

// "outer->inner->innermost", innermost first.
std::vector<std::string_view> FunctionsIn(const FrameLine& line) {
  std::vector<std::string_view> functions;
  std::string_view rest = line.function;
  if (IsPerfMap(line.module)) {
    for (std::size_t at = rest.find(kInlinedCall); at != std::string_view::npos && at > 0;
         at = rest.find(kInlinedCall)) {
      functions.push_back(rest.substr(0, at));
      rest.remove_prefix(at + kInlinedCall.size());
    }
  }
  if (!rest.empty()) functions.push_back(rest);
  std::ranges::reverse(functions);
  return functions;
}

}  // namespace

void ScriptFrames::Begin(std::span<const FrameLine> lines) {
  lines_ = lines;
  parts_.assign(lines.size(), {});
  for (std::vector<std::uint32_t>& plain : plain_) plain.assign(lines.size(), 0);
}

bool ScriptFrames::IsFrame(std::uint32_t line) const {
  return lines_[line].kind == LineKind::kFrame || lines_[line].kind == LineKind::kInlinedFrame;
}

MappingId ScriptFrames::MappingOf(std::string_view module) {
  if (module.empty()) return kNoMapping;
  const auto [known, is_new] = mappings_.try_emplace(module, kNoMapping);
  if (is_new) known->second = builder_.AddMapping({.file = builder_.Intern(module)});
  return known->second;
}

FunctionId ScriptFrames::FunctionNamed(std::string_view name, StringId file) {
  // perf takes C++ names apart itself where no version stands behind them, but leaves Rust's with
  // their hashes.
  const std::string_view plain = symbols::WithoutVersion(name);
  std::string shown = symbols::DemangleRust(plain);
  if (shown.empty() && plain != name) shown = symbols::DemangleWithoutArguments(plain);
  if (shown.empty()) shown = plain;
  if (shown == name) return builder_.AddFunction({.name = builder_.Intern(name), .file = file});
  return builder_.AddFunction(
      {.name = builder_.Intern(shown), .system_name = builder_.Intern(name), .file = file});
}

const ScriptFrames::Parts& ScriptFrames::PartsOf(std::uint32_t line) {
  Parts& parts = parts_[line];
  if (parts.is_known) return parts;
  parts.is_known = true;
  parts.mapping = MappingOf(lines_[line].module);
  for (const std::string_view function : FunctionsIn(lines_[line])) {
    parts.functions.push_back(FunctionNamed(function, StringId{}));
  }
  if (parts.mapping != kNoMapping && !parts.functions.empty()) {
    builder_.mapping(parts.mapping).has_functions = true;
  }
  return parts;
}

MappingId ScriptFrames::Program(
    const std::unordered_map<std::string_view, std::uint64_t>& comms) const {
  constexpr std::size_t kLongestComm = 15;
  constexpr std::string_view kDeleted = " (deleted)";
  MappingId program{0};
  std::uint64_t most = 0;
  for (const auto& [module, mapping] : mappings_) {
    std::string_view name = BaseName(module);
    if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
    const auto found = comms.find(name.substr(0, kLongestComm));
    if (found == comms.end() || found->second < most) continue;
    if (found->second == most && mapping > program) continue;
    program = mapping;
    most = found->second;
  }
  return program;
}

LocationId ScriptFrames::LocationOf(std::span<const std::uint32_t> group, bool is_call) {
  std::vector<Line> lines;
  MappingId mapping = kNoMapping;
  std::uint64_t address = 0;
  bool has_files = false;
  std::size_t inlined = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const FrameLine& frame = lines_[group[i]];
    if (!IsFrame(group[i])) continue;
    const Parts& parts = PartsOf(group[i]);
    const FrameLine* const source =
        i + 1 < group.size() && lines_[group[i + 1]].kind == LineKind::kSourceLine
            ? &lines_[group[i + 1]]
            : nullptr;
    for (std::size_t n = 0; n < parts.functions.size(); ++n) {
      Line line{parts.functions[n], 0, 0};
      // A source line belongs to the innermost of inlined calls.
      if (n == 0 && source != nullptr && !source->file.empty()) {
        line.function = FunctionNamed(FunctionsIn(frame).front(), builder_.Intern(source->file));
        line.line = source->line;
        has_files = true;
      }
      lines.push_back(line);
    }
    if (frame.kind == LineKind::kInlinedFrame) ++inlined;
    mapping = parts.mapping;
    address = frame.address;
  }
  if (is_call && has_addresses_ && address > 0) --address;
  if (mapping != kNoMapping) {
    Mapping& module = builder_.mapping(mapping);
    if (has_files) module.has_filenames = module.has_line_numbers = true;
    if (inlined > 0) module.has_inline_frames = true;
  }
  return builder_.AddLocation({.mapping = mapping, .address = address, .lines = lines});
}

StackId ScriptFrames::Add(std::span<const std::uint32_t> lines) {
  stack_.clear();
  std::uint64_t callee_address = 0;
  for (std::size_t i = 0; i < lines.size();) {
    if (!IsFrame(lines[i])) {
      ++i;
      continue;
    }
    // Up to the physical frame and the source line behind it.
    std::size_t end = i;
    while (end < lines.size() && lines_[lines[end]].kind != LineKind::kFrame) ++end;
    const std::size_t physical = std::min(end, lines.size() - 1);
    end = std::min(end + 1, lines.size());
    if (end < lines.size() && lines_[lines[end]].kind == LineKind::kSourceLine) ++end;

    const std::uint64_t address = lines_[lines[physical]].address;
    const bool left_kernel = callee_address >= kKernelHalf && address < kKernelHalf;
    const bool is_call = !stack_.empty() && !left_kernel;
    callee_address = address;
    if (end - i == 1) {
      std::uint32_t& plain = plain_[is_call ? 1 : 0][lines[i]];
      if (plain == 0) {
        plain = static_cast<std::uint32_t>(LocationOf(lines.subspan(i, 1), is_call)) + 1;
      }
      stack_.push_back(LocationId{plain - 1});
    } else {
      stack_.push_back(LocationOf(lines.subspan(i, end - i), is_call));
    }
    i = end;
  }
  std::ranges::reverse(stack_);
  return builder_.AddStack(stack_);
}

}  // namespace sonde::perf_script
