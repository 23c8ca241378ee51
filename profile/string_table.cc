// StringTable: names, each stored once and known by a number.

#include "sonde/string_table.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace sonde {
namespace {

constexpr std::size_t kLargestChunk = std::size_t{64} << 10;
constexpr std::size_t kFirstIndexSize = 64;

std::uint32_t HashOf(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>()(text);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

StringTable::StringTable() : index_(kFirstIndexSize, 0) { Intern(""); }

std::size_t StringTable::Probe(std::string_view text, std::uint32_t hash) const noexcept {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash & mask;
  while (index_[slot] != 0) {
    const std::uint32_t id = index_[slot] - 1;
    if (hashes_[id] == hash && texts_[id] == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

StringId StringTable::Intern(std::string_view text) {
  const std::uint32_t hash = HashOf(text);
  std::size_t slot = Probe(text, hash);
  if (index_[slot] != 0) return StringId{index_[slot] - 1};

  if ((texts_.size() + 1) * 4 > index_.size() * 3) {
    Grow();
    slot = Probe(text, hash);
  }
  texts_.push_back(Store(text));
  hashes_.push_back(hash);
  index_[slot] = static_cast<std::uint32_t>(texts_.size());
  return StringId{index_[slot] - 1};
}

std::optional<StringId> StringTable::Find(std::string_view text) const noexcept {
  const std::size_t slot = Probe(text, HashOf(text));
  if (index_[slot] == 0) return std::nullopt;
  return StringId{index_[slot] - 1};
}

std::string_view StringTable::Store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > free_bytes_) {
    const bool is_large = text.size() >= next_chunk_;
    const std::size_t bytes = is_large ? text.size() : next_chunk_;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    chunk_bytes_ += bytes;
    next_chunk_ = std::min(next_chunk_ * 2, kLargestChunk);
    // A text larger than a chunk gets one of its own, and the open chunk stays open.
    if (is_large) {
      std::memcpy(chunks_.back().get(), text.data(), text.size());
      return {chunks_.back().get(), text.size()};
    }
    free_ = chunks_.back().get();
    free_bytes_ = bytes;
  }
  char* stored = free_;
  std::memcpy(stored, text.data(), text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return {stored, text.size()};
}

void StringTable::Grow() {
  index_.assign(index_.size() * 2, 0);
  const std::size_t mask = index_.size() - 1;
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (index_[slot] != 0) slot = (slot + 1) & mask;
    index_[slot] = id + 1;
  }
}

std::size_t StringTable::bytes() const noexcept {
  return chunk_bytes_ + texts_.capacity() * sizeof(texts_[0]) +
         hashes_.capacity() * sizeof(hashes_[0]) + index_.capacity() * sizeof(index_[0]);
}

}  // namespace sonde
