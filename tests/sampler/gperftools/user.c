/* A program written for gperftools' CPU profiler. */
#include <gperftools/profiler.h>
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) static unsigned work(unsigned seed) {
  for (int i = 0; i < 200000; ++i) seed = seed * 1664525U + 1013904223U;
  return seed;
}

/* From two places: google-pprof takes a caller that all samples share for the profiler's own frame
   and removes it. */
__attribute__((noinline)) static void burn(double seconds) {
  const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  unsigned seed = 1;
  while (clock() < end) {
    seed = work(seed);
    seed += work(seed ^ 1U);
  }
  if (seed == 0) puts("");
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
