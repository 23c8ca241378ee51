// ReplayConsole: serves a recording to console clients as if its program still ran.

#include "console/replay_console.h"

#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "console/console_server.h"
#include "console/instrument_service.h"
#include "console/recording.h"
#include "console/task_registry.h"
#include "export/protobuf_reader.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStep{100};

std::uint64_t TaskIdOf(std::string_view details) {
  std::uint64_t id = 0;
  ProtobufReader reader(details);
  while (reader.Next()) {
    if (reader.field() != 1) continue;
    ProtobufReader inner(reader.bytes());
    while (inner.Next()) {
      if (inner.field() == 1) id = inner.number();
    }
  }
  return id;
}

class ReplaySource final : public UpdateSource {
 public:
  explicit ReplaySource(std::vector<RecordedMessage> messages) {
    for (RecordedMessage& message : messages) {
      frames_.push_back({message.kind, message.time_ns, MakeGrpcFrame(message.bytes),
                         message.kind == RecordKind::kDetails ? TaskIdOf(message.bytes) : 0});
    }
  }

  std::unique_ptr<Cursor> Watch() override {
    if (started_ns_ == 0) started_ns_ = SteadyNs();
    Refresh();
    return std::make_unique<ReplayCursor>(*this);
  }

  void Refresh() override {
    if (started_ns_ == 0) return;
    const auto passed = static_cast<std::uint64_t>(SteadyNs() - started_ns_);
    for (; present_ < frames_.size() && frames_[present_].time_ns <= passed; ++present_) {
      const Recorded& recorded = frames_[present_];
      if (recorded.kind == RecordKind::kDetails) details_[recorded.task_id] = recorded.frame;
    }
  }

  GrpcFrame Details(std::uint64_t task_id) override {
    const auto found = details_.find(task_id);
    return found == details_.end() ? nullptr : found->second;
  }

 private:
  struct Recorded {
    RecordKind kind;
    std::uint64_t time_ns;
    GrpcFrame frame;
    std::uint64_t task_id;
  };

  class ReplayCursor final : public Cursor {
   public:
    explicit ReplayCursor(const ReplaySource& source) : source_(source) {}
    bool Begin() override {
      if (next_ != end_) return false;
      end_ = source_.present_;
      return true;
    }
    GrpcFrame Next() override {
      while (next_ < end_) {
        const Recorded& recorded = source_.frames_[next_++];
        if (recorded.kind == RecordKind::kUpdate) return recorded.frame;
      }
      return nullptr;
    }

   private:
    const ReplaySource& source_;
    std::size_t next_ = 0;
    std::size_t end_ = 0;
  };

  std::vector<Recorded> frames_;
  std::size_t present_ = 0;  // Frames before it have happened.
  std::int64_t started_ns_ = 0;
  std::map<std::uint64_t, GrpcFrame> details_;
};

}  // namespace

class ReplayConsole::Impl {
 public:
  explicit Impl(std::vector<RecordedMessage> messages)
      : source_(std::move(messages)),
        service_(source_, {}),
        server_({},
                {.on_call =
                     [this](const GrpcRequest& request, const std::shared_ptr<GrpcStream>& stream) {
                       service_.Call(request, stream);
                     },
                 .on_request =
                     [](const HttpRequest&, const std::shared_ptr<HttpExchange>& exchange) {
                       exchange->Respond({.status = 404, .body = "a replay serves gRPC only\n"});
                     }}) {}

  ~Impl() {
    if (!thread_.joinable()) return;
    server_.Stop(milliseconds(500), [this] { service_.Finish(); });
    thread_.join();
  }

  Status Start(std::uint16_t wanted) {
    const auto listening = server_.ListenTcp("127.0.0.1", wanted, false);
    if (!listening.ok()) return listening.error();
    port = listening.value();
    server_.Every(kStep, [this] {
      source_.Refresh();
      service_.Publish();
    });
    thread_ = std::thread([this] { server_.Run(); });
    return {};
  }

  std::uint16_t port = 0;

 private:
  ReplaySource source_;
  InstrumentService service_;
  ConsoleServer server_;
  std::thread thread_;
};

Result<std::unique_ptr<ReplayConsole>> ReplayConsole::Start(const std::string& path,
                                                            const ReplayOptions& options) {
  auto messages = ReadRecording(path);
  if (!messages.ok()) return messages.error();
  auto impl = std::make_unique<Impl>(std::move(messages).value());
  const Status started = impl->Start(options.port);
  if (!started.ok()) return started.error();
  return std::unique_ptr<ReplayConsole>(new ReplayConsole(std::move(impl)));
}

ReplayConsole::ReplayConsole(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReplayConsole::~ReplayConsole() = default;
std::uint16_t ReplayConsole::port() const noexcept { return impl_->port; }

}  // namespace sonde
