// How the console bears many tasks, seen by a client on the wire.
//
//   bench.console_scale [LIVING [TASKS [SECONDS]]]      (60000 tasks, then 1000000 in 60 seconds)
//
// First: a client connects to LIVING tasks; the time until it knows them all, and the largest
// message. Then: TASKS are made, polled and ended within SECONDS while the client watches; what
// memory that takes, and whether every task was told of with its end, or counted as dropped. Ends
// with 1 when something of that is not so.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "cli/grpc_client.h"
#include "sonde/console.h"
#include "sonde/task.h"
#include "tests/console/wire_messages.h"
#include "tests/support/console_on_free_port.h"

namespace {

using namespace std::chrono_literals;
using sonde::cli::GrpcClient;
using sonde::cli::GrpcEvent;
using std::chrono::steady_clock;

double SecondsSince(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

double ResidentMiB() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// What a client was told, without keeping the tasks that ended.
struct Watcher {
  std::unique_ptr<GrpcClient> client;
  sonde::ClientView view;
  std::uint64_t announced = 0;
  std::uint64_t ended = 0;
  std::size_t largest = 0;
  bool is_broken = false;

  void Poll(std::chrono::milliseconds timeout) {
    auto events = client->Wait(timeout);
    if (!events.ok()) {
      is_broken = true;
      return;
    }
    for (const GrpcEvent& event : events.value()) {
      is_broken |= event.is_end;
      if (event.is_end) continue;
      largest = std::max(largest, event.message.size());
      const std::size_t before = view.tasks.size();
      view.Take(std::string(5, '\0') + event.message);
      announced += view.tasks.size() - before;
      std::erase_if(view.tasks, [this](const auto& entry) {
        ended += entry.second.has_ended ? 1 : 0;
        return entry.second.has_ended;
      });
    }
  }
};

bool Hold(const char* what, double figure, double most, const char* unit) {
  std::printf("%s: %.2f %s (at most %.0f)%s\n", what, figure, unit, most,
              figure <= most ? "" : " BROKEN");
  return figure <= most;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int index, int normal) {
    return argc > index ? std::max(1, std::atoi(argv[index])) : normal;
  };
  const int living = argument(1, 60'000);
  const int many = argument(2, 1'000'000);
  const int seconds = argument(3, 60);

  sonde::ConsoleOptions options;
  options.console_port = sonde::FreePort();
  options.http_port = 0;
  const auto console = sonde::Console::Start(options);
  if (!console.ok()) return 2;
  const std::string url = "http://127.0.0.1:" + std::to_string(options.console_port);

  std::deque<sonde::Task> tasks;
  for (int i = 0; i < living; ++i)
    tasks.emplace_back("session", std::initializer_list<sonde::Field>{{"number", i}});
  std::this_thread::sleep_for(2 * options.publish_interval);

  const auto began = steady_clock::now();
  auto connected = GrpcClient::Connect(url);
  if (!connected.ok()) return 2;
  Watcher watcher;
  watcher.client = std::move(connected).value();
  if (!watcher.client->Call("WatchUpdates").ok()) return 2;
  while (!watcher.is_broken && watcher.announced < static_cast<std::uint64_t>(living) &&
         SecondsSince(began) < 60) {
    watcher.Poll(100ms);
  }
  bool holds = Hold("seconds until a client knows all living tasks", SecondsSince(began), 2, "s");
  holds &= Hold("largest message", static_cast<double>(watcher.largest) / (1 << 20), 4, "MiB");

  tasks.clear();
  const std::uint64_t before = console.value()->stats().tasks_seen;
  const auto start = steady_clock::now();
  std::thread maker([&] {
    for (int made = 0; made < many;) {
      const double due = SecondsSince(start) / seconds * many;
      for (; made < many && made <= static_cast<int>(due); ++made) {
        sonde::Task task("request");
        const sonde::PollGuard poll = task.Poll();
      }
      std::this_thread::sleep_for(1ms);
    }
  });
  double half_way = 0;
  double most = 0;
  while (!watcher.is_broken && SecondsSince(start) < seconds) {
    watcher.Poll(50ms);
    const double resident = ResidentMiB();
    (SecondsSince(start) < seconds / 2.0 ? half_way : most) =
        std::max(SecondsSince(start) < seconds / 2.0 ? half_way : most, resident);
  }
  maker.join();
  const auto all = static_cast<std::uint64_t>(living) + static_cast<std::uint64_t>(many);
  const auto last = steady_clock::now();
  while (!watcher.is_broken && watcher.ended + watcher.view.dropped < all &&
         SecondsSince(last) < 10) {
    watcher.Poll(100ms);
  }
  const sonde::ConsoleStats stats = console.value()->stats();
  std::printf("%d tasks in %d s: %llu announced, %llu ended, %llu dropped, %llu evicted\n", many,
              seconds, static_cast<unsigned long long>(watcher.announced),
              static_cast<unsigned long long>(watcher.ended),
              static_cast<unsigned long long>(watcher.view.dropped),
              static_cast<unsigned long long>(stats.tasks_evicted));
  holds &= Hold("tasks whose end was not told",
                static_cast<double>(watcher.announced - watcher.ended), 0, "");
  holds &=
      Hold("tasks neither told of nor counted as dropped",
           static_cast<double>(all) - static_cast<double>(watcher.announced + watcher.view.dropped),
           0, "");
  holds &= Hold("dropped, as the program counts", static_cast<double>(stats.tasks_dropped),
                static_cast<double>(watcher.view.dropped), "");
  holds &= Hold("tasks not seen by the program's own count",
                static_cast<double>(many) -
                    static_cast<double>(stats.tasks_seen + stats.tasks_dropped - before),
                0, "");
  holds &= Hold("resident in the second half, more than in the first", most - half_way, 32, "MiB");
  holds &= !watcher.is_broken;
  return holds ? 0 : 1;
}
