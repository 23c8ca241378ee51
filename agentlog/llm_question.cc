// LlmQuestion: what a language model is asked for, and which of its answers will do.

#include "agentlog/llm_question.h"

#include <algorithm>

#include "sonde/tag_rules.h"

namespace sonde {
namespace agentlog {

bool LlmQuestion::Allows(std::string_view word) const {
  return IsTag(word) &&
         (allowed.empty() || std::find(allowed.begin(), allowed.end(), word) != allowed.end());
}

LlmQuestion FreeQuestion() {
  LlmQuestion question;
  question.instruction =
      "You label pieces of a coding agent's work. Reply with exactly one English word in lower "
      "case, 3 to 12 letters, that names the activity as precisely as possible, such as debug, "
      "review, refactor or docs. No compound words, nothing vague like task, work or misc, no "
      "explanation.";
  std::string word = "root ::= [a-z] [a-z] [a-z]";
  for (int i = 3; i < 12; ++i) word += " [a-z]?";
  question.grammar = word;
  return question;
}

LlmQuestion ChoiceQuestion(const std::vector<TaskChoice>& choices) {
  LlmQuestion question;
  question.instruction =
      "You decide what a coding agent's session was for. Reply with exactly one word of this "
      "list and nothing else:";
  question.grammar = "root ::= ";
  for (const TaskChoice& choice : choices) {
    question.instruction += '\n' + choice.tag + ": " + choice.description;
    if (!question.allowed.empty()) question.grammar += " | ";
    question.grammar += '"' + choice.tag + '"';
    question.allowed.push_back(choice.tag);
  }
  return question;
}

std::string WordOf(std::string_view reply) {
  constexpr std::string_view kAround = " \t\r\n\"'`*_.>:";
  const std::size_t first = reply.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  std::string word(reply.substr(first, reply.find_last_not_of(kAround) - first + 1));
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

}  // namespace agentlog

Result<TaskChoice> ParseTaskChoice(std::string_view text) {
  const auto trimmed = [](std::string_view part) {
    const std::size_t first = part.find_first_not_of(" \t");
    if (first == std::string_view::npos) return std::string_view();
    return part.substr(first, part.find_last_not_of(" \t") - first + 1);
  };
  const std::size_t equals = text.find('=');
  const std::string_view tag = trimmed(text.substr(0, equals));
  const std::string_view description =
      equals == std::string_view::npos ? std::string_view() : trimmed(text.substr(equals + 1));
  if (!IsTag(tag) || description.empty()) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "--task-choice '" + std::string(text) +
                            "' is not TAG=DESCRIPTION with a tag of 3 to 12 lower-case letters"};
  }
  return TaskChoice{std::string(tag), std::string(description)};
}

}  // namespace sonde
