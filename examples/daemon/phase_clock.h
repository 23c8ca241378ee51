// PhaseClock: how much CPU time each phase of the work took, by the kernel's thread clocks.

#ifndef SONDE_EXAMPLES_DAEMON_PHASE_CLOCK_H_
#define SONDE_EXAMPLES_DAEMON_PHASE_CLOCK_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <string_view>

namespace ingest {

enum class Phase : std::uint8_t { kMake, kParse, kCompress, kHash, kIndex, kScore };

struct PhaseName {
  std::string_view phase;
  std::string_view function;  // Where all of its time is spent: what a profile shows.
};

inline constexpr std::array<PhaseName, 6> kPhases = {{{"make", "ingest::MakeBatch"},
                                                      {"parse", "ingest::ParseBatch"},
                                                      {"compress", "ingest::CompressBatch"},
                                                      {"hash", "ingest::HashBatch"},
                                                      {"index", "ingest::UpdateIndex"},
                                                      {"score", "ScoreBatch"}}};

inline std::int64_t CpuNanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Any thread.
class PhaseClock {
 public:
  // Adds the CPU time of the calling thread between construction and destruction.
  class Scope {
   public:
    Scope(PhaseClock& clock, Phase phase)
        : sum_(clock.sums_[static_cast<std::size_t>(phase)]),
          start_(CpuNanoseconds(CLOCK_THREAD_CPUTIME_ID)) {}
    ~Scope() { sum_.fetch_add(CpuNanoseconds(CLOCK_THREAD_CPUTIME_ID) - start_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::atomic<std::int64_t>& sum_;
    std::int64_t start_;
  };

  std::int64_t nanoseconds(std::size_t phase) const { return sums_[phase].load(); }

 private:
  std::array<std::atomic<std::int64_t>, kPhases.size()> sums_{};
};

}  // namespace ingest

#endif  // SONDE_EXAMPLES_DAEMON_PHASE_CLOCK_H_
