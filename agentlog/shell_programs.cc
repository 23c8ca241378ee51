// ShellPrograms: what well-known programs do with their arguments.

#include "agentlog/shell_programs.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sonde::agentlog {
namespace {

using enum OperandRole;

// Sorted by name.
constexpr ShellProgram kPrograms[] = {
    {"ack", kReadAfterFirst, "ABCm"},
    {"ag", kReadAfterFirst, "ABCGm"},
    {"awk", kReadAfterFirst, "Fvf"},
    {"base64", kRead, "w"},
    {"bat", kRead, "lr language line-range style"},
    {"black", kFormatInPlace, "l line-length", "*"},
    {"cat", kRead},
    {"chgrp", kWriteAfterFirst},
    {"chmod", kWriteAfterFirst},
    {"chown", kWriteAfterFirst},
    {"clang-format", kFormatInPlace, "style", "i"},
    {"cmp", kRead, "in"},
    {"column", kRead, "st"},
    {"cp", kCopy, "St target-directory suffix"},
    {"curl", kHost,
     "AbcCdDeEFHKmMoPQrtTuUwxXyYz "
     "url-query user header data request output proxy max-time retry cookie form user-agent "
     "data-raw "
     "data-binary connect-timeout upload-file cacert cert key oauth2-bearer json",
     "o output"},
    {"cut", kRead, "bcdf"},
    {"deno", kReadFirstPath},
    {"diff", kRead, "U"},
    {"dig", kHost, "tp"},
    {"du", kReadPaths, "d max-depth"},
    {"egrep", kReadAfterFirst, "ABCefm"},
    {"eslint", kReadPaths, "c config"},
    {"fd", kReadAfterFirst, "detxE"},
    {"fgrep", kReadAfterFirst, "ABCefm"},
    {"file", kRead},
    {"find", kReadUntilOption},
    {"fold", kRead, "w"},
    {"gawk", kReadAfterFirst, "Fvf"},
    {"gh", kNone},
    {"git", kGit},
    {"gofmt", kFormatInPlace, "r", "w"},
    {"grep", kReadAfterFirst, "ABCefm"},
    {"gunzip", kWrite},
    {"gzip", kWrite},
    {"head", kRead, "nc lines bytes"},
    {"hexdump", kRead, "nse"},
    {"http", kHost},
    {"install", kCopy, "gmotS mode owner group"},
    {"jq", kReadAfterFirst, "L"},
    {"less", kRead},
    {"ln", kCopy, "tS"},
    {"ls", kRead, "IwT"},
    {"lua", kReadFirstPath},
    {"md5sum", kRead},
    {"mkdir", kCreate, "m mode"},
    {"more", kRead},
    {"mv", kMove, "St target-directory suffix"},
    {"mypy", kReadPaths, "mpc"},
    {"nc", kHost, "pwsx"},
    {"nl", kRead, "bdfhilnsvw"},
    {"node", kReadFirstPath, "er eval require"},
    {"od", kRead, "AjNtw"},
    {"patch", kWrite, "p"},
    {"perl", kReadFirstPath, "eEI"},
    {"php", kReadFirstPath, "r"},
    {"ping", kHost, "cWi"},
    {"prettier", kFormatInPlace, "config", "write w"},
    {"pytest", kReadPaths, "kmpnco maxfail"},
    {"python", kReadFirstPath, "cmWX"},
    {"python2", kReadFirstPath, "cmWX"},
    {"python3", kReadFirstPath, "cmWX"},
    {"readlink", kRead},
    {"realpath", kRead},
    {"rg", kReadAfterFirst, "ABCefgjmtT glob type max-count context"},
    {"rm", kDelete},
    {"rmdir", kDelete},
    {"rsync", kRemote, "ef"},
    {"ruby", kReadFirstPath, "eI"},
    {"ruff", kReadPaths},
    {"rustfmt", kFormatInPlace, "edition config", "*"},
    {"scp", kRemote, "cFiloPSJ"},
    {"sed", kEditInPlace, "efl expression file", "i in-place"},
    {"sftp", kRemote, "bcFiloPSJ"},
    {"sha1sum", kRead},
    {"sha256sum", kRead},
    {"shred", kDelete, "ns"},
    {"sort", kRead, "koStT"},
    {"ssh", kRemote, "bcDEeFIiJLlmOopQRSWw"},
    {"stat", kRead, "cf format"},
    {"strings", kRead, "nt"},
    {"tail", kRead, "nc lines bytes"},
    {"tee", kWrite},
    {"touch", kCreate, "drt"},
    {"tree", kReadPaths, "LIP"},
    {"truncate", kWrite, "sr size"},
    {"uniq", kRead, "fsw"},
    {"unlink", kDelete},
    {"vim", kWrite, "c"},
    {"wc", kRead},
    {"wget", kHost, "aBeoOPqtTUw output-document header user password", "O output-document"},
    {"xxd", kRead, "clgos"},
    {"zcat", kRead},
};
static_assert(std::is_sorted(std::begin(kPrograms), std::end(kPrograms),
                             [](const ShellProgram& a, const ShellProgram& b) {
                               return a.name < b.name;
                             }));

constexpr ShellWrapper kWrappers[] = {
    {"builtin"},
    {"chronic"},
    {"chrt", "", 1},
    {"command"},
    {"doas", "uC"},
    {"env", "uCS unset chdir"},
    {"exec", "a"},
    {"flock", "wE", 1},
    {"ionice", "cnp"},
    {"nice", "n adjustment"},
    {"nohup"},
    {"numactl", "NmC"},
    {"setsid"},
    {"stdbuf", "ioe"},
    {"strace", "eopsPuE", 0, true},
    {"sudo", "ugUpCrtTDRh user group host prompt chdir"},
    {"taskset", "", 1},
    {"time", "fo format output"},
    {"timeout", "ks signal kill-after", 1},
    {"unbuffer"},
    {"xargs", "adEIiLnPs max-args max-procs replace delimiter", 0, true},
};

constexpr std::string_view kBuiltins[] = {
    ".",       ":",        "[",       "[[",     "alias", "bg",      "break",  "cd",    "continue",
    "declare", "dirs",     "echo",    "eval",   "exit",  "export",  "false",  "fg",    "getopts",
    "hash",    "history",  "jobs",    "let",    "local", "popd",    "printf", "pushd", "pwd",
    "read",    "readonly", "return",  "set",    "shift", "shopt",   "source", "test",  "trap",
    "true",    "type",     "typeset", "ulimit", "umask", "unalias", "unset",  "wait"};

constexpr std::string_view kReserved[] = {"!",  "{",  "}",     "if",    "then", "elif", "else",
                                          "fi", "do", "while", "until", "done", "esac", "coproc"};

constexpr std::string_view kShells[] = {"ash", "bash", "dash", "fish", "ksh", "sh", "zsh"};

constexpr std::string_view kTextTools[] = {
    "[",   "[[",    "ack",  "ag",   "awk",  "cat",   "cut", "echo", "egrep",  "export",
    "fd",  "fgrep", "find", "gawk", "grep", "head",  "jq",  "ls",   "printf", "rg",
    "sed", "sort",  "tail", "tee",  "test", "touch", "tr",  "uniq", "wc"};

template <typename Range>
bool Contains(const Range& sorted_or_not, std::string_view name) noexcept {
  return std::find(std::begin(sorted_or_not), std::end(sorted_or_not), name) !=
         std::end(sorted_or_not);
}

}  // namespace

