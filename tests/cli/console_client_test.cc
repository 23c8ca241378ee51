#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>

#include "cli/console_model.h"
#include "cli/console_view.h"
#include "cli/grpc_client.h"
#include "console/recording.h"
#include "console/replay_console.h"
#include "console/task_ledger.h"
#include "sonde/byte_sink.h"
#include "sonde/resource.h"
#include "sonde/task.h"
#include "tests/support/temporary_folder.h"

namespace sonde::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;

// What a client of this process knows: the messages of a ledger without a wire between.
class ConsoleClient : public testing::Test {
 protected:
  std::vector<std::string> Messages() {
    ledger_.Refresh();
    std::vector<std::string> messages;
    EXPECT_TRUE(cursor_->Begin());
    while (const GrpcFrame frame = cursor_->Next()) messages.push_back(frame->substr(5));
    return messages;
  }
  void Tell() {
    for (const std::string& message : Messages()) EXPECT_TRUE(model_.Apply(message).ok());
  }
  std::vector<std::string> Screen(int width = 80, int height = 24) {
    std::vector<std::string> lines;
    for (const ScreenLine& line : view_.Render(model_, {"url", true, false, {}}, width, height)) {
      lines.push_back(line.text);
    }
    return lines;
  }
  void Type(std::string_view keys) {
    for (const char key : keys) view_.Press(key, model_);
  }

  WallClock clock_;
  TaskLedger ledger_{{}, clock_};
  std::unique_ptr<UpdateSource::Cursor> cursor_ = ledger_.Watch();
  ConsoleModel model_;
  ConsoleView view_;
};

TEST_F(ConsoleClient, ALineShowsEnoughOfALocationOrNone) {
  const Task task("accept", {{"port", 80}});
  Tell();
  for (int width = 60; width <= 200; ++width) {
    const std::vector<std::string> lines = Screen(width);
    const bool has_location = lines[2].find("Location") != std::string::npos;
    EXPECT_EQ(has_location, width >= 99) << width;
    if (!has_location) continue;
    EXPECT_THAT(lines, Contains(testing::AllOf(HasSubstr("accept"), HasSubstr("console_client"))));
  }
}

TEST_F(ConsoleClient, TheModelKnowsWhatTheProgramRecorded) {
  const Task task("accept", {{"port", 80}});
  { const PollGuard poll = task.Poll(); }
  task.Wake();
  const Resource resource(ResourceKind::kTimer, "steady timer");
  const AsyncOp op(resource, "async_wait", task.ref());
  Tell();
  const TaskRow& row = model_.tasks().at(task.id());
  EXPECT_EQ(row.name, "accept");
  EXPECT_EQ(row.state(), TaskState::kScheduled);
  EXPECT_EQ(row.polls, 1U);
  EXPECT_EQ(row.wakes, 1U);
  EXPECT_THAT(row.fields, Contains(testing::Pair("port", "80")));
  EXPECT_THAT(row.location, HasSubstr("console_client_test.cc"));
  EXPECT_EQ(row.TotalNs(model_.now()),
            row.BusyNs(model_.now()) + row.ScheduledNs(model_.now()) + row.IdleNs(model_.now()));
  EXPECT_EQ(model_.resources().size(), 1U);
  EXPECT_EQ(model_.async_ops().begin()->second.task_id, task.id());
  const nlohmann::json json = nlohmann::json::parse(model_.ToJson());
  EXPECT_EQ(json["tasks"][0]["name"], "accept");
}

