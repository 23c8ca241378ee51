#include "sonde/collection.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "sonde/analysis.h"
#include "sonde/artifact.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Stands in for perf: finds "-o FILE" and does what the test says, with $out, and the target's
// words behind "--" in $@.
constexpr const char* kFakePerf = R"(#!/bin/sh
echo "$@" > "${0%/*}/argv"
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  [ "$1" = -o ] && out=$2
  shift
done
[ $# -eq 0 ] || shift
)";
// A recording as far as anybody looks before it is read: magic, and a size that is not 0.
constexpr const char* kWriteRecording =
    "{ printf PERFILE2; head -c 40 /dev/zero; printf 'AAAAAAAA'; } > \"$out\"\n";

class Collection : public testing::Test {
 protected:
  CollectionRequest Request(const std::string& behaviour) const {
    const std::string perf = folder_.Write("perf", kFakePerf + behaviour);
    ::chmod(perf.c_str(), 0700);
    CollectionRequest request;
    request.perf_path = perf;
    request.executable = "/bin/true";
    request.data_output = folder_ / "out.data";
    request.metadata_output = folder_ / "out.json";
    request.authorize_target = true;
    request.authorization = kTargetPhrase;
    request.timeout_seconds = 20;
    return request;
  }
  json Collected(const CollectionRequest& request) const {
    const Result<json> artifact = Collect(request);
    EXPECT_TRUE(artifact.ok()) << (artifact.ok() ? "" : Describe(artifact.error()));
    return artifact.ok() ? artifact.value() : json::object();
  }
  // Fails with `code` and leaves nothing but the fake and its notes.
  Error Refused(const CollectionRequest& request, ErrorCode code) const {
    const Result<json> artifact = Collect(request);
    EXPECT_FALSE(artifact.ok());
    if (artifact.ok()) return {};
    EXPECT_EQ(artifact.error().code, code) << Describe(artifact.error());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(name == "perf" || name == "argv" || name == "taken") << name;
    }
    return artifact.error();
  }
  std::string Argv() const { return ReadRegularFile(folder_ / "argv", 1 << 16).value(); }

  TemporaryFolder folder_;
};

TEST_F(Collection, EveryGateIsClosedUntilItIsOpened) {
  const CollectionRequest open = Request(kWriteRecording);
  CollectionRequest request = open;
  request.authorize_target = false;
  EXPECT_EQ(Refused(request, ErrorCode::kDenied).stage, "authorization");
  request = open;
  request.authorization = "I_AUTHORIZE";
  Refused(request, ErrorCode::kDenied);
  request = open;
  request.executable.clear();
  request.pid = ::getppid();
  request.duration_seconds = 0.1;
  Refused(request, ErrorCode::kDenied);
  request.authorize_pid_attach = true;
  Refused(request, ErrorCode::kDenied);
  request.pid_authorization = kPidPhrase;
  EXPECT_EQ(Collected(request)["target_pid"], ::getppid());
  EXPECT_THAT(Argv(), HasSubstr(" -p " + std::to_string(::getppid()) + " -- /usr/bin/sleep 0.100"));
}

TEST_F(Collection, TellsWhatWasRecordedAndNoArgument) {
  CollectionRequest request = Request(std::string(kWriteRecording) + "echo one >&2; exit 3\n");
  request.arguments = {"--password", "secret"};
  const json artifact = Collected(request);
  EXPECT_EQ(artifact["target_type"], "command");
  EXPECT_EQ(artifact["target_argument_count"], 2);
  EXPECT_EQ(artifact["target_exit_status"], 3);
  EXPECT_THAT(artifact["warnings"].dump(), HasSubstr("status 3"));
  EXPECT_EQ(artifact["diagnostics"], json::array({"one"}));
  EXPECT_EQ(artifact["output_bytes"], 56);
  EXPECT_EQ(artifact.dump().find("secret"), std::string::npos);
  EXPECT_EQ(ReadArtifact(request.metadata_output, 1 << 20).value(), artifact);
  EXPECT_EQ(Sha256(ReadRegularFile(request.data_output, 1 << 20).value()),
            artifact["output_sha256"]);
  // A second time nothing is overwritten.
  EXPECT_EQ(Collect(request).error().code, ErrorCode::kPathSafety);
}