const ShellProgram* FindShellProgram(std::string_view name) noexcept {
  const auto* place = std::lower_bound(
      std::begin(kPrograms), std::end(kPrograms), name,
      [](const ShellProgram& program, std::string_view wanted) { return program.name < wanted; });
  return place != std::end(kPrograms) && place->name == name ? place : nullptr;
}

const ShellWrapper* FindShellWrapper(std::string_view name) noexcept {
  const auto* place = std::find_if(std::begin(kWrappers), std::end(kWrappers),
                                   [&](const ShellWrapper& w) { return w.name == name; });
  return place != std::end(kWrappers) ? place : nullptr;
}

bool IsShellBuiltin(std::string_view name) noexcept { return Contains(kBuiltins, name); }
bool IsShellReserved(std::string_view word) noexcept { return Contains(kReserved, word); }
bool IsShell(std::string_view name) noexcept { return Contains(kShells, name); }
bool OnlyHandlesText(std::string_view name) noexcept { return Contains(kTextTools, name); }

bool TakesValue(std::string_view value_options, std::string_view word) noexcept {
  const std::size_t letters_end = std::min(value_options.find(' '), value_options.size());
  if (word.starts_with("--")) {
    word.remove_prefix(2);
    if (word.empty() || word.find('=') != std::string_view::npos) return false;
    std::string_view words = value_options;
    while (!words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size());
      if (words.substr(0, end) == word) return true;
      words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
  }
  // "-n5" holds its value, "-xn" takes the next word.
  if (word.size() < 2 || word[0] != '-') return false;
  const std::string_view letters = value_options.substr(0, letters_end);
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (letters.find(word[i]) != std::string_view::npos) return i + 1 == word.size();
  }
  return false;
}

bool IsWriteOption(std::string_view write_option, std::string_view word) noexcept {
  const bool is_long = word.starts_with("--");
  if (word.size() < 2 || word[0] != '-') return false;
  word.remove_prefix(is_long ? 2 : 1);
  if (is_long) word = word.substr(0, word.find('='));
  while (!write_option.empty()) {
    const std::size_t end = std::min(write_option.find(' '), write_option.size());
    const std::string_view option = write_option.substr(0, end);
    if (is_long ? option == word : option.size() == 1 && word.find(option) != word.npos)
      return true;
    write_option.remove_prefix(std::min(end + 1, write_option.size()));
  }
  return false;
}

}  // namespace sonde::agentlog
