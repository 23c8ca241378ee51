// Resource, AsyncOp: what the program's threads record of what tasks wait for.

#include "sonde/resource.h"

#include <cstring>

#include "console/slot_life.h"
#include "console/task_registry.h"

namespace sonde {
inline namespace on {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

TaskRegistry& Registry() noexcept { return TaskRegistry::Get(); }

}  // namespace

Resource::Resource(ResourceKind kind, std::string_view type, std::string_view other_kind,
                   std::uint64_t parent, const SourceLocation& location) noexcept {
  ResourceSlot* const slot = Registry().resources.Take();
  if (slot == nullptr) return;
  slot->changes.store(0, kRelaxed);
  slot->ended_ns.store(0, kRelaxed);
  for (ResourceSlot::Attribute& attribute : slot->attributes) {
    attribute.name.store(nullptr, kRelaxed);
  }
  slot->created_ns = SteadyNs();
  slot->parent_id = parent;
  slot->kind = kind;
  slot->is_internal = parent != 0;
  slot->place = location;
  slot->type.Assign(type);
  slot->other_kind.Assign(other_kind);
  slot_ = slot;
  id_ = Publish(*slot, Registry().last_resource_id);
}

Resource::~Resource() {
  if (slot_ != nullptr) EndSlot(*slot_, Registry().resources);
}

void Resource::SetAttribute(const char* name, std::uint64_t value, const char* unit) noexcept {
  if (slot_ == nullptr) return;
  for (ResourceSlot::Attribute& attribute : slot_->attributes) {
    const char* known = attribute.name.load(std::memory_order_acquire);
    if (known == nullptr && attribute.name.compare_exchange_strong(known, name)) known = name;
    if (known != name && std::strcmp(known, name) != 0) continue;
    attribute.unit.store(unit, kRelaxed);
    attribute.value.store(value, kRelaxed);
    slot_->changes.fetch_add(1, std::memory_order_release);
    return;
  }
}

AsyncOp::AsyncOp(std::uint64_t resource_id, const char* source, TaskRef task) noexcept {
  AsyncOpSlot* const slot = resource_id == 0 ? nullptr : Registry().async_ops.Take();
  if (slot == nullptr) return;
  slot->created_ns = SteadyNs();
  slot->polls.store(1, kRelaxed);
  slot->last_poll_ns.store(slot->created_ns, kRelaxed);
  slot->ended_ns.store(0, kRelaxed);
  slot->task_id = task.id();
  slot->resource_id = resource_id;
  slot->source = source;
  slot_ = slot;
  id_ = Publish(*slot, Registry().last_async_op_id);
}

AsyncOp::~AsyncOp() {
  if (slot_ != nullptr) EndSlot(*slot_, Registry().async_ops);
}

void AsyncOp::Poll() noexcept {
  if (slot_ == nullptr) return;
  slot_->last_poll_ns.store(SteadyNs(), kRelaxed);
  slot_->polls.fetch_add(1, std::memory_order_release);
}

}  // namespace on
}  // namespace sonde
