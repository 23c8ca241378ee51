// AgentHistory: the sessions in a set of agent logs, counted once each.

#include "agentlog/history.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "agentlog/fork.h"
#include "agentlog/frame_namer.h"
#include "agentlog/hash.h"
#include "agentlog/parse_cache.h"
#include "agentlog/tally.h"
#include "sonde/usable_cores.h"

namespace sonde {
namespace agentlog {
namespace {

constexpr const char* kStandardInput = "-";

using Tallies = std::vector<std::unique_ptr<Tally>>;

struct Input {
  std::string name;
  LogIdentity identity;
  OpenFile spool;  // Of what can be read once alone: standard input, and pipes.
};

bool IsPipe(const OpenFile& file) {
  struct stat status {};
  return fstat(file.descriptor(), &status) == 0 && S_ISFIFO(status.st_mode);
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

LogIdentity IdentityOf(const std::string& name, const OpenFile& file,
                       const HistoryOptions& options) {
  struct stat status {};
  fstat(file.descriptor(), &status);
  return {
      .path = name,
      .device = status.st_dev,
      .inode = status.st_ino,
      .bytes = static_cast<std::uint64_t>(status.st_size),
      .modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
      .changed_ns = std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec,
      .max_line_bytes = options.max_line_bytes};
}

Result<Input> Opened(const std::string& file, const HistoryOptions& options) {
  const bool is_standard_input = file == kStandardInput;
  // Opening tells about rights; the descriptor is not kept.
  const Result<OpenFile> opened = is_standard_input ? OpenFile(dup(STDIN_FILENO)) : OpenLog(file);
  if (!opened.ok()) return opened.error();
  Input input;
  input.name = file;
  if (is_standard_input || IsPipe(opened.value())) {
    Result<OpenFile> spool =
        Spool(opened.value().descriptor(), is_standard_input ? "standard input" : file);
    if (!spool.ok()) return spool.error();
    input.spool = std::move(spool).value();
  }
  const bool is_kept = input.spool.descriptor() >= 0;
  input.identity = IdentityOf(file, is_kept ? input.spool : opened.value(), options);
  return input;
}

// The files to read, each once, in an order that does not depend on how they were named.
Result<std::vector<Input>> OpenInputs(const std::vector<std::string>& named,
                                      const HistoryOptions& options, Losses& losses) {
  std::vector<Input> inputs;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto keep = [&](Input input) {
    if (!seen.emplace(input.identity.device, input.identity.inode).second) return;
    inputs.push_back(std::move(input));
  };
  bool has_standard_input = false;
  for (const std::string& file : named) {
    if (file == kStandardInput && std::exchange(has_standard_input, true)) continue;
    Result<Input> input = Opened(file, options);
    if (!input.ok()) return input.error();
    keep(std::move(input).value());
  }
  for (const std::string& file : options.found.files) {
    Result<Input> input = Opened(file, options);
    if (input.ok()) {
      keep(std::move(input).value());
    } else {
      losses.Add("file that cannot be read", "files", 1, NameOfLog(file));
    }
  }
  std::sort(inputs.begin(), inputs.end(),
            [](const Input& a, const Input& b) { return a.name < b.name; });
  return inputs;
}

std::unique_ptr<Tally> ReadOne(const Input& input, const HistoryOptions& options) {
  auto owned = std::make_unique<Tally>();
  Tally& tally = *owned;
  tally.file = input.name;
  const ReadOptions read_options{.max_line_bytes = options.max_line_bytes, .stop = options.stop};
  if (input.spool.descriptor() >= 0) {
    lseek(input.spool.descriptor(), 0, SEEK_SET);
    tally.agent = ReadLog(input.spool.descriptor(), input.name, read_options, tally, tally.losses);
    if (!tally.agent) {
      tally.losses.Add("file that is no agent log", "files", 1, NameOfLog(input.name));
    }
    return owned;
  }
  const ParseCache cache(options.parse_cache);
  if (std::unique_ptr<Tally> known = cache.Load(input.identity)) return known;
  const Result<OpenFile> file = OpenLog(input.name);
  if (!file.ok()) {
    tally.losses.Add("file that cannot be read", "files", 1, NameOfLog(input.name));
    return owned;
  }
  // Read as it was found: a log that grows meanwhile, or was not read to its end, is read anew the
  // next time.
  tally.agent = ReadLog(file.value().descriptor(), input.name, read_options, tally, tally.losses);
  if (!tally.agent) {
    tally.losses.Add("file that is no agent log", "files", 1, NameOfLog(input.name));
  }
  if (!options.stop.stop_requested() &&
      IdentityOf(input.name, file.value(), options) == input.identity) {
    cache.Save(input.identity, tally);
  }
  tally.DropIndexes();
  return owned;
}

// Largest files first, so that no thread is left with one at the end.
Tallies ReadAll(const std::vector<Input>& inputs, const HistoryOptions& options) {
  Tallies tallies(inputs.size());
  std::vector<std::size_t> order(inputs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return inputs[a].identity.bytes > inputs[b].identity.bytes;
  });
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size() && !options.stop.stop_requested(); i = next++) {
      tallies[order[i]] = ReadOne(inputs[order[i]], options);
    }
  };
  const std::size_t most = options.threads != 0 ? options.threads : ThreadsByDefault();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(most, inputs.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return tallies;
}

// How far a copy of a whole Codex log stands behind another: plain before compressed, in use
// before archived.
std::tuple<bool, bool> CopyOrder(const std::string& name) {
  return {name.find("archived_sessions/") != std::string::npos, name.ends_with(".zst")};
}

std::string StemOf(const std::string& name) {
  std::string stem = BaseName(name);
  if (stem.ends_with(".zst")) stem.resize(stem.size() - 4);
  return stem;
}

// The same thread under the same name, archived or compressed beside the log in use; and what a
// run printed when its log is here too.
std::vector<bool> FindWholeCopies(const Tallies& tallies) {
  std::map<std::pair<std::string, std::string>, std::size_t> best;
  std::set<std::string> logged;
  std::vector<bool> is_copy(tallies.size(), false);
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i]->agent != AgentKind::kCodex || tallies[i]->threads.empty()) continue;
    if (!tallies[i]->origin.is_stream) logged.insert(tallies[i]->threads.front().session_id);
    const auto [found, is_new] =
        best.try_emplace({tallies[i]->threads.front().session_id, StemOf(tallies[i]->file)}, i);
    if (is_new) continue;
    const auto known = CopyOrder(tallies[found->second]->file);
    const auto order = CopyOrder(tallies[i]->file);
    if (order < known) {
      is_copy[found->second] = true;
      found->second = i;
    } else if (known < order) {
      is_copy[i] = true;
    }
  }
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i]->origin.is_stream && logged.contains(tallies[i]->threads.front().session_id)) {
      is_copy[i] = true;
    }
  }
  return is_copy;
}

