// CallTree: the stacks of a profile merged by frame name from the root.

#include "sonde/call_tree.h"

#include <algorithm>

namespace sonde {
namespace {

constexpr std::size_t kFirstIndexSize = 256;

std::size_t HashOf(std::uint32_t parent, NameId name) {
  std::uint64_t key = (std::uint64_t{parent} << 32) | static_cast<std::uint32_t>(name);
  key *= 0x9e3779b97f4a7c15ULL;
  key ^= key >> 32;  // Only the upper half depends on the parent.
  return static_cast<std::size_t>(key * 0xff51afd7ed558ccdULL >> 32);
}

std::vector<std::int64_t> WeightsOf(const Profile& profile, std::size_t sample_type) {
  std::vector<std::int64_t> weights(profile.sample_count());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = profile.value(i, sample_type);
  return weights;
}

// Whether no two locations share a name, so that distinct stacks are distinct nodes.
bool IsOneToOne(const FrameNames& names) {
  std::vector<bool> is_taken(names.name_count(), false);
  for (std::uint32_t i = 0; i < names.profile().location_count(); ++i) {
    const std::span<const Frame> frames = names.frames(LocationId{i});
    const auto name = static_cast<std::uint32_t>(frames.front().name);
    if (frames.size() != 1 || is_taken[name]) return false;
    is_taken[name] = true;
  }
  return true;
}

}  // namespace

CallTree::CallTree(const FrameNames& names, std::size_t sample_type, Direction direction)
    : CallTree(names, WeightsOf(names.profile(), sample_type), direction) {}

CallTree::CallTree(const FrameNames& names, std::span<const std::int64_t> weights,
                   Direction direction)
    : names_(&names), nodes_(1), last_child_(1, CallNode::kNone), index_(kFirstIndexSize, 0) {
  if (direction == Direction::kFromRoot) {
    AddFromRoot(weights);
  } else {
    AddFromLeaf(weights);
  }
  SumTotals();
  // Assigning {} would keep the memory.
  last_child_ = std::vector<std::uint32_t>();
  index_ = std::vector<std::uint32_t>();
}

std::uint32_t CallTree::ChildOf(std::uint32_t parent, const Frame& frame) {
  if ((nodes_.size() + 1) * 4 > index_.size() * 3) GrowIndex();
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = HashOf(parent, frame.name) & mask;
  while (index_[slot] != 0) {
    const CallNode& node = nodes_[index_[slot]];
    if (node.parent == parent && node.frame.name == frame.name) return index_[slot];
    slot = (slot + 1) & mask;
  }
  index_[slot] = static_cast<std::uint32_t>(nodes_.size());
  return AddChild(parent, frame);
}

std::uint32_t CallTree::AddChild(std::uint32_t parent, const Frame& frame) {
  const auto child = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.frame = frame, .parent = parent});
  if (last_child_[parent] == CallNode::kNone) {
    nodes_[parent].first_child = child;
  } else {
    nodes_[last_child_[parent]].next_sibling = child;
  }
  last_child_[parent] = child;
  last_child_.push_back(CallNode::kNone);
  return child;
}

void CallTree::AddFromRoot(std::span<const std::int64_t> weights) {
  const Profile& profile = names_->profile();
  const StackTable& stacks = profile.stacks();

  // Self weight by stack, and which stacks lead to a sample at all.
  std::vector<std::int64_t> self(stacks.size(), 0);
  std::vector<bool> needed(stacks.size(), false);
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    if (weights[i] == 0) continue;
    const auto stack = static_cast<std::uint32_t>(profile.sample(i).stack);
    self[stack] = SaturatingAdd(self[stack], weights[i]);
    needed[stack] = true;
  }
  for (std::size_t i = stacks.size(); i-- > 1;) {
    if (needed[i]) needed[static_cast<std::uint32_t>(stacks.caller(StackId(i)))] = true;
  }

  // A caller comes before its callees, so its node is known when they need it.
  const bool one_to_one = IsOneToOne(*names_);
  std::vector<std::uint32_t> node_of(stacks.size(), 0);
  nodes_[0].self = self[0];
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    if (!needed[i]) continue;
    std::uint32_t node = node_of[static_cast<std::uint32_t>(stacks.caller(StackId{i}))];
    for (const Frame& frame : names_->frames(stacks.leaf(StackId{i}))) {
      node = one_to_one ? AddChild(node, frame) : ChildOf(node, frame);
    }
    node_of[i] = node;
    nodes_[node].self = SaturatingAdd(nodes_[node].self, self[i]);
  }
}

void CallTree::AddFromLeaf(std::span<const std::int64_t> weights) {
  const Profile& profile = names_->profile();
  const StackTable& stacks = profile.stacks();
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    if (weights[i] == 0) continue;
    std::uint32_t node = 0;
    StackId stack = profile.sample(i).stack;
    for (; stack != kEmptyStack; stack = stacks.caller(stack)) {
      const std::span<const Frame> frames = names_->frames(stacks.leaf(stack));
      for (std::size_t n = frames.size(); n-- > 0;) node = ChildOf(node, frames[n]);
    }
    nodes_[node].self = SaturatingAdd(nodes_[node].self, weights[i]);
  }
}

void CallTree::SumTotals() {
  for (CallNode& node : nodes_) node.total = node.self;
  for (std::size_t i = nodes_.size(); i-- > 1;) {
    CallNode& parent = nodes_[nodes_[i].parent];
    parent.total = SaturatingAdd(parent.total, nodes_[i].total);
  }
}

void CallTree::GrowIndex() {
  index_.assign(index_.size() * 2, 0);
  const std::size_t mask = index_.size() - 1;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    std::size_t slot = HashOf(nodes_[node].parent, nodes_[node].frame.name) & mask;
    while (index_[slot] != 0) slot = (slot + 1) & mask;
    index_[slot] = node;
  }
}

std::uint32_t CallTree::Depth() const {
  std::vector<std::uint32_t> depth(nodes_.size(), 0);
  std::uint32_t deepest = 0;
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    depth[i] = depth[nodes_[i].parent] + 1;
    deepest = std::max(deepest, depth[i]);
  }
  return deepest;
}

}  // namespace sonde
