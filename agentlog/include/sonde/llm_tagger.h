// LlmTagger: tags chosen by a language model that runs on this machine.

#ifndef SONDE_LLM_TAGGER_H_
#define SONDE_LLM_TAGGER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"
#include "sonde/tagger.h"

namespace sonde {

// One of the tasks that a session may be declared to have.
struct TaskChoice {
  std::string tag;
  std::string description;
};

// "TAG=DESCRIPTION". Fails with kUsage, quoting `text`.
Result<TaskChoice> ParseTaskChoice(std::string_view text);

struct LlmTaggerOptions {
  // An OpenAI-compatible server, over plain HTTP and on the loopback interface only: what is
  // tagged does not leave the machine.
  std::string url = "http://127.0.0.1:8080";
  std::string model = "local";
  std::chrono::milliseconds timeout{30'000};  // For one request.
  std::uint64_t max_requests = UINT64_MAX;    // What is asked beyond it stays unmatched.
  std::string cache;                          // File of answers; empty = none.
  bool write_cache = true;                    // False: an existing cache is still read.
  unsigned connections = 4;                   // Requests under way at the same time.
};

// Asks the server for each text once; equal texts share an answer, and every answer is in the
// cache as soon as it is there. What the server does not answer, or not with one word, is
// kUnmatchedTag. **Any thread.**
class LlmTagger : public Tagger {
 public:
  // Fails with kUsage for a URL that is not plain HTTP on loopback, with kInvalid when the cache
  // cannot be read. The server is not asked yet.
  static Result<std::unique_ptr<LlmTagger>> Create(LlmTaggerOptions options);
  ~LlmTagger() override;

  TagTicket Ask(TagKind kind, std::string_view text, std::string_view hints) override;
  std::string_view Answer(TagTicket ticket) override;

  // A tagger that answers with one of `choices` (at least two). This one outlives it.
  std::unique_ptr<Tagger> ChooserOf(std::vector<TaskChoice> choices);

  // What failed or was left out so far, a line each.
  std::vector<std::string> Warnings() const;

  struct State;

 private:
  explicit LlmTagger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sonde

#endif  // SONDE_LLM_TAGGER_H_
