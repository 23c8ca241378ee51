// SectionBuilder: the hotspots and call paths of one event of a profile.

#include "evidence/section_builder.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>

#include "evidence/bounded_process.h"
#include "evidence/numbered_id.h"
#include "evidence/symbol_name.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

constexpr std::size_t kNeighboursKept = 10;
constexpr std::size_t kSourcesKept = 10;
constexpr std::uint32_t kSamplesBetweenLooks = 1 << 16;

std::uint64_t Pair(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

// By size, not by sign: in a difference a large loss matters as much as a large gain.
std::uint64_t Magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// The thread that each label set names ("tid" as text or number), as a dense number + 1.
std::vector<std::uint32_t> ThreadsOf(const Profile& profile) {
  std::vector<std::uint32_t> threads(profile.label_set_count(), 0);
  std::map<std::pair<std::string_view, std::int64_t>, std::uint32_t> known;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    for (const Label& label : profile.labels(LabelSetId{i})) {
      if (profile.text(label.key) != "tid") continue;
      const auto next = static_cast<std::uint32_t>(known.size() + 1);
      threads[i] = known.try_emplace({profile.text(label.text), label.number}, next).first->second;
      break;
    }
  }
  return threads;
}

}  // namespace

SectionBuilder::SectionBuilder(const Profile& profile, const AnalysisFrames& frames,
                               std::size_t sample_type, std::optional<std::size_t> records,
                               const AnalysisLimits& limits)
    : profile_(profile),
      frames_(frames),
      sample_type_(sample_type),
      records_(records),
      limits_(limits),
      spots_(frames.key_count()),
      thread_counts_(frames.key_count(), 0),
      thread_of_labels_(ThreadsOf(profile)),
      whole_(WholeOf(profile, sample_type)) {}

void SectionBuilder::NoteThread(std::uint32_t key, LabelSetId labels) {
  const std::uint32_t thread = thread_of_labels_[static_cast<std::uint32_t>(labels)];
  if (thread == 0) return;
  if (threads_of_.try_emplace(Pair(key, thread), 1U).second) ++thread_counts_[key];
}

std::optional<std::uint64_t> SectionBuilder::RecordsOf(std::uint32_t index) const {
  if (records_.has_value()) {
    const std::int64_t counted = profile_.value(index, *records_);
    if (counted < 0) return std::nullopt;
    return static_cast<std::uint64_t>(counted);
  }
  if (profile_.sample_types().size() > 1) return std::nullopt;
  return profile_.records(index);
}

std::optional<std::uint64_t> SectionBuilder::Known(std::uint64_t records) const {
  return knows_records_ ? std::optional(records) : std::nullopt;
}

