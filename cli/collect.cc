// sonde collect: records one authorised target, through perf or from sonde inside it.

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/finite.h"
#include "cli/profile_server.h"
#include "cli/stop_on_signal.h"
#include "sonde/collection.h"

namespace sonde::cli {
namespace {

constexpr const char* kAttachConsole = "attach-console";

struct CollectOptions {
  std::string mode = "record";
  std::string url;
  ProfileServer server;
  CollectionRequest request;
};

// What the program measures of itself for a while.
Result<nlohmann::json> CollectFromConsole(const CollectOptions& options,
                                          const CollectionRequest& request) {
  constexpr double kDefaultSeconds = 10;
  if (options.url.empty()) {
    return Error{.code = ErrorCode::kUsage, .message = "attach-console takes a URL"};
  }
  if (!request.executable.empty() || request.pid != 0) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "attach-console takes a URL, not a program or a process"};
  }
  const double asked =
      request.duration_seconds == 0 ? kDefaultSeconds : std::ceil(request.duration_seconds);
  const std::chrono::seconds span(static_cast<std::int64_t>(asked));
  return CollectFrom(options.url, request, [&] {
    return options.server.Get(options.url, "/debug/pprof/profile",
                              "seconds=" + std::to_string(span.count()), span, request.stop);
  });
}

Result<int> Run(const CollectOptions& options) {
  CollectionRequest request = options.request;
  const std::optional<CollectionMode> mode = CollectionModeNamed(options.mode);
  request.mode = mode.value_or(CollectionMode::kRecord);
  const StopOnSignal stop;
  request.stop = stop.token();
  const Result<nlohmann::json> artifact =
      mode.has_value() ? Collect(request) : CollectFromConsole(options, request);
  if (!artifact.ok()) return artifact.error();
  std::cout << std::filesystem::absolute(request.metadata_output).lexically_normal().string()
            << '\n';
  return 0;
}

void AddTarget(CLI::App& command, CollectionRequest& request) {
  command.add_option("--executable", request.executable, "Program to run, by its absolute path");
  command.add_option("--target-arg", request.arguments, "Argument of it (repeatable)")
      ->allow_extra_args(false);
  command.add_option("--pid", request.pid, "Process to attach to instead, for --duration-seconds")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{INT32_MAX}));
  command.add_option("--duration-seconds", request.duration_seconds, "How long to stay attached")
      ->check(NumberFrom(0.01, 86'400.0));
}

void AddAuthorization(CLI::App& command, CollectionRequest& request) {
  command.add_flag("--authorize-target", request.authorize_target,
                   "Open the first gate: recording at all");
  command.add_option("--authorization", request.authorization,
                     "The phrase " + std::string(kTargetPhrase));
  command.add_flag("--authorize-pid-attach", request.authorize_pid_attach,
                   "Open the second gate: attaching to a process that runs");
  command.add_option("--pid-authorization", request.pid_authorization,
                     "The phrase " + std::string(kPidPhrase));
}

void AddOne(Program& program, const char* name, const char* description) {
  auto options = std::make_shared<CollectOptions>();
  CollectionRequest& request = options->request;
  CLI::App* command = program.Command(name, description, [options] { return Run(*options); });
  command->add_option("--mode", options->mode, "What to record")
      ->check(CLI::IsMember({"record", "stat", "sched", "lock", "off_cpu", kAttachConsole}))
      ->capture_default_str();
  command->add_option("url,--url", options->url,
                      "attach-console: where a program with sonde inside listens");
  AddTarget(*command, request);
  command->add_option("--data-output", request.data_output, "Recording to write; must be new")
      ->required();
  command
      ->add_option("--metadata-output", request.metadata_output,
                   "Artifact that describes it; must be new")
      ->required();
  command->add_option("--perf-path", request.perf_path,
                      "perf, by its absolute path; the one on the PATH when not given");
  command->add_option("--frequency-hz", request.frequency_hz, "Samples a second, with record")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--call-graph", request.call_graph, "How stacks are found")
      ->check(CLI::IsMember({"fp", "dwarf", "lbr"}))
      ->capture_default_str();
  command->add_option("--event", request.events, "Counter, with stat (repeatable)")
      ->allow_extra_args(false);
  command
      ->add_option("--timeout-seconds", request.timeout_seconds,
                   "After which everything is ended and nothing is kept")
      ->check(NumberFrom(0.1, 86'400.0))
      ->capture_default_str();
  command->add_option("--max-data-bytes", request.max_data_bytes, "Largest recording")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
  command->add_option("--max-metadata-bytes", request.max_metadata_bytes, "Largest artifact")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
  AddAuthorization(*command, request);
  options->server.AddTo(*command);
}

}  // namespace

void AddCollect(Program& program) {
  AddOne(program, "collect",
         "Record one target: CPU time, counters, scheduling, locks, off-CPU time");
  AddOne(program, "collect-profile", "The same as collect");
}

}  // namespace sonde::cli
