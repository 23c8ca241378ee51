// Losses: what a producer could not keep, by cause.

#ifndef SONDE_LOSSES_H_
#define SONDE_LOSSES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

// One cause of loss. `count` is in `unit`: "samples", "records", "lines", "nanoseconds".
struct Loss {
  std::string cause;  // Short and stable: "ring full", "unknown record", "bad line".
  std::string unit;
  std::uint64_t count = 0;
  std::vector<std::string> places;  // The first few, as "file:line" or "byte 104".

  friend bool operator==(const Loss&, const Loss&) = default;
};

// Every bounded hand-over adds what it dropped here, and the list travels with
// the profile to the last output: taken = written + dropped. Not thread-safe.
class Losses {
 public:
  static constexpr std::size_t kPlacesKept = 5;

  // Adds `count` to the cause; the first kPlacesKept places are kept.
  void Add(std::string_view cause, std::string_view unit, std::uint64_t count,
           std::string_view place = {});
  // One more place of a loss that was added before, unless kPlacesKept are known.
  void AddPlace(std::string_view cause, std::string_view unit, std::string_view place);
  // Adds every entry of `other`.
  void Add(const Losses& other);

  // By cause, in order of first appearance.
  std::span<const Loss> entries() const noexcept { return entries_; }
  std::uint64_t CountOf(std::string_view cause) const noexcept;
  // The sum over all causes counted in `unit`.
  std::uint64_t TotalIn(std::string_view unit) const noexcept;
  bool empty() const noexcept { return entries_.empty(); }

  friend bool operator==(const Losses&, const Losses&) = default;

 private:
  Loss* Find(std::string_view cause, std::string_view unit) noexcept;

  std::vector<Loss> entries_;
};

}  // namespace sonde

#endif  // SONDE_LOSSES_H_
