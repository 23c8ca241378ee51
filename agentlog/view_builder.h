// ViewBuilder: one profile that grows by the operations of one session after another.

#ifndef SONDE_AGENTLOG_VIEW_BUILDER_H_
#define SONDE_AGENTLOG_VIEW_BUILDER_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/field_bag.h"
#include "agentlog/operation.h"
#include "agentlog/operation_fields.h"
#include "agentlog/operation_rules.h"
#include "sonde/agent_projection.h"
#include "sonde/price_table.h"
#include "sonde/profile_builder.h"

namespace sonde::agentlog {

// Outlives the builders that share it.
struct ViewSettings {
  const PriceTable* prices = nullptr;
  std::chrono::nanoseconds idle_limit{};
  bool event_labels = false;
};

class ViewBuilder {
 public:
  // `names` and `rules` outlive it.
  ViewBuilder(AgentView view, std::vector<FieldId> stack, const ViewSettings& settings,
              const FieldNames& names, OperationRules& rules);

  // True when Add has something to add for it.
  bool Wants(const Operation& operation) const noexcept;

  // Adds the samples of one operation of `session`. `bag` holds its fields and is changed.
  void Add(const TaggedSession& session, std::size_t operation, const OperationFields& fields,
           FieldBag& bag);

  AgentView view() const noexcept { return view_; }
  std::size_t sample_count() const noexcept { return builder_.sample_count(); }
  ProfileBuilder& builder() noexcept { return builder_; }

 private:
  void AddTokens(const TaggedSession& session, const Operation& operation, FieldBag& bag);
  void AddFiles(const TaggedSession& session, const Operation& operation, FieldBag& bag);
  void AddDomains(const TaggedSession& session, const Operation& operation, FieldBag& bag);
  void AddTime(const TaggedSession& session, const Operation& operation,
               const OperationFields& fields, FieldBag& bag);
  // False when a rule leaves the sample out.
  bool AddSample(const TaggedSession& session, const Operation& operation, FieldBag& bag,
                 std::initializer_list<std::int64_t> values);
  LabelSetId LabelsOf(const TaggedSession& session, const Operation& operation,
                      const FieldBag& bag);

  AgentView view_;
  std::vector<FieldId> stack_;
  const ViewSettings& settings_;
  const FieldNames& names_;
  OperationRules& rules_;
  ProfileBuilder builder_;
  std::vector<std::string_view> frame_labels_;
  std::vector<Label> labels_;
  std::string frame_;
  FieldBag original_;
};

// How the time from an operation to the next event is spent.
struct TimeSplit {
  std::int64_t work_ns = 0;
  std::int64_t idle_ns = 0;
};
TimeSplit SplitTime(const Operation& operation, std::chrono::nanoseconds idle_limit) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_VIEW_BUILDER_H_
