// A scoring rule that the daemon loads at run time.

#include <cmath>
#include <cstddef>
#include <cstdint>

// How unusual the latencies of a batch are.
extern "C" double ScoreBatch(const std::uint32_t* micros, std::size_t count) {
  double score = 0;
  for (int pass = 0; pass < 8; ++pass) {
    for (std::size_t i = 0; i < count; ++i) {
      score += std::log1p(static_cast<double>(micros[i])) * std::exp(-score * 1e-6);
    }
  }
  return score;
}
