// Console: shows the tasks of this process to clients on loopback.

#include "sonde/console.h"

#include <unistd.h>

#include <atomic>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "console/announcement.h"
#include "console/console_hooks.h"
#include "console/console_server.h"
#include "console/http_service.h"
#include "console/instrument_service.h"
#include "console/serving_thread.h"
#include "console/task_ledger.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPressureInterval{50};
constexpr milliseconds kGrace{2000};  // Most peers take what there is within a round trip.

// The process in which a console runs: one made by fork may have its own. 0 = none.
std::atomic<pid_t> g_running_in{0};

ConnectionLimits LimitsOf(const ConsoleOptions& options) {
  ConnectionLimits limits;
  limits.connections = options.max_connections;
  return limits;
}

TaskLedger::Options LedgerOptionsOf(const ConsoleOptions& options) {
  return {.retention = options.retention, .ceiling = options.max_tasks};
}

}  // namespace

class Console::Impl {
 public:
  Impl(const ConsoleOptions& options, const ConsoleHooks& hooks)
      : hooks_(hooks),
        ledger_(LedgerOptionsOf(options), clock_),
        service_(ledger_, options.token),
        server_(LimitsOf(options), Handlers()),
        http_(server_, ledger_, service_, hooks_,
              {.token = options.token,
               .extra_host = options.allow_remote ? options.address : std::string(),
               .stats = [this] { return stats(); }}) {
    Listen(options);
    const bool listens = console_port != 0 || http_port != 0 || !options.unix_socket.empty();
    if (listens) {
      announcement_ = std::make_unique<Announcement>(
          AnnouncementFacts{hooks_.role, console_port, http_port, options.unix_socket});
    }
    server_.Every(options.publish_interval, [this] {
      ledger_.Refresh();
      evicted_ = ledger_.evicted().tasks;
      service_.Publish();
      CountService();
    });
    server_.Every(kPressureInterval, [this] {
      if (ledger_.UnderPressure()) ledger_.Refresh();
    });
    thread_ = std::thread([this] {
      BecomeServingThread("sonde-console");
      server_.Run();
    });
  }

  ~Impl() { Stop(); }

  void Stop() {
    if (!thread_.joinable()) return;
    announcement_.reset();
    server_.Stop(kGrace, [this] {
      ledger_.Refresh();
      service_.Publish();  // The ends of what has ended since.
      service_.Finish();
      http_.Finish(kGrace);
    });
    thread_.join();
    http_.Stop();
    g_running_in = 0;
  }

  // False in a forked child, where the threads behind it do not exist.
  bool IsOurs() const noexcept { return ::getpid() == pid_; }

  ConsoleStats stats() const {
    const TaskRegistry& registry = TaskRegistry::Get();
    ConsoleStats stats;
    stats.tasks = registry.tasks.in_use();
    stats.tasks_seen = registry.last_task_id.load(std::memory_order_relaxed);
    stats.tasks_dropped = registry.tasks.dropped();
    stats.tasks_evicted = evicted_;
    stats.slow_clients = slow_clients_;
    stats.watchers = watchers_;
    stats.connections = server_.connections();
    stats.connections_refused = server_.refused();
    stats.record_bytes =
        registry.tasks.bytes() + registry.resources.bytes() + registry.async_ops.bytes();
    return stats;
  }

  std::string TaskName(std::uint64_t id) { return ledger_.NameOf(id); }

  std::uint16_t console_port = 0;
  std::uint16_t http_port = 0;
  std::vector<std::string> problems;

 private:
  ConnectionHandlers Handlers() {
    return {.on_call =
                [this](const GrpcRequest& request, const std::shared_ptr<GrpcStream>& stream) {
                  service_.Call(request, stream);
                  CountService();
                },
            .on_request =
                [this](const HttpRequest& request, const std::shared_ptr<HttpExchange>& exchange) {
                  http_.Handle(request, exchange);
                }};
  }

  void Listen(const ConsoleOptions& options) {
    const auto listen = [&](std::uint16_t port, std::uint16_t& bound) {
      if (port == 0) return;
      const auto listening = server_.ListenTcp(options.address, port, options.allow_remote);
      if (listening.ok()) {
        bound = listening.value();
      } else {
        problems.push_back(Describe(listening.error()));
      }
    };
    listen(options.console_port, console_port);
    listen(options.http_port, http_port);
    if (options.unix_socket.empty()) return;
    const Status listening = server_.ListenUnix(options.unix_socket);
    if (!listening.ok()) problems.push_back(Describe(listening.error()));
  }

  void CountService() {
    const InstrumentCounts counts = service_.counts();
    slow_clients_ = counts.slow_clients;
    watchers_ = counts.watchers;
  }

  const pid_t pid_ = ::getpid();
  ConsoleHooks hooks_;
  WallClock clock_;
  TaskLedger ledger_;
  InstrumentService service_;
  ConsoleServer server_;
  HttpService http_;
  std::atomic<std::uint64_t> evicted_{0};
  std::atomic<std::uint64_t> slow_clients_{0};
  std::atomic<std::uint64_t> watchers_{0};
  std::unique_ptr<Announcement> announcement_;
  std::thread thread_;
};

Result<std::unique_ptr<Console>> Console::Start(const ConsoleOptions& options,
                                                const ConsoleHooks* hooks) {
  if (options.publish_interval < milliseconds(10)) {
    return Error{.code = ErrorCode::kUsage, .message = "publish_interval is under 10 ms"};
  }
  if (options.max_tasks == 0) return Error{.code = ErrorCode::kUsage, .message = "max_tasks is 0"};
  if (g_running_in.exchange(::getpid()) == ::getpid()) {
    return Error{.code = ErrorCode::kUsage, .message = "a console runs already in this process"};
  }
  try {
    return std::unique_ptr<Console>(
        new Console(std::make_unique<Impl>(options, hooks == nullptr ? ConsoleHooks() : *hooks)));
  } catch (const std::exception& exception) {  // No descriptor, thread or memory is left.
    g_running_in = 0;
    return Error{.code = ErrorCode::kSystem, .message = exception.what(), .stage = "console"};
  }
}

Console::Console(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Console::~Console() {
  if (!impl_->IsOurs()) static_cast<void>(impl_.release());  // Nothing to join, nothing to free.
}

void Console::Stop() {
  if (impl_->IsOurs()) impl_->Stop();
}
std::uint16_t Console::console_port() const noexcept { return impl_->console_port; }
std::uint16_t Console::http_port() const noexcept { return impl_->http_port; }
const std::vector<std::string>& Console::problems() const noexcept { return impl_->problems; }
ConsoleStats Console::stats() const { return impl_->stats(); }
std::string Console::TaskName(std::uint64_t task_id) const { return impl_->TaskName(task_id); }

}  // namespace sonde
