// OperationRules: sets fields, leaves operations out and chooses frames, as the user's rules say.

#include "agentlog/operation_rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "sonde/agent_projection.h"

namespace sonde::agentlog {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool IsName(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string_view Trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

struct Rule {
  Rule(std::string rule_text, FieldId rule_field, std::string rule_label, bool is_negated,
       std::string_view pattern)
      : text(std::move(rule_text)),
        field(rule_field),
        label(std::move(rule_label)),
        negated(is_negated),
        regex(Piece(pattern), RE2::Quiet) {}

  std::string text;
  FieldId field;
  std::string label;
  bool negated;
  RE2 regex;
  std::uint64_t hits = 0;
};

Error BadRule(std::string_view option, std::string_view text, std::string_view why,
              std::string_view shape) {
  return {.code = ErrorCode::kUsage,
          .message = std::string(option) + " '" + std::string(text) + "': " + std::string(why) +
                     " (expected " + std::string(shape) + ")"};
}

Status AddLabelRule(std::string_view option, std::string_view text, FieldNames& names,
                    std::deque<Rule>& rules) {
  constexpr std::string_view kShape = "NAME:LABEL=REGEX";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return BadRule(option, text, "there is no '='", kShape);
  const std::string_view left = text.substr(0, equals);
  const std::size_t colon = left.find(':');
  if (colon == std::string_view::npos) {
    return BadRule(option, text, "there is no ':' before the '='", kShape);
  }
  const std::string_view name = Trimmed(left.substr(0, colon));
  const std::string_view label = Trimmed(left.substr(colon + 1));
  if (!IsName(name) || !IsName(label)) {
    return BadRule(option, text, "name and label are made of a-z, 0-9, _ and -", kShape);
  }
  if (equals + 1 == text.size()) return BadRule(option, text, "the pattern is empty", kShape);
  Rule& rule = rules.emplace_back(std::string(text), names.FindOrAdd(name), std::string(label),
                                  false, text.substr(equals + 1));
  if (!rule.regex.ok()) return BadRule(option, text, rule.regex.error(), kShape);
  return {};
}

Status AddWhereRule(std::string_view text, const FieldNames& names, std::deque<Rule>& rules) {
  constexpr std::string_view kShape = "FIELD=REGEX or FIELD!=REGEX";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return BadRule("--where", text, "there is no '='", kShape);
  const bool negated = equals > 0 && text[equals - 1] == '!';
  const std::string_view name = Trimmed(text.substr(0, equals - (negated ? 1 : 0)));
  const FieldId field = names.Find(name);
  if (field == FieldNames::kUnknown) {
    return BadRule("--where", text,
                   "there is no field '" + std::string(name) + "' among " + names.List(), kShape);
  }
  if (equals + 1 == text.size()) return BadRule("--where", text, "the pattern is empty", kShape);
  Rule& rule =
      rules.emplace_back(std::string(text), field, std::string(), negated, text.substr(equals + 1));
  if (!rule.regex.ok()) return BadRule("--where", text, rule.regex.error(), kShape);
  return {};
}

}  // namespace

struct OperationRules::State {
  const FieldNames* names = nullptr;
  std::deque<Rule> op_maps;
  std::deque<Rule> where;
  std::deque<Rule> stack_rules;
  std::uint64_t operations = 0;
  std::string haystack;
  std::vector<FieldId> mapped;  // Fields set for the operation at hand.
  std::string pair;             // "field=value"

