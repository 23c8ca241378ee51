#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/cli/mcp_client.h"
#include "tests/cli/mcp_world.h"

namespace sonde::cli::mcp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class McpServer : public McpWorld {
 protected:
  WorkspaceOptions Open(bool writes = true, bool live = false) const {
    WorkspaceOptions options = Options();
    options.allow_writes = writes;
    options.allow_live = live;
    return options;
  }

  static json Ask(McpClient& client, const std::string& method, const json& parameters) {
    client.Ask(7, method, parameters);
    const json answer = client.Next().value_or(json::object());
    EXPECT_EQ(answer.value("id", json()), 7);
    return answer;
  }
  static json Call(McpClient& client, const std::string& tool, const json& arguments) {
    return Ask(client, "tools/call", {{"name", tool}, {"arguments", arguments}})["result"];
  }
  static json Value(McpClient& client, const std::string& tool, const json& arguments) {
    const json result = Call(client, tool, arguments);
    EXPECT_FALSE(result["isError"]) << result.dump();
    EXPECT_EQ(json::parse(result["content"][0]["text"].get<std::string>()),
              result["structuredContent"]);
    return result["structuredContent"];
  }
  // What is said as text, for clients check structured content against the tool's schema.
  static json ErrorOf(const json& result) {
    EXPECT_TRUE(result["isError"]) << result.dump();
    EXPECT_FALSE(result.contains("structuredContent"));
    return json::parse(result["content"][0]["text"].get<std::string>())["error"];
  }
  static std::string CodeOf(const json& result) { return ErrorOf(result)["code"]; }
};

TEST_F(McpServer, AgreesOnAVersionBothKnow) {
  McpClient client(Open());
  EXPECT_EQ(
      Ask(client, "initialize", {{"protocolVersion", "2024-11-05"}})["result"]["protocolVersion"],
      "2024-11-05");
  EXPECT_EQ(
      Ask(client, "initialize", {{"protocolVersion", "1999-01-01"}})["result"]["protocolVersion"],
      "2025-06-18");
  EXPECT_EQ(Ask(client, "initialize", json::object())["result"]["serverInfo"]["name"], "sonde");
}

