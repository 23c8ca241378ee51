// SplitMessages: the pprof messages that were written one behind the other.

#ifndef SONDE_EXPORT_PPROF_SPLIT_H_
#define SONDE_EXPORT_PPROF_SPLIT_H_

#include <string_view>
#include <vector>

namespace sonde::pprof {

// The messages of `bytes`, in their order; they view it. The wire format has no mark between
// them. Writers put the table of texts, which starts with an empty one, behind all that refers to
// it, and each fact once: so behind the texts a message ends before a field that
// belongs in front of them, or before a fact that it has already. What cannot be walked is left
// in one piece. Any thread.
std::vector<std::string_view> SplitMessages(std::string_view bytes);

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_SPLIT_H_
