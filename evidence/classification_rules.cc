// ClassificationRules: which families of work a function's name may belong to.

#include "evidence/classification_rules.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace sonde {
namespace {

constexpr std::string_view kStage = "classification";

Error RuleError(const ClassificationRule& rule, const std::string& why) {
  return {.code = ErrorCode::kInvalid,
          .message = "rule \"" + rule.id + "\": " + why,
          .stage = std::string(kStage)};
}

Result<std::vector<std::unique_ptr<RE2>>> CompileAll(const ClassificationRule& rule,
                                                     const std::vector<std::string>& patterns) {
  std::vector<std::unique_ptr<RE2>> compiled;
  RE2::Options options;
  options.set_log_errors(false);
  for (const std::string& pattern : patterns) {
    compiled.push_back(std::make_unique<RE2>(pattern, options));
    if (!compiled.back()->ok()) {
      return RuleError(rule, "pattern \"" + pattern + "\": " + compiled.back()->error());
    }
  }
  return compiled;
}

bool AnyMatches(const std::vector<std::unique_ptr<RE2>>& patterns, std::string_view text) {
  const re2::StringPiece piece(text.data(), text.size());
  return std::ranges::any_of(patterns, [&](const auto& p) { return RE2::PartialMatch(piece, *p); });
}

Status Check(const ClassificationRule& rule) {
  if (rule.id.empty()) return RuleError(rule, "has no id");
  if (rule.version < 1) return RuleError(rule, "version must be 1 or more");
  if (rule.scope != "generic" && rule.scope != "linux" && rule.scope != "cpp") {
    return RuleError(rule, "scope must be generic, linux or cpp");
  }
  if (rule.category.empty()) return RuleError(rule, "has no category");
  if (rule.confidence != "low" && rule.confidence != "medium") {
    return RuleError(rule, "confidence must be low or medium: a name alone proves nothing");
  }
  if (rule.symbol_patterns.empty()) return RuleError(rule, "has no symbol pattern");
  for (const double threshold : {rule.self_percent_gte, rule.inclusive_percent_gte}) {
    if (!(threshold >= 0 && threshold <= 100)) {
      return RuleError(rule, "thresholds must lie between 0 and 100");
    }
  }
  return {};
}

}  // namespace

Result<ClassificationRules> ClassificationRules::Compile(std::vector<ClassificationRule> rules) {
  ClassificationRules compiled;
  std::set<std::string> ids;
  for (ClassificationRule& rule : rules) {
    if (Status status = Check(rule); !status.ok()) return status.error();
    if (!ids.insert(rule.id).second) return RuleError(rule, "stands twice");
    Patterns patterns;
    for (const auto& [from, to] : {std::pair{&rule.symbol_patterns, &patterns.symbol},
                                   {&rule.dso_patterns, &patterns.dso},
                                   {&rule.ancestor_patterns, &patterns.ancestor},
                                   {&rule.except_patterns, &patterns.except}}) {
      Result<std::vector<std::unique_ptr<RE2>>> list = CompileAll(rule, *from);
      if (!list.ok()) return list.error();
      *to = std::move(list).value();
    }
    compiled.rules_.push_back(std::move(rule));
    compiled.patterns_.push_back(std::move(patterns));
  }
  return compiled;
}

bool ClassificationRules::NameMatches(std::size_t rule, std::string_view symbol,
                                      std::string_view dso) const {
  const Patterns& patterns = patterns_[rule];
  return AnyMatches(patterns.symbol, symbol) &&
         (patterns.dso.empty() || AnyMatches(patterns.dso, dso)) &&
         !AnyMatches(patterns.except, symbol);
}

bool ClassificationRules::AncestorMatches(std::size_t rule, std::string_view symbol) const {
  const Patterns& patterns = patterns_[rule];
  return patterns.ancestor.empty() || AnyMatches(patterns.ancestor, symbol);
}

std::vector<std::string> ClassificationRules::CategoriesOf(std::string_view symbol,
                                                           std::string_view dso) const {
  std::vector<std::string> categories;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!patterns_[i].ancestor.empty() || !NameMatches(i, symbol, dso)) continue;
    if (std::ranges::find(categories, rules_[i].category) == categories.end()) {
      categories.push_back(rules_[i].category);
    }
  }
  return categories;
}

const ClassificationRules& BuiltInRules() {
  static const ClassificationRules rules = [] {
    Result<ClassificationRules> compiled = ClassificationRules::Compile(BuiltInRuleList());
    assert(compiled.ok());
    return std::move(compiled).value();
  }();
  return rules;
}

}  // namespace sonde
