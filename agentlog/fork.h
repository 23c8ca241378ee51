// FindOwnStarts: how much of a Codex log was copied from the thread it was forked from.

#ifndef SONDE_AGENTLOG_FORK_H_
#define SONDE_AGENTLOG_FORK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "agentlog/tally.h"

namespace sonde::agentlog {

// For each log (nullptr: none, gives 0) the place where its own records begin: what stands before
// it was copied. Decided by the turns that the parent has too, then by the counters it has in
// common with the parent or, when that is gone, with an earlier fork of it; last by a turn that
// says when it began and by a burst of calls within the first second. Time stamps are no key:
// copies get new ones. **Any thread.**
std::vector<std::uint32_t> FindOwnStarts(std::span<const Tally* const> logs);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_FORK_H_
