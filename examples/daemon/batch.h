// The work of the daemon: a batch of log lines is parsed, compressed, hashed, indexed and scored.

#ifndef SONDE_EXAMPLES_DAEMON_BATCH_H_
#define SONDE_EXAMPLES_DAEMON_BATCH_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ingest {

// "method=GET path=/orders/1234 status=200 micros=532", one a line.
struct Record {
  std::string_view method;
  std::string_view path;
  std::uint32_t status = 0;
  std::uint32_t micros = 0;
};

// Text as a client might send it. Equal seeds give equal text.
std::string MakeBatch(std::uint64_t seed, std::size_t lines);

// The records view `text`. Lines that are not well formed are left out.
std::vector<Record> ParseBatch(std::string_view text);

std::string CompressBatch(std::string_view text);

std::uint64_t HashBatch(std::string_view text);

// What all workers share.
struct Index {
  std::mutex mutex;
  std::unordered_map<std::string, std::uint64_t> hits;  // By path.
};

void UpdateIndex(const std::vector<Record>& records, Index& index);

}  // namespace ingest

#endif  // SONDE_EXAMPLES_DAEMON_BATCH_H_
