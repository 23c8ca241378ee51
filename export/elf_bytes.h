// ElfBytes: the bytes of an ELF file, from the file or from memory.

#ifndef SONDE_EXPORT_ELF_BYTES_H_
#define SONDE_EXPORT_ELF_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// Nothing is mapped: a file that is cut short meanwhile is an error of the next read. Not
// thread-safe.
class ElfBytes {
 public:
  // Fails with kNotFound when there is no such file, kInvalid when it is not a regular one.
  static Result<ElfBytes> Open(const std::string& path);
  // `memory` outlives the object.
  explicit ElfBytes(std::string_view memory) : memory_(memory), size_(memory.size()) {}
  ElfBytes(ElfBytes&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        memory_(other.memory_),
        size_(other.size_) {}
  ElfBytes& operator=(ElfBytes&&) = delete;
  ~ElfBytes();

  // Fails with kMalformed where the file ends before `offset + length`.
  Status Read(std::uint64_t offset, std::uint64_t length, char* out) const;

  // `count` records that lie one behind the other. Fails like Read, and with kLimit for more than
  // 1 GiB of them.
  template <typename T>
  Result<std::vector<T>> ReadTable(std::uint64_t offset, std::uint64_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (Status status = CheckTable(offset, count, sizeof(T)); !status.ok()) return status.error();
    std::vector<T> table(count);
    const Status status = Read(offset, count * sizeof(T), reinterpret_cast<char*>(table.data()));
    if (!status.ok()) return status.error();
    return table;
  }

 private:
  ElfBytes(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  Status CheckTable(std::uint64_t offset, std::uint64_t count, std::size_t record_bytes) const;

  int descriptor_ = -1;
  std::string_view memory_;
  std::uint64_t size_;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_ELF_BYTES_H_
