// TrackedOperation, TrackedCompletion: Asio's operations as waits of tasks for resources.

#include "sonde/asio_tracking.h"

#include <array>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "console/object_resources.h"
#include "console/task_registry.h"

namespace sonde {
inline namespace on {
namespace {

constexpr std::uintmax_t kNoHandle = static_cast<std::uintmax_t>(-1);

// Sockets and other descriptors, from their first operation until they are closed.
class DescriptorResources {
 public:
  std::uint64_t IdOf(std::uintmax_t handle, std::string_view type) {
    Shard& shard = ShardOf(handle);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.resources.find(handle);
    if (found != shard.resources.end()) return found->second.id();
    const ResourceKind kind = type.find("socket") != std::string_view::npos ? ResourceKind::kSocket
                                                                            : ResourceKind::kOther;
    Resource resource(kind, type, type, {});
    resource.SetAttribute("fd", handle);
    return shard.resources.emplace(handle, std::move(resource)).first->second.id();
  }
  void Close(std::uintmax_t handle) {
    Shard& shard = ShardOf(handle);
    const std::lock_guard lock(shard.mutex);
    shard.resources.erase(handle);
  }

  static DescriptorResources& Get() {
    // Never destroyed: static objects of the program may still close sockets.
    static auto* const resources = new DescriptorResources;
    return *resources;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uintmax_t, Resource> resources;
  };
  Shard& ShardOf(std::uintmax_t handle) { return shards_[handle % shards_.size()]; }
  std::array<Shard, 16> shards_;
};

// Work that is queued to run rather than to wait for something.
bool IsQueued(std::string_view object_type) {
  return object_type == "io_context" || object_type == "strand" || object_type == "thread_pool" ||
         object_type == "scheduler";
}

}  // namespace

std::uint64_t TrackedObject::Hold(const void* object, const char* type) noexcept {
  resource_ = ObjectResources::Get().Hold(object, type);
  object_ = object;
  return resource_;
}

void TrackedObject::Release() noexcept { ObjectResources::Get().Release(object_, resource_); }

void TrackedOperation::Created(const char* object_type, const void* object,
                               std::uintmax_t native_handle, const char* name) noexcept {
  task_ = current_task();
  const std::string_view type(object_type);
  if (IsQueued(type)) {
    task_.Wake();
    is_woken_ = true;
    return;
  }
  if (!task_) return;
  const bool is_descriptor = native_handle != 0 && native_handle != kNoHandle;
  if (is_descriptor) {
    wait_ = AsyncOp(DescriptorResources::Get().IdOf(native_handle, type), name, task_);
    return;
  }
  wait_ = AsyncOp(object_.Hold(object, object_type), name, task_);
}

void TrackedOperation::Ready() const noexcept {
  if (!std::exchange(is_woken_, true)) task_.WakeFromOutside();
}

void DescriptorClosed(std::uintmax_t native_handle) noexcept {
  DescriptorResources::Get().Close(native_handle);
}

void ObjectCancelled(const void* object) noexcept { ObjectResources::Get().Cancelled(object); }

void TrackedCompletion::Begin() noexcept {
  if (!is_woken_ && current_task() != task_) task_.WakeFromOutside();
  poll_.Begin(task_);
}

}  // namespace on
}  // namespace sonde
