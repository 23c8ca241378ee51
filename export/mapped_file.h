// MappedFile: the pages of a file, which may become shorter while they are read.

#ifndef SONDE_EXPORT_MAPPED_FILE_H_
#define SONDE_EXPORT_MAPPED_FILE_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace sonde {

// The kernel answers a read of a page that the file no longer has with SIGBUS. Here such
// pages read as zeros, and is_whole() tells so: the first mapping installs a handler
// that looks after the pages of all of them and hands every other SIGBUS on to who had it before.
// Any thread.
class MappedFile {
 public:
  enum class Use {
    kInOrder,    // Read from the front to the end.
    kWriteable,  // Read anywhere, and written to: by libelf, in pages of this process's own.
  };

  // The first `size` bytes, at least one. Nothing where the file cannot be mapped or a thousand
  // are.
  static std::optional<MappedFile> Map(int descriptor, std::size_t size, Use use = Use::kInOrder);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const noexcept { return {static_cast<const char*>(address_), size_}; }

  // False once bytes were read that the file did not have any more.
  bool is_whole() const noexcept;

 private:
  MappedFile(void* address, std::size_t size, std::size_t slot)
      : address_(address), size_(size), slot_(slot) {}

  void* address_;
  std::size_t size_;
  std::size_t slot_;  // In the handler's table.
};

}  // namespace sonde

#endif  // SONDE_EXPORT_MAPPED_FILE_H_
