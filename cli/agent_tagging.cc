// AgentTagging: the taggers that `sonde agent` is asked for.

#include "cli/agent_tagging.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace sonde::cli {
namespace {

Error Usage(std::string message) {
  return {.code = ErrorCode::kUsage, .message = std::move(message)};
}

std::string DefaultTagCache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/sonde/tags.jsonl";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.cache/sonde/tags.jsonl";
  }
  return {};
}

LlmTaggerOptions ServerOf(const AgentOptions& options) {
  LlmTaggerOptions server;
  server.url = options.llama_url;
  server.model = options.model;
  server.timeout = std::chrono::milliseconds(std::llround(options.timeout_s * 1000));
  if (options.max_uncached_tags >= 0) {
    server.max_requests = static_cast<std::uint64_t>(options.max_uncached_tags);
  }
  server.cache = TagCacheOf(options);
  server.write_cache = !options.no_cache;
  return server;
}

Result<std::vector<TaskChoice>> ChoicesOf(const std::vector<std::string>& texts) {
  std::vector<TaskChoice> choices;
  for (const std::string& text : texts) {
    Result<TaskChoice> choice = ParseTaskChoice(text);
    if (!choice.ok()) return choice.error();
    for (const TaskChoice& other : choices) {
      if (other.tag == choice.value().tag) {
        return Usage("--task-choice '" + text + "': the tag was given before");
      }
    }
    choices.push_back(std::move(choice).value());
  }
  if (choices.size() == 1) return Usage("--task-choice needs at least two choices");
  return choices;
}

}  // namespace

std::string TagCacheOf(const AgentOptions& options) {
  if (options.tagger != "llm") return {};
  return options.cache.empty() ? DefaultTagCache() : options.cache;
}

Result<AgentTagging> AgentTagging::Create(const AgentOptions& options) {
  AgentTagging tagging;
  const bool is_llm = options.tagger == "llm";
  if (is_llm && (!options.tag_rules.empty() || !options.tag_rule_files.empty() || options.preset)) {
    return Usage("--tag-rule, --tag-rules and --preset are for --tagger regex");
  }
  if (!is_llm && !options.task_choices.empty()) {
    return Usage("--task-choice needs --tagger llm");
  }
  if (is_llm) {
    Result<std::vector<TaskChoice>> choices = ChoicesOf(options.task_choices);
    if (!choices.ok()) return choices.error();
    Result<std::unique_ptr<LlmTagger>> tagger = LlmTagger::Create(ServerOf(options));
    if (!tagger.ok()) return tagger.error();
    if (!choices.value().empty()) {
      tagging.tasks_ = tagger.value()->ChooserOf(std::move(choices).value());
    }
    tagging.llm_ = tagger.value().get();
    tagging.tagger_ = std::move(tagger).value();
    return tagging;
  }
  tagging.rules_ = std::make_unique<TagRules>();
  for (const std::string& rule : options.tag_rules) {
    if (Status added = tagging.rules_->Add(rule); !added.ok()) return added.error();
  }
  for (const std::string& path : options.tag_rule_files) {
    Result<std::string> text = ReadTextFile(path);
    if (!text.ok()) return text.error();
    if (Status added = tagging.rules_->AddToml(text.value()); !added.ok()) {
      return InFile(added.error(), path);
    }
  }
  if (options.preset) tagging.rules_->AddPreset();
  if (Status compiled = tagging.rules_->Compile(); !compiled.ok()) return compiled.error();
  tagging.tagger_ = std::make_unique<RuleTagger>(*tagging.rules_);
  return tagging;
}

std::vector<std::string> AgentTagging::Warnings() const {
  if (llm_ != nullptr) return llm_->Warnings();
  std::vector<std::string> warnings = rules_->Warnings();
  for (const std::string& rule : rules_->Unused()) {
    warnings.push_back("tag rule '" + rule + "' matched nothing");
  }
  return warnings;
}

}  // namespace sonde::cli
