// AgentProjection: what agents did, as profiles: one sample an operation, token kind, file or host.

#include <algorithm>
#include <deque>
#include <utility>

#include "agentlog/field_bag.h"
#include "agentlog/frame_namer.h"
#include "agentlog/operation.h"
#include "agentlog/operation_fields.h"
#include "agentlog/operation_rules.h"
#include "agentlog/session_json.h"
#include "agentlog/session_recorder.h"
#include "agentlog/view_builder.h"
#include "sonde/agent_projection.h"

namespace sonde {
namespace {

using agentlog::FieldBag;
using agentlog::FieldId;
using agentlog::FieldNames;
using agentlog::Operation;
using agentlog::OperationFields;
using agentlog::OperationKind;
using agentlog::OperationRules;
using agentlog::RecorderOptions;
using agentlog::SessionOperations;
using agentlog::SessionRecorder;
using agentlog::TaggedSession;
using agentlog::ViewBuilder;
using agentlog::ViewSettings;

// Sessions whose tags may still be on their way.
constexpr std::size_t kWaitingSessions = 16;

Error BadOption(std::string message) {
  return {.code = ErrorCode::kUsage, .message = std::move(message)};
}

}  // namespace

struct AgentProjection::State final : SessionVisitors {
  State(ProjectionOptions given, FieldNames field_names)
      : options(std::move(given)), names(std::move(field_names)) {}

  std::unique_ptr<SessionVisitor> Begin(std::uint32_t, const AgentSession& session,
                                        std::string_view cwd) override {
    return std::make_unique<SessionRecorder>(recorder, session, cwd);
  }

  void End(std::uint32_t, std::unique_ptr<SessionVisitor> visitor) override {
    waiting.push_back(std::move(static_cast<SessionRecorder&>(*visitor)).Take());
    if (waiting.size() > kWaitingSessions) ProjectOldest();
  }

  void ProjectOldest();
  void Report(const TaggedSession& session);
  bool KeepOnlyPrompt(TaggedSession& session) const;
  void Count(const TaggedSession& session);

  ProjectionOptions options;
  FieldNames names;
  RecorderOptions recorder;
  ViewSettings settings;
  std::optional<OperationRules> rules;
  std::deque<ViewBuilder> builders;
  std::optional<FieldBag> bag;
  std::string project;
  std::deque<SessionOperations> waiting;
  std::span<const std::string> files;
  ProjectionCounts counts;
  TagReport tags;
  std::int64_t start_ns = kNoTime;
  std::int64_t end_ns = kNoTime;
  Status sink_status;
};

AgentProjection::AgentProjection(std::unique_ptr<State> state) : state_(std::move(state)) {}
AgentProjection::AgentProjection(AgentProjection&&) noexcept = default;
AgentProjection& AgentProjection::operator=(AgentProjection&&) noexcept = default;
AgentProjection::~AgentProjection() = default;

Result<AgentProjection> AgentProjection::Create(ProjectionOptions options) {
  if (options.views.empty()) return BadOption("no view was asked for");
  if (options.idle_limit.count() < 0) return BadOption("the idle limit is negative");
  if (options.path_depth == 0) return BadOption("the path depth is 0");
  auto state = std::make_unique<State>(std::move(options), FieldNames());
  const ProjectionOptions& given = state->options;
  Result<OperationRules> rules =
      OperationRules::Create({given.op_maps, given.where, given.stack_rules}, state->names);
  if (!rules.ok()) return rules.error();
  state->rules = std::move(rules).value();
  state->bag.emplace(state->names.size());
  state->project = given.project_name.empty() ? agentlog::NameOfProject(given.project_root)
                                              : agentlog::NameOfWord(given.project_name);
  state->settings = {.prices = given.prices == nullptr ? &PriceTable::Shipped() : given.prices,
                     .idle_limit = given.idle_limit,
                     .event_labels = given.event_labels};
  state->recorder = {.project_root = given.project_root,
                     .path_depth = given.path_depth,
                     .include_previews = given.include_previews,
                     .tagger = given.tagger,
                     .task_tagger = given.task_tagger,
                     .on_unmatched_prompt = given.on_unmatched_prompt};
  for (const AgentView view : given.views) {
    std::string stack_text = given.stack;
    if (stack_text.empty()) {
      const std::optional<std::string> preset = PresetStack(given.stack_preset, view);
      if (!preset) {
        return BadOption("--stack-preset '" + given.stack_preset + "' is not G0, G1, G2, G3 or G4");
      }
      stack_text = *preset;
    }
    Result<std::vector<FieldId>> stack = agentlog::ParseStack(stack_text, state->names);
    if (!stack.ok()) return stack.error();
    state->builders.emplace_back(view, std::move(stack).value(), state->settings, state->names,
                                 *state->rules);
  }
  return AgentProjection(std::move(state));
}

void AgentProjection::State::Report(const TaggedSession& session) {
  const SessionOperations& recorded = session.recorded;
  const std::string id = agentlog::NameOfWord(recorded.session->id);
  tags.Add(TagKind::kSession, session.tag);
  if (session.tag == kUnmatchedTag) {
    tags.AddSample({TagKind::kSession, id, recorded.session_text.size(),
                    options.include_previews ? agentlog::PreviewText(recorded.session_text, 120)
                                             : std::string()});
  }
  for (std::size_t i = 0; i < recorded.operations.size(); ++i) {
    const Operation& operation = recorded.operations[i];
    if (operation.kind == OperationKind::kTool) continue;
    const bool is_asked = operation.kind == OperationKind::kPrompt;
    if (is_asked && !agentlog::IsPrompt(operation.prompt_kind)) continue;
    const TagKind kind = is_asked ? TagKind::kPrompt : TagKind::kLlm;
    tags.Add(kind, session.tags[i]);
    if (session.tags[i] != kUnmatchedTag || tags.samples().size() == TagReport::kSamples) continue;
    tags.AddSample(
        {kind, id, operation.text_bytes, std::string(recorded.strings.text(operation.preview))});
  }
}

// Leaves the prompts with the tag asked for and what belongs to them; false when nothing is left.
bool AgentProjection::State::KeepOnlyPrompt(TaggedSession& session) const {
  if (options.prompt_tag.empty()) return true;
  std::vector<Operation>& operations = session.recorded.operations;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (session.PromptTag(operations[i]) != options.prompt_tag) continue;
    operations[kept] = operations[i];
    session.tags[kept] = session.tags[i];
    ++kept;
  }
  operations.resize(kept);
  session.tags.resize(kept);
  return kept > 0;
}

