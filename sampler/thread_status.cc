// What the kernel says of a thread of this process in /proc.

#include "sampler/thread_status.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace sonde {
namespace {

// The start of a file in the thread's folder.
std::string Read(std::int32_t tid, const char* file_name) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, file_name);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[1024];
  const ssize_t size = read(file, text, sizeof(text));
  close(file);
  return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
}

// The fields of "stat" from the state on: "ID (NAME) STATE ...", where the name may hold anything.
std::string_view BehindName(std::string_view stat) {
  const std::size_t end_of_name = stat.rfind(')');
  return end_of_name == std::string_view::npos
             ? std::string_view()
             : stat.substr(std::min(end_of_name + 2, stat.size()));
}

}  // namespace

std::string NameOfThread(std::int32_t tid) {
  std::string name = Read(tid, "comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

ThreadState StateOfThread(std::int32_t tid) {
  const std::string stat = Read(tid, "stat");
  const std::string_view fields = BehindName(stat);
  if (fields.empty() || fields[0] == 'Z' || fields[0] == 'X') return ThreadState::kUnknown;
  return fields[0] == 'R' ? ThreadState::kRunning : ThreadState::kWaiting;
}

bool BlocksSigprof(std::int32_t tid) {
  constexpr int kBlockedBehindState = 29;
  const std::string stat = Read(tid, "stat");
  std::string_view fields = BehindName(stat);
  for (int i = 0; i < kBlockedBehindState; ++i) {
    const std::size_t end = fields.find(' ');
    if (end == std::string_view::npos) return false;
    fields.remove_prefix(end + 1);
  }
  std::uint32_t blocked = 0;
  std::from_chars(fields.data(), fields.data() + fields.size(), blocked);
  return (blocked >> (SIGPROF - 1) & 1) != 0;
}

}  // namespace sonde