TEST_F(ConsoleClient, WhatEndedIsCompletedAndThenForgotten) {
  std::uint64_t id = 0;
  {
    const Task task("short");
    id = task.id();
  }
  Tell();
  EXPECT_EQ(model_.tasks().at(id).state(), TaskState::kCompleted);
  model_.Retire();
  EXPECT_TRUE(model_.tasks().contains(id));
  ConsoleModel later = model_;
  // An update of ten seconds later: field 1, now, with its seconds.
  std::string seconds;
  for (std::uint64_t value = static_cast<std::uint64_t>(model_.now() / 1'000'000'000) + 10;
       value > 0; value >>= 7) {
    seconds.push_back(static_cast<char>((value & 127) | (value > 127 ? 128 : 0)));
  }
  const std::string now = "\x08" + seconds;
  ASSERT_TRUE(later.Apply("\x0a" + std::string(1, static_cast<char>(now.size())) + now).ok());
  later.Retire();
  EXPECT_FALSE(later.tasks().contains(id));
}

TEST_F(ConsoleClient, SuspiciousTasksAreWarnedOf) {
  const Task restless("restless");
  for (int i = 0; i < 40; ++i) {
    const PollGuard poll = restless.Poll();
    restless.Wake();
  }
  Tell();
  EXPECT_FALSE(model_.tasks().at(restless.id()).Warnings(model_.now()).empty());
}

TEST_F(ConsoleClient, BytesThatAreNoUpdateAreMalformed) {
  EXPECT_EQ(model_.Apply("\xff\xff\xff").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ReadTaskDetails("\xff\xff\xff").error().code, ErrorCode::kMalformed);
}

TEST_F(ConsoleClient, TheScreenFitsWhateverItsSize) {
  std::deque<Task> tasks;
  for (int i = 0; i < 100; ++i) tasks.emplace_back("t\u00e4sk \u65e5\u672c " + std::to_string(i));
  Tell();
  for (const auto& [width, height] : {std::pair(80, 24), std::pair(20, 5), std::pair(200, 60),
                                      std::pair(1, 1), std::pair(80, 3)}) {
    EXPECT_EQ(Screen(width, height).size(), static_cast<std::size_t>(height));
  }
  EXPECT_THAT(Screen()[1], HasSubstr("tasks 100"));
}

TEST_F(ConsoleClient, FiltersByTextAndStateAndSorts) {
  const Task one("alpha");
  const Task two("beta");
  const PollGuard poll = two.Poll();
  Tell();
  Type("/alp");
  EXPECT_THAT(Screen(), Contains(HasSubstr("alpha")));
  EXPECT_THAT(Screen(), testing::Not(Contains(HasSubstr("beta"))));
  EXPECT_THAT(Screen().back(), HasSubstr("filter: alp_"));
  view_.Press(kKeyEscape, model_);
  Type("/state:running");
  view_.Press(kKeyEnter, model_);
  EXPECT_THAT(Screen(), testing::Not(Contains(HasSubstr("alpha"))));
  view_.Press(kKeyEscape, model_);
  const auto row_of = [&](const char* name) {
    const std::vector<std::string> lines = Screen();
    std::size_t row = 0;
    while (row < lines.size() && lines[row].find(name) == std::string::npos) ++row;
    return row;
  };
  Type("n");
  const bool is_alpha_first = row_of("alpha") < row_of("beta");
  EXPECT_THAT(Screen()[2], HasSubstr("Name\xe2\x96\xb2"));
  Type("n");
  EXPECT_NE(is_alpha_first, row_of("alpha") < row_of("beta"));
  EXPECT_THAT(Screen()[2], HasSubstr("Name\xe2\x96\xbc"));
}

TEST_F(ConsoleClient, EnterOpensATaskAndQGoesBack) {
  const Task task("only");
  Tell();
  Screen();
  EXPECT_EQ(view_.Press(kKeyEnter, model_), ConsoleView::Wish::kOpenTask);
  EXPECT_EQ(view_.open_task(), task.id());
  const GrpcFrame details = ledger_.Details(task.id());
  ASSERT_NE(details, nullptr);
  auto read = ReadTaskDetails(details->substr(5));
  ASSERT_TRUE(read.ok());
  view_.SetDetails(std::move(read).value());
  EXPECT_THAT(Screen(), Contains(HasSubstr("Poll times")));
  EXPECT_EQ(view_.Press('q', model_), ConsoleView::Wish::kCloseTask);
  EXPECT_EQ(view_.Press(' ', model_), ConsoleView::Wish::kTogglePause);
  EXPECT_EQ(view_.Press('q', model_), ConsoleView::Wish::kQuit);
}

TEST_F(ConsoleClient, ARecordingIsServedAgainAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.sonde";
  const Task task("recorded");
  {
    auto file = FileSink::Open(path);
    RecordingWriter writer(*file.value());
    for (const std::string& message : Messages()) {
      ASSERT_TRUE(writer.Add(RecordKind::kUpdate, message).ok());
    }
    ASSERT_TRUE(writer.Add(RecordKind::kDetails, ledger_.Details(task.id())->substr(5)).ok());
    ASSERT_TRUE(file.value()->Close().ok());
  }
  auto replay = ReplayConsole::Start(path, {.port = 0});
  ASSERT_TRUE(replay.ok()) << Describe(replay.error());
  auto client = GrpcClient::Connect("http://127.0.0.1:" + std::to_string(replay.value()->port()));
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(client.value()->Call("WatchUpdates").ok());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!model_.tasks().contains(task.id()) && std::chrono::steady_clock::now() < end) {
    const auto events = client.value()->Wait(std::chrono::milliseconds(100));
    ASSERT_TRUE(events.ok());
    for (const GrpcEvent& event : events.value()) {
      EXPECT_TRUE(event.is_end || model_.Apply(event.message).ok());
    }
  }
  EXPECT_EQ(model_.tasks().at(task.id()).name, "recorded");
}

TEST(Recording, ComesBackAsWrittenAndSaysWhatItIsNot) {
  StringSink bytes;
  RecordingWriter writer(bytes);
  ASSERT_TRUE(writer.Add(RecordKind::kUpdate, "one").ok());
  ASSERT_TRUE(writer.Add(RecordKind::kDetails, std::string(70'000, '\0')).ok());
  const std::string whole = bytes.text();
  const auto read = ParseRecording(whole);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), 2U);
  EXPECT_EQ(read.value()[0].bytes, "one");
  EXPECT_EQ(read.value()[1].kind, RecordKind::kDetails);
  EXPECT_GE(read.value()[1].time_ns, read.value()[0].time_ns);
  // A program that was killed leaves a last message that is cut off.
  EXPECT_EQ(ParseRecording(std::string_view(whole).substr(0, whole.size() - 1)).value().size(), 1U);
  EXPECT_EQ(ParseRecording("perf script").error().code, ErrorCode::kUnsupported);
  std::string wrong = whole;
  wrong[whole.find('\n') + 1] = 9;
  EXPECT_EQ(ParseRecording(wrong).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ReadRecording("/nowhere/run.sonde").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sonde::cli
