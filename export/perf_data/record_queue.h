// RecordQueue: puts the records of several ring buffers into the order of their times.

#ifndef SONDE_EXPORT_PERF_DATA_RECORD_QUEUE_H_
#define SONDE_EXPORT_PERF_DATA_RECORD_QUEUE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "export/perf_data/record_stream.h"

namespace sonde::perf_data {

// perf empties all buffers in turn and ends each round with a FINISHED_ROUND
// record: what is as old as the newest record of the round before can have no
// older one behind it. Memory is bounded by two rounds. Not thread-safe.
class RecordQueue {
 public:
  using Deliver = std::function<Status(const Record&)>;

  // Records in no block outlive the queue.
  void Push(std::uint64_t time_ns, const Record& record);
  // Delivers what is complete, in order of time and then of arrival. Stops at an error.
  Status FinishRound(const Deliver& deliver);
  // Delivers everything.
  Status Finish(const Deliver& deliver);

 private:
  struct Entry {
    std::uint64_t time_ns;
    const char* payload;
    std::uint32_t type;
    std::uint16_t misc;
    std::uint16_t size;
  };

  Status DeliverUpTo(std::uint64_t time_ns, const Deliver& deliver);
  void ReleaseBlocks();

  std::vector<Entry> pending_;
  std::vector<std::shared_ptr<const std::string>> blocks_;
  std::uint64_t newest_ns_ = 0;
  std::uint64_t newest_of_round_before_ns_ = 0;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_RECORD_QUEUE_H_
