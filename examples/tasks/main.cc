// tasks: a pool of plain threads whose jobs can be watched with a console client.

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sonde/console.h"
#include "sonde/resource.h"
#include "sonde/task.h"

namespace {

using namespace std::chrono_literals;

// A job and the task that stands for it: waiting in the queue it is scheduled, running it is busy.
struct Job {
  sonde::Task task;
  std::function<void()> work;
};

class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
  }
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Submit(Job job) {
    job.task.Wake();
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }

 private:
  void Run() {
    while (true) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return is_over_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      const sonde::PollGuard poll = job.task.Poll();
      job.work();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::vector<std::thread> threads_;
  bool is_over_ = false;
};

void Spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

// tasks [seconds] [port]
int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  sonde::ConsoleOptions options;
  if (argc > 2) options.console_port = static_cast<std::uint16_t>(std::atoi(argv[2]));
  options.http_port = 0;
  const auto console = sonde::Console::Start(options);
  if (!console.ok()) {
    std::cerr << "tasks: " << sonde::Describe(console.error()) << '\n';
    return 1;
  }
  for (const std::string& problem : console.value()->problems()) std::cerr << problem << '\n';
  std::cout << "watch with: tokio-console http://127.0.0.1:" << console.value()->console_port()
            << std::endl;

  sonde::Resource queue(sonde::ResourceKind::kChannel, "job queue");
  sonde::Task producer("produce jobs", {{"interval_ms", 50}});
  ThreadPool pool(2);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (unsigned number = 0; std::chrono::steady_clock::now() < end; ++number) {
    {
      const sonde::PollGuard poll = producer.Poll();
      queue.SetAttribute("submitted", number, "jobs");
      const bool is_heavy = number % 10 == 0;
      pool.Submit({sonde::Task(is_heavy ? "resize image" : "send mail", {{"number", number}}),
                   [is_heavy] { Spin(is_heavy ? 80ms : 2ms); }});
    }
    const sonde::AsyncOp pause(queue, "wait for room", producer.ref());
    std::this_thread::sleep_for(50ms);
    producer.Wake();
  }
}
