// AgentProjection: what agents did, as profiles: one sample an operation, token kind, file or host.

#ifndef SONDE_AGENT_PROJECTION_H_
#define SONDE_AGENT_PROJECTION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/agent_history.h"
#include "sonde/price_table.h"
#include "sonde/profile.h"
#include "sonde/result.h"
#include "sonde/tag_report.h"
#include "sonde/tagger.h"

namespace sonde {

enum class AgentView : std::uint8_t {
  kOperations,  // Prompts, tool calls and model calls.
  kTokens,      // By kind; their sum is what the vendor counts.
  kFiles,       // Groups of paths a tool touched.
  kNetwork,     // Hosts a tool contacted.
  kTime,        // Nanoseconds until the next event; long gaps are the frame "idle".
  kTools,
  kCost,  // Nanodollars.
};
inline constexpr std::size_t kAgentViews = 7;

// "operations", "tokens", "files", "network", "time", "tools", "cost". **Any thread.**
std::string_view NameOf(AgentView view) noexcept;
std::optional<AgentView> AgentViewNamed(std::string_view name) noexcept;
// All of them, in the order above.
std::span<const AgentView> AllAgentViews() noexcept;

// What one sample of `view` weighs: {"tokens", "count"}. **Any thread.**
ValueType WeightOf(AgentView view);

struct ProjectionOptions {
  std::vector<AgentView> views{AgentView::kTokens};
  std::string project_root;  // Paths are named relative to it. Absolute, or empty.
  std::string project_name;  // Empty: after project_root.
  std::size_t path_depth = 2;
  std::string stack;  // Frames, root first: "task,phase;token". Empty: those of the preset.
  std::string stack_preset = "G4";  // "G0" to "G4": the shapes in use over time.
  std::vector<std::string> stack_rules;
  std::vector<std::string> op_maps;
  std::vector<std::string> where;
  std::string session_tag;  // Keep sessions with this tag. Empty: all.
  std::string prompt_tag;   // Keep prompts with this tag and what belongs to them. Empty: all.
  // What a gap may last before the rest of it is idle.
  std::chrono::nanoseconds idle_limit{std::chrono::minutes{5}};
  // Labels that differ from event to event (time, ids, hashes): one sample an event.
  bool event_labels = false;
  bool include_previews = false;       // Keep text for sessions_sink and unmatched samples.
  const PriceTable* prices = nullptr;  // Null: the shipped table.
  Tagger* tagger = nullptr;            // Needed. Outlives the projection.
  Tagger* task_tagger = nullptr;       // Chooses the task of a session; may be null.
  // Sees every prompt no tag was found for, with its text. One thread at a time.
  std::function<void(std::string_view text)> on_unmatched_prompt;
  // Gets one JSON object a session, each on a line of its own, redacted unless include_previews.
  std::function<Status(std::string_view json)> sessions_sink;
};

// Sessions, prompts and calls that the tag conditions left in.
struct ProjectionCounts {
  std::uint64_t sessions = 0;  // Started by a person.
  std::uint64_t subagents = 0;
  std::uint64_t prompts = 0;  // Of people and agents, as AgentCounts has them.
  std::uint64_t tools = 0;
  std::uint64_t llm_calls = 0;
  std::map<std::string, std::uint64_t> unpriced_tokens;  // By model without a price.
};

class AgentProjection {
 public:
  // Checks every rule before anything is read. Fails with kUsage, naming the option.
  static Result<AgentProjection> Create(ProjectionOptions options);
  AgentProjection(AgentProjection&&) noexcept;
  AgentProjection& operator=(AgentProjection&&) noexcept;
  ~AgentProjection();

  // What VisitSessions fills. `files` are the names that AgentSession::files counts in, for the
  // JSON of a session; they outlive the projection's reading. Memory: a few hundred bytes for
  // each operation of the sessions at hand, and the profiles themselves.
  SessionVisitors& visitors(std::span<const std::string> files = {});
  // Call once when all sessions have ended. Fails with what sessions_sink said.
  Status Finish();

  // The profile of `view`, which is one of the views asked for. Call once a view, after Finish.
  // Fails with kInvalid when it has no sample. Sample types: the view's weight first and default,
  // then what else is known of the same samples.
  Result<Profile> Take(AgentView view, const Losses& losses);

  const ProjectionCounts& counts() const noexcept;
  const TagReport& tags() const noexcept;
  // Rules that matched nothing, models without a price; one line each.
  std::vector<std::string> Warnings() const;
  const std::string& project_name() const noexcept;

 private:
  struct State;
  explicit AgentProjection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Reads the sessions of `history` into `projection` and finishes it. Fails like VisitSessions, and
// like AgentProjection::Finish.
Status ProjectHistory(const AgentHistory& history, AgentProjection& projection,
                      unsigned threads = 0);

// The same losses with the names of files alone as places: their folders say who worked on what.
// **Any thread.**
Losses WithoutFolders(const Losses& losses);

// The rules of an op-map file: one a line, blank lines and lines that start with '#' left out.
// **Any thread.**
std::vector<std::string> OpMapLines(std::string_view text);

// The frames of `view` in a preset, root first and separated by commas. Nothing for an unknown
// preset. **Any thread.**
std::optional<std::string> PresetStack(std::string_view preset, AgentView view);

}  // namespace sonde

#endif  // SONDE_AGENT_PROJECTION_H_
