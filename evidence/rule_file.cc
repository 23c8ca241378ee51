// Rule files: classification rules of the user's own, in TOML or YAML.

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "evidence/classification_rules.h"
#include "profile/toml.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

constexpr std::uint64_t kLargestRuleFile = std::uint64_t{4} << 20;
constexpr double kNewestVersion = 1e9;
constexpr std::string_view kStage = "classification";

Error Broken(std::string message, std::uint64_t line = 0) {
  return {.code = ErrorCode::kInvalid,
          .message = std::move(message),
          .line = line,
          .stage = std::string(kStage)};
}

// One table of either language: both have strings, numbers, lists and tables.
// The first problem sticks.
template <typename Node>
class Table;

template <>
class Table<YAML::Node> {
 public:
  explicit Table(YAML::Node node) : node_(std::move(node)) {}
  bool IsTable() const { return node_.IsMap(); }
  std::uint64_t line() const { return static_cast<std::uint64_t>(node_.Mark().line + 1); }
  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const auto& entry : node_) keys.push_back(entry.first.as<std::string>(""));
    return keys;
  }
  bool Has(const std::string& key) const { return static_cast<bool>(node_[key]); }
  Table Child(const std::string& key) const { return Table(node_[key]); }
  std::optional<std::string> Text(const std::string& key) const {
    const YAML::Node value = node_[key];
    return value.IsScalar() ? std::optional(value.Scalar()) : std::nullopt;
  }
  std::optional<double> Number(const std::string& key) const {
    double value = 0;
    return YAML::convert<double>::decode(node_[key], value) ? std::optional(value) : std::nullopt;
  }
  std::optional<std::vector<std::string>> Texts(const std::string& key) const {
    const YAML::Node list = node_[key];
    if (!list.IsSequence()) return std::nullopt;
    std::vector<std::string> texts;
    for (const YAML::Node& value : list) {
      if (!value.IsScalar()) return std::nullopt;
      texts.push_back(value.Scalar());
    }
    return texts;
  }

 private:
  YAML::Node node_;
};

template <>
class Table<const toml::node*> {
 public:
  explicit Table(const toml::node* node) : node_(node) {}
  bool IsTable() const { return node_ != nullptr && node_->is_table(); }
  std::uint64_t line() const { return node_ == nullptr ? 0 : node_->source().begin.line; }
  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : *node_->as_table()) keys.emplace_back(key.str());
    return keys;
  }
  bool Has(const std::string& key) const { return Get(key) != nullptr; }
  Table Child(const std::string& key) const { return Table(Get(key)); }
  std::optional<std::string> Text(const std::string& key) const {
    return Get(key)->value_exact<std::string>();
  }
  std::optional<double> Number(const std::string& key) const { return Get(key)->value<double>(); }
  std::optional<std::vector<std::string>> Texts(const std::string& key) const {
    const toml::array* list = Get(key)->as_array();
    if (list == nullptr) return std::nullopt;
    std::vector<std::string> texts;
    for (const toml::node& value : *list) {
      const auto text = value.value_exact<std::string>();
      if (!text) return std::nullopt;
      texts.push_back(*text);
    }
    return texts;
  }

 private:
  const toml::node* Get(const std::string& key) const { return node_->as_table()->get(key); }
  const toml::node* node_;
};

// Reads the members of one rule and remembers the first thing that is wrong.
template <typename Node>
class RuleReader {
 public:
  explicit RuleReader(Table<Node> table) : table_(std::move(table)) {}

  Result<ClassificationRule> Read() {
    if (!table_.IsTable()) return Broken("a rule is not a table", table_.line());
    Allow(table_, {"id", "version", "scope", "match", "thresholds", "classification", "observation",
                   "limitations", "missing_evidence", "next_steps", "forbidden_conclusions"});
    Text(table_, "id", rule_.id);
    double version = 1;
    Number(table_, "version", version);
    if (!(version >= 1 && version <= kNewestVersion) || version != std::floor(version)) {
      Fail(table_, "version must be a whole number from 1");
    } else {
      rule_.version = static_cast<std::int64_t>(version);
    }
    Text(table_, "scope", rule_.scope);
    Text(table_, "observation", rule_.observation);
    Texts(table_, "limitations", rule_.limitations, true);
    Texts(table_, "missing_evidence", rule_.missing_evidence, true);
    Texts(table_, "next_steps", rule_.next_steps, true);
    Texts(table_, "forbidden_conclusions", rule_.forbidden_conclusions, true);
    if (Section("match", true)) {
      const Table<Node> match = table_.Child("match");
      Allow(match, {"symbol_regex", "dso_regex", "ancestor_regex", "except_regex"});
      Texts(match, "symbol_regex", rule_.symbol_patterns, true);
      Texts(match, "dso_regex", rule_.dso_patterns, false);
      Texts(match, "ancestor_regex", rule_.ancestor_patterns, false);
      Texts(match, "except_regex", rule_.except_patterns, false);
    }
    if (Section("thresholds", false)) {
      const Table<Node> thresholds = table_.Child("thresholds");
      Allow(thresholds, {"self_percent_gte", "inclusive_percent_gte"});
      if (thresholds.Has("self_percent_gte")) {
        Number(thresholds, "self_percent_gte", rule_.self_percent_gte);
      }
      if (thresholds.Has("inclusive_percent_gte")) {
        Number(thresholds, "inclusive_percent_gte", rule_.inclusive_percent_gte);
      }
    }
    if (Section("classification", true)) {
      const Table<Node> classification = table_.Child("classification");
      Allow(classification, {"category", "confidence"});
      Text(classification, "category", rule_.category);
      Text(classification, "confidence", rule_.confidence);
    }
    if (problem_) return *problem_;
    // A user's patterns search without regard to case.
    for (auto* patterns : {&rule_.symbol_patterns, &rule_.dso_patterns, &rule_.ancestor_patterns,
                           &rule_.except_patterns}) {
      for (std::string& pattern : *patterns) pattern.insert(0, "(?i)");
    }
    return std::move(rule_);
  }

