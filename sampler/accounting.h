// Accounting: what SamplerStats and WallStats say, as the comments and losses of a snapshot.

#ifndef SONDE_SAMPLER_ACCOUNTING_H_
#define SONDE_SAMPLER_ACCOUNTING_H_

#include <string>
#include <vector>

#include "sampler/interval.h"
#include "sonde/losses.h"
#include "sonde/sampler_stats.h"

namespace sonde {

// "sonde samples: taken=... written=... dropped=...", "sonde cpu: process_ns=...",
// "sonde truncated: ..." and, where there is something to say, "sonde warning: ...".
std::vector<std::string> AccountingLines(const SamplerStats& stats);

// What to say where timers_refused is not 0.
std::string RefusedTimers(const SamplerStats& stats);

// "sonde wall: threads=... looks=... signals=..."
std::string AccountingLine(const WallStats& stats);

// What was dropped, by cause.
void AddLosses(const SamplerStats& stats, Losses& losses);
void AddLosses(const WallStats& stats, Losses& losses);

}  // namespace sonde

#endif  // SONDE_SAMPLER_ACCOUNTING_H_
