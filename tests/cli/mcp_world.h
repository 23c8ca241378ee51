// McpWorld: a folder with two profiles, for tests of the MCP server.

#ifndef SONDE_TESTS_CLI_MCP_WORLD_H_
#define SONDE_TESTS_CLI_MCP_WORLD_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cli/mcp/workspace.h"

namespace sonde::cli::mcp {

class McpWorld : public testing::Test {
 protected:
  McpWorld()
      : root_(std::filesystem::temp_directory_path() /
              ("sonde-mcp-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "work");
    Write("before.folded", "main;worker;malloc 60\nmain;worker;compute 40\n");
    Write("after.folded", "main;worker;malloc 20\nmain;worker;compute 80\n");
  }
  ~McpWorld() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(root_ / "work" / name) << text;
  }
  std::string Path(const std::string& name) const { return (root_ / "work" / name).string(); }
  // Every gate closed.
  WorkspaceOptions Options() const {
    WorkspaceOptions options;
    options.allowed_roots = {(root_ / "work").string()};
    options.artifact_root = (root_ / "work" / "results").string();
    return options;
  }

  std::filesystem::path root_;
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_TESTS_CLI_MCP_WORLD_H_
