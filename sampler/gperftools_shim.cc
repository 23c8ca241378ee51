// gperftools' C interface to its CPU profiler, over our sampler: libsonde-gperftools.so.
// Signatures: https://github.com/gperftools/gperftools/blob/master/src/gperftools/profiler.h

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sampler/gperftools_profile.h"
#include "sampler/interval.h"
#include "sampler/symbolizer.h"
#include "sonde/byte_sink.h"
#include "sonde/combine.h"
#include "sonde/pprof.h"
#include "sonde/sampler.h"
#include "sonde/thread_context.h"

// What a program compiled against gperftools expects; declared here, so that nobody needs its
// headers.
extern "C" {

struct ProfilerOptions;

struct ProfilerState {
  int enabled;
  time_t start_time;
  char profile_name[1024];
  int samples_gathered;
};

#define SONDE_SHIM __attribute__((visibility("default")))
SONDE_SHIM int ProfilerStart(const char* file_name);
SONDE_SHIM int ProfilerStartWithOptions(const char* file_name, const ProfilerOptions* options);
SONDE_SHIM void ProfilerStop();
SONDE_SHIM void ProfilerFlush();
SONDE_SHIM void ProfilerEnable();
SONDE_SHIM void ProfilerDisable();
SONDE_SHIM int ProfilingIsEnabledForAllThreads();
SONDE_SHIM void ProfilerRegisterThread();
SONDE_SHIM void ProfilerGetCurrentState(ProfilerState* state);
}

namespace {

using namespace sonde;

constexpr int kDefaultHz = 100;
constexpr int kMostHz = 4'000;

// One profile from ProfilerStart to ProfilerStop.
class Recording {
 public:
  Recording(std::unique_ptr<Sampler> sampler, std::string file)
      : sampler_(std::move(sampler)),
        file_(std::move(file)),
        is_pprof_(file_.ends_with(".pb.gz")),
        start_(std::time(nullptr)) {}

  void Flush() { Take(sampler_->TakeInterval()); }
  void Stop() { Take(sampler_->Stop()); }

  const std::string& file() const noexcept { return file_; }
  time_t start() const noexcept { return start_; }
  std::uint64_t samples() const { return sampler_->stats().written; }

 private:
  void Take(const Interval& interval) {
    auto sink = FileSink::Open(file_);
    if (!sink.ok()) return;  // gperftools' interface has no way to say so.
    if (!is_pprof_) {
      sum_.Add(interval);
      static_cast<void>(sum_.Write(*sink.value()));
      return;
    }
    Profile profile = symbolizer_.Name(interval).Build();
    if (profile_) {
      const std::vector<const Profile*> parts = {&*profile_, &profile};
      Result<Profile> merged = Merge(parts);
      if (!merged.ok()) return;
      profile = std::move(merged).value();
    }
    profile_ = std::move(profile);
    GzipSink gzip(*sink.value());
    if (WritePprof(*profile_, gzip).ok()) static_cast<void>(gzip.Close());
  }

  std::unique_ptr<Sampler> sampler_;
  const std::string file_;
  const bool is_pprof_;
  const time_t start_;
  GperftoolsProfile sum_;
  Symbolizer symbolizer_;
  std::optional<Profile> profile_;
};

struct Shim {
  std::mutex mutex;
  std::unique_ptr<Recording> recording;

  static Shim& Get() {
    static Shim* const shim = new Shim;  // Programs call in while they exit.
    return *shim;
  }
};

int RequestedHz() {
  const char* const text = std::getenv("CPUPROFILE_FREQUENCY");
  const int hz = text == nullptr ? 0 : std::atoi(text);  // NOLINT(cert-err34-c): 0 is the default.
  return hz <= 0 ? kDefaultHz : std::min(hz, kMostHz);
}

// With CPUPROFILE in the environment a program is profiled from start to end.
struct WholeProgram {
  WholeProgram() {
    const char* const file = std::getenv("CPUPROFILE");
    if (file != nullptr && *file != '\0') ProfilerStart(file);
  }
  ~WholeProgram() { ProfilerStop(); }
};
const WholeProgram whole_program;

}  // namespace

int ProfilerStart(const char* file_name) { return ProfilerStartWithOptions(file_name, nullptr); }

int ProfilerStartWithOptions(const char* file_name, const ProfilerOptions*) {
  Shim& shim = Shim::Get();
  const std::lock_guard lock(shim.mutex);
  if (shim.recording != nullptr || file_name == nullptr) return 0;
  SamplerOptions options;
  options.hz = RequestedHz();
  Result<std::unique_ptr<Sampler>> sampler = Sampler::Start(options);
  if (!sampler.ok()) return 0;
  shim.recording = std::make_unique<Recording>(std::move(sampler).value(), file_name);
  return 1;
}

void ProfilerStop() {
  Shim& shim = Shim::Get();
  const std::lock_guard lock(shim.mutex);
  if (shim.recording == nullptr) return;
  shim.recording->Stop();
  shim.recording.reset();
}

void ProfilerFlush() {
  Shim& shim = Shim::Get();
  const std::lock_guard lock(shim.mutex);
  if (shim.recording != nullptr) shim.recording->Flush();
}

void ProfilerEnable() {}

void ProfilerDisable() {}

int ProfilingIsEnabledForAllThreads() {
  Shim& shim = Shim::Get();
  const std::lock_guard lock(shim.mutex);
  return shim.recording != nullptr ? 1 : 0;
}

void ProfilerRegisterThread() { RegisterCurrentThread(); }

void ProfilerGetCurrentState(ProfilerState* state) {
  Shim& shim = Shim::Get();
  const std::lock_guard lock(shim.mutex);
  *state = ProfilerState{};
  if (shim.recording == nullptr) return;
  state->enabled = 1;
  state->start_time = shim.recording->start();
  const std::string_view file = shim.recording->file();
  file.copy(state->profile_name, sizeof(state->profile_name) - 1);
  constexpr std::uint64_t kMost = 0x7fff'ffff;
  state->samples_gathered = static_cast<int>(std::min(shim.recording->samples(), kMost));
}
