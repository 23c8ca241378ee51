// Grouping: stacks under a root frame that a label names, or that frame alone.

#ifndef SONDE_GROUP_H_
#define SONDE_GROUP_H_

#include <string_view>

#include "sonde/profile.h"

namespace sonde {

// A copy in which every stack has the value of the label `key` as its root
// frame: its text, or its number in decimal digits; "(no KEY)" where a sample
// has no such label. Values, labels and totals stay. Any thread.
Profile GroupByLabel(const Profile& profile, std::string_view key);
// The same without what is below those roots: one frame for each value of the label.
Profile SumByLabel(const Profile& profile, std::string_view key);

}  // namespace sonde

#endif  // SONDE_GROUP_H_
