// sonde::co_spawn, tracking_executor: coroutines of Boost.Asio as named tasks.
//
// Without the target sonde::asio_tracking a task's polls are seen through its executor: all
// resumes of the coroutine, and of I/O objects made from asio::this_coro::executor. With it, every
// operation of Asio is seen, with what it waits for. With profiling compiled out co_spawn is
// asio::co_spawn.

#ifndef SONDE_ASIO_H_
#define SONDE_ASIO_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/system/system_error.hpp>
#include <concepts>
#include <exception>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sonde/task.h"

namespace sonde {

// What a spawned task is called, with fields, and where it was spawned: written as a string, or as
// {"session", {{"peer", address}}}. Text is copied before co_spawn returns.
struct TaskName {
  std::string_view name;
  std::initializer_list<Field> fields;
  std::source_location location;

  TaskName(const char* text, std::source_location where = std::source_location::current())
      : name(text), fields(), location(where) {}
  TaskName(std::string_view text, std::source_location where = std::source_location::current())
      : name(text), fields(), location(where) {}
  TaskName(const std::string& text, std::source_location where = std::source_location::current())
      : name(text), fields(), location(where) {}
  TaskName(std::string_view text, std::initializer_list<Field> values,
           std::source_location where = std::source_location::current())
      : name(text), fields(values), location(where) {}
};

}  // namespace sonde

#if defined(SONDE_ENABLED) && SONDE_ENABLED

// All files of a program must agree on tracking: these two cannot be linked together.
#if defined(SONDE_ASIO_TRACKING)
extern "C" const char sonde_asio_is_tracked;
[[gnu::used]] static const char* const sonde_asio_agreement = &sonde_asio_is_tracked;
#else
extern "C" const char sonde_asio_is_not_tracked;
[[gnu::used]] static const char* const sonde_asio_agreement = &sonde_asio_is_not_tracked;
#endif

