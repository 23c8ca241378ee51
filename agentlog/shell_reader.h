// ShellReader: follows a command line from command to command and notes what each does.

#ifndef SONDE_AGENTLOG_SHELL_READER_H_
#define SONDE_AGENTLOG_SHELL_READER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/shell_command.h"
#include "agentlog/shell_folder.h"
#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// Reads one command line, then is taken. Not thread-safe.
class ShellReader {
 public:
  // `depth`: how many texts inside of texts this one is.
  void ReadText(std::string_view text, int depth);
  void ReadWords(std::span<const std::string> words);
  ShellCommand Take() &&;

 private:
  struct Redirect {
    std::string op;
    ShellToken target;
  };

  struct SimpleCommand {
    std::vector<ShellToken> words;
    std::vector<Redirect> redirects;
  };

  // Where the list and the pipeline began that a command stands in: what a pipeline's or a
  // background job's cd changes ends with it.
  struct Place {
    ShellFolder list;
    ShellFolder pipeline;
    bool is_piped = false;
  };

  struct Subshell {
    ShellFolder folder;
    Place place;
    std::vector<Place> groups;
  };

  // What is open in the text being read.
  struct Text {
    SimpleCommand command;
    std::string redirect;  // Its target comes next.
    Place place;
    std::vector<Place> groups;        // Of the groups, loops and conditions around.
    std::vector<Subshell> subshells;  // As it was outside of them.
    std::vector<std::string> substitutions;
    bool reads_here_as_script = false;
  };

  void ReadToken(ShellToken token, int depth);
  void ReadWord(ShellToken word);
  void ReadHereText(const ShellToken& body, int depth);
  void ReadSeparator(std::string_view separator, int depth);
  void OpenSubshell();
  void CloseSubshell();
  void Finish(int depth);
  // Follows the reserved words in front of a command into and out of groups.
  void FollowGroups();
  void EndPipeline(std::string_view separator);
  void Run(std::span<const ShellToken> words, int depth);
  std::span<const ShellToken> Unwrapped(std::span<const ShellToken> words, int depth);
  void RunBuiltin(std::string_view name, std::span<const ShellToken> arguments, int depth);
  void RunProgram(std::string_view name, std::span<const ShellToken> arguments, int depth);
  void RunShell(std::span<const ShellToken> arguments, int depth);
  void RunForEachFound(std::span<const ShellToken> arguments, int depth);
  void AddProcess(std::string_view name);
  void AddFile(Access access, std::string_view path, std::string_view previous = {});
  void AddRedirects();

  ShellCommand found_;
  std::string builtin_;
  ShellFolder folder_;
  Text text_;
  std::vector<std::string> functions_;  // Defined so far.
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_READER_H_
