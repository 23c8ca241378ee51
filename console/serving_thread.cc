// BecomeServingThread: what all threads that serve readers, and not the program, begin with.

#include "console/serving_thread.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

#include "sonde/sampler.h"

namespace sonde {

void BecomeServingThread(const char* name) {
  ::pthread_setname_np(::pthread_self(), name);
  ExcludeCurrentThread();
  // On Linux a priority belongs to a thread. Failing is no harm.
  constexpr int kGivesWay = 5;
  constexpr int kLeast = 19;
  static_cast<void>(
      ::setpriority(PRIO_PROCESS, 0, std::min(::getpriority(PRIO_PROCESS, 0) + kGivesWay, kLeast)));
}

}  // namespace sonde
