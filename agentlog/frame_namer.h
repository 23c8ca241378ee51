// FrameNamer: the one place where content of a log becomes a name that is shown.
//
// Everything that reaches a frame, a label or a report passes through here.
// What a name is decided by is its own text and the folders its session names,
// never the account or the machine that makes the profile.

#ifndef SONDE_AGENTLOG_FRAME_NAMER_H_
#define SONDE_AGENTLOG_FRAME_NAMER_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace sonde::agentlog {

// The folders against which the paths of one session are understood.
struct PathScope {
  std::string root;       // The project's; paths below it are named relative to it. May be empty.
  std::string cwd;        // Where relative paths start. May be empty.
  std::size_t depth = 2;  // Components kept.
};

// The scope of a session that worked in `cwd`: the project, when it worked inside it, else `cwd`.
PathScope ScopeOf(std::string_view project_root, std::string_view cwd, std::size_t depth);

// "src/users" for a path below the root, "repo" for the root itself. Everything else falls in one
// of external/codex, external/claude, external/tmp, external/home and external/path, by whole
// components of the path. Any thread.
std::string NameOfPath(std::string_view path, const PathScope& scope);

// The labels of a host that look like secrets replaced. Before its case is lost: a key without a
// vendor's shape is known by its letters. Any thread.
std::string WithoutSecretLabels(std::string_view host);

// A host as found by DomainsIn; labels that look like secrets are replaced. Any thread.
std::string NameOfDomain(std::string_view host);

// A model's name without the vendor in front of a slash. Any thread.
std::string NameOfModel(std::string_view model);

// Any other word: lower case, letters, digits and . _ : / + - kept, every run of something else
// one underscore; "unknown" when nothing is left; at most 80 characters; a word that looks like a
// secret becomes "redacted". Any thread.
std::string NameOfWord(std::string_view text);

// A log file without its folder, for places of losses: as it is, but for control characters, and
// "redacted" when it looks like a secret. Any thread.
std::string NameOfLog(std::string_view path);

// An id: as NameOfWord, but one that looks like a secret becomes its hash, so that ids stay apart.
// Any thread.
std::string NameOfId(std::string_view id);

// The project's name: the last component of its root, but "home" for somebody's home folder and
// "project" when there is none.
std::string NameOfProject(std::string_view root);

// The first `digits` hexadecimal digits of the SHA-256 of `text`.
std::string HashOf(std::string_view text, std::size_t digits);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_FRAME_NAMER_H_
