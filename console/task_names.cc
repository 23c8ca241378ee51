// TaskNames: what the tasks of this process were called, longer than their records are kept.

#include "console/task_names.h"

#include <new>

namespace sonde {

void TaskNames::Add(std::uint64_t task_id, std::string_view name) noexcept try {
  const std::lock_guard lock(mutex_);
  if (task_id < first_id_) return;
  const bool is_full = names_.size() > kNamesKept;
  auto known = index_.find(std::string(name));
  if (known == index_.end() && is_full) known = index_.find("[other]");
  if (known == index_.end()) {
    names_.emplace_back(is_full ? std::string_view("[other]") : name);
    known = index_.emplace(names_.back(), static_cast<std::uint32_t>(names_.size() - 1)).first;
  }

  if (task_id >= first_id_ + name_of_.size() + kTasksKept) {
    name_of_.clear();
    first_id_ = task_id;
  }
  while (first_id_ + name_of_.size() <= task_id) name_of_.push_back(0);
  while (name_of_.size() > kTasksKept) {
    name_of_.pop_front();
    ++first_id_;
  }
  name_of_[task_id - first_id_] = known->second;
} catch (const std::bad_alloc&) {
}

std::string TaskNames::Find(std::uint64_t task_id) const {
  const std::lock_guard lock(mutex_);
  if (task_id < first_id_ || task_id - first_id_ >= name_of_.size()) return {};
  return names_[name_of_[task_id - first_id_]];
}

}  // namespace sonde
