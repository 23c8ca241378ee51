// TagCache: answers of a language model, kept from run to run.

#ifndef SONDE_AGENTLOG_TAG_CACHE_H_
#define SONDE_AGENTLOG_TAG_CACHE_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sonde/result.h"

namespace sonde::agentlog {

// A file of lines {"key": ..., "tag": ...}; it holds hashes and tags, never text. Lines that are
// damaged are left out and counted. Not thread-safe.
class TagCache {
 public:
  // An empty path keeps answers in memory only. Fails with kInvalid when an existing file cannot
  // be read, or with `writes` not be added to.
  static Result<TagCache> Open(const std::string& path, bool writes);

  // Null when there is no answer.
  const std::string* Find(const std::string& key) const;
  // Written through at once. False when it could not be written.
  bool Add(const std::string& key, std::string_view tag);
  std::uint64_t damaged_lines() const noexcept { return damaged_lines_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::unordered_map<std::string, std::string> answers_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t damaged_lines_ = 0;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TAG_CACHE_H_
