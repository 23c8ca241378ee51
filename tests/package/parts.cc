// A program that links a part of sonde besides the session.

#include <cstdio>

#include "sonde/session.h"

int main() {
  sonde::SessionOptions options{.directory = "parts"};
  options.console.console_port = options.console.http_port = 0;
#ifdef WITH_HEAP
  options.heap = &sonde::ReadTcmallocHeap;
#endif
#ifdef WITH_PUSH
  options.pusher = &sonde::MakeHttpPusher;
#endif
  SONDE_SESSION(options);
  std::puts("done");
  return 0;
}