Status SectionBuilder::AddSample(std::uint32_t index) {
  const Sample sample = profile_.sample(index);
  const std::int64_t weight = sample.values[sample_type_];
  if (weight == 0) {
    is_in_all_ = false;
    return {};
  }
  const std::optional<std::uint64_t> told = RecordsOf(index);
  knows_records_ = knows_records_ && told.has_value();
  const std::uint64_t records = told.value_or(0);
  total_ = SaturatingAdd(total_, weight);
  record_total_ += records;
  if (sample.stack == kEmptyStack) return {};

  stack_.clear();
  const StackTable& stacks = profile_.stacks();
  std::uint32_t leaf_source = 0;
  for (StackId stack = sample.stack; stack != kEmptyStack; stack = stacks.caller(stack)) {
    const std::span<const NumberedFrame> frames = frames_.frames(stacks.leaf(stack));
    if (stack_.empty()) leaf_source = frames.back().source;
    for (std::size_t n = frames.size(); n-- > 0;) stack_.push_back(frames[n].key);
  }
  std::reverse(stack_.begin(), stack_.end());

  const std::uint32_t leaf = stack_.back();
  spots_[leaf].self = SaturatingAdd(spots_[leaf].self, weight);
  if (leaf_source != 0) {
    std::int64_t& sum = sources_[Pair(leaf, leaf_source)];
    sum = SaturatingAdd(sum, weight);
  }
  StackId path = kEmptyStack;
  for (std::size_t i = 0; i < stack_.size(); ++i) {
    const std::uint32_t key = stack_[i];
    Spot& spot = spots_[key];
    spot.occurrences += records;
    if (spot.seen_in != index + 1) {
      spot.seen_in = index + 1;
      spot.inclusive = SaturatingAdd(spot.inclusive, weight);
      spot.records += records;
      NoteThread(key, sample.labels);
    }
    if (i > 0) {
      Edge& edge = edges_[Pair(stack_[i - 1], key)];
      if (edge.seen_in != index + 1) {
        edge.seen_in = index + 1;
        edge.weight = SaturatingAdd(edge.weight, weight);
      }
    }
    path = paths_.Extend(path, LocationId{key});
  }

  const auto node = static_cast<std::uint32_t>(path);
  if (node >= path_of_.size()) path_of_.resize(paths_.size() + node / 2, 0);
  if (path_of_[node] == 0) {
    if (found_.size() >= limits_.max_unique_call_paths) {
      return Error{.code = ErrorCode::kLimit,
                   .message = "more distinct call paths than allowed",
                   .stage = "aggregation",
                   .details = {{"max_unique_call_paths",
                                static_cast<std::int64_t>(limits_.max_unique_call_paths)}}};
    }
    found_.push_back({.stack = path});
    path_of_[node] = static_cast<std::uint32_t>(found_.size());
  }
  Path& sums = found_[path_of_[node] - 1];
  sums.weight = SaturatingAdd(sums.weight, weight);
  sums.records += records;
  return {};
}

AnalysisHotspot SectionBuilder::HotspotOf(std::uint32_t key) const {
  const Spot& spot = spots_[key];
  AnalysisHotspot hotspot;
  hotspot.frame = frames_.frame(key);
  hotspot.self_weight = spot.self;
  hotspot.inclusive_weight = spot.inclusive;
  const auto whole = static_cast<double>(whole_.value);
  hotspot.sample_count = Known(spot.records);
  hotspot.stack_occurrence_count = Known(spot.occurrences);
  hotspot.self_percent = Percent(static_cast<double>(spot.self), whole);
  hotspot.inclusive_percent = Percent(static_cast<double>(spot.inclusive), whole);
  hotspot.thread_count = thread_counts_[key];
  return hotspot;
}

void SectionBuilder::AddNeighbours(std::vector<AnalysisHotspot>& hotspots,
                                   const std::vector<std::uint32_t>& keys) const {
  std::vector<std::uint32_t> shown(spots_.size(), 0);  // Position + 1 of what is put out.
  for (std::uint32_t i = 0; i < keys.size(); ++i) shown[keys[i]] = i + 1;

  struct Neighbour {
    std::uint32_t key;
    std::int64_t weight;
  };
  std::vector<std::vector<Neighbour>> callers(keys.size());
  std::vector<std::vector<Neighbour>> callees(keys.size());
  for (const auto& [pair, edge] : edges_) {
    const auto caller = static_cast<std::uint32_t>(pair >> 32);
    const auto callee = static_cast<std::uint32_t>(pair);
    if (shown[callee] != 0) callers[shown[callee] - 1].push_back({caller, edge.weight});
    if (shown[caller] != 0) callees[shown[caller] - 1].push_back({callee, edge.weight});
  }
  const auto heaviest = [&](std::vector<Neighbour>& list) {
    std::sort(list.begin(), list.end(), [&](const Neighbour& a, const Neighbour& b) {
      if (a.weight != b.weight) return Magnitude(a.weight) > Magnitude(b.weight);
      return frames_.frame(a.key) < frames_.frame(b.key);
    });
    if (list.size() > kNeighboursKept) list.resize(kNeighboursKept);
    std::vector<AnalysisEdge> edges;
    for (const Neighbour& n : list) edges.push_back({frames_.frame(n.key), n.weight});
    return edges;
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hotspots[i].top_callers = heaviest(callers[i]);
    hotspots[i].top_callees = heaviest(callees[i]);
  }

  std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>> places(keys.size());
  for (const auto& [pair, weight] : sources_) {
    const std::uint32_t position = shown[static_cast<std::uint32_t>(pair >> 32)];
    if (position != 0) {
      places[position - 1].emplace_back(weight, static_cast<std::uint32_t>(pair));
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::sort(places[i].begin(), places[i].end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return Magnitude(a.first) > Magnitude(b.first);
      return frames_.source(a.second) < frames_.source(b.second);
    });
    if (places[i].size() > kSourcesKept) places[i].resize(kSourcesKept);
    for (const auto& [weight, source] : places[i]) {
      hotspots[i].source_locations.emplace_back(frames_.source(source));
    }
  }
}

