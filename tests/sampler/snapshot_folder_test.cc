#include "sampler/snapshot_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "sampler/snapshot_comment.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr std::int64_t kTime = 1'796'035'569'123;  // 2026-11-30T10:46:09.123Z

SnapshotName NameOf(std::uint64_t sequence, std::string role = "daemon",
                    std::string kind = "profile") {
  return {.role = std::move(role),
          .kind = std::move(kind),
          .time_ms = kTime + static_cast<std::int64_t>(sequence),
          .sequence = sequence};
}

std::string Tagged(char field, std::string_view bytes) {
  std::string text(1, static_cast<char>(field << 3 | 2));
  return text.append(1, static_cast<char>(bytes.size())).append(bytes);
}

// A pprof message that holds nothing but the facts.
std::string MessageWith(const SnapshotFacts& facts) {
  const std::string text = facts.Text();
  std::string message = Tagged(6, "");
  message += static_cast<char>(6 << 3 | 2);
  message += static_cast<char>(0x80 | (text.size() & 0x7f));
  message += static_cast<char>(text.size() >> 7);
  return message + text + Tagged(13, "\x01");
}

std::string SomeSnapshot(std::uint64_t sequence) {
  return MessageWith({.role = "daemon",
                      .kind = "profile",
                      .pid = 77,
                      .sequence = sequence,
                      .start_ns = kTime * 1'000'000,
                      .duration_ns = 2'000'000'000,
                      .samples = 100 + sequence,
                      .dropped = 1});
}

std::string Slurp(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> SnapshotFiles(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    if (SnapshotName::Parse(name)) names.insert(name);
  }
  return names;
}

// The names that catalog.json lists.
std::set<std::string> ListedFiles(const std::string& folder) {
  std::set<std::string> names;
  std::istringstream json(Slurp(folder + "/catalog.json"));
  constexpr std::string_view kKey = "\"name\": \"";
  for (std::string line; std::getline(json, line);) {
    const std::size_t at = line.find(kKey);
    if (at == std::string::npos) continue;
    const std::string rest = line.substr(at + kKey.size());
    names.insert(rest.substr(0, rest.find('"')));
  }
  return names;
}

TEST(SnapshotName, IsReadBackAsItWasWritten) {
  const SnapshotName name = NameOf(7);
  EXPECT_EQ(name.Text(), "daemon-profile-20261130T104609.130Z-7.pb.gz");
  EXPECT_EQ(SnapshotName::Parse(name.Text()), name);

  SnapshotName with_pid = NameOf(7, "tui", "heap");
  with_pid.pid = 4242;
  EXPECT_EQ(with_pid.Text(), "tui-heap-20261130T104609.130Z-7-4242.pb.gz");
  EXPECT_EQ(SnapshotName::Parse(with_pid.Text()), with_pid);
}

TEST(SnapshotName, OtherFilesAreNotSnapshots) {
  for (const char* other :
       {"catalog.json", "daemon-profile-20261130T104609.130Z-7.pb",
        "daemon-profile-20261130T104609.130Z.pb.gz", "other-profile-20261130T104609.130Z-7.pb.gz",
        "daemon-profile-2026113oT104609.130Z-7.pb.gz",
        "daemon-profile-20261130T104609.130Z--7.pb.gz",
        ".daemon-profile-20261130T104609.130Z-7.pb.gz.12-0.tmp", ""}) {
    EXPECT_EQ(SnapshotName::Parse(other), std::nullopt) << other;
  }
}

TEST(SnapshotFacts, AreReadBackFromAComment) {
  const SnapshotFacts facts{.role = "tui",
                            .kind = "heap",
                            .pid = 1,
                            .sequence = 2,
                            .start_ns = 3,
                            .duration_ns = 4,
                            .samples = 5,
                            .dropped = 6};
  EXPECT_EQ(SnapshotFacts::Parse(facts.Text()), facts);
  EXPECT_EQ(SnapshotFacts::Parse("sonde cpu: process_ns=1"), std::nullopt);
  EXPECT_EQ(SnapshotFacts::Parse("sonde snapshot: role=a kind=b pid=x"), std::nullopt);
}

