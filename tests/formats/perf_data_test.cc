// ReadPerfData: files, pipes and both byte orders; processes and maps over time; faults.

#include "export/perf_data/perf_data.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include <algorithm>
#include <string>

#include "sonde/byte_sink.h"
#include "sonde/flamegraph_style.h"
#include "sonde/folded.h"
#include "sonde/frame_names.h"
#include "tests/formats/recording_writer.h"

namespace sonde::perf_data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kCpuClock = 0;
constexpr std::uint64_t kPageFaults = 2;
constexpr std::uint64_t kContextSwitches = 3;
constexpr std::uint64_t kDummy = 9;

Profile Read(const std::string& file, ReadOptions options = {}) {
  options.symbolize = false;
  Result<Profile> profile = ReadPerfData(file, options);
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : Describe(profile.error()));
  return std::move(profile).value();
}

// "comm-pid/tid;[module];... weight", root first.
std::string Folded(const Profile& profile, std::size_t type = 0) {
  StringSink sink;
  const Profile folded = FoldLikeFlamegraph(profile, type, {.tid = true});
  EXPECT_TRUE(WriteFolded(FrameNames(folded), 0, sink).ok());
  return sink.text();
}

RecordingWriter TwoSamples(bool swapped = false) {
  RecordingWriter writer(swapped);
  writer.AddEvent(kCpuClock, 7);
  writer.Comm(10, 10, "app", 1).Map(10, 0x1000, 0x1000, "/bin/app", 2);
  writer.Map(0, 0xffff'ffff'8000'0000, 0x1000, "[kernel.kallsyms]_text", 3);
  writer.Sample(7, 10, 11, 4, 5, {kContextUser, 0x1100, 0x1200});
  writer.Sample(7, 10, 10, 5, 6,
                {kContextKernel, 0xffff'ffff'8000'0100, kContextUser, 0x1100, 0x1200});
  return writer;
}

constexpr const char* kTwoSamples =
    ":11-10/11;[app];[app] 5\n"
    "app-10/10;[app];[app];[[kernel.kallsyms]] 6\n";

TEST(PerfData, FilesAndPipesOfBothByteOrdersGiveTheSame) {
  for (const bool swapped : {false, true}) {
    const RecordingWriter writer = TwoSamples(swapped);
    EXPECT_EQ(Folded(Read(writer.File())), kTwoSamples) << swapped;
    EXPECT_EQ(Folded(Read(writer.Pipe())), kTwoSamples) << swapped;
  }
}

TEST(PerfData, WithoutAddressesTheSameCodeOfTwoProcessesIsOne) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Comm(10, 10, "app", 1).Map(10, 0x1000, 0x1000, "/bin/app", 2);
  writer.Comm(20, 20, "app", 1).Map(20, 0x7000, 0x1000, "/bin/app", 2);
  writer.Map(0, 0xffff'ffff'8000'0000, 0x1000, "[kernel.kallsyms]_text", 3);
  writer.Sample(7, 10, 10, 4, 5,
                {kContextKernel, 0xffff'ffff'8000'0100, kContextUser, 0x1100, 0x1200});
  writer.Sample(7, 20, 20, 5, 6,
                {kContextKernel, 0xffff'ffff'8000'0100, kContextUser, 0x7100, 0x7200});
  writer.Sample(7, 20, 20, 6, 7, {kContextUser, 0x7100, 0x9999'0000});

  const Profile whole = Read(writer.File());
  const Profile names = Read(writer.File(), {.keep_ids = false, .keep_addresses = false});
  const auto folded = [](const Profile& profile) {
    StringSink sink;
    EXPECT_TRUE(WriteFolded(FrameNames(FoldLikeFlamegraph(profile, 0, {})), 0, sink).ok());
    return sink.text();
  };
  EXPECT_EQ(folded(names), folded(whole));
  EXPECT_EQ(whole.sample_count(), 3U);
  EXPECT_EQ(names.sample_count(), 2U);
  EXPECT_EQ(names.mappings().size(), 2U);
  EXPECT_EQ(names.location_count(), 3U);
  EXPECT_EQ(Read(writer.File(), {.keep_labels = false}).label_set_count(), 1U);
}

TEST(PerfData, TimesAwayAreThoseBetweenASwitchAndTheReturn) {
  RecordingWriter writer;
  writer.AddEvent(kContextSwitches, 7).WithSwitches();
  writer.Comm(10, 10, "app", 1).Map(10, 0x1000, 0x1000, "/bin/app", 2);
  // Blocks for 100, is preempted for 30, blocks until the recording ends 50 later.
  writer.Sample(7, 10, 10, 1000, 1, {kContextUser, 0x1100}).Switch(10, 10, 1001, kMiscSwitchOut);
  writer.Switch(10, 10, 1100, 0);
  writer.Sample(7, 10, 10, 1200, 1, {kContextUser, 0x1200});
  writer.Switch(10, 10, 1201, kMiscSwitchOut | kMiscSwitchPreempt).Switch(10, 10, 1230, 0);
  writer.Sample(7, 10, 10, 1300, 1, {kContextUser, 0x1100});
  // Another thread ends while it is away, and a third never came back from its first switch.
  writer.Sample(7, 10, 11, 1300, 1, {kContextUser, 0x1300});
  writer.Exit(10, 11, 1340);
  writer.Sample(7, 10, 12, 1310, 1, {kContextUser, 0x1400});
  writer.Sample(7, 10, 12, 1320, 1, {kContextUser, 0x1400}).Switch(10, 12, 1350, 0);

  const Profile profile = Read(writer.File(), {.count_records = true});
  ASSERT_EQ(profile.sample_types().size(), 4U);
  EXPECT_EQ(profile.sample_types()[1], (ValueType{"off-cpu", "nanoseconds"}));
  EXPECT_EQ(profile.sample_types()[3], (ValueType{"records", "off-cpu"}));
  EXPECT_EQ(profile.default_sample_type(), 1U);
  EXPECT_EQ(profile.Total(0), 6);
  EXPECT_EQ(profile.Total(1), 100 + 30 + 50 + 30);
  EXPECT_EQ(profile.Total(2), 6);
  EXPECT_EQ(profile.Total(3), 4);
  EXPECT_EQ(profile.records(), 6U);
  EXPECT_EQ(profile.losses().TotalIn("samples"), 1U);
  std::int64_t preempted = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    for (const Label& label : profile.labels(profile.sample(i).labels)) {
      if (profile.text(label.text) == "preempted") preempted += profile.value(i, 1);
    }
  }
  EXPECT_EQ(preempted, 30);
  EXPECT_EQ(Read(writer.File(), {.event = "off-cpu"}).Total(0), 210);
  EXPECT_EQ(Read(writer.File(), {.until_ns = 1250}).Total(1), 130);
}

TEST(PerfData, RecordsAreCountedApartFromPeriods) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7).AddEvent(kPageFaults, 8);
  for (std::uint64_t time = 1; time <= 3; ++time) {
    writer.Sample(7, 10, 10, time, 1000, {kContextUser, 0x1100});
  }
  writer.Sample(8, 10, 10, 4, 5, {kContextUser, 0x1100});
  const Profile profile = Read(writer.File(), {.count_records = true});
  ASSERT_EQ(profile.sample_types().size(), 4U);
  EXPECT_EQ(profile.Total(0), 3000);
  EXPECT_EQ(profile.Total(2), 3);
  EXPECT_EQ(profile.Total(3), 1);
  EXPECT_EQ(profile.sample_types()[3], (ValueType{"records", "page-faults"}));
}

TEST(PerfData, EachEventHasItsOwnRecordsUnlessASampleHoldsSeveral) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7).AddEvent(kPageFaults, 8);
  writer.Sample(7, 10, 10, 1, 1000, {kContextUser, 0x1100});
  writer.Sample(7, 10, 10, 2, 1000, {kContextUser, 0x1100});
  writer.Sample(8, 10, 10, 3, 5, {kContextUser, 0x1200});
  const Profile apart = Read(writer.File());
  EXPECT_EQ(apart.records(), 3U);
  EXPECT_EQ(apart.RecordsOf(0), 2U);
  EXPECT_EQ(apart.RecordsOf(1), 1U);
  writer.Sample(8, 10, 10, 4, 5, {kContextUser, 0x1100});
  const Profile shared = Read(writer.File());
  EXPECT_EQ(shared.records(), 4U);
  EXPECT_FALSE(shared.RecordsOf(0).has_value());
  EXPECT_FALSE(shared.RecordsOf(1).has_value());
  EXPECT_EQ(Read(writer.File(), {.event = "cpu-clock"}).RecordsOf(0), 2U);
}

TEST(PerfData, AttributesOfOlderAndNewerKernelsAreReadAsFarAsTheyAreKnown) {
  for (const std::uint32_t bytes : {64U, 96U, 112U, 144U, 512U}) {
    RecordingWriter writer;
    writer.AddEvent(kCpuClock, 7, bytes).Sample(7, 1, 1, 4, 5, {kContextUser, 0x1100});
    EXPECT_EQ(Read(writer.File()).Total(0), 5) << bytes;
  }
}

TEST(PerfData, CallersAreKnownByTheirCallAndInterruptedCodeByItsOwnAddress) {
  const Profile profile = Read(TwoSamples().File());

  std::vector<std::uint64_t> addresses;
  for (const LocationId id : profile.stacks().Frames(profile.sample(1).stack)) {
    addresses.push_back(profile.location(id).address);
  }
  EXPECT_THAT(addresses, ElementsAre(0x11ffU, 0x1100U, 0xffff'ffff'8000'0100U));
}

TEST(PerfData, EachEventIsASampleTypeAndTheFirstSampledOneIsShown) {
  RecordingWriter writer;
  writer.AddEvent(kDummy, 1).AddEvent(kCpuClock, 2).AddEvent(kPageFaults, 3);
  writer.Sample(3, 1, 1, 4, 5, {kContextUser, 0x1100});
  writer.Sample(3, 1, 1, 5, 5, {kContextUser, 0x1100});
  const Profile profile = Read(writer.File());

  EXPECT_THAT(profile.sample_types(), ElementsAre(ValueType{"cpu-clock", "nanoseconds"},
                                                  ValueType{"page-faults", "count"}));
  EXPECT_EQ(profile.default_sample_type(), 1U);
  EXPECT_EQ(profile.sample_count(), 1U);
  EXPECT_EQ(profile.Total(1), 10);
  EXPECT_EQ(profile.records(), 2U);
  ReadOptions one;
  one.event = "page-faults";
  one.count_samples = true;
  EXPECT_EQ(Read(writer.File(), one).Total(0), 2);
}

TEST(PerfData, ASampleOfAGroupIsOneOfEachMemberThatWentOn) {
  for (const bool has_lost : {false, true}) {
    RecordingWriter writer;
    writer.AddEvent(kCpuClock, 7).AddEvent(kPageFaults, 8).Map(10, 0x1000, 0x1000, "/bin/app", 2);
    writer.WithCounters(kReadGroup | kReadId | kReadEnabled | kReadRunning |
                        (has_lost ? kReadLost : 0));
    const auto add = [&](std::uint64_t time, std::uint64_t clock, std::uint64_t faults) {
      std::vector<std::uint64_t> counters{2, 99, 98, clock, 7, faults, 8};
      if (has_lost) counters = {2, 99, 98, clock, 7, 97, faults, 8, 96};
      writer.Sample(7, 10, 10, time, 1, {kContextUser, 0x1100}, counters);
    };
    add(4, 1000, 30);
    add(6, 2600, 35);
    add(5, 2000, 30);
    const Profile profile = Read(writer.File(), {.count_records = true});
    EXPECT_EQ(Folded(profile, 0), ":10-10/10;[app] 2600\n");
    EXPECT_EQ(Folded(profile, 1), ":10-10/10;[app] 35\n");
    EXPECT_EQ(profile.Total(2), 3);
    EXPECT_EQ(profile.Total(3), 2);
    EXPECT_EQ(profile.records(), 5U);
    EXPECT_EQ(profile.period(), 1);
    EXPECT_EQ(Read(writer.File(), {.event = "page-faults", .from_ns = 5}).Total(0), 5);
    EXPECT_TRUE(profile.losses().empty());
  }
}

TEST(PerfData, ThreadsThatInheritACounterCountApart) {
  for (const bool is_inherited : {false, true}) {
    RecordingWriter writer;
    writer.AddEvent(kCpuClock, 7).WithCounters(kReadId, is_inherited);
    writer.Sample(7, 10, 10, 4, 1, {kContextUser, 0x1100}, {1000, 7});
    writer.Sample(7, 10, 11, 5, 1, {kContextUser, 0x1100}, {1200, 7});
    writer.Sample(7, 10, 10, 6, 1, {kContextUser, 0x1100}, {1500, 7});
    EXPECT_EQ(Read(writer.File()).Total(0), is_inherited ? 2700 : 1500);
  }
}

TEST(PerfData, CountersThatTellNothingAreLosses) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7).AddEvent(kPageFaults, 8).WithCounters(kReadGroup | kReadId);
  const std::vector<std::uint64_t> chain{kContextUser, 0x1100};
  writer.Sample(7, 10, 10, 4, 1, chain, {3, 50, 7, 5, 8, 6, 999});
  writer.Sample(7, 10, 10, 5, 1, chain, {2, 70, 7, 4, 8});
  writer.Sample(7, 10, 10, 6, 1, chain, {UINT64_MAX, 90, 7, 9, 8});
  writer.Sample(7, 10, 10, 7, 1, chain, {1});
  const Profile profile = Read(writer.File());
  EXPECT_EQ(profile.Total(0), 70);
  EXPECT_EQ(profile.Total(1), 5);
  EXPECT_EQ(profile.losses().CountOf("counter of an unknown event"), 1U);
  EXPECT_EQ(profile.losses().CountOf("counter went backwards"), 1U);
  EXPECT_EQ(profile.losses().CountOf("malformed record"), 2U);
  EXPECT_THAT(profile.losses().entries()[0].places, ElementsAre(HasSubstr("at byte ")));
}

TEST(PerfData, CountersWithoutIdsLeaveTheSampleItsPeriod) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7).AddEvent(kPageFaults, 8).WithCounters(kReadGroup);
  writer.Sample(7, 10, 10, 4, 6, {kContextUser, 0x1100}, {2, 50, 5});
  const Profile profile = Read(writer.File());
  EXPECT_EQ(profile.Total(0), 6);
  EXPECT_EQ(profile.losses().CountOf("counter of an unknown event"), 1U);
}

TEST(PerfData, AnEventThatIsToldOfBehindTheFirstSampleIsNoneOfItsTypes) {
  RecordingWriter late;
  late.AddEvent(kPageFaults, 9);
  const std::string record = late.Pipe().substr(16);
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Sample(7, 1, 1, 0, 5, {kContextUser, 0x1100});
  const std::string pipe =
      writer.Pipe() + record +
      writer.Record(kSample, 2, writer.SamplePayload(9, 1, 1, 0, 5, {kContextUser, 0x1100}));
  const Profile profile = Read(pipe);
  EXPECT_EQ(profile.sample_types().size(), 1U);
  EXPECT_EQ(profile.Total(0), 5);
  EXPECT_EQ(profile.losses().CountOf("sample of an unknown event"), 1U);
  EXPECT_EQ(Read(pipe, {.event = "page-faults"}).Total(0), 0);
}

TEST(PerfData, CallersThatTwoChainsShareAreTakenInTheirOwnMode) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Comm(10, 10, "app", 1).Map(10, 0x1000, 0x1000, "/bin/app", 2);
  writer.Map(0, 0x1000, 0x1000, "[kernel.kallsyms]_text", 3);
  writer.Sample(7, 10, 10, 4, 1, {kContextUser, 0x1100, 0x1200, 0x1300});
  writer.Sample(7, 10, 10, 5, 1, {kContextKernel, 0x1200, 0x1300});
  writer.Sample(7, 10, 10, 6, 1, {kContextKernel, 0x1100, kContextUser, 0x1200, 0x1300});
  writer.Map(10, 0x1000, 0x1000, "/bin/other", 7);
  writer.Sample(7, 10, 10, 8, 1, {kContextUser, 0x1150, 0x1200, 0x1300});
  EXPECT_EQ(Folded(Read(writer.File())),
            "app-10/10;[[kernel.kallsyms]];[[kernel.kallsyms]] 1\n"
            "app-10/10;[app];[app];[[kernel.kallsyms]] 1\n"
            "app-10/10;[app];[app];[app] 1\n"
            "app-10/10;[other];[other];[other] 1\n");
}

TEST(PerfData, RecordsOfOneRoundCountInTheOrderOfTheirTimes) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  // One buffer holds the sample, the other one the maps before and after it.
  writer.Sample(7, 1, 1, 20, 1, {kContextUser, 0x1100});
  writer.Map(1, 0x1000, 0x1000, "/bin/old", 10).Map(1, 0x1000, 0x1000, "/bin/new", 30);
  writer.FinishRound();
  writer.Sample(7, 1, 1, 40, 1, {kContextUser, 0x1100});

  EXPECT_EQ(Folded(Read(writer.File())), ":1-1/1;[new] 1\n:1-1/1;[old] 1\n");
}

