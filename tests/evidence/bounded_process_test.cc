#include "evidence/bounded_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <thread>

#include "sonde/artifact.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;

Result<ProcessOutcome> Shell(const std::string& script, const ProcessLimits& limits = {}) {
  return RunBounded({"/bin/sh", "-c", script}, PlainEnvironment(), limits);
}

ErrorCode CodeOf(const Result<ProcessOutcome>& outcome) {
  EXPECT_FALSE(outcome.ok());
  return outcome.ok() ? ErrorCode::kInternal : outcome.error().code;
}

TEST(BoundedProcess, KeepsWhatWasSaidUpToItsLimits) {
  const Result<ProcessOutcome> outcome =
      Shell("echo out; printf 0123456789abcdefXYZ >&2; exit 7", {.stderr_bytes = 16});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().exit_code, 7);
  EXPECT_EQ(outcome.value().stdout_text, "out\n");
  EXPECT_EQ(outcome.value().stderr_text, "0123456789abcdef");
  EXPECT_EQ(outcome.value().stderr_dropped, 3U);
  const Error error = FailedProcess("/bin/sh", outcome.value());
  EXPECT_EQ(error.code, ErrorCode::kTool);
  EXPECT_EQ(std::get<std::int64_t>(error.details[1].value), 7);
  EXPECT_EQ(std::get<std::int64_t>(error.details[3].value), 1);
  EXPECT_EQ(Shell("kill -9 $$").value().exit_code, 128 + 9);
}

TEST(BoundedProcess, NothingButTheStreamsAndTheEnvironmentIsInherited) {
  const Result<ProcessOutcome> outcome = Shell("cat; ls /proc/self/fd | wc -l; env | sort");
  ASSERT_TRUE(outcome.ok());
  // 0, 1, 2, and the folder that ls reads.
  EXPECT_TRUE(outcome.value().stdout_text.starts_with("4\n")) << outcome.value().stdout_text;
  EXPECT_NE(outcome.value().stdout_text.find("LC_ALL=C\n"), std::string::npos);
  EXPECT_EQ(outcome.value().stdout_text.find("GTEST"), std::string::npos);
}

TEST(BoundedProcess, PastABoundTheWholeGroupIsEnded) {
  const TemporaryFolder folder;
  const std::string script = "trap '' TERM; sleep 100 & echo $! > " + folder / "pid" + "; wait";
  EXPECT_EQ(CodeOf(Shell(script, {.timeout = milliseconds(1000)})), ErrorCode::kTimeout);
  const Result<std::string> number = ReadRegularFile(folder / "pid", 100);
  ASSERT_TRUE(number.ok());
  const int grandchild = std::stoi(number.value());
  // Whoever adopted it reaps it; until then it is a zombie.
  bool is_gone = false;
  for (int tries = 0; tries < 500 && !is_gone; ++tries) {
    is_gone = ::kill(grandchild, 0) != 0 ||
              !std::filesystem::exists("/proc/" + std::to_string(grandchild) + "/exe");
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_TRUE(is_gone);
}

TEST(BoundedProcess, BoundsHoldForSilentAndForLoudPrograms) {
  EXPECT_EQ(CodeOf(Shell("exec >&- 2>&-; sleep 100", {.timeout = milliseconds(50)})),
            ErrorCode::kTimeout);
  EXPECT_EQ(CodeOf(Shell("head -c 100000 /dev/zero; sleep 100", {.stdout_bytes = 100})),
            ErrorCode::kLimit);
  const Result<ProcessOutcome> dropped =
      Shell("head -c 100000 /dev/zero", {.stdout_bytes = 100, .drop_excess_stdout = true});
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(dropped.value().stdout_text.size(), 100U);
  EXPECT_EQ(dropped.value().stdout_dropped, 99'900U);
}

TEST(BoundedProcess, OnlyProgramsThatAreMeantAreRun) {
  for (const char* path : {"sh", "./sh", "/bin", "/etc/passwd", "/nowhere"}) {
    EXPECT_EQ(CodeOf(RunBounded({path}, {}, {})), ErrorCode::kPathSafety) << path;
  }
  const TemporaryFolder folder;
  for (const char* name : {"perf", "perf_6.1", "perf-6.1.2", "perfidious", "myperf"}) {
    const std::string path = folder.Write(name, "#!/bin/sh\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    EXPECT_EQ(AllowedExecutable(path, "perf").ok(), name[4] != 'i' && name[0] == 'p') << name;
  }
  std::filesystem::create_symlink("/bin/sh", folder / "linked");
  std::filesystem::rename(folder / "linked", folder / "perf");
  EXPECT_EQ(AllowedExecutable(folder / "perf", "perf").error().code, ErrorCode::kPathSafety);
}

}  // namespace
}  // namespace sonde
