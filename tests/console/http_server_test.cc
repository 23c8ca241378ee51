#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "console/interval_hub.h"
#include "sonde/console.h"
#include "sonde/task.h"
#include "tests/console/console_test.h"
#include "tests/support/console_on_free_port.h"

namespace sonde {
namespace {

using namespace std::chrono_literals;

TEST_F(ConsoleTest, AnswersOverHttp11) {
  Start();
  const Task task("visible");
  EXPECT_EQ(StatusOf(Ask("GET /")), "200");
  EXPECT_NE(Ask("GET /api/tasks").find("\"name\":\"visible\""), std::string::npos);
  EXPECT_NE(Ask("GET /metrics").find("\nsonde_tasks_total "), std::string::npos);
  EXPECT_NE(Ask("GET /debug/pprof/cmdline").find("test.console"), std::string::npos);
  EXPECT_EQ(StatusOf(Ask("GET /nothing")), "404");
  EXPECT_EQ(StatusOf(Ask("DELETE /api/tasks")), "405");
  for (const char* const path : {"/", "/assets/page.js", "/metrics", "/api/status"}) {
    const std::string answer =
        Ask(std::string("POST ") + path, "Host: localhost\r\nX-Sonde-Request: 1\r\n");
    EXPECT_EQ(StatusOf(answer), "405") << path;
    EXPECT_NE(answer.find("\r\nallow: GET, HEAD\r\n"), std::string::npos) << path;
  }
  EXPECT_EQ(StatusOf(Ask("GET /debug/pprof/heap")), "404");
  EXPECT_EQ(StatusOf(Ask("GET /debug/pprof/profile?seconds=1")), "500");
  EXPECT_EQ(StatusOf(Ask("GET /debug/pprof/wall?seconds=1")), "500");
}

TEST_F(ConsoleTest, ATaskIsToldWithItsHistograms) {
  Start();
  Task task("polled");
  for (int i = 0; i < 3; ++i) const PollGuard poll = task.Poll();
  const std::string list = Ask("GET /api/tasks");
  const std::size_t name = list.find("\"name\":\"polled\"");
  const std::size_t id = list.rfind("\"id\":", name) + 5;
  const std::string number = list.substr(id, list.find(',', id) - id);
  const std::string one = Ask("GET /api/tasks/" + number);
  EXPECT_EQ(StatusOf(one), "200");
  EXPECT_NE(one.find("\"polls\":3,"), std::string::npos);
  std::uint64_t counted = 0;
  const std::size_t end = one.find("scheduled_times");
  for (std::size_t at = 0; (at = one.find("\"count\":", at)) < end; at += 8) {
    counted += std::stoul(one.substr(at + 8));
  }
  EXPECT_EQ(counted, 3U);
  for (const char* const unknown : {"999999999", "99999999999999999999"}) {
    EXPECT_EQ(StatusOf(Ask(std::string("GET /api/tasks/") + unknown)), "404") << unknown;
  }
  for (const char* const wrong : {"x", "", "1x", "-1"}) {
    EXPECT_EQ(StatusOf(Ask(std::string("GET /api/tasks/") + wrong)), "400") << wrong;
  }
}

TEST_F(ConsoleTest, NamesForeignHostsAreRefused) {
  Start();
  for (const char* const host : {"localhost", "127.0.0.1:1234", "[::1]:6060", "LOCALHOST:1"}) {
    EXPECT_EQ(StatusOf(Ask("GET /api/status", std::string("Host: ") + host + "\r\n")), "200")
        << host;
  }
  for (const char* const host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "",
        "localhost:1@evil.example", "me@localhost", "localhost.", "localhost:x", "[::1", "[::1]x:1",
        "[localhost]", "::1", "localhost:1:2", "2130706433", "127.1"}) {
    EXPECT_EQ(StatusOf(Ask("GET /api/status", std::string("Host: ") + host + "\r\n")), "403")
        << host;
  }
}

TEST_F(ConsoleTest, AProxysFormOfATargetNamesTheHost) {
  Start();
  EXPECT_EQ(StatusOf(Ask("GET http://127.0.0.1:1/api/status")), "200");
  EXPECT_EQ(StatusOf(Ask("GET http://evil.example/api/status")), "403");
}

TEST_F(ConsoleTest, ChangesNeedTheSameOrigin) {
  ConsoleHooks hooks;
  hooks.write_snapshot = [] { return Result<std::string>("/somewhere/daemon-profile-1.pb.gz"); };
  Start({}, hooks);
  EXPECT_EQ(StatusOf(Ask("POST /api/snapshot")), "403");
  EXPECT_EQ(
      StatusOf(Ask("POST /api/snapshot", "Host: localhost\r\nOrigin: http://evil.example\r\n")),
      "403");
  EXPECT_EQ(StatusOf(Ask("POST /api/snapshot", "Host: localhost\r\nOrigin: null\r\n")), "403");
  EXPECT_EQ(StatusOf(Ask("POST /api/pause")), "403");
  EXPECT_EQ(StatusOf(Ask("GET /api/snapshot")), "405");
  EXPECT_EQ(StatusOf(Ask("POST /api/snapshot", "Host: localhost\r\nOrigin: http://localhost\r\n")),
            "200");
  const std::string answer = Ask("POST /api/snapshot", "Host: localhost\r\nX-Sonde-Request: 1\r\n");
  EXPECT_NE(answer.find("{\"name\":\"daemon-profile-1.pb.gz\"}"), std::string::npos);
  EXPECT_EQ(answer.find("access-control-allow"), std::string::npos);
}

TEST_F(ConsoleTest, SnapshotsThatCannotBeWrittenAreSaid) {
  Start();
  EXPECT_EQ(Ask("GET /api/status").find("\"snapshots\""), std::string::npos);
  console_.reset();
  SnapshotStats stats{.snapshots = 3, .extras = 1, .failures = 2, .samples_lost = 40};
  stats.problem = "write failed: \"full\"";
  ConsoleHooks hooks;
  hooks.snapshot_stats = [&] { return stats; };
  Start({}, hooks);
  EXPECT_NE(Ask("GET /api/status")
                .find("\"snapshots\":{\"written\":4,\"failures\":2,\"samples_lost\":40,"
                      "\"problem\":\"write failed: \\\"full\\\"\"}"),
            std::string::npos);
  const std::string metrics = Ask("GET /metrics");
  EXPECT_NE(metrics.find("\nsonde_snapshots_total 4\n"), std::string::npos);
  EXPECT_NE(metrics.find("\nsonde_snapshot_failures_total 2\n"), std::string::npos);
  EXPECT_NE(metrics.find("\nsonde_snapshot_samples_lost_total 40\n"), std::string::npos);
}

TEST_F(ConsoleTest, DownloadsCannotLeaveTheFolder) {
  ConsoleHooks hooks;
  hooks.snapshot_folder = "/tmp";
  Start({}, hooks);
  for (const char* const name :
       {"../etc/passwd", "..%2fetc%2fpasswd", "%2e%2e/etc/passwd", "/etc/passwd", ".", ""}) {
    EXPECT_EQ(StatusOf(Ask(std::string("GET /api/artifacts/") + name)), "404") << name;
  }
}

TEST_F(ConsoleTest, ATokenIsAskedForWhereOneIsSet) {
  ConsoleOptions options;
  options.token = "secret";
  Start(options);
  EXPECT_EQ(StatusOf(Ask("GET /api/status")), "401");
  EXPECT_EQ(StatusOf(Ask("GET /api/status", "Host: localhost\r\nAuthorization: Bearer secre\r\n")),
            "401");
  EXPECT_EQ(StatusOf(Ask("GET /api/status", "Host: localhost\r\nAuthorization: Bearer secret\r\n")),
            "200");
  EXPECT_EQ(StatusOf(Ask("GET /api/status", "Host: localhost\r\nAuthorization: bearer secret\r\n")),
            "200");
  EXPECT_EQ(StatusOf(Ask("GET /api/status", "Host: localhost\r\nAuthorization: Basic secret\r\n")),
            "401");
  EXPECT_EQ(StatusOf(Ask("GET /api/status?token=secret")), "200");
}

TEST_F(ConsoleTest, HeadersAndBodiesHaveLimits) {
  Start();
  EXPECT_EQ(StatusOf(Ask("GET /", "Host: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n")),
            "431");
  EXPECT_EQ(StatusOf(Ask("POST /pprof/symbol", "Host: localhost\r\n", std::string(70'000, 'x'))),
            "413");
  Peer garbage(console_->http_port());
  garbage.Send(std::string("\x16\x03\x01\0\0garbage\r\n\r\n", 16));
  EXPECT_EQ(StatusOf(garbage.Receive()), "400");
}

TEST_F(ConsoleTest, OneConnectionServesManyRequestsAndPipelinesThem) {
  Start();
  Peer peer(console_->http_port());
  std::string requests;
  for (int i = 0; i < 3; ++i) requests += "GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const char c : requests) peer.Send(std::string_view(&c, 1));
  peer.Send("GET /last HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string answers = peer.Receive("nothing here");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 200", at)) != std::string::npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 3U);
}

TEST_F(ConsoleTest, ThePrefaceOfHttp2MayComeByteByByte) {
  Start();
  Peer peer(console_->http_port());
  for (const char c : std::string_view("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")) {
    peer.Send(std::string_view(&c, 1));
    std::this_thread::sleep_for(1ms);
  }
  peer.Send(std::string_view("\0\0\0\x04\0\0\0\0\0", 9));  // Empty SETTINGS.
  const std::string answer = peer.Receive(std::string_view("\0\0\0\x04\x01\0\0\0\0", 9));
  ASSERT_GE(answer.size(), 9U);
  EXPECT_EQ(answer[3], '\x04');  // SETTINGS of the server.
  Peer decoy(console_->http_port());
  decoy.Send("PRI /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(StatusOf(decoy.Receive()), "405");
}

TEST_F(ConsoleTest, EventsTellTheStatus) {
  Start();
  // To the end of the connection for those who know no chunks, and not at all for HEAD.
  EXPECT_NE(Ask("HEAD /api/events").find("\r\n\r\n"), std::string::npos);
  Peer old(console_->http_port());
  old.Send("GET /api/events HTTP/1.0\r\nHost: localhost\r\n\r\n");
  const std::string plain = old.Receive("event: status\ndata: {");
  EXPECT_EQ(plain.find("chunked"), std::string::npos);
  EXPECT_NE(plain.find("\r\n\r\nretry: 1000\n\nevent: status"), std::string::npos);
  Peer peer(console_->http_port());
  peer.Send("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string first = peer.Receive("event: status");
  EXPECT_NE(first.find("text/event-stream"), std::string::npos);
  EXPECT_NE(peer.Receive("event: status").find("\"pid\":"), std::string::npos);
}

TEST_F(ConsoleTest, BeyondTheLimitConnectionsAreRefusedAndCounted) {
  ConsoleOptions options;
  options.max_connections = 4;
  Start(options);
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 10; ++i) peers.push_back(std::make_unique<Peer>(console_->http_port()));
  for (int i = 0; i < 100 && console_->stats().connections_refused < 6; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(console_->stats().connections_refused, 6U);
  EXPECT_EQ(console_->stats().connections, 4U);
  peers.clear();
  for (int i = 0; i < 100 && console_->stats().connections > 0; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(StatusOf(Ask("GET /api/status")), "200");
}

TEST_F(ConsoleTest, IdleConnectionsMakeRoomForThoseWhoAsk) {
  ConsoleOptions options;
  options.max_connections = 4;
  Start(options);
  std::vector<std::unique_ptr<Peer>> idle;
  for (int i = 0; i < 4; ++i) idle.push_back(std::make_unique<Peer>(console_->http_port()));
  std::this_thread::sleep_for(1100ms);
  EXPECT_EQ(StatusOf(Ask("GET /api/status")), "200");
  EXPECT_EQ(console_->stats().connections_refused, 1U);
}

TEST_F(ConsoleTest, ATakenPortIsAProblemAndNothingMore) {
  Start();
  const std::uint16_t taken = console_->http_port();
  console_.reset();
  const int holder = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(taken);
  const int on = 1;
  ::setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  ASSERT_EQ(::bind(holder, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(holder, 1), 0);
  ConsoleOptions options;
  options.console_port = taken;
  Start(options);
  ASSERT_EQ(console_->problems().size(), 1U);
  EXPECT_NE(console_->problems()[0].find(std::to_string(taken)), std::string::npos);
  EXPECT_EQ(console_->console_port(), 0);
  EXPECT_EQ(StatusOf(Ask("GET /api/status")), "200");
  ::close(holder);
}

TEST_F(ConsoleTest, OnlyLoopbackUnlessSaidInSoManyWords) {
  ConsoleOptions options;
  options.address = "0.0.0.0";
  options.http_port = FreePort();
  Start(options);
  ASSERT_EQ(console_->problems().size(), 1U);
  EXPECT_EQ(console_->problems()[0], "console.address is 0.0.0.0, which is not loopback: port " +
                                         std::to_string(options.http_port) +
                                         " is not opened unless console.allow_remote is true");
  EXPECT_EQ(console_->http_port(), 0);
}

TEST_F(ConsoleTest, AUnixSocketIsForItsOwnerAndIsRemoved) {
  const std::string path = "/tmp/sonde-test-" + std::to_string(::getpid()) + ".sock";
  ConsoleOptions options;
  options.unix_socket = path;
  Start(options);
  ASSERT_TRUE(console_->problems().empty());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  console_.reset();
  EXPECT_NE(::stat(path.c_str(), &status), 0);
}

TEST_F(ConsoleTest, AnnouncesWhereItListensUntilItStops) {
  char folder[] = "/tmp/sonde-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  ::setenv("XDG_RUNTIME_DIR", folder, 1);
  Start();
  ::unsetenv("XDG_RUNTIME_DIR");
  const std::string path = std::string(folder) + "/sonde/" + std::to_string(::getpid()) + ".json";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("\"http_port\":" + std::to_string(console_->http_port())), std::string::npos);
  console_->Stop();
  struct stat status {};
  EXPECT_NE(::stat(path.c_str(), &status), 0);
  ::rmdir((std::string(folder) + "/sonde").c_str());
  ::rmdir(folder);
}

TEST_F(ConsoleTest, AtMostOneRuns) {
  Start();
  ConsoleOptions options;
  options.console_port = options.http_port = 0;
  EXPECT_EQ(Console::Start(options).error().code, ErrorCode::kUsage);
  console_->Stop();
  const auto next = Console::Start(options);
  ASSERT_TRUE(next.ok()) << Describe(next.error());
  console_.reset();
  EXPECT_EQ(Console::Start(options).error().code, ErrorCode::kUsage);
}

TEST_F(ConsoleTest, AWindowIsCutWhileNobodyAsks) {
  IntervalHub samples(SevenToThree);  // A second in every cut.
  ConsoleHooks hooks;
  hooks.samples = &samples;
  Start({}, hooks);
  const std::string wanted = "GET /api/flame?window=1200&format=folded";
  EXPECT_NE(Ask(wanted).find("x-sonde-covered-ns: 0\r\n"), std::string::npos);
  std::this_thread::sleep_for(2500ms);
  const std::string answer = Ask(wanted);
  EXPECT_EQ(answer.find("x-sonde-covered-ns: 0\r\n"), std::string::npos);
  EXPECT_EQ(answer.find("x-sonde-covered-ns: 1000000000\r\n"), std::string::npos);
  EXPECT_NE(answer.find("x-sonde-covered-ns: "), std::string::npos);
  console_.reset();
}

TEST_F(ConsoleTest, AForkedChildKeepsNoSocketOfIt) {
  Start();
  const std::uint16_t port = console_->http_port();
  Peer peer(port);
  peer.Send("GET /never-ends");
  for (int i = 0; i < 500 && console_->stats().connections == 0; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_EQ(console_->stats().connections, 1U);
  int ends[2];
  int begun[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::pipe(begun), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // Lives until the parent lets it go.
    ::close(ends[1]);
    char byte = 0;
    static_cast<void>(!::write(begun[1], &byte, 1));
    static_cast<void>(!::read(ends[0], &byte, 1));
    console_.reset();
    ::_exit(0);
  }
  // A child that has not run yet could close nothing.
  char byte = 0;
  EXPECT_EQ(::read(begun[0], &byte, 1), 1);
  console_.reset();
  EXPECT_EQ(peer.Receive(), "");
  ConsoleOptions options;
  options.http_port = port;
  Start(options);
  EXPECT_EQ(console_->http_port(), port);
  for (const int end : {ends[0], ends[1], begun[0], begun[1]}) ::close(end);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sonde
