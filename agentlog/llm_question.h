// LlmQuestion: what a language model is asked for, and which of its answers will do.

#ifndef SONDE_AGENTLOG_LLM_QUESTION_H_
#define SONDE_AGENTLOG_LLM_QUESTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "sonde/llm_tagger.h"

namespace sonde::agentlog {

// A free choice of words, or one of a closed set.
struct LlmQuestion {
  std::string instruction;           // Of the system.
  std::string grammar;               // Of llama.cpp.
  std::vector<std::string> allowed;  // Empty: any tag.

  bool Allows(std::string_view word) const;
};

// Any one word. Any thread.
LlmQuestion FreeQuestion();
// One of `choices`. Any thread.
LlmQuestion ChoiceQuestion(const std::vector<TaskChoice>& choices);

// "**Debug.**" is the word debug; two words are none. Any thread.
std::string WordOf(std::string_view reply);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_LLM_QUESTION_H_
