// A program with and without the lines that profile it.

#ifndef WITHOUT_SONDE
#include "sonde/label.h"
#include "sonde/resource.h"
#include "sonde/session.h"
#include "sonde/task.h"
#endif

#include <cstdio>

namespace {

volatile unsigned sink = 0;

void Work(int argc) {
#ifndef WITHOUT_SONDE
  const sonde::ScopedLabel label("phase", "work");
  const sonde::Task task("work", {{"argc", argc}}, {.kind = "loop"}, SONDE_HERE);
  const sonde::Resource queue(sonde::ResourceKind::kOther, "queue", "jobs", SONDE_HERE);
  const sonde::AsyncOp wait(queue, "pop", task.ref());
  const sonde::BlockingSection section("waits", {}, SONDE_HERE);
  task.Wake();
  const sonde::PollGuard poll = task.Poll();
#endif
  for (unsigned i = 0; i < 100'000'000U * static_cast<unsigned>(argc); ++i) sink = sink + i;
}

}  // namespace

int main(int argc, char**) {
#ifndef WITHOUT_SONDE
  SONDE_SESSION(sonde::SessionOptions{.directory = "session"});
#endif
  Work(argc);
#ifndef WITHOUT_SONDE
  SONDE_SNAPSHOT();
#endif
  std::puts("done");
  return 0;
}
