// WorkQueue: does what takes too long for the server's thread, one job after the other.

#include "console/work_queue.h"

#include <exception>
#include <utility>

#include "console/serving_thread.h"

namespace sonde {

WorkQueue::WorkQueue() : thread_([this] { Run(); }) {}

WorkQueue::~WorkQueue() { Stop(); }

void WorkQueue::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool WorkQueue::Add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= kLongest) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void WorkQueue::Run() {
  BecomeServingThread("sonde-work");
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
    if (is_ending_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    try {
      job();
    } catch (const std::exception&) {  // Out of memory: the one who waits for it is timed out.
    }
  }
}

}  // namespace sonde
