// FindOwnStarts: how much of a Codex log was copied from the thread it was forked from.

#include "agentlog/fork.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "agentlog/hash.h"

namespace sonde::agentlog {
namespace {

constexpr std::uint32_t kAll = UINT32_MAX;

// The points of the calls that both begin with: how many, and where in `child` the last one is.
struct Prefix {
  std::size_t calls = 0;
  std::uint32_t end_place = 0;
};

Prefix CommonPrefix(const Origin& child, const Origin& other) {
  Prefix prefix;
  auto a = child.points.begin();
  auto b = other.points.begin();
  for (;;) {
    a = std::find_if(a, child.points.end(), [](const OriginPoint& p) { return p.is_turn == 0; });
    b = std::find_if(b, other.points.end(), [](const OriginPoint& p) { return p.is_turn == 0; });
    if (a == child.points.end() || b == other.points.end() || a->key != b->key) return prefix;
    ++prefix.calls;
    prefix.end_place = a->place + 1U;
    ++a;
    ++b;
  }
}

bool HasTurns(const Origin& origin) {
  return std::any_of(origin.points.begin(), origin.points.end(),
                     [](const OriginPoint& point) { return point.is_turn != 0; });
}

// By the turns the parent has too; nullopt when the turns do not tell.
std::optional<std::uint32_t> StartByTurns(const Origin& child, const Origin& parent) {
  if (!HasTurns(child) || !HasTurns(parent)) return std::nullopt;
  std::unordered_set<std::uint32_t> known;
  for (const OriginPoint& point : parent.points) {
    if (point.is_turn != 0) known.insert(point.key);
  }
  std::uint32_t start = 0;
  bool any_known = false;
  for (const OriginPoint& point : child.points) {
    if (point.is_turn != 0) {
      if (!known.contains(point.key)) {
        if (!any_known) return 0;
        // The prompt of a turn stands before its context, but behind the mark that it began.
        const std::uint32_t began = child.own_turn_place;
        return began >= start && began < point.place ? began : start;
      }
      any_known = true;
    }
    start = point.place + 1U;
  }
  // Every turn is the parent's; its own calls may go on within the last one.
  const Prefix prefix = CommonPrefix(child, parent);
  return prefix.calls != 0 ? prefix.end_place : kAll;
}

class Starts {
 public:
  explicit Starts(std::span<const Tally* const> logs) : logs_(logs) {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (logs[i] == nullptr || logs[i]->threads.empty()) continue;
      by_thread_.emplace(HashOf(logs[i]->threads.front().session_id), i);
      if (logs[i]->origin.parent_key != 0) by_parent_.emplace(logs[i]->origin.parent_key, i);
    }
  }

  std::uint32_t StartOf(std::size_t index) const {
    const Origin& origin = logs_[index]->origin;
    if (origin.parent_key == 0 || origin.tells_start) return 0;
    const auto [first, last] = by_thread_.equal_range(origin.parent_key);
    if (first != last) {
      std::uint32_t start = 0;
      for (auto parent = first; parent != last; ++parent) {
        if (parent->second == index) continue;
        start = std::max(start, StartByParent(origin, logs_[parent->second]->origin));
      }
      return start;
    }
    return StartWithoutParent(index);
  }

 private:
  static std::uint32_t StartByParent(const Origin& child, const Origin& parent) {
    if (const std::optional<std::uint32_t> start = StartByTurns(child, parent)) return *start;
    return CommonPrefix(child, parent).end_place;
  }

  bool IsOlder(std::size_t a, std::size_t b) const {
    const auto rank = [&](std::size_t i) {
      return std::tie(logs_[i]->origin.created_ns, logs_[i]->threads.front().session_id);
    };
    return rank(a) < rank(b);
  }

  std::uint32_t StartWithoutParent(std::size_t index) const {
    const Origin& origin = logs_[index]->origin;
    const std::string& own_id = logs_[index]->threads.front().session_id;
    std::uint32_t start = 0;
    bool owns_shared = false;
    const auto [first, last] = by_parent_.equal_range(origin.parent_key);
    for (auto sibling = first; sibling != last; ++sibling) {
      const std::size_t other = sibling->second;
      if (other == index || logs_[other]->threads.front().session_id == own_id) continue;
      const Prefix prefix = CommonPrefix(origin, logs_[other]->origin);
      if (prefix.calls == 0) continue;
      if (IsOlder(other, index)) {
        start = std::max(start, prefix.end_place);
      } else {
        owns_shared = true;
      }
    }
    // What the lost parent spent counts once, in the oldest of its forks.
    if (start != 0 || owns_shared) return start;
    if (origin.own_turn_place != 0) return origin.own_turn_place;
    return origin.is_spawned && origin.burst_calls >= 2 ? origin.burst_place + 1 : 0;
  }

  std::span<const Tally* const> logs_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_thread_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_parent_;
};

}  // namespace

std::vector<std::uint32_t> FindOwnStarts(std::span<const Tally* const> logs) {
  const Starts starts(logs);
  std::vector<std::uint32_t> result(logs.size(), 0);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i] != nullptr && !logs[i]->threads.empty()) result[i] = starts.StartOf(i);
  }
  return result;
}

}  // namespace sonde::agentlog