void AgentProjection::State::Count(const TaggedSession& session) {
  const AgentSession& source = *session.recorded.session;
  ++(source.is_subagent ? counts.subagents : counts.sessions);
  for (const Operation& operation : session.recorded.operations) {
    switch (operation.kind) {
      case OperationKind::kPrompt:
        if (agentlog::IsPrompt(operation.prompt_kind)) ++counts.prompts;
        break;
      case OperationKind::kTool:
        ++counts.tools;
        break;
      case OperationKind::kLlm: {
        ++counts.llm_calls;
        const std::string_view model = session.recorded.strings.text(operation.name);
        const std::uint64_t tokens = operation.tokens.Total();
        if (tokens > 0 && settings.prices->Find(model) == nullptr) {
          counts.unpriced_tokens[std::string(model)] += tokens;
        }
        break;
      }
    }
    for (const std::int64_t time : {operation.time_ns, operation.end_ns}) {
      if (time == kNoTime) continue;
      start_ns = start_ns == kNoTime ? time : std::min(start_ns, time);
      end_ns = end_ns == kNoTime ? time : std::max(end_ns, time);
    }
  }
}

void AgentProjection::State::ProjectOldest() {
  TaggedSession session =
      agentlog::TagSession(std::move(waiting.front()), *options.tagger, options.task_tagger);
  waiting.pop_front();
  Report(session);
  if (!options.session_tag.empty() && session.tag != options.session_tag) return;
  if (!KeepOnlyPrompt(session)) return;
  Count(session);
  OperationFields fields(session, project);
  for (std::size_t i = 0; i < session.recorded.operations.size(); ++i) {
    for (ViewBuilder& builder : builders) {
      if (!builder.Wants(session.recorded.operations[i])) continue;
      fields.Fill(i, *bag);
      builder.Add(session, i, fields, *bag);
    }
  }
  if (!options.sessions_sink || !sink_status.ok()) return;
  std::vector<std::string> names_of_files;
  for (const std::uint32_t file : session.recorded.session->files) {
    if (file < files.size()) names_of_files.push_back(files[file]);
  }
  sink_status = options.sessions_sink(agentlog::SessionAsJson(session, names_of_files));
}

SessionVisitors& AgentProjection::visitors(std::span<const std::string> files) {
  state_->files = files;
  return *state_;
}

Status AgentProjection::Finish() {
  while (!state_->waiting.empty()) state_->ProjectOldest();
  return state_->sink_status;
}

Result<Profile> AgentProjection::Take(AgentView view, const Losses& losses) {
  const auto place = std::find_if(state_->builders.begin(), state_->builders.end(),
                                  [&](ViewBuilder& builder) { return builder.view() == view; });
  if (place == state_->builders.end()) {
    return BadOption("the view " + std::string(NameOf(view)) + " was not asked for");
  }
  if (place->sample_count() == 0) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "the view " + std::string(NameOf(view)) +
                            " has no samples in the sessions chosen"};
  }
  ProfileBuilder& builder = place->builder();
  if (state_->start_ns != kNoTime) {
    builder.SetTime(state_->start_ns);
    builder.SetDuration(state_->end_ns - state_->start_ns);
  }
  builder.AddComment("sonde agent");
  builder.AddComment("projection=" + std::string(NameOf(view)));
  builder.AddComment("project=" + state_->project);
  builder.losses().Add(WithoutFolders(losses));
  if (view == AgentView::kCost) {
    for (const auto& [model, tokens] : state_->counts.unpriced_tokens) {
      builder.losses().Add("no price for " + model, "tokens", tokens);
    }
  }
  return std::move(builder).Build();
}

const ProjectionCounts& AgentProjection::counts() const noexcept { return state_->counts; }
const TagReport& AgentProjection::tags() const noexcept { return state_->tags; }
const std::string& AgentProjection::project_name() const noexcept { return state_->project; }

std::vector<std::string> AgentProjection::Warnings() const {
  std::vector<std::string> warnings = state_->rules->Warnings();
  const bool has_cost =
      std::any_of(state_->builders.begin(), state_->builders.end(),
                  [](const ViewBuilder& builder) { return builder.view() == AgentView::kCost; });
  if (has_cost) {
    for (const auto& [model, tokens] : state_->counts.unpriced_tokens) {
      warnings.push_back("no price for model '" + model + "': " + std::to_string(tokens) +
                         " tokens are unpriced");
    }
  }
  return warnings;
}

Losses WithoutFolders(const Losses& losses) {
  Losses shown;
  for (const Loss& loss : losses.entries()) {
    shown.Add(loss.cause, loss.unit, loss.count);
    for (const std::string& place : loss.places) {
      const std::string name = place.substr(place.rfind('/') + 1);
      if (!name.empty()) shown.AddPlace(loss.cause, loss.unit, name);
    }
  }
  return shown;
}

}  // namespace sonde
