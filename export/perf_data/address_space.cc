// AddressSpace: which file was mapped where, in one process at one time.

#include "export/perf_data/address_space.h"

#include <algorithm>

namespace sonde::perf_data {

void AddressSpace::Add(const Map& map) {
  if (map.limit <= map.start) return;
  // The first map that ends behind our start, and the first that begins behind our end.
  const auto first = std::ranges::upper_bound(maps_, map.start, {}, &Map::limit);
  const auto last =
      std::lower_bound(first, maps_.end(), map.limit,
                       [](const Map& other, std::uint64_t limit) { return other.start < limit; });
  std::vector<Map> pieces;
  if (first != last) {
    if (first->start < map.start) {
      pieces.push_back({first->start, map.start, first->offset, first->module});
    }
    pieces.push_back(map);
    const Map& tail = *(last - 1);
    if (tail.limit > map.limit) {
      pieces.push_back(
          {map.limit, tail.limit, tail.offset + (map.limit - tail.start), tail.module});
    }
  } else {
    pieces.push_back(map);
  }
  const auto at = maps_.erase(first, last);
  maps_.insert(at, pieces.begin(), pieces.end());
}

const Map* AddressSpace::Find(std::uint64_t address) const noexcept {
  const auto after = std::ranges::upper_bound(maps_, address, {}, &Map::start);
  if (after == maps_.begin()) return nullptr;
  const Map& map = *(after - 1);
  return address < map.limit ? &map : nullptr;
}

}  // namespace sonde::perf_data
