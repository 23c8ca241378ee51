// ShellLexer: cuts a command line into words, redirections and separators, as a shell does.

#ifndef SONDE_AGENTLOG_SHELL_LEXER_H_
#define SONDE_AGENTLOG_SHELL_LEXER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::agentlog {

enum class ShellTokenKind : std::uint8_t {
  kWord,
  kRedirect,   // `text` is the operator without its descriptor number: "<", ">>", "&>".
  kSeparator,  // `text` is ";", "\n", "&", "&&", "||", "|", "(" or ")".
  kFunction,   // `text` is the name; what the function does comes next.
  kHereText,   // The body of the oldest here-document not yet handed out.
  kEnd,
};

struct ShellToken {
  ShellTokenKind kind = ShellTokenKind::kEnd;
  std::string text{};          // Of a word: quotes removed, substitutions left out.
  bool is_literal = true;      // The text is what the command gets: no variable, no substitution.
  bool is_pattern = false;     // Has an unquoted * ? [ or {.
  bool is_quoted = false;      // Some part was quoted.
  bool is_assignment = false;  // NAME=value with an unquoted name.
};

// Reads any bytes; what a shell would refuse (an open quote, say) ends with the
// text. The texts of $(...), `...`, <(...) and >(...) are put aside as they are
// met. What is between (( and )), [[ and ]] and in the patterns of a case is no
// command's and is skipped. `text` outlives the lexer. Not thread-safe.
class ShellLexer {
 public:
  explicit ShellLexer(std::string_view text) : text_(text) {}

  ShellToken Next();
  // The substitutions met since the last call.
  std::vector<std::string> TakeSubstitutions();
  // The texts of the $(...) in `text`, which stands where a shell expands but cuts no words.
  static std::vector<std::string> SubstitutionsIn(std::string_view text);

 private:
  struct HereDocument {
    std::string delimiter;
    bool strips_tabs = false;
    bool expands = false;
  };

  char Peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool AtEnd() const noexcept { return at_ >= text_.size(); }
  void SkipBlanks();
  void SkipSpace();
  void ReadHereBodies();
  ShellToken ReadCommandWord();
  bool SkipArithmetic();
  void TakeSubstitutionsOf(std::string_view text);
  void SkipCondition();
  void SkipCaseHead();
  void SkipPattern();
  bool SkipFunctionBrackets();
  ShellToken ReadOperator();
  ShellToken ReadWord();
  void SkipList();
  void ReadSingleQuoted(std::string& into);
  void ReadAnsiQuoted(std::string& into);
  void ReadDoubleQuoted(ShellToken& word);
  void ReadDollar(ShellToken& word);
  std::string_view ReadBalanced(char open, char close);
  std::string_view ReadBackquoted();

  std::string_view text_;
  std::size_t at_ = 0;
  bool at_command_ = true;  // The next word would be a program's name.
  int failed_arithmetic_ = 0;
  std::size_t open_cases_ = 0;
  bool pattern_follows_ = false;  // Of the innermost case.
  bool redirect_target_follows_ = false;
  bool here_delimiter_follows_ = false;
  bool here_strips_tabs_ = false;
  std::vector<HereDocument> pending_here_;
  std::deque<ShellToken> ready_;
  std::vector<std::string> substitutions_;
};

// NAME=value, NAME+=value. Any thread.
bool IsShellAssignment(std::string_view word) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_LEXER_H_
