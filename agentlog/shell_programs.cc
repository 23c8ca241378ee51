// ShellPrograms: what well-known programs do with their arguments.

#include "agentlog/shell_programs.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace sonde::agentlog {
namespace {

using enum OperandRole;

constexpr std::string_view kGitOptions = "Cc git-dir work-tree";

// Sorted by name.
constexpr ShellProgram kPrograms[] = {
    {"ack", kReadAfterFirst, "ABCm"},
    {"ag", kReadAfterFirst, "ABCGm"},
    {"awk", kReadAfterFirst, "Fvf file"},
    {"base64", kRead, "w"},
    {"bat", kRead, "lr language line-range style"},
    {"black", kFormatInPlace, "l line-length", "*"},
    {"c++", kReadPaths, "oxIDLUl", "o"},
    {"cat", kRead},
    {"cc", kReadPaths, "oxIDLUl", "o"},
    {"chgrp", kWriteAfterFirst},
    {"chmod", kWriteAfterFirst},
    {"chown", kWriteAfterFirst},
    {"clang", kReadPaths, "oxIDLUl", "o"},
    {"clang++", kReadPaths, "oxIDLUl", "o"},
    {"clang-format", kFormatInPlace, "style", "i"},
    {"cmp", kRead, "in"},
    {"column", kRead, "st"},
    {"cp", kCopy, "St target-directory suffix"},
    {"curl", kHost,
     "AbcCdDeEFHKmMoPQrtTuUwxXyYz "
     "url url-query user header data data-raw data-binary data-urlencode json form form-string "
     "request output output-dir proxy max-time connect-timeout retry retry-delay cookie cookie-jar "
     "user-agent referer upload-file cacert capath cert key oauth2-bearer resolve connect-to "
     "interface write-out config limit-rate max-redirs range dump-header trace trace-ascii",
     "o output"},
    {"cut", kRead, "bcdf"},
    {"deno", kReadFirstPath},
    {"diff", kRead, "U"},
    {"dig", kHost, "tp"},
    {"du", kReadPaths, "d max-depth"},
    {"egrep", kReadAfterFirst, "ABCefm regexp file max-count include exclude exclude-dir"},
    {"eslint", kReadPaths, "c config"},
    {"fd", kReadAfterFirst, "detxE"},
    {"fgrep", kReadAfterFirst, "ABCefm regexp file max-count include exclude exclude-dir"},
    {"file", kRead},
    {"find", kReadUntilOption},
    {"fold", kRead, "w"},
    {"ftp", kHost, "P"},
    {"g++", kReadPaths, "oxIDLUl", "o"},
    {"gawk", kReadAfterFirst, "Fvf file"},
    {"gcc", kReadPaths, "oxIDLUl", "o"},
    {"gh", kNone},
    {"git", kGit},
    {"gofmt", kFormatInPlace, "r", "w"},
    {"grep", kReadAfterFirst, "ABCefm regexp file max-count include exclude exclude-dir"},
    {"gunzip", kWrite},
    {"gzip", kWrite},
    {"head", kRead, "nc lines bytes"},
    {"hexdump", kRead, "nse"},
    {"host", kHost, "tW"},
    {"http", kHost},
    {"install", kCopy, "gmotS mode owner group"},
    {"jq", kReadAfterFirst, "Lf from-file"},
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
    {"nslookup", kHost},
    {"od", kRead, "AjNtw"},
    {"patch", kWrite, "p"},
    {"perl", kScript, "eEI", "i"},
    {"php", kReadFirstPath, "r"},
    {"ping", kHost, "cWi"},
    {"prettier", kFormatInPlace, "config", "w write"},
    {"pytest", kReadPaths, "kmpnco maxfail"},
    {"python", kReadFirstPath, "cmWX"},
    {"python2", kReadFirstPath, "cmWX"},
    {"python3", kReadFirstPath, "cmWX"},
    {"readlink", kRead},
    {"realpath", kRead},
    {"rg", kReadAfterFirst, "ABCefgjmtT regexp file glob type max-count context"},
    {"rm", kDelete},
    {"rmdir", kDelete},
    {"rsync", kRemote, "ef"},
    {"ruby", kScript, "eI", "i"},
    {"ruff", kReadPaths},
    {"rustfmt", kFormatInPlace, "edition config", "*"},
    {"scp", kRemote, "cFiloPSJ"},
    {"sed", kEditInPlace, "efl expression file", "i in-place"},
    {"sftp", kRemote, "bcFiloPSJ"},
    {"sha1sum", kRead},
    {"sha256sum", kRead},
    {"shred", kDelete, "ns"},
    {"sort", kRead, "koStT key output", "o output"},
    {"ssh", kRemote, "bcDEeFIiJLlmOopQRSWw"},
    {"stat", kRead, "cf format"},
    {"strings", kRead, "nt"},
    {"tail", kRead, "nc lines bytes"},
    {"tar", kTar},
    {"tee", kWrite},
    {"telnet", kHost, "l"},
    {"touch", kCreate, "drt"},
    {"traceroute", kHost, "mpqw"},
    {"tree", kReadPaths, "LIP"},
    {"truncate", kWrite, "sr size"},
    {"uniq", kRead, "fsw"},
    {"unlink", kDelete},
    {"vim", kWrite, "c"},
    {"wc", kRead},
    {"wget", kHost,
     "aBeioOPQtTUw output-document directory-prefix header post-data user-agent referer user "
     "password tries timeout input-file",
     "O output-document"},
    {"xxd", kRead, "clgos"},
    {"zcat", kRead},
};
static_assert(std::is_sorted(std::begin(kPrograms), std::end(kPrograms),
                             [](const ShellProgram& a, const ShellProgram& b) {
                               return a.name < b.name;
                             }));

constexpr ShellWrapper kWrappers[] = {
    {"builtin"},
    {"bundle", "", 1, true, "exec"},
    {"bunx", "", 0, true},
    {"busybox", "", 0, true},
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
    {"npm", "wc workspace call", 1, true, "exec"},
    {"npx", "pc package call", 0, true},
    {"numactl", "NmC"},
    {"pdm", "p project", 1, true, "run"},
    {"pipenv", "", 1, true, "run"},
    {"pnpm", "C dir", 1, true, "exec"},
    {"poetry", "C directory project", 1, true, "run"},
    {"setsid"},
    {"stdbuf", "ioe"},
    {"strace", "eopsPuE", 0, true},
    {"sudo", "ugUpCrtTDRh user group host prompt chdir"},
    {"taskset", "", 1},
    {"time", "fo format output"},
    {"timeout", "ks signal kill-after", 1},
    {"toybox", "", 0, true},
    {"unbuffer"},
    {"uv", "pmw python module with extra group directory project env-file index", 1, true, "run"},
    {"uvx", "pw python with from index", 0, true},
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

const ShellWrapper* FindShellWrapper(std::string_view name, std::string_view argument) noexcept {
  const auto* place =
      std::find_if(std::begin(kWrappers), std::end(kWrappers), [&](const ShellWrapper& w) {
        return w.name == name && (w.sub_command.empty() || w.sub_command == argument);
      });
  return place != std::end(kWrappers) ? place : nullptr;
}

bool IsShellBuiltin(std::string_view name) noexcept { return Contains(kBuiltins, name); }
bool IsShellReserved(std::string_view word) noexcept { return Contains(kReserved, word); }
bool IsShell(std::string_view name) noexcept { return Contains(kShells, name); }

std::size_t GitSubCommand(std::span<const ShellToken> arguments) noexcept {
  std::size_t sub = 0;
  while (sub < arguments.size() && arguments[sub].text.starts_with('-')) {
    sub += TakesValue(kGitOptions, arguments[sub].text) ? 2 : 1;
  }
  return std::min(sub, arguments.size());
}

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

}  // namespace sonde::agentlog
