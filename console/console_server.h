// ConsoleServer: listens, tells gRPC from plain HTTP, and runs everything on one thread.

#ifndef SONDE_CONSOLE_CONSOLE_SERVER_H_
#define SONDE_CONSOLE_CONSOLE_SERVER_H_

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "console/connection.h"
#include "console/inherited_socket.h"
#include "sonde/result.h"

namespace sonde {

// Listen and Every first, then Run on a thread of its own until Stop. Only `Stop` and the
// counters may be used by other threads.
class ConsoleServer {
 public:
  ConsoleServer(const ConnectionLimits& limits, ConnectionHandlers handlers)
      : limits_(limits), handlers_(std::move(handlers)) {}

  // Returns the port, which is another one than asked for when that was 0. Errors: kUsage for an
  // address that is not loopback unless `allow_remote`, kSystem when the port is taken.
  Result<std::uint16_t> ListenTcp(const std::string& address, std::uint16_t port,
                                  bool allow_remote);
  // The socket file is readable and writable by its owner alone, replaces one that nobody
  // listens on any more, and is removed in the end.
  Status ListenUnix(const std::string& path);

  // Calls `work` again and again on the server's thread.
  void Every(std::chrono::milliseconds interval, std::function<void()> work);
  // Calls `work` once on the server's thread. Any thread.
  void Post(std::function<void()> work);
  // Calls `work` once after `delay`, unless what is returned is called before. Server's thread
  // only.
  std::function<void()> After(std::chrono::milliseconds delay, std::function<void()> work);

  void Run();
  // Lets connections end what is in progress, for at most `grace`. `last_words` runs before they
  // are told. Any thread; returns at once.
  void Stop(std::chrono::milliseconds grace, std::function<void()> last_words);

  std::size_t connections() const noexcept { return connection_count_.load(); }
  std::uint64_t accepted() const noexcept { return accepted_.load(); }
  // Turned away, or closed for another while idle, because there were too many.
  std::uint64_t refused() const noexcept { return refused_.load(); }

 private:
  class Sniffer;
  template <typename Acceptor>
  void Accept(const std::shared_ptr<Acceptor>& acceptor, bool is_unix);
  void Admit(Socket socket, bool is_unix);
  // Tries until there is memory for it, or Stop: what must go on cannot be left out.
  template <typename Work>
  void Insist(const Work& work);
  bool CloseLongestIdle();
  // Counts it until it is closed. `inherited` is its socket.
  void Keep(const std::shared_ptr<Connection>& connection,
            std::shared_ptr<const InheritedSocket> inherited);
  // The same, and starts it; closes it where that fails.
  void Serve(const std::shared_ptr<Connection>& connection,
             std::shared_ptr<const InheritedSocket> inherited, std::string received);
  void CloseListeners();
  void WaitForConnections(std::chrono::steady_clock::time_point deadline);

  ConnectionLimits limits_;
  ConnectionHandlers handlers_;
  boost::asio::io_context io_{1};
  std::vector<std::shared_ptr<boost::asio::ip::tcp::acceptor>> tcp_;
  std::shared_ptr<boost::asio::local::stream_protocol::acceptor> unix_;
  std::string unix_path_;
  std::vector<std::unique_ptr<const InheritedSocket>> inherited_listeners_;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> timers_;
  std::unordered_set<std::shared_ptr<Connection>> open_;
  std::atomic<std::size_t> connection_count_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<bool> must_end_{false};  // Since Stop was called.
  bool is_stopping_ = false;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_CONSOLE_SERVER_H_
