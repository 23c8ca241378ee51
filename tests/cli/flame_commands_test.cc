#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/commands.h"

namespace sonde::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class FlameCommands : public testing::Test {
 protected:
  FlameCommands()
      : folder_(fs::path(testing::TempDir()) / ("sonde_flame_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    Write("base.folded", "main;same 10\nmain;less 8\nmain;gone 5\n");
    Write("now.folded", "main;same 10\nmain;less 2\nmain;fresh 4\n");
  }
  ~FlameCommands() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The exit code; what was printed is in out_ and err_.
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "sonde");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    Program program;
    AddDiff(program);
    AddFlame(program);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = program.Run(static_cast<int>(argv.size()), argv.data());
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  fs::path folder_;
  std::string out_;
  std::string err_;
};

TEST_F(FlameCommands, DrawTheSameBytesAgain) {
  ASSERT_EQ(Run({"flame", Path("base.folded"), "-o", Path("a.svg")}), 0) << err_;
  ASSERT_EQ(Run({"flame", Path("base.folded"), "-o", Path("b.svg")}), 0) << err_;
  EXPECT_EQ(Read("a.svg"), Read("b.svg"));
  EXPECT_THAT(Read("a.svg"), HasSubstr("<title>less (8 samples, 34.78%)</title>"));
}

TEST_F(FlameCommands, DrawPagesAndCompressedPictures) {
  ASSERT_EQ(Run({"flame", Path("base.folded"), "-o", Path("a.html")}), 0) << err_;
  EXPECT_TRUE(Read("a.html").starts_with("<!DOCTYPE html>"));
  ASSERT_EQ(Run({"flame", Path("base.folded"), "-o", Path("a.svgz")}), 0) << err_;
  EXPECT_TRUE(Read("a.svgz").starts_with("\x1f\x8b"));
}

TEST_F(FlameCommands, RefuseOutputsThatAreNoPictureOrTheInput) {
  EXPECT_EQ(Run({"flame", Path("base.folded"), "-o", Path("a.png")}), 2);
  EXPECT_THAT(err_, HasSubstr(".svg or .html"));
  EXPECT_EQ(Run({"flame", Path("base.folded"), "-o", Path("base.folded")}), 5);
}

TEST_F(FlameCommands, CompareAsATable) {
  ASSERT_EQ(Run({"diff", Path("base.folded"), Path("now.folded")}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("Change: -7, -30.43%"));
  EXPECT_THAT(out_, HasSubstr("           8           2          -6     -75.00%"));
  EXPECT_LT(out_.find("less"), out_.find("gone"));  // The larger change first.
}

TEST_F(FlameCommands, CompareAsJsonWithEveryFunction) {
  ASSERT_EQ(Run({"diff", Path("base.folded"), Path("now.folded"), "-o", Path("d.json")}), 0);
  const nlohmann::json diff = nlohmann::json::parse(Read("d.json"));
  EXPECT_EQ(diff["total"]["change"], -7);
  EXPECT_EQ(diff["functions"].size(), 5U);
  EXPECT_EQ(diff["functions"][0]["name"], "less");
  EXPECT_EQ(diff["functions"][0]["self"]["relative_change"], -0.75);
  for (const nlohmann::json& function : diff["functions"]) {
    if (function["name"] != "fresh") continue;
    EXPECT_TRUE(function["self"]["relative_change"].is_null());  // Of nothing.
  }
}

TEST_F(FlameCommands, CompareSharesWhenTheBaseIsScaled) {
  Write("twice.folded", "main;same 20\nmain;less 16\nmain;gone 10\n");
  ASSERT_EQ(Run({"diff", Path("base.folded"), Path("twice.folded"), "--normalize"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("Change: 0, 0%"));
}

TEST_F(FlameCommands, ADifferenceOfUnlikeLengthsSaysSo) {
  const auto recording = [](int seconds) {
    std::string text;
    for (int i = 0; i <= seconds; ++i) {
      text += "app 7 " + std::to_string(100 + i) +
              ".000000: 10000000 cpu-clock:\n\t401136 f (/app)\n\n";
    }
    return text;
  };
  Write("long.script", recording(40));
  Write("short.script", recording(10));
  ASSERT_EQ(Run({"diff", Path("long.script"), Path("short.script")}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("Base: 410ms over 40s  "));
  EXPECT_THAT(out_, HasSubstr("New:  110ms over 10s  "));
  EXPECT_THAT(out_, HasSubstr("not equally long: --normalize"));
  ASSERT_EQ(Run({"diff", Path("long.script"), Path("short.script"), "-o", Path("d.svg")}), 0);
  EXPECT_THAT(Read("d.svg"), HasSubstr("not equally long"));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{Path("short.script"), "--normalize"}, {Path("long.script")}}) {
    std::vector<std::string> command{"diff", Path("long.script")};
    command.insert(command.end(), more.begin(), more.end());
    ASSERT_EQ(Run(command), 0) << err_;
    EXPECT_THAT(out_, Not(HasSubstr("equally long")));
  }
}

TEST_F(FlameCommands, DrawADifference) {
  ASSERT_EQ(Run({"diff", Path("base.folded"), Path("now.folded"), "-o", Path("d.svg")}), 0);
  EXPECT_THAT(Read("d.svg"), HasSubstr("base 5 samples, 21.74%; -5 samples, gone"));
}

TEST_F(FlameCommands, AScaledBaseIsAsLargeAsTheNewProfileToTheLast) {
  Write("thirds.folded", "a 1\nb 1\nc 1\n");
  Write("hundred.folded", "a 34\nb 33\nc 33\n");
  ASSERT_EQ(Run({"diff", Path("thirds.folded"), Path("hundred.folded"), "--normalize"}), 0);
  EXPECT_THAT(out_, HasSubstr("Change: 0, 0%"));
}

TEST_F(FlameCommands, ADifferenceIsNotWrittenIntoAFileOfAnotherKind) {
  EXPECT_EQ(Run({"diff", Path("base.folded"), Path("now.folded"), "-o", Path("d.folded")}), 2);
  EXPECT_THAT(err_, HasSubstr("d.folded"));
  EXPECT_EQ(Run({"diff", Path("base.folded"), Path("now.folded"), "-o", Path("d.txt")}), 0);
}

}  // namespace
}  // namespace sonde::cli
