// FlameTree: the nodes of a flame graph in drawing order.

#include "export/flame/flame_tree.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "export/flame/markup.h"

namespace sonde {
namespace {

struct Weights {
  std::int64_t self = 0;
  std::int64_t total = 0;
};

// One call tree as it stands.
class OneTree {
 public:
  explicit OneTree(const CallTree& tree) : tree_(tree), nodes_(tree.nodes()) {}

  std::size_t size() const { return nodes_.size(); }
  std::uint32_t parent(std::size_t i) const { return nodes_[i].parent; }
  Weights now(std::size_t i) const { return {nodes_[i].self, nodes_[i].total}; }
  Weights base(std::size_t) const { return {}; }
  std::int64_t width(std::size_t i) const { return nodes_[i].total; }
  const Frame& frame(std::size_t i) const { return nodes_[i].frame; }
  const FrameNames& names(std::size_t) const { return tree_.names(); }
  std::uint32_t name(std::size_t i) const { return static_cast<std::uint32_t>(frame(i).name); }
  std::size_t name_count() const { return tree_.names().name_count(); }
  std::string_view text(std::uint32_t name) const { return tree_.names().text(NameId{name}); }
  std::uint32_t module(std::size_t i) const { return static_cast<std::uint32_t>(frame(i).mapping); }

 private:
  const CallTree& tree_;
  std::span<const CallNode> nodes_;
};

// Two call trees joined by names. The nodes of `now` keep their numbers; those
// that only the base has follow, again with parents first.
class TwoTrees {
 public:
  TwoTrees(const CallTree& base, const CallTree& now) : base_(base), now_(now) {
    AddNow();
    AddBase();
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      Node& node = nodes_[i];
      node.width = SaturatingAdd(node.width, std::max(node.now.self, node.base.self));
      if (i == 0) continue;
      Node& parent = nodes_[node.parent];
      parent.width = SaturatingAdd(parent.width, node.width);
    }
  }

  std::size_t size() const { return nodes_.size(); }
  std::uint32_t parent(std::size_t i) const { return nodes_[i].parent; }
  Weights now(std::size_t i) const { return nodes_[i].now; }
  Weights base(std::size_t i) const { return nodes_[i].base; }
  std::int64_t width(std::size_t i) const { return nodes_[i].width; }
  const Frame& frame(std::size_t i) const { return nodes_[i].source->frame; }
  const FrameNames& names(std::size_t i) const {
    return nodes_[i].is_vanished ? base_.names() : now_.names();
  }
  std::uint32_t name(std::size_t i) const { return static_cast<std::uint32_t>(nodes_[i].name); }
  std::size_t name_count() const { return names_.size(); }
  std::string_view text(std::uint32_t name) const { return names_.text(StringId{name}); }
  std::uint32_t module(std::size_t i) const { return static_cast<std::uint32_t>(nodes_[i].module); }

 private:
  struct Node {
    const CallNode* source = nullptr;
    StringId name{};
    StringId module{};
    std::uint32_t parent = 0;
    bool is_vanished = false;
    Weights now{};
    Weights base{};
    std::int64_t width = 0;
  };

  Node NodeOf(const CallTree& tree, std::size_t i) {
    const CallNode& source = tree.nodes()[i];
    const Profile& profile = tree.names().profile();
    Node node{.source = &source};
    if (i == 0) return node;
    node.name = names_.Intern(tree.names().text(source.frame.name));
    if (source.frame.mapping != kNoMapping) {
      node.module = modules_.Intern(profile.text(profile.mapping(source.frame.mapping).file));
    }
    return node;
  }

  void AddNow() {
    const std::span<const CallNode> nodes = now_.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Node node = NodeOf(now_, i);
      node.parent = i == 0 ? 0 : nodes[i].parent;
      node.now = {nodes[i].self, nodes[i].total};
      if (i != 0) children_.emplace(KeyOf(node), static_cast<std::uint32_t>(i));
      nodes_.push_back(node);
    }
  }

