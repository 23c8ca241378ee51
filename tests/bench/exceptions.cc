// exceptions [PAIRS]: what a sampler costs the exceptions of its host. Throws through 20 frames
// with and without one, in turn, for either unwinder. Exits 0 when libgcc still raises them and the
// median of the ratios is 1 within 3 %; 77 when libunwind is not here.

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sampler/interval.h"
#include "sonde/sampler.h"
#include "tests/sampler/signal/spin.h"

namespace sonde {
namespace {

constexpr int kFrames = 20;
constexpr int kThrows = 2000;

[[gnu::noinline]] void Throw(int depth) {
  const std::string text(static_cast<std::size_t>(depth), 'x');  // Something to destroy on the way.
  asm volatile("" : : "r"(text.data()) : "memory");
  if (depth == 0) throw depth;
  Throw(depth - 1);
  asm volatile("" : : "r"(text.data()) : "memory");
}

// Nanoseconds of CPU time for one.
double Measure() {
  const auto start = ThreadCpu();
  for (int i = 0; i < kThrows; ++i) {
    try {
      Throw(kFrames);
    } catch (int) {
    }
  }
  return static_cast<double>((ThreadCpu() - start).count()) / kThrows;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool RaisedByLibgcc() {
  Dl_info raise{};
  return dladdr(dlsym(RTLD_DEFAULT, "_Unwind_RaiseException"), &raise) != 0 &&
         std::string(raise.dli_fname).find("libgcc_s") != std::string::npos;
}

bool Compare(const char* name, Unwinder unwinder, int pairs) {
  std::vector<double> ratios;
  std::vector<double> without_ns;
  bool by_libgcc = true;
  Measure();
  for (int pair = 0; pair < pairs; ++pair) {
    double ns[2];
    for (int half = 0; half < 2; ++half) {
      const int on = half ^ (pair & 1);
      std::unique_ptr<Sampler> sampler;
      if (on != 0) {
        auto started = Sampler::Start({.hz = 1, .unwinder = unwinder});
        if (!started.ok()) {
          std::printf("exceptions: %s\n", Describe(started.error()).c_str());
          std::exit(started.error().code == ErrorCode::kUnsupported ? 77 : 1);
        }
        sampler = std::move(started).value();
        by_libgcc &= RaisedByLibgcc();
      }
      ns[on] = Measure();
    }
    ratios.push_back(ns[1] / ns[0]);
    without_ns.push_back(ns[0]);
  }
  const double ratio = Median(ratios);
  std::printf(
      "exceptions: %s: %.3f of the time without a sampler (0.97 to 1.03), %.1f us each, raised by "
      "%s\n",
      name, ratio, Median(without_ns) / 1000, by_libgcc ? "libgcc" : "another library");
  return by_libgcc && ratio >= 0.97 && ratio <= 1.03;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 100;
  const bool tables = sonde::Compare("tables", sonde::Unwinder::kTables, pairs);
  const bool deferred = sonde::Compare("deferred", sonde::Unwinder::kDeferred, pairs);
  return tables && deferred ? 0 : 1;
}
