// AddressNames: names of stretches of memory, such as those of a JIT's map.

#ifndef SONDE_EXPORT_SYMBOLS_ADDRESS_NAMES_H_
#define SONDE_EXPORT_SYMBOLS_ADDRESS_NAMES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::symbols {

// Views live as long as the object. Not thread-safe while it is being filled.
class AddressNames {
 public:
  // `size` 0: up to the next one. The latest of several at one start counts.
  void Add(std::uint64_t start, std::uint64_t size, std::string_view name);
  // The name of what holds `address`; empty when nothing does.
  std::string_view Find(std::uint64_t address) const;
  bool empty() const noexcept { return entries_.empty(); }

 private:
  struct Entry {
    std::uint64_t start;
    std::uint64_t size;
    std::size_t name;  // In texts_.
    std::uint32_t length;
  };
  void Sort() const;
  std::string_view NameOf(const Entry& entry) const {
    return std::string_view(texts_).substr(entry.name, entry.length);
  }

  std::string texts_;
  mutable std::vector<Entry> entries_;  // By start once sorted.
  mutable bool sorted_ = true;
};

// The functions of a perf map: "start size name", in hexadecimal.
AddressNames ReadPerfMap(std::string_view text);
// The whole of a file, or nothing when it cannot be read or has more than `most` bytes.
std::optional<std::string> ReadWholeFile(const std::string& path, std::size_t most);
// The build id of the running kernel in lower-case hex; empty when it cannot be read.
std::string RunningKernelBuildId();

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_ADDRESS_NAMES_H_
