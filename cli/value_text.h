// Values of a profile as people read them: "1.20s", "34.50MB", "12".

#ifndef SONDE_CLI_VALUE_TEXT_H_
#define SONDE_CLI_VALUE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde::cli {

// Times and sizes in the largest unit that leaves a whole digit, with two decimals unless
// they are zero; anything else as a plain number.
std::string ValueText(std::int64_t value, std::string_view unit);

// "12.34%"; "0%" of nothing.
std::string PercentText(double part, double whole);

// Fit for a terminal: control characters and broken UTF-8 are shown as U+FFFD.
std::string SafeText(std::string_view text);

}  // namespace sonde::cli

#endif  // SONDE_CLI_VALUE_TEXT_H_
