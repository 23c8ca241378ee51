// ViewBuilder: one profile that grows by the operations of one session after another.

#include "agentlog/view_builder.h"

#include <algorithm>

#include "agentlog/token_kinds.h"

namespace sonde::agentlog {
namespace {

std::vector<ValueType> TypesOf(AgentView view) {
  std::vector<ValueType> types = {WeightOf(view)};
  const auto add = [&](std::initializer_list<ValueType> more) {
    types.insert(types.end(), more.begin(), more.end());
  };
  switch (view) {
    case AgentView::kOperations:
      add({{"tokens", "count"},
           {"duration", "nanoseconds"},
           {"cost", "nanodollars"},
           {"failures", "count"}});
      break;
    case AgentView::kTokens:
      add({{"input", "count"},
           {"cache_read", "count"},
           {"cache_creation", "count"},
           {"output", "count"},
           {"reasoning", "count"},
           {"llm_calls", "count"},
           {"cost", "nanodollars"}});
      break;
    case AgentView::kFiles:
      add({{"file_reads", "count"}, {"file_writes", "count"}});
      break;
    case AgentView::kNetwork:
      add({{"failures", "count"}});
      break;
    case AgentView::kTime:
      add({{"events", "count"}});
      break;
    case AgentView::kTools:
      add({{"nested_calls", "count"}, {"failures", "count"}, {"duration", "nanoseconds"}});
      break;
    case AgentView::kCost:
      add({{"tokens", "count"}, {"unpriced_tokens", "count"}});
      break;
  }
  return types;
}

std::int64_t Clamped(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
}

bool IsFailure(const Operation& operation) noexcept {
  return operation.status == ToolStatus::kFailed || operation.status == ToolStatus::kRejected;
}

std::int64_t RunTime(const Operation& operation) noexcept {
  const bool is_known = operation.time_ns != kNoTime && operation.end_ns > operation.time_ns;
  return is_known ? operation.end_ns - operation.time_ns : 0;
}

}  // namespace

TimeSplit SplitTime(const Operation& operation, std::chrono::nanoseconds idle_limit) noexcept {
  if (operation.time_ns == kNoTime) return {};
  const std::int64_t run = RunTime(operation);
  if (operation.next_ns == kNoTime) return {run, 0};
  const std::int64_t span = std::max<std::int64_t>(operation.next_ns - operation.time_ns, 0);
  const std::int64_t busy = std::min(run, span);
  const std::int64_t gap = span - busy;
  if (gap <= idle_limit.count()) return {span, 0};
  return {busy + idle_limit.count(), gap - idle_limit.count()};
}

ViewBuilder::ViewBuilder(AgentView view, std::vector<FieldId> stack, const ViewSettings& settings,
                         const FieldNames& names, OperationRules& rules)
    : view_(view),
      stack_(std::move(stack)),
      settings_(settings),
      names_(names),
      rules_(rules),
      builder_(TypesOf(view)),
      original_(names.size()) {
  builder_.SetDefaultSampleType(0);
}

LabelSetId ViewBuilder::LabelsOf(const TaggedSession& session, const Operation& operation,
                                 const FieldBag& bag) {
  constexpr std::pair<const char*, Field> kTexts[] = {
      {"project", Field::kProject},
      {"agent", Field::kAgent},
      {"session", Field::kSession},
      {"source_session", Field::kSourceSession},
      {"subagent", Field::kSubagent},
      {"source_kind", Field::kSourceKind},
      {"status", Field::kStatus},
      {"model", Field::kModel},
      {"response_phase", Field::kResponsePhase},
      {"outcome", Field::kOutcome},
      {"skill", Field::kSkill},
  };
  labels_.clear();
  labels_.push_back(builder_.TextLabel("view", NameOf(view_)));
  for (const auto& [key, field] : kTexts) {
    const std::string_view value = bag.first(field);
    if (!value.empty()) labels_.push_back(builder_.TextLabel(key, value));
  }
  if (settings_.event_labels) {
    const StringTable& strings = session.recorded.strings;
    const std::string_view hash = strings.text(operation.text_hash);
    switch (operation.kind) {
      case OperationKind::kPrompt:
        labels_.push_back(builder_.TextLabel("prompt_hash", hash));
        break;
      case OperationKind::kLlm:
        labels_.push_back(builder_.TextLabel("response_hash", hash));
        break;
      case OperationKind::kTool:
        break;
    }
    if (operation.kind != OperationKind::kPrompt) {
      labels_.push_back(builder_.TextLabel("call_id", strings.text(operation.id)));
    }
    if (operation.time_ns != kNoTime) {
      labels_.push_back(
          builder_.NumberLabel("timestamp_ms", operation.time_ns / 1'000'000, "milliseconds"));
    }
  }
  return builder_.AddLabels(labels_);
}

bool ViewBuilder::AddSample(const TaggedSession& session, const Operation& operation, FieldBag& bag,
                            std::initializer_list<std::int64_t> values) {
  if (!rules_.Apply(bag)) return false;
  StackId stack = kEmptyStack;
  for (const FieldId field : stack_) {
    rules_.LabelsOf(field, bag, frame_labels_);
    for (const std::string_view label : frame_labels_) {
      frame_.assign(names_.name(field)).append(":").append(label);
      stack = builder_.Extend(stack, builder_.FrameNamed(frame_));
    }
  }
  // An operation that has none of the chosen fields still counts, in every format.
  if (stack == kEmptyStack) stack = builder_.Extend(stack, builder_.FrameNamed("unknown"));
  builder_.AddSample(stack, LabelsOf(session, operation, bag), values);
  return true;
}

bool ViewBuilder::Wants(const Operation& operation) const noexcept {
  const bool is_tool = operation.kind == OperationKind::kTool;
  // What the person refused touched nothing and contacted nobody.
  const bool is_done = is_tool && operation.status != ToolStatus::kRejected;
  switch (view_) {
    case AgentView::kOperations:
      return true;
    case AgentView::kTokens:
    case AgentView::kCost:
      return operation.kind == OperationKind::kLlm;
    case AgentView::kFiles:
      return is_done && operation.path_count > 0;
    case AgentView::kNetwork:
      return is_done && (operation.domains.count > 0 || operation.effect == Effect::kNetwork);
    case AgentView::kTime:
      return operation.time_ns != kNoTime;
    case AgentView::kTools:
      return is_tool;
  }
  return false;
}

void ViewBuilder::Add(const TaggedSession& session, std::size_t index,
                      const OperationFields& fields, FieldBag& bag) {
  const Operation& operation = session.recorded.operations[index];
  const bool is_tool = operation.kind == OperationKind::kTool;
  switch (view_) {
    case AgentView::kOperations: {
      const auto cost = operation.kind == OperationKind::kLlm
                            ? settings_.prices->CostOf(
                                  session.recorded.strings.text(operation.name), operation.tokens)
                            : std::nullopt;
      AddSample(
          session, operation, bag,
          {1, Clamped(operation.tokens.Total()), SplitTime(operation, settings_.idle_limit).work_ns,
           cost ? cost->Total() : 0, is_tool && IsFailure(operation) ? 1 : 0});
      break;
    }
    case AgentView::kTokens:
    case AgentView::kCost:
      AddTokens(session, operation, bag);
      break;
    case AgentView::kFiles:
      AddFiles(session, operation, bag);
      break;
    case AgentView::kNetwork:
      AddDomains(session, operation, bag);
      break;
    case AgentView::kTime:
      AddTime(session, operation, fields, bag);
      break;
    case AgentView::kTools:
      AddSample(session, operation, bag,
                {operation.is_nested ? 0 : 1, operation.is_nested ? 1 : 0,
                 IsFailure(operation) ? 1 : 0, RunTime(operation)});
      break;
  }
}

void ViewBuilder::AddTokens(const TaggedSession& session, const Operation& operation,
                            FieldBag& bag) {
  const TokenKinds kinds = TokenKindsOf(operation.tokens);
  const auto cost =
      settings_.prices->CostOf(session.recorded.strings.text(operation.name), operation.tokens);
  const PriceTable::Cost priced = cost.value_or(PriceTable::Cost{});
  struct Part {
    const char* name;
    std::uint64_t tokens;
    std::int64_t cost;
  };
  const Part parts[] = {{"input", kinds.input, priced.input},
                        {"cache_read", kinds.cache_read, priced.cache_read},
                        {"cache_creation", kinds.cache_creation, priced.cache_creation},
                        {"output", kinds.output, priced.output},
                        {"reasoning", kinds.reasoning, priced.reasoning}};
  std::int64_t call = 1;
  if (rules_.maps_fields()) original_ = bag;
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    const Part& part = parts[i];
    if (part.tokens == 0) continue;
    if (rules_.maps_fields()) bag = original_;
    bag.Set(Field::kToken, part.name);
    bag.Set(Field::kKind, part.name);
    const std::int64_t tokens = Clamped(part.tokens);
    if (view_ == AgentView::kCost) {
      AddSample(session, operation, bag, {part.cost, tokens, cost ? 0 : tokens});
    } else {
      const auto of = [&](std::size_t kind) { return kind == i ? tokens : 0; };
      AddSample(session, operation, bag,
                {tokens, of(0), of(1), of(2), of(3), of(4), call, part.cost});
    }
    call = 0;
  }
}

