// AgentInput: which agent logs and sessions a command works on.

#include "cli/agent_input.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace sonde::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// "2026-01-31", "2026-01-31T12:00:00Z", or how long ago: "90m", "12h", "7d", "2w".
Result<std::int64_t> ParseInstant(const std::string& text, const char* option) {
  if (text.empty()) return kNoTime;
  std::string instant = text;
  if (text.size() == 10) instant += "T00:00:00Z";
  if (const std::int64_t time_ns = ParseAgentTime(instant); time_ns != kNoTime) return time_ns;
  const std::string digits = text.substr(0, text.size() - 1);
  std::int64_t unit = 0;
  switch (text.back()) {
    case 'm':
      unit = 60;
      break;
    case 'h':
      unit = 3'600;
      break;
    case 'd':
      unit = 86'400;
      break;
    case 'w':
      unit = 7 * 86'400;
      break;
    default:
      break;
  }
  if (unit != 0 && !digits.empty() && digits.size() < 7 &&
      digits.find_first_not_of("0123456789") == std::string::npos) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() -
           std::stoll(digits) * unit * kSecond;
  }
  return Error{.code = ErrorCode::kUsage,
               .message = std::string(option) + ": '" + text +
                          "' is no time (2026-01-31, 2026-01-31T12:00:00Z, or 12h, 7d ago)"};
}

// A cache that was asked for and cannot be kept would only be slow, and never say why.
Status CheckParseCache(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && access(folder.c_str(), R_OK | W_OK | X_OK) == 0) return {};
  return Error{.code = ErrorCode::kOutput,
               .message = "the parse cache cannot be written to: " +
                          (error ? error.message() : std::string(std::strerror(errno))),
               .file = folder};
}

// "--agent x" for each condition on sessions that was given.
std::string FiltersOf(const AgentInput& input) {
  std::string filters;
  for (const auto& [option, value] :
       {std::pair{"--project-root", &input.project_root}, std::pair{"--agent", &input.agent},
        std::pair{"--session-id", &input.session_id},
        std::pair{"--session-model", &input.session_model}, std::pair{"--since", &input.since},
        std::pair{"--until", &input.until}}) {
    if (value->empty()) continue;
    if (!filters.empty()) filters += ", ";
    filters += std::string(option) + ' ' + *value;
  }
  return filters;
}

}  // namespace

void AddInputOptions(CLI::App& command, AgentInput& input) {
  command.add_option("--session-file", input.session_files,
                     "A log to read instead of looking for logs; may be given several times");
  command.add_option("--codex-root", input.codex_root, "Folder of Codex logs");
  command.add_option("--claude-root", input.claude_root, "Folder of Claude Code logs");
  command.add_option("--project-root", input.project_root,
                     "Only sessions that worked in this folder or below it");
  command.add_option("--agent", input.agent, "Only agents whose name starts with this");
  command.add_option("--session-id", input.session_id, "Only sessions whose id contains this");
  command.add_option("--session-model", input.session_model,
                     "Only sessions that called a model whose name contains this");
  command.add_option(
      "--since", input.since,
      "Only what happened since then (2026-01-31, an RFC 3339 time, or 12h, 7d ago)");
  command.add_option("--until", input.until, "Only what happened before then");
  command
      .add_option("--scan-files", input.scan_files,
                  "Look at the newest so many logs only (0 = all)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{INT64_MAX}));
  command
      .add_option("--max-sessions", input.max_sessions,
                  "Keep the newest so many sessions (0 = all)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{INT64_MAX}));
  CLI::Option* const cache =
      command.add_option("--parse-cache", input.parse_cache,
                         "Folder of the parse cache (default: $XDG_CACHE_HOME/sonde/agentlog)");
  command.add_flag("--no-parse-cache", input.no_parse_cache, "Read every log anew")
      ->excludes(cache);
}

// A folder stands for the logs below it.
AgentLogFiles FindLogs(const AgentInput& input) {
  AgentLogFiles logs;
  std::vector<std::string> named = input.files;
  named.insert(named.end(), input.session_files.begin(), input.session_files.end());
  AgentLogPlaces places;
  for (std::string& name : named) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(name, error);
    (is_folder ? places.codex_roots : logs.named).push_back(std::move(name));
  }
  if (!input.is_named()) {
    places = DefaultAgentLogPlaces();
    if (!input.codex_root.empty()) places.codex_roots = {input.codex_root};
    if (!input.claude_root.empty()) places.claude_roots = {input.claude_root};
  }
  logs.found = FindAgentLogs(places);
  return logs;
}

Result<AgentHistory> ReadHistory(const AgentInput& input, AgentLogFiles logs) {
  HistoryOptions options;
  options.filter.project_root = input.project_root;
  options.filter.agent = input.agent;
  options.filter.session_id = input.session_id;
  options.filter.model = input.session_model;
  options.filter.max_sessions = input.max_sessions;
  const Result<std::int64_t> since = ParseInstant(input.since, "--since");
  if (!since.ok()) return since.error();
  const Result<std::int64_t> until = ParseInstant(input.until, "--until");
  if (!until.ok()) return until.error();
  options.filter.since_ns = since.value();
  options.filter.until_ns = until.value();
  if (until.value() != kNoTime && since.value() >= until.value()) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "--since " + input.since + " is not before --until " + input.until};
  }
  if (Status usable = CheckParseCache(input.parse_cache); !usable.ok()) return usable.error();
  if (!input.no_parse_cache) {
    options.parse_cache = input.parse_cache.empty() ? DefaultParseCache() : input.parse_cache;
  }
  options.found = std::move(logs.found);
  std::vector<std::string>& found = options.found.files;
  if (input.scan_files != 0 && found.size() > input.scan_files) found.resize(input.scan_files);
  return AgentHistory::Read(logs.named, options);
}

