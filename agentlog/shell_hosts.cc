// ShellHosts: the hosts that a program contacts, as its arguments name them.

#include "agentlog/shell_hosts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "agentlog/domain.h"
#include "agentlog/shell_arguments.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {
namespace {

// Programs that take URLs among other operands.
constexpr std::string_view kUrlPrograms[] = {
    "ab",        "apt",   "apt-get",    "aria2c",     "axel",          "brew",       "bun",
    "bunx",      "cargo", "chrome",     "chromium",   "deno",          "dnf",        "docker",
    "firefox",   "gem",   "gh",         "go",         "google-chrome", "grpcurl",    "helm",
    "hey",       "k6",    "kubectl",    "lighthouse", "lynx",          "mariadb",    "mongosh",
    "mysql",     "npm",   "npx",        "open",       "pg_dump",       "pg_restore", "pip",
    "pip3",      "pipx",  "playwright", "pnpm",       "podman",        "poetry",     "psql",
    "redis-cli", "svn",   "uv",         "uvx",        "websocat",      "wrk",        "wscat",
    "xdg-open",  "xh",    "yarn",       "youtube-dl", "yt-dlp",        "yum"};
constexpr std::string_view kDatabasePrograms[] = {
    "createdb",  "dropdb",  "mariadb",    "mongo",      "mongosh", "mysql",
    "mysqldump", "pg_dump", "pg_isready", "pg_restore", "psql",    "redis-cli"};
constexpr std::string_view kGitVisits[] = {"archive", "clone", "fetch",    "ls-remote",
                                           "pull",    "push",  "submodule"};
// Their values are visited.
constexpr std::string_view kUrlOptions[] = {
    "--extra-index-url", "--find-links", "--index", "--index-url", "--registry", "--repo",
    "--server",          "--source",     "--url",   "-i",          "-u"};

template <std::size_t kSize>
bool IsOneOf(const std::string_view (&names)[kSize], std::string_view name) noexcept {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class Hosts {
 public:
  void Add(std::optional<std::string> host) {
    if (host) AddDomain(found_, *std::move(host));
  }
  std::vector<std::string> Take() && { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

// The host of "user@host:path", "host:path" or, with `bare`, "host".
std::optional<std::string> RemoteHost(std::string_view word, bool bare) {
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

// "h.example:80/x", which curl and the like take without a scheme.
std::optional<std::string> PlainHost(std::string_view word) {
  const std::string_view authority = word.substr(0, word.find_first_of("/?#"));
  if (authority.find('.') == std::string_view::npos && !authority.starts_with("localhost")) {
    return std::nullopt;
  }
  return HostOfAuthority(authority);
}

bool IsUrl(std::string_view word) noexcept { return word.find("://") != word.npos; }

void AddGit(Hosts& hosts, std::span<const ShellToken> words) {
  const std::size_t sub = GitSubCommand(words);
  if (sub >= words.size() || !IsOneOf(kGitVisits, words[sub].text)) return;
  for (const ShellToken& word : words.subspan(sub + 1)) {
    if (IsUrl(word.text)) {
      hosts.Add(HostOfUrl(word.text));
    } else if (word.is_literal && word.text.find('@') != std::string::npos) {
      hosts.Add(RemoteHost(word.text, false));
    }
  }
}

void AddRemote(Hosts& hosts, std::string_view program, const ShellArguments& arguments) {
  const bool is_ssh = program == "ssh" || program == "sftp";
  for (const ShellToken* word : arguments.operands) {
    if (IsUrl(word->text)) {
      hosts.Add(HostOfUrl(word->text));
    } else if (word->is_literal) {
      hosts.Add(RemoteHost(word->text, is_ssh));
    }
    if (is_ssh) return;  // Behind it is what is run there.
  }
}

void AddTargets(Hosts& hosts, const ShellArguments& arguments) {
  std::vector<const ShellToken*> targets = arguments.operands;
  for (const ShellToken* value : arguments.ValuesOf(" url")) targets.push_back(value);
  for (const ShellToken* word : targets) {
    if (IsUrl(word->text)) {
      hosts.Add(HostOfUrl(word->text));
    } else if (word->is_literal) {
      hosts.Add(PlainHost(word->text));
    }
  }
}

void AddUrls(Hosts& hosts, std::span<const ShellToken> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    const std::size_t equals = text.find('=');
    if (text.starts_with("--") && equals != text.npos) {
      if (IsOneOf(kUrlOptions, text.substr(0, equals))) {
        hosts.Add(HostOfUrl(text.substr(equals + 1)));
      }
      continue;
    }
    // A word behind an option may be its value.
    const bool is_value = i > 0 && words[i - 1].text.starts_with('-') &&
                          words[i - 1].text.find('=') == std::string::npos;
    if (is_value && !IsOneOf(kUrlOptions, words[i - 1].text)) continue;
    if (text.find(' ') == text.npos) hosts.Add(HostOfUrl(text));
  }
}

void AddDatabase(Hosts& hosts, std::string_view program, std::span<const ShellToken> words) {
  const ShellArguments arguments =
      SortedArguments({.name = program, .value_options = "hpUdcfu host port"}, words);
  for (const ShellToken* host : arguments.ValuesOf("h host")) {
    if (host->is_literal) hosts.Add(HostOfAuthority(host->text));
  }
}

}  // namespace

std::vector<std::string> DomainsOfArguments(std::string_view program,
                                            std::span<const ShellToken> words) {
  Hosts hosts;
  const ShellProgram* known = FindShellProgram(program);
  const OperandRole role = known == nullptr ? OperandRole::kNone : known->role;
  if (role == OperandRole::kGit) AddGit(hosts, words);
  if (role == OperandRole::kRemote) AddRemote(hosts, program, SortedArguments(*known, words));
  if (role == OperandRole::kHost) AddTargets(hosts, SortedArguments(*known, words));
  if (IsOneOf(kUrlPrograms, program)) AddUrls(hosts, words);
  if (IsOneOf(kDatabasePrograms, program)) AddDatabase(hosts, program, words);
  // "python -m pip install URL" is pip's.
  if (program.starts_with("python") && words.size() > 1 && words[0].text == "-m" &&
      words[1].text == "pip") {
    AddUrls(hosts, words.subspan(2));
  }
  return std::move(hosts).Take();
}

}  // namespace sonde::agentlog
