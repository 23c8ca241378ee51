// SessionSampling: the sampler of a session, those who read it, and the snapshots of it.

#ifndef SONDE_CONSOLE_SESSION_SAMPLING_H_
#define SONDE_CONSOLE_SESSION_SAMPLING_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "console/interval_hub.h"
#include "sampler/snapshot_writer.h"
#include "sonde/result.h"
#include "sonde/sampler.h"
#include "sonde/session.h"

namespace sonde {

// Start, BeginSnapshots once, Finish once. Between the last two any thread may use it.
class SessionSampling {
 public:
  using TaskName = std::function<std::string(std::uint64_t)>;

  // Begins to sample. `options` outlive what is returned. Errors: those of Sampler::Start.
  static Result<std::unique_ptr<SessionSampling>> Start(const SessionOptions& options);

  void BeginSnapshots(const std::string& folder, TaskName task_name);
  // Where no Finish follows.
  void EndSnapshots();
  // Stops, and writes the last snapshot.
  Status Finish();

  // Of CPU time and of wall-clock time.
  IntervalHub& samples() noexcept { return samples_; }
  IntervalHub& wall() noexcept { return wall_; }

  // The path of the file, or why there is none. Waits.
  Result<std::string> WriteNow() { return writer_->WriteNow(); }
  Result<std::string> CaptureWall(std::chrono::milliseconds length);

  SamplerStats sampler_stats() const { return sampler_->stats(); }
  // May be asked at any time, also before BeginSnapshots.
  SnapshotStats snapshot_stats() const;

 private:
  SessionSampling(const SessionOptions& options, std::unique_ptr<Sampler> sampler);

  const SessionOptions& options_;
  std::unique_ptr<Sampler> sampler_;
  IntervalHub samples_;
  IntervalHub wall_;
  std::uint64_t snapshot_span_ = 0;  // What the writer sees of them.
  std::uint64_t wall_span_ = 0;      // 0 = it does not write wall-clock time.
  mutable std::mutex writer_mutex_;  // For those who ask while it begins or ends.
  std::unique_ptr<SnapshotWriter> writer_;
};

std::string RoleName(Role role);
SnapshotPrivacy PrivacyOf(const SessionOptions& options);

}  // namespace sonde

#endif  // SONDE_CONSOLE_SESSION_SAMPLING_H_