TEST(SnapshotFolder, TheCatalogListsWhatIsThereNewestFirst) {
  const TemporaryFolder folder;
  SnapshotFolder snapshots(folder / "session/profiling", 8);
  ASSERT_TRUE(snapshots.Add(NameOf(1), SomeSnapshot(1)).ok());
  ASSERT_TRUE(snapshots.Add(NameOf(2), SomeSnapshot(2)).ok());

  const auto catalog = SnapshotCatalog::Read(folder / "session");

  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog.value().entries().size(), 2U);
  const SnapshotEntry& newest = catalog.value().entries()[0];
  EXPECT_EQ(newest.name.sequence, 2U);
  EXPECT_TRUE(newest.readable);
  EXPECT_EQ(newest.samples, 102U);
  EXPECT_EQ(newest.dropped, 1U);
  EXPECT_EQ(newest.pid, 77);
  EXPECT_EQ(newest.duration_ns, 2'000'000'000);
  EXPECT_EQ(newest.label(), "CPU profile (pprof)");
  EXPECT_EQ(Slurp(folder / "session/profiling/catalog.json"), catalog.value().ToJson());
  EXPECT_THAT(catalog.value().ToJson(), HasSubstr("\"start\": \"2026-11-30T10:46:09.123Z\""));
}

TEST(SnapshotFolder, KeepsTheNewestOfEachPrefix) {
  const TemporaryFolder folder;
  SnapshotFolder daemon(folder.path(), 3);
  SnapshotFolder terminal(folder.path(), 3);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    ASSERT_TRUE(daemon.Add(NameOf(i), SomeSnapshot(i)).ok());
    if (i <= 2) {
      ASSERT_TRUE(terminal.Add(NameOf(i, "tui"), SomeSnapshot(i)).ok());
    }
  }

  EXPECT_THAT(SnapshotFiles(folder.path()),
              ElementsAre(NameOf(8).Text(), NameOf(9).Text(), NameOf(10).Text(),
                          NameOf(1, "tui").Text(), NameOf(2, "tui").Text()));
  EXPECT_EQ(ListedFiles(folder.path()), SnapshotFiles(folder.path()));
}

TEST(SnapshotFolder, ATakenNameGetsTheProcessId) {
  const TemporaryFolder folder;
  SnapshotFolder one(folder.path(), 8);
  SnapshotFolder other(folder.path(), 8);
  ASSERT_TRUE(one.Add(NameOf(1), SomeSnapshot(1)).ok());

  const auto second = other.Add(NameOf(1), SomeSnapshot(2));

  ASSERT_TRUE(second.ok());
  EXPECT_THAT(second.value().path, HasSubstr("-1-" + std::to_string(getpid()) + ".pb.gz"));
  EXPECT_EQ(SnapshotFiles(folder.path()).size(), 2U);
}

TEST(SnapshotFolder, AClockThatWasSetBackDoesNotStopRotation) {
  const TemporaryFolder folder;
  SnapshotFolder snapshots(folder.path(), 2);
  SnapshotName future = NameOf(1);
  future.time_ms = std::int64_t{4'000'000'000'000};
  for (; future.sequence < 4; ++future.sequence) {
    ASSERT_TRUE(snapshots.Add(future, SomeSnapshot(1)).ok());
  }
  SnapshotName now = NameOf(9);
  now.time_ms = 1'600'000'000'000;
  ASSERT_TRUE(snapshots.Add(now, SomeSnapshot(9)).ok());
  ++now.time_ms;
  ASSERT_TRUE(snapshots.Add(now, SomeSnapshot(9)).ok());

  EXPECT_EQ(SnapshotFiles(folder.path()),
            (std::set<std::string>{"daemon-profile-20200913T122640.000Z-9.pb.gz",
                                   "daemon-profile-20200913T122640.001Z-9.pb.gz"}));
}

