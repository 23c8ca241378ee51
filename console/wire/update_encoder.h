// UpdateEncoder: writes records as messages of the Instrument service, in pieces of bounded size.

#ifndef SONDE_CONSOLE_WIRE_UPDATE_ENCODER_H_
#define SONDE_CONSOLE_WIRE_UPDATE_ENCODER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "console/task_slots.h"
#include "console/wall_clock.h"
#include "console/wire/grpc_frame.h"

namespace sonde {

// Collects one Update. Records must not be taken by others while they are added. Not thread-safe.
class UpdateEncoder {
 public:
  explicit UpdateEncoder(const WallClock& clock) : clock_(clock) {}

  void AddMetadata();
  void AddTask(const TaskSlot& task, bool is_new);
  void AddResource(const ResourceSlot& resource, bool is_new);
  void AddAsyncOp(const AsyncOpSlot& op, bool is_new);
  void AddDropped(std::uint64_t tasks, std::uint64_t resources, std::uint64_t async_ops);
  // What AddX(record, false) would add, made earlier by StatsOf.
  void AddTaskStats(std::string_view stats) { tasks_ += stats; }
  void AddResourceStats(std::string_view stats) { resources_ += stats; }
  void AddAsyncOpStats(std::string_view stats) { async_ops_ += stats; }
  std::string StatsOf(const TaskSlot& task) const;
  std::string StatsOf(const ResourceSlot& resource) const;
  std::string StatsOf(const AsyncOpSlot& op) const;

  // Of what was added since the last Take.
  std::size_t size() const noexcept {
    return metadata_.size() + tasks_.size() + resources_.size() + async_ops_.size();
  }
  // The Update, stamped with the present time, which no record's time is later than.
  GrpcFrame Take();

 private:
  const WallClock& clock_;
  std::string metadata_;
  std::string tasks_;
  std::string resources_;
  std::string async_ops_;
};

// The TaskDetails message: both histograms of one task.
GrpcFrame EncodeTaskDetails(const TaskSlot& task, const WallClock& clock);

GrpcFrame EncodeState(bool is_paused);

}  // namespace sonde

#endif  // SONDE_CONSOLE_WIRE_UPDATE_ENCODER_H_
