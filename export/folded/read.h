// ReadFolded: a Profile from folded stacks.

#ifndef SONDE_EXPORT_FOLDED_READ_H_
#define SONDE_EXPORT_FOLDED_READ_H_

#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// Frames and weights are trimmed; lines end with "\n" or "\r\n"; the weight
// follows the last blank or tab. Equal stacks are added up, and only a stack
// whose sum is negative is refused. Lines that do not fit are counted as losses
// by kind: "no weight", "bad weight", "empty frame", "negative weight". Where every stack ends with
// one more number, as in a difference of two files, that is told as a loss too.
Result<Profile> ReadFolded(std::string_view text, const ReadOptions& options);

// Whether `line` is "frames weight".
bool IsFoldedLine(std::string_view line) noexcept;

}  // namespace sonde

#endif  // SONDE_EXPORT_FOLDED_READ_H_
