// ConsoleServer: listens, tells gRPC from plain HTTP, and runs everything on one thread.

#include "console/console_server.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <thread>
#include <utility>

namespace sonde {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kIdleEnough{1};
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

Error SystemError(const std::string& what, const boost::system::error_code& error) {
  return {.code = ErrorCode::kSystem, .message = what + ": " + error.message()};
}

// Programs that the host starts must not keep our ports open. Children that do not exec are
// InheritedSocket's.
void CloseOnExec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace

HttpResponse TooMuchHeld() {
  return {.status = 503,
          .headers = {{"content-type", "text/plain; charset=utf-8"}},
          .body = "too many answers are waiting to be taken\n"};
}

// Reads the first bytes of a connection, which decide what is spoken on it.
class ConsoleServer::Sniffer final : public Connection {
 public:
  Sniffer(ConsoleServer& server, Socket socket, bool is_unix,
          std::shared_ptr<const InheritedSocket> inherited)
      : server_(server),
        socket_(std::move(socket)),
        inherited_(std::move(inherited)),
        timer_(socket_.get_executor()),
        is_unix_(is_unix) {}

  std::optional<std::chrono::steady_clock::time_point> idle_since() const override {
    return accepted_;
  }

  void Start(std::string received) override {
    received_ = std::move(received);
    timer_.expires_after(server_.limits_.header_timeout);
    timer_.async_wait([self = Self()](boost::system::error_code error) {
      if (!error) self->Close();
    });
    Read();
  }
  void Drain() override { Close(); }
  void Close() override {
    const auto self = shared_from_this();
    boost::system::error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

 private:
  std::shared_ptr<Sniffer> Self() { return std::static_pointer_cast<Sniffer>(shared_from_this()); }

  void Read() {
    socket_.async_read_some(asio::buffer(chunk_),
                            [self = Self()](boost::system::error_code error, std::size_t size) {
                              if (error) return self->Close();
                              self->received_.append(self->chunk_.data(), size);
                              self->Decide();
                            });
  }

  void Decide() {
    const std::size_t known = std::min(received_.size(), kHttp2Preface.size());
    const bool may_be_http2 = received_.compare(0, known, kHttp2Preface, 0, known) == 0;
    if (may_be_http2 && known < kHttp2Preface.size()) return Read();
    const auto connection =
        may_be_http2
            ? MakeHttp2Connection(std::move(socket_), server_.limits_, server_.handlers_, is_unix_)
            : MakeHttp1Connection(std::move(socket_), server_.limits_, server_.handlers_, is_unix_);
    server_.Serve(connection, inherited_, std::move(received_));
    timer_.cancel();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

  ConsoleServer& server_;
  Socket socket_;
  std::shared_ptr<const InheritedSocket> inherited_;
  asio::steady_timer timer_;
  bool is_unix_;
  const std::chrono::steady_clock::time_point accepted_ = std::chrono::steady_clock::now();
  std::array<char, 4096> chunk_;
  std::string received_;
};

Result<std::uint16_t> ConsoleServer::ListenTcp(const std::string& address, std::uint16_t port,
                                               bool allow_remote) {
  boost::system::error_code error;
  const std::string name = address == "localhost" ? "127.0.0.1" : address;
  const auto ip = asio::ip::make_address(name, error);
  if (error) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "console.address is '" + address + "', which is no address: port " +
                            std::to_string(port) + " is not opened"};
  }
  if (!ip.is_loopback() && !allow_remote) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "console.address is " + address + ", which is not loopback: port " +
                            std::to_string(port) +
                            " is not opened unless console.allow_remote is true"};
  }
  const asio::ip::tcp::endpoint endpoint(ip, port);
  const auto acceptor = std::make_shared<asio::ip::tcp::acceptor>(io_);
  acceptor->open(endpoint.protocol(), error);
  CloseOnExec(acceptor->native_handle());
  if (!error) acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return SystemError("cannot listen on " + address + " port " + std::to_string(port), error);
  }
  const std::uint16_t bound = acceptor->local_endpoint(error).port();
  tcp_.push_back(acceptor);
  inherited_listeners_.push_back(
      std::make_unique<const InheritedSocket>(acceptor->native_handle()));
  Accept(acceptor, false);
  return bound;
}

Status ConsoleServer::ListenUnix(const std::string& path) {
  using Local = asio::local::stream_protocol;
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return Error{
        .code = ErrorCode::kUsage, .message = "the socket's path is too long", .file = path};
  }
  boost::system::error_code error;
  Local::socket probe(io_);
  probe.connect(Local::endpoint(path), error);
  if (!error) {
    return Error{.code = ErrorCode::kSystem, .message = "another process listens", .file = path};
  }
  struct stat status {};
  if (error == asio::error::connection_refused && ::lstat(path.c_str(), &status) == 0 &&
      S_ISSOCK(status.st_mode)) {
    ::unlink(path.c_str());
  }

  const auto acceptor = std::make_shared<Local::acceptor>(io_);
  acceptor->open(Local(), error);
  CloseOnExec(acceptor->native_handle());
  // Linux takes the mode of the file from the unbound socket: it is private from its first moment
  // on.
  if (!error) ::fchmod(acceptor->native_handle(), S_IRUSR | S_IWUSR);
  if (!error) acceptor->bind(Local::endpoint(path), error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) return InFile(SystemError("cannot listen", error), path);
  unix_ = acceptor;
  inherited_listeners_.push_back(
      std::make_unique<const InheritedSocket>(acceptor->native_handle()));
  unix_path_ = path;
  Accept(acceptor, true);
  return {};
}

