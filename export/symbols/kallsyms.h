// Kallsyms: the functions of a kernel, as the text of kallsyms lists them.

#ifndef SONDE_EXPORT_SYMBOLS_KALLSYMS_H_
#define SONDE_EXPORT_SYMBOLS_KALLSYMS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/input_bytes.h"

namespace sonde::symbols {

// "address type name [module]", a symbol a line. Only where the lines are is kept; names are looked
// at when they are asked for. Any thread.
class Kallsyms {
 public:
  // The largest text that is read.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  // A stored text, or the one in /proc. Nothing when it cannot be read or, as for users without
  // the right to see them, lists no addresses.
  static std::optional<Kallsyms> Open(const std::string& path);
  // Of a text in memory, which outlives the object.
  explicit Kallsyms(std::string_view text);

  // The function that holds `address`: it reaches up to the next one. Of several names at one
  // address the last of the text, whatever it is, which is the one that perf 6.1 shows.
  std::string_view Find(std::uint64_t address) const;
  // Where the function of that name starts.
  std::optional<std::uint64_t> StartOf(std::string_view name) const;
  bool empty() const noexcept { return entries_.empty(); }

 private:
  struct Entry {
    std::uint64_t start;
    std::uint32_t line;  // Offset in text_.
  };
  std::string_view NameOf(const Entry& entry) const noexcept;

  std::shared_ptr<const InputBytes> file_;
  std::shared_ptr<const std::string> read_;
  std::string_view text_;
  std::vector<Entry> entries_;  // Functions, by start and then as they stand in the text.
};

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_KALLSYMS_H_