TEST(PerfData, AForkedProcessHasItsParentsMapsUntilItRunsAnotherProgram) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Comm(1, 1, "shell", 1).Map(1, 0x1000, 0x1000, "/bin/sh", 2).Fork(2, 1, 3);
  writer.Sample(7, 2, 2, 4, 1, {kContextUser, 0x1100});
  writer.Comm(2, 2, "tool", 5, true);
  writer.Sample(7, 2, 2, 6, 1, {kContextUser, 0x1100});
  writer.Sample(7, 1, 1, 7, 1, {kContextUser, 0x1100});

  EXPECT_EQ(Folded(Read(writer.File())),
            "shell-1/1;[sh] 1\nshell-2/2;[sh] 1\ntool-2/2;[unknown] 1\n");
}

TEST(PerfData, AMapThatTakesTheMiddleOfAnotherOneLeavesItsEnds) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Map(1, 0x1000, 0x3000, "/lib/a", 1).Map(1, 0x2000, 0x1000, "/lib/b", 2);
  for (const std::uint64_t at : {0x1fffU, 0x2000U, 0x2fffU, 0x3000U}) {
    writer.Sample(7, 1, 1, 3, 1, {kContextUser, at});
  }
  const Profile profile = Read(writer.File());

  EXPECT_EQ(Folded(profile), ":1-1/1;[a] 2\n:1-1/1;[b] 2\n");
  EXPECT_EQ(profile.mapping(profile.location(LocationId{3}).mapping).offset, 0x2000U);
}

