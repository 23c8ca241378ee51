// HttpService: what the console answers over HTTP: profiles, metrics, the page's data.

#ifndef SONDE_CONSOLE_HTTP_SERVICE_H_
#define SONDE_CONSOLE_HTTP_SERVICE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "console/console_hooks.h"
#include "console/http_exchange.h"
#include "console/http_target.h"
#include "console/instrument_service.h"
#include "console/live_flame.h"
#include "console/profile_spans.h"
#include "console/task_ledger.h"
#include "console/work_queue.h"
#include "sonde/console.h"
#include "sonde/profile.h"

namespace sonde {

class ConsoleServer;

struct HttpServiceOptions {
  std::string token{};
  std::string extra_host{};  // A name that Host may have besides those of loopback.
  std::function<ConsoleStats()> stats{};
};

// Used by the server's thread only; long work goes to a thread of its own.
class HttpService {
 public:
  // Everything handed in outlives the service.
  HttpService(ConsoleServer& server, TaskLedger& ledger, InstrumentService& instrument,
              const ConsoleHooks& hooks, HttpServiceOptions options);
  ~HttpService();

  void Handle(const HttpRequest& request, const std::shared_ptr<HttpExchange>& exchange);
  // The process ends, and connections are closed after `grace`: what would take longer is answered
  // as it stands, or that it could not be.
  void Finish(std::chrono::milliseconds grace);
  // Ends its thread and lets go of samples, once the server's thread has ended. Any thread.
  void Stop();

 private:
  using Exchange = std::shared_ptr<HttpExchange>;
  struct Context {
    const HttpRequest& request;
    const HttpTarget& target;
    const Exchange& exchange;
  };
  using Answer = std::function<HttpResponse()>;

  // Why the request is refused, with its status; 0 when it is not.
  std::pair<int, std::string> Refusal(const HttpRequest& request, const HttpTarget& target) const;
  void Route(const Context& context);
  void RoutePprof(const Context& context, std::string_view name);
  // The same in the formats of gperftools, which its own tool reads.
  void RouteGperftools(const Context& context, std::string_view name);
  void RouteApi(const Context& context, std::string_view name);

  // `samples` of the seconds that the request asks for, in a file of that name.
  void ServeProfile(const Context& context, IntervalHub* samples, const char* name,
                    bool in_gperftools_format = false);
  void ServeHeap(const Context& context, HeapKind kind, std::string_view file_name);
  void ServeHeapText(const Context& context, HeapKind kind, std::string_view file_name);
  // What was added in `seconds`.
  void ServeHeapDelta(const Context& context, HeapKind kind, std::int64_t seconds,
                      const std::string& file_name);
  // Sends and counts it.
  void SendProfile(const Exchange& exchange, const std::string& endpoint, HttpResponse response);
  void ServeSymbols(const Context& context);
  void ServeArtifact(const Context& context, std::string_view name);
  void ServeSnapshot(const Context& context);
  // Sends the status every half second, until the reader is gone or too slow.
  void SendEvents(const Exchange& exchange);
  void TellStatus(const Exchange& exchange);
  // Calls `work` on the other thread and sends what it returns; counted as `profile` unless that
  // is empty.
  void AnswerLater(const Exchange& exchange, Answer work, std::string profile = {});
  void Send(const Exchange& exchange, HttpResponse response);

  std::string TasksAsText();
  std::string TasksAsJson();
  // With histograms; nullopt when it is not known any more.
  std::optional<std::string> TaskAsJson(std::uint64_t id);
  std::string StatusAsJson();
  std::string Metrics();

  ConsoleServer& server_;
  TaskLedger& ledger_;
  InstrumentService& instrument_;
  const ConsoleHooks& hooks_;
  HttpServiceOptions options_;
  std::int64_t started_ns_;
  // By endpoint and status.
  std::map<std::pair<std::string, int>, std::uint64_t> served_;
  std::uint64_t sent_profile_bytes_ = 0;
  std::unordered_set<Exchange> event_readers_;
  Symbolizer symbolizer_;  // Of the work queue's thread, like the next.
  LiveFlame live_flame_;
  ProfileSpans spans_;
  WorkQueue work_;  // Last: its jobs use the others.
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP_SERVICE_H_
