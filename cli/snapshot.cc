// sonde snapshot: has a running program write a snapshot now.

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/profile_server.h"
#include "cli/value_text.h"

namespace sonde::cli {
namespace {

struct TakeSnapshot {
  std::string url = "http://127.0.0.1:6060";
  ProfileServer server;

  Result<int> Run() const {
    const Result<std::string> answer = server.Post(url, "/api/snapshot");
    if (!answer.ok()) return answer.error();
    const nlohmann::json json = nlohmann::json::parse(answer.value(), nullptr, false);
    if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) {
      return Error{
          .code = ErrorCode::kMalformed, .message = "the answer names no snapshot", .file = url};
    }
    std::cout << SafeText(json["name"].get<std::string>()) << '\n';
    return 0;
  }
};

}  // namespace

void AddSnapshot(Program& program) {
  const auto snapshot = std::make_shared<TakeSnapshot>();
  CLI::App* const command =
      program.Command("snapshot", "Have a running program write a snapshot now, and name its file",
                      [snapshot] { return snapshot->Run(); });
  command
      ->add_option("url", snapshot->url,
                   "Where the program listens: http://host:port or unix:/path")
      ->capture_default_str();
  snapshot->server.AddTo(*command);
}

}  // namespace sonde::cli
