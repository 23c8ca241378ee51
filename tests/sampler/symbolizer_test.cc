#include "sampler/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>

#include "sonde/frame_names.h"

namespace sonde {

[[gnu::noinline]] int LeafOfTheTest(int value) { return value * 3; }
[[gnu::noinline]] int CallerOfTheTest(int value) { return LeafOfTheTest(value) + 1; }

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

template <typename Function>
std::uint64_t AddressOf(Function* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

// The running test program as the sampler would have seen it.
Module Self() {
  Module module;
  module.path = std::string(std::filesystem::read_symlink("/proc/self/exe"));
  module.build_id = ReadBuildId(module.path).value();
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& self = *static_cast<Module*>(out);
        self.bias = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
          self.start = info->dlpi_addr + segment.p_vaddr;
          self.limit = self.start + segment.p_memsz;
          self.offset = segment.p_offset;
        }
        return 1;
      },
      &module);
  return module;
}

// One stack of the test program: Caller (return address) above Leaf (pc).
Interval OneSample() {
  Interval interval;
  interval.time_ns = 1'700'000'000'000'000'000;
  interval.duration_ns = 60'000'000'000;
  interval.period_ns = 10'101'010;
  interval.modules = {Self()};
  interval.threads = {{4242, "worker-1"}};
  interval.label_sets = {{}, {{"route", "/index"}}};
  IntervalSample sample;
  sample.frames = {{AddressOf(&LeafOfTheTest), 0}, {AddressOf(&CallerOfTheTest) + 5, 0}};
  sample.signals = 2;
  sample.weight = 3;
  interval.samples = {sample};
  interval.stats.taken = 3;
  interval.stats.written = 3;
  interval.stats.signals = 2;
  return interval;
}

Profile BuildProfile(const Interval& interval, SnapshotPrivacy privacy = {}) {
  Symbolizer symbolizer(privacy);
  return symbolizer.Name(interval).Build();
}

std::vector<std::string> NamesOf(const Profile& profile, std::size_t sample) {
  const FrameNames names(profile);
  std::vector<std::string> result;
  for (const LocationId frame : profile.stacks().Frames(profile.sample(sample).stack)) {
    result.emplace_back(names.text(names.frames(frame)[0].name));
  }
  return result;
}

std::vector<std::string> LabelsOf(const Profile& profile, std::size_t sample) {
  std::vector<std::string> result;
  for (const Label& label : profile.labels(profile.sample(sample).labels)) {
    const std::string value = label.text == StringId{} ? std::to_string(label.number)
                                                       : std::string(profile.text(label.text));
    result.push_back(std::string(profile.text(label.key)) + '=' + value);
  }
  return result;
}

TEST(Symbolizer, NamesAreDemangledAndTheLinkersNameIsKept) {
  const Profile profile = BuildProfile(OneSample());

  EXPECT_THAT(NamesOf(profile, 0),
              ElementsAre("sonde::CallerOfTheTest(int)", "sonde::LeafOfTheTest(int)"));
  bool found = false;
  for (const Function& function : profile.functions()) {
    found = found || profile.text(function.system_name) == "_ZN5sonde13LeafOfTheTestEi";
  }
  EXPECT_TRUE(found);
}

TEST(Symbolizer, TheLeafKeepsItsPcAndACallerPointsIntoTheCall) {
  const Profile profile = BuildProfile(OneSample());

  const std::vector<LocationId> frames = profile.stacks().Frames(profile.sample(0).stack);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(profile.location(frames[0]).address, AddressOf(&CallerOfTheTest) + 4);
  EXPECT_EQ(profile.location(frames[1]).address, AddressOf(&LeafOfTheTest));
}

