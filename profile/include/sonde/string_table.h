// StringTable: names, each stored once and known by a number.

#ifndef SONDE_STRING_TABLE_H_
#define SONDE_STRING_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace sonde {

// 0 is always the empty string.
enum class StringId : std::uint32_t {};

// Views stay valid as long as the table lives, also when it grows or moves.
// Any number of threads may read one that nobody changes.
class StringTable {
 public:
  StringTable();
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  // The number of `text`, added if it is new. Ids count up from 0 in order of first appearance.
  StringId Intern(std::string_view text);
  // The number of `text`, if it is there.
  std::optional<StringId> Find(std::string_view text) const noexcept;
  std::string_view text(StringId id) const noexcept {
    return texts_[static_cast<std::uint32_t>(id)];
  }
  std::size_t size() const noexcept { return texts_.size(); }
  // Memory held, in bytes.
  std::size_t bytes() const noexcept;

 private:
  std::string_view Store(std::string_view text);
  void Grow();
  std::size_t Probe(std::string_view text, std::uint32_t hash) const noexcept;

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> hashes_;  // Parallel to texts_.
  std::vector<std::uint32_t> index_;   // Open addressing: id + 1, or 0 when free.
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::size_t chunk_bytes_ = 0;
  std::size_t next_chunk_ = std::size_t{4} << 10;  // Bytes.
};

}  // namespace sonde

#endif  // SONDE_STRING_TABLE_H_
