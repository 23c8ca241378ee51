// LabelTable: see label_table.h.

#include "sampler/label_table.h"

#include <algorithm>
#include <functional>
#include <new>

namespace sonde {
namespace {

std::uint64_t HashOf(std::uint32_t outer, std::string_view key, std::string_view value) {
  const std::hash<std::string_view> hash;
  return (hash(key) * 31 + hash(value)) * 31 + outer;
}

}  // namespace

LabelTable& LabelTable::Get() {
  // Never destroyed: labels may be set after the destructors of static objects.
  alignas(LabelTable) static unsigned char memory[sizeof(LabelTable)];
  static LabelTable* const table = new (memory) LabelTable();
  return *table;
}

std::uint32_t LabelTable::Find(std::uint64_t hash, std::uint32_t outer, std::string_view key,
                               std::string_view value) const {
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const Node& node = nodes_[at->second];
    if (node.outer == outer && node.key == key && node.value == value) return at->second;
  }
  return 0;
}

std::uint32_t LabelTable::Add(std::uint64_t hash, std::uint32_t outer, std::string_view key,
                              std::string_view value) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({outer, std::string(key), std::string(value)});
  text_bytes_ += key.size() + value.size();
  by_hash_.emplace(hash, number);
  return number;
}

std::uint32_t LabelTable::Intern(std::uint32_t outer, std::string_view key,
                                 std::string_view value) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t hash = HashOf(outer, key, value);
  if (const std::uint32_t known = Find(hash, outer, key, value)) return known;
  const std::size_t bytes = key.size() + value.size();
  if (nodes_.size() < kMaxSets && bytes <= kMaxTextBytes - text_bytes_) {
    return Add(hash, outer, key, value);
  }
  // A few more sets say that there were others.
  const std::uint64_t other_hash = HashOf(outer, key, kOther);
  if (const std::uint32_t known = Find(other_hash, outer, key, kOther)) return known;
  constexpr std::size_t kOthers = 256;
  if (nodes_.size() >= kMaxSets + kOthers || key.size() > 256) return outer;
  return Add(other_hash, outer, key, kOther);
}

const LabelTable::Node* LabelTable::NodeOf(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return &nodes_[number];
}

LabelSet LabelTable::SetOf(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  std::vector<const Node*> nodes;
  for (; number != 0 && number < nodes_.size(); number = nodes_[number].outer) {
    nodes.push_back(&nodes_[number]);
  }
  LabelSet set;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto same = std::find_if(set.begin(), set.end(),
                                   [&](const auto& label) { return label.first == (*node)->key; });
    if (same != set.end()) {
      same->second = (*node)->value;
    } else {
      set.emplace_back((*node)->key, (*node)->value);
    }
  }
  return set;
}

}  // namespace sonde
