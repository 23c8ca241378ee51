// Hooks that Boost.Asio calls for each of its operations. Included by Asio itself, in every file
// of a program that links sonde::asio_tracking; never include it.

#ifndef SONDE_ASIO_TRACKING_H_
#define SONDE_ASIO_TRACKING_H_

#include <boost/asio/detail/config.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <string_view>

#include "sonde/resource.h"
#include "sonde/task.h"

namespace boost::asio {
class execution_context;
}

extern "C" const char sonde_asio_is_tracked;
[[gnu::used]] static const char* const sonde_asio_tracking_agreement = &sonde_asio_is_tracked;

namespace sonde {
inline namespace on {

// Keeps the resource that stands for an object without a descriptor, a timer for one, while
// something waits for it. One thread at a time.
class TrackedObject {
 public:
  TrackedObject() noexcept = default;
  ~TrackedObject() {
    if (object_ != nullptr) Release();
  }
  TrackedObject(const TrackedObject&) = delete;
  TrackedObject& operator=(const TrackedObject&) = delete;

  // The id of the resource of the object at `object`.
  std::uint64_t Hold(const void* object, const char* type) noexcept;

 private:
  void Release() noexcept;
  const void* object_ = nullptr;
  std::uint64_t resource_ = 0;
};

// A base class of every operation: whose it is, and what it waits for. The wait is over when the
// operation is destroyed, which is before its handler is called. Not thread-safe.
class TrackedOperation {
 public:
  // It was started by the current task.
  void Created(const char* object_type, const void* object, std::uintmax_t native_handle,
               const char* name) noexcept;
  // What it waits for is there.
  void Ready() const noexcept;

 protected:
  TrackedOperation() noexcept = default;
  ~TrackedOperation() = default;

 private:
  friend class TrackedCompletion;
  TaskRef task_;
  TrackedObject object_;
  AsyncOp wait_;
  mutable bool is_woken_ = false;  // The wake that leads to its completion was counted.
};

// Around the call of a completed operation's handler. Not thread-safe.
class TrackedCompletion {
 public:
  explicit TrackedCompletion(const TrackedOperation& operation) noexcept
      : task_(operation.task_), is_woken_(operation.is_woken_) {}
  TrackedCompletion(const TrackedCompletion&) = delete;
  TrackedCompletion& operator=(const TrackedCompletion&) = delete;

  template <typename... Results>
  void invocation_begin(const Results&...) noexcept {
    Begin();
  }
  void invocation_end() noexcept { poll_.End(); }

 private:
  void Begin() noexcept;
  TaskRef task_;
  bool is_woken_;
  PollGuard poll_;  // Ends also when the handler throws.
};

// Forgets the resource that stands for a descriptor. Any thread.
void DescriptorClosed(std::uintmax_t native_handle) noexcept;
// An object without a descriptor is destroyed, or waits for it are called off. Any thread.
void ObjectCancelled(const void* object) noexcept;

inline void AsioCreation(boost::asio::execution_context&, TrackedOperation& operation,
                         const char* object_type, const void* object, std::uintmax_t native_handle,
                         const char* name) noexcept {
  operation.Created(object_type, object, native_handle, name);
}
inline void AsioOperation(boost::asio::execution_context&, const char*, const void* object,
                          std::uintmax_t native_handle, const char* name) noexcept {
  if (native_handle == 0 && std::string_view(name) == "cancel") ObjectCancelled(object);
}
// Also called for an attempt that found nothing to do yet.
template <typename... Bytes>
void AsioReactorOperation(const TrackedOperation& operation, const char*,
                          const boost::system::error_code& error, const Bytes&...) noexcept {
  const bool is_attempt = error == boost::system::errc::operation_would_block ||
                          error == boost::system::errc::resource_unavailable_try_again;
  if (!is_attempt) operation.Ready();
}
inline void AsioDeregistration(boost::asio::execution_context&, std::uintmax_t native_handle,
                               std::uintmax_t) noexcept {
  DescriptorClosed(native_handle);
}

}  // namespace on
}  // namespace sonde

#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::sonde::TrackedOperation
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::sonde::TrackedOperation
#define BOOST_ASIO_HANDLER_TRACKING_INIT static_cast<void>(0)
#define BOOST_ASIO_HANDLER_LOCATION(args) static_cast<void>(0)
#define BOOST_ASIO_HANDLER_CREATION(args) ::sonde::AsioCreation args
#define BOOST_ASIO_HANDLER_COMPLETION(args) ::sonde::TrackedCompletion tracked_completion args
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(args) tracked_completion.invocation_begin args
#define BOOST_ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define BOOST_ASIO_HANDLER_OPERATION(args) ::sonde::AsioOperation args
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(args) static_cast<void>(0)
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION(args) ::sonde::AsioDeregistration args
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 1
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 2
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 4
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS(args) static_cast<void>(0)
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION(args) ::sonde::AsioReactorOperation args

#endif  // SONDE_ASIO_TRACKING_H_
