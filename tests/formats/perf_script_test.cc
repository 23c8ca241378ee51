// ReadPerfScript: the forms in which perf script prints samples, and FlameGraph's folding of them.

#include "export/perf_script/perf_script.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "export/perf_script/header_line.h"
#include "sonde/byte_sink.h"
#include "sonde/flamegraph_style.h"
#include "sonde/folded.h"
#include "sonde/frame_names.h"
#include "sonde/pprof.h"

namespace sonde {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr FlamegraphStyle kAll{.kernel = true, .jit = true};

Profile Read(std::string_view text, const ReadOptions& options = {}) {
  Result<Profile> profile = ReadPerfScript(text, options);
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : Describe(profile.error()));
  return std::move(profile).value();
}

std::string Folded(const Profile& profile, std::size_t type = 0) {
  StringSink sink;
  EXPECT_TRUE(WriteFolded(FrameNames(profile), type, sink).ok());
  return sink.text();
}

std::string Flamegraph(std::string_view text, const FlamegraphStyle& style = kAll,
                       const ReadOptions& options = {}) {
  return Folded(FoldLikeFlamegraph(Read(text, options), 0, style));
}

std::string LabelsOf(const Profile& profile, std::size_t sample) {
  std::string text;
  for (const Label& label : profile.labels(profile.sample(sample).labels)) {
    text += std::string(profile.text(label.key)) + '=';
    text += label.text == StringId{} ? std::to_string(label.number)
                                     : std::string(profile.text(label.text));
    text += ' ';
  }
  return text;
}

TEST(PerfScript, TheIdsAreTheLastNumberBeforeTheCpuOrTheTime) {
  EXPECT_EQ(LabelsOf(Read("DOM Worker 21528/21530 [003] 609678.457663: 100 cycles: \n"
                          "\t 401126 main+0x16 (/usr/bin/app)\n\n"),
                     0),
            "comm=DOM Worker pid=21528 tid=21530 ");
  EXPECT_EQ(LabelsOf(Read("worker 12 3456/3460 [001] 10.5: 5 cycles: \n\t 1 run (/bin/app)\n"), 0),
            "comm=worker 12 pid=3456 tid=3460 ");
  EXPECT_EQ(LabelsOf(Read("foobar [w] 21332 10.000001: 7 cycles: \n\t 1 run (/bin/app)\n"), 0),
            "comm=foobar [w] tid=21332 ");
  EXPECT_EQ(LabelsOf(Read("a 1 [000] 1 cycles: \n\t 1 f (/bin/a)\n"), 0), "comm=a tid=1 ");
  EXPECT_EQ(LabelsOf(Read("kworker/0:1-ev 7 [002] 1.5: 1 cycles: \n\t 1 f (/bin/a)\n"), 0),
            "comm=kworker/0:1-ev tid=7 ");
  EXPECT_EQ(LabelsOf(Read("java 19983 cycles:\n1 f (/bin/a)\n"), 0), "comm=java tid=19983 ");
}

