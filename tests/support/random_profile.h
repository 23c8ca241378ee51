// RandomProfile: profiles that use everything a profile can hold.

#ifndef SONDE_TESTS_SUPPORT_RANDOM_PROFILE_H_
#define SONDE_TESTS_SUPPORT_RANDOM_PROFILE_H_

#include <random>
#include <string>
#include <vector>

#include "sonde/profile_builder.h"

namespace sonde {

// The same seed gives the same profile.
inline Profile RandomProfile(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };

  ProfileBuilder builder({{"samples", "count"}, {"cpu", "nanoseconds"}});
  builder.SetDefaultSampleType(below(2));
  std::vector<MappingId> mappings{kNoMapping};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint64_t start = 0x400000 + i * std::uint64_t{0x100000};
    mappings.push_back(builder.AddMapping({.start = start,
                                           .limit = start + 0x80000,
                                           .offset = below(4) * std::uint64_t{4096},
                                           .file = builder.Intern("/bin/app" + std::to_string(i)),
                                           .build_id = builder.Intern(i == 0 ? "" : "c0ffee"),
                                           .has_functions = below(2) == 0,
                                           .has_inline_frames = below(2) == 0}));
  }
  std::vector<LocationId> locations;
  for (std::uint32_t i = 0; i < 20; ++i) {
    std::vector<Line> lines;
    for (std::uint32_t n = below(4); n > 0; --n) {
      const std::string name = "f" + std::to_string(below(12));
      const FunctionId function =
          builder.AddFunction({.name = builder.Intern(name),
                               .system_name = builder.Intern(below(2) == 0 ? "" : "_Z" + name),
                               .file = builder.Intern(below(3) == 0 ? "" : name + ".cc"),
                               .start_line = static_cast<std::int64_t>(below(5))});
      lines.push_back({function, static_cast<std::int64_t>(below(300)), below(2)});
    }
    locations.push_back(builder.AddLocation({.mapping = mappings[below(4)],
                                             .address = below(3) == 0 ? 0 : 0x400000 + i * 16U,
                                             .lines = lines,
                                             .is_folded = below(5) == 0}));
  }
  for (std::uint32_t i = 0; i < 200; ++i) {
    StackId stack = kEmptyStack;
    for (std::uint32_t n = below(9); n > 0; --n) {
      stack = builder.Extend(stack, locations[below(static_cast<std::uint32_t>(locations.size()))]);
    }
    std::vector<Label> labels;
    if (below(2) == 0)
      labels.push_back(builder.TextLabel("thread", "worker " + std::to_string(below(3))));
    if (below(3) == 0)
      labels.push_back(
          builder.NumberLabel("bytes", static_cast<std::int64_t>(below(3)) - 1, "bytes"));
    builder.AddSample(
        stack, builder.AddLabels(labels),
        {static_cast<std::int64_t>(below(5)), static_cast<std::int64_t>(random()) - 1'000'000});
  }
  builder.SetPeriod({"cpu", "nanoseconds"}, 10'101'010);
  builder.SetTime(1'700'000'000'123'456'789);
  builder.SetDuration(2'000'000'000);
  builder.AddComment("made at random\twith a tab");
  builder.AddComment("");
  builder.SetDropFrames("^drop$");
  builder.SetKeepFrames("^keep$");
  builder.SetDocUrl("https://example.invalid/profile");
  builder.losses().Add("ring full", "samples", below(9) + 1);
  builder.losses().Add("bad\tline\\", "lines", 2, "line 3");
  builder.losses().Add("bad\tline\\", "lines", 1, "line 9");
  return std::move(builder).Build();
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_RANDOM_PROFILE_H_
