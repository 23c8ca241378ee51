// ShellCommand: what a command line does: programs started, files touched, hosts contacted.

#include "agentlog/shell_command.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "agentlog/domain.h"
#include "agentlog/shell_effect.h"
#include "agentlog/shell_lexer.h"
#include "agentlog/shell_operands.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

constexpr int kMaxDepth = 6;
constexpr std::size_t kMaxProcesses = 64;
constexpr std::size_t kMaxFiles = 256;
constexpr std::size_t kMaxDomains = 64;

std::string_view BaseNameOf(std::string_view path) noexcept {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool IsProgramName(std::string_view name) noexcept {
  if (name == "." || name == ":" || name == "[" || name == "[[") return true;
  if (name.empty() || name.size() > 64 || name.front() == '-' || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool IsReserved(std::string_view word) noexcept {
  constexpr std::string_view kWords[] = {"!",  "{",  "}",     "if",    "then", "elif", "else",
                                         "fi", "do", "while", "until", "done", "esac", "coproc"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

struct Redirect {
  std::string op;
  ShellToken target;
};

struct SimpleCommand {
  std::vector<ShellToken> words;
  std::vector<Redirect> redirects;
};

class Reader {
 public:
  void ReadText(std::string_view text, int depth);
  void ReadWords(std::span<const std::string> words);
  ShellCommand Take() &&;

 private:
  void Finish(int depth);
  void Run(std::span<const ShellToken> words, int depth);
  void RunShell(std::span<const ShellToken> arguments, int depth);
  void ChangeFolder(std::span<const ShellToken> arguments);
  void AddProcess(std::string_view name);
  void AddFile(Access access, std::string_view path, std::string_view previous = {});
  void AddRedirects();
  std::string Below(std::string_view path) const;

  ShellCommand found_;
  std::string builtin_;
  std::string folder_;  // Where cd went; empty = where the command started.
  bool folder_known_ = true;
  SimpleCommand current_;
  bool reads_here_as_script_ = false;
};

void Reader::AddProcess(std::string_view name) {
  if (found_.processes.size() == kMaxProcesses) {
    found_.is_cut = true;
    return;
  }
  found_.processes.emplace_back(name);
}

std::string Reader::Below(std::string_view path) const {
  if (folder_.empty() || path.starts_with('/') || path.starts_with('~')) return std::string(path);
  return folder_ + '/' + std::string(path);
}

void Reader::AddFile(Access access, std::string_view path, std::string_view previous) {
  if (!IsFilePath(path)) return;
  const bool is_absolute = path.starts_with('/') || path.starts_with('~');
  if (!folder_known_ && !is_absolute) return;
  FileTouch touch{access, Below(path), previous.empty() ? std::string() : Below(previous)};
  if (std::find(found_.files.begin(), found_.files.end(), touch) != found_.files.end()) return;
  if (found_.files.size() == kMaxFiles) {
    found_.is_cut = true;
    return;
  }
  found_.files.push_back(std::move(touch));
}

void Reader::AddRedirects() {
  for (const Redirect& redirect : current_.redirects) {
    const ShellToken& target = redirect.target;
    if (!target.is_literal || target.is_pattern) continue;
    const bool is_copy = redirect.op == ">&" || redirect.op == "<&";
    if (is_copy && target.text.find_first_not_of("0123456789-") == std::string::npos) continue;
    if (redirect.op == "<" || redirect.op == "<>") AddFile(Access::kRead, target.text);
    if (redirect.op.find('>') != std::string::npos && redirect.op != "<>") {
      AddFile(Access::kWrite, target.text);
      if (IsFilePath(target.text)) found_.effect = std::min(found_.effect, Effect::kWrite);
    }
  }
}

void Reader::ChangeFolder(std::span<const ShellToken> arguments) {
  while (!arguments.empty() && arguments.front().text.starts_with('-') &&
         arguments.front().text.size() > 1) {
    arguments = arguments.subspan(1);
  }
  if (arguments.empty()) {
    folder_ = "~";
    folder_known_ = true;
  } else if (!arguments.front().is_literal || arguments.front().is_pattern ||
             arguments.front().text == "-") {
    folder_known_ = false;
  } else {
    const std::string_view to = arguments.front().text;
    const bool is_absolute = to.starts_with('/') || to.starts_with('~');
    if (!folder_known_ && !is_absolute) return;
    folder_ = is_absolute ? std::string(to) : Below(to);
    folder_known_ = true;
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  }
}

void Reader::RunShell(std::span<const ShellToken> arguments, int depth) {
  while (!arguments.empty()) {
    const std::string_view word = arguments.front().text;
    arguments = arguments.subspan(1);
    if (word.starts_with('-') && !word.starts_with("--") && word.find('c') != word.npos) {
      while (!arguments.empty() && arguments.front().text.starts_with('-')) {
        arguments = arguments.subspan(1);
      }
      if (!arguments.empty()) ReadText(std::string(arguments.front().text), depth + 1);
      return;
    }
    if (word == "-o" || word == "+o" || word == "--rcfile" || word == "--init-file") {
      arguments = arguments.subspan(std::min<std::size_t>(1, arguments.size()));
      continue;
    }
    if (word.starts_with('-') || word.starts_with('+')) continue;
    AddFile(Access::kRead, word);
    return;
  }
  reads_here_as_script_ = true;
}

void Reader::Run(std::span<const ShellToken> words, int depth) {
  while (true) {
    while (!words.empty() && (words.front().is_assignment ||
                              (!words.front().is_quoted && IsReserved(words.front().text)))) {
      words = words.subspan(1);
    }
    if (words.empty() || !words.front().is_literal) return;
    const std::string_view name = BaseNameOf(words.front().text);
    const ShellWrapper* wrapper = FindShellWrapper(name);
    if (wrapper == nullptr) break;
    if (wrapper->is_process) AddProcess(name);
    if (!wrapper->is_process && builtin_.empty()) builtin_ = name;
    if (name == "command" && words.size() > 1 && words[1].text.starts_with('-')) return;
    words = words.subspan(1);
    int operands = wrapper->operands;
    while (!words.empty()) {
      const ShellToken& word = words.front();
      const bool is_option = word.text.size() > 1 && word.text.starts_with('-');
      if (name == "env" && (word.text == "-S" || word.text == "--split-string")) {
        if (words.size() > 1) ReadText(std::string(words[1].text), depth + 1);
        return;
      }
      if (is_option && word.text != "--") {
        const bool takes_value = TakesValue(wrapper->value_options, word.text);
        words = words.subspan(std::min<std::size_t>(takes_value ? 2 : 1, words.size()));
      } else if (word.text == "--" || (word.is_assignment && name != "exec")) {
        words = words.subspan(1);
      } else if (operands > 0) {
        --operands;
        words = words.subspan(1);
      } else {
        break;
      }
    }
  }

  const std::string name(BaseNameOf(words.front().text));
  const std::span<const ShellToken> arguments = words.subspan(1);
  if (name == "for" || name == "select" || name == "case" || name == "function") return;
  if (!IsProgramName(name)) return;
  if (name == "cd" || name == "pushd") ChangeFolder(arguments);
  if (name == "." || name == "source") {
    if (!arguments.empty() && arguments.front().is_literal) {
      AddFile(Access::kRead, arguments.front().text);
    }
  }
  if (name == "eval") {
    std::string text;
    for (const ShellToken& word : arguments) text.append(word.text).push_back(' ');
    ReadText(text, depth + 1);
    return;
  }
  if (IsShellBuiltin(name)) {
    if (builtin_.empty()) builtin_ = name;
    return;
  }
  AddProcess(name);
  if (IsShell(name)) {
    RunShell(arguments, depth);
    return;
  }
  const Effect effect = EffectOf(name, arguments);
  found_.effect = std::min(found_.effect, effect);
  for (const FileTouch& touch : FilesOfArguments(name, arguments)) {
    AddFile(touch.access, touch.path, touch.previous_path);
  }
  for (std::string& domain : DomainsOfArguments(name, arguments)) {
    found_.effect = std::min(found_.effect, Effect::kNetwork);
    if (found_.domains.size() == kMaxDomains) {
      found_.is_cut = true;
      break;
    }
    AddDomain(found_.domains, std::move(domain));
  }
  if (name == "find" || name == "fd") {
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      const std::string_view word = arguments[i].text;
      if (word == "-exec" || word == "-execdir" || word == "-ok" ||
          (name == "fd" && word == "-x")) {
        std::size_t end = i + 1;
        while (end < arguments.size() && arguments[end].text != ";" && arguments[end].text != "+") {
          ++end;
        }
        std::vector<ShellToken> inner(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      arguments.begin() + static_cast<std::ptrdiff_t>(end));
        for (ShellToken& token : inner) {
          if (token.text.find("{}") != std::string::npos) token.is_literal = false;
        }
        if (depth < kMaxDepth) Run(inner, depth + 1);
        i = end;
      }
      if (word == "-delete") found_.effect = std::min(found_.effect, Effect::kWrite);
    }
  }
}

void Reader::Finish(int depth) {
  AddRedirects();
  if (!current_.words.empty()) Run(current_.words, depth);
  current_ = {};
}

void Reader::ReadText(std::string_view text, int depth) {
  if (depth > kMaxDepth) {
    found_.is_cut = true;
    return;
  }
  SimpleCommand outer = std::exchange(current_, {});
  const bool outer_reads_here = std::exchange(reads_here_as_script_, false);
  std::vector<std::pair<std::string, bool>> folders;  // Of the open subshells.
  std::vector<std::string> nested;
  ShellLexer lexer(text);
  bool redirect_follows = false;
  std::string redirect;
  while (true) {
    ShellToken token = lexer.Next();
    for (std::string& inner : lexer.TakeSubstitutions()) nested.push_back(std::move(inner));
    if (token.kind == ShellTokenKind::kEnd) break;
    switch (token.kind) {
      case ShellTokenKind::kRedirect:
        redirect = token.text;
        redirect_follows = true;
        break;
      case ShellTokenKind::kWord:
        if (redirect_follows) {
          current_.redirects.push_back({redirect, std::move(token)});
          redirect_follows = false;
        } else {
          current_.words.push_back(std::move(token));
        }
        break;
      case ShellTokenKind::kHereText: {
        // The line that opened the document is still unfinished: its separator comes after it.
        Finish(depth);
        if (std::exchange(reads_here_as_script_, false)) {
          ReadText(token.text, depth + 1);
        } else if (!token.is_literal) {
          std::size_t at = token.text.find("$(");
          while (at != std::string::npos) {
            ShellLexer body(std::string_view(token.text).substr(at));
            body.Next();
            at += 2;
            for (std::string& inner : body.TakeSubstitutions()) {
              at += inner.size();
              nested.push_back(std::move(inner));
            }
            at = token.text.find("$(", std::min(at, token.text.size()));
          }
        }
        break;
      }
      case ShellTokenKind::kSeparator:
        redirect_follows = false;
        if (token.text == "(") {
          // "name()" defines a function.
          if (current_.words.size() == 1) current_ = {};
          Finish(depth);
          folders.emplace_back(folder_, folder_known_);
        } else if (token.text == ")" && folders.empty()) {
          current_ = {};  // The pattern of a case.
        } else {
          Finish(depth);
          if (token.text == ")") {
            std::tie(folder_, folder_known_) = folders.back();
            folders.pop_back();
          }
          if (token.text == "\n") reads_here_as_script_ = false;
        }
        break;
      case ShellTokenKind::kEnd:
        break;
    }
  }
  Finish(depth);
  const auto folder = std::pair(folder_, folder_known_);
  for (const std::string& inner : nested) {
    ReadText(inner, depth + 1);
    std::tie(folder_, folder_known_) = folder;
  }
  current_ = std::move(outer);
  reads_here_as_script_ = outer_reads_here;
}

void Reader::ReadWords(std::span<const std::string> words) {
  std::vector<ShellToken> tokens;
  for (const std::string& word : words) {
    tokens.push_back({.kind = ShellTokenKind::kWord, .text = word});
  }
  Run(tokens, 0);
}

ShellCommand Reader::Take() && {
  for (const std::string& process : found_.processes) {
    found_.name = process;
    if (!IsShell(process)) break;
  }
  if (found_.name.empty()) found_.name = builtin_;
  return std::move(found_);
}

}  // namespace

std::string_view NameOf(Effect effect) noexcept {
  switch (effect) {
    case Effect::kTest:
      return "test";
    case Effect::kRepository:
      return "repo";
    case Effect::kNetwork:
      return "network";
    case Effect::kWrite:
      return "write";
    case Effect::kRead:
      return "read";
    case Effect::kProcess:
      break;
  }
  return "process";
}

std::string_view NameOf(Access access) noexcept {
  switch (access) {
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "write";
    case Access::kCreate:
      return "create";
    case Access::kDelete:
      return "delete";
    case Access::kRename:
      break;
  }
  return "rename";
}

ShellCommand ReadShellCommand(std::string_view text) {
  Reader reader;
  reader.ReadText(text, 0);
  return std::move(reader).Take();
}

ShellCommand ReadShellArguments(std::span<const std::string> words) {
  Reader reader;
  reader.ReadWords(words);
  return std::move(reader).Take();
}

bool IsPatch(std::string_view text) noexcept {
  return text.find("*** Begin Patch") != std::string_view::npos;
}

std::vector<FileTouch> FilesOfPatch(std::string_view text) {
  constexpr std::pair<std::string_view, Access> kMarks[] = {
      {"*** Add File: ", Access::kCreate},
      {"*** Update File: ", Access::kWrite},
      {"*** Delete File: ", Access::kDelete},
      {"*** Move to: ", Access::kRename},
  };
  std::vector<FileTouch> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (const auto& [mark, access] : kMarks) {
      if (!line.starts_with(mark)) continue;
      line.remove_prefix(mark.size());
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
      if (!IsFilePath(line) || files.size() == kMaxFiles) break;
      if (access == Access::kRename) {
        if (files.empty() || files.back().access != Access::kWrite) break;
        files.back() = {Access::kRename, std::string(line), files.back().path};
      } else {
        files.push_back({access, std::string(line)});
      }
      break;
    }
  }
  return files;
}

}  // namespace sonde::agentlog
