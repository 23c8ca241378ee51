// ParseCache: the tallies of logs that did not change since they were read.

#ifndef SONDE_AGENTLOG_PARSE_CACHE_H_
#define SONDE_AGENTLOG_PARSE_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agentlog/tally.h"

namespace sonde::agentlog {

// What a log must still be for its entry to hold.
struct LogIdentity {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // The inode's: moves also where an edit puts `modified_ns` back.
  std::uint64_t max_line_bytes = 0;

  friend bool operator==(const LogIdentity&, const LogIdentity&) = default;
};

// One file a log in a folder of the user's own. An entry holds numbers, hashes and what `sonde
// sessions` shows (ids, names of models, efforts and tools, versions), never text. A broken or
// outdated entry is no entry. **Any thread.**
class ParseCache {
 public:
  // Empty `folder`: holds nothing.
  explicit ParseCache(std::string folder) : folder_(std::move(folder)) {}

  // nullptr when there is none.
  std::unique_ptr<Tally> Load(const LogIdentity& log) const;
  // Failing to save costs time later, nothing else.
  void Save(const LogIdentity& log, const Tally& tally) const;

 private:
  std::string PathOf(const LogIdentity& log) const;
  std::string folder_;
};

// The whole tally in bytes, and back. nullptr for bytes that are no tally. **Any thread.**
std::string EncodeTally(const Tally& tally);
std::unique_ptr<Tally> DecodeTally(std::string_view bytes);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_PARSE_CACHE_H_