TEST(PerfData, CodeThatWasMovedToHugePagesIsStillTheFiles) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Map(1, 0x10000, 0x1000, "/bin/app", 1).Map(1, 0x11000, 0x1000, "//anon", 2);
  writer.Map(1, 0x12000, 0x1000, "/bin/app", 3, 0x2000);
  writer.Sample(7, 1, 1, 9, 1, {kContextUser, 0x11100});
  const Profile profile = Read(writer.File());

  EXPECT_EQ(Folded(profile), ":1-1/1;[app] 1\n");
  EXPECT_EQ(profile.mapping(profile.location(LocationId{0}).mapping).offset, 0x1000U);
}

TEST(PerfData, CompressedRecordsMayBeSplitAnywhere) {
  const RecordingWriter plain = TwoSamples();
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  for (const std::size_t piece : {std::size_t{11}, std::size_t{100}, plain.data().size()}) {
    for (const bool padded : {false, true}) {
      RecordingWriter writer;
      writer.AddEvent(kCpuClock, 7);
      ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
      for (std::size_t at = 0; at < plain.data().size(); at += piece) {
        const std::string text = plain.data().substr(at, piece);
        std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
        ZSTD_inBuffer in{text.data(), text.size(), 0};
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        ASSERT_EQ(ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush), 0U);
        out.resize(to.pos);
        if (padded) {
          std::string payload = writer.New().U64(out.size()).Bytes(out).bytes();
          payload.resize((payload.size() + 7) / 8 * 8, '\0');
          writer.Add(kCompressed2, 0, payload);
        } else {
          writer.Add(kCompressed, 0, out);
        }
      }
      EXPECT_EQ(Folded(Read(writer.File())), kTwoSamples) << piece << padded;
    }
  }
  ZSTD_freeCCtx(context);
}

