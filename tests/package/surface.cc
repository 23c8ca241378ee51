// Uses every name that an application may use, with profiling compiled in or out: whoever adds one
// to either half of a header adds it here.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sonde/asio.h"
#include "sonde/label.h"
#include "sonde/resource.h"
#include "sonde/session.h"
#include "sonde/task.h"
#include "sonde/tracking_executor.h"

namespace {

namespace asio = boost::asio;

template <typename T>
constexpr bool kIsMoved =
    std::is_nothrow_move_constructible_v<T> && !std::is_copy_constructible_v<T>;
template <typename T>
constexpr bool kIsMovedAndAssigned =
    kIsMoved<T>&& std::is_nothrow_move_assignable_v<T> && !std::is_copy_assignable_v<T>;
template <typename T>
constexpr bool kStays = !std::is_move_constructible_v<T> && !std::is_move_assignable_v<T>;

static_assert(kIsMovedAndAssigned<sonde::Task>);
static_assert(kIsMovedAndAssigned<sonde::Resource>);
static_assert(kIsMovedAndAssigned<sonde::AsyncOp>);
static_assert(kIsMoved<sonde::Session> && !std::is_move_assignable_v<sonde::Session>);
static_assert(kStays<sonde::PollGuard>);
static_assert(kStays<sonde::BlockingSection>);
static_assert(kStays<sonde::ScopedLabel>);
static_assert(kStays<sonde::ScopedSession>);
static_assert(std::is_copy_assignable_v<sonde::TaskWaker>);
static_assert(std::is_trivially_copyable_v<sonde::TaskRef>);

int Tasks() {
  sonde::TaskOptions options;
  options.parent = sonde::current_task();
  options.origin = sonde::TaskOrigin::kBlocking;
  const bool has_default_kind = options.kind == std::string_view("task");
  sonde::Task task("task", {{"text", "a"}, {"signed", -1}, {"unsigned", 1U}, {"truth", true}},
                   {.kind = "worker", .only_wakers_resume = true}, SONDE_HERE);
  task = sonde::Task("another", {}, options);
  const sonde::Task short_one("short");
  const sonde::TaskRef ref = task.ref();
  task.Wake();
  ref.Wake();
  ref.WakeFromOutside();
  const sonde::TaskWaker waker(ref);
  sonde::TaskWaker copy = waker;
  copy = sonde::TaskWaker(sonde::TaskRef());
  copy.Wake();
  {
    const sonde::PollGuard poll = task.Poll();
    sonde::PollGuard other;
    other.Begin(short_one.ref(), sonde::TaskClockNs());
    other.End();
    sonde::PollGuard third;
    third.Begin(sonde::TaskRef());
    third.Adopt(short_one.ref());
    sonde::PollGuard::BeginAdopted();
    static_cast<void>(sonde::PollGuard::IsPolling(sonde::current_task()));
  }
  const bool is_none = !ref || ref.id() == 0 || task.id() == 0 || ref == sonde::TaskRef();
  task.End(sonde::TaskOutcome::kCancelled);
  const sonde::BlockingSection plain("section");
  const sonde::BlockingSection section("section", {{"n", 1}}, SONDE_HERE);
  const int answer = sonde::Blocking("call", [] { return 1; });
  const bool has_clock = sonde::TaskClockNs() != 0;
  static_cast<void>(is_none);
  return has_default_kind && has_clock ? answer : 0;
}

int Resources() {
  sonde::Resource none;
  sonde::Resource queue(sonde::ResourceKind::kOther, "queue", "kind", SONDE_HERE);
  const sonde::Resource mutex(sonde::ResourceKind::kMutex, "mutex");
  const sonde::Resource part(queue, sonde::ResourceKind::kTimer, "part");
  const sonde::Resource placed(queue, sonde::ResourceKind::kSocket, "part", "", SONDE_HERE);
  queue.SetAttribute("depth", 1);
  queue.SetAttribute("size", 1, "bytes");
  sonde::AsyncOp nothing;
  const sonde::AsyncOp wait(queue, "pop");
  const sonde::AsyncOp of_task(queue, "pop", sonde::current_task());
  sonde::AsyncOp by_id(queue.id(), "pop", sonde::current_task());
  by_id.Poll();
  nothing = std::move(by_id);
  none = std::move(queue);
  return 1;
}

asio::awaitable<void> Nothing() { co_return; }

int Spawns() {
  asio::io_context io;
  const std::string name = "spawned";
  sonde::co_spawn(io, "awaitable", Nothing(), asio::detached);
  sonde::co_spawn(io, name, Nothing(), asio::detached);
  sonde::co_spawn(io, std::string_view(name), Nothing(), asio::detached);
  sonde::co_spawn(
      io.get_executor(), {"function", {{"n", 1}}, SONDE_HERE}, [] { return Nothing(); },
      asio::detached);
  const sonde::tracking_executor<asio::io_context::executor_type> tracked(io.get_executor(),
                                                                          sonde::current_task());
  const asio::any_io_executor any(tracked);
  int posted = 0;
  asio::post(tracked, [&] { ++posted; });
  asio::post(any, [&] { ++posted; });
  io.run();
  return posted == 2 && tracked.inner() == io.get_executor() && tracked == tracked ? 1 : 0;
}

int Sessions() {
  sonde::SessionOptions options{.directory = "surface", .sampling = false};
  options.console.console_port = options.console.http_port = 0;
  const sonde::ScopedSession scoped(options);
  sonde::Result<sonde::Session> created = sonde::Session::Create(options);
  if (!created.ok()) return 0;
  sonde::Session session = std::move(created).value();
  static_cast<void>(session.Start());
  static_cast<void>(session.Snapshot());
  static_cast<void>(session.CaptureWall(std::chrono::milliseconds(1)));
  static_cast<void>(session.stats());
  static_cast<void>(session.console());
  static_cast<void>(sonde::Session::SnapshotCurrent());
  const bool has_folder = !session.folder().empty() && !session.options().directory.empty();
  static_cast<void>(session.End());
  return has_folder ? 1 : 0;
}

int Macros() {
  SONDE_SESSION(sonde::SessionOptions{.directory = "surface", .sampling = false});
  SONDE_SNAPSHOT();
  const sonde::ScopedLabel label("key", "value");
  return 1;
}

}  // namespace

int main() {
  const int done = Tasks() + Resources() + Spawns() + Sessions() + Macros();
  std::puts(done == 5 ? "done" : "not done");
  return done == 5 ? 0 : 1;
}
