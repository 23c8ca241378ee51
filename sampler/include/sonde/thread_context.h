// What the calling thread is working on, as its samples will say.

#ifndef SONDE_THREAD_CONTEXT_H_
#define SONDE_THREAD_CONTEXT_H_

#include <cstdint>

namespace sonde {

// Samples of the calling thread belong to `task_id` (0 = to no task) from now on. Returns
// the task that they belonged to. A few nanoseconds, whether or not a Sampler runs. Any thread.
// Not async-signal-safe.
std::uint64_t ExchangeCurrentTask(std::uint64_t task_id) noexcept;

// Gives the calling thread its timer at once instead of when the Sampler finds it, within
// 100 ms. Does nothing for a thread that has one. Any thread. Not async-signal-safe.
void RegisterCurrentThread() noexcept;

}  // namespace sonde

#endif  // SONDE_THREAD_CONTEXT_H_
