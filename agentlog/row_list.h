// RowList: plain rows in blocks that stay where they are and go back to the system from the front.

#ifndef SONDE_AGENTLOG_ROW_LIST_H_
#define SONDE_AGENTLOG_ROW_LIST_H_

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sonde::agentlog {

// A short list takes no more than it holds; a long one wastes less than a block of 256 KiB. Adding
// moves rows only while all are in the first block. Not thread-safe.
template <typename Row>
class RowList {
  static_assert(std::is_trivially_copyable_v<Row>);

 public:
  static constexpr std::size_t kBlockRows = std::bit_floor(std::size_t{256 * 1024} / sizeof(Row));

  template <typename List, typename Value>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    Iterator() = default;
    Iterator(List* list, std::size_t index) : list_(list), index_(index) {}
    Value& operator*() const { return (*list_)[index_]; }
    Value* operator->() const { return &(*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    List* list_ = nullptr;
    std::size_t index_ = 0;
  };
  using iterator = Iterator<RowList, Row>;
  using const_iterator = Iterator<const RowList, const Row>;

  RowList() = default;
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;
  RowList(RowList&& other) noexcept { *this = std::move(other); }
  RowList& operator=(RowList&& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~RowList() { Clear(); }

  bool empty() const noexcept { return begin_ == end_; }
  std::size_t size() const noexcept { return end_ - begin_; }
  Row& operator[](std::size_t index) noexcept { return *At(begin_ + index); }
  const Row& operator[](std::size_t index) const noexcept { return *At(begin_ + index); }
  Row& front() noexcept { return *At(begin_); }
  iterator begin() noexcept { return {this, 0}; }
  iterator end() noexcept { return {this, size()}; }
  const_iterator begin() const noexcept { return {this, 0}; }
  const_iterator end() const noexcept { return {this, size()}; }

  Row& Add(const Row& row = Row()) {
    if (end_ == capacity_) Grow(1);
    return *new (At(end_++)) Row(row);
  }

  // `bytes` are those of `count` rows.
  void Append(const char* bytes, std::size_t count) {
    while (count != 0) {
      if (end_ == capacity_) Grow(count);
      const std::size_t now = std::min({count, capacity_ - end_, kBlockRows - end_ % kBlockRows});
      std::memcpy(static_cast<void*>(At(end_)), bytes, now * sizeof(Row));
      end_ += now;
      bytes += now * sizeof(Row);
      count -= now;
    }
  }

  // Calls `take(const Row*, count)` for the rows in order, as many at once as lie together.
  void ForRuns(auto&& take) const {
    for (std::size_t at = begin_; at != end_;) {
      const std::size_t count = std::min(end_ - at, kBlockRows - at % kBlockRows);
      take(At(at), count);
      at += count;
    }
  }

  // There is a first row.
  void DropFront() noexcept {
    ++begin_;
    if (begin_ == end_) return Clear();
    if (begin_ % kBlockRows == 0) Release(begin_ / kBlockRows - 1);
  }

  void Clear() noexcept {
    for (std::size_t block = 0; block < blocks_.size(); ++block) Release(block);
    blocks_.clear();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  static constexpr std::size_t kBlockBytes = kBlockRows * sizeof(Row);

  Row* At(std::size_t place) const noexcept {
    return blocks_[place / kBlockRows] + place % kBlockRows;
  }

  bool IsWhole(std::size_t block) const noexcept { return (block + 1) * kBlockRows <= capacity_; }

  // Room for at least one more of the `wanted`.
  void Grow(std::size_t wanted) {
    if (capacity_ < kBlockRows) {
      blocks_.resize(1);
      std::size_t rows = std::max<std::size_t>(capacity_ + wanted, capacity_ + capacity_ / 2);
      rows = std::max<std::size_t>(rows, 4);
      Row* const grown =
          rows < kBlockRows ? static_cast<Row*>(::operator new(rows * sizeof(Row))) : NewBlock();
      rows = std::min(rows, kBlockRows);
      if (end_ != 0) std::memcpy(static_cast<void*>(grown), blocks_.front(), end_ * sizeof(Row));
      Release(0);
      blocks_.front() = grown;
      capacity_ = rows;
      return;
    }
    blocks_.push_back(nullptr);
    blocks_.back() = NewBlock();
    capacity_ += kBlockRows;
  }

  // Whole blocks are the system's, so that what one thread gives back serves another.
  static Row* NewBlock() {
    void* const block = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    return static_cast<Row*>(block);
  }

  void Release(std::size_t block) noexcept {
    Row*& rows = blocks_[block];
    if (rows == nullptr) return;
    if (IsWhole(block)) {
      munmap(rows, kBlockBytes);
    } else {
      ::operator delete(rows);
    }
    rows = nullptr;
  }

  std::vector<Row*> blocks_;
  std::size_t begin_ = 0;  // Rows before it were dropped.
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;  // End of the last block.
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_ROW_LIST_H_
