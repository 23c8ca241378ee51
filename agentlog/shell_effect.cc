// EffectOf: what a program is run for, judged by its name and arguments.

#include "agentlog/shell_effect.h"

#include <algorithm>
#include <iterator>

#include "agentlog/shell_arguments.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

template <std::size_t kSize>
bool IsOneOf(const std::string_view (&names)[kSize], std::string_view name) noexcept {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Always build or check something.
constexpr std::string_view kCheckers[] = {
    "bazel",   "clang-tidy", "cmake",     "ctest",      "eslint",  "gradle",     "gradlew",
    "jest",    "make",       "meson",     "mocha",      "msbuild", "mvn",        "mvnw",
    "mypy",    "ninja",      "nosetests", "nox",        "phpunit", "playwright", "pyright",
    "pytest",  "rake",       "rspec",     "ruff",       "sbt",     "shellcheck", "tox",
    "tsc",     "valgrind",   "vitest",    "xcodebuild", "g++",     "gcc",        "clang",
    "clang++", "rustc",      "javac"};
// Do so with one of the words below.
constexpr std::string_view kRunners[] = {"bun",    "bundle", "cargo", "deno", "dotnet", "go",
                                         "hatch",  "npm",    "npx",   "pdm",  "pipenv", "pnpm",
                                         "poetry", "swift",  "uv",    "uvx",  "yarn",   "zig"};
constexpr std::string_view kCheckWords[] = {
    "test",    "t",      "tests",     "check",      "build",  "clippy",  "lint",    "bench",
    "nextest", "vet",    "typecheck", "type-check", "verify", "compile", "ci:test", "tsc",
    "jest",    "vitest", "pytest",    "mypy",       "ruff",   "eslint"};
constexpr std::string_view kFetchWords[] = {"install", "add",   "ci",       "i",
                                            "get",     "fetch", "publish",  "update",
                                            "upgrade", "sync",  "download", "restore"};
constexpr std::string_view kNetworkPrograms[] = {
    "apt",  "apt-get", "brew",   "curl",       "dig",  "dnf",  "ftp",  "gh",    "host",
    "http", "kubectl", "nc",     "nslookup",   "pip",  "pip3", "ping", "rsync", "scp",
    "sftp", "ssh",     "telnet", "traceroute", "wget", "yum",  "xh"};
constexpr std::string_view kGitHistory[] = {"add",   "am",     "branch", "cherry-pick", "checkout",
                                            "clean", "commit", "init",   "merge",       "mv",
                                            "push",  "rebase", "reset",  "restore",     "revert",
                                            "rm",    "stash",  "switch", "tag",         "worktree"};
constexpr std::string_view kDelete[] = {"-delete"};
constexpr std::string_view kGitNetwork[] = {"clone", "fetch", "ls-remote", "pull", "submodule"};

// The first word that is no option and no option's value, and where it stands.
std::string_view SubCommand(std::string_view program, std::span<const ShellToken> arguments) {
  const std::string_view value_options = program == "git"     ? "Cc git-dir work-tree"
                                         : program == "cargo" ? "C config color manifest-path"
                                         : program == "npm"   ? "w prefix"
                                                              : "C";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i].text;
    if (word.starts_with('+') && program == "cargo") continue;
    if (!word.starts_with('-')) return word;
    if (TakesValue(value_options, word)) ++i;
  }
  return {};
}

bool HasWord(std::span<const ShellToken> arguments, const auto& names) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const ShellToken& word) {
    const std::string_view text = word.text;
    return IsOneOf(names, text) || IsOneOf(names, text.substr(0, text.find(':')));
  });
}

bool TarLists(std::span<const ShellToken> arguments) {
  if (arguments.empty()) return true;
  const std::string_view mode = arguments[0].text;
  return mode == "--list" || (!mode.starts_with("--") && mode.find('t') != mode.npos);
}

Effect EffectOfRole(const ShellProgram& program, std::span<const ShellToken> arguments) {
  switch (program.role) {
    case OperandRole::kRead:
    case OperandRole::kReadAfterFirst:
    case OperandRole::kReadPaths:
      return SortedArguments(program, arguments).Has(program.write_option) ? Effect::kWrite
                                                                           : Effect::kRead;
    case OperandRole::kReadUntilOption:
      return HasWord(arguments, kDelete) ? Effect::kWrite : Effect::kRead;
    case OperandRole::kWrite:
    case OperandRole::kWriteAfterFirst:
    case OperandRole::kCreate:
    case OperandRole::kDelete:
    case OperandRole::kCopy:
    case OperandRole::kMove:
      return Effect::kWrite;
    case OperandRole::kEditInPlace:
    case OperandRole::kFormatInPlace: {
      const bool writes = program.write_option == "*" ||
                          SortedArguments(program, arguments).Has(program.write_option);
      return writes ? Effect::kWrite : Effect::kRead;
    }
    case OperandRole::kHost:
    case OperandRole::kRemote:
      return Effect::kNetwork;
    case OperandRole::kScript:
      return SortedArguments(program, arguments).Has(program.write_option) ? Effect::kWrite
                                                                           : Effect::kProcess;
    case OperandRole::kTar:
      return TarLists(arguments) ? Effect::kRead : Effect::kWrite;
    case OperandRole::kNone:
    case OperandRole::kReadFirstPath:
    case OperandRole::kGit:
      break;
  }
  return Effect::kProcess;
}

}  // namespace

Effect EffectOf(std::string_view program, std::span<const ShellToken> arguments) {
  const std::string_view sub = SubCommand(program, arguments);
  if (program == "git") {
    if (IsOneOf(kGitHistory, sub)) return Effect::kRepository;
    return IsOneOf(kGitNetwork, sub) ? Effect::kNetwork : Effect::kRead;
  }
  if (program == "make" || program == "ninja" || program == "rake") {
    const bool is_check = sub.empty() || sub == "all" || IsOneOf(kCheckWords, sub) ||
                          IsOneOf(kCheckWords, sub.substr(0, sub.find_first_of("-_:")));
    return is_check ? Effect::kTest : Effect::kProcess;
  }
  if (IsOneOf(kCheckers, program)) return Effect::kTest;
  if (IsOneOf(kRunners, program)) {
    if (HasWord(arguments, kCheckWords)) return Effect::kTest;
    if (IsOneOf(kFetchWords, sub)) return Effect::kNetwork;
    return sub == "fmt" || sub == "format" ? Effect::kWrite : Effect::kProcess;
  }
  if (program.starts_with("python")) {
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      if (arguments[i].text != "-m") continue;
      const std::string_view module = arguments[i + 1].text;
      if (module == "pytest" || module == "unittest" || module == "mypy" || module == "build") {
        return Effect::kTest;
      }
      if (module == "pip") return Effect::kNetwork;
    }
    return Effect::kProcess;
  }
  if (IsOneOf(kNetworkPrograms, program)) return Effect::kNetwork;
  const ShellProgram* known = FindShellProgram(program);
  return known == nullptr ? Effect::kProcess : EffectOfRole(*known, arguments);
}

}  // namespace sonde::agentlog