TEST(PerfScript, ACommMayLookLikeAHeader) {
  constexpr std::string_view kComms[] = {
      "w 2 12.5:",  "12.5:", "w 12.5:",     "a 1 [2]",      "a 1 2.3: 4 b:", "w 2 x:",
      "a 1/2 3.4:", "1 x",   "2 1.5: 7 e:", "[1] 2 [3] 4.", "w 1.5: cycles:"};
  constexpr std::string_view kBehind[] = {
      "24490.713604: 1001 cpu-clock: ",
      "[003] 24490.713604: 1001 cpu-clock: ",
      "[003] d.h. 24490.713604: 1001 cpu-clock: ",
      "24490.713604: cpu-clock: ",
      "[003] 1001 cpu-clock: ",
      "1001 cpu-clock: ",
      "cpu-clock: ",
      "24490.713604: 1 sched:sched_waking: comm=x 3 12.5: 4 y: z"};
  for (const std::string_view comm : kComms) {
    for (const std::string_view behind : kBehind) {
      // Nothing tells a time that was not printed from a comm that looks like one.
      const bool is_placed = behind.find_first_of(".[") != std::string_view::npos;
      if (!is_placed && comm.find_first_of(".[") != std::string_view::npos) continue;
      for (const std::string_view ids : {" 24843 ", "   24840/24843   "}) {
        const std::string line = std::string(comm) + std::string(ids) + std::string(behind);
        const auto header = perf_script::ParseHeader(line);
        ASSERT_TRUE(header.has_value()) << line;
        EXPECT_EQ(header->comm, comm) << line;
        EXPECT_EQ(header->tid, 24843) << line;
        if (behind.find('.') != std::string_view::npos) {
          EXPECT_EQ(header->time_ns, 24'490'713'604'000) << line;
        }
        EXPECT_THAT(std::string(header->event), AnyOf("cpu-clock", "sched:sched_waking")) << line;
      }
    }
  }
  EXPECT_EQ(perf_script::ParseHeader("a 1 be x 24843 55d0 run (/bin/a)")->comm, "a 1 be x");
}

TEST(PerfScript, ATracepointsPayloadIsNeitherItsNameNorAFrame) {
  const Profile profile = Read(
      "zonesvr 162731 [004] 42055630.368972: syscalls:sys_enter_brk: brk: 0x00000000\n"
      "\t 7f0a00012345 brk+0x7 (/lib/libc.so.6)\n\t 401126 main+0x1 (/bin/zonesvr)\n\n"
      "zonesvr 162731 [004] 42055630.468972: syscalls:sys_enter_brk: brk: 0x1fc09000\n"
      "\t 7f0a00012345 brk+0x7 (/lib/libc.so.6)\n\t 401126 main+0x1 (/bin/zonesvr)\n\n");

  EXPECT_THAT(profile.sample_types(), ElementsAre(ValueType{"syscalls:sys_enter_brk", "count"}));
  EXPECT_EQ(Folded(profile), "main;brk 2\n");
  EXPECT_EQ(profile.records(), 2U);
  EXPECT_EQ(profile.duration_ns(), 100'000'000);
}

TEST(PerfScript, EachEventIsASampleType) {
  constexpr std::string_view kText =
      "a 1 1.000001: 10 cycles: \n\t 100 f+0x1 (/bin/a)\n\n"
      "a 1 1.000002: 99 instructions:u: \n\t 100 f+0x1 (/bin/a)\n\n"
      "a 1 1.000003: 7 cpu-clock: \n\t 100 f+0x1 (/bin/a)\n\n";
  const Profile profile = Read(kText);

  EXPECT_THAT(profile.sample_types(),
              ElementsAre(ValueType{"cycles", "count"}, ValueType{"instructions:u", "count"},
                          ValueType{"cpu-clock", "nanoseconds"}));
  EXPECT_EQ(profile.default_sample_type(), 0U);
  EXPECT_EQ(profile.sample_count(), 1U);
  EXPECT_EQ(Folded(profile, 1), "f 99\n");
  ReadOptions one;
  one.event = "instructions";
  EXPECT_EQ(Folded(Read(kText, one)), "f 99\n");
  EXPECT_EQ(Read(kText, one).sample_types().size(), 1U);
}

TEST(PerfScript, APeriodThatIsMissingOrZeroWeighsOneAndSamplesMayBeCounted) {
  constexpr std::string_view kText =
      "a 1 1.000001: 0 cycles: \n\t 100 f+0x1 (/bin/a)\n\n"
      "a 1 1.000002: cycles: \n\t 100 f+0x1 (/bin/a)\n\n"
      "a 1 1.000003: 40 cycles: \n\t 100 f+0x1 (/bin/a)";
  EXPECT_EQ(Folded(Read(kText)), "f 42\n");
  ReadOptions counting;
  counting.count_samples = true;
  EXPECT_EQ(Folded(Read(kText, counting)), "f 3\n");
}

