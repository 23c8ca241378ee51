// What the kernel says of a thread of this process in /proc.

#ifndef SONDE_SAMPLER_THREAD_STATUS_H_
#define SONDE_SAMPLER_THREAD_STATUS_H_

#include <cstdint>
#include <string>

#include "sampler/raw_sample.h"

namespace sonde {

// All may be called by any thread. Not async-signal-safe.

// Empty when the thread is gone.
std::string NameOfThread(std::int32_t tid);

// kUnknown when the thread is gone.
ThreadState StateOfThread(std::int32_t tid);

// False when the thread is gone.
bool BlocksSigprof(std::int32_t tid);

}  // namespace sonde

#endif  // SONDE_SAMPLER_THREAD_STATUS_H_
