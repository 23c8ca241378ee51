// SnapshotCatalog: which snapshots lie in a profiling folder, and what each holds.

#ifndef SONDE_SNAPSHOT_CATALOG_H_
#define SONDE_SNAPSHOT_CATALOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// What a file name says: "daemon-profile-20261130T104609.123Z-7.pb.gz". Where two
// processes would choose the same name, the later one adds its process id: "...-7-4242.pb.gz".
struct SnapshotName {
  std::string role;          // "daemon" or "tui".
  std::string kind;          // "profile" (CPU), "wall", "heap", "growth".
  std::int64_t time_ms = 0;  // Unix time at which the snapshot was taken.
  std::uint64_t sequence = 0;
  std::int64_t pid = 0;  // 0 when the name does not say.

  // What rotation counts by: "daemon-profile".
  std::string prefix() const { return role + '-' + kind; }
  std::string Text() const;
  static std::optional<SnapshotName> Parse(std::string_view file_name);

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

// One snapshot. All but the name and the size come from comments inside the file.
struct SnapshotEntry {
  std::string file_name;
  SnapshotName name;
  std::uint64_t bytes = 0;       // Of the file.
  std::int64_t modified_ns = 0;  // Unix time at which the file was last written.
  bool readable = false;         // False: not a snapshot of ours inside, or damaged. The rest is 0.
  std::int64_t start_ns = 0;     // Unix time.
  std::int64_t duration_ns = 0;
  std::uint64_t samples = 0;  // In sampling periods; objects in a heap snapshot, looks in wall.
  std::uint64_t dropped = 0;  // In sampling periods; nanoseconds in wall.
  std::int64_t pid = 0;

  // "CPU profile (pprof)".
  std::string_view label() const noexcept;
};

// Derived from the files alone, so it cannot disagree with them.
class SnapshotCatalog {
 public:
  static constexpr int kVersion = 1;

  // Reads `folder`, which holds snapshots, or a session folder, which holds
  // them in "profiling". Other files are passed over. Fails with kNotFound when
  // there is no such folder, kInvalid when it cannot be read. Any thread.
  static Result<SnapshotCatalog> Read(const std::string& folder);

  // The folder that was read.
  const std::string& folder() const noexcept { return folder_; }
  // Newest first.
  const std::vector<SnapshotEntry>& entries() const noexcept { return entries_; }
  // The newest of a role ("" = any) and kind ("" = any), or null.
  const SnapshotEntry* Newest(std::string_view role = {},
                              std::string_view kind = {}) const noexcept;

  // What catalog.json holds: {"notice", "snapshots": [{"bytes", "dropped",
  // "duration_ns", "label", "name", "pid", "role", "samples", "start"}], "version"}.
  // Figures of a file that is not readable are null.
  std::string ToJson() const;

 private:
  friend class SnapshotFolder;
  // Takes over the entries of `known` whose files have not changed.
  static Result<SnapshotCatalog> Scan(const std::string& folder, const SnapshotCatalog& known);

  std::string folder_;
  std::vector<SnapshotEntry> entries_;
};

}  // namespace sonde

#endif  // SONDE_SNAPSHOT_CATALOG_H_
