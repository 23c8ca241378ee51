// SectionBuilder: the hotspots and call paths of one event of a profile.

#ifndef SONDE_EVIDENCE_SECTION_BUILDER_H_
#define SONDE_EVIDENCE_SECTION_BUILDER_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "evidence/analysis_frames.h"
#include "sonde/analysis.h"
#include "sonde/profile.h"
#include "sonde/result.h"
#include "sonde/whole.h"

namespace sonde {

// Weighs with one sample type and counts the records that have it. One pass over the
// samples; memory is bounded by distinct frames, edges and paths. Not thread-safe.
class SectionBuilder {
 public:
  // `records` is the sample type that counts records, if the profile has one. Without, those of
  // the samples count where `sample_type` is the only type.
  SectionBuilder(const Profile& profile, const AnalysisFrames& frames, std::size_t sample_type,
                 std::optional<std::size_t> records, const AnalysisLimits& limits);

  // Fails with kLimit when there are more call paths than allowed, with kTimeout when `stop` asks
  // for it. Event, unit and
  // source of the weights are the caller's to fill in.
  Result<AnalysisSection> Build(const std::stop_token& stop);

 private:
  struct Spot {
    std::int64_t self = 0;
    std::int64_t inclusive = 0;
    std::uint64_t records = 0;
    std::uint64_t occurrences = 0;  // By record.
    std::uint32_t seen_in = 0;      // Number of the last sample it was on, from 1.
  };
  struct Edge {
    std::int64_t weight = 0;
    std::uint32_t seen_in = 0;
  };
  struct Path {
    StackId stack = kEmptyStack;  // In paths_, with keys for locations.
    std::int64_t weight = 0;
    std::uint64_t records = 0;
  };

  Status AddSample(std::uint32_t index);
  std::optional<std::uint64_t> RecordsOf(std::uint32_t index) const;
  std::optional<std::uint64_t> Known(std::uint64_t records) const;
  void NoteThread(std::uint32_t key, LabelSetId labels);
  // By key: its place when all keys are sorted by symbol and DSO.
  std::vector<std::uint32_t> RanksByName() const;
  AnalysisHotspot HotspotOf(std::uint32_t key) const;
  void AddNeighbours(std::vector<AnalysisHotspot>& hotspots,
                     const std::vector<std::uint32_t>& keys) const;

  const Profile& profile_;
  const AnalysisFrames& frames_;
  std::size_t sample_type_;
  std::optional<std::size_t> records_;
  AnalysisLimits limits_;

  std::vector<Spot> spots_;                                  // By key.
  std::unordered_map<std::uint64_t, Edge> edges_;            // Caller key in the high half.
  std::unordered_map<std::uint64_t, std::int64_t> sources_;  // Key in the high half, source.
  StackTable paths_;
  std::vector<std::uint32_t> path_of_;  // By StackId of paths_: index + 1 into found_, or 0.
  std::vector<Path> found_;
  std::unordered_map<std::uint64_t, std::uint32_t> threads_of_;  // Distinct (key, thread).
  std::vector<std::uint64_t> thread_counts_;                     // By key.
  std::vector<std::uint32_t> thread_of_labels_;                  // By LabelSetId: thread + 1, or 0.
  std::vector<std::uint32_t> stack_;  // Keys of the sample at hand, root first.
  Whole whole_;
  std::int64_t total_ = 0;
  std::uint64_t record_total_ = 0;
  bool knows_records_ = true;  // Of every sample so far.
  bool is_in_all_ = true;      // Every sample so far has weight.
};

}  // namespace sonde

#endif  // SONDE_EVIDENCE_SECTION_BUILDER_H_
