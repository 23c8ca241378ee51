// ObjectResources: the resources that stand for objects of Asio without a descriptor.

#ifndef SONDE_CONSOLE_OBJECT_RESOURCES_H_
#define SONDE_CONSOLE_OBJECT_RESOURCES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "sonde/resource.h"
#include "sonde/task.h"

namespace sonde {

// Timers, resolvers, signal sets: known by their addresses. Asio tells of an object that is
// destroyed, and in the same words of one whose wait is called off, as by a timer before it is
// armed again; of one that is moved it tells nothing. So an object that nothing waits for is taken
// for gone when it was told of and is not waited for again soon, or when it is idle for long.
// Any thread.
class ObjectResources {
 public:
  static constexpr std::int64_t kSoonNs = 1'000'000'000;
  static constexpr std::int64_t kLongNs = 60'000'000'000;

  static ObjectResources& Get();

  // A wait for `object` begins. The id of its resource.
  std::uint64_t Hold(const void* object, std::string_view type);
  // A wait ends that had `resource` from Hold.
  void Release(const void* object, std::uint64_t resource);
  // Asio told that the object is destroyed, or that waits for it are called off.
  void Cancelled(const void* object);

 private:
  struct Idle {
    const void* object;
    std::int64_t since_ns;
  };
  using IdleList = std::list<Idle>;
  struct Object {
    std::string_view type;
    Resource resource;
    std::uint32_t waits = 0;
    bool is_told = false;
    IdleList* idle = nullptr;  // Where it stands while nothing waits for it.
    IdleList::iterator place{};
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<const void*, Object> objects;
    IdleList told;    // The longest idle first.
    IdleList silent;  // The same, of those that Asio did not tell of.

    void Park(const void* address, Object& object, std::int64_t now_ns);
    static void Unpark(Object& object);
    void Forget(IdleList& idle, std::int64_t until_ns);
  };
  Shard& ShardOf(const void* object);
  // Looks into one shard after the other, so that each is seen to whichever objects are in use.
  void Sweep(std::int64_t now_ns);

  std::array<Shard, 16> shards_;
  std::atomic<std::size_t> swept_{0};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_OBJECT_RESOURCES_H_
