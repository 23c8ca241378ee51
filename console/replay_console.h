// ReplayConsole: serves a recording to console clients as if its program still ran.

#ifndef SONDE_CONSOLE_REPLAY_CONSOLE_H_
#define SONDE_CONSOLE_REPLAY_CONSOLE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "sonde/result.h"

namespace sonde {

struct ReplayOptions {
  std::uint16_t port = 6669;  // On 127.0.0.1; 0 chooses a free one.
};

// Begins when the first client connects and stands still at the end. One that connects later
// sees what was recorded up to then. Any thread.
class ReplayConsole {
 public:
  // Fails like ReadRecording, and with kSystem when the port is taken.
  static Result<std::unique_ptr<ReplayConsole>> Start(const std::string& path,
                                                      const ReplayOptions& options);
  ~ReplayConsole();
  std::uint16_t port() const noexcept;

 private:
  class Impl;
  explicit ReplayConsole(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_REPLAY_CONSOLE_H_
