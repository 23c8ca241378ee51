// RecordQueue: puts the records of several ring buffers into the order of their times.

#include "export/perf_data/record_queue.h"

#include <algorithm>
#include <functional>

namespace sonde::perf_data {
namespace {

// Each buffer's records are in order already, so there are few runs to merge.
template <typename Iterator, typename Less>
void MergeRuns(Iterator begin, Iterator end, Less less) {
  std::vector<Iterator> bounds{begin};
  while (bounds.back() != end) bounds.push_back(std::is_sorted_until(bounds.back(), end, less));
  while (bounds.size() > 2) {
    std::vector<Iterator> merged{begin};
    std::size_t i = 0;
    for (; i + 2 < bounds.size(); i += 2) {
      std::inplace_merge(bounds[i], bounds[i + 1], bounds[i + 2], less);
      merged.push_back(bounds[i + 2]);
    }
    if (i + 1 < bounds.size()) merged.push_back(bounds[i + 1]);
    bounds = std::move(merged);
  }
}

}  // namespace

void RecordQueue::Push(std::uint64_t time_ns, const Record& record) {
  if (record.block != nullptr && (blocks_.empty() || blocks_.back() != record.block)) {
    blocks_.push_back(record.block);
  }
  pending_.push_back({time_ns, record.payload.data(), record.type, record.misc,
                      static_cast<std::uint16_t>(record.payload.size())});
  newest_ns_ = std::max(newest_ns_, time_ns);
}

Status RecordQueue::FinishRound(const Deliver& deliver) {
  Status status = DeliverUpTo(newest_of_round_before_ns_, deliver);
  newest_of_round_before_ns_ = newest_ns_;
  return status;
}

Status RecordQueue::Finish(const Deliver& deliver) { return DeliverUpTo(UINT64_MAX, deliver); }

Status RecordQueue::DeliverUpTo(std::uint64_t time_ns, const Deliver& deliver) {
  const auto older = [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; };
  MergeRuns(pending_.begin(), pending_.end(), older);
  const auto end =
      std::upper_bound(pending_.begin(), pending_.end(), time_ns,
                       [](std::uint64_t time, const Entry& entry) { return time < entry.time_ns; });
  for (auto entry = pending_.begin(); entry != end; ++entry) {
    const Record record{
        .type = entry->type, .misc = entry->misc, .payload = {entry->payload, entry->size}};
    if (Status status = deliver(record); !status.ok()) return status;
  }
  pending_.erase(pending_.begin(), end);
  ReleaseBlocks();
  return {};
}

void RecordQueue::ReleaseBlocks() {
  if (blocks_.empty()) return;
  // The newest block is still being read.
  const std::shared_ptr<const std::string> newest = blocks_.back();
  std::erase_if(blocks_, [&](const std::shared_ptr<const std::string>& block) {
    if (block == newest) return false;
    const std::less<const char*> before;
    const char* const begin = block->data();
    const char* const end = begin + block->size();
    return std::ranges::none_of(pending_, [&](const Entry& entry) {
      return !before(entry.payload, begin) && before(entry.payload, end);
    });
  });
}

}  // namespace sonde::perf_data
