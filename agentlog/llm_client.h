// LlmClient: one connection to a chat server, one question at a time.

#ifndef SONDE_AGENTLOG_LLM_CLIENT_H_
#define SONDE_AGENTLOG_LLM_CLIENT_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde::agentlog {

struct LlmServer {
  std::string host;  // A name or an address; without brackets.
  std::string port;
  std::string path;  // In front of /v1/chat/completions.
  std::chrono::milliseconds timeout{};
};

// Fails with kUsage for anything but http:// and a loopback host.
Result<LlmServer> ParseLlmUrl(std::string_view url, std::chrono::milliseconds timeout);

// Not thread-safe.
class LlmClient {
 public:
  explicit LlmClient(const LlmServer& server);
  ~LlmClient();

  // Posts `body` and returns what the server says. Fails with kTimeout or kSystem when it cannot
  // be reached, with kMalformed for any status but 200. Reconnects as needed.
  Result<std::string> Post(const std::string& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The text of the first choice; empty when there is none.
std::string TextOfReply(std::string_view json);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_LLM_CLIENT_H_
