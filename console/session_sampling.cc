// SessionSampling: the sampler of a session, those who read it, and the snapshots of it.

#include "console/session_sampling.h"

#include <thread>
#include <utility>
#include <vector>

#include "sampler/interval.h"

namespace sonde {

std::string RoleName(Role role) { return role == Role::kDaemon ? "daemon" : "tui"; }

SnapshotPrivacy PrivacyOf(const SessionOptions& options) {
  return {.function_names = options.snapshots.function_names,
          .full_paths = options.snapshots.full_paths};
}

Result<std::unique_ptr<SessionSampling>> SessionSampling::Start(const SessionOptions& options) {
  Result<std::unique_ptr<Sampler>> sampler = Sampler::Start(options.sampler);
  if (!sampler.ok()) return sampler.error();
  return std::unique_ptr<SessionSampling>(new SessionSampling(options, std::move(sampler).value()));
}

SessionSampling::SessionSampling(const SessionOptions& options, std::unique_ptr<Sampler> sampler)
    : options_(options),
      sampler_(std::move(sampler)),
      samples_([this] { return sampler_->TakeInterval(); }),
      wall_([this] { return sampler_->TakeWallInterval(); },
            [this](bool is_wanted) { is_wanted ? sampler_->BeginWall() : sampler_->EndWall(); }) {}

void SessionSampling::BeginSnapshots(const std::string& folder, TaskName task_name) {
  SnapshotWriterOptions writer{.folder = folder,
                               .role = RoleName(options_.role),
                               .interval = options_.snapshots.interval,
                               .keep = options_.snapshots.keep,
                               .privacy = PrivacyOf(options_),
                               .task_name = std::move(task_name),
                               .on_error = options_.on_error};
  snapshot_span_ = samples_.Open();
  std::vector<ExtraSource> extras;
  if (options_.heap) {
    extras.push_back({"heap", [this] { return options_.heap(HeapKind::kInUse); }});
    extras.push_back({"growth", [this] { return options_.heap(HeapKind::kGrowth); }});
  }
  SnapshotWriter::TakeInterval take_wall;
  if (options_.wall) {
    wall_span_ = wall_.Open();
    take_wall = [this] { return wall_.Take(wall_span_); };
  }
  auto made = std::make_unique<SnapshotWriter>(
      std::move(writer), [this] { return samples_.Take(snapshot_span_); }, std::move(extras),
      std::move(take_wall));
  const std::lock_guard lock(writer_mutex_);
  writer_ = std::move(made);
}

void SessionSampling::EndSnapshots() {
  std::unique_ptr<SnapshotWriter> ended;  // Outlives the lock: its thread is waited for.
  const std::lock_guard lock(writer_mutex_);
  ended.swap(writer_);
}

SnapshotStats SessionSampling::snapshot_stats() const {
  const std::lock_guard lock(writer_mutex_);
  return writer_ != nullptr ? writer_->stats() : SnapshotStats();
}

Result<std::string> SessionSampling::CaptureWall(std::chrono::milliseconds length) {
  const std::uint64_t span = wall_.Open();
  std::this_thread::sleep_for(length);
  return writer_->WriteGuest(wall_.Close(span));
}

Status SessionSampling::Finish() {
  const Result<std::string> last = writer_->Finish([this] {
    samples_.Finish(sampler_->Stop());
    wall_.Finish(sampler_->TakeWallInterval());
    return samples_.Close(snapshot_span_);
  });
  return last.ok() ? Status() : last.error();
}

}  // namespace sonde
