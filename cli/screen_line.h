// ScreenLine: one line of the terminal client's screen, and how texts fit into its columns.

#ifndef SONDE_CLI_SCREEN_LINE_H_
#define SONDE_CLI_SCREEN_LINE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde::cli {

enum class LineStyle : std::uint8_t { kPlain, kStrong, kFaint, kSelected, kWarning };

struct ScreenLine {
  std::string text;  // Already cut to the width.
  LineStyle style = LineStyle::kPlain;
};

// 1.23 ms: three digits and a unit that fits.
std::string ShortDuration(std::int64_t ns);

// True for all but the first byte of a character in UTF-8.
constexpr bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// How many columns `text`, in UTF-8, takes.
int WidthOf(std::string_view text);

// `text` in exactly `columns` columns, cut with an ellipsis or padded.
std::string InColumns(const std::string& text, int columns, bool right_aligned = false);

}  // namespace sonde::cli

#endif  // SONDE_CLI_SCREEN_LINE_H_
