// ShellOperands: the files and hosts among a program's arguments.

#include "agentlog/shell_operands.h"

#include <algorithm>

#include "agentlog/shell_arguments.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

ShellToken WithText(const ShellToken& word, std::string_view text) {
  ShellToken other = word;
  other.text = text;
  return other;
}

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

// -e or -f: the first operand is no pattern.
constexpr std::string_view kPatternOptions = "ef expression regexp file from-file";

void Add(std::vector<FileTouch>& files, Access access, const ShellToken& word) {
  if (IsLiteralFile(word) && IsFilePath(word.text)) files.push_back({access, word.text});
}

void AddFrom(std::vector<FileTouch>& files, Access access, const ShellArguments& arguments,
             std::size_t first) {
  for (std::size_t i = first; i < arguments.operands.size(); ++i) {
    Add(files, access, *arguments.operands[i]);
  }
}

void AddMoved(std::vector<FileTouch>& files, const ShellArguments& arguments, bool is_move) {
  if (arguments.operands.empty()) return;
  const std::vector<const ShellToken*> folders = arguments.ValuesOf("t target-directory");
  const bool has_target = !folders.empty();
  if (!has_target && arguments.operands.size() < 2) return;
  const std::size_t sources = arguments.operands.size() - (has_target ? 0 : 1);
  const ShellToken* last = arguments.operands.back();
  const ShellToken& target_word = has_target ? *folders.back() : *last;
  const bool target_known = IsLiteralFile(target_word);
  const std::string& target = target_word.text;
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
  const std::size_t sub = GitSubCommand(words);
  if (sub >= words.size()) return;
  const std::string_view command = words[sub].text;
  const ShellArguments arguments =
      SortedArguments({.name = "git", .value_options = "mbCcF message"}, words.subspan(sub + 1));
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

// The last part of a URL's path, under which curl -O and wget keep what they fetch.
std::string DownloadName(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t slash = url.rfind('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : url.substr(slash + 1));
}

void AddDownloads(std::vector<FileTouch>& files, const ShellArguments& arguments,
                  std::string_view folder_options, std::string_view index) {
  std::string folder;
  for (const ShellToken* value : arguments.ValuesOf(folder_options)) {
    if (!IsLiteralFile(*value)) return;
    folder = value->text;
  }
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  for (const ShellToken* url : arguments.operands) {
    if (!url->is_literal) continue;
    std::string name = DownloadName(url->text);
    if (name.empty()) name = index;
    if (IsFilePath(name)) files.push_back({Access::kWrite, folder + name});
  }
}

// curl -d @FILE, -F part=@FILE, -T FILE.
void AddUploads(std::vector<FileTouch>& files, const ShellArguments& arguments) {
  for (const ShellToken* value :
       arguments.ValuesOf("dF data data-binary data-ascii data-urlencode json form")) {
    std::string_view text = value->text;
    const std::size_t at = text.find('@');
    if (at == text.npos || (at > 0 && text[at - 1] != '=')) continue;
    text = text.substr(at + 1);
    Add(files, Access::kRead, WithText(*value, text.substr(0, text.find(';'))));
  }
  for (const ShellToken* value : arguments.ValuesOf("T upload-file")) {
    Add(files, Access::kRead, *value);
  }
}

void AddTransfers(std::vector<FileTouch>& files, std::string_view program,
                  const ShellArguments& arguments, std::string_view output_options) {
  const std::vector<const ShellToken*> outputs = arguments.ValuesOf(output_options);
  for (const ShellToken* output : outputs) Add(files, Access::kWrite, *output);
  if (program == "curl") {
    AddUploads(files, arguments);
    if (arguments.Has("O remote-name remote-name-all")) {
      AddDownloads(files, arguments, " output-dir", {});
    }
  }
  if (program == "wget" && outputs.empty() && !arguments.Has(" spider")) {
    AddDownloads(files, arguments, "P directory-prefix", "index.html");
  }
}

// "tar czf out.tgz a b", "tar -x -f in.tgz -C to", "tar --list --file=in.tar".
void AddTar(std::vector<FileTouch>& files, std::span<const ShellToken> words) {
  std::vector<ShellToken> dashed(words.begin(), words.end());
  const bool is_old_style =
      !dashed.empty() && !dashed[0].text.starts_with('-') && dashed[0].is_literal;
  if (is_old_style) dashed[0].text.insert(0, "-");
  const ShellArguments arguments = SortedArguments(
      {.name = "tar", .value_options = "fCTXIb file directory exclude exclude-from files-from"},
      dashed);
  const bool creates = arguments.Has("cru create append update");
  for (const ShellToken* archive : arguments.ValuesOf("f file")) {
    Add(files, creates ? Access::kWrite : Access::kRead, *archive);
  }
  if (!creates) return;
  std::string folder;
  for (const ShellToken* value : arguments.ValuesOf("C directory")) {
    if (!IsLiteralFile(*value)) return;
    folder = value->text + '/';
  }
  for (const ShellToken* word : arguments.operands) {
    ShellToken file = *word;
    if (!file.text.starts_with('/')) file.text.insert(0, folder);
    Add(files, Access::kRead, file);
  }
}

// sed and perl: a script unless an option gives it, and what it is applied to.
void AddScripted(std::vector<FileTouch>& files, const ShellProgram& program,
                 const ShellArguments& arguments) {
  const Access access = arguments.Has(program.write_option) ? Access::kWrite : Access::kRead;
  if (program.role == OperandRole::kScript) {
    if (!arguments.ValuesOf("eE").empty()) return AddFrom(files, access, arguments, 0);
    if (!arguments.operands.empty() && LooksLikePath(arguments.operands[0]->text)) {
      Add(files, Access::kRead, *arguments.operands[0]);
    }
    return;
  }
  AddFrom(files, access, arguments, arguments.ValuesOf(kPatternOptions).empty() ? 1 : 0);
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
  if (known->role == OperandRole::kTar) {
    AddTar(files, words);
    return files;
  }
  const ShellArguments arguments = SortedArguments(*known, words);
  if (known->role != OperandRole::kEditInPlace && known->role != OperandRole::kFormatInPlace &&
      known->role != OperandRole::kScript && known->role != OperandRole::kHost) {
    for (const ShellToken* output : arguments.ValuesOf(known->write_option)) {
      Add(files, Access::kWrite, *output);
    }
  }
  if (known->role == OperandRole::kReadAfterFirst || known->role == OperandRole::kEditInPlace) {
    for (const ShellToken* list : arguments.ValuesOf("f file from-file")) {
      Add(files, Access::kRead, *list);
    }
  }
  switch (known->role) {
    case OperandRole::kRead:
      AddFrom(files, Access::kRead, arguments, 0);
      break;
    case OperandRole::kReadUntilOption: {
      const bool deletes =
          std::any_of(arguments.options.begin(), arguments.options.end(),
                      [](const ShellOption& option) { return option.name == "-delete"; });
      AddFrom(files, deletes ? Access::kDelete : Access::kRead, arguments, 0);
      break;
    }
    case OperandRole::kReadAfterFirst:
      AddFrom(files, Access::kRead, arguments, arguments.ValuesOf(kPatternOptions).empty() ? 1 : 0);
      break;
    case OperandRole::kReadPaths:
      for (const ShellToken* word : arguments.operands) {
        const std::string_view text = word->text;
        const ShellToken file = WithText(*word, text.substr(0, text.find("::")));
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
    case OperandRole::kScript:
      AddScripted(files, *known, arguments);
      break;
    case OperandRole::kFormatInPlace: {
      const bool writes = known->write_option == "*" || arguments.Has(known->write_option);
      AddFrom(files, writes ? Access::kWrite : Access::kRead, arguments, 0);
      break;
    }
    case OperandRole::kHost:
      AddTransfers(files, program, arguments, known->write_option);
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
    case OperandRole::kTar:
      break;
  }
  return files;
}

}  // namespace sonde::agentlog
