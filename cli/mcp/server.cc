// Server: the methods of the Model Context Protocol, one message after the other.

#include "cli/mcp/server.h"

#include <algorithm>
#include <array>
#include <exception>

#include "cli/command.h"
#include "cli/version.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

// Newest first; a client that asks for another is offered the newest.
constexpr std::array<const char*, 3> kProtocolVersions = {"2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::size_t kToolsAPage = 50;

constexpr const char* kInstructions =
    "sonde reads performance profiles. Keep four things apart: an observation (a figure of the "
    "profile), a candidate (a rule hit, with counter-evidence and missing evidence), a likely "
    "cause (several independent observations), and a verified improvement (the same workload "
    "measured before and after, with its results tested). Tools give the first two only. Begin "
    "with analyze_profile; read status, losses and limitations before any hotspot.";

// What a handler throws to answer with a protocol error.
constexpr std::string_view kManual = "the inputSchema of the tool in tools/list";

struct ProtocolError {
  int code;
  std::string message;
};

json ToolAnswer(const json& structured) {
  return {{"content", json::array({{{"type", "text"}, {"text", OneLine(structured)}}})},
          {"structuredContent", structured},
          {"isError", false}};
}

// An error is no structured content: clients hold that to the tool's output schema.
json ToolRefusal(const std::string& error) {
  return {{"content", json::array({{{"type", "text"}, {"text", error}}})}, {"isError", true}};
}

}  // namespace

json ErrorAnswer(const json& id, int code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

std::string OneLine(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool IsToolCall(const json& message) {
  return message.is_object() && message.contains("id") &&
         message.value("method", json()) == "tools/call";
}

Server::Server(Workspace workspace) : workspace_(std::move(workspace)) {
  for (auto* make : {ProfileTools, ArtifactTools, EvidenceTools, BenchmarkTools, AgentTools,
                     CollectionTools, LiveTools}) {
    for (Tool& tool : make()) tools_.push_back(std::move(tool));
  }
  std::sort(tools_.begin(), tools_.end(),
            [](const Tool& a, const Tool& b) { return a.name < b.name; });
}

json Server::Initialize(const json& parameters) const {
  std::string version = kProtocolVersions.front();
  const auto asked = parameters.find("protocolVersion");
  if (asked != parameters.end() && asked->is_string() &&
      std::ranges::find(kProtocolVersions, asked->get<std::string>()) != kProtocolVersions.end()) {
    version = asked->get<std::string>();
  }
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", {{"name", "sonde"}, {"title", "sonde"}, {"version", kVersion}}},
          {"instructions", kInstructions}};
}

json Server::ListTools(const json& parameters) const {
  std::size_t first = 0;
  if (const auto cursor = parameters.find("cursor"); cursor != parameters.end()) {
    if (!cursor->is_string() || cursor->get<std::string>().size() > 6 ||
        cursor->get<std::string>().find_first_not_of("0123456789") != std::string::npos) {
      throw ProtocolError{kInvalidParameters, "not a cursor of this server"};
    }
    const std::string digits = cursor->get<std::string>();
    for (const char digit : digits) first = first * 10 + static_cast<std::size_t>(digit - '0');
  }
  const std::size_t last = std::min(first + kToolsAPage, tools_.size());
  json list = json::array();
  for (std::size_t i = first; i < last; ++i) list.push_back(Describe(tools_[i]));
  json answer = {{"tools", std::move(list)}};
  if (last < tools_.size()) answer["nextCursor"] = std::to_string(last);
  return answer;
}

json Server::RunTool(const json& parameters, Call& call) {
  const auto name = parameters.find("name");
  if (name == parameters.end() || !name->is_string()) {
    throw ProtocolError{kInvalidParameters, "a tool call needs a name"};
  }
  const auto tool = std::ranges::find(tools_, name->get<std::string>(), &Tool::name);
  if (tool == tools_.end()) {
    throw ProtocolError{kInvalidParameters, "no tool " + name->get<std::string>()};
  }
  const json values = parameters.value("arguments", json::object());
  Arguments arguments(values, call);
  try {
    const Result<json> outcome = tool->run(workspace_, arguments);
    if (outcome.ok()) return ToolAnswer(outcome.value());
    return ToolRefusal(ErrorAsJson(outcome.error(), kManual));
  } catch (const std::exception& fault) {
    // One call that goes wrong does not end the server.
    return ToolRefusal(ErrorAsJson({.code = ErrorCode::kInternal, .message = fault.what()}));
  }
}

std::optional<json> Server::Answer(const json& message, Call& call) {
  const json id = message.is_object() ? message.value("id", json()) : json();
  const bool valid_id = id.is_null() || id.is_string() || id.is_number_integer();
  if (!message.is_object() || message.value("jsonrpc", json()) != "2.0" || !valid_id) {
    return ErrorAnswer(json(), kInvalidRequest, "not a JSON-RPC 2.0 message");
  }
  const auto method = message.find("method");
  if (method == message.end() && !message.contains("result") && !message.contains("error")) {
    return ErrorAnswer(json(), kInvalidRequest, "there is no method");
  }
  // Answers to requests that this server never makes, and notifications, need no answer.
  if (method == message.end() || !message.contains("id")) return std::nullopt;
  if (!method->is_string()) return ErrorAnswer(id, kInvalidRequest, "the method is not text");
  const json parameters = message.value("params", json::object());
  if (!parameters.is_object()) {
    return ErrorAnswer(id, kInvalidParameters, "the parameters are not an object");
  }
  try {
    json result = json::object();
    const std::string name = method->get<std::string>();
    if (name == "initialize") {
      result = Initialize(parameters);
    } else if (name == "tools/list") {
      result = ListTools(parameters);
    } else if (name == "tools/call") {
      result = RunTool(parameters, call);
    } else if (name != "ping") {
      return ErrorAnswer(id, kMethodNotFound, "no method " + name);
    }
    return json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
  } catch (const ProtocolError& error) {
    return ErrorAnswer(id, error.code, error.message);
  }
}

}  // namespace sonde::cli::mcp
