// sonde sessions: the sessions of coding agents, what each did and what it cost.

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/agent_input.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "sonde/agent_history.h"

namespace sonde::cli {
namespace {

using Json = nlohmann::json;

Json TokensAsJson(const TokenCounts& tokens) {
  // Member by member: an initializer list would build each pair as a list first.
  Json json;
  json["input"] = tokens.input;
  json["cache_read"] = tokens.cache_read;
  json["cache_creation"] = tokens.cache_creation;
  json["cache_creation_5m"] = tokens.cache_creation_5m;
  json["cache_creation_1h"] = tokens.cache_creation_1h;
  json["output"] = tokens.output;
  json["reasoning"] = tokens.reasoning;
  json["total"] = tokens.Total();
  return json;
}

Json TimeAsJson(std::int64_t time_ns) {
  return time_ns == kNoTime ? Json() : Json(TimeText(time_ns));
}

Json CountsAsJson(const AgentCounts& counts) {
  Json models = Json::array();
  Json by_model = Json::object();
  for (const auto& [name, tokens] : counts.models) {
    if (!name.empty()) models.push_back(name);
    by_model[name.empty() ? "unknown" : name] = TokensAsJson(tokens);
  }
  Json json;
  json["user_prompts"] = counts.user_prompts;
  json["agent_prompts"] = counts.agent_prompts;
  json["slash_commands"] = counts.slash_commands;
  json["bash_inputs"] = counts.bash_inputs;
  json["interruptions"] = counts.interruptions;
  json["queued_not_recorded"] = counts.queued_not_recorded;
  json["llm_calls"] = counts.llm_calls;
  json["api_errors"] = counts.api_errors;
  json["compactions"] = counts.compactions;
  json["server_tool_calls"] = counts.server_tool_calls;
  json["tool_calls"] = counts.tool_calls;
  json["tool_calls_total"] = counts.tool_calls_total;
  json["failed_tool_calls"] = counts.failed_tool_calls;
  json["rejected_tool_calls"] = counts.rejected_tool_calls;
  json["pending_tool_calls"] = counts.pending_tool_calls;
  json["nested_tool_calls"] = counts.nested_tool_calls;
  json["nested_failed"] = counts.nested_failed;
  json["models"] = std::move(models);
  json["tokens"] = TokensAsJson(counts.tokens);
  json["tokens_by_model"] = std::move(by_model);
  return json;
}

// The column of sessions takes a sub-agent's whole id; the last column ends the line.
constexpr std::size_t kNameWidth = 60;
constexpr std::size_t kModelWidth = 40;
constexpr std::size_t kModelsWidth = 160;

class Table {
 public:
  explicit Table(const AgentHistory& history) : history_(history) {
    const std::size_t size = history.sessions().size();
    children_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t parent = history.sessions()[i].parent;
      (parent == kNoIndex ? roots_ : children_[parent]).push_back(i);
    }
  }

  Json AsJson() const {
    Json sessions = Json::array();
    for (const std::uint32_t root : roots_) sessions.push_back(SessionAsJson(root));
    Json totals = CountsAsJson(history_.totals());
    std::int64_t first_ns = kNoTime;
    std::int64_t last_ns = kNoTime;
    std::uint64_t subagents = 0;
    for (const AgentSession& session : history_.sessions()) {
      if (session.is_subagent) ++subagents;
      if (session.start_ns != kNoTime && (first_ns == kNoTime || session.start_ns < first_ns)) {
        first_ns = session.start_ns;
      }
      last_ns = std::max(last_ns, session.end_ns);
    }
    totals["sessions"] = history_.sessions().size() - subagents;
    totals["subagents"] = subagents;
    totals["first_ts"] = TimeAsJson(first_ns);
    totals["last_ts"] = TimeAsJson(last_ns);
    Json json;
    json["schema_version"] = "1.0";
    json["sessions"] = std::move(sessions);
    json["totals"] = std::move(totals);
    json["warnings"] = LossesAsJson(history_.losses());
    return json;
  }

  void Print() const {
    std::printf("%-40s %-19s %9s %8s %6s %12s %12s %12s %10s %11s  %s\n", "session", "start (UTC)",
                "duration", "prompts", "calls", "input", "cache read", "cache write", "output",
                "tools", "models");
    for (const std::uint32_t root : roots_) PrintSession(root, 0);
    PrintRow("total", "", "", history_.totals(), true);
  }

