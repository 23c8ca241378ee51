// ExecutableRanges: see executable_ranges.h. Runs in the collector.

#include "sampler/executable_ranges.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace sonde {

void ExecutableRanges::RefreshIfWanted() {
  if (!wanted_.exchange(false, std::memory_order_relaxed)) return;
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  version_.fetch_add(1, std::memory_order_acq_rel);
  std::uint32_t count = 0;
  char line[512];
  bool at_line_start = true;
  while (std::fgets(line, sizeof(line), maps) != nullptr) {
    const bool first_piece = at_line_start;
    at_line_start = std::strchr(line, '\n') != nullptr;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    char access[5] = {};
    std::uint64_t inode = 0;
    if (!first_piece || count == kCapacity ||
        std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %" SCNu64, &low, &high, access,
                    &inode) != 4 ||
        access[2] != 'x' || std::strstr(line, "[v") != nullptr) {
      continue;
    }
    // A file's code is known through its module; a memfd or a deleted file may be a JIT's too.
    const bool of_a_file = inode != 0 && std::strstr(line, "/memfd:") == nullptr &&
                           std::strstr(line, "(deleted)") == nullptr &&
                           std::strstr(line, "/dev/") == nullptr;
    if (of_a_file) continue;
    low_[count].store(low, std::memory_order_relaxed);
    high_[count].store(high, std::memory_order_relaxed);
    ++count;
  }
  count_.store(count, std::memory_order_relaxed);
  version_.fetch_add(1, std::memory_order_release);
  std::fclose(maps);
}

}  // namespace sonde
