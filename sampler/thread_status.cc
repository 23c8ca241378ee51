// What the kernel says of a thread of this process in /proc.

#include "sampler/thread_status.h"

#include <fcntl.h>
#include <unistd.h>

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
  char text[256];
  const ssize_t size = read(file, text, sizeof(text));
  close(file);
  return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
}

}  // namespace

std::string NameOfThread(std::int32_t tid) {
  std::string name = Read(tid, "comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

ThreadState StateOfThread(std::int32_t tid) {
  // "ID (NAME) STATE ...", where the name may hold anything.
  const std::string status = Read(tid, "stat");
  const std::size_t end_of_name = status.rfind(')');
  if (end_of_name == std::string::npos || end_of_name + 2 >= status.size()) {
    return ThreadState::kUnknown;
  }
  const char state = status[end_of_name + 2];
  if (state == 'Z' || state == 'X') return ThreadState::kUnknown;
  return state == 'R' ? ThreadState::kRunning : ThreadState::kWaiting;
}

}  // namespace sonde
