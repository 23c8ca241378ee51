// Losses: what a producer could not keep, by cause.

#include "sonde/losses.h"

#include <algorithm>

namespace sonde {

Loss* Losses::Find(std::string_view cause, std::string_view unit) noexcept {
  const auto it = std::ranges::find_if(
      entries_, [&](const Loss& loss) { return loss.cause == cause && loss.unit == unit; });
  return it == entries_.end() ? nullptr : &*it;
}

void Losses::Add(std::string_view cause, std::string_view unit, std::uint64_t count,
                 std::string_view place) {
  if (count == 0) return;
  Loss* loss = Find(cause, unit);
  if (loss == nullptr) {
    loss = &entries_.emplace_back(Loss{std::string(cause), std::string(unit), 0, {}});
  }
  loss->count += count;
  if (!place.empty() && loss->places.size() < kPlacesKept) loss->places.emplace_back(place);
}

void Losses::AddPlace(std::string_view cause, std::string_view unit, std::string_view place) {
  Loss* const loss = Find(cause, unit);
  if (loss != nullptr && loss->places.size() < kPlacesKept) loss->places.emplace_back(place);
}

void Losses::Add(const Losses& other) {
  for (const Loss& loss : other.entries_) {
    Add(loss.cause, loss.unit, loss.count);
    for (const std::string& place : loss.places) AddPlace(loss.cause, loss.unit, place);
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
