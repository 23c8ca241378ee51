// ClaudeQueue: what was typed while the agent was busy, and whether a record of it remains.

#include "agentlog/claude_queue.h"

#include <algorithm>

#include "agentlog/hash.h"
#include "sonde/agent_session.h"

namespace sonde::agentlog {

bool ClaudeQueue::IsRepeated(std::uint64_t what, std::uint64_t text_key, std::int64_t time_ns) {
  if (time_ns == kNoTime) return false;
  const std::uint64_t key =
      Hash64(what).Add(text_key).Add(static_cast<std::uint64_t>(time_ns)).value();
  return !seen_.FindOrAdd(key).second;
}

void ClaudeQueue::Enqueue(std::uint64_t text_key, std::int64_t time_ns) {
  if (!IsRepeated('e', text_key, time_ns)) queued_.push_back(text_key);
}

void ClaudeQueue::Dequeue(std::int64_t time_ns) {
  if (!queued_.empty() && !IsRepeated('d', queued_.front(), time_ns)) queued_.pop_front();
}

void ClaudeQueue::Remove(std::uint64_t text_key, std::int64_t time_ns, std::uint64_t place) {
  auto taken = std::find(queued_.begin(), queued_.end(), text_key);
  // A record that does not say what it removes means the oldest.
  if (text_key == 0) taken = queued_.begin();
  if (taken == queued_.end()) return;
  if (IsRepeated('r', *taken, time_ns)) return;
  removed_.push_back({*taken, time_ns, place});
  queued_.erase(taken);
}

std::vector<ClaudeQueue::Removed> ClaudeQueue::NotRecorded() const {
  std::vector<Removed> lost;
  for (const Removed& removed : removed_) {
    if (recorded_.Find(removed.text_key) == nullptr) lost.push_back(removed);
  }
  return lost;
}

}  // namespace sonde::agentlog
