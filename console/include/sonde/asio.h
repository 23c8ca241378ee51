// sonde::co_spawn: coroutines of Boost.Asio as named tasks.
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
#include <boost/system/system_error.hpp>
#include <concepts>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sonde/source_location.h"
#include "sonde/task.h"
#include "sonde/tracking_executor.h"

namespace sonde {

// What a spawned task is called, with fields, and where it was spawned: written as a string, or as
// {"session", {{"peer", address}}}. Text is copied before co_spawn returns.
struct TaskName {
  std::string_view name;
  std::initializer_list<Field> fields;
  SourceLocation location;

  TaskName(const char* text, SourceLocation where = SONDE_HERE)
      : name(text), fields(), location(where) {}
  TaskName(std::string_view text, SourceLocation where = SONDE_HERE)
      : name(text), fields(), location(where) {}
  TaskName(const std::string& text, SourceLocation where = SONDE_HERE)
      : name(text), fields(), location(where) {}
  TaskName(std::string_view text, std::initializer_list<Field> values,
           SourceLocation where = SONDE_HERE)
      : name(text), fields(values), location(where) {}
};

}  // namespace sonde

#if defined(SONDE_ENABLED) && SONDE_ENABLED

namespace sonde {
inline namespace SONDE_DETAIL_ASIO_TIER {
namespace asio_internal {

#if defined(SONDE_ASIO_TRACKING)
inline constexpr bool kTracksOperations = true;
#else
inline constexpr bool kTracksOperations = false;
#endif

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

}  // namespace SONDE_DETAIL_ASIO_TIER
}  // namespace sonde

namespace sonde {

// The same on the executor of `context`.
template <typename Context, typename Work, typename Token>
requires(std::is_convertible_v<Context&, boost::asio::execution_context&>) auto co_spawn(
    Context& context, TaskName name, Work&& work, Token&& token) {
  return co_spawn(context.get_executor(), name, std::forward<Work>(work),
                  std::forward<Token>(token));
}

}  // namespace sonde

#else

namespace sonde {
inline namespace off {

// Always inlined: who calls it gets the code of asio::co_spawn, and no function besides.
template <typename Place, typename Work, typename Token>
[[gnu::always_inline]] inline decltype(auto) co_spawn(Place&& place, const TaskName&, Work&& work,
                                                      Token&& token) {
  return boost::asio::co_spawn(std::forward<Place>(place), std::forward<Work>(work),
                               std::forward<Token>(token));
}

}  // namespace off
}  // namespace sonde

#endif

#endif  // SONDE_ASIO_H_