TEST_F(Collection, ModesFollowTheTargetAlone) {
  for (const auto& [mode, words] :
       {std::pair{CollectionMode::kRecord, "record --freq 99 --sample-cpu --call-graph dwarf"},
        std::pair{CollectionMode::kSched, "record -c 1 --sample-cpu -e sched:sched_switch"},
        std::pair{CollectionMode::kLock, "record -c 1 --sample-cpu -e lock:contention_begin"},
        std::pair{CollectionMode::kOffCpu,
                  "-e sched:sched_switch --switch-events --call-graph dwarf"}}) {
    CollectionRequest request = Request(kWriteRecording);
    request.mode = mode;
    request.data_output += NameOf(mode);
    request.metadata_output += NameOf(mode);
    EXPECT_EQ(Collected(request)["mode"], NameOf(mode));
    EXPECT_THAT(Argv(), HasSubstr(words));
    EXPECT_THAT(Argv(), HasSubstr(" -- /bin/true\n"));
    EXPECT_EQ(Argv().find(" -a"), std::string::npos);
  }
}

TEST_F(Collection, CountersBecomeMetricsWithInstructionsPerCycle) {
  CollectionRequest request = Request(
      "printf '# started\\n1000000;;cycles;5;100.00;;\\n2000000;;instructions;5;100.00;;\\n"
      "<not supported>;;branch-misses;0;100.00;;\\n' > \"$out\"\n");
  request.mode = CollectionMode::kStat;
  request.events = {"cycles", "instructions", "branch-misses"};
  const json artifact = Collected(request);
  EXPECT_THAT(Argv(), HasSubstr("stat --no-big-num -x ; -e cycles,instructions,branch-misses"));
  EXPECT_EQ(artifact["output_format"], "perf_stat_delimited");
  ASSERT_EQ(artifact["metrics"].size(), 4U);
  EXPECT_EQ(artifact["metrics"][2]["status"], "not_supported");
  EXPECT_FALSE(artifact["metrics"][2].contains("value"));
  EXPECT_EQ(artifact["metrics"][3]["event"], "instructions-per-cycle");
  EXPECT_EQ(artifact["metrics"][3]["value"], 2.0);
}

TEST_F(Collection, TheTargetKeepsItsEnvironment) {
  ::setenv("SONDE_TEST_MARK", "kept", 1);
  CollectionRequest request = Request(std::string(kWriteRecording) + "echo $SONDE_TEST_MARK >&2\n");
  EXPECT_EQ(Collected(request)["diagnostics"][0], "kept");
  ::unsetenv("SONDE_TEST_MARK");
}

TEST_F(Collection, FailuresSayWhyAndLeaveNothing) {
  const Error failed = Refused(Request("echo no permission >&2; exit 255\n"), ErrorCode::kTool);
  ASSERT_GE(failed.details.size(), 3U);
  EXPECT_EQ(std::get<std::string>(failed.details[2].value), "no permission\n");
  Refused(Request(": > \"$out\"\n"), ErrorCode::kMalformed);

  CollectionRequest request = Request("head -c 100000 /dev/zero > \"$out\"; sleep 20\n");
  request.max_data_bytes = 1000;
  const Error grown = Refused(request, ErrorCode::kLimit);
  EXPECT_THAT(grown.message, HasSubstr("1000 bytes"));
  EXPECT_EQ(grown.file, request.data_output);
  request = Request("trap '' TERM; sleep 20\n");
  request.timeout_seconds = 0.1;
  EXPECT_THAT(Refused(request, ErrorCode::kTimeout).message, HasSubstr("longer than 0.1 s"));
  request = Request(kWriteRecording);
  request.max_metadata_bytes = 2;
  Refused(request, ErrorCode::kLimit);
  // The description cannot be put in its place: the recording goes as well.
  request = Request(std::string(kWriteRecording) + ": > \"${0%/*}/taken\"\n");
  request.metadata_output = folder_ / "taken";
  Refused(request, ErrorCode::kPathSafety);
}

TEST_F(Collection, WhatIsRecordedIsForNobodyElse) {
  const std::string perf = std::string(kWriteRecording) + "chmod 644 \"$out\"\n";
  CollectionRequest request = Request(perf);
  Collected(request);
  for (const std::string& output : {request.data_output, request.metadata_output}) {
    EXPECT_EQ(fs::status(output).permissions(), fs::perms::owner_read | fs::perms::owner_write)
        << output;
  }
}

TEST_F(Collection, CalledOffItEndsWhatRunsAndLeavesNothing) {
  CollectionRequest request = Request("sleep 100\n");
  std::stop_source stop;
  stop.request_stop();
  request.stop = stop.get_token();
  EXPECT_THAT(Refused(request, ErrorCode::kTimeout).message, HasSubstr("called off"));
}

TEST_F(Collection, ARelativeNameOfPerfIsRefusedWithTheReason) {
  CollectionRequest request = Request("");
  request.perf_path = "perf";
  EXPECT_THAT(Refused(request, ErrorCode::kPathSafety).message,
              HasSubstr("named by its absolute path, which 'perf' is not"));
}

