// LabelTable: sets of labels, each known by a number that a handler can copy.

#ifndef SONDE_SAMPLER_LABEL_TABLE_H_
#define SONDE_SAMPLER_LABEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sonde {

using LabelSet = std::vector<std::pair<std::string, std::string>>;

// Sets are never removed, so a number stays good for ever. Number 0 is the empty set.
// Any thread. Not async-signal-safe.
class LabelTable {
 public:
  static constexpr std::size_t kMaxSets = 65'536;
  static constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20;
  static constexpr std::string_view kOther = "[other]";

  static LabelTable& Get();

  // The number of the set `outer` with `key` set to `value`. When the table is full the value
  // is kOther, or where even that has no room the set is `outer`.
  std::uint32_t Intern(std::uint32_t outer, std::string_view key, std::string_view value);

  // By key, in the order in which the keys were set first.
  LabelSet SetOf(std::uint32_t number) const;

  // The last label of a set. It never moves nor changes.
  struct Node {
    std::uint32_t outer = 0;
    std::string key;
    std::string value;
  };
  const Node* NodeOf(std::uint32_t number) const;

  void LockForFork() { mutex_.lock(); }
  void UnlockAfterFork() { mutex_.unlock(); }

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t hash) const noexcept { return hash; }
  };

  LabelTable() { nodes_.emplace_back(); }
  std::uint32_t Find(std::uint64_t hash, std::uint32_t outer, std::string_view key,
                     std::string_view value) const;
  std::uint32_t Add(std::uint64_t hash, std::uint32_t outer, std::string_view key,
                    std::string_view value);

  mutable std::mutex mutex_;
  std::deque<Node> nodes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t, Hash> by_hash_;
  std::size_t text_bytes_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_LABEL_TABLE_H_