TEST(PerfScript, ASampleWithoutCallChainHasItsFrameOnItsLine) {
  EXPECT_EQ(Flamegraph("   false 64414 20110.539270:  34467 cycles:u:  ffffffff9aa3c8de [unknown] "
                       "([unknown])\n"
                       "   false 64414 20110.539271:  10 cycles:u:  7f53389994d0 _start+0x0 "
                       "(/usr/lib/ld-2.28.so)\n"),
            "false;[unknown] 34467\nfalse;_start 10\n");
}

TEST(PerfScript, InlinedFramesShareTheLocationOfTheirPhysicalFrame) {
  const Profile profile = Read(
      "a 1/2 1.0: 3 cycles: \n"
      "\t 55f1 push_back (inlined)\n"
      "  vector.h:10\n"
      "\t 55f1 main+0x12 (/bin/a)\n"
      "  a.cc:12 (discriminator 3)\n\n");

  EXPECT_EQ(Folded(profile), "main;push_back 3\n");
  ASSERT_EQ(profile.location_count(), 1U);
  const Location location = profile.location(LocationId{0});
  ASSERT_EQ(location.lines.size(), 2U);
  EXPECT_EQ(location.address, 0x55f1U);
  EXPECT_EQ(location.lines[0].line, 10);
  EXPECT_EQ(location.lines[1].line, 12);
  EXPECT_EQ(profile.text(profile.function(location.lines[1].function).file), "a.cc");
  EXPECT_TRUE(profile.mapping(location.mapping).has_inline_frames);
  EXPECT_TRUE(profile.losses().empty());
}

TEST(PerfScript, CallersAreKnownByTheirCallAndInterruptedCodeByItsOwnAddress) {
  const Profile profile = Read(
      "a 1 1.0: 1 cycles: \n"
      "\tffffffff810001a0 do_syscall ([kernel.kallsyms])\n"
      "\t 401000 leaf (/bin/a)\n"
      "\t 402000 main (/bin/a)\n\n");

  ASSERT_EQ(profile.location_count(), 3U);
  EXPECT_EQ(profile.location(LocationId{0}).address, 0xffffffff810001a0U);
  EXPECT_EQ(profile.location(LocationId{1}).address, 0x401000U);
  EXPECT_EQ(profile.location(LocationId{2}).address, 0x401fffU);
}

TEST(PerfScript, ModulesMayHaveBeenDeletedAndNamesMayEndLikeThem) {
  EXPECT_EQ(Folded(Read("a 1 1.0: 1 cycles: \n"
                        "\t 1 [unknown] (/bin/old (deleted))\n"
                        "\t 2 f(int) const+0x4 (/bin/old (deleted))\n"
                        "\t 3 Vec::operator++0x1f (/bin/a+0x99)\n\n")),
            "Vec::operator+;f(int) const;[old (deleted)] 1\n");
}

TEST(PerfScript, WindowsLineEndsAndCommentsAreNoLoss) {
  const Profile profile =
      Read("# captured on: Wed\r\n\r\na 1 1.0: 1 cycles: \r\n\t 1 f (/a)\r\n\r\n");
  EXPECT_EQ(Folded(profile), "f 1\n");
  EXPECT_TRUE(profile.losses().empty());
}

TEST(PerfScript, LinesThatAreNothingAreCountedWithTheirPlaces) {
  constexpr std::string_view kText =
      "Was the 'perf record' command properly terminated?\n"
      "a 1 1.0: 1 cycles: \n\t 1 f (/a)\n\t ?? what\n\n"
      "a 1 2.0: 1 cycles: \n\t 1 f (/a)\n\t ?? what\n\n";
  const Profile profile = Read(kText);

  EXPECT_EQ(Folded(profile), "f 2\n");
  EXPECT_EQ(profile.losses().CountOf("unknown line"), 3U);
  EXPECT_THAT(profile.losses().entries()[0].places, ElementsAre("line 1", "line 4"));
  ReadOptions strict;
  strict.strict = true;
  const Result<Profile> refused = ReadPerfScript(kText, strict);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(refused.error().line, 1U);
}

