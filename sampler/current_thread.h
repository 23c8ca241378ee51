// CurrentContext: the calling thread's ThreadContext, without a look-up.

#ifndef SONDE_SAMPLER_CURRENT_THREAD_H_
#define SONDE_SAMPLER_CURRENT_THREAD_H_

#include "sampler/thread_slot.h"

namespace sonde {

// Gives the thread a slot the first time. A thread that cannot have one, or has ended
// already, gets a context that no sample shows. Any thread. Not async-signal-safe.
ThreadContext& CurrentContext() noexcept;

// In a forked child: the slot of the calling thread is another one's now.
void ForgetCurrentThread() noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_CURRENT_THREAD_H_