void ViewBuilder::AddFiles(const TaggedSession& session, const Operation& operation,
                           FieldBag& bag) {
  if (rules_.maps_fields()) original_ = bag;
  for (std::uint32_t i = 0; i < operation.path_count; ++i) {
    const PathValue& path = session.recorded.paths[operation.first_path + i];
    const std::string_view group = session.recorded.strings.text(path.group);
    if (rules_.maps_fields()) bag = original_;
    bag.Set(Field::kPath, group);
    bag.Set(Field::kFile, group);
    bag.Set(Field::kObject, group);
    bag.Set(Field::kTarget, group);
    bag.Set(Field::kAccess, NameOf(path.access));
    bag.Remove(Field::kDomain);
    const bool is_read = path.access == Access::kRead;
    AddSample(session, operation, bag, {1, is_read ? 1 : 0, is_read ? 0 : 1});
  }
}

void ViewBuilder::AddDomains(const TaggedSession& session, const Operation& operation,
                             FieldBag& bag) {
  if (rules_.maps_fields()) original_ = bag;
  const std::uint32_t count = std::max(operation.domains.count, 1U);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view domain =
        operation.domains.count == 0
            ? std::string_view("unknown")
            : session.recorded.strings.text(session.recorded.values[operation.domains.first + i]);
    if (rules_.maps_fields()) bag = original_;
    bag.Set(Field::kDomain, domain);
    bag.Set(Field::kObject, domain);
    bag.Set(Field::kTarget, domain);
    bag.Remove(Field::kPath);
    bag.Remove(Field::kFile);
    bag.Remove(Field::kAccess);
    AddSample(session, operation, bag, {1, IsFailure(operation) ? 1 : 0});
  }
}

void ViewBuilder::AddTime(const TaggedSession& session, const Operation& operation,
                          const OperationFields& fields, FieldBag& bag) {
  const TimeSplit split = SplitTime(operation, settings_.idle_limit);
  const std::string project(bag.first(Field::kProject));
  if (!AddSample(session, operation, bag, {split.work_ns, 1}) || split.idle_ns == 0) return;
  labels_.clear();
  labels_.push_back(builder_.TextLabel("view", NameOf(view_)));
  labels_.push_back(builder_.TextLabel("project", project));
  labels_.push_back(builder_.TextLabel("agent", fields.agent()));
  labels_.push_back(builder_.TextLabel("session", session.tag));
  labels_.push_back(builder_.TextLabel("source_session", fields.session_id()));
  builder_.AddSample(builder_.Extend(kEmptyStack, builder_.FrameNamed("idle")),
                     builder_.AddLabels(labels_), {split.idle_ns, 0});
}

}  // namespace sonde::agentlog
