#include "sonde/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "sonde/snapshot_catalog.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using ::testing::HasSubstr;

SessionOptions OptionsIn(const TemporaryFolder& folder, Role role = Role::kDaemon) {
  SessionOptions options;
  options.role = role;
  options.directory = folder / "session";
  options.console.console_port = 0;
  options.console.http_port = 0;
  return options;
}

void BurnCpu(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

std::vector<SnapshotEntry> EntriesOf(const TemporaryFolder& folder) {
  const auto catalog = SnapshotCatalog::Read(folder / "session");
  return catalog.ok() ? catalog.value().entries() : std::vector<SnapshotEntry>();
}

// Runs `body` in a child process and gives its exit code.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Session, IsIdleUntilStartedAndWritesItsLastSnapshotAtTheEnd) {
  const TemporaryFolder folder;
  Result<Session> session = Session::Create(OptionsIn(folder, Role::kTerminalUi));
  ASSERT_TRUE(session.ok()) << Describe(session.error());
  EXPECT_EQ(session.value().Snapshot().error().code, ErrorCode::kUsage);
  EXPECT_FALSE(std::filesystem::exists(folder / "session"));

  ASSERT_TRUE(session.value().Start().ok());
  EXPECT_EQ(session.value().Start().error().code, ErrorCode::kUsage);
  BurnCpu(0.2);
  ASSERT_TRUE(session.value().Snapshot().ok());
  BurnCpu(0.2);
  ASSERT_TRUE(session.value().End().ok());
  EXPECT_TRUE(session.value().End().ok());

  const std::vector<SnapshotEntry> entries = EntriesOf(folder);
  ASSERT_EQ(entries.size(), 2U);
  std::uint64_t samples = 0;
  for (const SnapshotEntry& entry : entries) {
    EXPECT_EQ(entry.name.prefix(), "tui-profile");
    EXPECT_EQ(entry.pid, getpid());
    samples += entry.samples;
  }
  const SessionStats stats = session.value().stats();
  EXPECT_GT(samples, 10U);
  EXPECT_EQ(stats.sampler.taken, samples + stats.sampler.dropped);
  EXPECT_EQ(stats.snapshots.samples, samples);
}

TEST(Session, OnlyOneRunsInAProcess) {
  const TemporaryFolder folder;
  Result<Session> one = Session::Create(OptionsIn(folder));
  Result<Session> other = Session::Create(OptionsIn(folder));
  ASSERT_TRUE(one.value().Start().ok());

  EXPECT_EQ(other.value().Start().error().code, ErrorCode::kUsage);
  ASSERT_TRUE(one.value().End().ok());
  EXPECT_TRUE(other.value().Start().ok());
  EXPECT_NE(other.value().console(), nullptr);
}

TEST(Session, TheRunningOneCanBeAskedForASnapshotFromAnywhere) {
  const TemporaryFolder folder;
  EXPECT_EQ(Session::SnapshotCurrent().error().code, ErrorCode::kUsage);
  {
    SONDE_SESSION(OptionsIn(folder));
    EXPECT_TRUE(Session::SnapshotCurrent().ok());
    SONDE_SNAPSHOT();
  }
  EXPECT_EQ(EntriesOf(folder).size(), 3U);
}

TEST(Session, AConfigurationErrorIsReportedAndTheProgramGoesOn) {
  const TemporaryFolder folder;
  SessionOptions options = OptionsIn(folder);
  options.config_file = folder.Write("sonde.toml", "[sampler]\nherz = 1\n");
  std::vector<std::string> reports;
  options.on_error = [&](const Error& error) { reports.push_back(Describe(error)); };
  { SONDE_SESSION(options); }

  ASSERT_EQ(reports.size(), 1U);
  EXPECT_THAT(reports[0], HasSubstr("sonde.toml:2: unknown key 'sampler.herz'"));
  EXPECT_TRUE(EntriesOf(folder).empty());
}

TEST(Session, AFolderThatCannotBeWrittenIsReportedOnce) {
  const TemporaryFolder folder;
  SessionOptions options = OptionsIn(folder);
  folder.Write("session", "a file in the way");
  int reports = 0;
  options.on_error = [&](const Error&) { ++reports; };
  {
    SONDE_SESSION(options);
    SONDE_SNAPSHOT();
    SONDE_SNAPSHOT();
  }
  EXPECT_EQ(reports, 1);
}

