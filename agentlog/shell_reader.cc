// ShellReader: follows a command line from command to command and notes what each does.

#include "agentlog/shell_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agentlog/domain.h"
#include "agentlog/secret.h"
#include "agentlog/shell_effect.h"
#include "agentlog/shell_operands.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

constexpr int kMaxDepth = 6;
constexpr std::size_t kMaxProcesses = 64;
constexpr std::size_t kMaxFiles = 256;
constexpr std::size_t kMaxDomains = 64;

std::string_view BaseNameOf(std::string_view path) noexcept {
  if (HoldsBase64Key(path)) return "redacted";
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

}  // namespace

void ShellReader::AddProcess(std::string_view name) {
  if (found_.processes.size() == kMaxProcesses) {
    found_.is_cut = true;
    return;
  }
  found_.processes.emplace_back(name);
}

void ShellReader::AddFile(Access access, std::string_view path, std::string_view previous) {
  if (!IsFilePath(path)) return;
  if (!folder_.Knows(path)) return;
  FileTouch touch{access, folder_.Below(path),
                  previous.empty() ? std::string() : folder_.Below(previous)};
  if (std::find(found_.files.begin(), found_.files.end(), touch) != found_.files.end()) return;
  if (found_.files.size() == kMaxFiles) {
    found_.is_cut = true;
    return;
  }
  found_.files.push_back(std::move(touch));
}

void ShellReader::AddRedirects() {
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

void ShellReader::RunShell(std::span<const ShellToken> arguments, int depth) {
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

void ShellReader::Run(std::span<const ShellToken> words, int depth) {
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
  if (name == "cd" || name == "pushd") folder_.Change(arguments);
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

void ShellReader::Finish(int depth) {
  AddRedirects();
  if (!current_.words.empty()) Run(current_.words, depth);
  current_ = {};
}

void ShellReader::ReadText(std::string_view text, int depth) {
  if (depth > kMaxDepth) {
    found_.is_cut = true;
    return;
  }
  SimpleCommand outer = std::exchange(current_, {});
  const bool outer_reads_here = std::exchange(reads_here_as_script_, false);
  std::vector<ShellFolder> folders;  // Of the open subshells.
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
          folders.push_back(folder_);
        } else if (token.text == ")" && folders.empty()) {
          current_ = {};  // The pattern of a case.
        } else {
          Finish(depth);
          if (token.text == ")") {
            folder_ = std::move(folders.back());
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
  const ShellFolder folder = folder_;
  for (const std::string& inner : nested) {
    ReadText(inner, depth + 1);
    folder_ = folder;
  }
  current_ = std::move(outer);
  reads_here_as_script_ = outer_reads_here;
}

void ShellReader::ReadWords(std::span<const std::string> words) {
  std::vector<ShellToken> tokens;
  for (const std::string& word : words) {
    tokens.push_back({.kind = ShellTokenKind::kWord, .text = word});
  }
  Run(tokens, 0);
}

ShellCommand ShellReader::Take() && {
  for (const std::string& process : found_.processes) {
    found_.name = process;
    if (!IsShell(process)) break;
  }
  if (found_.name.empty()) found_.name = builtin_;
  return std::move(found_);
}

}  // namespace sonde::agentlog
