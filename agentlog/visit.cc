// VisitSessions: reads the chosen logs again, several at once, for the sake of their text.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "agentlog/replay.h"

namespace sonde {
namespace agentlog {
namespace {

using State = AgentHistory::State;

// Sessions whose records stand in the same files: visited by one thread.
struct Group {
  std::vector<std::uint32_t> files;
  std::vector<std::uint32_t> sessions;
};

class Groups {
 public:
  explicit Groups(const State& state) : leader_(state.files.size()) {
    for (std::uint32_t i = 0; i < leader_.size(); ++i) leader_[i] = i;
    for (const AgentSession& session : state.sessions) {
      for (const std::uint32_t file : session.files) {
        leader_[LeaderOf(file)] = LeaderOf(session.files.front());
      }
    }
    std::map<std::uint32_t, std::size_t> place;
    std::vector<bool> is_listed(state.files.size());
    for (std::uint32_t i = 0; i < state.sessions.size(); ++i) {
      const std::vector<std::uint32_t>& files = state.sessions[i].files;
      if (files.empty()) {
        groups_.push_back({{}, {i}});
        continue;
      }
      const auto [found, is_new] = place.try_emplace(LeaderOf(files.front()), groups_.size());
      if (is_new) groups_.emplace_back();
      Group& group = groups_[found->second];
      group.sessions.push_back(i);
      for (const std::uint32_t file : files) {
        if (!is_listed[file]) group.files.push_back(file);
        is_listed[file] = true;
      }
    }
    for (Group& group : groups_) std::sort(group.files.begin(), group.files.end());
  }

  // In the order of the first session of each.
  const std::vector<Group>& groups() const { return groups_; }

 private:
  std::uint32_t LeaderOf(std::uint32_t file) {
    while (leader_[file] != file) file = leader_[file] = leader_[leader_[file]];
    return file;
  }

  std::vector<std::uint32_t> leader_;
  std::vector<Group> groups_;
};

std::vector<Timeline> MakeTimelines(const State& state) {
  std::vector<Timeline> timelines(state.sessions.size());
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) {
      const std::uint32_t session = state.session_of[row.thread];
      if (row.counts != 0 && session != kNoIndex) timelines[session].Add(row.time_ns);
    }
  };
  add(state.ledger.prompts.rows());
  add(state.ledger.calls.rows());
  add(state.ledger.tool_calls.rows());
  for (Timeline& timeline : timelines) timeline.Sort();
  return timelines;
}

using Replays = std::map<std::uint32_t, std::unique_ptr<Replay>>;  // By session.

// What one file says, told to the replays of its sessions.
class FileReplay : public LogSink {
 public:
  FileReplay(const State& state, Replays& replays) : state_(state), replays_(replays) {}

  LocalThread OnThread(const ThreadEvent& event) override {
    const std::uint32_t thread =
        state_.ledger.FindThread(event.agent, event.session_id, event.agent_id, event.is_subagent);
    const auto [found, is_new] = numbers_.try_emplace(thread, by_number_.size());
    if (is_new) {
      Replay* replay = nullptr;
      if (thread != kNoIndex) {
        const auto known = replays_.find(state_.session_of[thread]);
        if (known != replays_.end()) replay = known->second.get();
      }
      by_number_.push_back(replay);
    }
    return static_cast<LocalThread>(found->second);
  }
  void OnRecord(LocalThread, std::int64_t) override {}
  void OnFolder(LocalThread thread, std::string_view folder) override {
    if (Replay* const replay = by_number_[thread]) replay->Folder(folder);
  }
  void OnTitle(LocalThread thread, std::string_view title) override {
    if (Replay* const replay = by_number_[thread]) replay->Title(title);
  }
  void OnPrompt(const PromptEvent& event) override {
    if (Replay* const replay = by_number_[event.thread]) replay->Prompt(event);
  }
  void OnResponse(const ResponseEvent& event) override {
    if (Replay* const replay = by_number_[event.thread]) replay->Response(event);
  }
  void OnTool(const ToolEvent& event) override {
    if (Replay* const replay = by_number_[event.thread]) replay->Tool(event);
  }
  void OnToolResult(const ToolResultEvent& event) override {
    if (Replay* const replay = by_number_[event.thread]) replay->ToolResult(event);
  }

 private:
  const State& state_;
  Replays& replays_;
  std::map<std::uint32_t, std::size_t> numbers_;
  std::vector<Replay*> by_number_;
};

class Visit {
 public:
  Visit(const State& state, SessionVisitors& visitors)
      : state_(state),
        visitors_(visitors),
        groups_(state),
        timelines_(MakeTimelines(state)),
        delivered_(state.ledger),
        done_(state.sessions.size()) {}

  Status Run(unsigned threads) {
    const auto work = [&] {
      for (std::size_t i = next_++; i < groups_.groups().size(); i = next_++) {
        if (Status status = VisitGroup(groups_.groups()[i]); !status.ok())
          return Fail(status.error());
      }
    };
    const std::size_t most = threads != 0 ? threads : ThreadsByDefault();
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(most, groups_.groups().size()); ++i) {
      helpers.emplace_back(work);
    }
    work();
    for (std::thread& helper : helpers) helper.join();
    if (error_) return *error_;
    return {};
  }

 private:
  Status VisitGroup(const Group& group) {
    Replays replays;
    for (const std::uint32_t session : group.sessions) {
      replays[session] = std::make_unique<Replay>(state_, session, visitors_, delivered_,
                                                  std::move(timelines_[session]));
    }
    for (const std::uint32_t file : group.files) {
      const Result<OpenFile> opened = OpenAgain(state_, file);
      if (!opened.ok()) return opened.error();
      Losses known;  // The first reading counted them.
      FileReplay sink(state_, replays);
      ReadLog(opened.value().descriptor(), state_.files[file],
              {.wants_text = true, .max_line_bytes = state_.max_line_bytes, .stop = state_.stop},
              sink, known);
      if (state_.stop.stop_requested()) return ReadingCalledOff();
      for (const auto& [session, replay] : replays) replay->EndFile();
    }
    for (const auto& [session, replay] : replays) {
      if (Status status = replay->Finish(); !status.ok()) return status;
      HandOver(session, replay->TakeVisitor());
    }
    return {};
  }

  void HandOver(std::uint32_t session, std::unique_ptr<SessionVisitor> visitor) {
    const std::lock_guard lock(mutex_);
    done_[session] = std::move(visitor);
    while (ended_ < done_.size() && done_[ended_] && !error_) {
      visitors_.End(static_cast<std::uint32_t>(ended_), std::move(done_[ended_]));
      ++ended_;
    }
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    next_ = groups_.groups().size();
  }

  const State& state_;
  SessionVisitors& visitors_;
  Groups groups_;
  std::vector<Timeline> timelines_;
  Delivered delivered_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<SessionVisitor>> done_;
  std::size_t ended_ = 0;
  std::optional<Error> error_;
};

}  // namespace
}  // namespace agentlog

Status VisitSessions(const AgentHistory& history, SessionVisitors& visitors, unsigned threads) {
  return agentlog::Visit(history.state(), visitors).Run(threads);
}

}  // namespace sonde
