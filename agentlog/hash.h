// Hash64: one stable 64-bit number for the identity of a record, equal on every machine.

#ifndef SONDE_AGENTLOG_HASH_H_
#define SONDE_AGENTLOG_HASH_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sonde::agentlog {

// Takes texts and numbers one after the other; where one ends and the next begins matters.
class Hash64 {
 public:
  explicit Hash64(std::uint64_t seed = 0) noexcept : state_(seed ^ 0x2545'f491'4f6c'dd1dU) {}

  Hash64& Add(std::uint64_t number) noexcept {
    state_ = Mix(state_ ^ number, 0x9e37'79b9'7f4a'7c15U);
    return *this;
  }
  Hash64& Add(std::string_view text) noexcept {
    const std::size_t size = text.size();
    while (text.size() >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), 8);
      state_ = Mix(state_ ^ word, 0xd6e8'feb8'6659'fd93U);
      text.remove_prefix(8);
    }
    std::uint64_t tail = 0;
    if (!text.empty()) std::memcpy(&tail, text.data(), text.size());
    state_ = Mix(state_ ^ tail, 0xa076'1d64'78bd'642fU);
    return Add(std::uint64_t{size});
  }

  // Never 0, so that 0 can mean "none".
  std::uint64_t value() const noexcept {
    const std::uint64_t mixed = Mix(state_, 0xe703'7ed1'a0b4'28dbU);
    return mixed == 0 ? 1 : mixed;
  }

 private:
  static std::uint64_t Mix(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a ^ (b >> 1)) * (b | 1);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ a;
  }

  std::uint64_t state_;
};

inline std::uint64_t HashOf(std::string_view text) noexcept { return Hash64().Add(text).value(); }

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_HASH_H_
