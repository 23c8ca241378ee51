// InstrumentService: the procedures that console clients call: watch, look closer, pause, resume.

#ifndef SONDE_CONSOLE_INSTRUMENT_SERVICE_H_
#define SONDE_CONSOLE_INSTRUMENT_SERVICE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "console/grpc_stream.h"
#include "console/update_source.h"

namespace sonde {

struct InstrumentCounts {
  std::uint64_t slow_clients = 0;  // Dropped because they did not keep up.
  std::uint64_t calls = 0;
  std::size_t watchers = 0;  // Right now.
};

// Used by the server's thread only.
class InstrumentService {
 public:
  // Publishes without progress after which a watcher is dropped.
  static constexpr int kLatePublishes = 10;
  // Bytes on their way to one watcher beyond which it gets no more for now.
  static constexpr std::size_t kQueuedBytes = std::size_t{2} << 20;

  // `source` outlives the service. Calls need "Bearer <token>" unless `token` is empty.
  InstrumentService(UpdateSource& source, std::string token)
      : source_(source), token_(std::move(token)) {}

  void Call(const GrpcRequest& request, const std::shared_ptr<GrpcStream>& stream);
  // Tells all watchers what changed. Call at a steady interval, after UpdateSource::Refresh.
  void Publish();
  // Ends all calls: the server goes away.
  void Finish();

  void SetPaused(bool paused);
  bool is_paused() const noexcept { return is_paused_; }
  InstrumentCounts counts() const noexcept;

 private:
  struct Watcher {
    std::shared_ptr<GrpcStream> stream;
    std::unique_ptr<UpdateSource::Cursor> cursor;
    int late = 0;
    bool is_sending = false;
  };
  struct DetailsWatcher {
    std::shared_ptr<GrpcStream> stream;
    std::uint64_t task_id = 0;
  };

  void WatchUpdates(const std::shared_ptr<GrpcStream>& stream);
  void WatchState(const std::shared_ptr<GrpcStream>& stream);
  void WatchTaskDetails(const GrpcRequest& request, const std::shared_ptr<GrpcStream>& stream);
  void Drop(const std::shared_ptr<GrpcStream>& stream);
  static void SendSome(Watcher& watcher);

  UpdateSource& source_;
  std::string token_;
  bool is_paused_ = false;
  InstrumentCounts counts_;
  std::list<std::shared_ptr<Watcher>> watchers_;
  std::vector<std::shared_ptr<GrpcStream>> states_;
  std::vector<DetailsWatcher> details_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_INSTRUMENT_SERVICE_H_
