// Any bytes are a message to the MCP server, behind closed gates: one line of JSON, or nothing.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/mcp/conversation.h"

namespace {

// A file without a name that holds `bytes`, read from their start.
int Holding(const void* bytes, std::size_t size) {
  const int file = ::memfd_create("mcp", MFD_CLOEXEC);
  if (file < 0 || ::pwrite(file, bytes, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return file;
}

std::string TextOf(int file) {
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  if (::pread(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    std::abort();
  }
  return text;
}

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
  using sonde::cli::mcp::Conversation;
  using sonde::cli::mcp::Server;
  using sonde::cli::mcp::Workspace;
  static const EmptyRoot root;
  static Server server(
      Workspace::Open({.allowed_roots = {root.path()}, .artifact_root = root.path()}).value());

  const int in = Holding(data, size);
  const int out = Holding("", 0);
  if (!Conversation(server, in, out).Hold().ok()) std::abort();
  std::istringstream answers(TextOf(out));
  ::close(in);
  ::close(out);
  for (std::string line; std::getline(answers, line);) {
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    if (!answer.is_object() || answer.value("jsonrpc", "") != "2.0") std::abort();
    if (answer.contains("result") == answer.contains("error")) std::abort();
  }
  if (!root.is_empty()) std::abort();
  return 0;
}
