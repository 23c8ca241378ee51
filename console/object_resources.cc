// ObjectResources: the resources that stand for objects of Asio without a descriptor.

#include "console/object_resources.h"

#include <utility>

namespace sonde {

ObjectResources& ObjectResources::Get() {
  // Never destroyed: static objects of the program may still wait.
  static auto* const resources = new ObjectResources;
  return *resources;
}

ObjectResources::Shard& ObjectResources::ShardOf(const void* object) {
  constexpr unsigned kBitsWithinAnObject = 6;
  return shards_[(reinterpret_cast<std::uintptr_t>(object) >> kBitsWithinAnObject) %
                 shards_.size()];
}

void ObjectResources::Shard::Unpark(Object& object) {
  if (object.idle != nullptr) object.idle->erase(object.place);
  object.idle = nullptr;
}

void ObjectResources::Shard::Park(const void* address, Object& object, std::int64_t now_ns) {
  Unpark(object);
  object.idle = object.is_told ? &told : &silent;
  object.place = object.idle->insert(object.idle->end(), {address, now_ns});
}

void ObjectResources::Shard::Forget(IdleList& idle, std::int64_t until_ns) {
  while (!idle.empty() && idle.front().since_ns <= until_ns) {
    objects.erase(idle.front().object);
    idle.pop_front();
  }
}

void ObjectResources::Sweep(std::int64_t now_ns) {
  Shard& shard = shards_[swept_.fetch_add(1, std::memory_order_relaxed) % shards_.size()];
  const std::unique_lock lock(shard.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  shard.Forget(shard.told, now_ns - kSoonNs);
  shard.Forget(shard.silent, now_ns - kLongNs);
}

std::uint64_t ObjectResources::Hold(const void* address, std::string_view type) {
  Sweep(TaskClockNs());
  Shard& shard = ShardOf(address);
  const std::lock_guard lock(shard.mutex);
  Object& object = shard.objects[address];
  Shard::Unpark(object);
  if (object.type != type) {  // New, or of another type than the one that was here before.
    const bool is_timer = type.find("timer") != std::string_view::npos;
    object.type = type;
    object.resource =
        Resource(is_timer ? ResourceKind::kTimer : ResourceKind::kOther, type, type, {});
    object.waits = 0;
  }
  object.is_told = false;
  ++object.waits;
  return object.resource.id();
}

void ObjectResources::Release(const void* address, std::uint64_t resource) {
  const std::int64_t now_ns = TaskClockNs();
  Shard& shard = ShardOf(address);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.objects.find(address);
  if (found == shard.objects.end() || found->second.resource.id() != resource) return;
  if (--found->second.waits == 0) shard.Park(address, found->second, now_ns);
}

void ObjectResources::Cancelled(const void* address) {
  const std::int64_t now_ns = TaskClockNs();
  Shard& shard = ShardOf(address);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.objects.find(address);
  if (found == shard.objects.end()) return;
  found->second.is_told = true;
  if (found->second.waits == 0) shard.Park(address, found->second, now_ns);
}

}  // namespace sonde
