// ClassificationRules: which families of work a function's name may belong to.

#ifndef SONDE_EVIDENCE_CLASSIFICATION_RULES_H_
#define SONDE_EVIDENCE_CLASSIFICATION_RULES_H_

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/analysis.h"
#include "sonde/result.h"

namespace sonde {

// A name match is a reason to look, never a finding. All patterns are RE2.
struct ClassificationRule {
  std::string id{};
  std::int64_t version = 1;
  std::string scope = "generic";               // "generic", "linux", "cpp".
  std::vector<std::string> symbol_patterns{};  // Any must match somewhere in the symbol.
  std::vector<std::string> dso_patterns{};     // If given, any must match as well.
  std::vector<std::string>
      ancestor_patterns{};  // If given, a frame above it on some path must match.
  std::vector<std::string> except_patterns{};  // None may match the symbol.
  double self_percent_gte = 0;
  double inclusive_percent_gte = 0;
  std::string category{};
  std::string confidence = "low";  // "low" or "medium".
  std::string observation{};       // "{symbol}" stands for the function.
  std::vector<std::string> limitations{};
  std::vector<std::string> missing_evidence{};
  std::vector<std::string> next_steps{};
  std::vector<std::string> forbidden_conclusions{};
};

// Compiled and immutable. Any thread.
class ClassificationRules {
 public:
  // kInvalid (stage "classification") names the rule and what is wrong with it.
  static Result<ClassificationRules> Compile(std::vector<ClassificationRule> rules);

  // TOML (`[[rule]]` tables), or YAML (a list, or one mapping).
  static Result<ClassificationRules> FromToml(std::string_view text);
  static Result<ClassificationRules> FromYaml(std::string_view text);
  // By the file's extension.
  static Result<ClassificationRules> FromFile(const std::string& path);

  std::span<const ClassificationRule> rules() const noexcept { return rules_; }
  // Whether the rule's patterns match, thresholds and ancestors aside.
  bool NameMatches(std::size_t rule, std::string_view symbol, std::string_view dso) const;
  // Whether a frame fits the rule's ancestor patterns; true when it has none.
  bool AncestorMatches(std::size_t rule, std::string_view symbol) const;
  // The categories of all rules without ancestors whose names match, in order, each once.
  std::vector<std::string> CategoriesOf(std::string_view symbol, std::string_view dso) const;

 private:
  struct Patterns {
    std::vector<std::unique_ptr<RE2>> symbol, dso, ancestor, except;
  };
  std::vector<ClassificationRule> rules_;
  std::vector<Patterns> patterns_;
};

// The rules that come with the program: families by the names that libc, the kernel,
// allocators and common runtimes really use. They name no product.
const ClassificationRules& BuiltInRules();
std::vector<ClassificationRule> BuiltInRuleList();

}  // namespace sonde

#endif  // SONDE_EVIDENCE_CLASSIFICATION_RULES_H_
