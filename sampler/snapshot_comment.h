// SnapshotFacts: what a snapshot says about itself, kept as a comment inside the file.

#ifndef SONDE_SAMPLER_SNAPSHOT_COMMENT_H_
#define SONDE_SAMPLER_SNAPSHOT_COMMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

struct SnapshotFacts {
  std::string role{};
  std::string kind{};
  std::int64_t pid = 0;
  std::uint64_t sequence = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;

  // "sonde snapshot: role=daemon kind=profile pid=1 ...", one line.
  std::string Text() const;
  static std::optional<SnapshotFacts> Parse(std::string_view comment);

  friend bool operator==(const SnapshotFacts&, const SnapshotFacts&) = default;
};

// The comments of a pprof message that is in memory, uncompressed. Fails with kMalformed.
Result<std::vector<std::string>> PprofComments(std::string_view message);

// The comments of a pprof file, gzipped or plain, without building the
// profile. Fails with kMalformed, kNotFound, kInvalid, and with kLimit above
// 256 MiB of message.
Result<std::vector<std::string>> ReadPprofComments(const std::string& path);

}  // namespace sonde

#endif  // SONDE_SAMPLER_SNAPSHOT_COMMENT_H_
