// ShellLexer: cuts a command line into words, redirections and separators, as a shell does.

#include "agentlog/shell_lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

// Each reads ahead to its end.
constexpr int kMaxFailedArithmetic = 16;

bool IsBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }
bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsName(char c) noexcept { return IsNameStart(c) || IsDigit(c); }
bool EndsWord(char c) noexcept {
  return IsBlank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' ||
         c == '<' || c == '>';
}

// Longest first.
constexpr std::array<std::string_view, 18> kOperators = {"&>>", "<<<", "<<-", ";;&", "&&", "||",
                                                         "|&",  "&>",  ">>",  "<<",  ">|", ">&",
                                                         "<&",  "<>",  ";;",  ";&",  ">",  "<"};

bool EndsCaseItem(std::string_view op) noexcept { return op == ";;" || op == ";&" || op == ";;&"; }

bool IsRedirect(std::string_view op) noexcept {
  return op.find('<') != std::string_view::npos || op.find('>') != std::string_view::npos;
}

}  // namespace

std::vector<std::string> ShellLexer::TakeSubstitutions() {
  return std::exchange(substitutions_, {});
}

void ShellLexer::SkipBlanks() {
  while (!AtEnd()) {
    if (IsBlank(Peek())) {
      ++at_;
    } else if (Peek() == '\\' && Peek(1) == '\n') {
      at_ += 2;
    } else if (Peek() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

void ShellLexer::SkipSpace() {
  while (!AtEnd() && (IsBlank(Peek()) || Peek() == '\n')) ++at_;
}

ShellToken ShellLexer::Next() {
  if (!ready_.empty()) {
    ShellToken token = std::move(ready_.front());
    ready_.pop_front();
    return token;
  }
  SkipBlanks();
  if (AtEnd()) return {};
  if (pattern_follows_ && Peek() != '\n') SkipPattern();
  if (AtEnd()) return {};
  if (at_command_ && Peek() == '(' && Peek(1) == '(' && SkipArithmetic()) {
    return {.kind = ShellTokenKind::kSeparator, .text = ";"};
  }
  // A number that touches a redirection is its descriptor.
  std::size_t digits = 0;
  while (IsDigit(Peek(digits))) ++digits;
  if (digits > 0 && (Peek(digits) == '<' || Peek(digits) == '>')) at_ += digits;
  if (EndsWord(Peek())) {
    ShellToken token = ReadOperator();
    redirect_target_follows_ = token.kind == ShellTokenKind::kRedirect;
    at_command_ |= token.kind != ShellTokenKind::kRedirect && token.kind != ShellTokenKind::kWord;
    return token;
  }
  if (at_command_ && !redirect_target_follows_) return ReadCommandWord();
  redirect_target_follows_ = false;
  ShellToken word = ReadWord();
  if (word.is_assignment && word.text.ends_with('=') && Peek() == '(') SkipList();
  if (std::exchange(here_delimiter_follows_, false)) {
    pending_here_.push_back({word.text, here_strips_tabs_, !word.is_quoted});
  }
  return word;
}

// A word that names a program or, unquoted, says how what follows is to be read.
ShellToken ShellLexer::ReadCommandWord() {
  ShellToken word = ReadWord();
  if (word.is_assignment) {
    if (word.text.ends_with('=') && Peek() == '(') SkipList();
    return word;
  }
  if (word.is_quoted || !word.is_literal) {
    at_command_ = false;
    return word;
  }
  if (IsShellReserved(word.text)) {
    if (word.text == "esac" && open_cases_ > 0) --open_cases_;
    return word;
  }
  at_command_ = false;
  if (word.text == "[[") {
    SkipCondition();
  } else if (word.text == "case") {
    SkipCaseHead();
  } else if (word.text == "for") {
    SkipBlanks();
    if (Peek() == '(' && Peek(1) == '(' && SkipArithmetic()) at_command_ = true;
  } else if (word.text == "function") {
    SkipBlanks();
    word = ReadWord();
    word.kind = ShellTokenKind::kFunction;
    SkipFunctionBrackets();
    at_command_ = true;
  } else if (SkipFunctionBrackets()) {
    word.kind = ShellTokenKind::kFunction;
    at_command_ = true;
  }
  if (at_command_ && word.kind == ShellTokenKind::kWord) {
    ready_.push_back({.kind = ShellTokenKind::kSeparator, .text = ";"});
  }
  return word;
}

// "((1 + 2))" from its first bracket; false for subshells such as "((a); (b))".
bool ShellLexer::SkipArithmetic() {
  if (failed_arithmetic_ == kMaxFailedArithmetic) return false;
  const std::size_t start = at_;
  ++at_;
  const std::string_view inner = ReadBalanced('(', ')');
  if (!AtEnd() && Peek() != ')') {
    at_ = start;
    ++failed_arithmetic_;
    return false;
  }
  TakeSubstitutionsOf(inner);
  if (!AtEnd()) ++at_;
  return true;
}

// From behind "[[" to behind "]]": patterns and comparisons, no pipes and no files.
void ShellLexer::SkipCondition() {
  while (true) {
    SkipSpace();
    if (AtEnd()) return;
    if (EndsWord(Peek())) {
      ++at_;
      continue;
    }
    const ShellToken word = ReadWord();
    if (word.text == "]]" && !word.is_quoted) return;
  }
}

// From behind "case" to behind its "in".
void ShellLexer::SkipCaseHead() {
  SkipSpace();
  if (AtEnd() || EndsWord(Peek())) return;
  ReadWord();
  SkipSpace();
  if (text_.substr(at_, 2) != "in" || (at_ + 2 < text_.size() && !EndsWord(Peek(2)))) return;
  at_ += 2;
  ++open_cases_;
  pattern_follows_ = true;
  at_command_ = true;
}

// "a|b)" and "(a|b)"; nothing in front of "esac".
void ShellLexer::SkipPattern() {
  pattern_follows_ = false;
  at_command_ = true;
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("esac") && (rest.size() == 4 || EndsWord(rest[4]))) return;
  std::size_t depth = 1;
  if (Peek() == '(') ++at_;
  while (!AtEnd() && Peek() != '\n' && Peek() != ';' && depth > 0) {
    if (Peek() == '(') ++depth;
    if (Peek() == ')') --depth;
    if (EndsWord(Peek())) {
      ++at_;
    } else {
      ReadWord();
    }
  }
  SkipBlanks();
}

// The "()" behind the name of a function.
bool ShellLexer::SkipFunctionBrackets() {
  const std::size_t start = at_;
  SkipBlanks();
  if (Peek() == '(') {
    ++at_;
    SkipBlanks();
    if (Peek() == ')') {
      ++at_;
      return true;
    }
  }
  at_ = start;
  return false;
}

ShellToken ShellLexer::ReadOperator() {
  if (Peek() == '\n') {
    ++at_;
    ReadHereBodies();
    ready_.push_back({.kind = ShellTokenKind::kSeparator, .text = "\n"});
    ShellToken first = std::move(ready_.front());
    ready_.pop_front();
    return first;
  }
  if ((Peek() == '<' || Peek() == '>') && Peek(1) == '(') {
    ++at_;
    ShellToken word{.kind = ShellTokenKind::kWord, .is_literal = false};
    substitutions_.emplace_back(ReadBalanced('(', ')'));
    return word;
  }
  for (const std::string_view op : kOperators) {
    if (text_.substr(at_, op.size()) != op) continue;
    at_ += op.size();
    if (op == "<<" || op == "<<-") {
      here_delimiter_follows_ = true;
      here_strips_tabs_ = op == "<<-";
    }
    if (EndsCaseItem(op)) pattern_follows_ = open_cases_ > 0;
    if (IsRedirect(op)) return {.kind = ShellTokenKind::kRedirect, .text = std::string(op)};
    return {.kind = ShellTokenKind::kSeparator,
            .text = std::string(op == "|&"         ? "|"
                                : EndsCaseItem(op) ? ";"
                                                   : op)};
  }
  return {.kind = ShellTokenKind::kSeparator, .text = std::string(1, text_[at_++])};
}

void ShellLexer::ReadHereBodies() {
  for (const HereDocument& here : std::exchange(pending_here_, {})) {
    ShellToken body{.kind = ShellTokenKind::kHereText, .is_literal = !here.expands};
    while (!AtEnd()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (here.strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      std::string_view bare = line;
      if (!bare.empty() && bare.back() == '\r') bare.remove_suffix(1);
      if (bare == here.delimiter) break;
      body.text.append(line).push_back('\n');
    }
    ready_.push_back(std::move(body));
  }
}

ShellToken ShellLexer::ReadWord() {
  ShellToken word{.kind = ShellTokenKind::kWord};
  word.is_assignment = IsShellAssignment(text_.substr(at_));
  while (!AtEnd() && !EndsWord(Peek())) {
    const char c = Peek();
    if (c == '\'') {
      ReadSingleQuoted(word.text);
      word.is_quoted = true;
    } else if (c == '"') {
      ReadDoubleQuoted(word);
      word.is_quoted = true;
    } else if (c == '$' && Peek(1) == '\'') {
      ++at_;
      ReadAnsiQuoted(word.text);
      word.is_quoted = true;
    } else if (c == '$' && Peek(1) == '"') {
      ++at_;
    } else if (c == '$') {
      ReadDollar(word);
    } else if (c == '`') {
      substitutions_.emplace_back(ReadBackquoted());
      word.is_literal = false;
    } else if (c == '\\') {
      if (Peek(1) == '\n') {
        at_ += 2;
        continue;
      }
      ++at_;
      word.is_quoted = true;
      if (!AtEnd()) word.text.push_back(text_[at_++]);
    } else {
      word.is_pattern |= c == '*' || c == '?' || c == '[' || c == '{';
      word.text.push_back(c);
      ++at_;
    }
  }
  return word;
}

// The "(a b)" of NAME=(a b): words that are no command's.
void ShellLexer::SkipList() {
  ++at_;
  while (true) {
    SkipBlanks();
    if (AtEnd()) return;
    if (Peek() == ')') break;
    if (EndsWord(Peek())) {
      ReadOperator();
    } else {
      ReadWord();
    }
  }
  ++at_;
}

void ShellLexer::ReadSingleQuoted(std::string& into) {
  const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
  into.append(text_.substr(at_ + 1, end - at_ - 1));
  at_ = std::min(end + 1, text_.size());
}

void ShellLexer::ReadAnsiQuoted(std::string& into) {
  ++at_;
  while (!AtEnd() && Peek() != '\'') {
    if (Peek() == '\\' && at_ + 1 < text_.size()) {
      ++at_;
      const char c = Peek();
      into.push_back(c == 'n' ? '\n' : c == 't' ? '\t' : c);
    } else {
      into.push_back(Peek());
    }
    ++at_;
  }
  if (!AtEnd()) ++at_;
}

void ShellLexer::ReadDoubleQuoted(ShellToken& word) {
  ++at_;
  while (!AtEnd() && Peek() != '"') {
    const char c = Peek();
    if (c == '$') {
      ReadDollar(word);
    } else if (c == '`') {
      substitutions_.emplace_back(ReadBackquoted());
      word.is_literal = false;
    } else if (c == '\\' &&
               (Peek(1) == '"' || Peek(1) == '\\' || Peek(1) == '$' || Peek(1) == '`')) {
      word.text.push_back(Peek(1));
      at_ += 2;
    } else if (c == '\\' && Peek(1) == '\n') {
      at_ += 2;
    } else {
      word.text.push_back(c);
      ++at_;
    }
  }
  if (!AtEnd()) ++at_;
}

void ShellLexer::ReadDollar(ShellToken& word) {
  ++at_;
  const char c = Peek();
  if (c == '(') {
    const bool is_arithmetic = Peek(1) == '(';
    const std::string_view inner = ReadBalanced('(', ')');
    if (is_arithmetic) {
      TakeSubstitutionsOf(inner);
    } else {
      substitutions_.emplace_back(inner);
    }
  } else if (c == '{') {
    TakeSubstitutionsOf(ReadBalanced('{', '}'));
  } else if (IsNameStart(c)) {
    while (IsName(Peek())) ++at_;
  } else if (IsDigit(c) ||
             (c != '\0' && std::string_view("@*#?$!-").find(c) != std::string_view::npos)) {
    ++at_;
  } else {
    word.text.push_back('$');
    return;
  }
  word.is_literal = false;
}

// From the opening bracket at at_ to behind the closing one; what is between.
std::string_view ShellLexer::ReadBalanced(char open, char close) {
  const std::size_t start = ++at_;
  std::size_t depth = 1;
  while (!AtEnd()) {
    const char c = Peek();
    if (c == '\\') {
      at_ = std::min(at_ + 2, text_.size());
      continue;
    }
    if (c == '\'') {
      at_ = std::min(text_.find('\'', at_ + 1), text_.size() - 1) + 1;
      continue;
    }
    if (c == open) ++depth;
    if (c == close && --depth == 0) return text_.substr(start, at_++ - start);
    ++at_;
  }
  return text_.substr(start);
}

std::string_view ShellLexer::ReadBackquoted() {
  const std::size_t start = ++at_;
  while (!AtEnd() && Peek() != '`') at_ += Peek() == '\\' ? 2 : 1;
  at_ = std::min(at_, text_.size());
  const std::string_view inner = text_.substr(start, at_ - start);
  if (!AtEnd()) ++at_;
  return inner;
}

std::vector<std::string> ShellLexer::SubstitutionsIn(std::string_view text) {
  ShellLexer lexer(text);
  ShellToken word;
  while (true) {
    lexer.at_ = text.find("$(", lexer.at_);
    if (lexer.at_ == std::string_view::npos) return lexer.TakeSubstitutions();
    if (lexer.Peek(2) == '(') {
      lexer.at_ += 3;
    } else {
      lexer.ReadDollar(word);
    }
  }
}

void ShellLexer::TakeSubstitutionsOf(std::string_view text) {
  for (std::string& inner : SubstitutionsIn(text)) substitutions_.push_back(std::move(inner));
}

bool IsShellAssignment(std::string_view word) noexcept {
  if (word.empty() || !IsNameStart(word.front())) return false;
  std::size_t name = 1;
  while (name < word.size() && IsName(word[name])) ++name;
  if (name < word.size() && word[name] == '+') ++name;
  return name < word.size() && word[name] == '=';
}

}  // namespace sonde::agentlog
