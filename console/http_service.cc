// HttpService: what the console answers over HTTP: who may ask, and who answers what.

#include "console/http_service.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

#include "console/bearer_token.h"
#include "console/console_server.h"
#include "console/http_replies.h"

namespace sonde {
namespace {

constexpr std::size_t kMostReaders = 64;
constexpr std::chrono::milliseconds kBetweenEvents{500};
constexpr std::chrono::seconds kSlice{1};  // Of the samples that flame graphs are made of.
constexpr std::chrono::milliseconds kLastAnswers{250};  // To send refusals in.
constexpr std::string_view kToRead = "GET, HEAD";
constexpr std::size_t kBodyOfSymbols = std::size_t{64} << 10;

// True when the browser that asks names a page of another host or port.
bool HasForeignOrigin(const HttpRequest& request) {
  const std::string_view origin = request.Header("origin");
  return !origin.empty() && origin != "http://" + request.authority;
}

// Foreign origins are refused before. A page of another origin cannot send the header without the
// server's consent, which is never given.
bool ProvesItsOrigin(const HttpRequest& request) {
  return !request.Header("x-sonde-request").empty() || !request.Header("origin").empty();
}

// True when a browser says that a page of another origin asks. Such a page cannot read the answer,
// but what interrupts the program's calls must not even begin.
bool IsOfForeignPage(const HttpRequest& request) {
  const std::string_view site = request.Header("sec-fetch-site");
  return (!site.empty() && site != "same-origin" && site != "none") || HasForeignOrigin(request);
}

}  // namespace

HttpService::HttpService(ConsoleServer& server, TaskLedger& ledger, InstrumentService& instrument,
                         const ConsoleHooks& hooks, HttpServiceOptions options)
    : server_(server),
      ledger_(ledger),
      instrument_(instrument),
      hooks_(hooks),
      options_(std::move(options)),
      started_ns_(SteadyNs()),
      symbolizer_(hooks.privacy),
      live_flame_(hooks, symbolizer_),
      spans_(server, work_) {
  symbolizer_.NameTasksBy([this](std::uint64_t id) { return ledger_.NameOf(id); });
  server_.Every(kSlice, [this] {
    if (live_flame_.is_watching()) work_.Add([this] { live_flame_.KeepUp(); });
  });
}

HttpService::~HttpService() = default;

void HttpService::Stop() {
  work_.Stop();
  live_flame_.Rest();
}

std::pair<int, std::string> HttpService::Refusal(const HttpRequest& request,
                                                 const HttpTarget& target) const {
  if (!request.over_unix_socket) {
    // A name that resolves to loopback only for the attacked browser is how foreign pages get in.
    constexpr std::array<std::string_view, 3> kLoopback{"localhost", "127.0.0.1", "::1"};
    const std::string host = HostOf(request.authority);
    const bool is_known = std::ranges::find(kLoopback, host) != kLoopback.end() ||
                          (!options_.extra_host.empty() && host == options_.extra_host);
    if (!is_known) return {403, "the Host header does not name this machine's loopback"};
  }
  // The files of the page hold no secret, and a browser asks for them without a header.
  const bool is_page = target.path == "/" || target.path.starts_with("/assets/");
  if (!options_.token.empty() && !is_page) {
    const std::string_view sent = request.Header("authorization");
    const bool is_right =
        BearsToken(sent, options_.token) || SameSecret(target.Parameter("token"), options_.token);
    if (!is_right) return {401, "a bearer token is needed"};
  }
  if (HasForeignOrigin(request)) return {403, "asked by a page of another origin"};
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (!is_read && request.method != "POST") return {405, "only GET, HEAD and POST"};
  // Looking up symbols changes nothing, and its clients are no browsers.
  const bool is_symbols = target.path.ends_with("/symbol");
  if (request.method == "POST" && !is_symbols && !ProvesItsOrigin(request)) {
    return {403, "a POST needs Origin of this server or the header X-Sonde-Request"};
  }
  if (is_symbols && request.body.size() > kBodyOfSymbols) return {413, "too many addresses"};
  return {0, {}};
}

void HttpService::Send(const Exchange& exchange, HttpResponse response) {
  AddSafetyHeaders(response);
  exchange->Respond(std::move(response));
}

void HttpService::Handle(const HttpRequest& request, const Exchange& exchange) {
  const HttpTarget target = HttpTarget::Parse(request.target);
  const auto [status, reason] = Refusal(request, target);
  if (status != 0) {
    HttpResponse response = TextReply(status, reason + "\n");
    if (status == 405) response.headers.emplace_back("allow", "GET, HEAD, POST");
    if (status == 401) response.headers.emplace_back("www-authenticate", "Bearer");
    return Send(exchange, std::move(response));
  }
  Route({request, target, exchange});
}

void HttpService::Finish(std::chrono::milliseconds grace) {
  spans_.Finish(std::max(grace - kLastAnswers, std::chrono::milliseconds(0)));
  for (const Exchange& reader : std::vector(event_readers_.begin(), event_readers_.end())) {
    reader->End();
  }
}

void HttpService::Route(const Context& context) {
  const std::string_view path = context.target.path;
  constexpr std::string_view kDebug = "/debug/pprof/";
  constexpr std::string_view kPlain = "/pprof/";
  constexpr std::string_view kApi = "/api/";
  if (path.starts_with(kDebug)) return RoutePprof(context, path.substr(kDebug.size()));
  if (path.starts_with(kPlain)) return RouteGperftools(context, path.substr(kPlain.size()));
  if (path.starts_with(kApi)) return RouteApi(context, path.substr(kApi.size()));
  const bool is_post = context.request.method == "POST";
  if (path == "/metrics") {
    if (is_post) return Send(context.exchange, WrongMethod(kToRead, "GET only\n"));
    return Send(context.exchange,
                {.headers = {{"content-type", "text/plain; version=0.0.4; charset=utf-8"}},
                 .body = Metrics()});
  }
  if (path == "/debug/pprof") {
    return Send(context.exchange, {.status = 301, .headers = {{"location", "/debug/pprof/"}}});
  }
  if (std::optional<HttpResponse> page = PageReply(path)) {
    if (is_post) return Send(context.exchange, WrongMethod(kToRead, "GET only\n"));
    return Send(context.exchange, std::move(*page));
  }
  Send(context.exchange, TextReply(404, "nothing here; see /debug/pprof/\n"));
}

void HttpService::RoutePprof(const Context& context, std::string_view name) {
  if (name.empty()) return Send(context.exchange, PprofIndex(hooks_));
  if (name == "profile") return ServeProfile(context, hooks_.samples, "profile");
  if (name == "wall") {
    if (IsOfForeignPage(context.request)) {
      return Send(context.exchange,
                  GoError(403, "wall-clock time is not for pages of other origins"));
    }
    return ServeProfile(context, hooks_.wall, "wall");
  }
  if (name == "heap" || name == "allocs") return ServeHeap(context, HeapKind::kInUse, name);
  if (name == "growth") return ServeHeap(context, HeapKind::kGrowth, name);
  if (name == "cmdline") return Send(context.exchange, TextReply(200, CommandLine()));
  if (name == "symbol") return ServeSymbols(context);
  if (name == "tasks") return Send(context.exchange, TextReply(200, TasksAsText()));
  Send(context.exchange, GoError(404, "Unknown profile"));
}

void HttpService::RouteGperftools(const Context& context, std::string_view name) {
  if (name == "profile") return ServeProfile(context, hooks_.samples, "profile", true);
  if (name == "heap") return ServeHeapText(context, HeapKind::kInUse, name);
  if (name == "growth") return ServeHeapText(context, HeapKind::kGrowth, name);
  RoutePprof(context, name);
}

void HttpService::RouteApi(const Context& context, std::string_view name) {
  const bool is_post = context.request.method == "POST";
  if (name == "snapshot") {
    if (!is_post) return Send(context.exchange, WrongMethod("POST", "POST takes a snapshot\n"));
    return ServeSnapshot(context);
  }
  if (name == "pause" || name == "resume") {
    if (!is_post) return Send(context.exchange, WrongMethod("POST", "POST changes the state\n"));
    instrument_.SetPaused(name == "pause");
    return Send(context.exchange, JsonReply(StatusAsJson()));
  }
  if (is_post) return Send(context.exchange, WrongMethod(kToRead, "GET only\n"));
  if (name == "status") return Send(context.exchange, JsonReply(StatusAsJson()));
  if (name == "tasks") return Send(context.exchange, JsonReply(TasksAsJson()));
  constexpr std::string_view kTask = "tasks/";
  if (name.starts_with(kTask)) {
    const std::string_view digits = name.substr(kTask.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return Send(context.exchange, TextReply(400, "a task's id is a number\n"));
    }
    std::uint64_t id = 0;  // Of no task, and so what a number beyond all ids is taken for.
    std::from_chars(digits.data(), digits.data() + digits.size(), id);
    std::optional<std::string> task = TaskAsJson(id);
    return Send(context.exchange, task.has_value() ? JsonReply(std::move(*task))
                                                   : TextReply(404, "no such task any more\n"));
  }
  if (name == "artifacts") {
    return AnswerLater(context.exchange,
                       [folder = hooks_.snapshot_folder] { return CatalogReply(folder); });
  }
  if (name == "artifacts/newest") {
    return AnswerLater(context.exchange, [folder = hooks_.snapshot_folder,
                                          role = std::string(context.target.Parameter("role")),
                                          kind = std::string(context.target.Parameter("kind"))] {
      return NewestReply(folder, role, kind);
    });
  }
  constexpr std::string_view kArtifact = "artifacts/";
  if (name.starts_with(kArtifact)) {
    return AnswerLater(context.exchange, [folder = hooks_.snapshot_folder,
                                          file = std::string(name.substr(kArtifact.size()))] {
      return ArtifactReply(folder, file);
    });
  }
  if (name == "flame") {
    return AnswerLater(context.exchange,
                       [this, target = context.target] { return live_flame_.Answer(target); });
  }
  if (name == "labels") {
    return AnswerLater(context.exchange,
                       [this, target = context.target] { return live_flame_.Labels(target); });
  }
  if (name == "events") return SendEvents(context.exchange);
  Send(context.exchange, TextReply(404, "no such resource\n"));
}

void HttpService::SendEvents(const Exchange& exchange) {
  if (event_readers_.size() >= kMostReaders) {
    return Send(exchange, TextReply(503, "too many pages are open\n"));
  }
  event_readers_.insert(exchange);
  exchange->on_closed = [this, weak = std::weak_ptr(exchange)] {
    event_readers_.erase(weak.lock());
  };
  HttpResponse head{.headers = {{"content-type", "text/event-stream"}}, .body = "retry: 1000\n\n"};
  AddSafetyHeaders(head);
  exchange->Begin(std::move(head));
  TellStatus(exchange);
}

void HttpService::TellStatus(const Exchange& exchange) {
  if (exchange->is_closed()) return;
  if (!exchange->Write("event: status\ndata: " + StatusAsJson() + "\n\n")) return exchange->End();
  server_.After(kBetweenEvents, [this, exchange] { TellStatus(exchange); });
}

void HttpService::AnswerLater(const Exchange& exchange, Answer work, std::string profile) {
  const bool is_queued = work_.Add([this, exchange, work = std::move(work), profile] {
    auto response = std::make_shared<HttpResponse>(work());
    server_.Post([this, exchange, response, profile] {
      if (!profile.empty()) return SendProfile(exchange, profile, std::move(*response));
      Send(exchange, std::move(*response));
    });
  });
  if (!is_queued) Send(exchange, TextReply(503, "too many requests are waiting\n"));
}

void HttpService::SendProfile(const Exchange& exchange, const std::string& endpoint,
                              HttpResponse response) {
  sent_profile_bytes_ += response.body.size();
  ++served_[{endpoint, response.status}];
  Send(exchange, std::move(response));
}

void HttpService::ServeProfile(const Context& context, IntervalHub* samples, const char* name,
                               bool in_gperftools_format) {
  constexpr std::int64_t kDefaultSeconds = 30;
  constexpr std::int64_t kLongestSeconds = 3600;
  std::int64_t seconds = context.target.Number("seconds").value_or(0);
  if (seconds <= 0) seconds = kDefaultSeconds;
  if (seconds > kLongestSeconds) {
    return Send(context.exchange, GoError(400, "profile duration exceeds an hour"));
  }
  const Exchange exchange = context.exchange;
  if (samples == nullptr) {
    return Send(exchange,
                GoError(500, "Could not enable CPU profiling: the process is not sampled"));
  }
  const auto span = std::make_shared<std::uint64_t>(0);
  spans_.Take(exchange, {.length = std::chrono::seconds(seconds),
                         .open = [samples, span] { *span = samples->Open(); },
                         .close =
                             [this, samples, span, name, in_gperftools_format](bool is_wanted) {
                               const Interval interval = samples->Close(*span);
                               if (!is_wanted) return HttpResponse();
                               if (in_gperftools_format) return GperftoolsReply(interval);
                               return PprofReply(symbolizer_.Name(interval).Build(), name);
                             },
                         .send =
                             [this, exchange, name](HttpResponse response) {
                               SendProfile(exchange, name, std::move(response));
                             }});
}

void HttpService::ServeSymbols(const Context& context) {
  const std::string addresses =
      context.request.method == "POST" ? context.request.body : context.target.query;
  AnswerLater(context.exchange, [addresses] { return SymbolReply(addresses); });
}

void HttpService::ServeSnapshot(const Context& context) {
  if (!hooks_.write_snapshot) {
    return Send(context.exchange, TextReply(404, "no session writes snapshots here\n"));
  }
  AnswerLater(context.exchange, [this] { return SnapshotReply(hooks_.write_snapshot()); });
}

}  // namespace sonde