TEST(Symbolizer, ValuesAreWeightAndCpuTimeAndCpuIsTheDefault) {
  const Profile profile = BuildProfile(OneSample());

  EXPECT_EQ(profile.sample_types()[0], (ValueType{"samples", "count"}));
  EXPECT_EQ(profile.sample_types()[1], (ValueType{"cpu", "nanoseconds"}));
  EXPECT_EQ(profile.default_sample_type(), 1U);
  EXPECT_EQ(profile.value(0, 0), 3);
  EXPECT_EQ(profile.value(0, 1), 3 * 10'101'010);
  EXPECT_EQ(profile.period(), 10'101'010);
  EXPECT_EQ(profile.time_ns(), 1'700'000'000'000'000'000);
  EXPECT_EQ(profile.duration_ns(), 60'000'000'000);
  EXPECT_EQ(profile.records(), 2U);
}

TEST(Symbolizer, TheMappingHasItsBuildIdAndHasFunctionsOnlyWhenAllAreNamed) {
  Interval interval = OneSample();
  const Profile all_named = BuildProfile(interval);
  ASSERT_EQ(all_named.mappings().size(), 1U);
  EXPECT_TRUE(all_named.mappings()[0].has_functions);
  EXPECT_FALSE(all_named.mappings()[0].has_filenames);
  EXPECT_EQ(all_named.text(all_named.mappings()[0].build_id), interval.modules[0].build_id);

  interval.samples.push_back(interval.samples[0]);
  interval.samples[1].frames[0].address = interval.modules[0].bias + 1;  // No function is there.
  EXPECT_FALSE(BuildProfile(interval).mappings()[0].has_functions);
}

TEST(Symbolizer, LabelsSayThreadTaskAndSource) {
  Interval interval = OneSample();
  interval.samples[0].task_id = 7;
  interval.samples[0].label_set = 1;
  interval.samples[0].catch_all = true;
  Symbolizer symbolizer;
  symbolizer.NameTasksBy([](std::uint64_t id) { return "task " + std::to_string(id); });

  const Profile profile = symbolizer.Name(interval).Build();

  EXPECT_THAT(LabelsOf(profile, 0), ElementsAre("thread=worker-1", "tid=4242", "task=task 7",
                                                "task_id=7", "route=/index", "source=catch-all"));
}

TEST(Symbolizer, ATruncatedStackHangsUnderAFrameThatSaysSo) {
  Interval interval = OneSample();
  interval.samples[0].truncated = true;

  EXPECT_EQ(NamesOf(BuildProfile(interval), 0).front(), "[truncated]");
}

TEST(Symbolizer, CodeOutsideEveryFileKeepsItsAddress) {
  Interval interval = OneSample();
  interval.samples[0].frames = {{0x7000, RawFrame::kNoModule}};

  const Profile profile = BuildProfile(interval);

  EXPECT_EQ(profile.location(LocationId{0}).address, 0x7000U);
  EXPECT_THAT(NamesOf(profile, 0), ElementsAre("[unknown]"));
}

TEST(Symbolizer, AnotherBuildIdThanInMemoryNamesNothing) {
  Interval interval = OneSample();
  interval.modules[0].build_id = "0123456789abcdef";

  const Profile profile = BuildProfile(interval);

  EXPECT_FALSE(profile.mappings()[0].has_functions);
  EXPECT_THAT(profile.functions(), IsEmpty());
  EXPECT_THAT(profile.comments(), Contains(HasSubstr("sonde symbols: none for")));
}

TEST(Symbolizer, PrivacyKeepsNamesAndPathsOut) {
  const Profile nameless = BuildProfile(OneSample(), {.function_names = false, .full_paths = true});
  EXPECT_THAT(nameless.functions(), IsEmpty());
  EXPECT_FALSE(nameless.mappings()[0].has_functions);

  const Profile short_paths =
      BuildProfile(OneSample(), {.function_names = true, .full_paths = false});
  EXPECT_THAT(std::string(short_paths.text(short_paths.mappings()[0].file)), Not(HasSubstr("/")));
}

TEST(Symbolizer, WhatWasDroppedTravelsAsALossAndTheAccountsAsComments) {
  Interval interval = OneSample();
  interval.stats.taken = 8;
  interval.stats.dropped = 5;
  interval.stats.process_cpu_ns = 100;
  interval.stats.sampled_ns = 90;

  const Profile profile = BuildProfile(interval);

  EXPECT_EQ(profile.losses().TotalIn("samples"), 5U);
  EXPECT_THAT(profile.comments(), Contains(HasSubstr("taken=8 written=3 dropped=5")));
  EXPECT_THAT(profile.comments(), Contains(HasSubstr("unexplained_ns=10 coverage=90.0%")));
}

TEST(Symbolizer, TheTotalIsTheWeightOfTheInterval) {
  Interval interval = OneSample();
  for (std::uint64_t i = 0; i < 50; ++i) {
    IntervalSample sample = interval.samples[0];
    sample.frames[0].address += i % 7;
    sample.truncated = i % 2 == 0;
    sample.weight = i;
    interval.samples.push_back(sample);
  }

  EXPECT_EQ(BuildProfile(interval).Total(0), 3 + 49 * 50 / 2);
}

}  // namespace
}  // namespace sonde
