// ParsedInput: what a tool call was given, by key; and the call inside a script.

#include "agentlog/tool_input.h"

#include <simdjson.h>

#include <algorithm>

namespace sonde::agentlog {
namespace {

constexpr std::size_t kMaxPaths = 256;

void AddText(ParsedInput& parsed, std::string_view key, const simdjson::dom::element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    parsed.texts.emplace(key, text);
    return;
  }
  simdjson::dom::array list;
  if (value.get(list) == simdjson::SUCCESS) {
    const bool is_command = key == "command" || key == "cmd";
    for (const simdjson::dom::element entry : list) {
      if (entry.get(text) != simdjson::SUCCESS || parsed.texts.size() >= kMaxPaths) continue;
      if (is_command) {
        parsed.argv.emplace_back(text);
      } else {
        parsed.texts.emplace(key, text);
      }
    }
    return;
  }
  // Wrappers such as {"action": {"command": [...]}}; one level is enough.
  simdjson::dom::object inner;
  if ((key == "action" || key == "input" || key == "args" || key == "arguments") &&
      value.get(inner) == simdjson::SUCCESS) {
    for (const auto field : inner) AddText(parsed, field.key, field.value);
  }
}

std::string QuotedAfter(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::size_t next = at + key.size();
    if (next < text.size() && (text[next] == '"' || text[next] == '\'')) ++next;
    next = std::min(text.find_first_not_of(" \t", next), text.size());
    if (next >= text.size() || text[next] != ':') continue;
    next = std::min(text.find_first_not_of(" \t\n", next + 1), text.size());
    if (next >= text.size() || (text[next] != '"' && text[next] != '\'' && text[next] != '`')) {
      continue;
    }
    const char quote = text[next++];
    std::string value;
    while (next < text.size() && text[next] != quote) {
      if (text[next] == '\\' && next + 1 < text.size()) {
        ++next;
        value += text[next] == 'n' ? '\n' : text[next];
      } else {
        value += text[next];
      }
      ++next;
    }
    return value;
  }
  return {};
}

}  // namespace

ParsedInput ParseInput(const ToolCall& tool) {
  ParsedInput parsed;
  if (tool.input_kind == ToolInput::kText) {
    parsed.texts.emplace("text", tool.input);
  } else if (tool.input_kind == ToolInput::kJson) {
    thread_local simdjson::dom::parser parser;
    simdjson::dom::object arguments;
    if (parser.parse(tool.input.data(), tool.input.size()).get(arguments) == simdjson::SUCCESS) {
      for (const auto field : arguments) AddText(parsed, field.key, field.value);
    }
  }
  return parsed;
}

std::string_view First(const Arguments& arguments,
                       std::initializer_list<std::string_view> keys) noexcept {
  for (const std::string_view key : keys) {
    const auto place = arguments.find(key);
    if (place != arguments.end() && !place->second.empty()) return place->second;
  }
  return {};
}

ScriptCall ScriptCallIn(std::string_view text) {
  ScriptCall call;
  constexpr std::string_view kMark = "tools.";
  for (std::size_t at = text.find(kMark); at != std::string_view::npos;
       at = text.find(kMark, at + 1)) {
    const std::size_t start = at + kMark.size();
    std::size_t end = start;
    while (end < text.size() &&
           (text[end] == '_' || (text[end] >= 'a' && text[end] <= 'z') ||
            (text[end] >= 'A' && text[end] <= 'Z') || (text[end] >= '0' && text[end] <= '9'))) {
      ++end;
    }
    if (end == start || end >= text.size() || text[end] != '(') continue;
    ++call.count;
    call.name = text.substr(start, end - start);
    call.command = QuotedAfter(text.substr(end), "command");
    if (call.command.empty()) call.command = QuotedAfter(text.substr(end), "cmd");
  }
  return call;
}

}  // namespace sonde::agentlog
