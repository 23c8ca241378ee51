// WorkQueue: batches on their way from the feeder to the workers.

#ifndef SONDE_EXAMPLES_DAEMON_WORK_QUEUE_H_
#define SONDE_EXAMPLES_DAEMON_WORK_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sonde/task.h"

namespace ingest {

// Log lines, and the task that stands for the work on them: scheduled while they wait here.
struct Batch {
  std::string text;
  sonde::Task task;
};

// Bounded: the feeder waits while it is full. Any thread.
class WorkQueue {
 public:
  explicit WorkQueue(std::size_t capacity) : capacity_(capacity) {}

  // False once the queue is closed.
  bool Push(Batch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || batches_.size() < capacity_; });
    if (closed_) return false;
    batch.task.Wake();
    batches_.push_back(std::move(batch));
    changed_.notify_all();
    return true;
  }

  // Nothing once the queue is closed and empty.
  std::optional<Batch> Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !batches_.empty(); });
    if (batches_.empty()) return std::nullopt;
    Batch batch = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return batch;
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  bool closed_ = false;
};

}  // namespace ingest

#endif  // SONDE_EXAMPLES_DAEMON_WORK_QUEUE_H_