TEST(PerfData, WhatWasLostIsCountedAndUnknownRecordsAreSkipped) {
  RecordingWriter writer = TwoSamples();
  writer.Add(kLost, 0, writer.New().U64(7).U64(40).bytes());
  writer.Add(kLostSamples, 0, writer.New().U64(2).bytes());
  writer.Add(kThrottle, 0, writer.New().U64(9).U64(7).U64(7).bytes());
  writer.Add(63, 0, "12345678").Add(200, 0, {});
  const Profile profile = Read(writer.File());

  EXPECT_EQ(Folded(profile), kTwoSamples);
  EXPECT_EQ(profile.losses().CountOf("lost by the kernel"), 42U);
  EXPECT_EQ(profile.losses().CountOf("throttled by the kernel"), 1U);
  EXPECT_EQ(profile.losses().CountOf("unknown record"), 2U);
}

TEST(PerfData, WhatCameBeforeAFaultIsKeptUnlessStrict) {
  RecordingWriter writer = TwoSamples();
  const std::string file = writer.File() + "some text that perf wrote";
  std::string cut = writer.File();
  cut.resize(cut.size() - 20);
  ReadOptions strict;
  strict.strict = true;

  EXPECT_EQ(Folded(Read(file)), kTwoSamples);
  const Profile partial = Read(cut);
  EXPECT_EQ(Folded(partial), ":11-10/11;[app];[app] 5\n");
  EXPECT_EQ(partial.losses().CountOf("recording cut off"), 1U);
  EXPECT_GT(partial.losses().CountOf("unreadable rest"), 0U);
  EXPECT_EQ(ReadPerfData(cut, strict).error().code, ErrorCode::kMalformed);
}

