// RowTable: rows found by their 64-bit key, in the order they were added.

#ifndef SONDE_AGENTLOG_ROW_TABLE_H_
#define SONDE_AGENTLOG_ROW_TABLE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "agentlog/row_list.h"

namespace sonde::agentlog {

// A row that says nothing but that its key is there.
struct KeyRow {
  std::uint64_t key = 0;
};

// Beside the rows, at most 8 bytes a row. Row has a member `key`, a hash. Not thread-safe.
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

  // A row with that key, new if there is none; `second` says which. Valid until the next is added.
  std::pair<Row*, bool> FindOrAdd(std::uint64_t key) {
    if ((rows_.size() + 1) * 4 > slots_.size() * 3) MakeSlots(slots_.size() + slots_.size() / 2);
    const std::size_t slot = SlotOf(key);
    if (slots_[slot] != 0) return {&rows_[slots_[slot] - 1], false};
    Row& row = rows_.Add();
    row.key = key;
    slots_[slot] = static_cast<std::uint32_t>(rows_.size());
    return {&row, true};
  }

  // Makes the index large enough for so many rows, if it is not.
  void Reserve(std::size_t rows) {
    const std::size_t slots = rows + rows / 2;
    if (slots > slots_.size()) MakeSlots(slots);
  }
  // Says that `key` is looked for soon.
  void Announce(std::uint64_t key) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[HomeOf(key)], 1);
  }

  // Forgets how to find; rows can still be walked.
  void DropIndex() { std::vector<std::uint32_t>().swap(slots_); }

  // Where a row is: stable, counts from 0.
  std::size_t IndexOf(std::uint64_t key) const noexcept { return slots_[SlotOf(key)] - 1; }

  RowList<Row>& rows() noexcept { return rows_; }
  const RowList<Row>& rows() const noexcept { return rows_; }
  std::size_t size() const noexcept { return rows_.size(); }

 private:
  std::size_t HomeOf(std::uint64_t key) const noexcept {
    return ((key >> 32) * slots_.size()) >> 32;
  }
  std::size_t SlotOf(std::uint64_t key) const noexcept {
    std::size_t slot = HomeOf(key);
    while (slots_[slot] != 0 && rows_[slots_[slot] - 1].key != key) {
      if (++slot == slots_.size()) slot = 0;
    }
    return slot;
  }
  void MakeSlots(std::size_t slots) {
    DropIndex();  // Before the new one is there.
    slots_.assign(slots < 16 ? 16 : slots, 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      slots_[SlotOf(rows_[i].key)] = static_cast<std::uint32_t>(i + 1);
    }
  }

  RowList<Row> rows_;
  std::vector<std::uint32_t> slots_;  // Open addressing: row + 1, or 0 when free.
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_ROW_TABLE_H_
