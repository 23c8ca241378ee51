// sonde push: sends profiles to a continuous-profiling engine.

#include <sys/stat.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/profile_options.h"
#include "console/client/http_client.h"
#include "console/client/push_request.h"
#include "console/pushed_profile.h"

namespace sonde::cli {
namespace {

using std::chrono::seconds;

struct Push {
  std::vector<std::string> inputs;
  PushOptions options;
  unsigned tries = 4;
  ProfileOptions reading;

  Result<int> Run() const {
    const Result<PushTarget> target = PushTarget::Make(options);
    if (!target.ok()) return target.error();
    for (const std::string& input : inputs) {
      const Result<Profile> profile = reading.Read(input);
      if (!profile.ok()) return profile.error();
      const Result<PushedProfile> pushed = MakePushedProfile(profile.value(), TimeOf(input));
      if (!pushed.ok()) return pushed.error();
      const Status sent = Send(target.value(), pushed.value());
      if (!sent.ok()) return InFile(sent.error(), input);
      std::cout << input << ": " << pushed.value().bytes.size() << " bytes pushed\n";
    }
    return 0;
  }

  // When the file was written, for profiles that do not say it; now for standard input.
  static std::int64_t TimeOf(const std::string& input) {
    struct stat status {};
    if (input != "-" && ::stat(input.c_str(), &status) == 0) {
      return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }

  Status Send(const PushTarget& target, const PushedProfile& profile) const {
    seconds pause(1);
    for (unsigned attempt = 1;; ++attempt, pause *= 2) {
      const Result<HttpAnswer> answer =
          AskHttp(target.address(), target.RequestFor(profile), Deadline(options.timeout));
      Error problem;
      if (answer.ok()) {
        const PushOutcome outcome = OutcomeOf(answer.value().status);
        if (outcome == PushOutcome::kTaken) return {};
        problem = {.code = ErrorCode::kInvalid,
                   .message = "the engine answers " + std::to_string(answer.value().status) + ": " +
                              answer.value().body.substr(0, answer.value().body.find('\n')),
                   .stage = "push"};
        if (outcome == PushOutcome::kRefused) return problem;
      } else {
        problem = answer.error();
        if (problem.code == ErrorCode::kDenied) return problem;
      }
      if (attempt >= tries) return problem;
      std::this_thread::sleep_for(pause);
    }
  }
};

}  // namespace

void AddPush(Program& program) {
  const auto push = std::make_shared<Push>();
  CLI::App* const command = program.Command("push", "Send profiles to Pyroscope or Parca",
                                            [push] { return push->Run(); });
  PushOptions& options = push->options;
  command->add_option("inputs", push->inputs, "Profiles to read, of any format")->required();
  command->add_option("--to", options.url, "Where the engine listens: http:// or https://")
      ->required();
  command->add_option("--engine", options.engine, "pyroscope or parca")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, PushEngine>{{"pyroscope", PushEngine::kPyroscope},
                                                        {"parca", PushEngine::kParca}})
                      .description("{parca,pyroscope}"))
      ->default_str("pyroscope");
  options.application = "sonde";
  command->add_option("--application", options.application, "What the engine calls the program")
      ->capture_default_str();
  command->add_option("--labels", options.labels, "Of the profile: NAME=VALUE,...");
  command->add_option("--tenant", options.tenant, "Of a Pyroscope that serves several");
  command->add_option("--user", options.user, "For basic authentication");
  command->add_option("--password", options.password, "For basic authentication")
      ->envname("SONDE_PUSH_PASSWORD");
  command->add_option("--token", options.token, "For bearer authentication")
      ->envname("SONDE_PUSH_TOKEN");
  command->add_option("--ca-file", options.authorities,
                      "Certificate authorities for https, instead of the system's");
  command->add_option("--tries", push->tries, "Attempts at most, one second apart and then longer")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  push->reading.AddTo(*command);
}

}  // namespace sonde::cli