 private:
  Json SessionAsJson(std::uint32_t index) const {
    const AgentSession& session = history_.sessions()[index];
    Json json = CountsAsJson(session.counts);
    json["agent"] = NameOf(session.agent);
    json["id"] = session.id;
    json["agent_id"] = session.agent_id.empty() ? Json() : Json(session.agent_id);
    json["is_subagent"] = session.is_subagent;
    json["parent_id"] = session.parent_id.empty() ? Json() : Json(session.parent_id);
    json["version"] = session.version.empty() ? Json() : Json(session.version);
    json["start"] = TimeAsJson(session.start_ns);
    json["end"] = TimeAsJson(session.end_ns);
    json["duration_ms"] = session.start_ns == kNoTime
                              ? Json()
                              : Json((session.end_ns - session.start_ns) / 1'000'000);
    json["usage_known"] = session.has_usage;
    Json files = Json::array();
    for (const std::uint32_t file : session.files) {
      files.push_back(ShownNameOfLog(history_.files()[file]));
    }
    json["files"] = std::move(files);
    Json children = Json::array();
    for (const std::uint32_t child : children_[index]) children.push_back(SessionAsJson(child));
    json["subagents"] = std::move(children);
    return json;
  }

  void PrintSession(std::uint32_t index, std::size_t depth) const {
    const AgentSession& session = history_.sessions()[index];
    std::string name(depth * 2, ' ');
    name += NameOf(session.agent);
    name += ' ';
    name += session.agent_id.empty() ? session.id : session.agent_id;
    name = Cell(name, kNameWidth);
    std::string start;
    std::string duration;
    if (session.start_ns != kNoTime) {
      start = TimeText(session.start_ns).substr(0, 19);
      duration = DurationText(session.end_ns - session.start_ns);
    }
    PrintRow(name, start, duration, session.counts, session.has_usage);
    for (const std::uint32_t child : children_[index]) PrintSession(child, depth + 1);
  }

  static void PrintRow(const std::string& name, const std::string& start,
                       const std::string& duration, const AgentCounts& counts, bool has_usage) {
    // No usage in the log is not the same as none used.
    const auto tokens = [&](std::uint64_t count) {
      return has_usage ? std::to_string(count) : std::string("?");
    };
    std::string tools = std::to_string(counts.tool_calls_total);
    if (counts.failed_tool_calls != 0) {
      tools += " (" + std::to_string(counts.failed_tool_calls) + " failed)";
    }
    std::string models;
    for (const auto& [model, sum] : counts.models) {
      if (!models.empty()) models += ", ";
      models += model.empty() ? "unknown" : Cell(model, kModelWidth);
    }
    std::printf("%-40s %-19s %9s %8llu %6s %12s %12s %12s %10s %11s  %s\n", name.c_str(),
                start.c_str(), duration.c_str(),
                static_cast<unsigned long long>(counts.user_prompts + counts.agent_prompts),
                tokens(counts.llm_calls).c_str(), tokens(counts.tokens.input).c_str(),
                tokens(counts.tokens.cache_read).c_str(),
                tokens(counts.tokens.cache_creation).c_str(), tokens(counts.tokens.output).c_str(),
                tools.c_str(), Cell(models, kModelsWidth).c_str());
  }

  const AgentHistory& history_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::vector<std::uint32_t>> children_;
};

}  // namespace

void AddSessions(Program& program) {
  struct Options {
    AgentInput input;
    bool as_json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = program.Command(
      "sessions", "Lists the sessions of coding agents and what each did",
      [options]() -> Result<int> {
        Result<AgentHistory> history = ReadHistory(options->input, FindLogs(options->input));
        if (!history.ok()) return history.error();
        const Table table(history.value());
        if (options->as_json) {
          std::cout << table.AsJson().dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        } else {
          table.Print();
          std::fflush(stdout);
        }
        PrintLosses(history.value().losses());
        if (history.value().sessions().empty()) Note(WhyNoSession(options->input));
        return 0;
      });
  AddInputOptions(*command, options->input);
  command->add_option("files", options->input.files,
                      "Logs or folders of logs; - is standard input (default: the agents' own)");
  command->add_flag("--json", options->as_json, "Write sessions, totals and warnings as JSON");
}

}  // namespace sonde::cli