TEST(Session, WithoutSamplingThereAreNoSnapshots) {
  const TemporaryFolder folder;
  SessionOptions options = OptionsIn(folder);
  options.sampling = false;
  { SONDE_SESSION(options); }
  EXPECT_TRUE(EntriesOf(folder).empty());
}

TEST(Session, WallClockTimeIsWrittenBesideOrOnDemand) {
  const TemporaryFolder folder;
  SessionOptions options = OptionsIn(folder);
  Result<Session> session = Session::Create(options);
  EXPECT_EQ(session.value().CaptureWall(std::chrono::milliseconds(10)).error().code,
            ErrorCode::kUsage);
  ASSERT_TRUE(session.value().Start().ok());
  EXPECT_EQ(session.value().CaptureWall({}).error().code, ErrorCode::kUsage);
  const Result<std::string> captured = session.value().CaptureWall(std::chrono::milliseconds(60));
  ASSERT_TRUE(captured.ok()) << Describe(captured.error());
  EXPECT_THAT(captured.value(), HasSubstr("/daemon-wall-"));
  ASSERT_TRUE(session.value().End().ok());
  ASSERT_EQ(EntriesOf(folder).size(), 2U);
  const SnapshotEntry wall = EntriesOf(folder)[1];
  EXPECT_EQ(wall.label(), "Wall-clock profile (pprof)");
  EXPECT_GT(wall.samples, 0U);
  EXPECT_GE(wall.duration_ns, 60'000'000);

  const TemporaryFolder always;
  options = OptionsIn(always);
  options.wall = true;
  {
    SONDE_SESSION(options);
    SONDE_SNAPSHOT();
  }
  EXPECT_EQ(EntriesOf(always).size(), 4U);
}

TEST(Session, ExitWritesTheLastSnapshotToo) {
  const TemporaryFolder folder;
  const int exit_code = InChild([&] {
    SONDE_SESSION(OptionsIn(folder));
    std::exit(7);
  });
  EXPECT_EQ(exit_code, 7);
  EXPECT_EQ(EntriesOf(folder).size(), 1U);
}

TEST(Session, AForkedChildLeavesTheSessionAloneAndMayHaveItsOwn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the allocator of this sanitizer stays locked in a child of several threads";
#endif
  const TemporaryFolder folder;
  const TemporaryFolder other;
  const int exit_code = InChild([&] {
    Result<Session> session = Session::Create(OptionsIn(folder));
    if (!session.value().Start().ok()) _exit(1);
    const int grandchild = InChild([&] {
      if (session.value().Snapshot().ok()) _exit(2);
      if (!session.value().End().ok()) _exit(3);
      Result<Session> own = Session::Create(OptionsIn(other));
      if (!own.value().Start().ok()) _exit(4);
      if (!own.value().End().ok()) _exit(5);
    });
    if (grandchild != 0) _exit(10 + grandchild);
    if (!session.value().End().ok()) _exit(6);
  });
  EXPECT_EQ(exit_code, 0);
  EXPECT_EQ(EntriesOf(folder).size(), 1U);
  EXPECT_EQ(EntriesOf(other).size(), 1U);
}

TEST(Session, AWaitingThreadIsNotInterrupted) {
  const TemporaryFolder folder;
  SessionOptions options = OptionsIn(folder);
  options.snapshots.interval = std::chrono::milliseconds(50);
  options.sampler.catch_all = CatchAll::kOff;
  SONDE_SESSION(options);
  std::atomic<bool> goes_on{true};
  std::thread busy([&] {
    while (goes_on) BurnCpu(0.001);
  });
  int interrupted = 0;
  for (int i = 0; i < 100; ++i) interrupted += poll(nullptr, 0, 10) < 0 ? 1 : 0;
  goes_on = false;
  busy.join();
  EXPECT_EQ(interrupted, 0);
}

TEST(Session, ASigprofOwnerIsNotRobbed) {
  const TemporaryFolder folder;
  const int exit_code = InChild([&] {
    std::signal(SIGPROF, [](int) {});
    Result<Session> session = Session::Create(OptionsIn(folder));
    const Status started = session.value().Start();
    if (started.ok() || started.error().code != ErrorCode::kUnsupported) _exit(1);
  });
  EXPECT_EQ(exit_code, 0);
}

}  // namespace
}  // namespace sonde
