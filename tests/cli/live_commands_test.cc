#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "cli/commands.h"
#include "cli/console_model.h"
#include "cli/grpc_client.h"
#include "console/client/http_client.h"
#include "sonde/formats.h"
#include "sonde/task.h"
#include "tests/cli/run_sonde.h"
#include "tests/support/console_on_free_port.h"
#include "tests/support/temporary_folder.h"

namespace sonde::cli {
namespace {

using testing::HasSubstr;

Outcome Sonde(std::vector<std::string> arguments) {
  return RunSonde({AddCapture, AddSnapshot, AddTop}, std::move(arguments));
}

TEST(LiveCommands, CaptureWritesWhatTheServerSampledInAnyFormat) {
  const ConsoleOnFreePort console;
  const TemporaryFolder folder;
  const std::string pprof = folder / "cpu.pb.gz";
  const Outcome outcome = Sonde({"capture", console.url(), "--seconds", "1", "-o", pprof});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Profile profile = ReadProfileFile(pprof).value();
  EXPECT_EQ(profile.Total(0), 100);
  EXPECT_EQ(profile.Total(profile.default_sample_type()), 1'000'000'000);
  const Outcome folded = Sonde({"capture", console.url() + "/pprof/profile", "--seconds", "1",
                                "--to", "folded", "--by", "addresses", "-o", "-"});
  EXPECT_EQ(folded.code, 0) << folded.err;
  EXPECT_THAT(folded.out, HasSubstr(" 700000000\n"));
}

TEST(LiveCommands, CaptureNamesTheFormatsThatItWrites) {
  const Outcome outcome = Sonde({"capture", "-o", "c.svg"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there are: pprof, folded, speedscope, json"));
}

TEST(LiveCommands, WhatTheServerHasNotIsAnErrorWithItsReason) {
  const ConsoleOnFreePort console;
  const TemporaryFolder folder;
  const Outcome heap = Sonde({"capture", console.url(), "--heap", "-o", folder / "x.pb"});
  EXPECT_EQ(heap.code, 2);
  EXPECT_THAT(heap.err, HasSubstr("404: no heap profiles"));
  EXPECT_FALSE(std::filesystem::exists(folder / "x.pb"));
  EXPECT_EQ(Sonde({"capture", "ftp://127.0.0.1", "-o", folder / "x.pb"}).code, 2);
  const Outcome nobody =
      Sonde({"capture", "127.0.0.1:" + std::to_string(FreePort()), "-o", folder / "x.pb"});
  EXPECT_EQ(nobody.code, 2);
  EXPECT_THAT(nobody.err, HasSubstr("nothing answers"));
  EXPECT_EQ(Sonde({"capture", console.url(), "--wall", "--heap", "-o", folder / "x.pb"}).code, 2);
}

TEST(LiveCommands, TopLivePrintsARoundForEachProfile) {
  const ConsoleOnFreePort console;
  const Outcome one =
      Sonde({"top", "--live", console.url(), "--seconds", "1", "--by", "addresses"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("700ms"));
  const Outcome two =
      Sonde({"top", "--live", console.url(), "--seconds", "1", "--rounds", "2", "-n", "1"});
  const std::size_t first = two.out.find("Showing 1 of ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(two.out.find("Showing 1 of ", first + 1), std::string::npos);
  EXPECT_EQ(Sonde({"top", "x", "--seconds", "1"}).code, 2);
  EXPECT_EQ(
      Sonde({"top", "--live", "--filter", "thread=worker", console.url(), "--seconds", "1"}).code,
      0);
}

TEST(LiveCommands, SnapshotNamesTheFileAndPassesTheServersRules) {
  ConsoleHooks hooks;
  hooks.write_snapshot = [] { return Result<std::string>("/run/daemon-profile-1.pb.gz"); };
  ConsoleOptions options;
  options.token = "secret";
  const ConsoleOnFreePort console(options, hooks);
  EXPECT_EQ(Sonde({"snapshot", console.url()}).code, 5);
  const Outcome outcome = Sonde({"snapshot", console.url(), "--token", "secret"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "daemon-profile-1.pb.gz\n");
}

TEST(LiveCommands, AConsoleClientNeedsTheTokenToo) {
  ConsoleOptions options;
  options.token = "secret";
  const ConsoleOnFreePort console(options);
  for (const auto& [token, is_let_in] :
       {std::pair("", false), std::pair("wrong", false), std::pair("secret", true)}) {
    auto client = GrpcClient::Connect(console.url(), token);
    ASSERT_TRUE(client.ok());
    ASSERT_TRUE(client.value()->Call("WatchUpdates").ok());
    std::vector<GrpcEvent> events;
    for (int i = 0; i < 50 && events.empty(); ++i) {
      events = client.value()->Wait(std::chrono::milliseconds(100)).value();
    }
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events[0].is_end, !is_let_in) << token;
    EXPECT_TRUE(is_let_in || events[0].status == "16") << events[0].status;
  }
}

TEST(LiveCommands, AConsoleThatStopsTellsWhatHasEndedBefore) {
  Task task("ends with the program");
  const std::uint64_t id = task.id();
  ConsoleOptions options;
  options.publish_interval = std::chrono::seconds(60);
  auto console = std::make_unique<ConsoleOnFreePort>(options);
  auto client = GrpcClient::Connect(console->url());
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(client.value()->Call("WatchUpdates").ok());
  ConsoleModel model;
  const auto take = [&] {
    const auto events = client.value()->Wait(std::chrono::milliseconds(100));
    if (!events.ok()) return false;
    for (const GrpcEvent& event : events.value()) {
      if (event.is_end) continue;
      EXPECT_TRUE(model.Apply(event.message).ok());
    }
    return true;
  };
  for (int i = 0; i < 50 && model.tasks().empty(); ++i) take();
  ASSERT_TRUE(model.tasks().contains(id));
  task.End();
  console.reset();
  while (take()) {
  }
  EXPECT_EQ(model.tasks().at(id).state(), TaskState::kCompleted);
}

TEST(LiveCommands, AUnixSocketWillDo) {
  const TemporaryFolder folder;
  ConsoleOptions options;
  options.unix_socket = folder / "console.sock";
  const ConsoleOnFreePort console(options);
  const Outcome outcome = Sonde({"top", "--live", "unix:" + options.unix_socket, "--seconds", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(ServerAddress, IsTakenApart) {
  const auto parse = [](const char* url) { return ParseServerAddress(url, "6060"); };
  EXPECT_EQ(parse("localhost").value().Authority(), "localhost:6060");
  EXPECT_EQ(parse("http://[::1]:80/x?y").value().Authority(), "[::1]");
  EXPECT_EQ(parse("http://[::1]:80/x?y").value().path, "/x?y");
  EXPECT_EQ(parse("https://push.example/base").value().port, "443");
  EXPECT_TRUE(parse("https://push.example").value().is_tls);
  EXPECT_EQ(parse("http://a?b=c").value().path, "/?b=c");
  EXPECT_EQ(parse("unix:/run/x").value().unix_path, "/run/x");
  for (const char* const url : {"", "http://", "http://a:b", "ftp://a", "http://u:p@a", "a b",
                                "http://a\r\nX: y", "http://a:123456"}) {
    EXPECT_EQ(parse(url).error().code, ErrorCode::kUsage) << url;
  }
}

}  // namespace
}  // namespace sonde::cli
