#include "cli/mcp/conversation.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "tests/cli/mcp_client.h"
#include "tests/cli/mcp_world.h"

namespace sonde::cli::mcp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

// A program of this user that takes questions and never answers.
class SilentProgram {
 public:
  explicit SilentProgram(const fs::path& runtime) {
    fs::create_directories(runtime / "sonde");
    const std::string path = (runtime / "s").string();
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket_, 8) != 0) {
      std::abort();
    }
    const std::string pid = std::to_string(::getpid());
    std::ofstream(runtime / "sonde" / (pid + ".json"))
        << json{{"pid", ::getpid()}, {"unix_socket", path}}.dump();
    ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  }
  ~SilentProgram() {
    ::unsetenv("XDG_RUNTIME_DIR");
    ::close(socket_);
  }

 private:
  int socket_;
};

class McpConversation : public McpWorld {
 protected:
  WorkspaceOptions Open() const {
    WorkspaceOptions options = Options();
    options.allow_writes = true;
    options.allow_live = true;
    options.allow_process_execution = true;
    options.allow_active_collection = true;
    return options;
  }
  // A question that takes as long as the server lets it.
  json Endless() const { return {{"pid", ::getpid()}, {"seconds", 30}}; }
};

TEST_F(McpConversation, IsHeardWhileAToolWorks) {
  const SilentProgram program(root_ / "run");
  McpClient client(Open());
  client.Call(1, "live_profile", Endless(), "token");
  client.Ask(2, "ping");
  EXPECT_EQ(client.Next().value_or(json())["id"], 2);
  const json progress = client.Next().value_or(json());
  EXPECT_EQ(progress["method"], "notifications/progress");
  EXPECT_EQ(progress["params"]["progressToken"], "token");
  EXPECT_GE(progress["params"]["progress"], 1.0);
  EXPECT_EQ(progress["params"]["total"], 30.0);

  // One that waits, and the one that runs: neither is answered, and the next one runs at once.
  client.Call(3, "live_profile", Endless());
  client.Tell("notifications/cancelled", {{"requestId", 3}, {"reason", "changed my mind"}});
  client.Tell("notifications/cancelled", {{"requestId", 1}});
  client.Call(4, "list_artifacts", json::object());
  json next = client.Next().value_or(json());
  while (next.contains("method")) next = client.Next().value_or(json());
  EXPECT_EQ(next["id"], 4);
  EXPECT_EQ(next["result"]["structuredContent"]["total_items"], 0);

  // What is done, unknown or nonsense cannot be cancelled, and does no harm.
  for (const json& id : {json(4), json(77), json("1"), json(), json::array()}) {
    client.Tell("notifications/cancelled", {{"requestId", id}});
  }
  client.Tell("notifications/cancelled", json::array());
  client.End();
  EXPECT_FALSE(client.Next().has_value());
  EXPECT_TRUE(client.HasEnded());
}

TEST_F(McpConversation, TheEndOfTheInputEndsWhatIsNotDoneSoon) {
  const SilentProgram program(root_ / "run");
  McpClient client(Open());
  constexpr int kCalls = 260;
  for (int id = 0; id < kCalls; ++id) client.Call(id, "live_profile", Endless());
  client.Call(0, "live_profile", Endless());
  client.End();
  // Each is answered, the first by its tool and the others without having run; one was asked
  // twice, and the last found no place to wait.
  int tools = 0;
  int refused = 0;
  while (const std::optional<json> answer = client.Next()) {
    if (answer->contains("result")) {
      EXPECT_TRUE((*answer)["result"]["isError"]);
      ++tools;
    } else {
      EXPECT_EQ((*answer)["error"]["code"], kBusy);
      ++refused;
    }
  }
  EXPECT_EQ(tools, 1);
  EXPECT_EQ(refused, kCalls);
  EXPECT_TRUE(client.HasEnded());
}

TEST_F(McpConversation, WhatAToolStartedIsGoneOnceItsCallIsCancelled) {
  Write("perf",
        "#!/bin/sh\ntrap '' TERM\nsleep 100 &\necho $$ $! > \"${0%/*}/pids\"\nwait\nwait\n");
  fs::permissions(Path("perf"), fs::perms::owner_all);
  WorkspaceOptions options = Open();
  options.perf_path = Path("perf");
  McpClient client(options);
  client.Call(1, "collect_profile",
              {{"output_path", Path("x.data")},
               {"authorization", "I_EXPLICITLY_AUTHORIZE_TARGET_PROFILING"},
               {"executable", "/bin/true"}});
  std::array<pid_t, 2> children{};
  for (int tries = 0; tries < 2000 && children[1] == 0; ++tries) {
    std::this_thread::sleep_for(milliseconds(5));
    std::ifstream(Path("pids")) >> children[0] >> children[1];
  }
  ASSERT_GT(children[1], 0);
  client.Tell("notifications/cancelled", {{"requestId", 1}});
  client.Call(2, "list_artifacts", json::object());
  EXPECT_EQ(client.Next().value_or(json())["id"], 2);
  EXPECT_NE(::kill(children[0], 0), 0);  // Ended although it would not, and reaped.
  EXPECT_FALSE(fs::exists(Path("x.data")));
  for (const fs::directory_entry& entry : fs::directory_iterator(root_ / "work")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".sonde")) << entry.path();
  }
}

TEST_F(McpConversation, ASignalEndsItWithWhatRuns) {
  const SilentProgram program(root_ / "run");
  McpClient client(Open());
  client.Call(1, "live_profile", Endless());
  client.Ask(2, "ping");
  EXPECT_EQ(client.Next().value_or(json())["id"], 2);
  client.Signal(SIGTERM);
  EXPECT_EQ(client.Next().value_or(json())["id"], 1);
  EXPECT_FALSE(client.Next().has_value());
  EXPECT_TRUE(client.HasEnded());
}

TEST_F(McpConversation, LinesAreMessagesWhateverTheyHold) {
  McpClient client(Open());
  client.Say("\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n{\n");
  EXPECT_EQ(client.Next().value_or(json())["id"], 1);
  EXPECT_EQ(client.Next().value_or(json())["error"]["code"], kParseError);
  client.Say(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");  // Without an end.
  client.End();
  EXPECT_EQ(client.Next().value_or(json())["id"], 2);
  EXPECT_TRUE(client.HasEnded());
}

}  // namespace
}  // namespace sonde::cli::mcp
