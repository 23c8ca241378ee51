// Resource, AsyncOp: what tasks wait for, and that they do.
//
// With profiling compiled out everything here still compiles and does nothing.

#ifndef SONDE_RESOURCE_H_
#define SONDE_RESOURCE_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "sonde/source_location.h"
#include "sonde/task.h"

namespace sonde {

enum class ResourceKind : std::uint8_t { kTimer, kSocket, kMutex, kSemaphore, kChannel, kOther };

#if defined(SONDE_ENABLED) && SONDE_ENABLED

inline namespace on {

struct ResourceSlot;
struct AsyncOpSlot;

// Something that tasks wait for. Destroyed when it is gone. At most four attributes.
// One thread at a time, except SetAttribute. Not async-signal-safe.
class Resource {
 public:
  Resource() noexcept = default;  // None.
  // `type` is what it is called in the program: "steady_timer". `kind` is shown for kOther.
  Resource(ResourceKind kind, std::string_view type, std::string_view other_kind = {},
           const SourceLocation& location = SONDE_HERE) noexcept
      : Resource(kind, type, other_kind, 0, location) {}
  // Part of `parent`.
  Resource(const Resource& parent, ResourceKind kind, std::string_view type,
           std::string_view other_kind = {}, const SourceLocation& location = SONDE_HERE) noexcept
      : Resource(kind, type, other_kind, parent.id_, location) {}
  Resource(Resource&& other) noexcept
      : slot_(std::exchange(other.slot_, nullptr)), id_(std::exchange(other.id_, 0)) {}
  Resource& operator=(Resource&& other) noexcept {
    std::swap(slot_, other.slot_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~Resource();

  std::uint64_t id() const noexcept { return id_; }
  // `name` and `unit` must live as long as the program. Any thread.
  void SetAttribute(const char* name, std::uint64_t value, const char* unit = "") noexcept;

 private:
  Resource(ResourceKind kind, std::string_view type, std::string_view other_kind,
           std::uint64_t parent, const SourceLocation& location) noexcept;
  ResourceSlot* slot_ = nullptr;
  std::uint64_t id_ = 0;
};

// One wait of a task for a resource, from its start to its destruction.
// One thread at a time. Not async-signal-safe.
class AsyncOp {
 public:
  AsyncOp() noexcept = default;  // None.
  // `source` must live as long as the program: "async_wait".
  AsyncOp(const Resource& resource, const char* source, TaskRef task = current_task()) noexcept
      : AsyncOp(resource.id(), source, task) {}
  AsyncOp(std::uint64_t resource_id, const char* source, TaskRef task) noexcept;
  AsyncOp(AsyncOp&& other) noexcept
      : slot_(std::exchange(other.slot_, nullptr)), id_(std::exchange(other.id_, 0)) {}
  AsyncOp& operator=(AsyncOp&& other) noexcept {
    std::swap(slot_, other.slot_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~AsyncOp();

  // The task looked whether the wait is over.
  void Poll() noexcept;

 private:
  AsyncOpSlot* slot_ = nullptr;
  std::uint64_t id_ = 0;
};

}  // namespace on

#else

inline namespace off {

class [[maybe_unused]] Resource {
 public:
  constexpr Resource() noexcept {}
  constexpr Resource(ResourceKind, std::string_view, std::string_view = {},
                     const SourceLocation& = SONDE_HERE) noexcept {}
  constexpr Resource(const Resource&, ResourceKind, std::string_view, std::string_view = {},
                     const SourceLocation& = SONDE_HERE) noexcept {}
  constexpr Resource(Resource&&) noexcept = default;
  constexpr Resource& operator=(Resource&&) noexcept = default;
  constexpr std::uint64_t id() const noexcept { return 0; }
  constexpr void SetAttribute(const char*, std::uint64_t, const char* = "") noexcept {}
};
class [[maybe_unused]] AsyncOp {
 public:
  constexpr AsyncOp() noexcept {}
  constexpr AsyncOp(const Resource&, const char*, TaskRef = current_task()) noexcept {}
  constexpr AsyncOp(std::uint64_t, const char*, TaskRef) noexcept {}
  constexpr AsyncOp(AsyncOp&&) noexcept = default;
  constexpr AsyncOp& operator=(AsyncOp&&) noexcept = default;
  constexpr void Poll() noexcept {}
};

}  // namespace off

#endif

}  // namespace sonde

#endif  // SONDE_RESOURCE_H_
