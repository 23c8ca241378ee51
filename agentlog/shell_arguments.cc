// ShellArguments: a program's arguments, told apart into operands and options with their values.

#include "agentlog/shell_arguments.h"

#include <algorithm>
#include <utility>

namespace sonde::agentlog {
namespace {

ShellToken Part(const ShellToken& word, std::size_t from) {
  ShellToken part = word;
  part.text.erase(0, std::min(from, part.text.size()));
  return part;
}

// Followed by a suffix for the old file: sed -i.bak, perl -pi.orig.
bool TakesSuffix(const ShellProgram& program, std::string_view option) noexcept {
  return option == "-i" &&
         (program.role == OperandRole::kEditInPlace || program.role == OperandRole::kScript);
}

bool IsLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Sorter {
 public:
  Sorter(const ShellProgram& program, std::span<const ShellToken> words)
      : program_(program), words_(words) {}

  ShellArguments Sorted() && {
    bool only_operands = false;
    for (; at_ < words_.size(); ++at_) {
      const std::string_view text = words_[at_].text;
      if (only_operands || text.size() < 2 || text[0] != '-') {
        sorted_.operands.push_back(&words_[at_]);
      } else if (text == "--") {
        only_operands = true;
      } else if (program_.role == OperandRole::kReadUntilOption) {
        // What stands here is find's expression.
        for (; at_ < words_.size(); ++at_) sorted_.options.push_back({words_[at_].text});
      } else if (text.starts_with("--")) {
        AddLong();
      } else {
        AddShort();
      }
    }
    return std::move(sorted_);
  }

 private:
  void TakeNext(ShellOption& option) {
    if (at_ + 1 >= words_.size()) return;
    option.value = words_[++at_];
    option.has_value = true;
  }

  void AddLong() {
    const ShellToken& word = words_[at_];
    const std::size_t equals = word.text.find('=');
    ShellOption option{.name = word.text.substr(0, equals)};
    if (equals != std::string::npos) {
      option.value = Part(word, equals + 1);
      option.has_value = true;
    } else if (TakesValue(program_.value_options, word.text)) {
      TakeNext(option);
    }
    sorted_.options.push_back(std::move(option));
  }

  void AddShort() {
    const ShellToken& word = words_[at_];
    for (std::size_t i = 1; i < word.text.size(); ++i) {
      ShellOption option{.name = {'-', word.text[i]}};
      const bool takes_value = TakesValue(program_.value_options, option.name);
      if (takes_value && i + 1 < word.text.size()) {
        option.value = Part(word, i + 1);
        option.has_value = true;
      } else if (takes_value) {
        TakeNext(option);
      }
      const bool has_suffix = TakesSuffix(program_, option.name) && SkipSuffix(word.text, i + 1);
      sorted_.options.push_back(std::move(option));
      if (takes_value || has_suffix) return;
    }
  }

  bool SkipSuffix(std::string_view word, std::size_t from) {
    if (from < word.size()) return !IsLetter(word[from]);
    // sed of macOS and the BSDs wants one as a word: sed -i '' SCRIPT FILE.
    if (at_ + 1 < words_.size() && program_.role == OperandRole::kEditInPlace) {
      const ShellToken& next = words_[at_ + 1];
      if (next.is_quoted && next.is_literal && next.text.empty()) ++at_;
    }
    return true;
  }

  const ShellProgram& program_;
  std::span<const ShellToken> words_;
  std::size_t at_ = 0;
  ShellArguments sorted_;
};

}  // namespace

bool ShellArguments::Has(std::string_view names) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const ShellOption& option) { return TakesValue(names, option.name); });
}

std::vector<const ShellToken*> ShellArguments::ValuesOf(std::string_view names) const {
  std::vector<const ShellToken*> values;
  for (const ShellOption& option : options) {
    if (option.has_value && TakesValue(names, option.name)) values.push_back(&option.value);
  }
  return values;
}

ShellArguments SortedArguments(const ShellProgram& program, std::span<const ShellToken> words) {
  return Sorter(program, words).Sorted();
}

}  // namespace sonde::agentlog
