// RecordStats: the Stats messages of tasks, resources and operations.

#ifndef SONDE_CONSOLE_WIRE_RECORD_STATS_H_
#define SONDE_CONSOLE_WIRE_RECORD_STATS_H_

#include <cstdint>

#include "console/task_slots.h"
#include "console/wall_clock.h"
#include "export/protobuf_writer.h"

namespace sonde {

inline constexpr std::uint64_t kResourceMetadata = 100;  // Which the Updates register.

// Each writes one entry of the map<uint64, Stats> of its update message. The record must not be
// taken by another meanwhile; its owner may go on writing it.
void WriteTaskStats(ProtobufWriter& out, const TaskSlot& task, const WallClock& clock);
void WriteResourceStats(ProtobufWriter& out, const ResourceSlot& resource, const WallClock& clock);
void WriteAsyncOpStats(ProtobufWriter& out, const AsyncOpSlot& op, const WallClock& clock);

}  // namespace sonde

#endif  // SONDE_CONSOLE_WIRE_RECORD_STATS_H_
