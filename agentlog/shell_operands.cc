// ShellOperands: the files and hosts among a program's arguments.

#include "agentlog/shell_operands.h"

#include <algorithm>
#include <optional>

#include "agentlog/domain.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

bool IsLiteralFile(const ShellToken& word) noexcept { return word.is_literal && !word.is_pattern; }

// "tests/x.py", "./run", "setup.py": what names a file even where other words may stand.
bool LooksLikePath(std::string_view word) noexcept {
  if (word.find_first_of(" \t=(){};$`\"'<>|,") != std::string_view::npos) return false;
  if (word.find('/') != std::string_view::npos) return true;
  const std::size_t dot = word.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == word.size()) return false;
  const std::string_view extension = word.substr(dot + 1);
  return extension.size() <= 5 && std::all_of(extension.begin(), extension.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

struct Arguments {
  std::vector<const ShellToken*> operands;
  std::vector<const ShellToken*> outputs;  // Values of the option that names an output.
  bool has_write_option = false;
  bool has_pattern_option = false;  // -e or -f: the first operand is no pattern.
  std::optional<std::string_view> target_folder;
};

Arguments Sort(const ShellProgram& program, std::span<const ShellToken> words) {
  Arguments sorted;
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ShellToken& word = words[i];
    const std::string_view text = word.text;
    const bool is_option = !only_operands && text.size() > 1 && text[0] == '-';
    if (!is_option) {
      sorted.operands.push_back(&word);
      continue;
    }
    if (text == "--") {
      only_operands = true;
      continue;
    }
    if (program.role == OperandRole::kReadUntilOption) break;
    const bool takes_value = TakesValue(program.value_options, text);
    const ShellToken* value = takes_value && i + 1 < words.size() ? &words[i + 1] : nullptr;
    if (!program.write_option.empty() && IsWriteOption(program.write_option, text)) {
      sorted.has_write_option = true;
      if (value != nullptr) sorted.outputs.push_back(value);
      // The suffix that sed of macOS and the BSDs wants: sed -i '' SCRIPT FILE.
      const bool has_suffix = program.role == OperandRole::kEditInPlace && text == "-i" &&
                              i + 1 < words.size() && words[i + 1].is_quoted &&
                              words[i + 1].is_literal && words[i + 1].text.empty();
      if (has_suffix) ++i;
    }
    if (text == "-e" || text == "-f" || text.starts_with("--expression") ||
        text.starts_with("--regexp") || text.starts_with("--file")) {
      sorted.has_pattern_option = true;
    }
    if (value != nullptr && (text == "-t" || text == "--target-directory")) {
      sorted.target_folder = value->text;
    }
    if (takes_value) ++i;
  }
  return sorted;
}

void Add(std::vector<FileTouch>& files, Access access, const ShellToken& word) {
  if (IsLiteralFile(word) && IsFilePath(word.text)) files.push_back({access, word.text});
}

void AddFrom(std::vector<FileTouch>& files, Access access, const Arguments& arguments,
             std::size_t first) {
  for (std::size_t i = first; i < arguments.operands.size(); ++i) {
    Add(files, access, *arguments.operands[i]);
  }
}

void AddMoved(std::vector<FileTouch>& files, const Arguments& arguments, bool is_move) {
  if (arguments.operands.empty()) return;
  const bool has_target = arguments.target_folder.has_value();
  if (!has_target && arguments.operands.size() < 2) return;
  const std::size_t sources = arguments.operands.size() - (has_target ? 0 : 1);
  const ShellToken* last = arguments.operands.back();
  const bool target_known = has_target || IsLiteralFile(*last);
  const std::string target(has_target ? *arguments.target_folder : std::string_view(last->text));
  for (std::size_t i = 0; i < sources; ++i) {
    const ShellToken& source = *arguments.operands[i];
    if (!IsLiteralFile(source) || !IsFilePath(source.text)) continue;
    if (!is_move) files.push_back({Access::kRead, source.text});
    if (!target_known || !IsFilePath(target)) continue;
    std::string to = target;
    if (has_target || sources > 1 || target.ends_with('/')) {
      const std::string_view base = source.text;
      const std::size_t slash = base.find_last_of('/');
      if (!to.ends_with('/')) to += '/';
      to += slash == std::string_view::npos ? base : base.substr(slash + 1);
    }
    if (is_move) {
      files.push_back({Access::kRename, std::move(to), source.text});
    } else {
      files.push_back({Access::kCreate, std::move(to)});
    }
  }
}

