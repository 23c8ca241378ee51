// FlameTree: the nodes of a flame graph in drawing order.

#ifndef SONDE_EXPORT_FLAME_FLAME_TREE_H_
#define SONDE_EXPORT_FLAME_FLAME_TREE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sonde/flame_graph.h"

namespace sonde {

// A distinct frame: what all nodes that show it have in common. Texts are
// valid UTF-8 without control characters.
struct FlameFrame {
  std::string name{};
  std::string module{};  // Base name of its file; empty when not known.
  std::string place{};   // "file:line"; empty when not known.
  FrameKind kind = FrameKind::kUser;
  bool is_system = false;  // The module lies where distributions put theirs.
};

struct FlameNode {
  std::uint32_t frame = 0;   // Index into FlameTree::frames().
  std::uint32_t parent = 0;  // The root is its own parent.
  std::uint32_t depth = 0;
  std::int64_t self = 0;
  std::int64_t total = 0;
  std::int64_t base_self = 0;  // In the base of a difference; otherwise 0, like base_total.
  std::int64_t base_total = 0;
  std::int64_t width = 0;    // What the width shows: total, or the union of both weights.
  std::int64_t missing = 0;  // The part of `total` that belongs to children left out.
  std::int64_t base_missing = 0;
};

// Node 0 is the root, frame 0 is called "all". Nodes stand in preorder: a
// parent before its children, and these in the order of the shape.
class FlameTree {
 public:
  static Result<std::unique_ptr<const FlameTree>> Of(const CallTree& tree, const FlameShape& shape);
  static Result<std::unique_ptr<const FlameTree>> Union(const CallTree& base, const CallTree& now,
                                                        const FlameShape& shape);

  std::span<const FlameNode> nodes() const noexcept { return nodes_; }
  std::span<const FlameFrame> frames() const noexcept { return frames_; }
  const FlameShape& shape() const noexcept { return shape_; }
  bool is_difference() const noexcept { return is_difference_; }
  std::uint64_t left_out() const noexcept { return left_out_; }
  std::uint32_t depth() const noexcept { return depth_; }

 private:
  template <typename Source>
  friend class FlameTreeBuilder;
  FlameTree() = default;

  std::vector<FlameNode> nodes_;
  std::vector<FlameFrame> frames_;
  FlameShape shape_;
  bool is_difference_ = false;
  std::uint64_t left_out_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_FLAME_FLAME_TREE_H_
