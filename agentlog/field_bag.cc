// FieldBag: the named values of one operation, from which frames are chosen.

#include "agentlog/field_bag.h"

#include <algorithm>
#include <numeric>

namespace sonde::agentlog {
namespace {

constexpr std::string_view kNames[] = {
    "access",  "action",         "agent",  "call",    "category", "cmd",         "domain",
    "effect",  "file",           "kind",   "llm",     "model",    "object",      "op",
    "outcome", "path",           "phase",  "process", "project",  "prompt",      "prompt_hash",
    "repeat",  "response_phase", "result", "session", "skill",    "source_kind", "source_session",
    "status",  "subagent",       "target", "task",    "token",    "tool"};
static_assert(std::size(kNames) == static_cast<std::size_t>(Field::kCount));
static_assert(std::is_sorted(std::begin(kNames), std::end(kNames)));

}  // namespace

FieldNames::FieldNames() : names_(std::begin(kNames), std::end(kNames)), sorted_(names_.size()) {
  std::iota(sorted_.begin(), sorted_.end(), FieldId{0});
}

FieldId FieldNames::Find(std::string_view name) const noexcept {
  const auto place = std::find(names_.begin(), names_.end(), name);
  return place == names_.end() ? kUnknown : static_cast<FieldId>(place - names_.begin());
}

FieldId FieldNames::FindOrAdd(std::string_view name) {
  const FieldId known = Find(name);
  if (known != kUnknown) return known;
  const auto added = static_cast<FieldId>(names_.size());
  names_.emplace_back(name);
  const auto place = std::lower_bound(
      sorted_.begin(), sorted_.end(), name,
      [&](FieldId field, std::string_view wanted) { return names_[field] < wanted; });
  sorted_.insert(place, added);
  return added;
}

std::string FieldNames::List() const {
  std::string list;
  for (const FieldId field : sorted_) {
    if (!list.empty()) list += ", ";
    list += names_[field];
  }
  return list;
}

void FieldBag::Clear() {
  for (auto& values : values_) values.clear();
}

void FieldBag::Add(FieldId field, std::string_view value) {
  if (!value.empty()) values_[field].push_back(value);
}

void FieldBag::Set(FieldId field, std::string_view value) {
  values_[field].clear();
  Add(field, value);
}

}  // namespace sonde::agentlog