TEST_F(Collection, ChattyTargetsAreNoFailure) {
  CollectionRequest request =
      Request(std::string(kWriteRecording) + "head -c 3000000 /dev/zero; echo done >&2\n");
  EXPECT_EQ(Collected(request)["diagnostics"][0], "done");
}

TEST_F(Collection, ProgramsThatEmbedUsAreAskedOnlyOnceTheGatesAreOpen) {
  CollectionRequest request = Request("");
  int asked = 0;
  const auto take = [&]() -> Result<std::string> {
    ++asked;
    return std::string("profile");
  };
  request.authorization.clear();
  EXPECT_EQ(CollectFrom("http://127.0.0.1:6060", request, take).error().code, ErrorCode::kDenied);
  EXPECT_EQ(asked, 0);
  request.authorization = kTargetPhrase;
  const Result<json> artifact = CollectFrom("http://127.0.0.1:6060", request, take);
  ASSERT_TRUE(artifact.ok()) << Describe(artifact.error());
  EXPECT_EQ(artifact.value()["mode"], "attach_console");
  EXPECT_EQ(artifact.value()["output_bytes"], 7);
  EXPECT_EQ(ReadRegularFile(request.data_output, 100).value(), "profile");
}

TEST_F(Collection, PerfReadsRecordingsThatWeCannot) {
  // A recording of a version that does not exist yet, and a perf that knows it but not its CPUs.
  const std::string recording =
      folder_.Write("new.data", "PERFILE2" + std::string(1, '\x01') + std::string(200, '\0'));
  Request(R"sh(
case "$(cat "${0%/*}/argv")" in
  *",cpu,"*) echo "Samples for 'x' event do not have CPU attribute set." >&2; exit 1 ;;
esac
printf 'app 1/1 5.0: 11 cycles:u:\n\t 1f leaf (/bin/app)\n\n'
)sh");
  AnalysisOptions options;
  EXPECT_EQ(AnalyzeFile(recording, options).error().code, ErrorCode::kUnsupported);
  options.perf_path = folder_ / "perf";
  const Result<Analysis> analysis = AnalyzeFile(recording, options);
  ASSERT_TRUE(analysis.ok()) << Describe(analysis.error());
  EXPECT_THAT(Argv(),
              HasSubstr("script --ns -F comm,pid,tid,time,event,period,ip,sym,dso,srcline"));
  EXPECT_EQ(analysis.value().source_type, "perf_data");
  EXPECT_EQ(analysis.value().main.total_weight, 11);
  EXPECT_EQ(analysis.value().status, "partial");
  ASSERT_EQ(analysis.value().warnings.size(), 2U);
  EXPECT_EQ(analysis.value().warnings[1].code, "MISSING_SAMPLE_CPU");
  options.perf_path = "/bin/cat";
  EXPECT_EQ(AnalyzeFile(recording, options).error().code, ErrorCode::kPathSafety);
}

TEST_F(Collection, RefusesTargetsAndToolsThatAreNone) {
  const CollectionRequest good = Request(kWriteRecording);
  CollectionRequest request = good;
  request.executable = "true";
  EXPECT_THAT(Refused(request, ErrorCode::kPathSafety).message,
              HasSubstr("named by its absolute path, which 'true' is not"));
  request = good;
  request.executable = folder_.path();
  Refused(request, ErrorCode::kPathSafety);
  request = good;
  request.arguments = {std::string("a\nb")};
  Refused(request, ErrorCode::kUsage);
  request = good;
  request.pid = ::getppid();
  request.authorize_pid_attach = true;
  request.pid_authorization = kPidPhrase;
  Refused(request, ErrorCode::kUsage);
  request.executable.clear();
  Refused(request, ErrorCode::kUsage);  // No duration.
  request.duration_seconds = 1;
  request.pid = ::getpid();
  Refused(request, ErrorCode::kUsage);
  request = good;
  request.perf_path = "/bin/sh";
  Refused(request, ErrorCode::kPathSafety);
  request.perf_path = "perf";
  Refused(request, ErrorCode::kPathSafety);
  request = good;
  request.mode = CollectionMode::kStat;
  for (const char* event : {"", "a,b", "-a", "{cycles}", "a;b"}) {
    request.events = {event};
    Refused(request, ErrorCode::kUsage);
  }
  request = good;
  request.metadata_output = request.data_output;
  Refused(request, ErrorCode::kPathSafety);
  fs::create_symlink("nowhere", folder_ / "taken");
  request = good;
  request.data_output = folder_ / "taken";
  Refused(request, ErrorCode::kPathSafety);
}

}  // namespace
}  // namespace sonde
