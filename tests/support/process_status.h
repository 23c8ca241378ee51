// StatusKiB: what the kernel says of the memory of this process.

#ifndef SONDE_TESTS_SUPPORT_PROCESS_STATUS_H_
#define SONDE_TESTS_SUPPORT_PROCESS_STATUS_H_

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace sonde {

// A field of /proc/self/status that is in KiB, such as "VmRSS"; 0 when there is none.
inline std::uint64_t StatusKiB(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field) && line.substr(field.size()).starts_with(":")) {
      return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10);
    }
  }
  return 0;
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_PROCESS_STATUS_H_
