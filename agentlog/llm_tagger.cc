// LlmTagger: tags chosen by a language model that runs on this machine.

#include "sonde/llm_tagger.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "agentlog/frame_namer.h"
#include "agentlog/llm_client.h"
#include "agentlog/llm_question.h"
#include "agentlog/session_recorder.h"
#include "agentlog/tag_cache.h"

namespace sonde {
namespace {

constexpr std::size_t kMaxTextBytes = 1600;
constexpr std::size_t kMaxWaiting = 256;
// After so many failures in a row the server is taken for gone.
constexpr std::uint64_t kGiveUpAfter = 8;

struct Job {
  std::string key;
  std::size_t question = 0;
  TagKind kind = TagKind::kPrompt;
  std::string text;
  std::string hints;
  std::string_view answer = kUnmatchedTag;
  bool is_done = false;
};

}  // namespace

struct LlmTagger::State {
  State(LlmTaggerOptions given, agentlog::LlmServer to, agentlog::TagCache answers)
      : options(std::move(given)), server(std::move(to)), cache(std::move(answers)) {
    questions.push_back(agentlog::FreeQuestion());
  }

  TagTicket Ask(std::size_t question, TagKind kind, std::string_view text, std::string_view hints);
  std::string_view Answer(TagTicket ticket);
  void Work();
  std::string AskServer(agentlog::LlmClient& client, const agentlog::LlmQuestion& question,
                        const Job& job);
  std::string RequestFor(const agentlog::LlmQuestion& question, const Job& job,
                         std::string_view bad_answer);
  void Start();
  void Stop();

  LlmTaggerOptions options;
  agentlog::LlmServer server;

