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

  void Finish(int depth);
  void Run(std::span<const ShellToken> words, int depth);
  void RunShell(std::span<const ShellToken> arguments, int depth);
  void AddProcess(std::string_view name);
  void AddFile(Access access, std::string_view path, std::string_view previous = {});
  void AddRedirects();

  ShellCommand found_;
  std::string builtin_;
  ShellFolder folder_;
  SimpleCommand current_;
  bool reads_here_as_script_ = false;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_READER_H_
