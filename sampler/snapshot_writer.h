// SnapshotWriter: the thread that turns intervals into snapshot files.

#ifndef SONDE_SAMPLER_SNAPSHOT_WRITER_H_
#define SONDE_SAMPLER_SNAPSHOT_WRITER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sampler/interval.h"
#include "sampler/snapshot_comment.h"
#include "sampler/snapshot_folder.h"
#include "sampler/symbolizer.h"
#include "sonde/heap.h"
#include "sonde/profile_builder.h"
#include "sonde/snapshot_stats.h"

namespace sonde {

struct SnapshotWriterOptions {
  std::string folder;
  std::string role = "daemon";
  std::string kind = "profile";
  std::chrono::milliseconds interval{60'000};
  std::size_t keep = 8;
  SnapshotPrivacy privacy;
  // Names the task of an id; may be empty.
  std::function<std::string(std::uint64_t)> task_name;
  // Called on the writer's thread for the first failure of a kind of snapshot, and
  // again for the first one after a success.
  std::function<void(const Error&)> on_error;
};

// Profiles of another kind, one of which is written with each CPU snapshot. `take` is called on
// the writer's thread.
struct ExtraSource {
  std::string kind;
  std::function<Result<HeapProfile>()> take;
};

// Writes a snapshot every interval from construction to Finish, on a thread of
// its own that is never sampled and takes no signals. Its clock does not drift:
// a late snapshot does not delay the next one.
class SnapshotWriter {
 public:
  // Must end one interval and begin the next. Called on the writer's thread.
  using TakeInterval = std::function<Interval()>;

  // `take_wall` is called after `take`, also in Finish; may be empty.
  SnapshotWriter(SnapshotWriterOptions options, TakeInterval take,
                 std::vector<ExtraSource> extras = {}, TakeInterval take_wall = {});
  // Ends the thread; without Finish the last interval is lost.
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Ends the current interval now and writes it. The path of the file, or why
  // there is none. Any thread but the writer's; waits.
  Result<std::string> WriteNow();

  // Writes an interval that was taken elsewhere, beside the others. The path of the file, or why
  // there is none. Any thread but the writer's; waits.
  Result<std::string> WriteGuest(Interval interval);

  // Writes the interval that `last` returns, and ends the thread. Once.
  Result<std::string> Finish(TakeInterval last);

  // Any thread.
  SnapshotStats stats() const;

 private:
  void Run();
  struct Guest {
    Interval interval;
    std::optional<Result<std::string>> outcome;
  };

  bool WaitForWork(std::unique_lock<std::mutex>& lock);
  void WriteGuests(std::unique_lock<std::mutex>& lock);
  Result<std::string> Write(const Interval& interval);
  Result<std::string> WriteWall(const Interval& interval);
  void WriteExtras();
  // Fills in the role, process and number, adds the facts to the profile and writes it.
  Result<std::string> WriteFile(SnapshotFacts facts, ProfileBuilder profile);
  // Counts a snapshot that could not be written, keeps the reason, and tells of it.
  void Report(const std::string& what, const Error& error);
  // `what` went well.
  void Recover(const std::string& what);
  // Once for each `what`, until it has gone well again.
  void Tell(const std::string& what, const Error& error) noexcept;

  const SnapshotWriterOptions options_;
  const TakeInterval take_;
  const std::vector<ExtraSource> extras_;
  const TakeInterval take_wall_;
  SnapshotFolder folder_;
  Symbolizer symbolizer_;
  std::uint64_t sequence_ = 0;
  std::int64_t last_time_ms_ = 0;
  std::uint64_t lost_samples_ =
      0;  // Of intervals that could not be written, since the last that was.
  std::map<std::string, std::string> failing_;  // What has not succeeded since, and the error.

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::uint64_t requested_ = 0;
  std::uint64_t served_ = 0;
  std::deque<Guest*> guests_;  // Each in the frame of the one who waits for it.
  bool is_ending_ = false;
  TakeInterval last_;
  std::optional<Result<std::string>> outcome_;  // Of the newest write.
  SnapshotStats stats_;
  std::string problem_of_;  // Whose problem is told in stats_.
  std::chrono::steady_clock::time_point next_;
  std::thread thread_;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_SNAPSHOT_WRITER_H_
