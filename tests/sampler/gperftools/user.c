/* A program written for gperftools' CPU profiler. */
#include <gperftools/profiler.h>
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) static void burn(double seconds) {
  const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  while (clock() < end) {
  }
}

int main(int argc, char** argv) {
  struct ProfilerState state;
  if (argc != 2 || !ProfilerStart(argv[1])) return 1;
  if (ProfilerStart("another")) return 2;
  burn(0.3);
  ProfilerFlush();
  burn(0.3);
  ProfilerGetCurrentState(&state);
  if (!state.enabled || state.samples_gathered < 10) return 3;
  ProfilerStop();
  ProfilerGetCurrentState(&state);
  return state.enabled ? 4 : 0;
}
