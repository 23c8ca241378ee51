// RawSyscall: a system call that leaves errno, and so the thread's own storage, alone.

#ifndef SONDE_SAMPLER_RAW_SYSCALL_H_
#define SONDE_SAMPLER_RAW_SYSCALL_H_

#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "the sampler knows the registers and the unwind tables of x86-64 alone"
#endif

namespace sonde {

// The result, or -errno. Async-signal-safe.
inline long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) noexcept {
  long result;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace sonde

#endif  // SONDE_SAMPLER_RAW_SYSCALL_H_