  void AddBase() {
    const std::span<const CallNode> nodes = base_.nodes();
    std::vector<std::uint32_t> joined(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Node node = NodeOf(base_, i);
      node.is_vanished = true;
      if (i != 0) {
        node.parent = joined[nodes[i].parent];
        const auto [slot, is_new] =
            children_.emplace(KeyOf(node), static_cast<std::uint32_t>(nodes_.size()));
        joined[i] = slot->second;
        if (is_new) nodes_.push_back(node);
      }
      nodes_[joined[i]].base = {nodes[i].self, nodes[i].total};
    }
  }

  static std::uint64_t KeyOf(const Node& node) {
    return (std::uint64_t{node.parent} << 32) | static_cast<std::uint32_t>(node.name);
  }

  const CallTree& base_;
  const CallTree& now_;
  StringTable names_;
  StringTable modules_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
};

// Where distributions install what is not the program's own.
bool IsSystemPath(std::string_view file) {
  return file.starts_with("/usr/") || file.starts_with("/lib") || file.starts_with("/opt/") ||
         file.starts_with("/nix/") || file.starts_with("/snap/");
}

// "file:line" of the function: where it is defined, else a line that was seen in it.
std::string PlaceOf(const FrameNames& names, const Frame& frame) {
  const Profile& profile = names.profile();
  const Location location = profile.location(frame.location);
  const std::span<const Frame> frames = names.frames(frame.location);
  if (location.lines.empty() || frames.size() != location.lines.size()) return {};
  // Frames run from the caller inwards, lines from the innermost outwards.
  std::size_t index = 0;
  while (index + 1 < frames.size() && frames[index].name != frame.name) ++index;
  const Line& line = location.lines[location.lines.size() - 1 - index];
  const Function& function = profile.function(line.function);
  std::string place(profile.text(function.file));
  const std::int64_t number = function.start_line != 0 ? function.start_line : line.line;
  if (!place.empty() && number != 0) place += ':' + std::to_string(number);
  return place;
}

}  // namespace

template <typename Source>
class FlameTreeBuilder {
 public:
  FlameTreeBuilder(const Source& source, const FlameShape& shape) : source_(source) {
    tree_.shape_ = shape;
  }

