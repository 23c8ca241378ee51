// ShellReader: follows a command line from command to command and notes what each does.

#include "agentlog/shell_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agentlog/domain.h"
#include "agentlog/secret.h"
#include "agentlog/shell_effect.h"
#include "agentlog/shell_hosts.h"
#include "agentlog/shell_operands.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

constexpr int kMaxDepth = 6;
constexpr std::size_t kMaxProcesses = 64;
constexpr std::size_t kMaxFunctions = 64;
constexpr std::size_t kMaxFiles = 256;
constexpr std::size_t kMaxDomains = 64;

std::string_view BaseNameOf(std::string_view path) noexcept {
  if (HoldsBase64Key(path)) return "redacted";
  const std::size_t slash = path.find_last_of("/\\");
  const std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
  // "npx prettier@3".
  const std::size_t at = base.find('@');
  const std::string_view version = base.substr(std::min(at, base.size()));
  const bool is_version =
      version == "@latest" || version == "@next" ||
      (version.size() > 1 && version.find_first_not_of("0123456789.", 1) == version.npos);
  return is_version ? base.substr(0, at) : base;
}

bool IsProgramName(std::string_view name) noexcept {
  if (name == "." || name == ":" || name == "[" || name == "[[") return true;
  if (name.empty() || name.size() > 64 || name.front() == '-' || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool IsOneOf(std::initializer_list<std::string_view> names, std::string_view name) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "git -C sub add x" works in sub.
void GoWithOptions(ShellFolder& folder, std::span<const ShellToken> arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size() && arguments[i].text.starts_with('-'); ++i) {
    if (arguments[i].text == "-C") folder.Change(arguments.subspan(i + 1, 1));
    if (TakesValue("Cc git-dir work-tree", arguments[i].text)) ++i;
  }
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
  for (const Redirect& redirect : text_.command.redirects) {
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
      const ShellFolder folder = folder_;
      if (!arguments.empty()) ReadText(std::string(arguments.front().text), depth + 1);
      folder_ = folder;
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
  text_.reads_here_as_script = true;
}

// The command behind sudo, env and the like; empty when there is none to follow.
std::span<const ShellToken> ShellReader::Unwrapped(std::span<const ShellToken> words, int depth) {
  while (true) {
    while (!words.empty() && (words.front().is_assignment ||
                              (!words.front().is_quoted && IsShellReserved(words.front().text)))) {
      words = words.subspan(1);
    }
    if (words.empty() || !words.front().is_literal) return {};
    const std::string_view name = BaseNameOf(words.front().text);
    const ShellWrapper* wrapper =
        FindShellWrapper(name, words.size() > 1 ? std::string_view(words[1].text) : "");
    if (wrapper == nullptr) return words;
    if (wrapper->is_process) {
      AddProcess(name);
      found_.effect = std::min(found_.effect, EffectOf(name, words.subspan(1)));
    }
    if (!wrapper->is_process && builtin_.empty()) builtin_ = name;
    if (name == "command" && words.size() > 1 && words[1].text.starts_with('-')) return {};
    words = words.subspan(1);
    int operands = wrapper->operands;
    while (!words.empty()) {
      const ShellToken& word = words.front();
      const bool is_option = word.text.size() > 1 && word.text.starts_with('-');
      if (name == "env" && (word.text == "-S" || word.text == "--split-string")) {
        if (words.size() > 1) ReadText(std::string(words[1].text), depth + 1);
        return {};
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
}

void ShellReader::Run(std::span<const ShellToken> words, int depth) {
  words = Unwrapped(words, depth);
  if (words.empty()) return;
  const std::string name(BaseNameOf(words.front().text));
  if (IsOneOf({"for", "select", "case"}, name) || !IsProgramName(name)) return;
  if (std::find(functions_.begin(), functions_.end(), name) != functions_.end()) return;
  if (IsShellBuiltin(name)) {
    RunBuiltin(name, words.subspan(1), depth);
  } else {
    RunProgram(name, words.subspan(1), depth);
  }
}

void ShellReader::RunBuiltin(std::string_view name, std::span<const ShellToken> arguments,
                             int depth) {
  if (name == "eval") {
    std::string text;
    for (const ShellToken& word : arguments) text.append(word.text).push_back(' ');
    ReadText(text, depth + 1);
    return;
  }
  if (builtin_.empty()) builtin_ = name;
  if (name == "cd") folder_.Change(arguments);
  if (name == "pushd") folder_.Push(arguments);
  if (name == "popd") folder_.Pop();
  if (name == "." || name == "source") {
    if (!arguments.empty() && arguments.front().is_literal) {
      AddFile(Access::kRead, arguments.front().text);
    }
  }
}

void ShellReader::RunProgram(std::string_view name, std::span<const ShellToken> arguments,
                             int depth) {
  AddProcess(name);
  if (IsShell(name)) {
    RunShell(arguments, depth);
    return;
  }
  found_.effect = std::min(found_.effect, EffectOf(name, arguments));
  const ShellFolder folder = folder_;
  if (name == "git") GoWithOptions(folder_, arguments);
  for (const FileTouch& touch : FilesOfArguments(name, arguments)) {
    AddFile(touch.access, touch.path, touch.previous_path);
  }
  folder_ = folder;
  for (std::string& domain : DomainsOfArguments(name, arguments)) {
    found_.effect = std::min(found_.effect, Effect::kNetwork);
    if (found_.domains.size() == kMaxDomains) {
      found_.is_cut = true;
      break;
    }
    AddDomain(found_.domains, std::move(domain));
  }
  if (name == "find" || name == "fd") RunForEachFound(arguments, depth);
}

// What stands behind -exec.
void ShellReader::RunForEachFound(std::span<const ShellToken> arguments, int depth) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (!IsOneOf({"-exec", "-execdir", "-ok", "-okdir", "-x"}, arguments[i].text)) continue;
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
}

void ShellReader::FollowGroups() {
  for (const ShellToken& word : text_.command.words) {
    if (word.is_quoted) return;
    if (IsOneOf({"{", "if", "while", "until", "for", "select", "case"}, word.text)) {
      text_.groups.push_back(text_.place);
      text_.place = {.list = folder_, .pipeline = folder_};
    } else if (IsOneOf({"}", "fi", "done", "esac"}, word.text) && !text_.groups.empty()) {
      text_.place = std::move(text_.groups.back());
      text_.groups.pop_back();
    }
    if (!IsShellReserved(word.text)) return;
  }
}

void ShellReader::Finish(int depth) {
  AddRedirects();
  FollowGroups();
  if (!text_.command.words.empty()) Run(text_.command.words, depth);
  text_.command = {};
}

void ShellReader::EndPipeline(std::string_view separator) {
  Place& place = text_.place;
  if (separator == "|" || place.is_piped) folder_ = place.pipeline;
  place.is_piped = separator == "|";
  if (separator == "&") folder_ = place.list;
  if (separator == "|") return;
  place.pipeline = folder_;
  if (separator != "&&" && separator != "||") place.list = folder_;
}

void ShellReader::OpenSubshell() {
  text_.subshells.push_back({folder_, text_.place, std::exchange(text_.groups, {})});
  text_.place = {.list = folder_, .pipeline = folder_};
}

void ShellReader::CloseSubshell() {
  if (text_.subshells.empty()) return;
  Subshell& outside = text_.subshells.back();
  folder_ = std::move(outside.folder);
  text_.place = std::move(outside.place);
  text_.groups = std::move(outside.groups);
  text_.subshells.pop_back();
}

void ShellReader::ReadSeparator(std::string_view separator, int depth) {
  text_.redirect.clear();
  // "name(" and a bracket that nothing opened close what is no command.
  const bool is_broken = separator == "(" ? text_.command.words.size() == 1 &&
                                                !IsShellReserved(text_.command.words[0].text)
                         : separator == ")" ? text_.subshells.empty()
                                            : false;
  if (is_broken) text_.command = {};
  Finish(depth);
  if (separator == "(") {
    OpenSubshell();
  } else if (separator == ")") {
    CloseSubshell();
  } else {
    EndPipeline(separator);
  }
  if (separator == "\n") text_.reads_here_as_script = false;
}

void ShellReader::ReadHereText(const ShellToken& body, int depth) {
  // The line that opened the document is still unfinished: its separator comes after it.
  Finish(depth);
  if (std::exchange(text_.reads_here_as_script, false)) {
    ReadText(body.text, depth + 1);
  } else if (!body.is_literal) {
    for (std::string& inner : ShellLexer::SubstitutionsIn(body.text)) {
      text_.substitutions.push_back(std::move(inner));
    }
  }
}

void ShellReader::ReadWord(ShellToken word) {
  if (text_.redirect.empty()) {
    text_.command.words.push_back(std::move(word));
  } else {
    text_.command.redirects.push_back({std::exchange(text_.redirect, {}), std::move(word)});
  }
}

void ShellReader::ReadToken(ShellToken token, int depth) {
  switch (token.kind) {
    case ShellTokenKind::kRedirect:
      text_.redirect = std::move(token.text);
      break;
    case ShellTokenKind::kWord:
      ReadWord(std::move(token));
      break;
    case ShellTokenKind::kHereText:
      ReadHereText(token, depth);
      break;
    case ShellTokenKind::kFunction:
      Finish(depth);
      if (functions_.size() < kMaxFunctions) functions_.push_back(std::move(token.text));
      break;
    case ShellTokenKind::kSeparator:
      ReadSeparator(token.text, depth);
      break;
    case ShellTokenKind::kEnd:
      break;
  }
}

void ShellReader::ReadText(std::string_view text, int depth) {
  if (depth > kMaxDepth) {
    found_.is_cut = true;
    return;
  }
  Text outer = std::exchange(text_, {});
  text_.place = {.list = folder_, .pipeline = folder_};
  ShellLexer lexer(text);
  while (true) {
    ShellToken token = lexer.Next();
    for (std::string& inner : lexer.TakeSubstitutions()) {
      text_.substitutions.push_back(std::move(inner));
    }
    if (token.kind == ShellTokenKind::kEnd) break;
    ReadToken(std::move(token), depth);
  }
  Finish(depth);
  EndPipeline("\n");
  const ShellFolder folder = folder_;
  for (const std::string& inner : std::exchange(text_.substitutions, {})) {
    ReadText(inner, depth + 1);
    folder_ = folder;
  }
  text_ = std::move(outer);
}

void ShellReader::ReadWords(std::span<const std::string> words) {
  std::vector<ShellToken> tokens;
  for (const std::string& word : words) {
    // The first is what is started, whatever it looks like.
    tokens.push_back({.kind = ShellTokenKind::kWord,
                      .text = word,
                      .is_assignment = !tokens.empty() && IsShellAssignment(word)});
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
