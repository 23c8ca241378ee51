// AnalysisFrames: the (symbol, dso) pairs of a profile, each known by a number.

#include "evidence/analysis_frames.h"

#include "evidence/symbol_name.h"

namespace sonde {
namespace {

constexpr std::string_view kUnknownSymbol = "[unknown]";
constexpr std::string_view kUnknownDso = "unknown";

}  // namespace

AnalysisFrames::AnalysisFrames(const Profile& profile) {
  ranges_.reserve(profile.location_count());
  for (std::uint32_t i = 0; i < profile.location_count(); ++i) {
    const Location location = profile.location(LocationId{i});
    std::string_view file;
    if (location.mapping != kNoMapping) file = profile.text(profile.mapping(location.mapping).file);
    const StringId dso = strings_.Intern(IsUnknownDso(file) ? kUnknownDso : file);

    const auto first = static_cast<std::uint32_t>(frames_.size());
    // Lines run from the innermost inlined function outwards; callers come first here.
    for (std::size_t n = location.lines.size(); n-- > 0;) {
      const Line& line = location.lines[n];
      const Function& function = profile.function(line.function);
      std::string_view name = profile.text(function.name);
      if (name.empty()) name = profile.text(function.system_name);
      name = NormalizedSymbol(name);
      const StringId symbol = strings_.Intern(IsUnknownSymbol(name) ? kUnknownSymbol : name);

      StringId source{};
      if (function.file != StringId{}) {
        std::string place(profile.text(function.file));
        if (line.line > 0) place += ':' + std::to_string(line.line);
        source = strings_.Intern(place);
        has_sources_ = true;
      }
      frames_.push_back({KeyOf(symbol, dso), static_cast<std::uint32_t>(source)});
    }
    if (location.lines.empty()) {
      frames_.push_back({KeyOf(strings_.Intern(kUnknownSymbol), dso), 0});
    }
    ranges_.push_back({first, static_cast<std::uint32_t>(frames_.size()) - first});
  }
  keys_of_symbol_ = {};
}

std::uint32_t AnalysisFrames::KeyOf(StringId symbol, StringId dso) {
  const auto index = static_cast<std::uint32_t>(symbol);
  if (index >= keys_of_symbol_.size()) keys_of_symbol_.resize(strings_.size() + index / 2);
  for (const auto& [known_dso, key] : keys_of_symbol_[index]) {
    if (known_dso == dso) return key;
  }
  const auto key = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back({symbol, dso});
  keys_of_symbol_[index].emplace_back(dso, key);
  return key;
}

AnalysisFrame AnalysisFrames::frame(std::uint32_t key) const {
  return {std::string(symbol(key)), std::string(dso(key))};
}

}  // namespace sonde
