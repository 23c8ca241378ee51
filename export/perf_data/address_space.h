// AddressSpace: which file was mapped where, in one process at one time.

#ifndef SONDE_EXPORT_PERF_DATA_ADDRESS_SPACE_H_
#define SONDE_EXPORT_PERF_DATA_ADDRESS_SPACE_H_

#include <cstdint>
#include <vector>

namespace sonde::perf_data {

enum class ModuleId : std::uint32_t {};

struct Map {
  std::uint64_t start = 0;
  std::uint64_t limit = 0;   // Behind the last byte.
  std::uint64_t offset = 0;  // Of `start` in the file.
  ModuleId module{};
};

// Maps never overlap: a new one takes the place of what was there. Copied when a
// process forks. Not thread-safe.
class AddressSpace {
 public:
  void Add(const Map& map);
  // The map that holds `address`, or null. Valid until the next Add.
  const Map* Find(std::uint64_t address) const noexcept;
  void Clear() noexcept { maps_.clear(); }
  const std::vector<Map>& maps() const noexcept { return maps_; }

 private:
  std::vector<Map> maps_;  // By start.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_ADDRESS_SPACE_H_
