// ClaudeThreads: whose each record of a Claude Code transcript is.

#include "agentlog/claude_threads.h"

#include "agentlog/hash.h"
#include "agentlog/iso_time.h"

namespace sonde::agentlog {
namespace {

// Ids made by Anthropic are unique in the world; those of gateways may not be.
bool IsWorldwide(std::string_view id, std::string_view prefix) noexcept {
  return id.starts_with(prefix) && id.size() >= prefix.size() + 16;
}

}  // namespace

std::uint64_t ClaudeContext::ToolKey(std::string_view id) const noexcept {
  if (IsWorldwide(id, "toolu_")) return Hash64('c').Add(id).value();
  return Hash64('c').Add(session).Add(id).value();
}

std::uint64_t ClaudeContext::ToolLineKey(std::string_view id) const noexcept {
  if (IsWorldwide(id, "toolu_") || line_key == 0) return 0;
  return Hash64('c').Add(line_key).Add(id).value();
}

std::uint64_t ClaudeContext::ResponseLineKey(std::string_view id) const noexcept {
  return IsWorldwide(id, "msg_") ? 0 : line_key;
}

std::uint64_t ClaudeContext::ResponseKey(std::string_view id, std::string_view request_id,
                                         std::uint64_t file_key) const noexcept {
  if (IsWorldwide(id, "msg_")) return Hash64('r').Add(id).value();
  if (!id.empty()) return Hash64('r').Add(session).Add(id).Add(request_id).value();
  if (line_key != 0) return Hash64('r').Add(line_key).value();
  return Hash64('r').Add(file_key).Add(place).value();
}

ClaudeContext ClaudeThreads::Enter(const ClaudeRecord& record, std::uint64_t place) {
  ClaudeContext context;
  context.place = place;
  context.session = record.session_id.empty() ? std::string_view(session_) : record.session_id;
  context.time_ns = ParseTime(record.timestamp);
  if (!record.uuid.empty()) context.line_key = Hash64('u').Add(record.uuid).value();
  if (record.is_sidechain) {
    context.rank = CopyRank::kSidechain;
    context.is_agents = true;
    context.agent = record.agent_id.empty() ? InlineAgent(record) : record.agent_id;
    context.thread = Sub(context.session, context.agent);
  } else {
    if (!record.forked_from.empty() || record.session_kind == "bg") {
      context.rank = CopyRank::kForked;
    }
    context.thread = Main(context.session, record.forked_from);
  }
  Tell(record, context);
  return context;
}

void ClaudeThreads::EnterProgress(std::string_view agent, ClaudeContext& context) {
  context.agent = agent;
  context.rank = CopyRank::kProgress;
  context.is_agents = true;
  context.thread = Sub(context.session, agent);
  sink_.OnRecord(context.thread, context.time_ns);
}

void ClaudeThreads::Tell(const ClaudeRecord& record, const ClaudeContext& context) {
  sink_.OnRecord(context.thread, context.time_ns);
  if (context.thread >= told_.size()) told_.resize(context.thread + 1);
  Told& told = told_[context.thread];
  if (!told.folder && !record.cwd.empty()) {
    told.folder = true;
    sink_.OnFolder(context.thread, record.cwd);
  }
  if (!told.version && !record.version.empty()) {
    told.version = true;
    sink_.OnVersion(context.thread, record.version);
  }
  if (!pending_title_.empty()) {
    sink_.OnTitle(context.thread, pending_title_);
    pending_title_.clear();
  }
}

LocalThread ClaudeThreads::Main(std::string_view session, std::string_view forked_from) {
  if (has_main_ && session == main_session_) return main_;
  main_ = sink_.OnThread(
      {.agent = AgentKind::kClaude, .session_id = session, .parent_id = forked_from});
  main_session_ = session;
  has_main_ = true;
  return main_;
}

LocalThread ClaudeThreads::Sub(std::string_view session, std::string_view agent) {
  if (has_sub_ && session == sub_session_ && agent == sub_agent_) return sub_;
  sub_ = sink_.OnThread({.agent = AgentKind::kClaude,
                         .session_id = session,
                         .agent_id = agent,
                         .is_subagent = true,
                         .parent_id = session});
  sub_session_ = session;
  sub_agent_ = agent;
  has_sub_ = true;
  return sub_;
}

// Side chains of 1.x stand between the main lines and have no agent id: each is known by the
// record that began it.
std::string_view ClaudeThreads::InlineAgent(const ClaudeRecord& record) {
  const std::uint64_t self = HashOf(record.uuid);
  std::uint32_t root = static_cast<std::uint32_t>(inline_roots_.size());
  if (!record.parent_uuid.empty()) {
    const InlineRecord* const parent = inline_records_.Find(HashOf(record.parent_uuid));
    if (parent != nullptr) root = parent->root;
  }
  if (!record.uuid.empty()) {
    const auto [known, is_new] = inline_records_.FindOrAdd(self);
    if (is_new) known->root = root;
    root = known->root;
  }
  if (root == inline_roots_.size()) inline_roots_.emplace_back(record.uuid);
  return inline_roots_[root];
}

void ClaudeThreads::Title(std::string_view title) {
  if (has_main_ && main_session_ == session_) {
    sink_.OnTitle(main_, title);
  } else {
    pending_title_ = title;
  }
}

}  // namespace sonde::agentlog
