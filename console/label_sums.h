// Label sums: which labels the samples of a profile have, and how much each stands for.

#ifndef SONDE_CONSOLE_LABEL_SUMS_H_
#define SONDE_CONSOLE_LABEL_SUMS_H_

#include <cstddef>
#include <string>

#include "sonde/profile.h"

namespace sonde {

// Values of one key in an answer, the heaviest; of the others only their number is told.
inline constexpr std::size_t kMostLabelValues = 100;

// The answer of GET /api/labels, as docs/http.md shows it, in the default sample type. Any thread.
std::string LabelSumsAsJson(const Profile& profile);

}  // namespace sonde

#endif  // SONDE_CONSOLE_LABEL_SUMS_H_
