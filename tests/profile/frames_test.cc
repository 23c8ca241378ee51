#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sonde/call_tree.h"
#include "sonde/hotspots.h"
#include "tests/support/random_profile.h"

namespace sonde {
namespace {

TEST(FrameNames, CallersComeFirstAndInlinedFramesAreMarked) {
  ProfileBuilder builder({{"samples", "count"}});
  const Line lines[] = {{builder.AddFunction({.name = builder.Intern("inner")}), 7, 0},
                        {builder.AddFunction({.name = builder.Intern("outer")}), 9, 0}};
  Location location;
  location.mapping = builder.AddMapping({.start = 1, .limit = 2, .file = builder.Intern("/x/app")});
  location.address = 0x401136;
  location.lines = lines;
  const LocationId inlined = builder.AddLocation(location);
  location.lines = {};
  const LocationId bare = builder.AddLocation(location);
  location.mapping = kNoMapping;
  const LocationId nothing = builder.AddLocation(location);
  const LocationId kernel = builder.FrameNamed("do_idle_[k]");
  const Profile profile = std::move(builder).Build();

  const FrameNames names(profile);
  ASSERT_EQ(names.frames(inlined).size(), 2U);
  EXPECT_EQ(names.text(names.frames(inlined)[0].name), "outer");
  EXPECT_EQ(names.frames(inlined)[0].kind, FrameKind::kUser);
  EXPECT_EQ(names.text(names.frames(inlined)[1].name), "inner");
  EXPECT_EQ(names.frames(inlined)[1].kind, FrameKind::kInlined);
  EXPECT_EQ(names.text(names.frames(bare)[0].name), "[app]");
  EXPECT_EQ(names.frames(bare)[0].kind, FrameKind::kUnknown);
  EXPECT_EQ(names.text(names.frames(nothing)[0].name), "[unknown]");
  EXPECT_EQ(names.frames(kernel)[0].kind, FrameKind::kKernel);

  const FrameNames addresses(profile, Granularity::kAddresses);
  EXPECT_EQ(addresses.text(addresses.frames(bare)[0].name), "0x401136 [app]");
  const FrameNames modules(profile, Granularity::kModules);
  EXPECT_EQ(modules.text(modules.frames(inlined)[0].name), "app");
  EXPECT_EQ(BaseName("/usr/lib/libz.so.1"), "libz.so.1");
}

TEST(CallTree, EveryNodeWeighsWhatItsChildrenAndItselfDo) {
  for (const Direction direction : {Direction::kFromRoot, Direction::kFromLeaf}) {
    const Profile profile = RandomProfile(11);
    const FrameNames names(profile);
    const CallTree tree(names, 1, direction);
    EXPECT_EQ(tree.root().total, profile.Total(1));
    for (std::uint32_t i = 0; i < tree.nodes().size(); ++i) {
      const CallNode& node = tree.nodes()[i];
      std::int64_t sum = node.self;
      std::set<NameId> siblings;
      for (std::uint32_t c = node.first_child; c != CallNode::kNone;
           c = tree.nodes()[c].next_sibling) {
        EXPECT_GT(c, i);
        EXPECT_EQ(tree.nodes()[c].parent, i);
        EXPECT_TRUE(siblings.insert(tree.nodes()[c].frame.name).second);
        sum += tree.nodes()[c].total;
      }
      EXPECT_EQ(sum, node.total);
    }
  }
}

// The definition, written out sample by sample.
TEST(Hotspots, AgreeWithCountingSampleBySample) {
  for (std::uint32_t seed = 20; seed < 30; ++seed) {
    const Profile profile = RandomProfile(seed);
    const FrameNames names(profile);
    struct Counted {
      std::int64_t self = 0;
      std::int64_t inclusive = 0;
      std::uint64_t occurrences = 0;
    };
    std::map<NameId, Counted> expected;
    std::set<StackId> counted;
    for (std::size_t i = 0; i < profile.sample_count(); ++i) {
      const Sample sample = profile.sample(i);
      const std::int64_t value = sample.values[1];
      if (value == 0 || sample.stack == kEmptyStack) continue;
      const bool first = counted.insert(sample.stack).second;
      std::set<NameId> on_stack;
      NameId innermost{};
      for (const LocationId location : profile.stacks().Frames(sample.stack)) {
        for (const Frame& frame : names.frames(location)) {
          innermost = frame.name;
          on_stack.insert(frame.name);
          if (first) ++expected[frame.name].occurrences;
        }
      }
      expected[innermost].self += value;
      for (const NameId name : on_stack) expected[name].inclusive += value;
    }
    const std::vector<Hotspot> spots = FindHotspots(names, 1);
    EXPECT_EQ(spots.size(), expected.size());
    for (const Hotspot& spot : spots) {
      EXPECT_EQ(spot.self, expected[spot.name].self);
      EXPECT_EQ(spot.inclusive, expected[spot.name].inclusive);
      EXPECT_EQ(spot.occurrences, expected[spot.name].occurrences);
    }
  }
}

}  // namespace
}  // namespace sonde