TEST_F(McpServer, EveryToolHasSchemasAnnotationsAndAPermission) {
  McpClient client(Open());
  std::set<std::string> names;
  const json answer = Ask(client, "tools/list", json::object());
  for (const json& tool : answer["result"]["tools"]) {
    names.insert(tool["name"]);
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_EQ(tool["outputSchema"]["type"], "object");
    EXPECT_TRUE(tool["annotations"].contains("readOnlyHint"));
    EXPECT_FALSE(tool["annotations"]["openWorldHint"]);
    EXPECT_TRUE(tool["_meta"].contains("sonde/permission"));
  }
  for (const char* name : {"analyze_profile",     "list_hotspots",
                           "get_hotspot_details", "get_call_paths",
                           "classify_hotspots",   "build_diagnosis_bundle",
                           "read_artifact_page",  "resolve_source",
                           "get_source_context",  "analyze_benchmark",
                           "compare_profiles",    "compare_benchmarks",
                           "list_artifacts",      "inspect_elf",
                           "flame_graph",         "report",
                           "agent_tokens",        "collect_profile",
                           "live_processes",      "live_profile",
                           "live_tasks"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST_F(McpServer, AnalysesAProfileAndPagesThroughIt) {
  McpClient client(Open());
  const json reference = Value(client, "analyze_profile", {{"path", Path("before.folded")}});
  EXPECT_EQ(reference["summary"]["sample_count"], 2);
  const json id = reference["artifact_id"];

  const json first = Value(client, "list_hotspots", {{"analysis_id", id}, {"limit", 1}});
  EXPECT_EQ(first["total_items"], 4);
  EXPECT_EQ(first["next_cursor"], 1);
  EXPECT_EQ(first["items"][0]["symbol"], "malloc");
  const json rest =
      Value(client, "list_hotspots", {{"analysis_id", id}, {"limit", 100}, {"cursor", 1}});
  EXPECT_EQ(rest["items"].size(), 3U);
  EXPECT_FALSE(rest.contains("next_cursor"));
  EXPECT_EQ(Value(client, "list_hotspots",
                  {{"analysis_id", id}, {"category", "memory-allocation"}})["total_items"],
            1);
  EXPECT_EQ(
      Value(client, "get_call_paths", {{"analysis_id", id}, {"symbol", "malloc"}})["total_items"],
      1);
  const json details =
      Value(client, "get_hotspot_details", {{"analysis_id", id}, {"hotspot_id", "H-001"}});
  EXPECT_EQ(details["dominant_call_paths"].size(), 1U);
  ASSERT_EQ(details["classifications"].size(), 1U);
  EXPECT_EQ(details["classifications"][0]["conclusion_status"], "candidate");
  EXPECT_FALSE(details["limitations"].empty());
  EXPECT_EQ(
      Value(client, "classify_hotspots", {{"analysis_id", id}})["items"][0]["conclusion_status"],
      "candidate");
  EXPECT_NE(Value(client, "report", {{"analysis_id", id}})["markdown"].get<std::string>().find(
                "Confirmed: none"),
            std::string::npos);
}

TEST_F(McpServer, PagesOfAnArtifactAddUpToItsBytes) {
  Write("names.folded", "main;größe;\xe6\x88\x91 1\n");
  McpClient client(Open());
  const json id = Value(client, "analyze_profile", {{"path", Path("names.folded")}})["artifact_id"];
  std::string text;
  json page = {{"next_offset", 0}};
  while (page.contains("next_offset")) {
    page = Value(client, "read_artifact_page",
                 {{"artifact_id", id},
                  {"artifact_type", "analysis"},
                  {"offset", page["next_offset"]},
                  {"limit", 5}});
    text += page["text"].get<std::string>();
  }
  EXPECT_EQ(text.size(), page["total_bytes"].get<std::size_t>());
  EXPECT_EQ(json::parse(text)["analysis_id"], id);
}

TEST_F(McpServer, ComparesStoredAnalysesAndListsArtifacts) {
  McpClient client(Open());
  const json before = Value(client, "analyze_profile", {{"path", Path("before.folded")}});
  const json after = Value(client, "analyze_profile", {{"path", Path("after.folded")}});
  const json comparison = Value(client, "compare_profiles",
                                {{"baseline_analysis_id", before["artifact_id"]},
                                 {"candidate_analysis_id", after["artifact_id"]}});
  EXPECT_EQ(comparison["summary"]["comparable"], true);
  EXPECT_EQ(Value(client, "list_artifacts", json::object())["total_items"], 3);
}

TEST_F(McpServer, NothingOutsideTheRootsIsReadOrTold) {
  std::ofstream(root_ / "secret.folded") << "a 1\n";
  fs::create_symlink(root_ / "secret.folded", root_ / "work" / "link.folded");
  McpClient client(Open());
  for (const std::string& path :
       {(root_ / "secret.folded").string(), Path("link.folded"), Path("../secret.folded"),
        (root_ / "missing.folded").string(), std::string("/etc/passwd")}) {
    EXPECT_EQ(CodeOf(Call(client, "analyze_profile", {{"path", path}})), "PATH_SAFETY_VIOLATION")
        << path;
  }
  EXPECT_EQ(CodeOf(Call(client, "read_artifact_page",
                        {{"artifact_id", "../../secret"}, {"artifact_type", "x"}})),
            "PATH_SAFETY_VIOLATION");
  EXPECT_EQ(
      CodeOf(Call(client, "flame_graph",
                  {{"path", Path("before.folded")}, {"output_path", (root_ / "x.svg").string()}})),
      "PATH_SAFETY_VIOLATION");
}

TEST_F(McpServer, WhatLiesAmongTheArtifactsIsNotTakenOnTrust) {
  McpClient client(Open());
  const json id =
      Value(client, "analyze_profile", {{"path", Path("before.folded")}})["artifact_id"];
  std::ofstream(root_ / "secret.json") << R"({"secret": 1})";
  fs::create_symlink(root_ / "secret.json", root_ / "work" / "results" / "link.analysis.json");
  std::ofstream(root_ / "work" / "results" / "empty.analysis.json") << "{}";
  const json analysis = json::parse(
      std::ifstream(root_ / "work" / "results" / (id.get<std::string>() + ".analysis.json")));
  json false_one = analysis;
  false_one["hotspots"][0]["self_weight"] = 61;
  std::ofstream(root_ / "work" / "results" / "false.analysis.json") << false_one.dump();

  EXPECT_EQ(CodeOf(Call(client, "read_artifact_page",
                        {{"artifact_id", "link"}, {"artifact_type", "analysis"}})),
            "PATH_SAFETY_VIOLATION");
  for (const char* name : {"empty", "false", "missing"}) {
    for (const char* tool : {"list_hotspots", "get_call_paths", "classify_hotspots", "report"}) {
      EXPECT_EQ(CodeOf(Call(client, tool, {{"analysis_id", name}})), "INVALID_INPUT")
          << tool << ' ' << name;
    }
  }
  EXPECT_EQ(Value(client, "list_artifacts", json::object())["total_items"], 3);
}

TEST_F(McpServer, ClosedGatesRefuseAndLeaveNothing) {
  McpClient client(Open(false));
  const json result = Call(client, "analyze_profile", {{"path", Path("before.folded")}});
  EXPECT_EQ(ErrorOf(result)["stage"], "authorization");
  EXPECT_FALSE(fs::exists(root_ / "work" / "results"));
  EXPECT_EQ(ErrorOf(Call(client, "agent_tokens", {{"project_root", Path(".")}}))["stage"],
            "authorization");
}

TEST_F(McpServer, OnlyLivingProcessesOfThisUserAreListed) {
  fs::create_directories(root_ / "runtime" / "sonde");
  const auto announce = [&](const std::string& name, const json& facts) {
    std::ofstream(root_ / "runtime" / "sonde" / name) << facts.dump();
  };
  announce(std::to_string(::getpid()) + ".json", {{"pid", ::getpid()}, {"role", "daemon"}});
  announce("4194303.json", {{"pid", 4194303}});  // Left behind.
  announce("1.json", {{"pid", 2}});              // Says another's number.
  announce("x.json", {{"pid", ::getpid()}});
  std::ofstream(root_ / "runtime" / "sonde" / "2.json") << "{";
  ::setenv("XDG_RUNTIME_DIR", (root_ / "runtime").c_str(), 1);
  McpClient closed(Open());
  EXPECT_EQ(CodeOf(Call(closed, "live_processes", json::object())), "PATH_SAFETY_VIOLATION");
  McpClient client(Open(true, true));
  const json page = Value(client, "live_processes", json::object());
  ASSERT_EQ(page["total_items"], 1);
  EXPECT_EQ(page["items"][0]["pid"], ::getpid());
  // It does not listen anywhere.
  EXPECT_EQ(CodeOf(Call(client, "live_tasks", {{"pid", ::getpid()}})), "UNSUPPORTED_FORMAT");
  EXPECT_EQ(CodeOf(Call(client, "live_profile", {{"pid", 4194303}})), "INVALID_INPUT");
  ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_F(McpServer, BadArgumentsAreNamed) {
  McpClient client(Open());
  for (const json& arguments :
       {json{{"analysis_id", 7}}, json::object(), json{{"analysis_id", "a"}, {"limit", 0}},
        json{{"analysis_id", "a"}, {"limit", -1}}, json{{"analysis_id", "a"}, {"surprise", 1}}}) {
    EXPECT_EQ(CodeOf(Call(client, "list_hotspots", arguments)), "INVALID_INPUT");
  }
}

TEST_F(McpServer, AFlameGraphIsANewFile) {
  McpClient client(Open());
  const json arguments = {{"path", Path("before.folded")}, {"output_path", Path("flame.svg")}};
  EXPECT_EQ(Value(client, "flame_graph", arguments)["total"], 100);
  EXPECT_TRUE(fs::exists(Path("flame.svg")));
  EXPECT_EQ(CodeOf(Call(client, "flame_graph", arguments)), "PATH_SAFETY_VIOLATION");
  for (const char* name : {"hotspots.json", "x.analysis.json", "x.svg.json", "x", "x.svg "}) {
    EXPECT_EQ(CodeOf(Call(client, "flame_graph",
                          {{"path", Path("before.folded")}, {"output_path", Path(name)}})),
              "PATH_SAFETY_VIOLATION")
        << name;
    EXPECT_FALSE(fs::exists(Path(name)));
  }
}

TEST_F(McpServer, BadMessagesGetErrorsAndNotificationsNone) {
  McpClient client(Open());
  const auto code = [&](const std::string& line) {
    client.Say(line + '\n');
    return client.Next().value_or(json::object())["error"]["code"];
  };
  EXPECT_EQ(code("{"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1})"), -32600);
  client.Say(R"({"jsonrpc":"2.0","id":1})"
             "\n");
  EXPECT_TRUE(client.Next().value_or(json::object()).at("id").is_null());
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"nothing"})"), -32601);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})"),
            -32602);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"-1"}})"),
            -32602);
  client.Tell("notifications/initialized", json::object());
  EXPECT_EQ(Ask(client, "ping", json::object())["result"], json::object());
}

