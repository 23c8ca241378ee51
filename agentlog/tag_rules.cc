// TagRules: regular expressions that give sessions, prompts and model answers a one-word tag.

#include "sonde/tag_rules.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <iterator>

#include "agentlog/tag_presets.h"
#include "agentlog/tag_rules_toml.h"

namespace sonde {
namespace {

constexpr std::string_view kVague[] = {"data", "item",  "misc",   "other",   "stuff",
                                       "task", "thing", "things", "various", "work"};
constexpr std::string_view kPlaceholders[] = {
    "answer",   "assistant", "default", "dummy",  "general",     "generic",  "llm",
    "message",  "none",      "null",    "output", "placeholder", "prompt",   "reply",
    "response", "session",   "text",    "todo",   "unknown",     "untagged", "user"};

template <std::size_t kSize>
bool IsOneOf(const std::string_view (&names)[kSize], std::string_view name) noexcept {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

RE2::Options PatternOptions() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// Matches texts that have nothing in common.
bool MatchesEverything(const RE2& pattern) {
  for (const std::string_view probe : {"a", "Q", "7", "~", "\xe4\xb8\xad", " - "}) {
    if (!RE2::PartialMatch(Piece(probe), pattern)) return false;
  }
  return true;
}

Error BadRule(std::string_view text, const std::string& why) {
  return {.code = ErrorCode::kUsage,
          .message = "tag rule '" + std::string(text) + "': " + why +
                     " (expected KIND:TAG=REGEX, such as prompt:review=(?i)review|diff)"};
}

struct Rule {
  Rule(std::string rule_tag, std::string rule_text, std::array<bool, kTagKinds> rule_kinds,
       std::string_view pattern)
      : tag(std::move(rule_tag)),
        text(std::move(rule_text)),
        kinds(rule_kinds),
        regex(Piece(pattern), PatternOptions()) {}

  std::string tag;
  std::string text;  // As the user wrote it; empty for a shipped one.
  std::array<bool, kTagKinds> kinds;
  RE2 regex;
  std::atomic<bool> used{false};
};

}  // namespace

struct TagRules::State {
  // All patterns of one kind at once; the answers are indices into `rules`.
  struct Matcher {
    std::unique_ptr<RE2::Set> set;
    std::vector<std::uint32_t> rules;  // By index in the set.
  };
  std::deque<Rule> rules;
  std::array<Matcher, kTagKinds> matchers;
};

std::string_view NameOf(TagKind kind) noexcept {
  constexpr std::array<std::string_view, kTagKinds> kNames = {"session", "prompt", "llm"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool IsTag(std::string_view text) noexcept {
  return text.size() >= 3 && text.size() <= 12 && text != kUnmatchedTag &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

TagRules::TagRules() : state_(std::make_unique<State>()) {}
TagRules::TagRules(TagRules&&) noexcept = default;
TagRules& TagRules::operator=(TagRules&&) noexcept = default;
TagRules::~TagRules() = default;

Status TagRules::Add(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return BadRule(text, "there is no '='");
  const std::string_view left = text.substr(0, equals);
  const std::string_view pattern = text.substr(equals + 1);
  const std::size_t colon = left.find(':');
  if (colon == std::string_view::npos) return BadRule(text, "there is no ':' before the '='");
  const std::string_view kind = left.substr(0, colon);
  const std::string_view tag = left.substr(colon + 1);
  std::array<bool, kTagKinds> kinds{kind == "session" || kind == "all",
                                    kind == "prompt" || kind == "all",
                                    kind == "llm" || kind == "all"};
  if (kinds == std::array<bool, kTagKinds>{}) {
    return BadRule(text, "the kind is not session, prompt, llm or all");
  }
  if (!IsTag(tag)) return BadRule(text, "the tag is not a word of 3 to 12 lower-case letters");
  if (pattern.empty()) return BadRule(text, "the pattern is empty");
  Rule& rule = state_->rules.emplace_back(std::string(tag), std::string(text), kinds, pattern);
  if (!rule.regex.ok()) {
    const std::string why = rule.regex.error();
    state_->rules.pop_back();
    return BadRule(text, why);
  }
  return {};
}

Status TagRules::AddToml(std::string_view toml) {
  Result<std::vector<agentlog::TomlRule>> rules = agentlog::ReadTagRulesToml(toml);
  if (!rules.ok()) return rules.error();
  for (const agentlog::TomlRule& rule : rules.value()) {
    if (const Status added = Add(rule.text); !added.ok()) {
      Error error = added.error();
      error.code = ErrorCode::kMalformed;
      error.line = rule.line;
      return error;
    }
  }
  return {};
}

void TagRules::AddPreset() {
  for (const agentlog::PresetRule& preset : agentlog::PresetRules()) {
    const std::array<bool, kTagKinds> kinds{!preset.only_llm, !preset.only_llm, true};
    state_->rules.emplace_back(std::string(preset.tag), std::string(), kinds, preset.pattern);
  }
}

Status TagRules::Compile() {
  for (std::size_t kind = 0; kind < kTagKinds; ++kind) {
    State::Matcher& matcher = state_->matchers[kind];
    matcher = {};
    RE2::Options options = PatternOptions();
    options.set_max_mem(std::int64_t{64} << 20);
    auto set = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
    for (std::uint32_t i = 0; i < state_->rules.size(); ++i) {
      const Rule& rule = state_->rules[i];
      if (!rule.kinds[kind]) continue;
      if (set->Add(rule.regex.pattern(), nullptr) < 0) {
        return Error{.code = ErrorCode::kUsage, .message = "a tag rule cannot be combined"};
      }
      matcher.rules.push_back(i);
    }
    if (!matcher.rules.empty() && !set->Compile()) {
      return Error{.code = ErrorCode::kUsage,
                   .message = "the tag rules are too large to be searched together"};
    }
    matcher.set = std::move(set);
  }
  return {};
}

std::uint32_t TagRules::Match(TagKind kind, std::string_view text) const {
  const State::Matcher& matcher = state_->matchers[static_cast<std::size_t>(kind)];
  if (matcher.rules.empty()) return kNone;
  std::uint32_t first = kNone;
  std::vector<int> hits;
  RE2::Set::ErrorInfo failure{RE2::Set::kNoError};
  if (matcher.set->Match(Piece(text), &hits, &failure)) {
    for (const int hit : hits)
      first = std::min(first, matcher.rules[static_cast<std::size_t>(hit)]);
  } else if (failure.kind != RE2::Set::kNoError) {
    // The automaton of all patterns together outgrew its memory: one by one they fit.
    for (const std::uint32_t rule : matcher.rules) {
      if (!RE2::PartialMatch(Piece(text), state_->rules[rule].regex)) continue;
      first = rule;
      break;
    }
  }
  if (first != kNone) state_->rules[first].used.store(true, std::memory_order_relaxed);
  return first;
}

std::string_view TagRules::tag(std::uint32_t rule) const noexcept {
  return rule < state_->rules.size() ? std::string_view(state_->rules[rule].tag) : kUnmatchedTag;
}

std::size_t TagRules::size() const noexcept { return state_->rules.size(); }

std::vector<std::string> TagRules::Warnings() const {
  std::vector<std::string> warnings;
  for (const Rule& rule : state_->rules) {
    if (rule.text.empty()) continue;
    const std::string quoted = "tag rule '" + rule.text + "': ";
    if (IsOneOf(kVague, rule.tag)) {
      warnings.push_back(quoted + "'" + rule.tag + "' is vague; name the activity instead");
    }
    if (IsOneOf(kPlaceholders, rule.tag)) {
      warnings.push_back(quoted + "'" + rule.tag +
                         "' is a placeholder; leave such items unmatched until a rule fits them");
    }
    if (MatchesEverything(rule.regex)) {
      warnings.push_back(quoted + "the pattern is a catch-all; it hides what no rule fits");
    }
  }
  return warnings;
}

std::vector<std::string> TagRules::Unused() const {
  std::vector<std::string> unused;
  for (const Rule& rule : state_->rules) {
    if (!rule.text.empty() && !rule.used.load(std::memory_order_relaxed)) {
      unused.push_back(rule.text);
    }
  }
  return unused;
}

}  // namespace sonde