std::vector<std::uint32_t> SectionBuilder::RanksByName() const {
  std::vector<std::uint32_t> order(frames_.key_count());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(frames_.symbol(a), frames_.dso(a)) <
           std::pair(frames_.symbol(b), frames_.dso(b));
  });
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

Result<AnalysisSection> SectionBuilder::Build(const std::stop_token& stop) {
  for (std::uint32_t i = 0; i < profile_.sample_count(); ++i) {
    if (i % kSamplesBetweenLooks == 0 && stop.stop_requested()) return CalledOff();
    if (Status added = AddSample(i); !added.ok()) return added.error();
  }

  AnalysisSection section;
  section.total_weight = total_;
  if (whole_.has_negative) section.whole_weight = whole_.value;
  section.sample_count = Known(record_total_);
  // The number of all may be known where that of each is not, if all have this event.
  const bool has_all = is_in_all_ || profile_.sample_types().size() == 1;
  if (!knows_records_ && has_all && !whole_.has_negative) {
    section.sample_count = profile_.records();
  }

  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < spots_.size(); ++key) {
    if (spots_[key].seen_in > 0) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Spot& left = spots_[a];
    const Spot& right = spots_[b];
    if (left.self != right.self) return Magnitude(left.self) > Magnitude(right.self);
    if (left.inclusive != right.inclusive) {
      return Magnitude(left.inclusive) > Magnitude(right.inclusive);
    }
    return frames_.frame(a) < frames_.frame(b);
  });
  double unresolved = 0;
  for (const std::uint32_t key : keys) {
    if (IsUnknownSymbol(frames_.symbol(key))) unresolved += static_cast<double>(spots_[key].self);
  }
  const auto whole = static_cast<double>(whole_.value);
  section.unresolved_self_percent = Percent(unresolved, whole);
  if (keys.size() > limits_.max_hotspots_output) {
    section.hotspots_omitted = keys.size() - limits_.max_hotspots_output;
    keys.resize(limits_.max_hotspots_output);
  }
  for (const std::uint32_t key : keys) {
    section.hotspots.push_back(HotspotOf(key));
    section.hotspots.back().id = NumberedId('H', section.hotspots.size());
  }
  AddNeighbours(section.hotspots, keys);

  const std::vector<std::uint32_t> rank = RanksByName();
  const auto ranks_of = [&](const Path& path) {
    std::vector<std::uint32_t> ranks;
    for (const LocationId key : paths_.Frames(path.stack)) {
      ranks.push_back(rank[static_cast<std::uint32_t>(key)]);
    }
    return ranks;
  };
  const auto heavier = [&](const Path& a, const Path& b) {
    if (a.weight != b.weight) return Magnitude(a.weight) > Magnitude(b.weight);
    return ranks_of(a) < ranks_of(b);
  };
  const auto frames_of = [&](const Path& path) {
    std::vector<AnalysisFrame> frames;
    for (const LocationId key : paths_.Frames(path.stack)) {
      frames.push_back(frames_.frame(static_cast<std::uint32_t>(key)));
    }
    return frames;
  };
  const std::size_t kept = std::min<std::size_t>(found_.size(), limits_.max_call_paths_output);
  std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(kept),
                    found_.end(), heavier);
  section.call_paths_omitted = found_.size() - kept;
  for (std::size_t i = 0; i < kept; ++i) {
    section.call_paths.push_back({NumberedId('P', i + 1), frames_of(found_[i]), found_[i].weight,
                                  Known(found_[i].records),
                                  Percent(static_cast<double>(found_[i].weight), whole)});
  }
  return section;
}

}  // namespace sonde