template <typename Acceptor>
void ConsoleServer::Accept(const std::shared_ptr<Acceptor>& acceptor, bool is_unix) {
  acceptor->async_accept([this, acceptor, is_unix](boost::system::error_code error, auto socket) {
    if (error == asio::error::operation_aborted || !acceptor->is_open()) return;
    const auto accept = [this, acceptor, is_unix] {
      if (acceptor->is_open()) Accept(acceptor, is_unix);
    };
    if (!error) {
      try {
        Admit(Socket(std::move(socket)), is_unix);
      } catch (const std::exception&) {
        ++refused_;
      }
      return Insist(accept);
    }
    // Out of descriptors, most likely: not a reason to spin.
    Insist([&] { After(std::chrono::milliseconds(100), [this, accept] { Insist(accept); }); });
  });
}

template <typename Work>
void ConsoleServer::Insist(const Work& work) {
  constexpr std::chrono::milliseconds kPause{10};
  do {
    try {
      return work();
    } catch (const std::exception&) {
      std::this_thread::sleep_for(kPause);
    }
  } while (!must_end_);
}

void ConsoleServer::Admit(Socket socket, bool is_unix) {
  ++accepted_;
  if (is_stopping_ || (open_.size() >= limits_.connections && !CloseLongestIdle())) {
    ++refused_;
    return;
  }
  CloseOnExec(socket.native_handle());
  if (!is_unix) {
    boost::system::error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  }
  const auto inherited = std::make_shared<const InheritedSocket>(socket.native_handle());
  const auto sniffer = std::make_shared<Sniffer>(*this, std::move(socket), is_unix, inherited);
  Serve(sniffer, inherited, {});
}

// Those who hold connections and ask for nothing must not lock out those who ask.
bool ConsoleServer::CloseLongestIdle() {
  auto before = std::chrono::steady_clock::now() - kIdleEnough;
  std::shared_ptr<Connection> longest;
  for (const auto& connection : open_) {
    const auto since = connection->idle_since();
    if (!since.has_value() || *since > before) continue;
    before = *since;
    longest = connection;
  }
  if (longest == nullptr) return false;
  ++refused_;
  longest->Close();
  return true;
}

void ConsoleServer::Keep(const std::shared_ptr<Connection>& connection,
                         std::shared_ptr<const InheritedSocket> inherited) {
  connection->on_closed = [this, weak = std::weak_ptr(connection),
                           inherited = std::move(inherited)] {
    open_.erase(weak.lock());
    connection_count_ = open_.size();
  };
  open_.insert(connection);
  connection_count_ = open_.size();
}

void ConsoleServer::Serve(const std::shared_ptr<Connection>& connection,
                          std::shared_ptr<const InheritedSocket> inherited, std::string received) {
  Keep(connection, std::move(inherited));
  try {
    connection->Start(std::move(received));
  } catch (const std::exception&) {
    connection->Close();
    throw;
  }
}

void ConsoleServer::Every(std::chrono::milliseconds interval, std::function<void()> work) {
  const auto timer = std::make_shared<asio::steady_timer>(io_);
  timers_.push_back(timer);
  const auto next = std::make_shared<std::function<void()>>();
  *next = [this, timer, interval, work = std::move(work), next = std::weak_ptr(next)] {
    timer->expires_after(interval);
    timer->async_wait([this, work, again = next.lock()](boost::system::error_code error) {
      if (error) return;
      try {
        work();
      } catch (const std::exception&) {  // Out of memory: the next time.
      }
      Insist(*again);
    });
  };
  (*next)();
}

void ConsoleServer::Post(std::function<void()> work) { asio::post(io_, std::move(work)); }

std::function<void()> ConsoleServer::After(std::chrono::milliseconds delay,
                                           std::function<void()> work) {
  const auto timer = std::make_shared<asio::steady_timer>(io_, delay);
  timer->async_wait([timer, work = std::move(work)](boost::system::error_code error) {
    if (!error) work();
  });
  return [timer] { timer->cancel(); };
}

// Without memory a request fails, and its connection times out; the others go on.
void ConsoleServer::Run() {
  for (bool has_ended = false; !has_ended;) {
    try {
      io_.run();
      has_ended = true;
    } catch (const std::exception&) {
      if (is_stopping_) io_.stop();
    }
  }
  CloseListeners();
}

void ConsoleServer::Stop(std::chrono::milliseconds grace, std::function<void()> last_words) try {
  must_end_ = true;
  Post([this, grace, last_words = std::move(last_words)] {
    if (std::exchange(is_stopping_, true)) return;
    CloseListeners();
    last_words();
    for (const auto& connection : std::vector(open_.begin(), open_.end())) connection->Drain();
    WaitForConnections(std::chrono::steady_clock::now() + grace);
  });
} catch (const std::exception&) {
  io_.stop();
}

// Looks often: most peers answer within a round trip.
void ConsoleServer::WaitForConnections(std::chrono::steady_clock::time_point deadline) {
  if (!open_.empty() && std::chrono::steady_clock::now() < deadline) {
    After(std::chrono::milliseconds(5), [this, deadline] { WaitForConnections(deadline); });
    return;
  }
  for (const auto& connection : std::vector(open_.begin(), open_.end())) connection->Close();
  for (const auto& timer : timers_) timer->cancel();
  io_.stop();
}

void ConsoleServer::CloseListeners() {
  boost::system::error_code ignored;
  inherited_listeners_.clear();
  for (const auto& acceptor : std::exchange(tcp_, {})) acceptor->close(ignored);
  if (unix_ != nullptr) {
    std::exchange(unix_, nullptr)->close(ignored);
    ::unlink(unix_path_.c_str());
  }
}

}  // namespace sonde
