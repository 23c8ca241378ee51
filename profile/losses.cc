// Losses: what a producer could not keep, by cause.

#include "sonde/losses.h"

#include <algorithm>

namespace sonde {

void Losses::Add(std::string_view cause, std::string_view unit, std::uint64_t count,
                 std::string_view place) {
  if (count == 0) return;
  auto it = std::find_if(entries_.begin(), entries_.end(), [&](const Loss& loss) {
    return loss.cause == cause && loss.unit == unit;
  });
  if (it == entries_.end()) {
    entries_.push_back({std::string(cause), std::string(unit), 0, {}});
    it = std::prev(entries_.end());
  }
  it->count += count;
  if (!place.empty() && it->places.size() < kPlacesKept) it->places.emplace_back(place);
}

void Losses::Add(const Losses& other) {
  for (const Loss& loss : other.entries_) {
    Add(loss.cause, loss.unit, loss.count);
    if (loss.count == 0) continue;
    const auto it = std::find_if(entries_.begin(), entries_.end(), [&](const Loss& mine) {
      return mine.cause == loss.cause && mine.unit == loss.unit;
    });
    for (const std::string& place : loss.places) {
      if (it->places.size() < kPlacesKept) it->places.push_back(place);
    }
  }
}

std::uint64_t Losses::CountOf(std::string_view cause) const noexcept {
  std::uint64_t count = 0;
  for (const Loss& loss : entries_) {
    if (loss.cause == cause) count += loss.count;
  }
  return count;
}

std::uint64_t Losses::TotalIn(std::string_view unit) const noexcept {
  std::uint64_t count = 0;
  for (const Loss& loss : entries_) {
    if (loss.unit == unit) count += loss.count;
  }
  return count;
}

}  // namespace sonde
