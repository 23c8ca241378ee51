// RowTable: rows found by their 64-bit key, in the order they were added.

#ifndef SONDE_AGENTLOG_ROW_TABLE_H_
#define SONDE_AGENTLOG_ROW_TABLE_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace sonde::agentlog {

// Beside the rows, at most 11 bytes a row. Row has a member `key`. Not thread-safe.
template <typename Row>
class RowTable {
 public:
  Row* Find(std::uint64_t key) noexcept {
    if (slots_.empty()) return nullptr;
    const std::uint32_t found = slots_[SlotOf(key)];
    return found == 0 ? nullptr : &rows_[found - 1];
  }
  const Row* Find(std::uint64_t key) const noexcept {
    return const_cast<RowTable*>(this)->Find(key);
  }

  // A row with that key, new if there is none; `second` says which.
  std::pair<Row*, bool> FindOrAdd(std::uint64_t key) {
    if (slots_.empty() || (rows_.size() + 1) * 4 > slots_.size() * 3) Grow();
    const std::size_t slot = SlotOf(key);
    if (slots_[slot] != 0) return {&rows_[slots_[slot] - 1], false};
    Row& row = rows_.emplace_back();
    row.key = key;
    slots_[slot] = static_cast<std::uint32_t>(rows_.size());
    return {&row, true};
  }

  // Forgets how to find; rows can still be walked.
  void DropIndex() { std::vector<std::uint32_t>().swap(slots_); }

  // Where a row is: stable, counts from 0.
  std::size_t IndexOf(std::uint64_t key) const noexcept { return slots_[SlotOf(key)] - 1; }

  std::deque<Row>& rows() noexcept { return rows_; }
  const std::deque<Row>& rows() const noexcept { return rows_; }
  std::size_t size() const noexcept { return rows_.size(); }

 private:
  std::size_t SlotOf(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(key) & mask;
    while (slots_[slot] != 0 && rows_[slots_[slot] - 1].key != key) slot = (slot + 1) & mask;
    return slot;
  }
  void Grow() {
    slots_.assign(slots_.empty() ? 16 : slots_.size() * 2, 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      slots_[SlotOf(rows_[i].key)] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::deque<Row> rows_;
  std::vector<std::uint32_t> slots_;  // Open addressing: row + 1, or 0 when free.
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_ROW_TABLE_H_
