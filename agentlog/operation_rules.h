// OperationRules: sets fields, leaves operations out and chooses frames, as the user's rules say.

#ifndef SONDE_AGENTLOG_OPERATION_RULES_H_
#define SONDE_AGENTLOG_OPERATION_RULES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/field_bag.h"
#include "sonde/result.h"

namespace sonde::agentlog {

// The rules as they are written on the command line.
struct RuleTexts {
  std::vector<std::string> op_maps;      // "FIELD:LABEL=REGEX"
  std::vector<std::string> where;        // "FIELD=REGEX" or "FIELD!=REGEX"
  std::vector<std::string> stack_rules;  // "FRAME:LABEL=REGEX"
};

// Not thread-safe: it counts which rules were used.
class OperationRules {
 public:
  // Fails with kUsage, quoting the rule. Fields that op-maps and stack rules name are added to
  // `names`.
  static Result<OperationRules> Create(const RuleTexts& texts, FieldNames& names);
  OperationRules(OperationRules&&) noexcept;
  OperationRules& operator=(OperationRules&&) noexcept;
  ~OperationRules();

  // True when Apply may change a bag.
  bool maps_fields() const noexcept;
  // Sets the fields of the op-maps; of several for one field the first that matches. False when a
  // where rule leaves the operation out. `bag` then holds views of this object's labels.
  bool Apply(FieldBag& bag);

  // The labels that stand for `frame`: of the first stack rule that matches, else the field's.
  void LabelsOf(FieldId frame, const FieldBag& bag, std::vector<std::string_view>& labels);

  // One line a rule that matched nothing so far, or (where) left everything out.
  std::vector<std::string> Warnings() const;

 private:
  struct State;
  explicit OperationRules(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// "task,phase;token" as field names. Fails with kUsage for a name that is no field.
Result<std::vector<FieldId>> ParseStack(std::string_view text, const FieldNames& names);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_OPERATION_RULES_H_