TEST(PerfScript, ASpanOfTimeAndTheCpuAreKeptOnRequest) {
  constexpr std::string_view kText =
      "a 1 [001] 1.000000: 1 cycles: \n\t 1 f (/a)\n\n"
      "a 1 [002] 2.000000: 2 cycles: \n\t 1 f (/a)\n\n"
      "a 1 [002] 3.000000: 4 cycles: \n\t 1 f (/a)\n\n";
  ReadOptions options;
  options.from_ns = 2'000'000'000;
  options.until_ns = 3'000'000'000;
  options.keep_cpu = true;
  const Profile profile = Read(kText, options);

  EXPECT_EQ(Folded(profile), "f 2\n");
  EXPECT_EQ(LabelsOf(profile, 0), "comm=a tid=1 cpu=2 ");
}

TEST(PerfScript, OfManyUnknownLinesTheFirstPlacesAreTold) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "a 1 1.5: 1 cycles: \n\t 100 f+0x1 (/bin/a)\n\t" + std::to_string(i) + "<\n\n";
  }
  const Profile profile = Read(text);
  EXPECT_EQ(profile.Total(0), 20'000);
  EXPECT_EQ(profile.losses().CountOf("unknown line"), 20'000U);
  EXPECT_THAT(profile.losses().entries()[0].places,
              ElementsAre("line 3", "line 7", "line 11", "line 15", "line 19"));
}

TEST(PerfScript, LimitsNameWhatWasTooMuch) {
  constexpr std::string_view kText =
      "a 1 1.0: 1 cycles: \n\t 1 f (/a)\n\t 2 g (/a)\n\na 1 1.0: 1 cycles: \n\t 1 f (/a)\n\n";
  ReadOptions options;
  options.limits.records = 1;
  EXPECT_EQ(ReadPerfScript(kText, options).error().code, ErrorCode::kLimit);
  options = {};
  options.limits.stack_depth = 1;
  EXPECT_THAT(ReadPerfScript(kText, options).error().message, HasSubstr("frames on a stack"));
  options = {};
  options.limits.unique_stacks = 1;
  EXPECT_EQ(ReadPerfScript(kText, options).error().line, 5U);
  EXPECT_EQ(ReadPerfScript("hello\n", {}).error().code, ErrorCode::kMalformed);
}

TEST(PerfScript, ALargeTextReadByTwoThreadsGivesTheSameProfile) {
  std::string half;
  for (int i = 0; i < 2'000; ++i) {
    half += "w " + std::to_string(i % 7) + " 1." + std::to_string(100'000 + i) + ": " +
            std::to_string(i) + " cycles: \n\t 1 f" + std::to_string(i % 311) +
            " (/a)\n\t 2 main (/a)\n\n";
  }
  const std::string text = half + half + "what\n";

  const Profile whole = Read(text);
  const Result<Profile> parts = ReadPerfScript(text, {}, 1);

  ASSERT_TRUE(parts.ok());
  StringSink one;
  StringSink two;
  ASSERT_TRUE(WritePprof(whole, one).ok());
  ASSERT_TRUE(WritePprof(parts.value(), two).ok());
  EXPECT_EQ(one.text(), two.text());
  EXPECT_EQ(parts.value().records(), 4'000U);
}

// Headers that repeat the one before are read by a shorter way, which must see what the long one
// does.
TEST(PerfScript, AHeaderThatFollowsAnotherIsReadAsItWouldBeAlone) {
  constexpr std::string_view kAfter[] = {
      "app 12/13 [001] 10.5: 5 cycles: ",
      "app 12/13 [004]   11.500001:     123456 cycles:",
      "app 12/13 11.25: 7 cycles:  401126 main+0x1 (/bin/app)",
      "app 12/13 11.25: 7 cycles:u:",
      "app 12/13 11.25: 7 cyclesx:",
      "app 12/13 11.25: cycles:",
      "app 12/13 11.25: 7 raw 0x1a8:",
      "app 12/131 11.25: 7 cycles:",
      "app 12/13 5 11.25: 7 cycles:",
      "app 12/13 [00x] 11.25: 7 cycles:",
      "app 12/13 [1] 11.25: 7 cycles:",
      "app 12/13 11.: 7 cycles:",
      "app 12/13 11.25:7 cycles:",
      "app 12/13 99999999999999999999.25: 7 cycles:",
      "a 1 2.3: 4 b:",
      "a 1 2.3: 4 b: 24843 24490.713604: 5 cycles: ",
      "a 1 2.3: 5 b: 24843 24490.713604: 5 cycles: ",
      "app 12/13 9223372036.999999999: 9999999999999999999 cycles:",
      "app 12/13",
      "app 12/13 ",
      "",
  };
  for (const std::string_view first : kAfter) {
    for (const std::string_view second : kAfter) {
      perf_script::HeaderReader reader;
      static_cast<void>(reader.Read("app 12/13 [001] 10.5: 5 cycles: "));
      static_cast<void>(reader.Read(first));
      const auto read = reader.Read(second);
      const auto alone = perf_script::ParseHeader(second);
      ASSERT_EQ(read.has_value(), alone.has_value()) << first << '|' << second;
      if (!alone.has_value()) continue;
      EXPECT_EQ(read->comm, alone->comm) << first << '|' << second;
      EXPECT_EQ(read->thread, alone->thread) << first << '|' << second;
      EXPECT_EQ(read->pid, alone->pid) << first << '|' << second;
      EXPECT_EQ(read->tid, alone->tid) << first << '|' << second;
      EXPECT_EQ(read->cpu, alone->cpu) << first << '|' << second;
      EXPECT_EQ(read->time_ns, alone->time_ns) << first << '|' << second;
      EXPECT_EQ(read->period, alone->period) << first << '|' << second;
      EXPECT_EQ(read->event, alone->event) << first << '|' << second;
      EXPECT_EQ(read->rest, alone->rest) << first << '|' << second;
    }
  }
}

TEST(PerfScript, WithoutAddressesAndIdsFramesOfOneNameAreOneAndNoTotalChanges) {
  // Two processes with their code in different places, a kernel module, a line that was inlined,
  // source lines, and what stands behind an address but looks like a source line without one.
  constexpr std::string_view kText =
      "a 1/1 1.0: 1 cycles: \n\t ffffffffc0001000 rx+0x3 ([net])\n\t 5501 f+0x1 (/a)\n"
      "\t 5502 main (/a)\n\n"
      "a 2/2 1.1: 2 cycles: \n\t ffffffffc0002000 rx+0x9 ([net])\n\t 7701 f+0x2 (/a)\n"
      "\t 7702 main (/a)\n\n"
      "a 2/2 1.2: 4 cycles: \n\t 7703 g+0x1 (inlined)\n\t 7703 f+0x2 (/a)\n  f.cc:7\n"
      "\t 7709 [unknown] ([unknown])\n\n"
      "a 1/1 1.3: 8 cycles: \n\t 5503 g+0x1 (inlined)\n\t 5503 f+0x2 (/a)\n  f.cc:7\n"
      "\t 5709 [unknown] ([unknown])\n\t 44 f.cc:7\n\n";
  ReadOptions options;
  options.keep_addresses = false;
  options.keep_ids = false;
  const Profile whole = Read(kText);
  const Profile names = Read(kText, options);

  EXPECT_EQ(Folded(names), Folded(whole));
  EXPECT_EQ(Folded(FoldLikeFlamegraph(names, 0, kAll)), Folded(FoldLikeFlamegraph(whole, 0, kAll)));
  EXPECT_LT(names.location_count(), whole.location_count());
  EXPECT_EQ(names.sample_count(), 3U);
  EXPECT_EQ(LabelsOf(names, 0), "comm=a ");
  EXPECT_EQ(names.records(), 4U);
  // Loaded modules are still the kernel's.
  const FrameNames frames(names);
  EXPECT_EQ(frames.frames(names.stacks().leaf(names.sample(0).stack))[0].kind, FrameKind::kKernel);
  options.keep_labels = false;
  EXPECT_EQ(LabelsOf(Read(kText, options), 0), "");
}

TEST(PerfScript, StacksThatWereForgottenAreReadAgain) {
  // More distinct stacks and lines than there are places to remember them in.
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5'000; ++i) {
      text += "a 1 1.0: 1 cycles: \n\t " + std::to_string(1'000 + i) + " f" +
              std::to_string(i * 7 % 997) + " (/a)\n\t 2 main (/a)\n\n";
    }
  }
  for (const bool keep : {true, false}) {
    ReadOptions options;
    options.keep_addresses = keep;
    const Profile profile = Read(text, options);
    EXPECT_EQ(profile.Total(0), 10'000);
    EXPECT_EQ(profile.sample_count(), keep ? 5'000U : 997U);
  }
}

TEST(FlamegraphStyle, NamesKeepWhatBelongsToThem) {
  EXPECT_EQ(Flamegraph("app 10 1.000001: 1 cycles: \n"
                       "\t 200 Cmp::operator()(int, int) const+0x3 (/bin/app)\n"
                       "\t 300 operator<(A const&, B const&)+0x3 (/bin/app)\n"
                       "\t 400 Ptr::operator->() const+0x2 (/bin/app)\n"
                       "\t 500 (anonymous namespace)::helper(int)+0x2 (/bin/app)\n"
                       "\t 600 void exec<void (*)()>(void (*)())+0x1 (/bin/app)\n"
                       "\t 700 net/http.(*Client).Do+0x1f (/bin/app)\n\n"),
            "app;net/http.(*Client).Do;void exec<void (*)()>;(anonymous namespace)::helper;"
            "Ptr::operator->;operator<;Cmp::operator() 1\n");
}

TEST(FlamegraphStyle, JavaCallsThatWereInlinedAreFramesOfTheirOwn) {
  constexpr std::string_view kText =
      "java 1 1.000001: 1 cycles: \n"
      "\t 7f722d142778 Ljava/io/PrintStream;::print->Ljava/io/PrintStream;::write "
      "(/tmp/perf-1.map)\n"
      "\t 7f722d142700 Lorg/mozilla/MemberBox;.<init>(Ljava/lang/reflect/Method;)V "
      "(/tmp/perf-1.map)\n\n";
  EXPECT_EQ(Flamegraph(kText),
            "java;org/mozilla/MemberBox:.<init>_[j];java/io/PrintStream:::print_[j];"
            "java/io/PrintStream:::write_[i] 1\n");
}

TEST(FlamegraphStyle, TheRootAndUnknownFramesFollowTheSwitches) {
  constexpr std::string_view kText =
      "my app 7/9 1.0: 4 cycles: \n\t 7f01 [unknown] (/lib/libz.so)\n\tff [unknown] ([unknown])\n"
      "\n";
  EXPECT_EQ(Flamegraph(kText, {.tid = true}), "my_app-7/9;[unknown];[libz.so] 4\n");
  EXPECT_EQ(Flamegraph(kText, {.pid = true}), "my_app-7;[unknown];[libz.so] 4\n");
  EXPECT_EQ(Flamegraph(kText, {.addrs = true}), "my_app;[unknown <ff>];[libz.so <7f01>] 4\n");
}

TEST(PerfScript, ALineThatBreaksOffIsALossAndNoName) {
  const std::string whole =
      "app 1 1.0: 5 cycles: \n\t 7f00 work (/bin/app)\n\t 7f10 main (/bin/app)\n\n"
      "app 1 2.0: 5 cycles: \n\t 7f00 work (/bin/app)\n";
  EXPECT_EQ(Folded(Read(whole + "\t 7f10 main (/bin/app)")), "main;work 10\n");
  for (const std::string_view cut : {"\t 7f", "\t 7f10 ma", "\t 7f10 main (/bi"}) {
    const Profile profile = Read(whole + std::string(cut));
    EXPECT_EQ(Folded(profile), "main;work 5\nwork 5\n") << cut;
    EXPECT_EQ(profile.losses().CountOf("text cut off"), 1U);
    EXPECT_THAT(profile.losses().entries()[0].places, ElementsAre("line 7"));
    const Result<Profile> strict = ReadPerfScript(whole + std::string(cut), {.strict = true});
    ASSERT_FALSE(strict.ok());
    EXPECT_EQ(strict.error().line, 7U);
  }
  const Profile header = Read(whole + "\napp 1 3.0: 5 cyc");
  EXPECT_EQ(header.sample_types().size(), 1U);
  EXPECT_EQ(header.losses().CountOf("text cut off"), 1U);
}

TEST(PerfScript, SamplesMayStandOnALineOfTheirOwn) {
  constexpr std::string_view kTimed =
      "        app  12     1.5:    5 cycles:      55d0 work+0x4 (/bin/app)\n"
      "        app  12     1.6:    5 cycles:  ffff8123 idle.isra.0+0x1 ([kernel.kallsyms])\n";
  constexpr std::string_view kBare =
      "        app  12      55d0 work (/bin/app)\n"
      "a_longer_command  12      55d0 work (/bin/app)\n"
      "        app  12  ffff8123 idle.isra.0 ([kernel.kallsyms])\n";
  for (const std::string_view text : {kTimed, kBare}) {
    EXPECT_EQ(Sniff(text), Format::kPerfScript);
  }
  EXPECT_EQ(Folded(Read(kTimed)), "idle.isra.0 5\nwork 5\n");
  const Profile bare = Read(kBare);
  EXPECT_EQ(Folded(bare), "idle.isra.0 1\nwork 2\n");
  EXPECT_EQ(LabelsOf(bare, 0), "comm=app tid=12 ");
  EXPECT_EQ(Sniff("app 12 \n\t 55d0 work (/bin/app)\n\n"), Format::kPerfScript);
  EXPECT_EQ(Sniff("main;a 10\nmain;b 12\n"), Format::kFolded);
}

TEST(PerfScript, TheFirstMappingIsCalledLikeMostSamples) {
  const Profile profile = Read(
      "sh 1 1.0: 5 cycles: \n\t ffff81 idle ([kernel.kallsyms])\n\t 10 run (/bin/sh)\n\n"
      "a_very_long_com 2 1.0: 5 cycles: \n\t 7f00 f (/lib/l.so)\n\t 1 m (/a_very_long_command)\n\n"
      "a_very_long_com 2 1.0: 5 cycles: \n\t 7f00 f (/lib/l.so)\n\n");
  EXPECT_EQ(profile.text(profile.mappings()[0].file), "/a_very_long_command");
}

TEST(PerfScript, VersionsOfSymbolsAreNoPartOfNames) {
  const Profile profile = Read(
      "a 1 1.0: 5 cycles: \n\t 7f00 clock_gettime@@GLIBC_2.17 (/lib/libc.so.6)\n"
      "\t 7f10 _ZNSs6appendEPKc@GLIBCXX_3.4 (/lib/libstdc++.so.6)\n"
      "\t 7f20 LazyCompile:*run @scope/a.js:1 (/tmp/perf-1.map)\n\n");
  EXPECT_EQ(Folded(profile),
            "LazyCompile:*run @scope/a.js:1;std::string::append;clock_gettime 5\n");
}

}  // namespace
}  // namespace sonde
