// PushRequest: a profile as the engines want to be sent it.

#ifndef SONDE_CONSOLE_CLIENT_PUSH_REQUEST_H_
#define SONDE_CONSOLE_CLIENT_PUSH_REQUEST_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/client/http_client.h"
#include "console/client/server_address.h"
#include "sonde/push.h"
#include "sonde/result.h"

namespace sonde {

// What is the same for all profiles. Immutable; any thread.
class PushTarget {
 public:
  // Fails with kUsage, naming the option.
  static Result<PushTarget> Make(const PushOptions& options);

  HttpQuestion RequestFor(const PushedProfile& profile) const;
  const ServerAddress& address() const noexcept { return address_; }

 private:
  HttpQuestion PyroscopeRequest(const PushedProfile& profile) const;
  HttpQuestion ParcaRequest(const PushedProfile& profile) const;

  PushEngine engine_ = PushEngine::kPyroscope;
  ServerAddress address_;
  std::string application_;
  std::string tenant_;
  std::string authorization_;  // Whole header; empty: none.
  std::string authorities_;
  std::vector<std::pair<std::string, std::string>> labels_;
};

// What becomes of a profile that was sent.
enum class PushOutcome : std::uint8_t { kTaken, kTryAgain, kRefused };
PushOutcome OutcomeOf(int status) noexcept;

}  // namespace sonde

#endif  // SONDE_CONSOLE_CLIENT_PUSH_REQUEST_H_
