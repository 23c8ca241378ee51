// AgentOutput: the profile of a view as a file, in the format that its name says.

#ifndef SONDE_CLI_AGENT_OUTPUT_H_
#define SONDE_CLI_AGENT_OUTPUT_H_

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sonde/agent_projection.h"
#include "sonde/byte_sink.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde::cli {

enum class AgentFormat { kPprof, kFolded, kSvg, kJson };

// What --all writes of a view, behind the view's name.
inline constexpr std::string_view kPprofEnd = ".pb.gz";
inline constexpr std::string_view kFoldedEnd = ".folded";
inline constexpr std::string_view kSvgEnd = ".flame.svg";
inline constexpr std::string_view kTopEnd = ".top.txt";

// "pprof", "folded", "svg", "json".
std::string_view NameOf(AgentFormat format) noexcept;
// By extension; nothing when it does not tell.
std::optional<AgentFormat> FormatOfName(std::string_view path);

// The JSON of sessions, kept in a file without a name until the profile is known. Not thread-safe.
class SessionSpill {
 public:
  SessionSpill();
  // Fails with kSystem when there is no room.
  Status Add(std::string_view line);
  Status CopyTo(ByteSink& sink) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  bool is_empty_ = true;
};

struct AgentPicture {
  std::string project;
  double width_px = 1200;
  const Profile* base = nullptr;  // What a difference is drawn against.
};

// Makes the folder that `path` names, and the file. pprof is compressed when the name ends in
// ".gz". For kJson use WriteAgentJson.
Status WriteAgentFile(const std::string& path, AgentFormat format, AgentView view,
                      const Profile& profile, const AgentPicture& picture);

// The stack tables of the views and the sessions.
Status WriteAgentJson(const std::string& path,
                      const std::vector<std::pair<AgentView, const Profile*>>& profiles,
                      const SessionSpill& sessions);

// Of --all in `folder`: what the names of a view's files begin with, and the file for JSON.
std::string StemIn(const std::string& folder, AgentView view);
std::string JsonIn(const std::string& folder);

// Every file that --all may write or remove in a folder.
std::vector<std::string> AllAgentFiles(const std::string& folder);

// Removes what an earlier run left of a view that has no samples now: the files of --all, by their
// names alone. Fails with kOutput.
Status RemoveAgentFiles(const std::string& stem);

// The heaviest frames as `pprof -top` shows them.
Status WriteTop(const std::string& path, const Profile& profile);

}  // namespace sonde::cli

#endif  // SONDE_CLI_AGENT_OUTPUT_H_
