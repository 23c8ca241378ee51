// OperationFields: the values of every field of the operations of one session.

#ifndef SONDE_AGENTLOG_OPERATION_FIELDS_H_
#define SONDE_AGENTLOG_OPERATION_FIELDS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "agentlog/field_bag.h"
#include "agentlog/operation.h"

namespace sonde::agentlog {

// Views `session` and `project`, which outlive it and what it fills. Not thread-safe.
class OperationFields {
 public:
  OperationFields(TaggedSession& session, std::string_view project);

  // Everything but what a view adds: path, file, domain, target, access, token, kind.
  void Fill(std::size_t operation, FieldBag& bag);

  std::string_view session_id() const noexcept { return session_id_; }
  std::string_view agent() const noexcept { return agent_; }
  std::string_view subagent() const noexcept { return subagent_; }

 private:
  void FillPrompt(const Operation& operation, std::string_view tag, FieldBag& bag);
  void FillCall(const Operation& operation, std::string_view tag, FieldBag& bag);
  void FillTool(const Operation& operation, FieldBag& bag);
  std::string_view Text(StringId id) const { return session_.recorded.strings.text(id); }
  // The words joined, kept as long as the session.
  std::string_view Joined(std::string_view first, std::string_view second);

  TaggedSession& session_;
  std::string_view project_;
  std::string_view session_id_;
  std::string_view agent_;
  std::string_view subagent_;
  std::vector<std::string_view> answered_tasks_;
};

// "ok", "fail", "rejected", "observed". Any thread.
std::string_view StatusName(const Operation& operation) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_OPERATION_FIELDS_H_