TEST(PerfData, AFileThatSaysNothingIsMalformed) {
  EXPECT_EQ(ReadPerfData("PERFILE2", {}).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ReadPerfData("nonsense", {}).error().code, ErrorCode::kMalformed);
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7).Add(kSample, 2, "short");
  const std::string no_sample = writer.File();
  EXPECT_EQ(Read(no_sample).losses().CountOf("malformed record"), 1U);
  std::string no_size = RecordingWriter().AddEvent(kCpuClock, 7).File() + std::string(8, '\0');
  no_size[48] = 8;
  const Result<Profile> refused = ReadPerfData(no_size, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("record of 0 bytes"));
}

TEST(PerfData, EveryCutOfARecordingIsReadOrRefused) {
  const std::string file = TwoSamples().File();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Result<Profile> profile = ReadPerfData(file.substr(0, size), {});
    if (profile.ok()) {
      EXPECT_LE(profile.value().records(), 2U);
    }
  }
}

TEST(PerfData, TheCpuIsALabelOnlyWhereItWasRecorded) {
  const auto has_cpu = [](const Profile& profile) {
    return std::ranges::any_of(profile.labels(profile.sample(0).labels), [&](const Label& label) {
      return profile.text(label.key) == "cpu";
    });
  };
  const ReadOptions options{.keep_cpu = true};
  EXPECT_TRUE(has_cpu(Read(TwoSamples().File(), options)));
  RecordingWriter without;
  without.WithoutCpu().AddEvent(kCpuClock, 7);
  without.Map(10, 0x1000, 0x1000, "/bin/app", 2).Sample(7, 10, 10, 4, 5, {kContextUser, 0x1100});
  EXPECT_FALSE(has_cpu(Read(without.File(), options)));
}

