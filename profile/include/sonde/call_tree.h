// CallTree: the stacks of a profile merged by frame name from the root.

#ifndef SONDE_CALL_TREE_H_
#define SONDE_CALL_TREE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sonde/frame_names.h"

namespace sonde {

// A node of the tree; node 0 is the root, which stands for the whole profile.
struct CallNode {
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  Frame frame;  // Of the first location seen here. Not for the root.
  std::uint32_t parent = kNone;
  std::uint32_t first_child = kNone;
  std::uint32_t next_sibling = kNone;
  std::int64_t self = 0;   // Weight of the samples that end here.
  std::int64_t total = 0;  // self and the totals of all children.
};

enum class Direction : std::uint8_t {
  kFromRoot,  // Children are callees.
  kFromLeaf,  // Children are callers: what leads to each function.
};

// A parent's index is always smaller than its children's. Children stand in
// order of first appearance. Sums saturate.
class CallTree {
 public:
  // Weighs each sample with its value of `sample_type`.
  CallTree(const FrameNames& names, std::size_t sample_type,
           Direction direction = Direction::kFromRoot);
  // Weighs each sample with `weights[sample index]`; a sample of weight 0 makes no node.
  CallTree(const FrameNames& names, std::span<const std::int64_t> weights,
           Direction direction = Direction::kFromRoot);

  std::span<const CallNode> nodes() const noexcept { return nodes_; }
  const CallNode& root() const noexcept { return nodes_.front(); }
  const FrameNames& names() const noexcept { return *names_; }
  std::uint32_t Depth() const;

 private:
  std::uint32_t ChildOf(std::uint32_t parent, const Frame& frame);
  std::uint32_t AddChild(std::uint32_t parent, const Frame& frame);
  void AddFromRoot(std::span<const std::int64_t> weights);
  void AddFromLeaf(std::span<const std::int64_t> weights);
  void SumTotals();
  void GrowIndex();

  const FrameNames* names_;
  std::vector<CallNode> nodes_;
  std::vector<std::uint32_t> last_child_;  // By node, while building.
  std::vector<std::uint32_t> index_;       // Open addressing: node, or 0 when free.
};

}  // namespace sonde

#endif  // SONDE_CALL_TREE_H_
