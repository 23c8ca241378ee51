// BecomeServingThread: what all threads that serve readers, and not the program, begin with.

#ifndef SONDE_CONSOLE_SERVING_THREAD_H_
#define SONDE_CONSOLE_SERVING_THREAD_H_

namespace sonde {

// The calling thread is called `name`, is not sampled, and gives way to the program's own work
// where they compete for a CPU.
void BecomeServingThread(const char* name);

}  // namespace sonde

#endif  // SONDE_CONSOLE_SERVING_THREAD_H_
