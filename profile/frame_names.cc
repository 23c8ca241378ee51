// FrameNames: how each location of a profile is called, worked out once.

#include "sonde/frame_names.h"

#include <array>
#include <charconv>
#include <string>

namespace sonde {
namespace {

std::string HexOf(std::uint64_t address) {
  std::array<char, 18> digits{'0', 'x'};
  const auto end = std::to_chars(digits.data() + 2, digits.data() + digits.size(), address, 16);
  return {digits.data(), end.ptr};
}

std::string ModuleName(std::string_view file) {
  if (file.empty()) return "[unknown]";
  if (file.front() == '[') return std::string(file);
  return '[' + std::string(BaseName(file)) + ']';
}

bool IsKernelModule(std::string_view file) {
  return file.starts_with("[kernel") || file.starts_with("[guest.kernel") ||
         file.ends_with(".ko") || file.ends_with("/vmlinux") || file == "vmlinux";
}

bool IsJitModule(std::string_view file) {
  return file.starts_with("/tmp/perf-") || file.starts_with("[anon") || file == "//anon" ||
         BaseName(file).starts_with("jitted-");
}

// "[ext4]", for code in the upper half of the address space; "[vdso]" is in the lower one.
bool IsLoadedModule(std::string_view file, std::uint64_t address) {
  return file.starts_with('[') && address >> 63 != 0;
}

FrameKind KindOf(std::string_view file, std::uint64_t address, std::string_view name, bool inlined,
                 bool known) {
  if (!known) return FrameKind::kUnknown;
  if (inlined || name.ends_with("_[i]")) return FrameKind::kInlined;
  if (name.ends_with("_[k]") || IsKernelModule(file) || IsLoadedModule(file, address)) {
    return FrameKind::kKernel;
  }
  if (name.ends_with("_[j]") || IsJitModule(file)) return FrameKind::kJit;
  return FrameKind::kUser;
}

std::string NameOf(const Profile& profile, const Location& location, const Line* line,
                   std::string_view module_file, Granularity granularity) {
  const Function* function = line == nullptr ? nullptr : &profile.function(line->function);
  std::string name =
      function == nullptr ? std::string() : std::string(profile.text(function->name));
  if (name.empty() && function != nullptr) name = profile.text(function->system_name);
  if (name.empty()) name = ModuleName(module_file);

  switch (granularity) {
    case Granularity::kFunctions:
      return name;
    case Granularity::kLines: {
      if (function == nullptr || function->file == StringId{}) return name;
      name += " (" + std::string(profile.text(function->file));
      if (line->line != 0) name += ':' + std::to_string(line->line);
      return name + ')';
    }
    case Granularity::kFiles:
      if (function == nullptr || function->file == StringId{}) return ModuleName(module_file);
      return std::string(profile.text(function->file));
    case Granularity::kModules:
      return module_file.empty() ? "[unknown]" : std::string(BaseName(module_file));
    case Granularity::kAddresses:
      return location.address == 0 ? name : HexOf(location.address) + ' ' + name;
  }
  return name;
}

}  // namespace

std::string_view BaseName(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

FrameNames::FrameNames(const Profile& profile, Granularity granularity) : profile_(&profile) {
  ranges_.reserve(profile.location_count());
  for (std::uint32_t i = 0; i < profile.location_count(); ++i) {
    const LocationId id{i};
    const Location location = profile.location(id);
    const std::string_view file = location.mapping == kNoMapping
                                      ? std::string_view()
                                      : profile.text(profile.mapping(location.mapping).file);
    const auto first = static_cast<std::uint32_t>(frames_.size());
    // Lines run from the innermost inlined function outwards; callers come first here.
    for (std::size_t n = location.lines.size(); n-- > 0;) {
      const Line& line = location.lines[n];
      const bool known = !profile.name(line.function).empty();
      std::string composed;
      std::string_view name = profile.name(line.function);
      if (!known || granularity != Granularity::kFunctions) {
        composed = NameOf(profile, location, &line, file, granularity);
        name = composed;
      }
      const bool inlined = n + 1 < location.lines.size();
      frames_.push_back({names_.Intern(name), KindOf(file, location.address, name, inlined, known),
                         location.mapping, id});
    }
    if (location.lines.empty()) {
      const std::string name = NameOf(profile, location, nullptr, file, granularity);
      frames_.push_back({names_.Intern(name), FrameKind::kUnknown, location.mapping, id});
    }
    ranges_.push_back({first, static_cast<std::uint32_t>(frames_.size()) - first});
  }
}

}  // namespace sonde
