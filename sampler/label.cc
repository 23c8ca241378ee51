// ScopedLabel: see label.h.

#include "sonde/label.h"

#include <array>
#include <functional>
#include <new>

#include "sampler/current_thread.h"
#include "sampler/label_table.h"

namespace sonde {
namespace {

// The last sets of a thread, so that a label in a loop takes no lock. Strings in the
// table never move nor change, so what a thread saw once it may compare with later.
struct RecentLabel {
  std::uint64_t hash = 0;
  std::uint32_t outer = 0;
  std::uint32_t number = 0;
  const LabelTable::Node* node = nullptr;
};
constexpr std::size_t kRecent = 16;
constinit thread_local std::array<RecentLabel, kRecent> recent{};

// Without memory for a new set it is the outer one.
std::uint32_t Intern(std::uint32_t outer, std::string_view key, std::string_view value) try {
  const std::hash<std::string_view> hash_of;
  const std::uint64_t hash = (hash_of(key) * 31 + hash_of(value)) * 31 + outer;
  RecentLabel& label = recent[hash % kRecent];
  if (label.node != nullptr && label.hash == hash && label.outer == outer &&
      label.node->key == key && label.node->value == value) {
    return label.number;
  }
  const std::uint32_t number = LabelTable::Get().Intern(outer, key, value);
  label = {hash, outer, number, LabelTable::Get().NodeOf(number)};
  return number;
} catch (const std::bad_alloc&) {
  return outer;
}

}  // namespace

ScopedLabel::ScopedLabel(std::string_view key, std::string_view value) noexcept {
  std::atomic<std::uint32_t>& current = CurrentContext().label_set;
  outer_ = current.load(std::memory_order_relaxed);
  current.store(Intern(outer_, key, value), std::memory_order_relaxed);
}

ScopedLabel::~ScopedLabel() { CurrentContext().label_set.store(outer_, std::memory_order_relaxed); }

}  // namespace sonde
