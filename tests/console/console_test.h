// ConsoleTest: a console on a free port, and how to ask it.

#ifndef SONDE_TESTS_CONSOLE_CONSOLE_TEST_H_
#define SONDE_TESTS_CONSOLE_CONSOLE_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "console/console_hooks.h"
#include "sonde/console.h"
#include "tests/console/peer.h"
#include "tests/support/free_port.h"

namespace sonde {

class ConsoleTest : public testing::Test {
 protected:
  void Start(ConsoleOptions options = {}, const ConsoleHooks& hooks = {}) {
    if (options.console_port == ConsoleOptions().console_port) options.console_port = 0;
    if (options.http_port == ConsoleOptions().http_port) options.http_port = FreePort();
    auto started = Console::Start(options, &hooks);
    ASSERT_TRUE(started.ok()) << Describe(started.error());
    console_ = std::move(started).value();
  }
  std::string Ask(const std::string& line, const std::string& headers = "Host: localhost\r\n",
                  const std::string& body = {}) {
    Peer peer(console_->http_port());
    peer.Send(line + " HTTP/1.1\r\n" + headers + "Connection: close\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
    return peer.Receive();
  }
  static std::string StatusOf(const std::string& answer) {
    return answer.size() > 12 ? answer.substr(9, 3) : "none";
  }

  std::unique_ptr<Console> console_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_CONSOLE_CONSOLE_TEST_H_
