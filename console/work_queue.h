// WorkQueue: does what takes too long for the server's thread, one job after the other.

#ifndef SONDE_CONSOLE_WORK_QUEUE_H_
#define SONDE_CONSOLE_WORK_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sonde {

// A thread of its own, which is not sampled. Jobs that have not begun when the queue is destroyed
// are not done.
class WorkQueue {
 public:
  static constexpr std::size_t kLongest = 256;

  WorkQueue();
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False when too many jobs wait already. Any thread.
  bool Add(std::function<void()> job);
  // Waits for the job in progress and ends the thread. By one thread.
  void Stop();

 private:
  void Run();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_WORK_QUEUE_H_