  Result<std::unique_ptr<const FlameTree>> Build(bool is_difference) && {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (source_.now(i).self < 0 || source_.base(i).self < 0) {
        return Error{.code = ErrorCode::kInvalid,
                     .message = "a weight is negative: a difference is drawn from two profiles"};
      }
    }
    tree_.is_difference_ = is_difference;
    tree_.frames_.push_back({.name = "all"});
    KeepHeaviest();
    SortSiblings();
    Emit();
    return std::unique_ptr<const FlameTree>(new FlameTree(std::move(tree_)));
  }

 private:
  struct Kept {
    std::uint32_t parent;
    std::uint32_t rank;  // Of the name, or of the weight.
    std::uint32_t node;
  };

  // A child is never wider than its parent, so whatever is kept is connected.
  void KeepHeaviest() {
    const std::size_t count = source_.size();
    std::int64_t limit = 0;
    if (count > tree_.shape_.max_nodes) {
      std::vector<std::int64_t> widths(count);
      for (std::size_t i = 0; i < count; ++i) widths[i] = source_.width(i);
      const auto nth = widths.begin() + static_cast<std::ptrdiff_t>(
                                            std::max<std::size_t>(tree_.shape_.max_nodes, 1));
      std::nth_element(widths.begin(), nth, widths.end(), std::greater<>());
      limit = *nth;
    }
    for (std::size_t i = 1; i < count; ++i) {
      if (source_.width(i) > limit) {
        kept_.push_back({source_.parent(i), 0, static_cast<std::uint32_t>(i)});
      } else if (source_.width(i) != 0) {
        ++tree_.left_out_;
      }
    }
  }

  void SortSiblings() {
    std::vector<std::uint32_t> names;
    std::vector<std::uint32_t> rank_of(source_.name_count(), 0);
    for (const Kept& kept : kept_) {
      std::uint32_t& rank = rank_of[source_.name(kept.node)];
      if (rank == 0) names.push_back(source_.name(kept.node));
      rank = 1;
    }
    std::sort(names.begin(), names.end(),
              [&](std::uint32_t a, std::uint32_t b) { return source_.text(a) < source_.text(b); });
    for (std::size_t i = 0; i < names.size(); ++i)
      rank_of[names[i]] = static_cast<std::uint32_t>(i);
    for (Kept& kept : kept_) kept.rank = rank_of[source_.name(kept.node)];
    const bool by_weight = tree_.shape_.order == FlameOrder::kWeight;
    std::sort(kept_.begin(), kept_.end(), [&](const Kept& a, const Kept& b) {
      if (a.parent != b.parent) return a.parent < b.parent;
      if (by_weight && source_.width(a.node) != source_.width(b.node)) {
        return source_.width(a.node) > source_.width(b.node);
      }
      return a.rank < b.rank;
    });
  }

  void Emit() {
    // The children of source node i are kept_[first_child[i]] and the ones behind it.
    std::vector<std::uint32_t> first_child(source_.size() + 1, 0);
    for (const Kept& kept : kept_) ++first_child[kept.parent + 1];
    for (std::size_t i = 1; i < first_child.size(); ++i) first_child[i] += first_child[i - 1];

    struct Pending {
      std::uint32_t source;
      std::uint32_t parent;
      std::uint32_t depth;
    };
    std::vector<Pending> pending{{0, 0, 0}};
    tree_.nodes_.reserve(kept_.size() + 1);
    while (!pending.empty()) {
      const Pending next = pending.back();
      pending.pop_back();
      const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
      tree_.nodes_.push_back(NodeOf(next.source, next.parent, next.depth));
      FlameNode& node = tree_.nodes_.back();
      tree_.depth_ = std::max(tree_.depth_, next.depth);
      for (std::uint32_t c = first_child[next.source + 1]; c-- > first_child[next.source];) {
        const std::uint32_t child = kept_[c].node;
        // Saturated totals may be less than their parts.
        node.missing = std::max<std::int64_t>(node.missing - source_.now(child).total, 0);
        node.base_missing =
            std::max<std::int64_t>(node.base_missing - source_.base(child).total, 0);
        pending.push_back({child, index, next.depth + 1});
      }
    }
  }

  FlameNode NodeOf(std::uint32_t i, std::uint32_t parent, std::uint32_t depth) {
    const Weights now = source_.now(i);
    const Weights base = source_.base(i);
    return {.frame = i == 0 ? 0 : FrameOf(i),
            .parent = parent,
            .depth = depth,
            .self = now.self,
            .total = now.total,
            .base_self = base.self,
            .base_total = base.total,
            .width = source_.width(i),
            .missing = now.total - now.self,
            .base_missing = base.total - base.self};
  }

  // Frames are told apart by name, module and kind; the place is the first one seen.
  std::uint32_t FrameOf(std::uint32_t i) {
    const Frame& frame = source_.frame(i);
    // Names are fewer than 2^29: each takes more than 16 bytes.
    const std::uint64_t key = std::uint64_t{source_.name(i)} << 35 |
                              std::uint64_t{source_.module(i)} << 3 |
                              static_cast<std::uint64_t>(frame.kind);
    const auto [slot, is_new] =
        frame_of_.emplace(key, static_cast<std::uint32_t>(tree_.frames_.size()));
    if (!is_new) return slot->second;
    const FrameNames& names = source_.names(i);
    const Profile& profile = names.profile();
    FlameFrame made{.name = CleanText(source_.text(source_.name(i))), .kind = frame.kind};
    if (frame.mapping != kNoMapping) {
      const std::string_view file = profile.text(profile.mapping(frame.mapping).file);
      made.module = CleanText(BaseName(file));
      made.is_system = IsSystemPath(file);
    }
    made.place = CleanText(PlaceOf(names, frame));
    tree_.frames_.push_back(std::move(made));
    return slot->second;
  }

  const Source& source_;
  FlameTree tree_;
  std::vector<Kept> kept_;
  std::unordered_map<std::uint64_t, std::uint32_t> frame_of_;
};

Result<std::unique_ptr<const FlameTree>> FlameTree::Of(const CallTree& tree,
                                                       const FlameShape& shape) {
  return FlameTreeBuilder(OneTree(tree), shape).Build(false);
}

Result<std::unique_ptr<const FlameTree>> FlameTree::Union(const CallTree& base, const CallTree& now,
                                                          const FlameShape& shape) {
  return FlameTreeBuilder(TwoTrees(base, now), shape).Build(true);
}

}  // namespace sonde
