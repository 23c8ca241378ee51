// Conversation: hears a client out while a tool works for it.

#ifndef SONDE_CLI_MCP_CONVERSATION_H_
#define SONDE_CLI_MCP_CONVERSATION_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "cli/held_signals.h"
#include "cli/mcp/call.h"
#include "cli/mcp/server.h"
#include "sonde/result.h"

namespace sonde::cli::mcp {

// Messages are lines of JSON. Tool calls wait in a line of their own and run one after the other;
// everything else is answered at once. notifications/cancelled ends a call, which then is not
// answered, and a call with a progressToken is told about once a second. Not thread-safe.
class Conversation {
 public:
  // All outlive it. `in` and `out` are descriptors.
  Conversation(Server& server, int in, int out) : server_(server), in_(in), out_(out) {}

  // Until the input ends, the client is gone, or a signal asks to end. Calls that are not done two
  // seconds after the end of the input are ended and answered with an error. Longer lines than
  // 16 MiB are refused and skipped. kOutput when what was to be answered could not be written.
  Status Hold();

 private:
  using Clock = std::chrono::steady_clock;
  struct Request {
    nlohmann::json message;
    nlohmann::json id;
    nlohmann::json progress_token;  // Null where none was sent.
    std::size_t bytes = 0;
    std::stop_source stop{};
    Call call{};
    bool is_wanted = true;  // By the client.
    Clock::time_point started{};
    Clock::time_point next_progress{};
  };

  void Read();
  void Wait();
  void EndCalls();
  void Work();

  void TakeBytes(std::string_view bytes);
  void TakeLine();
  void Enqueue(nlohmann::json message, std::size_t bytes);
  void Cancel(const nlohmann::json& parameters);
  void TellProgress();
  bool IsBusy();
  bool IsHeard() const;
  void Write(const nlohmann::json& message);
  bool AwaitRoom() const;

  Server& server_;
  const int in_;
  const int out_;
  const HeldSignals signals_{};

  std::string line_;  // What has come of the next one.
  bool is_too_long_ = false;

  std::mutex mutex_;  // For what follows.
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Request>> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::shared_ptr<Request> running_;
  bool is_over_ = false;

  std::mutex writing_;  // For what follows.
  bool is_broken_ = false;
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_CONVERSATION_H_
