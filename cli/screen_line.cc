// ScreenLine: one line of the terminal client's screen, and how texts fit into its columns.

#include "cli/screen_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace sonde::cli {
int WidthOf(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::string ShortDuration(std::int64_t ns) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}}};
  const auto value = static_cast<double>(ns);
  if (value >= 3600e9) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f h %02.0f m", std::floor(value / 3600e9),
                  std::floor((value - std::floor(value / 3600e9) * 3600e9) / 60e9));
    return text.data();
  }
  for (const auto& [factor, unit] : kUnits) {
    if (value < factor && factor > 1) continue;
    const double scaled = value / factor;
    std::array<char, 32> text{};
    const int decimals = factor == 1 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, scaled, unit);
    return text.data();
  }
  return "0 ns";
}

std::string InColumns(const std::string& text, int columns, bool right_aligned) {
  const int width = WidthOf(text);
  if (width <= columns) {
    const std::string space(static_cast<std::size_t>(columns - width), ' ');
    return right_aligned ? space + text : text + space;
  }
  if (columns <= 0) return {};
  std::string cut;
  int used = 0;
  for (const char c : text) {
    if (!IsContinuation(c) && ++used >= columns) break;
    cut.push_back(c);
  }
  return cut + "\xe2\x80\xa6";
}

}  // namespace sonde::cli
