// Dollars: an amount of money as people read it.

#include "sonde/dollar_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace sonde {

std::string DollarText(std::int64_t nanodollars) {
  const double value = std::abs(static_cast<double>(nanodollars)) / 1e9;
  const int decimals = value >= 1 || value == 0 ? 2 : value >= 0.001 ? 4 : 9;
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.*f", decimals, value);
  std::string text = digits.data();
  for (std::size_t at = text.find('.'); at > 3; at -= 3) text.insert(at - 3, ",");
  return (nanodollars < 0 ? "-$" : "$") + text;
}

}  // namespace sonde
