// ClaudeQueue: what was typed while the agent was busy, and whether a record of it remains.

#ifndef SONDE_AGENTLOG_CLAUDE_QUEUE_H_
#define SONDE_AGENTLOG_CLAUDE_QUEUE_H_

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "agentlog/row_table.h"

namespace sonde::agentlog {

// The queue of one session. Keeps hashes, not text. Not thread-safe.
class ClaudeQueue {
 public:
  struct Removed {
    std::uint64_t text_key = 0;
    std::int64_t time_ns = 0;
    std::uint64_t place = 0;
  };

  // `text_key` 0: not known. A repeated record is taken once.
  void Enqueue(std::uint64_t text_key, std::int64_t time_ns);
  void Dequeue(std::int64_t time_ns);
  void Remove(std::uint64_t text_key, std::int64_t time_ns, std::uint64_t place);
  // Everything queued went back into the editor.
  void Empty() { queued_.clear(); }
  // A prompt of the session was recorded.
  void Recorded(std::uint64_t text_key) { recorded_.FindOrAdd(text_key); }

  // What was taken from the queue and is no prompt of the session.
  std::vector<Removed> NotRecorded() const;

 private:
  bool IsRepeated(std::uint64_t what, std::uint64_t text_key, std::int64_t time_ns);

  std::deque<std::uint64_t> queued_;
  std::vector<Removed> removed_;
  RowTable<KeyRow> recorded_;
  RowTable<KeyRow> seen_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CLAUDE_QUEUE_H_