  mutable std::mutex mutex;
  std::condition_variable has_work;
  std::condition_variable has_room;
  std::condition_variable has_answer;
  bool is_stopping = false;
  agentlog::TagCache cache;
  std::deque<agentlog::LlmQuestion> questions;
  std::deque<Job> jobs;                                 // By ticket.
  std::unordered_map<std::string, std::size_t> by_key;  // Of jobs whose answer is to come.
  std::deque<std::size_t> queue;
  std::set<std::string, std::less<>> words;  // What answers point into.
  std::uint64_t requests = 0;
  std::uint64_t over_budget = 0;
  std::uint64_t unusable = 0;
  std::uint64_t failures = 0;
  std::uint64_t failures_in_a_row = 0;
  std::uint64_t not_asked = 0;
  std::string first_failure;
  bool cache_is_full = false;
  std::vector<std::thread> workers;
};

TagTicket LlmTagger::State::Ask(std::size_t question, TagKind kind, std::string_view text,
                                std::string_view hints) {
  const std::string fragment = agentlog::PreviewText(text, kMaxTextBytes);
  std::unique_lock lock(mutex);
  std::string material = "1\n" + options.model + '\n' + questions[question].grammar + '\n' +
                         questions[question].instruction + '\n' + std::string(NameOf(kind)) + '\n' +
                         std::string(hints) + '\n' + fragment;
  Job job{.key = agentlog::HashOf(material, 32),
          .question = question,
          .kind = kind,
          .text = {},
          .hints = {}};
  if (fragment.empty()) {
    job.is_done = true;
    jobs.push_back(std::move(job));
    return TagTicket{jobs.size() - 1};
  }
  if (const std::string* known = cache.Find(job.key);
      known != nullptr && questions[question].Allows(*known)) {
    job.answer = *words.insert(*known).first;
    job.is_done = true;
    jobs.push_back(std::move(job));
    return TagTicket{jobs.size() - 1};
  }
  if (const auto same = by_key.find(job.key); same != by_key.end()) return TagTicket{same->second};
  has_room.wait(lock, [&] { return queue.size() < kMaxWaiting || is_stopping; });
  job.text = fragment;
  job.hints = hints;
  jobs.push_back(std::move(job));
  const std::size_t ticket = jobs.size() - 1;
  by_key.emplace(jobs.back().key, ticket);
  queue.push_back(ticket);
  has_work.notify_one();
  return TagTicket{ticket};
}

std::string_view LlmTagger::State::Answer(TagTicket ticket) {
  std::unique_lock lock(mutex);
  const Job& job = jobs[static_cast<std::size_t>(ticket)];
  has_answer.wait(lock, [&] { return job.is_done; });
  return job.answer;
}

std::string LlmTagger::State::RequestFor(const agentlog::LlmQuestion& question, const Job& job,
                                         std::string_view bad_answer) {
  std::string content =
      "Kind: " + std::string(NameOf(job.kind)) + "\nSource: " + job.hints + "\nText:\n" + job.text;
  if (!bad_answer.empty()) {
    content += "\n\n\"" + agentlog::PreviewText(bad_answer, 80) +
               "\" is not one allowed word. Reply with one allowed word only.";
  }
  const nlohmann::json request = {{"model", options.model},
                                  {"messages",
                                   {{{"role", "system"}, {"content", question.instruction}},
                                    {{"role", "user"}, {"content", content}}}},
                                  {"temperature", 0},
                                  {"max_tokens", 8},
                                  {"stream", false},
                                  {"grammar", question.grammar}};
  return request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The word, or nothing. Counts what it does.
std::string LlmTagger::State::AskServer(agentlog::LlmClient& client,
                                        const agentlog::LlmQuestion& question, const Job& job) {
  std::string bad_answer;
  for (int attempt = 0; attempt < 2; ++attempt) {
    {
      const std::lock_guard lock(mutex);
      if (failures_in_a_row >= kGiveUpAfter) {
        ++not_asked;
        return {};
      }
      if (requests >= options.max_requests) {
        ++over_budget;
        return {};
      }
      ++requests;
    }
    const Result<std::string> reply = client.Post(RequestFor(question, job, bad_answer));
    const std::lock_guard lock(mutex);
    if (!reply.ok()) {
      ++failures;
      ++failures_in_a_row;
      if (first_failure.empty()) first_failure = reply.error().message;
      return {};
    }
    failures_in_a_row = 0;
    bad_answer = agentlog::TextOfReply(reply.value());
    std::string word = agentlog::WordOf(bad_answer);
    if (question.Allows(word)) return word;
    if (bad_answer.empty()) bad_answer = "nothing";
  }
  const std::lock_guard lock(mutex);
  ++unusable;
  return {};
}

void LlmTagger::State::Work() {
  agentlog::LlmClient client(server);
  std::unique_lock lock(mutex);
  while (true) {
    has_work.wait(lock, [&] { return !queue.empty() || is_stopping; });
    if (is_stopping) return;
    Job& job = jobs[queue.front()];
    queue.pop_front();
    has_room.notify_one();
    const agentlog::LlmQuestion& question = questions[job.question];
    lock.unlock();
    const std::string word = AskServer(client, question, job);
    lock.lock();
    if (!word.empty()) {
      job.answer = *words.insert(word).first;
      if (!cache.Add(job.key, word)) cache_is_full = true;
    }
    by_key.erase(job.key);
    job.text = {};
    job.is_done = true;
    has_answer.notify_all();
  }
}

void LlmTagger::State::Start() {
  for (unsigned i = 0; i < std::max(options.connections, 1U); ++i) {
    workers.emplace_back([this] { Work(); });
  }
}

void LlmTagger::State::Stop() {
  {
    const std::lock_guard lock(mutex);
    is_stopping = true;
  }
  has_work.notify_all();
  has_room.notify_all();
  for (std::thread& worker : workers) worker.join();
}

LlmTagger::LlmTagger(std::unique_ptr<State> state) : state_(std::move(state)) { state_->Start(); }
LlmTagger::~LlmTagger() { state_->Stop(); }

Result<std::unique_ptr<LlmTagger>> LlmTagger::Create(LlmTaggerOptions options) {
  Result<agentlog::LlmServer> server = agentlog::ParseLlmUrl(options.url, options.timeout);
  if (!server.ok()) return server.error();
  Result<agentlog::TagCache> cache = agentlog::TagCache::Open(options.cache, options.write_cache);
  if (!cache.ok()) return cache.error();
  return std::unique_ptr<LlmTagger>(new LlmTagger(std::make_unique<State>(
      std::move(options), std::move(server).value(), std::move(cache).value())));
}

TagTicket LlmTagger::Ask(TagKind kind, std::string_view text, std::string_view hints) {
  return state_->Ask(0, kind, text, hints);
}

std::string_view LlmTagger::Answer(TagTicket ticket) { return state_->Answer(ticket); }

namespace {

class Chooser : public Tagger {
 public:
  Chooser(LlmTagger::State& state, std::size_t question) : state_(state), question_(question) {}
  TagTicket Ask(TagKind kind, std::string_view text, std::string_view hints) override {
    return state_.Ask(question_, kind, text, hints);
  }
  std::string_view Answer(TagTicket ticket) override { return state_.Answer(ticket); }

 private:
  LlmTagger::State& state_;
  std::size_t question_;
};

}  // namespace

std::unique_ptr<Tagger> LlmTagger::ChooserOf(std::vector<TaskChoice> choices) {
  const std::lock_guard lock(state_->mutex);
  state_->questions.push_back(agentlog::ChoiceQuestion(choices));
  return std::make_unique<Chooser>(*state_, state_->questions.size() - 1);
}

std::vector<std::string> LlmTagger::Warnings() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> warnings;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) warnings.push_back(std::to_string(count) + ' ' + what);
  };
  add(state_->failures, "requests to the tag server failed (" + state_->first_failure +
                            "); what they were for is unmatched");
  add(state_->not_asked, "tags were not asked for because the tag server did not answer");
  add(state_->over_budget, "tags were not asked for because of --max-uncached-tags");
  add(state_->unusable, "answers of the tag server were not one allowed word");
  add(state_->cache.damaged_lines(), "damaged lines of the tag cache were left out");
  if (state_->cache_is_full) warnings.push_back("an answer could not be added to the tag cache");
  return warnings;
}

}  // namespace sonde