TEST_F(McpServer, AWrongUseIsToldWhereThisServerDescribesIt) {
  McpClient server(Open());
  EXPECT_THAT(Call(server, "list_hotspots", {{"analysis_id", 7}}).dump(),
              testing::AllOf(testing::HasSubstr("inputSchema"),
                             testing::Not(testing::HasSubstr("--help"))));
  EXPECT_THAT(Call(server, "analyze_profile", {{"path", "before.folded"}}).dump(),
              testing::HasSubstr("relative paths start at"));
}

TEST_F(McpServer, AnAddressIsTakenAsItIsGivenOut) {
  fs::copy_file("/bin/sh", root_ / "work" / "app");
  McpClient server(Open());
  const auto resolved = [&](const json& offset) {
    return CodeOf(
        Call(server, "resolve_source", {{"binary_path", Path("app")}, {"module_offset", offset}}));
  };
  EXPECT_EQ(resolved("0xffffffffffff"), resolved(0xffff'ffff'ffffU));
  const json bad = Call(server, "resolve_source",
                        {{"binary_path", Path("app")}, {"module_offset", "somewhere"}});
  EXPECT_THAT(bad.dump(), testing::HasSubstr("module_offset is not an address"));
}

}  // namespace
}  // namespace sonde::cli::mcp
