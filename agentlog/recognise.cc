// Recogniser: tells whose log it is from the shape of one record.

#include <algorithm>
#include <array>

#include "agentlog/dialect.h"
#include "agentlog/json.h"

namespace sonde::agentlog {
namespace {

constexpr std::array<std::string_view, 12> kCodexBareTypes = {
    "function_call",    "function_call_output",    "local_shell_call", "reasoning",
    "custom_tool_call", "custom_tool_call_output", "web_search_call",  "thread.started",
    "turn.started",     "turn.completed",          "item.started",     "item.completed",
};

constexpr std::array<std::string_view, 12> kClaudeTypes = {
    "user",   "assistant", "system",      "summary",         "progress",     "attachment",
    "result", "ai-title",  "last-prompt", "queue-operation", "custom-title", "permission-mode",
};

bool IsOneOf(std::string_view text, const auto& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

struct Shape {
  std::string_view type;
  std::string_view inner_type;  // Of the payload, or of a wrapped event.
  bool has_payload = false;
  bool has_record_type = false;
  bool has_id = false;
  bool has_timestamp = false;
  bool has_header_keys = false;
  bool has_role = false;
  bool has_session_id = false;
  bool has_message = false;
};

}  // namespace

struct Recogniser::State {
  json::Parser parser;
  json::TextArena arena;
};

Recogniser::Recogniser() : state_(std::make_unique<State>()) {}

Recogniser::~Recogniser() = default;

std::optional<AgentKind> Recogniser::Recognise(std::string_view text, LineOutcome& line_outcome,
                                               std::string_view& rest) {
  Shape shape;
  state_->arena.Clear();
  const auto object_in = [&](json::od::value value, bool& is_object) {
    return json::IsOf(value, json::od::json_type::object, is_object);
  };
  const json::Outcome outcome = state_->parser.Parse(text, rest, [&](json::od::object object) {
    return json::ForFields(object, [&](std::string_view key, json::od::value value) {
      if (key == "type") return json::Read(value, shape.type, state_->arena);
      if (key == "payload" || key == "event" || key == "data" || key == "msg") {
        bool is_object = false;
        if (!object_in(value, is_object)) return false;
        if (key == "payload") shape.has_payload = is_object;
        return json::ForFields(value, [&](std::string_view inner, json::od::value field) {
          return inner == "type" ? json::Read(field, shape.inner_type, state_->arena) : true;
        });
      }
      if (key == "message") return object_in(value, shape.has_message);
      if (key == "record_type") shape.has_record_type = true;
      if (key == "id") shape.has_id = true;
      if (key == "timestamp") {
        return json::IsOf(value, json::od::json_type::string, shape.has_timestamp);
      }
      if (key == "instructions" || key == "git") shape.has_header_keys = true;
      if (key == "role") shape.has_role = true;
      if (key == "sessionId" || key == "parentUuid") shape.has_session_id = true;
      return true;
    });
  });
  line_outcome = outcome;
  if (outcome != json::Outcome::kRecord) return std::nullopt;
  if (shape.has_payload || shape.has_record_type) return AgentKind::kCodex;
  if (IsOneOf(shape.type, kCodexBareTypes)) return AgentKind::kCodex;
  if (shape.type.empty() && IsOneOf(shape.inner_type, kCodexBareTypes)) return AgentKind::kCodex;
  if (shape.type == "message" && shape.has_role && !shape.has_message) return AgentKind::kCodex;
  if (shape.type.empty() && shape.has_id && shape.has_timestamp && shape.has_header_keys) {
    return AgentKind::kCodex;
  }
  if (shape.has_message || IsOneOf(shape.type, kClaudeTypes)) return AgentKind::kClaude;
  if (shape.has_session_id && !shape.type.empty()) return AgentKind::kClaude;
  return std::nullopt;
}

}  // namespace sonde::agentlog
