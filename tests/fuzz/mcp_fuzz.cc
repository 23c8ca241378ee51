// Any bytes are a message to the MCP server, behind closed gates: one line of JSON, or nothing.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/mcp/server.h"

namespace {

// An empty folder, gone when the program ends.
class EmptyRoot {
 public:
  EmptyRoot()
      : path_(std::filesystem::temp_directory_path() /
              ("sonde-mcp-fuzz-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~EmptyRoot() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using sonde::cli::mcp::Server;
  using sonde::cli::mcp::Workspace;
  static const EmptyRoot root;
  static Server server(
      Workspace::Open({.allowed_roots = {root.path()}, .artifact_root = root.path()}).value());

  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream out;
  server.Serve(in, out);
  std::istringstream answers(std::move(out).str());
  for (std::string line; std::getline(answers, line);) {
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    if (!answer.is_object() || answer.value("jsonrpc", "") != "2.0") std::abort();
    if (answer.contains("result") == answer.contains("error")) std::abort();
  }
  if (!root.is_empty()) std::abort();
  return 0;
}
