// FlameGraph: the picture of a call tree, or of the difference between two.

#ifndef SONDE_FLAME_GRAPH_H_
#define SONDE_FLAME_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/byte_sink.h"
#include "sonde/call_tree.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

enum class FlameOrder : std::uint8_t {
  kName,    // Siblings by name: equal programs give pictures that can be laid side by side.
  kWeight,  // The heaviest sibling first.
};

// What is drawn. The reader of the picture may still switch the order and turn
// the stacks around.
struct FlameShape {
  ValueType type{"samples", "count"};  // What the weights of the trees count.
  // Of the trees: kFromLeaf draws callers on top of each function.
  Direction direction = Direction::kFromRoot;
  FlameOrder order = FlameOrder::kName;
  // Nodes kept, the heaviest first. What is left out is counted and said in the picture.
  std::size_t max_nodes = 200'000;
};

enum class FlameLayout : std::uint8_t {
  kIcicle,  // The root on top.
  kFlame,   // The root at the bottom.
};

enum class FlameColors : std::uint8_t {
  kModule,  // Own code warm, libraries cool, kernel violet, run-time grey; by package within.
  kKind,    // User, inlined, JIT, kernel, unknown.
};

enum class FlameScheme : std::uint8_t { kAuto, kLight, kDark };

// How it is drawn. None of it changes what is in the file.
struct FlameStyle {
  std::string title = "Flame graph";
  std::vector<std::string> subtitle;  // A line each.
  FlameLayout layout = FlameLayout::kIcicle;
  FlameColors colors = FlameColors::kModule;  // A difference is always coloured by change.
  FlameScheme scheme = FlameScheme::kAuto;
  double width_px = 1200;
  // Narrower frames are not in the picture that is shown without script. With
  // script they appear when zooming makes them wide enough.
  double min_frame_px = 0.5;
};

class FlameTree;

// Immutable. Any number of threads may read one.
class FlameGraph {
 public:
  // Copies what it needs from `tree`. Fails with kInvalid when a weight is
  // negative: a difference is drawn from two trees.
  static Result<FlameGraph> Make(const CallTree& tree, const FlameShape& shape = {});
  // The union of both trees. A frame is as wide as the larger of its two
  // weights, so that those which vanished are seen too.
  static Result<FlameGraph> MakeDifference(const CallTree& base, const CallTree& now,
                                           const FlameShape& shape = {});

  FlameGraph(FlameGraph&&) noexcept;
  FlameGraph& operator=(FlameGraph&&) noexcept;
  ~FlameGraph();

  // One file without outside references: well-formed XML whatever the names
  // are, the same bytes for equal input. Does not close the sink. Any thread.
  Status WriteSvg(const FlameStyle& style, ByteSink& sink) const;
  // The same as a page.
  Status WriteHtml(const FlameStyle& style, ByteSink& sink) const;
  // What the drawing script reads (docs/http.md describes it); safe to stand in markup.
  Status WriteJson(const FlameStyle& style, ByteSink& sink) const;

  // Nodes that are in the graph, the root included, and those left out.
  std::size_t node_count() const noexcept;
  std::uint64_t left_out() const noexcept;

 private:
  explicit FlameGraph(std::unique_ptr<const FlameTree> tree);
  std::unique_ptr<const FlameTree> tree_;
};

// Lines for FlameStyle::subtitle: what was counted, the total, the rate, the
// span, and every loss.
std::vector<std::string> DescribeForFlame(const Profile& profile, std::size_t sample_type);

}  // namespace sonde

#endif  // SONDE_FLAME_GRAPH_H_
