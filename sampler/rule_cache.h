// RuleCache: remembers unwind rules by pc and module, for all threads and without a lock.

#ifndef SONDE_SAMPLER_RULE_CACHE_H_
#define SONDE_SAMPLER_RULE_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sampler/unwind_rule.h"

namespace sonde {

// An entry is two words that any handler may overwrite at any time. The first is the key
// XOR the second, so words of two different writes do not match and miss.
// Static storage only. Async-signal-safe.
class RuleCache {
 public:
  // The rule stored for `pc` of the module `module` (its index in the registry), or kUnset.
  UnwindRule Find(std::uint64_t pc, std::uint32_t module) const noexcept {
    const std::uint64_t key = Key(pc, module);
    const std::uint32_t place = Place(pc);
    const UnwindRule rule = entries_[place].RuleOf(key);
    return rule.bits() != 0 ? rule : entries_[place ^ 1].RuleOf(key);
  }

  void Store(std::uint64_t pc, std::uint32_t module, UnwindRule rule) noexcept {
    std::uint32_t place = Place(pc);
    if (entries_[place].bits.load(std::memory_order_relaxed) != 0) {
      place ^= static_cast<std::uint32_t>(pc >> 3) & 1;
    }
    entries_[place].bits.store(rule.bits(), std::memory_order_relaxed);
    entries_[place].check.store(Key(pc, module) ^ rule.bits(), std::memory_order_relaxed);
  }

 private:
  static constexpr int kLogEntries = 13;
  struct Entry {
    std::atomic<std::uint64_t> check{0};
    std::atomic<std::uint64_t> bits{0};

    UnwindRule RuleOf(std::uint64_t key) const noexcept {
      const std::uint64_t rule = bits.load(std::memory_order_relaxed);
      const bool holds = (check.load(std::memory_order_relaxed) ^ rule) == key;
      return holds ? UnwindRule::FromBits(rule) : UnwindRule();
    }
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock would deadlock a handler");

  static std::uint64_t Key(std::uint64_t pc, std::uint32_t module) noexcept {
    // A pc has 47 bits, so the pair is told apart exactly.
    return (pc | (std::uint64_t{module} + 1) << 47) * 0x9e37'79b9'7f4a'7c15;
  }
  static std::uint32_t Place(std::uint64_t pc) noexcept {
    return static_cast<std::uint32_t>((pc * 0xff51'afd7'ed55'8ccd) >> (64 - kLogEntries));
  }

  Entry entries_[std::size_t{1} << kLogEntries] = {};
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_RULE_CACHE_H_
