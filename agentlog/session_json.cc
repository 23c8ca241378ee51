// SessionJson: a session as one line of JSON, redacted unless previews were recorded.

#include "agentlog/session_json.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "agentlog/frame_namer.h"
#include "agentlog/operation_fields.h"
#include "agentlog/token_kinds.h"

namespace sonde::agentlog {
namespace {

using nlohmann::json;

constexpr std::string_view kRedacted = "redacted";

std::string_view LastComponent(std::string_view path) noexcept {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

json Milliseconds(std::int64_t time_ns) {
  return time_ns == kNoTime ? json() : json(time_ns / 1'000'000);
}

class Writer {
 public:
  explicit Writer(const TaggedSession& session) : session_(session), recorded_(session.recorded) {}

  json Whole(const std::vector<std::string>& files) {
    const AgentSession& source = *recorded_.session;
    json prompts = json::array();
    std::uint64_t prompt_count = 0;
    json tools = json::array();
    json calls = json::array();
    for (const Operation& operation : recorded_.operations) {
      if (operation.kind == OperationKind::kPrompt) {
        keys_.emplace(operation.prompt, KeyOf(operation));
      }
    }
    for (std::size_t i = 0; i < recorded_.operations.size(); ++i) {
      const Operation& operation = recorded_.operations[i];
      switch (operation.kind) {
        case OperationKind::kPrompt:
          prompts.push_back(PromptAsJson(operation, i));
          if (IsPrompt(operation.prompt_kind)) ++prompt_count;
          break;
        case OperationKind::kTool:
          tools.push_back(ToolAsJson(operation));
          break;
        case OperationKind::kLlm:
          calls.push_back(CallAsJson(operation, i));
          break;
      }
    }
    json names = json::array();
    for (const std::string& file : files) names.push_back(NameOfFile(file));
    json models = json::array();
    for (const auto& [model, tokens] : source.counts.models) models.push_back(NameOfModel(model));
    std::array<char, 17> cwd_hash{};
    std::snprintf(cwd_hash.data(), cwd_hash.size(), "%016llx",
                  static_cast<unsigned long long>(source.cwd_hash));
    const std::string id = NameOfId(source.id);
    return {{"source", NameOf(source.agent)},
            {"session_id", id},
            {"short_id", ShortSessionId(NameOf(source.agent), id)},
            {"session_files", names},
            {"cwd_hash", cwd_hash.data()},
            {"agent_role", source.is_subagent ? "subagent" : "main"},
            {"agent_id", source.agent_id.empty() ? json() : json(NameOfId(source.agent_id))},
            {"models", models},
            {"session_tag", session_.tag},
            {"start_ts_ms", Milliseconds(source.start_ns)},
            {"end_ts_ms", Milliseconds(source.end_ns)},
            {"prompt_count", prompt_count},
            {"tool_count", tools.size()},
            {"llm_count", calls.size()},
            {"tokens", TokensAsJson(source.counts.tokens)},
            {"prompts", std::move(prompts)},
            {"tool_events", std::move(tools)},
            {"llm_events", std::move(calls)}};
  }

 private:
  std::string_view Text(StringId id) const { return recorded_.strings.text(id); }

  // Names of log files are ids; what else a file is called is not shown.
  static std::string NameOfFile(std::string_view file) { return NameOfWord(LastComponent(file)); }

  json PreviewAsJson(StringId preview) const {
    return preview == StringId{} ? json(kRedacted) : json(Text(preview));
  }

  std::string KeyOf(const Operation& prompt) const {
    return std::to_string(prompt.prompt) + ':' + std::string(Text(prompt.text_hash));
  }

  json PromptOf(const Operation& operation) const {
    const auto key = keys_.find(operation.prompt);
    return {{"ts_ms", Milliseconds(operation.time_ns)},
            {"prompt_index", operation.prompt == kNoIndex ? json() : json(operation.prompt)},
            {"prompt_key", key == keys_.end() ? json() : json(key->second)},
            {"prompt_tag", session_.PromptTag(operation)}};
  }

  static json TokensAsJson(const TokenCounts& tokens) {
    const TokenKinds kinds = TokenKindsOf(tokens);
    return {{"input", kinds.input},
            {"cache_read", kinds.cache_read},
            {"cache_creation", kinds.cache_creation},
            {"output", kinds.output},
            {"reasoning", kinds.reasoning},
            {"total", tokens.Total()}};
  }

  json PromptAsJson(const Operation& operation, std::size_t index) const {
    return {{"index", operation.prompt},
            {"prompt_key", KeyOf(operation)},
            {"kind", NameOf(operation.prompt_kind)},
            {"ts_ms", Milliseconds(operation.time_ns)},
            {"hash", Text(operation.text_hash)},
            {"bytes", operation.text_bytes},
            {"tag", session_.tags[index]},
            {"preview", PreviewAsJson(operation.preview)}};
  }

  json ToolAsJson(const Operation& operation) const {
    json tool = PromptOf(operation);
    json processes = json::array();
    for (std::uint32_t i = 0; i < operation.processes.count; ++i) {
      processes.push_back(Text(recorded_.values[operation.processes.first + i]));
    }
    json domains = json::array();
    for (std::uint32_t i = 0; i < operation.domains.count; ++i) {
      domains.push_back(Text(recorded_.values[operation.domains.first + i]));
    }
    json groups = json::array();
    for (std::uint32_t i = 0; i < operation.path_count; ++i) {
      const PathValue& path = recorded_.paths[operation.first_path + i];
      groups.push_back({{"group", Text(path.group)}, {"access", NameOf(path.access)}});
    }
    tool.update({{"tool_name", Text(operation.name)},
                 {"category", NameOf(operation.category)},
                 {"command_name", Text(operation.command)},
                 {"command_hash", Text(operation.text_hash)},
                 {"command_preview", PreviewAsJson(operation.preview)},
                 {"process_chain", std::move(processes)},
                 {"effect", NameOf(operation.effect)},
                 {"status", StatusName(operation)},
                 {"path_groups", std::move(groups)},
                 {"domains", std::move(domains)},
                 {"call_id_hash", HashOf(Text(operation.id), 16)},
                 {"end_ts_ms", Milliseconds(operation.end_ns)}});
    return tool;
  }

  json CallAsJson(const Operation& operation, std::size_t index) const {
    json call = PromptOf(operation);
    call.update({{"llm_tag", session_.tags[index]},
                 {"model", Text(operation.name)},
                 {"hash", Text(operation.text_hash)},
                 {"is_final", operation.is_final},
                 {"tokens", TokensAsJson(operation.tokens)},
                 {"preview", PreviewAsJson(operation.preview)}});
    return call;
  }

  const TaggedSession& session_;
  const SessionOperations& recorded_;
  std::map<std::uint32_t, std::string> keys_;
};

}  // namespace

std::string ShortSessionId(std::string_view agent, std::string_view id) {
  std::string name = "local:" + std::string(agent) + ':' + std::string(agent) + ':';
  if (id.size() <= 12) return name.append(id);
  return name.append(id.substr(0, 6)).append(".").append(id.substr(id.size() - 5));
}

std::string InstantText(std::int64_t time_ns) {
  if (time_ns == kNoTime) return {};
  std::int64_t milliseconds = time_ns / 1'000'000;
  if (milliseconds < 0) milliseconds = 0;
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + size, text.size() - size, ".%03dZ",
                static_cast<int>(milliseconds % 1000));
  return text.data();
}

std::string SessionAsJson(const TaggedSession& session, const std::vector<std::string>& files) {
  return Writer(session).Whole(files).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sonde::agentlog
