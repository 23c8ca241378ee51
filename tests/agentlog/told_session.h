// ToldSession: a session told event by event, as the readers of logs would hand it out.

#ifndef SONDE_TESTS_AGENTLOG_TOLD_SESSION_H_
#define SONDE_TESTS_AGENTLOG_TOLD_SESSION_H_

#include <memory>
#include <string>
#include <utility>

#include "sonde/agent_session.h"

namespace sonde {

// Times are in milliseconds; next_ns is set from the event told after it.
class ToldSession {
 public:
  ToldSession(std::string id, std::string cwd) : cwd_(std::move(cwd)) {
    session_.agent = AgentKind::kClaude;
    session_.id = std::move(id);
  }

  AgentSession& session() { return session_; }

  ToldSession& Prompt(std::int64_t ms, std::string text, PromptKind kind = PromptKind::kUser) {
    ++prompts_;
    Add({.kind = 0, .ms = ms, .text = std::move(text), .prompt_kind = kind});
    return *this;
  }
  ToldSession& Call(std::int64_t ms, std::string text, TokenCounts tokens, bool is_final = false,
                    std::string model = "claude-opus-4-5", std::int64_t end_ms = -1) {
    session_.counts.tokens += tokens;
    ++session_.counts.llm_calls;
    ++calls_;
    Add({.kind = 1,
         .ms = ms,
         .end_ms = end_ms,
         .text = std::move(text),
         .name = std::move(model),
         .tokens = tokens,
         .is_final = is_final});
    return *this;
  }
  ToldSession& Tool(std::int64_t ms, std::string name, std::string json,
                    ToolStatus status = ToolStatus::kOk, std::int64_t end_ms = -1) {
    Add({.kind = 2,
         .ms = ms,
         .end_ms = end_ms,
         .text = std::move(json),
         .name = std::move(name),
         .status = status});
    return *this;
  }

  void Tell(SessionVisitors& visitors, std::uint32_t index = 0) const {
    std::unique_ptr<SessionVisitor> visitor = visitors.Begin(index, session_, cwd_);
    std::uint32_t prompt = kNoIndex;
    std::uint32_t call = kNoIndex;
    std::uint32_t tool = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      const std::int64_t next = i + 1 < events_.size() ? events_[i + 1].ms * 1'000'000 : kNoTime;
      const std::int64_t time = event.ms * 1'000'000;
      const std::int64_t end = event.end_ms < 0 ? kNoTime : event.end_ms * 1'000'000;
      if (event.kind == 0) {
        ++prompt;
        visitor->OnPrompt({.index = prompt,
                           .kind = event.prompt_kind,
                           .time_ns = time,
                           .next_ns = next,
                           .text = event.text});
      } else if (event.kind == 1) {
        ++call;
        visitor->OnCall({.index = call,
                         .prompt = prompt,
                         .time_ns = time,
                         .end_ns = end,
                         .next_ns = next,
                         .id = "msg",
                         .model = event.name,
                         .effort = {},
                         .tokens = event.tokens,
                         .text = event.text,
                         .is_final = event.is_final});
      } else {
        visitor->OnTool(
            {.index = tool++,
             .prompt = prompt,
             .call = call,
             .time_ns = time,
             .end_ns = end,
             .next_ns = next,
             .name = event.name,
             .call_id = "call",
             .input_kind = event.text.starts_with('{') ? ToolInput::kJson : ToolInput::kText,
             .input = event.text,
             .status = event.status});
      }
    }
    visitors.End(index, std::move(visitor));
  }

 private:
  struct Event {
    int kind = 0;
    std::int64_t ms = 0;
    std::int64_t end_ms = -1;
    std::string text{};
    std::string name{};
    TokenCounts tokens{};
    bool is_final = false;
    PromptKind prompt_kind = PromptKind::kUser;
    ToolStatus status = ToolStatus::kOk;
  };
  void Add(Event event) { events_.push_back(std::move(event)); }

  AgentSession session_;
  std::string cwd_;
  std::vector<Event> events_;
  std::uint32_t prompts_ = 0;
  std::uint32_t calls_ = 0;
};

}  // namespace sonde

#endif  // SONDE_TESTS_AGENTLOG_TOLD_SESSION_H_
