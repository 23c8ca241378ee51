// SnapshotStats: what became of the samples that were handed to the snapshot writer.

#ifndef SONDE_SNAPSHOT_STATS_H_
#define SONDE_SNAPSHOT_STATS_H_

#include <cstdint>
#include <string>

namespace sonde {

// Over all intervals: the weight that the sampler wrote = samples + samples_lost.
struct SnapshotStats {
  std::uint64_t snapshots = 0;     // CPU snapshots that were written.
  std::uint64_t extras = 0;        // Snapshots of other kinds.
  std::uint64_t failures = 0;      // Snapshots of any kind that could not be written.
  std::uint64_t samples = 0;       // In sampling periods, in CPU snapshots that were written.
  std::uint64_t samples_lost = 0;  // In sampling periods, in no snapshot that was written.
  std::uint64_t bytes = 0;         // Of all files written.
  // Why the newest of the failures came; empty once a snapshot of that kind was written again.
  std::string problem{};
};

}  // namespace sonde

#endif  // SONDE_SNAPSHOT_STATS_H_