  // "field=value field=value ...", by field name.
  void FillHaystack(const FieldBag& bag) {
    haystack.clear();
    for (const FieldId field : names->sorted()) {
      for (const std::string_view value : bag.values(field)) {
        if (!haystack.empty()) haystack += ' ';
        haystack.append(names->name(field)).append("=").append(value);
      }
    }
  }
};

OperationRules::OperationRules(std::unique_ptr<State> state) : state_(std::move(state)) {}
OperationRules::OperationRules(OperationRules&&) noexcept = default;
OperationRules& OperationRules::operator=(OperationRules&&) noexcept = default;
OperationRules::~OperationRules() = default;

Result<OperationRules> OperationRules::Create(const RuleTexts& texts, FieldNames& names) {
  auto state = std::make_unique<State>();
  state->names = &names;
  for (const std::string& text : texts.op_maps) {
    if (Status added = AddLabelRule("--op-map", text, names, state->op_maps); !added.ok()) {
      return added.error();
    }
  }
  for (const std::string& text : texts.stack_rules) {
    // What --op-map names is a field by now.
    const std::string_view frame =
        Trimmed(std::string_view(text).substr(0, text.find_first_of(":=")));
    if (IsName(frame) && names.Find(frame) == FieldNames::kUnknown) {
      return BadRule("--stack-rule", text,
                     "there is no field '" + std::string(frame) + "' among " + names.List(),
                     "FRAME:LABEL=REGEX");
    }
    if (Status added = AddLabelRule("--stack-rule", text, names, state->stack_rules); !added.ok()) {
      return added.error();
    }
  }
  for (const std::string& text : texts.where) {
    if (Status added = AddWhereRule(text, names, state->where); !added.ok()) return added.error();
  }
  return OperationRules(std::move(state));
}

bool OperationRules::maps_fields() const noexcept { return !state_->op_maps.empty(); }

bool OperationRules::Apply(FieldBag& bag) {
  State& state = *state_;
  ++state.operations;
  if (!state.op_maps.empty()) {
    state.mapped.clear();
    state.FillHaystack(bag);
    for (Rule& rule : state.op_maps) {
      if (std::find(state.mapped.begin(), state.mapped.end(), rule.field) != state.mapped.end()) {
        continue;
      }
      if (!RE2::PartialMatch(state.haystack, rule.regex)) continue;
      ++rule.hits;
      bag.Set(rule.field, rule.label);
      state.mapped.push_back(rule.field);
      state.FillHaystack(bag);
    }
  }
  bool keep = true;
  for (Rule& rule : state.where) {
    bool matches = false;
    for (const std::string_view value : bag.values(rule.field)) {
      state.pair.assign(state.names->name(rule.field)).append("=").append(value);
      if (RE2::PartialMatch(Piece(value), rule.regex) ||
          RE2::PartialMatch(state.pair, rule.regex)) {
        matches = true;
        break;
      }
    }
    if (matches != rule.negated) {
      ++rule.hits;
    } else {
      keep = false;
    }
  }
  return keep;
}

void OperationRules::LabelsOf(FieldId frame, const FieldBag& bag,
                              std::vector<std::string_view>& labels) {
  State& state = *state_;
  labels.clear();
  bool is_filled = false;
  for (Rule& rule : state.stack_rules) {
    if (rule.field != frame) continue;
    if (!is_filled) state.FillHaystack(bag);
    is_filled = true;
    if (!RE2::PartialMatch(state.haystack, rule.regex)) continue;
    ++rule.hits;
    labels.push_back(rule.label);
    return;
  }
  const std::vector<std::string_view>& values = bag.values(frame);
  labels.assign(values.begin(), values.end());
}

std::vector<std::string> OperationRules::Warnings() const {
  std::vector<std::string> warnings;
  if (state_->operations == 0) return warnings;
  const auto add = [&](const char* option, const std::deque<Rule>& rules) {
    for (const Rule& rule : rules) {
      if (rule.hits > 0) continue;
      warnings.push_back(std::string(option) + " '" + rule.text + "' matched nothing in this view");
    }
  };
  add("--op-map", state_->op_maps);
  add("--where", state_->where);
  add("--stack-rule", state_->stack_rules);
  return warnings;
}

Result<std::vector<FieldId>> ParseStack(std::string_view text, const FieldNames& names) {
  const std::string_view whole = text;
  std::vector<FieldId> stack;
  while (true) {
    const std::size_t end = std::min(text.find_first_of(",;"), text.size());
    const std::string_view name = Trimmed(text.substr(0, end));
    if (name.empty()) return BadRule("--stack", whole, "a part of it names no field", names.List());
    const FieldId field = names.Find(name);
    if (field == FieldNames::kUnknown) {
      return BadRule("--stack", name, "there is no such field", names.List());
    }
    stack.push_back(field);
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return stack;
}

}  // namespace sonde::agentlog

namespace sonde {

std::vector<std::string> OpMapLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = agentlog::Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.front() != '#') lines.emplace_back(line);
  }
  return lines;
}

}  // namespace sonde
