// InstrumentService: the procedures that console clients call.

#include "console/instrument_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "console/bearer_token.h"
#include "console/wire/update_encoder.h"
#include "export/protobuf_reader.h"

namespace sonde {
namespace {

constexpr std::string_view kService = "/rs.tokio.console.instrument.Instrument/";

// The id in a TaskDetailsRequest; nullopt when there is none.
std::optional<std::uint64_t> TaskIdOf(std::string_view message) {
  std::optional<std::uint64_t> id;
  ProtobufReader outer(message);
  while (outer.Next()) {
    if (outer.field() != 1 || outer.wire() != ProtobufReader::kBytes) continue;
    ProtobufReader inner(outer.bytes());
    while (inner.Next()) {
      if (inner.field() == 1 && inner.wire() == ProtobufReader::kVarint) id = inner.number();
    }
    if (!inner.ok()) return std::nullopt;
  }
  return outer.ok() ? id : std::nullopt;
}

}  // namespace

InstrumentCounts InstrumentService::counts() const noexcept {
  InstrumentCounts counts = counts_;
  counts.watchers = watchers_.size();
  return counts;
}

void InstrumentService::Call(const GrpcRequest& request,
                             const std::shared_ptr<GrpcStream>& stream) {
  ++counts_.calls;
  std::string_view method = request.path;
  if (!method.starts_with(kService)) {
    return stream->Finish(GrpcStatus::kUnimplemented, "unknown service");
  }
  if (!token_.empty() && !BearsToken(request.authorization, token_)) {
    return stream->Finish(GrpcStatus::kUnauthenticated, "a bearer token is needed");
  }
  method.remove_prefix(kService.size());
  if (method == "WatchUpdates") return WatchUpdates(stream);
  if (method == "WatchState") return WatchState(stream);
  if (method == "WatchTaskDetails") return WatchTaskDetails(request, stream);
  if (method == "Pause" || method == "Resume") {
    SetPaused(method == "Pause");
    stream->Send(MakeGrpcFrame({}));
    return stream->Finish(GrpcStatus::kOk);
  }
  stream->Finish(GrpcStatus::kUnimplemented, "unknown method");
}

void InstrumentService::WatchUpdates(const std::shared_ptr<GrpcStream>& stream) {
  const auto watcher = std::make_shared<Watcher>();
  watcher->stream = stream;
  watcher->cursor = source_.Watch();
  stream->Accept();
  watchers_.push_back(watcher);
  stream->on_drained = [weak = std::weak_ptr(watcher)] {
    if (const auto alive = weak.lock()) SendSome(*alive);
  };
  stream->on_closed = [this, target = watcher.get()] {
    watchers_.remove_if([target](const auto& other) { return other.get() == target; });
  };
  watcher->cursor->Begin();
  SendSome(*watcher);
}

void InstrumentService::WatchState(const std::shared_ptr<GrpcStream>& stream) {
  states_.push_back(stream);
  stream->on_closed = [this, target = stream.get()] {
    std::erase_if(states_, [target](const auto& other) { return other.get() == target; });
  };
  stream->Send(EncodeState(is_paused_));
}

void InstrumentService::WatchTaskDetails(const GrpcRequest& request,
                                         const std::shared_ptr<GrpcStream>& stream) {
  const std::optional<std::uint64_t> id = TaskIdOf(request.body);
  if (!id.has_value() || *id == 0) {
    return stream->Finish(GrpcStatus::kInvalidArgument, "the request names no task");
  }
  const GrpcFrame first = source_.Details(*id);
  if (first == nullptr) return stream->Finish(GrpcStatus::kNotFound, "no such task");
  details_.push_back({stream, *id});
  stream->on_closed = [this, target = stream.get()] {
    std::erase_if(details_, [target](const auto& other) { return other.stream.get() == target; });
  };
  stream->Send(first);
}

// Keeps at most kQueuedBytes and one message on the way.
void InstrumentService::SendSome(Watcher& watcher) {
  if (watcher.is_sending) return;
  watcher.is_sending = true;
  while (!watcher.stream->is_closed() && watcher.stream->queued_bytes() < kQueuedBytes) {
    GrpcFrame frame = watcher.cursor->Next();
    if (frame == nullptr) break;
    watcher.stream->Send(std::move(frame));
  }
  watcher.is_sending = false;
}

void InstrumentService::Drop(const std::shared_ptr<GrpcStream>& stream) {
  ++counts_.slow_clients;
  stream->Finish(GrpcStatus::kResourceExhausted, "the client does not keep up");
}

void InstrumentService::Publish() {
  if (is_paused_) return;
  // Copies: a stream that is closed meanwhile takes itself out of the lists.
  for (const auto& watcher : std::list(watchers_)) {
    const bool is_up_to_date = watcher->stream->queued_bytes() == 0 && watcher->cursor->Begin();
    if (is_up_to_date) {
      watcher->late = 0;
      SendSome(*watcher);
    } else if (++watcher->late == kLatePublishes) {
      Drop(watcher->stream);
    } else {
      SendSome(*watcher);
    }
  }
  for (const DetailsWatcher& watcher : std::vector(details_)) {
    const GrpcFrame details = source_.Details(watcher.task_id);
    if (details == nullptr) {
      watcher.stream->Finish(GrpcStatus::kOk);
    } else if (watcher.stream->queued_bytes() > kQueuedBytes) {
      Drop(watcher.stream);
    } else {
      watcher.stream->Send(details);
    }
  }
}

void InstrumentService::SetPaused(bool paused) {
  is_paused_ = paused;
  const GrpcFrame state = EncodeState(paused);
  for (const auto& stream : std::vector(states_)) stream->Send(state);
}

void InstrumentService::Finish() {
  for (const auto& watcher : std::list(watchers_))
    watcher->stream->Finish(GrpcStatus::kUnavailable);
  for (const auto& watcher : std::vector(details_))
    watcher.stream->Finish(GrpcStatus::kUnavailable);
  for (const auto& stream : std::vector(states_)) stream->Finish(GrpcStatus::kUnavailable);
}

}  // namespace sonde