void AddGit(std::vector<FileTouch>& files, std::span<const ShellToken> words) {
  std::size_t sub = 0;
  while (sub < words.size() && words[sub].text.starts_with('-')) {
    sub += TakesValue("Cc git-dir work-tree", words[sub].text) ? 2 : 1;
  }
  if (sub >= words.size()) return;
  const std::string_view command = words[sub].text;
  Arguments arguments =
      Sort({.name = "git", .value_options = "mbCcF message"}, words.subspan(sub + 1));
  if (command == "mv") return AddMoved(files, arguments, true);
  if (command == "rm") return AddFrom(files, Access::kDelete, arguments, 0);
  if (command == "add") return AddFrom(files, Access::kRead, arguments, 0);
  if (command == "apply" || command == "am") return AddFrom(files, Access::kRead, arguments, 0);
  // Behind "--" there are only paths.
  for (std::size_t i = sub + 1; i < words.size(); ++i) {
    if (words[i].text != "--") continue;
    const bool writes = command == "checkout" || command == "restore" || command == "reset";
    for (const ShellToken& word : words.subspan(i + 1)) {
      Add(files, writes ? Access::kWrite : Access::kRead, word);
    }
    return;
  }
  if (command == "restore") AddFrom(files, Access::kWrite, arguments, 0);
}

// The host of "user@host:path", "host:path" or, with `bare`, "host".
std::optional<std::string> RemoteHost(std::string_view word, bool bare) {
  if (word.find("://") != std::string_view::npos) return std::nullopt;
  const std::size_t colon = word.find(':');
  const std::size_t at = word.substr(0, colon).rfind('@');
  if (colon == std::string_view::npos && !bare) return std::nullopt;
  if (colon != std::string_view::npos && word.substr(0, colon).find('/') != word.npos) {
    return std::nullopt;
  }
  const std::size_t start = at == std::string_view::npos ? 0 : at + 1;
  if (colon == 1 && start == 0) return std::nullopt;  // A drive letter.
  return HostOfAuthority(word.substr(0, colon).substr(start));
}

}  // namespace

bool IsFilePath(std::string_view word) noexcept {
  if (word.empty() || word.size() > 1024 || word == "-" || word == "." || word == "..")
    return false;
  if (word.find('\n') != std::string_view::npos || word.find('\0') != std::string_view::npos) {
    return false;
  }
  if (word.find("://") != std::string_view::npos) return false;
  for (const std::string_view start : {"/dev/", "/proc/", "origin/", "upstream/", "refs/"}) {
    if (word.starts_with(start)) return false;
  }
  return word != "HEAD" && !word.starts_with("HEAD~") && !word.starts_with("HEAD^");
}

