// TidyName: a function's name without what a flame graph has no room for.

#include "export/flamegraph_style/tidy_name.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sonde::flamegraph_style {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kArrow = "->";
constexpr std::string_view kAnonymous = "(anonymous namespace)";
// The operators that hold a bracket, longest first.
constexpr std::array<std::string_view, 14> kBracketOperators{
    "<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "<", ">", "-"};

bool IsOfIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Walks over a name and knows how deep in brackets it is.
class NameCursor {
 public:
  explicit NameCursor(std::string_view name) : name_(name) {}

  bool at_end() const { return at_ >= name_.size(); }
  std::size_t at() const { return at_; }
  bool is_outside() const { return depth_ == 0; }
  std::string_view rest() const { return name_.substr(at_); }
  char previous() const { return at_ == 0 ? '\0' : name_[at_ - 1]; }

  void Step() {
    if (StartsOperator()) {
      at_ += kOperator.size();
      for (const std::string_view symbol : kBracketOperators) {
        if (!rest().starts_with(symbol)) continue;
        at_ += symbol.size();
        return;
      }
      return;
    }
    if (rest().starts_with(kArrow)) {
      at_ += kArrow.size();
      return;
    }
    switch (name_[at_++]) {
      case '<':
      case '{':
      case '[':
      case '(':
        ++depth_;
        break;
      case '>':
      case '}':
      case ']':
      case ')':
        if (depth_ > 0) --depth_;
        break;
      default:
        break;
    }
  }

 private:
  bool StartsOperator() const {
    if (!rest().starts_with(kOperator) || IsOfIdentifier(previous())) return false;
    const std::size_t behind = at_ + kOperator.size();
    return behind < name_.size() && !IsOfIdentifier(name_[behind]);
  }

  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

std::string_view WithoutArguments(std::string_view name) {
  for (NameCursor cursor(name); !cursor.at_end(); cursor.Step()) {
    const bool is_argument_list = cursor.rest().front() == '(' && cursor.is_outside() &&
                                  cursor.previous() != '.' &&
                                  !cursor.rest().starts_with(kAnonymous);
    if (is_argument_list) return name.substr(0, cursor.at());
  }
  return name;
}

}  // namespace

std::string TidyName(std::string_view function, bool is_java) {
  std::string name(WithoutArguments(function));
  // Cutting must not lose a frame.
  if (name.empty()) name = function;
  std::ranges::replace(name, ';', ':');
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  if (is_java && name.starts_with('L') && name.find('/') != std::string::npos) name.erase(0, 1);
  return name;
}

std::vector<std::string_view> SplitAtArrows(std::string_view function) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  for (NameCursor cursor(function); !cursor.at_end(); cursor.Step()) {
    const bool is_call = cursor.is_outside() && cursor.at() > start &&
                         cursor.rest().starts_with(kArrow) && cursor.previous() != ' ' &&
                         cursor.rest().size() > kArrow.size();
    if (!is_call) continue;
    parts.push_back(function.substr(start, cursor.at() - start));
    start = cursor.at() + kArrow.size();
  }
  parts.push_back(function.substr(start));
  return parts;
}

}  // namespace sonde::flamegraph_style
