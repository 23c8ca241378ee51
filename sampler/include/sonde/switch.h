// SONDE_ENABLED: 1 compiles the profiler in, anything else compiles it out.

#ifndef SONDE_SWITCH_H_
#define SONDE_SWITCH_H_

// Keeps its arguments when profiling is compiled in and drops them otherwise,
// so that each public macro is written once. Dropped arguments are not evaluated.
#if defined(SONDE_ENABLED) && SONDE_ENABLED
#define SONDE_DETAIL_WHEN_ENABLED(...) __VA_ARGS__
#else
#define SONDE_DETAIL_WHEN_ENABLED(...) static_cast<void>(0)
#endif

#endif  // SONDE_SWITCH_H_
