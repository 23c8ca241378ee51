// IdMap: the number behind each id of an input, whatever ids it uses.

#ifndef SONDE_EXPORT_ID_MAP_H_
#define SONDE_EXPORT_ID_MAP_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sonde {

// Ids that are about as small as there are of them, the usual case, cost one
// array access. Not thread-safe.
class IdMap {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  explicit IdMap(std::size_t expected) : dense_limit_(4 * expected + 64) {}

  // False when the id is taken.
  bool Add(std::uint64_t id, std::uint32_t number) {
    if (id >= dense_limit_) return sparse_.emplace(id, number).second;
    if (id >= dense_.size()) dense_.resize(static_cast<std::size_t>(id) + 1, kNone);
    if (dense_[id] != kNone) return false;
    dense_[id] = number;
    return true;
  }
  // kNone when there is no such id.
  std::uint32_t Find(std::uint64_t id) const {
    if (id < dense_.size()) return dense_[id];
    if (sparse_.empty()) return kNone;
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? kNone : it->second;
  }

 private:
  std::uint64_t dense_limit_;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_ID_MAP_H_