TEST(PerfData, TheFirstMappingIsTheProgramThatWasSampledMost) {
  RecordingWriter writer;
  writer.AddEvent(kCpuClock, 7);
  writer.Map(0, 0xffff'ffff'8000'0000, 0x1000, "[kernel.kallsyms]_text", 1);
  writer.Comm(20, 20, "sh", 1).Map(20, 0x1000, 0x1000, "/bin/sh", 1);
  writer.Fork(10, 20, 2).Comm(10, 10, "app", 2, true);
  writer.Sample(7, 20, 20, 3, 5, {kContextUser, 0x1100});
  // On its way into the program, before anything of it was mapped.
  writer.Sample(7, 10, 10, 3, 5, {kContextKernel, 0xffff'ffff'8000'0100});
  writer.Map(10, 0x5000, 0x1000, "/bin/app", 4).Map(10, 0x7000, 0x1000, "/lib/ld.so", 5);
  writer.Sample(7, 10, 10, 6, 5, {kContextUser, 0x7100});
  writer.Sample(7, 10, 10, 7, 5, {kContextUser, 0x7100});
  for (const bool keep_addresses : {false, true}) {
    const Profile profile = Read(writer.File(), {.keep_addresses = keep_addresses});
    EXPECT_EQ(profile.text(profile.mappings()[0].file), "/bin/app");
    EXPECT_EQ(profile.mappings().size(), 4U);
    EXPECT_EQ(profile.Total(0), 20);
  }
}

TEST(PerfData, ATimeWithoutSamplesTellsWhenThereAreSome) {
  const Profile profile = Read(TwoSamples().File(), {.from_ns = 1'000'000'000});
  EXPECT_EQ(profile.sample_count(), 0U);
  EXPECT_THAT(profile.comments(),
              ElementsAre("samples were taken from 0.000000004 to 0.000000005 s"));
}

}  // namespace
}  // namespace sonde::perf_data