std::string WhyNoSession(const AgentInput& input) {
  if (input.is_named()) {
    const std::string filters = FiltersOf(input);
    return filters.empty() ? "no session was found in the files given"
                           : "no session in the files given is left by " + filters;
  }
  AgentInput rest = input;
  rest.project_root.clear();
  const std::string filters = FiltersOf(rest);
  const bool has_project = !input.project_root.empty();
  return std::string("no session ") + (has_project ? "of the project " : "") +
         (filters.empty() ? "was found" : "is left by " + filters) + "; " +
         (has_project ? "--project-root, " : "") +
         "--codex-root, --claude-root and --session-file say where to look";
}

std::string Cell(std::string_view text, std::size_t width) {
  std::string line = OneLine(text);
  std::size_t characters = 0;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xc0) == 0x80) continue;
    if (characters + 3 <= width) cut = i;
    ++characters;
  }
  if (characters <= width) return line;
  line.resize(cut);
  return line + "...";
}

std::string TimeText(std::int64_t time_ns) {
  std::int64_t seconds = time_ns / kSecond;
  std::int64_t rest = time_ns % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  const auto clock = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&clock, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(rest / 1'000'000));
  return text.data();
}

std::string DurationText(std::int64_t ns) {
  const std::int64_t seconds = ns / kSecond;
  std::array<char, 64> text{};
  if (seconds >= 3'600) {
    std::snprintf(text.data(), text.size(), "%lldh%02dm", static_cast<long long>(seconds / 3'600),
                  static_cast<int>(seconds / 60 % 60));
  } else if (seconds >= 60) {
    std::snprintf(text.data(), text.size(), "%dm%02ds", static_cast<int>(seconds / 60),
                  static_cast<int>(seconds % 60));
  } else {
    std::snprintf(text.data(), text.size(), "%.3fs",
                  static_cast<double>(ns) / static_cast<double>(kSecond));
  }
  return text.data();
}

nlohmann::json LossesAsJson(const Losses& losses) {
  nlohmann::json list = nlohmann::json::array();
  for (const Loss& loss : losses.entries()) {
    list.push_back({{"cause", loss.cause},
                    {"unit", loss.unit},
                    {"count", loss.count},
                    {"places", loss.places}});
  }
  return list;
}

void PrintLosses(const Losses& losses) {
  for (const Loss& loss : losses.entries()) {
    std::cerr << "sonde: " << loss.count << ' ' << loss.unit << ": " << OneLine(loss.cause);
    for (std::size_t i = 0; i < loss.places.size(); ++i) {
      std::cerr << (i == 0 ? " (" : ", ") << OneLine(loss.places[i]);
    }
    if (loss.count > loss.places.size() && !loss.places.empty()) std::cerr << ", ...";
    std::cerr << (loss.places.empty() ? "\n" : ")\n");
  }
}

}  // namespace sonde::cli
