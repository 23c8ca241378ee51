// SuggestRules: `sonde agent suggest-rules`, words that would tag what no rule fits.

#include "cli/suggest_rules.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/agent_tagging.h"
#include "sonde/word_suggester.h"

namespace sonde::cli {

void SuggestRules::AddTo(CLI::App& agent) {
  command_ = agent.add_subcommand("suggest-rules",
                                  "Propose words that would tag most prompts that no rule fits");
  command_->fallthrough();
  command_->add_option("-n,--count", count_, "Words to propose")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command_->add_option("--at-least", at_least_, "Prompts that a word must be in")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command_->add_flag("--json", as_json_, "Write JSON");
}

Result<int> SuggestRules::Run(const AgentOptions& options) const {
  if (!options.output.empty() || !options.all.empty()) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "suggest-rules writes to standard output: -o and --all have no use"};
  }
  Result<AgentTagging> tagging = AgentTagging::Create(options);
  if (!tagging.ok()) return tagging.error();
  if (!tagging.value().uses_rules()) {
    return Error{.code = ErrorCode::kUsage, .message = "suggest-rules is for --tagger regex"};
  }
  Result<ProjectionOptions> asked = ProjectionOptionsOf(options);
  if (!asked.ok()) return asked.error();
  WordSuggester words;
  asked.value().tagger = &tagging.value().tagger();
  asked.value().on_unmatched_prompt = [&](std::string_view text) { words.Add(text); };
  Result<AgentProjection> projection = AgentProjection::Create(std::move(asked).value());
  if (!projection.ok()) return projection.error();
  AgentInput input = options.input;
  input.project_root = input.is_named() ? std::string() : ProjectRootOf(options);
  Result<AgentHistory> history = ReadHistory(input, FindLogs(input));
  if (!history.ok()) return history.error();
  if (history.value().sessions().empty()) {
    return Error{.code = ErrorCode::kInvalid, .message = WhyNoSession(input)};
  }
  if (Status done = ProjectHistory(history.value(), projection.value()); !done.ok()) {
    return done.error();
  }

  const TagReport::Coverage& prompts = projection.value().tags().coverage(TagKind::kPrompt);
  const std::vector<WordSuggestion> suggestions = words.Suggest(count_, at_least_);
  const auto percent = [&](std::uint64_t part) {
    return prompts.total == 0
               ? 0.0
               : 100.0 * static_cast<double>(part) / static_cast<double>(prompts.total);
  };
  if (as_json_) {
    nlohmann::json list = nlohmann::json::array();
    for (const WordSuggestion& word : suggestions) {
      list.push_back({{"word", word.word},
                      {"prompts", word.prompts},
                      {"new_prompts", word.new_prompts},
                      {"rule", word.rule}});
    }
    std::cout << nlohmann::json{{"total_prompts", prompts.total},
                                {"unmatched_prompts", prompts.Unmatched()},
                                {"suggestions", std::move(list)}}
                     .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << '\n';
    return 0;
  }
  std::cout << prompts.Unmatched() << " of " << prompts.total << " prompts are unmatched\n";
  std::uint64_t covered = prompts.matched;
  for (const WordSuggestion& word : suggestions) {
    covered += word.new_prompts;
    std::printf("%6llu more, %5.1f%% matched  --tag-rule '%s'\n",
                static_cast<unsigned long long>(word.new_prompts), percent(covered),
                word.rule.c_str());
    std::fflush(stdout);
  }
  if (suggestions.empty() && prompts.Unmatched() > 0) {
    std::cout << "no word is in " << at_least_ << " of them\n";
  }
  return 0;
}

}  // namespace sonde::cli
