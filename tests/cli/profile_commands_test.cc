#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/value_text.h"
#include "sonde/formats.h"
#include "sonde/profile_builder.h"
#include "tests/cli/run_sonde.h"
#include "tests/support/random_profile.h"
#include "tests/support/text_of.h"

namespace sonde::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

Outcome Sonde(std::vector<std::string> arguments) {
  return RunSonde({AddConvert, AddMerge, AddSnapshots, AddSymbolize, AddTop}, std::move(arguments));
}

class ProfileCommands : public testing::Test {
 protected:
  ProfileCommands()
      : folder_(fs::path(testing::TempDir()) / ("sonde_cli_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ProfileCommands() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

  fs::path folder_;
};

TEST_F(ProfileCommands, ConvertFollowsTheExtensionsAndKeepsTotals) {
  const std::string input = Write("in", PprofOf(RandomProfile(1)));
  const Profile before = ReadProfileFile(input).value();
  for (const char* name : {"a.pb", "b.pb.gz", "c.pprof", "d.speedscope.json", "e.folded.gz"}) {
    const Outcome outcome = Sonde({"convert", input, "-o", Path(name), "--sample-type", "samples"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(ReadProfileFile(Path(name)).value().Total(0), before.Total(0)) << name;
  }
  EXPECT_EQ(Sonde({"convert", input, "-o", Path("x.unknown")}).code, 2);
  const Outcome table = Sonde({"convert", input, "-o", "-", "--to", "json"});
  EXPECT_EQ(nlohmann::json::parse(table.out)["records"], before.records().value_or(0));
}

TEST_F(ProfileCommands, WhatAFormatHasNoRoomForIsSaid) {
  const std::string input = Write("in", PprofOf(RandomProfile(1)));
  const Outcome outcome =
      Sonde({"convert", input, "-o", "-", "--to", "folded", "--sample-type", "samples"});
  EXPECT_THAT(outcome.err, HasSubstr("not cpu"));
}

TEST_F(ProfileCommands, AnErrorIsOneLineWhateverItNames) {
  const Outcome outcome = Sonde({"top", "a\x1b[31m\nb\xff"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a\\x1b[31m\\nb"));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1);
}

TEST_F(ProfileCommands, WithJsonErrorsNothingElseIsOnStandardError) {
  const std::string input = Write("in", PprofOf(RandomProfile(1)));
  const Outcome outcome = Sonde({"--error-format", "json", "convert", input, "--to", "folded", "-o",
                                 "/dev/full", "--sample-type", "samples"});
  EXPECT_EQ(outcome.code, 5);
  const nlohmann::json error = nlohmann::json::parse(outcome.err)["error"];
  EXPECT_EQ(error["code"], "OUTPUT_WRITE_FAILED");
  EXPECT_EQ(error["details"]["path"], "/dev/full");
}

TEST_F(ProfileCommands, APipeWhoseWriterComesLaterIsWaitedFor) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ofstream(pipe) << "a;b 3\n";
  });
  const Outcome outcome = Sonde({"convert", pipe, "-o", "-", "--to", "folded"});
  writer.join();
  EXPECT_EQ(outcome.out, "a;b 3\n") << outcome.err;
}

TEST_F(ProfileCommands, NumbersThatAreNoneAreUsageErrors) {
  const std::string input = Write("in.folded", "a;b 3\n");
  EXPECT_EQ(Sonde({"top", input, "-n", "-1"}).code, 2);
  EXPECT_EQ(Sonde({"top", input, "-n", "99999999999999999999"}).code, 2);
  EXPECT_EQ(Sonde({"top", input, "--max-records", "0"}).code, 2);
}

TEST_F(ProfileCommands, AnOutputThatIsAnInputByAnyNameIsRefusedAndTheInputStays) {
  const std::string input = Write("in.folded", "a;b 3\n");
  fs::create_hard_link(input, Path("hard.folded"));
  fs::create_symlink(input, Path("soft.folded"));
  fs::create_directory(Path("folder.folded"));
  for (const std::string& output :
       {input, Path("hard.folded"), Path("soft.folded"), Path("./in.folded"), Path("folder.folded"),
        Path("none/x.folded")}) {
    const Outcome outcome = Sonde({"convert", input, "-o", output});
    EXPECT_EQ(outcome.code, 5) << output;
  }
  EXPECT_EQ(ContentOf(input), "a;b 3\n");
  EXPECT_EQ(Sonde({"convert", input, "--to", "folded", "-o", "/dev/full"}).code, 5);
  EXPECT_EQ(Sonde({"convert", input, "--to", "folded", "-o", "/dev/null"}).code, 0);
}

TEST_F(ProfileCommands, AProgramThatAProfileNamesIsNoOutput) {
  const std::string program = Write("program", "code\n");
  ProfileBuilder builder({{"samples", "count"}});
  Location location;
  location.mapping = builder.AddMapping({.file = builder.Intern(program)});
  location.address = 16;
  builder.AddSample(builder.Extend(kEmptyStack, builder.AddLocation(location)), kNoLabels, {1});
  const std::string input = Write("in.pb", PprofOf(std::move(builder).Build()));
  for (const char* command : {"convert", "symbolize"}) {
    EXPECT_EQ(Sonde({command, input, "--to", "folded", "-o", program}).code, 5) << command;
    EXPECT_EQ(ContentOf(program), "code\n") << command;
  }
}

TEST_F(ProfileCommands, TwoOutputsMayNotBeOneFile) {
  const std::string outputs[] = {Path("a"), Path("./a")};
  EXPECT_EQ(CheckOutputs(outputs, {}).error().code, ErrorCode::kPathSafety);
  const std::string streams[] = {"-", "-"};
  EXPECT_TRUE(CheckOutputs(streams, {}).ok());
}

TEST_F(ProfileCommands, ExitCodesTellWhatWentWrong) {
  EXPECT_EQ(Sonde({"top"}).code, 2);
  EXPECT_EQ(Sonde({"top", Path("missing")}).code, 2);
  EXPECT_EQ(Sonde({"top", Write("empty", "")}).code, 2);
  EXPECT_EQ(Sonde({"top", Write("text", "not a profile\n")}).code, 3);
  EXPECT_EQ(Sonde({"top", Write("bad.gz", "\x1f\x8bzzzz")}).code, 3);
  const std::string folded = Write("good", "a;b 1\na;c 2\n");
  EXPECT_EQ(Sonde({"top", folded, "--max-records", "1"}).code, 4);
  EXPECT_EQ(Sonde({"top", folded, "--focus", "("}).code, 2);
  EXPECT_EQ(Sonde({"top", folded, "--filter", "comm"}).code, 2);
  EXPECT_EQ(Sonde({"top", folded, "--time", "1,2"}).code, 2);
  EXPECT_EQ(Sonde({"top", folded, "--from", "martian"}).code, 2);
  const Outcome json = Sonde({"top", Path("missing"), "--error-format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.err)["error"]["code"], "INVALID_INPUT");
}

TEST_F(ProfileCommands, AFolderThatIsNoSessionsIsNotListed) {
  const Outcome refused = Sonde({"snapshots", folder_.string()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr(folder_.string() + ": holds no session"));
  EXPECT_EQ(refused.out, "");
  fs::create_directory(folder_ / "profiling");
  EXPECT_EQ(Sonde({"snapshots", folder_.string()}).code, 0);
  EXPECT_EQ(Sonde({"snapshots", Path("profiling/")}).code, 0);
  EXPECT_EQ(Sonde({"snapshots", Path("profiling")}).code, 0);
}

TEST_F(ProfileCommands, TopListsFunctionsWithTheirShares) {
  const Outcome outcome = Sonde({"top", Write("in", "main;work 3\nmain;rest 1\nbad line\n")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Total: 4, 2 records"));
  EXPECT_THAT(outcome.out, HasSubstr("Not kept: 1 lines: bad weight (line 3)"));
  EXPECT_THAT(outcome.out, HasSubstr("         3  75.00%  75.00%          3  75.00%  work\n"));
  EXPECT_THAT(outcome.out, HasSubstr("         0      0%    100%          4    100%  main\n"));
}

TEST_F(ProfileCommands, FiltersKeepWhatTheyName) {
  const std::string input = Write("in", "main;work 3\nmain;rest 1\n");
  EXPECT_EQ(Sonde({"convert", input, "-o", "-", "--to", "folded", "--focus", "^wo"}).out,
            "main;work 3\n");
  EXPECT_EQ(Sonde({"convert", input, "-o", "-", "--to", "folded", "--ignore", "(?i)WORK"}).out,
            "main;rest 1\n");
  EXPECT_EQ(Sonde({"convert", input, "-o", "-", "--to", "folded", "--event", "cycles"}).code, 2);
}

TEST_F(ProfileCommands, AFilterThatLeavesNothingSaysWhatThereIs) {
  ProfileBuilder builder({{"cpu", "count"}});
  const StackId stack = builder.Extend(kEmptyStack, builder.FrameNamed("f"));
  for (const char* name : {"app", "bash"}) {
    const Label label = builder.TextLabel("comm", name);
    builder.AddSample(stack, builder.AddLabels(std::vector<Label>{label}), {1});
  }
  const std::string input = Write("in", PprofOf(std::move(builder).Build()));
  const Outcome value = Sonde({"top", input, "--filter", "comm=nobody"});
  EXPECT_EQ(value.code, 0);
  EXPECT_THAT(value.err, HasSubstr("no sample has comm=nobody; there are: app, bash"));
  EXPECT_THAT(Sonde({"top", input, "--filter", "color=red"}).err,
              HasSubstr("no sample has a label 'color'; there are: comm"));
  EXPECT_THAT(Sonde({"top", input, "--focus", "^g$"}).err, HasSubstr("--focus"));
  EXPECT_EQ(Sonde({"top", input, "--filter", "comm=app"}).err, "");
}

TEST_F(ProfileCommands, StandardInputIsNamedOnce) {
  const Outcome outcome = Sonde({"merge", "-", "-", "-o", Path("sum.folded")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("standard input (-) can be named only once"));
}

TEST_F(ProfileCommands, ColumnsStayApartWhateverTheValues) {
  const std::string input =
      Write("in", "main;leaf 9000000000000000000\nmain;other 123456789012345678\n");
  const Outcome outcome = Sonde({"top", input});
  EXPECT_THAT(outcome.out, HasSubstr("9000000000000000000  "));
  EXPECT_THAT(outcome.out, HasSubstr("  9123456789012345678  "));
}

TEST_F(ProfileCommands, MergeAddsUp) {
  const std::string a = Write("a", "main;work 3\n");
  const std::string b = Write("b", "main;rest 1\nmain;work 2\n");
  EXPECT_EQ(Sonde({"merge", a, b, "-o", "-", "--to", "folded"}).out, "main;rest 1\nmain;work 5\n");
  const std::string other = Write("c.pb", PprofOf(RandomProfile(1)));
  EXPECT_EQ(Sonde({"merge", a, other, "-o", "-", "--to", "folded"}).code, 2);
  EXPECT_EQ(Sonde({"merge", a, other, "-o", "-", "--to", "folded", "--common"}).code, 0);
}

TEST_F(ProfileCommands, ADifferenceAsFoldedStacksSaysHowItIsReadBack) {
  ProfileBuilder builder({{"cpu", "count"}});
  builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed("f")), kNoLabels, {-7});
  builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed("g")), kNoLabels, {3});
  const std::string input = Write("in", PprofOf(std::move(builder).Build()));
  const Outcome written = Sonde({"convert", input, "-o", Path("d.folded")});
  EXPECT_EQ(written.code, 0);
  EXPECT_THAT(written.err, HasSubstr("--keep-negative"));
  EXPECT_THAT(Sonde({"top", Path("d.folded"), "--keep-negative"}).out, HasSubstr("Total: -4"));
}

TEST_F(ProfileCommands, RecordsAreToldOfWhatIsShownOrNotAtAll) {
  ProfileBuilder builder({{"space", "bytes"}});
  builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed("f")), kNoLabels, {7},
                    std::nullopt);
  const std::string heap = Write("heap", PprofOf(std::move(builder).Build()));
  EXPECT_EQ(Sonde({"top", heap}).out.find("records"), std::string::npos);
  const std::string folded = Write("in", "main;work 3\nmain;work 2\nmain;rest 1\n");
  EXPECT_THAT(Sonde({"top", folded, "--focus", "^work$"}).out, HasSubstr("Total: 5, 2 records"));
}

TEST(ValueText, UnitsFitTheirSize) {
  EXPECT_EQ(ValueText(0, "nanoseconds"), "0");
  EXPECT_EQ(ValueText(999, "nanoseconds"), "999ns");
  EXPECT_EQ(ValueText(1'500'000, "nanoseconds"), "1.50ms");
  EXPECT_EQ(ValueText(-90'000'000'000, "nanoseconds"), "-1.50mins");
  EXPECT_EQ(ValueText(3, "seconds"), "3s");
  EXPECT_EQ(ValueText(1536, "bytes"), "1.50kB");
  EXPECT_EQ(ValueText(1536, "count"), "1536");
  EXPECT_EQ(ValueText(1'204'500'000'000, "nanodollars"), "$1,204.50");
  EXPECT_EQ(ValueText(999'999'995'000, "nanodollars"), "$1,000.00");
  EXPECT_EQ(ValueText(-630'765'700, "nanodollars"), "-$0.6308");
  EXPECT_EQ(ValueText(750, "nanodollars"), "$0.000000750");
  EXPECT_EQ(ValueText(0, "nanodollars"), "$0.00");
  EXPECT_EQ(PercentText(1, 3), "33.33%");
  EXPECT_EQ(PercentText(3, 3), "100%");
  EXPECT_EQ(PercentText(-3, 3), "-100%");
  EXPECT_EQ(PercentText(9, 3), "300.00%");
  EXPECT_EQ(PercentText(1, 0), "0%");
}

TEST(SafeText, ControlCharactersAndBrokenTextCannotReachATerminal) {
  EXPECT_EQ(SafeText("caf\xc3\xa9 \xe2\x9c\x93"), "caf\xc3\xa9 \xe2\x9c\x93");
  EXPECT_EQ(SafeText("\x1b[2J"), "\xef\xbf\xbd[2J");
  EXPECT_EQ(SafeText("\xc2\x9b"), "\xef\xbf\xbd");
  EXPECT_EQ(SafeText("\xff\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace sonde::cli
