// Replay: hands the events of one session to its visitor, call by call.

#ifndef SONDE_AGENTLOG_REPLAY_H_
#define SONDE_AGENTLOG_REPLAY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agentlog/history.h"
#include "agentlog/log_event.h"

namespace sonde::agentlog {

// Which rows of the ledger were handed out. Each row belongs to one session, so that threads
// which visit different sessions never touch the same byte.
struct Delivered {
  explicit Delivered(const Ledger& ledger)
      : calls(ledger.calls.size()),
        tools(ledger.tool_calls.size()),
        prompts(ledger.prompts.size()) {}
  std::vector<std::uint8_t> calls;
  std::vector<std::uint8_t> tools;
  std::vector<std::uint8_t> prompts;
};

// The times of the events of one session, in order.
class Timeline {
 public:
  void Add(std::int64_t time_ns) {
    if (time_ns != kNoTime) times_.push_back(time_ns);
  }
  void Sort();
  // The time of the event behind one at `time_ns`; asked once for each event.
  std::int64_t Next(std::int64_t time_ns);

 private:
  std::vector<std::int64_t> times_;
  std::unordered_map<std::int64_t, std::uint32_t> asked_;  // Only of times that occur again.
};

// Keeps at most one response and the tools it asked for. Not thread-safe.
class Replay {
 public:
  Replay(const AgentHistory::State& state, std::uint32_t session, SessionVisitors& visitors,
         Delivered& delivered, Timeline timeline);

  void Folder(std::string_view folder);
  void Title(std::string_view title);
  void Prompt(const PromptEvent& event);
  void Response(const ResponseEvent& event);
  void Tool(const ToolEvent& event);
  void ToolResult(const ToolResultEvent& event);
  // A file ended; what is still waiting goes out.
  void EndFile() { Flush(); }

  // Everything was taken. kInvalid when events that were counted did not come.
  Status Finish();
  std::unique_ptr<SessionVisitor> TakeVisitor() { return std::move(visitor_); }

 private:
  struct WaitingTool {
    const ToolRow* row;
    std::string name;
    std::string call_id;
    ToolInput input_kind;
    std::string input;
  };
  struct Answer {
    const CallRow* row;
    std::uint64_t key;
    std::int64_t start_ns;
    std::int64_t end_ns;
    bool is_final;
    std::string id;
    std::string text;
  };

  SessionVisitor& visitor();
  bool IsMine(const auto* row) const {
    return row != nullptr && row->counts != 0 && row->thread == thread_;
  }
  void Flush();
  std::uint32_t Deliver(const Answer& answer);
  void Deliver(const WaitingTool& tool, std::uint32_t call);

  const AgentHistory::State& state_;
  std::uint32_t session_;
  std::uint32_t thread_;
  SessionVisitors& visitors_;
  Delivered& delivered_;
  Timeline timeline_;
  std::unique_ptr<SessionVisitor> visitor_;
  std::string folder_;
  std::string title_;

  std::uint32_t prompts_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t tools_ = 0;
  std::uint32_t prompt_ = kNoIndex;
  std::int64_t asked_ns_ = kNoTime;  // Of the last prompt or result.

  std::vector<Answer> answers_;  // The response at hand, then the calls made inside of it.
  std::vector<WaitingTool> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t last_key_ = 0;  // Of the last response handed out,
  std::uint32_t last_call_ = kNoIndex;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_REPLAY_H_
