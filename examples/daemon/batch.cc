// The work of the daemon: a batch of log lines is parsed, compressed, hashed, indexed and scored.

#include "batch.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace ingest {
namespace {

std::uint64_t NextRandom(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// Takes "key=value" off the front of `line`; empty when the key is another.
std::string_view TakeField(std::string_view& line, std::string_view key) {
  if (!line.starts_with(key) || !line.substr(key.size()).starts_with('=')) return {};
  line.remove_prefix(key.size() + 1);
  const std::string_view value = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), value.size() + 1));
  return value;
}

bool ParseNumber(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string MakeBatch(std::uint64_t seed, std::size_t lines) {
  constexpr std::array<std::string_view, 4> kMethods = {"GET", "PUT", "POST", "DELETE"};
  constexpr std::array<std::string_view, 3> kPlaces = {"/orders/", "/customers/", "/invoices/"};
  std::uint64_t state = seed * 2 + 1;
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::uint64_t random = NextRandom(state);
    text += "method=";
    text += kMethods[random % kMethods.size()];
    text += " path=";
    text += kPlaces[(random >> 8) % kPlaces.size()];
    text += std::to_string((random >> 16) % 1000);
    text += (random >> 40) % 16 == 0 ? " status=404" : " status=200";
    text += " micros=" + std::to_string((random >> 48) % 5000) + '\n';
  }
  return text;
}

std::vector<Record> ParseBatch(std::string_view text) {
  std::vector<Record> records;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Record record;
    record.method = TakeField(line, "method");
    record.path = TakeField(line, "path");
    if (ParseNumber(TakeField(line, "status"), record.status) &&
        ParseNumber(TakeField(line, "micros"), record.micros)) {
      records.push_back(record);
    }
  }
  return records;
}

std::string CompressBatch(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), text.size(), 1);
  packed.resize(size);
  return packed;
}

std::uint64_t HashBatch(std::string_view text) {
  std::uint64_t hash = text.size();
  for (int round = 0; round < 64; ++round) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= text.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, sizeof(word));
      hash = std::rotl(hash ^ word, 27) * 0x9fb21c651e98df25U;
    }
  }
  return hash;
}

void UpdateIndex(const std::vector<Record>& records, Index& index) {
  const std::lock_guard lock(index.mutex);
  for (const Record& record : records) index.hits[std::string(record.path)] += record.micros;
}

}  // namespace ingest