 private:
  void Fail(const Table<Node>& table, const std::string& why) {
    if (!problem_) {
      const std::string name = rule_.id.empty() ? "a rule" : "rule \"" + rule_.id + '"';
      problem_ = Broken(name + ' ' + why, table.line());
    }
  }
  void Allow(const Table<Node>& table, std::initializer_list<std::string_view> known) {
    for (const std::string& key : table.Keys()) {
      if (std::ranges::find(known, key) == known.end()) Fail(table, "has an unknown key " + key);
    }
  }
  bool Section(const char* key, bool required) {
    if (!table_.Has(key)) {
      if (required) Fail(table_, std::string("has no ") + key);
      return false;
    }
    if (!table_.Child(key).IsTable()) {
      Fail(table_, std::string(key) + " must be a table");
      return false;
    }
    return true;
  }
  void Text(const Table<Node>& table, const char* key, std::string& out) {
    if (!table.Has(key)) return Fail(table, std::string("has no ") + key);
    const auto text = table.Text(key);
    text ? void(out = *text) : Fail(table, std::string(key) + " must be text");
  }
  void Number(const Table<Node>& table, const char* key, double& out) {
    if (!table.Has(key)) return Fail(table, std::string("has no ") + key);
    const auto number = table.Number(key);
    number ? void(out = *number) : Fail(table, std::string(key) + " must be a number");
  }
  void Texts(const Table<Node>& table, const char* key, std::vector<std::string>& out,
             bool required) {
    if (!table.Has(key)) {
      if (required) Fail(table, std::string("has no ") + key);
      return;
    }
    const auto texts = table.Texts(key);
    texts ? void(out = *texts) : Fail(table, std::string(key) + " must be a list of texts");
  }

  Table<Node> table_;
  ClassificationRule rule_;
  std::optional<Error> problem_;
};

template <typename Node>
Status AddRule(Node node, std::vector<ClassificationRule>& rules) {
  Result<ClassificationRule> rule = RuleReader<Node>(Table<Node>(node)).Read();
  if (!rule.ok()) return rule.error();
  rules.push_back(std::move(rule).value());
  return {};
}

Result<std::vector<ClassificationRule>> RulesFromToml(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Broken(std::string(parsed.error().description()), parsed.error().source().begin.line);
  }
  for (const auto& [key, value] : parsed.table()) {
    if (key.str() != "rule") {
      return Broken("unknown key " + std::string(key.str()), value.source().begin.line);
    }
  }
  const toml::array* list = parsed.table()["rule"].as_array();
  if (list == nullptr) return Broken("holds no [[rule]]");
  std::vector<ClassificationRule> rules;
  for (const toml::node& node : *list) {
    if (Status status = AddRule(&node, rules); !status.ok()) return status.error();
  }
  return rules;
}

// A list of rules by itself or below the key that TOML has it, or one rule.
Status AddYamlRules(const YAML::Node& root, std::vector<ClassificationRule>& rules) {
  if (root.IsMap() && root["rule"]) {
    for (const auto& entry : root) {
      if (const auto key = entry.first.as<std::string>(""); key != "rule") {
        return Broken("unknown key " + key,
                      static_cast<std::uint64_t>(entry.first.Mark().line + 1));
      }
    }
    if (!root["rule"].IsSequence()) return Broken("rule must be a list of rules");
    return AddYamlRules(root["rule"], rules);
  }
  if (root.IsMap()) return AddRule(root, rules);
  if (!root.IsSequence()) return Broken("holds neither a rule nor a list of rules");
  for (const YAML::Node& node : root) {
    if (Status status = AddRule(node, rules); !status.ok()) return status;
  }
  return {};
}

// yaml-cpp reports by exceptions; none leaves this function.
Result<std::vector<ClassificationRule>> RulesFromYaml(std::string_view text) {
  std::vector<ClassificationRule> rules;
  try {
    const Status status = AddYamlRules(YAML::Load(std::string(text)), rules);
    if (!status.ok()) return status.error();
  } catch (const YAML::Exception& exception) {
    return Broken("not valid YAML: " + exception.msg,
                  static_cast<std::uint64_t>(exception.mark.line + 1));
  }
  return rules;
}

}  // namespace

Result<ClassificationRules> ClassificationRules::FromToml(std::string_view text) {
  Result<std::vector<ClassificationRule>> rules = RulesFromToml(text);
  if (!rules.ok()) return rules.error();
  return Compile(std::move(rules).value());
}

Result<ClassificationRules> ClassificationRules::FromYaml(std::string_view text) {
  Result<std::vector<ClassificationRule>> rules = RulesFromYaml(text);
  if (!rules.ok()) return rules.error();
  return Compile(std::move(rules).value());
}

Result<ClassificationRules> ClassificationRules::FromFile(const std::string& path) {
  const Result<std::string> text = ReadRegularFile(path, kLargestRuleFile);
  if (!text.ok()) return text.error();
  Result<ClassificationRules> rules =
      path.ends_with(".toml") ? FromToml(text.value()) : FromYaml(text.value());
  if (!rules.ok()) return InFile(rules.error(), path);
  return rules;
}

}  // namespace sonde