namespace sonde {

#if defined(SONDE_ASIO_TRACKING)
inline namespace on_tracked {
inline constexpr bool kTracksOperations = true;
#else
inline namespace on_plain {
inline constexpr bool kTracksOperations = false;
#endif

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

// Owns a task for as long as its coroutine's frame exists.
class FrameTask {
 public:
  explicit FrameTask(Task task) noexcept : task_(std::move(task)) {}
  FrameTask(FrameTask&&) noexcept = default;
  // A frame that is destroyed before the coroutine's end was cancelled.
  ~FrameTask() { task_.End(outcome_); }
  void Finish(TaskOutcome outcome) noexcept { outcome_ = outcome; }

 private:
  Task task_;
  TaskOutcome outcome_ = TaskOutcome::kCancelled;
};

// What a task runs, whatever its type: a coroutine whose frame held a lambda would have a type
// without linkage, of which compilers warn.
template <typename Awaitable>
struct Work {
  virtual ~Work() = default;
  virtual Awaitable Start() = 0;
};
template <typename Awaitable>
struct AwaitableWork final : Work<Awaitable> {
  explicit AwaitableWork(Awaitable work) : awaitable(std::move(work)) {}
  Awaitable Start() override { return std::move(awaitable); }
  Awaitable awaitable;
};
template <typename Awaitable, typename Function>
struct FunctionWork final : Work<Awaitable> {
  template <typename Given>
  explicit FunctionWork(Given&& work) : function(std::forward<Given>(work)) {}
  Awaitable Start() override { return function(); }
  Function function;
};

template <typename Value, typename Executor>
boost::asio::awaitable<Value, Executor> RunTask(
    FrameTask task, std::unique_ptr<Work<boost::asio::awaitable<Value, Executor>>> work) {
  if constexpr (kTracksOperations) PollGuard::BeginAdopted();
  try {
    if constexpr (std::is_void_v<Value>) {
      co_await work->Start();
      task.Finish(TaskOutcome::kFinished);
      co_return;
    } else {
      Value value = co_await work->Start();
      task.Finish(TaskOutcome::kFinished);
      co_return value;
    }
  } catch (const boost::system::system_error& error) {
    task.Finish(error.code() == boost::asio::error::operation_aborted ? TaskOutcome::kCancelled
                                                                      : TaskOutcome::kFailed);
    throw;
  } catch (...) {
    task.Finish(TaskOutcome::kFailed);
    throw;
  }
}

template <typename T>
inline constexpr bool kIsAwaitable = false;
template <typename Value, typename Executor>
inline constexpr bool kIsAwaitable<boost::asio::awaitable<Value, Executor>> = true;

template <typename Value>
struct Completion {
  using Signature = void(std::exception_ptr, Value);
};
template <>
struct Completion<void> {
  using Signature = void(std::exception_ptr);
};

template <typename Executor, typename Value, typename AwaitableExecutor, typename Token>
auto Spawn(const Executor& executor, const TaskName& name,
           std::unique_ptr<Work<boost::asio::awaitable<Value, AwaitableExecutor>>> work,
           Token&& token) {
  Task task(name.name, name.fields, {.origin = TaskOrigin::kAsio}, name.location);
  const TaskRef ref = task.ref();
  auto frame = RunTask<Value, AwaitableExecutor>(FrameTask(std::move(task)), std::move(work));
  if constexpr (kTracksOperations) {
    using Signature = typename Completion<Value>::Signature;
    // Some tokens start later, when the result is waited for: the scope belongs into the start.
    return boost::asio::async_initiate<Token, Signature>(
        [executor, ref](auto&& handler, auto frame_to_run) {
          PollGuard scope;
          scope.Adopt(ref);  // The operation that is made in here belongs to the new task.
          boost::asio::co_spawn(executor, std::move(frame_to_run),
                                std::forward<decltype(handler)>(handler));
        },
        token, std::move(frame));
  } else if constexpr (std::is_convertible_v<boost::asio::any_io_executor, AwaitableExecutor>) {
    return boost::asio::co_spawn(AwaitableExecutor(Track(executor, ref)), std::move(frame),
                                 std::forward<Token>(token));
  } else {
    // A coroutine bound to one type of executor: its life is seen, its polls are not.
    return boost::asio::co_spawn(executor, std::move(frame), std::forward<Token>(token));
  }
}

}  // namespace asio_internal

// Like asio::co_spawn; the coroutine is a task called `name` from here to its end. Its parent is
// the current task. `work` is an awaitable, or a function that returns one. Throws what
// asio::co_spawn throws. Any thread, as far as the executor allows.
template <typename Executor, typename Work, typename Token>
requires(!std::is_convertible_v<Executor&, boost::asio::execution_context&>) auto co_spawn(
    const Executor& executor, TaskName name, Work&& work, Token&& token) {
  using Kept = std::decay_t<Work>;
  if constexpr (asio_internal::kIsAwaitable<Kept>) {
    std::unique_ptr<asio_internal::Work<Kept>> kept =
        std::make_unique<asio_internal::AwaitableWork<Kept>>(std::forward<Work>(work));
    return asio_internal::Spawn(executor, name, std::move(kept), std::forward<Token>(token));
  } else {
    using Awaitable = std::invoke_result_t<Kept&>;
    std::unique_ptr<asio_internal::Work<Awaitable>> kept =
        std::make_unique<asio_internal::FunctionWork<Awaitable, Kept>>(std::forward<Work>(work));
    return asio_internal::Spawn(executor, name, std::move(kept), std::forward<Token>(token));
  }
}

#if defined(SONDE_ASIO_TRACKING)
}  // namespace on_tracked
#else
}  // namespace on_plain
#endif
}  // namespace sonde

#else

namespace sonde {
inline namespace off {

template <typename Executor, typename Work, typename Token>
requires(!std::is_convertible_v<Executor&, boost::asio::execution_context&>) auto co_spawn(
    const Executor& executor, const TaskName&, Work&& work, Token&& token) {
  return boost::asio::co_spawn(executor, std::forward<Work>(work), std::forward<Token>(token));
}

}  // namespace off
}  // namespace sonde

#endif

namespace sonde {

// The same on the executor of `context`.
template <typename Context, typename Work, typename Token>
requires(std::is_convertible_v<Context&, boost::asio::execution_context&>) auto co_spawn(
    Context& context, TaskName name, Work&& work, Token&& token) {
  return co_spawn(context.get_executor(), name, std::forward<Work>(work),
                  std::forward<Token>(token));
}

}  // namespace sonde

#endif  // SONDE_ASIO_H_
