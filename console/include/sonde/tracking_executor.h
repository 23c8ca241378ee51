// tracking_executor: an executor of Boost.Asio whose functions are polls of a task.

#ifndef SONDE_TRACKING_EXECUTOR_H_
#define SONDE_TRACKING_EXECUTOR_H_

#include <utility>

#include "sonde/switch.h"
#include "sonde/task.h"

#if defined(SONDE_ENABLED) && SONDE_ENABLED

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <type_traits>

// All files of a program must agree on tracking: these two cannot be linked together.
#if defined(SONDE_ASIO_TRACKING)
#define SONDE_DETAIL_ASIO_TIER on_tracked
extern "C" const char sonde_asio_is_tracked;
[[gnu::used]] static const char* const sonde_asio_agreement = &sonde_asio_is_tracked;
#else
#define SONDE_DETAIL_ASIO_TIER on_plain
extern "C" const char sonde_asio_is_not_tracked;
[[gnu::used]] static const char* const sonde_asio_agreement = &sonde_asio_is_not_tracked;
#endif

namespace sonde {
inline namespace SONDE_DETAIL_ASIO_TIER {

// Hands everything to `Inner` and counts each function as a wake of the task and as a poll while
// it runs. Copies are cheap and may outlive the task. Any thread.
template <typename Inner>
class tracking_executor {
 public:
  tracking_executor(Inner inner, TaskRef task) noexcept : inner_(std::move(inner)), task_(task) {}

  template <typename Property>
  requires(boost::asio::can_query_v<const Inner&, Property>) decltype(auto)
      query(const Property& property) const
      noexcept(noexcept(boost::asio::query(std::declval<const Inner&>(), property))) {
    return boost::asio::query(inner_, property);
  }
  template <typename Property>
  requires(boost::asio::can_require_v<const Inner&, Property>) auto require(
      const Property& property) const {
    return Wrap(boost::asio::require(inner_, property));
  }
  template <typename Property>
  requires(boost::asio::can_prefer_v<const Inner&, Property>) auto prefer(
      const Property& property) const {
    return Wrap(boost::asio::prefer(inner_, property));
  }

  template <typename Function>
  void execute(Function&& function) const {
    // Work that a task gives itself may run at once, as part of the same poll, and is no wake then.
    std::int64_t self_woken_ns = 0;
    if (current_task() == task_) {
      self_woken_ns = TaskClockNs();
    } else {
      task_.Wake();
    }
    inner_.execute(
        Resume<std::decay_t<Function>>{task_, self_woken_ns, std::forward<Function>(function)});
  }

  friend bool operator==(const tracking_executor& a, const tracking_executor& b) noexcept {
    return a.task_ == b.task_ && a.inner_ == b.inner_;
  }
  friend bool operator!=(const tracking_executor& a, const tracking_executor& b) noexcept {
    return !(a == b);
  }

  const Inner& inner() const noexcept { return inner_; }

 private:
  template <typename Function>
  struct Resume {
    TaskRef task;
    std::int64_t self_woken_ns;
    Function function;
    void operator()() {
      PollGuard poll;
      poll.Begin(task, self_woken_ns);
      std::move(function)();
    }
  };
  template <typename Other>
  tracking_executor<std::decay_t<Other>> Wrap(Other&& other) const {
    return {std::forward<Other>(other), task_};
  }

  Inner inner_;
  TaskRef task_;
};

namespace asio_internal {

template <typename Inner>
boost::asio::any_io_executor Track(const Inner& inner, TaskRef task) {
  return tracking_executor<Inner>(inner, task);
}

// True when `executor` holds an Inner, or one that is tracked for another task already.
template <typename Inner>
bool TrackAs(const boost::asio::any_io_executor& executor, TaskRef task,
             boost::asio::any_io_executor& tracked) {
  if (const auto* plain = executor.target<Inner>()) {
    tracked = Track(*plain, task);
  } else if (const auto* other = executor.target<tracking_executor<Inner>>()) {
    tracked = Track(other->inner(), task);
  } else {
    return false;
  }
  return true;
}

// Looks into type-erased executors, so that a task's executor does not count for its parent too.
inline boost::asio::any_io_executor Track(const boost::asio::any_io_executor& executor,
                                          TaskRef task) {
  namespace asio = boost::asio;
  asio::any_io_executor tracked;
  const bool is_known =
      TrackAs<asio::io_context::executor_type>(executor, task, tracked) ||
      TrackAs<asio::thread_pool::executor_type>(executor, task, tracked) ||
      TrackAs<asio::strand<asio::io_context::executor_type>>(executor, task, tracked) ||
      TrackAs<asio::strand<asio::thread_pool::executor_type>>(executor, task, tracked) ||
      TrackAs<asio::strand<asio::any_io_executor>>(executor, task, tracked) ||
      TrackAs<asio::any_io_executor>(executor, task, tracked);
  return is_known ? tracked : asio::any_io_executor(tracking_executor(executor, task));
}
template <typename Inner>
boost::asio::any_io_executor Track(const tracking_executor<Inner>& executor, TaskRef task) {
  return Track(executor.inner(), task);
}

}  // namespace asio_internal
}  // namespace SONDE_DETAIL_ASIO_TIER
}  // namespace sonde

#else

namespace sonde {
inline namespace off {

template <typename Inner>
class tracking_executor : public Inner {
 public:
  tracking_executor(Inner inner, TaskRef) noexcept : Inner(std::move(inner)) {}
  const Inner& inner() const noexcept { return *this; }
};

}  // namespace off
}  // namespace sonde

#endif

#endif  // SONDE_TRACKING_EXECUTOR_H_
