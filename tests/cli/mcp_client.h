// McpClient: talks to a server of the Model Context Protocol as a coding agent does.

#ifndef SONDE_TESTS_CLI_MCP_CLIENT_H_
#define SONDE_TESTS_CLI_MCP_CLIENT_H_

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "cli/mcp/conversation.h"
#include "cli/mcp/workspace.h"

namespace sonde::cli::mcp {

// The server is in a thread of its own, at the other end of two pipes.
class McpClient {
 public:
  using json = nlohmann::json;

  explicit McpClient(const WorkspaceOptions& options) {
    if (::pipe(to_server_.data()) != 0 || ::pipe(from_server_.data()) != 0) std::abort();
    thread_ = std::thread([this, options] {
      Server server(Workspace::Open(options).value());
      status_.set_value(Conversation(server, to_server_[0], from_server_[1]).Hold());
      ::close(from_server_[1]);
    });
  }
  ~McpClient() {
    End();
    thread_.join();
    ::close(to_server_[0]);
    ::close(from_server_[0]);
  }

  void Say(const std::string& line) {
    ASSERT_EQ(::write(to_server_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  void Tell(const std::string& method, const json& parameters) {
    Say(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}}.dump() + '\n');
  }
  void Ask(int id, const std::string& method, const json& parameters = json::object()) {
    Say(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump() +
        '\n');
  }
  void Call(int id, const std::string& tool, const json& arguments, const json& token = {}) {
    json parameters = {{"name", tool}, {"arguments", arguments}};
    if (!token.is_null()) parameters["_meta"] = {{"progressToken", token}};
    Ask(id, "tools/call", parameters);
  }
  // The next message; nothing at the end.
  std::optional<json> Next() {
    while (true) {
      const std::size_t end = heard_.find('\n');
      if (end != std::string::npos) {
        json message = json::parse(heard_.substr(0, end));
        heard_.erase(0, end + 1);
        return message;
      }
      pollfd output{from_server_[0], POLLIN, 0};
      std::array<char, 4096> bytes{};
      if (::poll(&output, 1, static_cast<int>(kPatience.count())) <= 0) return std::nullopt;
      const ssize_t got = ::read(from_server_[0], bytes.data(), bytes.size());
      if (got <= 0) return std::nullopt;
      heard_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }
  void End() {
    if (to_server_[1] >= 0) ::close(to_server_[1]);
    to_server_[1] = -1;
  }
  void Signal(int signal) { ::pthread_kill(thread_.native_handle(), signal); }
  // Whether the server came to its end by itself, and well.
  bool HasEnded() {
    std::future<Status> status = status_.get_future();
    return status.wait_for(kPatience) == std::future_status::ready && status.get().ok();
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{20'000};

  std::array<int, 2> to_server_{};
  std::array<int, 2> from_server_{};
  std::string heard_;
  std::promise<Status> status_;
  std::thread thread_;
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_TESTS_CLI_MCP_CLIENT_H_
