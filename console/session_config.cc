// The keys of sonde.toml that a session has, bound to its options.

#include "console/session_config.h"

#include <array>
#include <filesystem>
#include <string_view>

namespace sonde {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestInterval{50};
constexpr milliseconds kLongestInterval{std::chrono::hours(24)};
constexpr std::int64_t kMostKept = 10'000;

std::string_view Variable(const char* const* environment, std::string_view name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('=')) {
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

// The file that was named, or the one that happens to be there; empty when there is none.
std::string FileOf(const char* const* environment, const SessionOptions& options) {
  if (!options.config_file.empty()) return options.config_file;
  const std::string_view named = Variable(environment, "SONDE_CONFIG");
  if (!named.empty()) return std::string(named);
  const std::string_view directory = Variable(environment, "SONDE_SESSION_DIRECTORY");
  const std::string path =
      (directory.empty() ? options.directory : std::string(directory)) + "/sonde.toml";
  std::error_code error;
  return std::filesystem::exists(path, error) ? path : std::string();
}

// SONDE_UNWINDER is short for SONDE_SAMPLER_UNWINDER, SONDE_WALL for SONDE_SAMPLER_WALL.
Status ReadShortNames(const char* const* environment, SessionOptions& options) {
  for (const std::string name : {"UNWINDER", "WALL"}) {
    const std::string_view value = Variable(environment, "SONDE_" + name);
    if (value.empty()) continue;
    const std::string variable = "SONDE_SAMPLER_" + name + '=' + std::string(value);
    const std::array<const char*, 2> in_full = {variable.c_str(), nullptr};
    if (Status status = KeysOf(options).ReadEnvironment(in_full.data()); !status.ok())
      return status;
  }
  return {};
}

Status CheckCode(const SessionOptions& options) {
  const SnapshotOptions& snapshots = options.snapshots;
  const auto fail = [](const char* what) {
    return Error{.code = ErrorCode::kUsage, .message = what, .stage = "configuration"};
  };
  if (options.directory.empty()) return fail("the session has no directory");
  if (snapshots.interval < kShortestInterval || snapshots.interval > kLongestInterval) {
    return fail("the snapshot interval must be from 0.05 to 86400 seconds");
  }
  if (snapshots.keep < 1 || snapshots.keep > static_cast<std::size_t>(kMostKept)) {
    return fail("the number of snapshots kept must be from 1 to 10000");
  }
  return {};
}

}  // namespace

ConfigKeys KeysOf(SessionOptions& options) {
  ConfigKeys keys;
  keys.Text("session", "directory", &options.directory);

  keys.Bool("sampler", "enabled", &options.sampling);
  keys.Whole("sampler", "hz", &options.sampler.hz, 1, 10'000);
  keys.Choice("sampler", "catch_all", &options.sampler.catch_all,
              {{"auto", CatchAll::kAuto}, {"on", CatchAll::kOn}, {"off", CatchAll::kOff}});
  keys.Whole("sampler", "ring_bytes", &options.sampler.ring_bytes, 64 << 10, 1 << 30);
  keys.Whole("sampler", "max_depth", &options.sampler.max_depth, 1, 256);
  keys.Whole("sampler", "max_stacks", &options.sampler.max_stacks, 1'000, 10'000'000);
  keys.Choice("sampler", "unwinder", &options.sampler.unwinder,
              {{"tables", Unwinder::kTables}, {"deferred", Unwinder::kDeferred}});
  keys.Bool("sampler", "wall", &options.wall);
  keys.Whole("sampler", "wall_hz", &options.sampler.wall_hz, 1, 1'000);
  keys.Whole("sampler", "stack_bytes", &options.sampler.stack_bytes, 4 << 10, 64 << 10);

  ConsoleOptions& console = options.console;
  keys.Text("console", "address", &console.address);
  keys.Bool("console", "allow_remote", &console.allow_remote);
  keys.Whole("console", "port", &console.console_port, 0, 65'535);
  keys.Whole("console", "http_port", &console.http_port, 0, 65'535);
  keys.Text("console", "unix_socket", &console.unix_socket);
  keys.Text("console", "token", &console.token);
  keys.Seconds("console", "publish_interval_seconds", &console.publish_interval, milliseconds(10),
               milliseconds(60'000));
  keys.Seconds("console", "retention_seconds", &console.retention, milliseconds(0),
               milliseconds(std::chrono::hours(24)));
  keys.Whole("console", "max_tasks", &console.max_tasks, 1, 1'000'000);
  keys.Whole("console", "max_connections", &console.max_connections, 1, 10'000);

  PushOptions& push = options.push;
  keys.Text("push", "url", &push.url);
  keys.Choice("push", "engine", &push.engine,
              {{"pyroscope", PushEngine::kPyroscope}, {"parca", PushEngine::kParca}});
  keys.Text("push", "application", &push.application);
  keys.Text("push", "labels", &push.labels);
  keys.Text("push", "tenant", &push.tenant);
  keys.Text("push", "user", &push.user);
  keys.Text("push", "password", &push.password);
  keys.Text("push", "token", &push.token);
  keys.Text("push", "ca_file", &push.authorities);
  keys.Seconds("push", "interval_seconds", &push.interval, milliseconds(1'000),
               milliseconds(std::chrono::hours(1)));
  keys.Seconds("push", "timeout_seconds", &push.timeout, milliseconds(100),
               milliseconds(std::chrono::minutes(5)));
  keys.Whole("push", "queue", &push.queue, 1, 1'000);

  keys.Seconds("snapshots", "interval_seconds", &options.snapshots.interval, kShortestInterval,
               kLongestInterval);
  keys.Whole("snapshots", "keep", &options.snapshots.keep, 1, kMostKept);
  keys.Bool("snapshots", "function_names", &options.snapshots.function_names);
  keys.Bool("snapshots", "full_paths", &options.snapshots.full_paths);
  return keys;
}

Status ApplyConfiguration(const char* const* environment, SessionOptions& options) {
  const std::string file = FileOf(environment, options);
  const ConfigKeys keys = KeysOf(options);
  if (!file.empty()) {
    if (Status status = keys.ReadFile(file); !status.ok()) return status;
  }
  if (Status status = ReadShortNames(environment, options); !status.ok()) return status;
  if (Status status = keys.ReadEnvironment(environment); !status.ok()) return status;
  return CheckCode(options);
}

}  // namespace sonde
