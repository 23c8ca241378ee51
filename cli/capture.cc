// sonde capture: a profile of a running program, taken over HTTP.

#include <memory>

#include "cli/commands.h"
#include "cli/profile_options.h"
#include "cli/profile_server.h"
#include "cli/profile_writer.h"

namespace sonde::cli {
namespace {

struct Capture {
  std::string url = "http://127.0.0.1:6060";
  int seconds = 0;
  bool wall = false;
  bool heap = false;
  ProfileServer server;
  ProfileOptions reading;
  ProfileWriter writing;

  Result<int> Run() const {
    if (Status status = writing.Check(server.inputs()); !status.ok()) return status.error();
    constexpr int kDefaultSeconds = 10;
    // A heap profile is of a moment; over seconds it is the difference between two.
    const int span = seconds == 0 && !heap ? kDefaultSeconds : seconds;
    const std::string query = span == 0 ? "" : "seconds=" + std::to_string(span);
    const char* const path = heap   ? "/debug/pprof/heap"
                             : wall ? "/debug/pprof/wall"
                                    : "/debug/pprof/profile";
    const Result<std::string> bytes = server.Get(url, path, query, std::chrono::seconds(span));
    if (!bytes.ok()) return bytes.error();
    const Result<Profile> profile = reading.ReadBytes(bytes.value(), url);
    if (!profile.ok()) return profile.error();
    if (Status status = writing.Write(profile.value()); !status.ok()) return status.error();
    return 0;
  }
};

}  // namespace

void AddCapture(Program& program) {
  const auto capture = std::make_shared<Capture>();
  CLI::App* const command =
      program.Command("capture", "Take a profile of a running program over HTTP",
                      [capture] { return capture->Run(); });
  command
      ->add_option("url", capture->url,
                   "Where the program listens: http://host:port or unix:/path; a path behind it is "
                   "asked for as it is")
      ->capture_default_str();
  command->add_option("--seconds", capture->seconds, "Length; 10 when not given")
      ->check(CLI::Range(1, 3600));
  CLI::Option* const wall =
      command->add_flag("--wall", capture->wall, "Where threads are, waiting ones too");
  command
      ->add_flag("--heap", capture->heap,
                 "Memory in use; with --seconds, what was added in that time")
      ->excludes(wall);
  capture->server.AddTo(*command);
  capture->writing.AddTo(*command);
  capture->reading.AddTo(*command);
}

}  // namespace sonde::cli
