// StackTable: call stacks, each stored once, as a trie that grows from the root frame.

#include "sonde/stack_table.h"

#include <algorithm>
#include <bit>

namespace sonde {
namespace {

constexpr std::size_t kFirstIndexSize = 256;

std::size_t HashOf(StackId caller, LocationId leaf) {
  std::uint64_t key =
      (std::uint64_t{static_cast<std::uint32_t>(caller)} << 32) | static_cast<std::uint32_t>(leaf);
  key *= 0x9e3779b97f4a7c15ULL;
  key ^= key >> 32;  // Only the upper half depends on the caller.
  return static_cast<std::size_t>(key * 0xff51afd7ed558ccdULL >> 32);
}

}  // namespace

StackTable::StackTable() : nodes_{{kEmptyStack, LocationId{}}}, index_(kFirstIndexSize, 0) {}

StackId StackTable::Extend(StackId caller, LocationId callee) {
  if ((nodes_.size() + 1) * 2 > index_.size()) Grow();
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = HashOf(caller, callee) & mask;
  while (index_[slot] != 0) {
    const Node& node = nodes_[index_[slot]];
    if (node.caller == caller && node.leaf == callee) return StackId{index_[slot]};
    slot = (slot + 1) & mask;
  }
  index_[slot] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({caller, callee});
  return StackId{index_[slot]};
}

std::uint32_t StackTable::Depth(StackId stack) const noexcept {
  std::uint32_t depth = 0;
  for (; stack != kEmptyStack; stack = caller(stack)) ++depth;
  return depth;
}

std::vector<LocationId> StackTable::Frames(StackId stack) const {
  std::vector<LocationId> frames;
  for (; stack != kEmptyStack; stack = caller(stack)) frames.push_back(leaf(stack));
  std::reverse(frames.begin(), frames.end());
  return frames;
}

void StackTable::Grow() {
  index_.assign(std::max(kFirstIndexSize, std::bit_ceil((nodes_.size() + 1) * 2)), 0);
  const std::size_t mask = index_.size() - 1;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    std::size_t slot = HashOf(nodes_[node].caller, nodes_[node].leaf) & mask;
    while (index_[slot] != 0) slot = (slot + 1) & mask;
    index_[slot] = node;
  }
}

std::size_t StackTable::bytes() const noexcept {
  return nodes_.capacity() * sizeof(Node) + index_.capacity() * sizeof(index_[0]);
}

}  // namespace sonde
