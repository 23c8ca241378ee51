// Workload: code that an unwinder has a hard time with, run one instruction at a time.

#ifndef SONDE_TESTS_TORTURE_STEP_WORKLOAD_H_
#define SONDE_TESTS_TORTURE_STEP_WORKLOAD_H_

namespace sonde::step {

// Raises SIGTRAP after every instruction from here on.
inline void TraceOn() { asm volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc"); }
inline void TraceOff() { asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc"); }

// Recursion through virtual calls, exceptions, formatted output, the vdso, realigned and variable
// frames, longjmp, a fiber, plugins loaded and unloaded. `plugins` is their folder.
long RunHostile(const char* plugins);
// The same calls, output and exceptions at the end of stacks of more than 200 frames.
long RunDeep();
// Regular expressions, streams, file system, zlib, sorting, std::function, dates.
long RunLibraries();
// Handlers on alternate stacks, code made at run time, calls through bad pointers.
long RunOddities();

}  // namespace sonde::step

#endif  // SONDE_TESTS_TORTURE_STEP_WORKLOAD_H_