TEST(SnapshotFolder, AFileThatIsNoSnapshotInsideIsListedWithoutFigures) {
  const TemporaryFolder folder;
  folder.Write(NameOf(1).Text(), "not gzip, not pprof");
  SnapshotFolder snapshots(folder.path(), 8);
  ASSERT_TRUE(snapshots.Refresh().ok());

  EXPECT_EQ(ListedFiles(folder.path()), SnapshotFiles(folder.path()));
  EXPECT_THAT(Slurp(folder / "catalog.json"), HasSubstr("\"samples\": null"));
}

TEST(SnapshotFolder, AFolderThatCannotBeMadeIsAnError) {
  const TemporaryFolder folder;
  folder.Write("file", "");
  SnapshotFolder snapshots(folder / "file/profiling", 8);

  const auto added = snapshots.Add(NameOf(1), SomeSnapshot(1));

  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kOutput);
  EXPECT_THAT(added.error().file, HasSubstr("file/profiling"));
  EXPECT_EQ(SnapshotCatalog::Read(folder / "none").error().code, ErrorCode::kNotFound);
}

TEST(SnapshotFolder, RemovesWhatAKilledProcessLeftAndNothingElse) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const std::string dead = "." + NameOf(1).Text() + "." + std::to_string(child) + "-0.tmp";
  const std::string alive = "." + NameOf(1).Text() + "." + std::to_string(getppid()) + "-0.tmp";
  folder.Write(dead, "half");
  folder.Write(alive, "half");
  folder.Write(".notes.1-0.tmp", "not ours");
  SnapshotFolder snapshots(folder.path(), 8);
  ASSERT_TRUE(snapshots.Refresh().ok());

  EXPECT_FALSE(fs::exists(folder / dead));
  EXPECT_TRUE(fs::exists(folder / alive));
  EXPECT_TRUE(fs::exists(folder / ".notes.1-0.tmp"));
}

// Two processes write into one folder; one is killed again and again in the middle of its work.
TEST(SnapshotFolder, AKilledNeighbourCostsNothing) {
  const TemporaryFolder folder;
  constexpr int kKills = 12;
  SnapshotFolder daemon(folder.path(), 4);
  std::uint64_t written = 0;
  for (int kill_count = 0; kill_count < kKills; ++kill_count) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      SnapshotFolder terminal(folder.path(), 4);
      for (std::uint64_t i = 1;; ++i) {
        if (!terminal.Add(NameOf(i, "tui"), SomeSnapshot(i)).ok()) _exit(1);
        // A lock that is never free cannot be had: its other waiter asks now and then.
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
    for (int i = 0; i <= kill_count; ++i) {
      ++written;
      const auto added = daemon.Add(NameOf(written), SomeSnapshot(written));
      ASSERT_TRUE(added.ok()) << added.error().message;
      EXPECT_TRUE(added.value().catalog.ok());
      EXPECT_TRUE(fs::exists(added.value().path));
    }
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  ASSERT_TRUE(daemon.Refresh().ok());

  EXPECT_EQ(ListedFiles(folder.path()), SnapshotFiles(folder.path()));
  const auto catalog = SnapshotCatalog::Read(folder.path());
  ASSERT_TRUE(catalog.ok());
  std::vector<std::uint64_t> kept;
  for (const SnapshotEntry& entry : catalog.value().entries()) {
    EXPECT_TRUE(entry.readable) << entry.file_name;
    if (entry.name.role == "daemon") kept.push_back(entry.name.sequence);
  }
  EXPECT_THAT(kept, ElementsAre(written, written - 1, written - 2, written - 3));
  for (const auto& file : fs::directory_iterator(folder.path())) {
    EXPECT_THAT(file.path().string(), Not(HasSubstr(".tmp")));
  }
}

}  // namespace
}  // namespace sonde