std::vector<FileTouch> FilesOfArguments(std::string_view program,
                                        std::span<const ShellToken> words) {
  std::vector<FileTouch> files;
  const ShellProgram* known = FindShellProgram(program);
  if (known == nullptr) {
    if (program == "dd") {
      for (const ShellToken& word : words) {
        const std::string_view text = word.text;
        if (!IsLiteralFile(word) || text.size() < 4) continue;
        if (text.starts_with("if=")) files.push_back({Access::kRead, std::string(text.substr(3))});
        if (text.starts_with("of=")) files.push_back({Access::kWrite, std::string(text.substr(3))});
      }
    }
    return files;
  }
  if (known->role == OperandRole::kGit) {
    AddGit(files, words);
    return files;
  }
  const Arguments arguments = Sort(*known, words);
  switch (known->role) {
    case OperandRole::kRead:
    case OperandRole::kReadUntilOption:
      AddFrom(files, Access::kRead, arguments, 0);
      break;
    case OperandRole::kReadAfterFirst:
      AddFrom(files, Access::kRead, arguments, arguments.has_pattern_option ? 0 : 1);
      break;
    case OperandRole::kReadPaths:
      for (const ShellToken* word : arguments.operands) {
        const std::string_view text = word->text;
        const ShellToken file{.kind = word->kind,
                              .text = std::string(text.substr(0, text.find("::"))),
                              .is_literal = word->is_literal,
                              .is_pattern = word->is_pattern};
        if (LooksLikePath(file.text)) Add(files, Access::kRead, file);
      }
      break;
    case OperandRole::kReadFirstPath:
      // "-c CODE" and "-m MODULE" leave no script; what follows are its own arguments.
      if (!arguments.operands.empty() && !words.empty() &&
          arguments.operands.front() == &words.front() &&
          LooksLikePath(arguments.operands.front()->text)) {
        Add(files, Access::kRead, *arguments.operands.front());
      }
      break;
    case OperandRole::kWrite:
      AddFrom(files, Access::kWrite, arguments, 0);
      break;
    case OperandRole::kWriteAfterFirst:
      AddFrom(files, Access::kWrite, arguments, 1);
      break;
    case OperandRole::kCreate:
      AddFrom(files, Access::kCreate, arguments, 0);
      break;
    case OperandRole::kDelete:
      AddFrom(files, Access::kDelete, arguments, 0);
      break;
    case OperandRole::kCopy:
      AddMoved(files, arguments, false);
      break;
    case OperandRole::kMove:
      AddMoved(files, arguments, true);
      break;
    case OperandRole::kEditInPlace:
      AddFrom(files, arguments.has_write_option ? Access::kWrite : Access::kRead, arguments,
              arguments.has_pattern_option ? 0 : 1);
      break;
    case OperandRole::kFormatInPlace:
      AddFrom(
          files,
          arguments.has_write_option || known->write_option == "*" ? Access::kWrite : Access::kRead,
          arguments, 0);
      break;
    case OperandRole::kHost:
      for (const ShellToken* word : arguments.outputs) Add(files, Access::kWrite, *word);
      break;
    case OperandRole::kRemote:
      if (program == "ssh" || program == "sftp") break;
      for (std::size_t i = 0; i < arguments.operands.size(); ++i) {
        const ShellToken& word = *arguments.operands[i];
        if (word.text.find(':') != std::string::npos) continue;
        Add(files, i + 1 == arguments.operands.size() ? Access::kWrite : Access::kRead, word);
      }
      break;
    case OperandRole::kNone:
    case OperandRole::kGit:
      break;
  }
  return files;
}

std::vector<std::string> DomainsOfArguments(std::string_view program,
                                            std::span<const ShellToken> words) {
  std::vector<std::string> domains;
  if (OnlyHandlesText(program)) return domains;
  const ShellProgram* known = FindShellProgram(program);
  const OperandRole role = known == nullptr ? OperandRole::kNone : known->role;
  if (role == OperandRole::kGit) {
    for (const std::string_view silent : {"commit", "log", "grep", "tag", "diff", "show"}) {
      if (std::any_of(words.begin(), words.end(),
                      [&](const ShellToken& word) { return word.text == silent; })) {
        return domains;
      }
    }
  }
  for (const ShellToken& word : words) {
    for (std::string& domain : DomainsIn(word.text)) AddDomain(domains, std::move(domain));
  }
  if (known == nullptr ||
      (role != OperandRole::kHost && role != OperandRole::kRemote && role != OperandRole::kGit)) {
    return domains;
  }
  const Arguments arguments = Sort(*known, words);
  for (std::size_t i = 0; i < arguments.operands.size(); ++i) {
    const ShellToken& word = *arguments.operands[i];
    const std::string_view text = word.text;
    if (!word.is_literal || text.find("://") != std::string_view::npos) continue;
    std::optional<std::string> host;
    if (role == OperandRole::kHost) {
      const std::string_view authority = text.substr(0, text.find_first_of("/?#"));
      if (authority.find('.') != std::string_view::npos || authority.starts_with("localhost")) {
        host = HostOfAuthority(authority);
      }
    } else {
      const bool is_ssh = program == "ssh" || program == "sftp";
      if (is_ssh && i > 0) break;  // The command that is run there.
      if (role == OperandRole::kGit && text.find('@') == std::string_view::npos) continue;
      host = RemoteHost(text, is_ssh);
    }
    if (host) AddDomain(domains, *std::move(host));
  }
  return domains;
}

}  // namespace sonde::agentlog
