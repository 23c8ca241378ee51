// SnapshotFolder: puts snapshots into a folder that several processes may share.

#ifndef SONDE_SAMPLER_SNAPSHOT_FOLDER_H_
#define SONDE_SAMPLER_SNAPSHOT_FOLDER_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "sonde/snapshot_catalog.h"

namespace sonde {

// Keeps the newest `keep` files of each prefix and catalog.json beside them,
// both under a lock file. A process that is killed at any point leaves at most
// a temporary file, which the next one removes. Not thread-safe; any number of
// objects in any number of processes may share a folder.
class SnapshotFolder {
 public:
  // How long Add waits for another process that holds the lock.
  static constexpr std::chrono::milliseconds kLockTimeout{5'000};

  SnapshotFolder(std::string folder, std::size_t keep);

  struct Added {
    std::string path;
    Status catalog;  // Why the rest could not be brought up to date; the file is there.
  };

  // Creates the folder where it is missing and writes one snapshot. Where the
  // name is taken it gets the process id. Fails with kOutput.
  Result<Added> Add(SnapshotName name, std::string_view bytes);

  // Creates the folder, removes what killed processes left and writes the catalog anew.
  Status Refresh();

  const std::string& folder() const noexcept { return folder_; }

 private:
  class Lock;
  Status Create() const;
  std::string PathOf(const SnapshotName& name) const;
  SnapshotName FreeName(SnapshotName name) const;
  Status Tidy(std::string_view newest);
  void RemoveLeftovers() const;
  void Prune(SnapshotCatalog& catalog, std::string_view newest) const;

  std::string folder_;
  std::size_t keep_;
  SnapshotCatalog known_;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_SNAPSHOT_FOLDER_H_
