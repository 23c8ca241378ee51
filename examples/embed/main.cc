// The least that it takes: one line profiles main() and writes
// run/profiling/daemon-profile-*.pb.gz.

#include <cstdio>
#include <cstdlib>

#include "sonde/session.h"

namespace {

bool IsPrime(unsigned number) {
  for (unsigned divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

}  // namespace

int main(int argc, char** argv) {
  SONDE_SESSION(sonde::SessionOptions{.directory = "run"});

  const unsigned limit = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 3'000'000;
  unsigned count = 0;
  for (unsigned number = 0; number < limit; ++number) count += IsPrime(number) ? 1 : 0;
  std::printf("%u primes below %u\n", count, limit);
}
