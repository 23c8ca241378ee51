// A program whose coroutines are spawned by sonde, or by Asio itself.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>

#ifndef WITHOUT_SONDE
#include "sonde/asio.h"
#endif
#if defined(IS_TRACKED) && \
    !(defined(SONDE_ASIO_TRACKING) && defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING))
#error "the definitions of asio_tracking did not arrive"
#endif

namespace asio = boost::asio;

namespace {

volatile int sink = 0;

asio::awaitable<void> Yield(int times) {
  for (int i = 0; i < times; ++i) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    sink = sink + i;
  }
}

}  // namespace

int main(int argc, char**) {
  asio::io_context io;
#ifndef WITHOUT_SONDE
  sonde::co_spawn(io, "yields", Yield(argc), asio::detached);
  sonde::co_spawn(
      io.get_executor(), {"is called", {{"times", argc}}}, [argc] { return Yield(argc); },
      asio::detached);
#else
  asio::co_spawn(io, Yield(argc), asio::detached);
  asio::co_spawn(
      io.get_executor(), [argc] { return Yield(argc); }, asio::detached);
#endif
  io.run();
  std::puts("done");
  return sink == 0 ? 0 : 1;
}