void EnterAll(Tallies& tallies, AgentHistory::State& state) {
  state.is_dropped = FindWholeCopies(tallies);
  std::vector<const Tally*> codex(tallies.size(), nullptr);
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    if (tallies[i]->agent == AgentKind::kCodex && !state.is_dropped[i]) codex[i] = tallies[i].get();
  }
  const std::vector<std::uint32_t> starts = FindOwnStarts(codex);
  std::size_t calls = 0;
  std::size_t tools = 0;
  std::size_t prompts = 0;
  for (const std::unique_ptr<Tally>& tally : tallies) {
    calls += tally->calls.size();
    tools += tally->tool_calls.size();
    prompts += tally->prompts.size();
  }
  state.ledger.Expect(calls, tools, prompts);
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    state.losses.Add(tallies[i]->losses);
    if (!state.is_dropped[i]) {
      state.ledger.Enter(*tallies[i], static_cast<std::uint32_t>(i), starts[i]);
    }
    tallies[i].reset();
  }
  state.ledger.Settle();
}

}  // namespace

unsigned ThreadsByDefault() noexcept {
  return std::min(UsableCores(), 16U);
}

Result<OpenFile> OpenAgain(const AgentHistory::State& state, std::uint32_t index) {
  const OpenFile& spool = state.spools[index];
  if (spool.descriptor() < 0) return OpenLog(state.files[index]);
  OpenFile again(dup(spool.descriptor()));
  if (again.descriptor() < 0 || lseek(again.descriptor(), 0, SEEK_SET) != 0) {
    return Error{
        .code = ErrorCode::kSystem, .message = "cannot read it again", .file = state.files[index]};
  }
  return again;
}

}  // namespace agentlog

std::uint64_t HashOfPath(std::string_view path) noexcept {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return agentlog::HashOf(path);
}

std::string ShownNameOfLog(std::string_view path) { return agentlog::NameOfLog(path); }

AgentHistory::AgentHistory(std::unique_ptr<State> state) : state_(std::move(state)) {}
AgentHistory::AgentHistory(AgentHistory&&) noexcept = default;
AgentHistory& AgentHistory::operator=(AgentHistory&&) noexcept = default;
AgentHistory::~AgentHistory() = default;

Result<AgentHistory> AgentHistory::Read(const std::vector<std::string>& files,
                                        const HistoryOptions& options) {
  auto state = std::make_unique<State>();
  state->max_line_bytes = options.max_line_bytes;
  state->stop = options.stop;
  state->losses.Add(options.found.losses);
  Result<std::vector<agentlog::Input>> inputs = agentlog::OpenInputs(files, options, state->losses);
  if (!inputs.ok()) return inputs.error();
  agentlog::Tallies tallies = agentlog::ReadAll(inputs.value(), options);
  if (options.stop.stop_requested()) return agentlog::ReadingCalledOff();
  for (agentlog::Input& input : inputs.value()) {
    state->files.push_back(input.name);
    state->spools.push_back(std::move(input.spool));
  }
  agentlog::EnterAll(tallies, *state);
  agentlog::MakeSessions(*state, options.filter);
  return AgentHistory(std::move(state));
}

std::span<const AgentSession> AgentHistory::sessions() const noexcept { return state_->sessions; }
std::span<const std::string> AgentHistory::files() const noexcept { return state_->files; }
const AgentCounts& AgentHistory::totals() const noexcept { return state_->totals; }
const Losses& AgentHistory::losses() const noexcept { return state_->losses; }

}  // namespace sonde
