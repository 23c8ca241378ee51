// Symbolizer: names the functions of an interval, on its way to a Profile.

#include "sampler/symbolizer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <unordered_map>
#include <vector>

#include "sampler/accounting.h"
#include "sampler/symbol_function.h"
#include "sonde/frame_names.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

constexpr std::uint64_t kIntervalsUnused = 10;  // Then a module's symbols are let go.
constexpr std::string_view kSelf = "/proc/self/exe";
constexpr std::string_view kVdso = "[vdso]";

std::int64_t Saturated(std::uint64_t value) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kLargest));
}

std::int64_t CpuTime(std::uint64_t weight, std::int64_t period_ns) {
  std::int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(Saturated(weight), period_ns, &product);
  return overflow ? std::numeric_limits<std::int64_t>::max() : product;
}

std::string ProgramPath() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink(kSelf.data(), path.data(), path.size());
  return length <= 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(length));
}

Result<ElfSymbols> ReadVdso(const ElfOptions& options) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(kVdso)) continue;
    std::uintptr_t start = 0;
    std::uintptr_t limit = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &start, &limit) != 2) break;
    return ElfSymbols::FromImage({reinterpret_cast<const char*>(start), limit - start}, options);
  }
  return Error{.code = ErrorCode::kNotFound, .message = "this process has no vdso"};
}

Result<ElfSymbols> ReadModule(const Module& module) {
  ElfOptions options;
  options.build_id = module.build_id;
  if (module.path == kVdso) return ReadVdso(options);
  Result<ElfSymbols> symbols = ElfSymbols::Open(module.path, options);
  // The program may have been replaced or deleted; the kernel still has the one that runs.
  if (!symbols.ok() && !module.build_id.empty()) {
    Result<ElfSymbols> running = ElfSymbols::Open(std::string(kSelf), options);
    if (running.ok()) return running;
  }
  return symbols;
}

}  // namespace

// Fills the builder from one interval.
class IntervalBuilder {
 public:
  IntervalBuilder(Symbolizer& symbolizer, const Interval& interval)
      : symbolizer_(symbolizer),
        interval_(interval),
        clock_(interval.kind == IntervalKind::kWall ? "wall" : "cpu"),
        modules_(interval.modules.size()),
        builder_({{"samples", "count"}, {clock_, "nanoseconds"}}) {}

  ProfileBuilder Fill() && {
    AddProgramFirst();
    for (const IntervalSample& sample : interval_.samples) Add(sample);
    for (const NamedModule& module : modules_) {
      if (module.id == kNoMapping) continue;
      builder_.mapping(module.id).has_functions = module.named != 0 && module.unnamed == 0;
    }
    builder_.SetDefaultSampleType(1);
    builder_.SetPeriod({clock_, "nanoseconds"}, interval_.period_ns);
    builder_.SetTime(interval_.time_ns);
    builder_.SetDuration(interval_.duration_ns);
    AddAccounts();
    AddProblems();
    return std::move(builder_);
  }

 private:
  struct NamedModule {
    MappingId id = kNoMapping;
    const Symbolizer::Loaded* loaded = nullptr;
    std::uint64_t named = 0;  // Locations.
    std::uint64_t unnamed = 0;
  };

  bool is_wall() const { return interval_.kind == IntervalKind::kWall; }

  // Viewers take the first mapping for the program itself.
  void AddProgramFirst() {
    const std::string program = ProgramPath();
    for (std::uint32_t i = 0; i < interval_.modules.size(); ++i) {
      if (interval_.modules[i].path == program) MappingOf(i);
    }
  }

  NamedModule& MappingOf(std::uint32_t index) {
    NamedModule& named = modules_[index];
    if (named.id != kNoMapping) return named;
    const Module& module = interval_.modules[index];
    const std::string_view path =
        symbolizer_.privacy_.full_paths ? std::string_view(module.path) : BaseName(module.path);
    named.id = builder_.AddMapping({.start = module.start,
                                    .limit = module.limit,
                                    .offset = module.offset,
                                    .file = builder_.Intern(path),
                                    .build_id = builder_.Intern(module.build_id)});
    if (symbolizer_.privacy_.function_names) named.loaded = &symbolizer_.Load(module);
    return named;
  }

  LocationId LocationOf(const RawFrame& frame, bool is_leaf) {
    const std::uint64_t address = is_leaf || frame.address == 0 ? frame.address : frame.address - 1;
    if (frame.module == RawFrame::kNoModule || frame.module >= modules_.size()) {
      return builder_.AddLocation({.address = address, .lines = {}});
    }
    const RawFrame key{address, frame.module};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    NamedModule& module = MappingOf(frame.module);
    const std::uint64_t own_address = address - interval_.modules[frame.module].bias;
    std::optional<ElfSymbol> symbol;
    if (module.loaded != nullptr && module.loaded->symbols) {
      symbol = module.loaded->symbols->Find(own_address);
    }
    Location location{.mapping = module.id, .address = address, .lines = {}};
    Line line;
    if (symbol) {
      line.function = AddSymbol(*symbol, builder_);
      location.lines = std::span(&line, 1);
    }
    ++(symbol ? module.named : module.unnamed);
    return known_.emplace(key, builder_.AddLocation(location)).first->second;
  }

  void Add(const IntervalSample& sample) {
    StackId stack = kEmptyStack;
    if (sample.truncated) {
      const bool has_none = is_wall() && sample.frames.empty();
      stack = builder_.Extend(stack, builder_.FrameNamed(has_none ? "[no stack]" : "[truncated]"));
    }
    for (std::size_t i = sample.frames.size(); i-- > 0;) {
      stack = builder_.Extend(stack, LocationOf(sample.frames[i], i == 0));
    }
    if (is_wall()) {
      builder_.AddSample(stack, LabelsOf(sample),
                         {Saturated(sample.signals), Saturated(sample.weight)}, std::nullopt);
    } else {
      builder_.AddSample(stack, LabelsOf(sample),
                         {Saturated(sample.weight), CpuTime(sample.weight, interval_.period_ns)},
                         std::nullopt);
    }
  }

  LabelSetId LabelsOf(const IntervalSample& sample) {
    std::vector<Label> labels;
    if (sample.thread < interval_.threads.size()) {
      const ThreadName& thread = interval_.threads[sample.thread];
      labels.push_back(builder_.TextLabel("thread", thread.name));
      labels.push_back(builder_.NumberLabel("tid", thread.tid));
    }
    if (sample.task_id != 0) {
      const std::string name =
          symbolizer_.task_name_ ? symbolizer_.task_name_(sample.task_id) : std::string();
      if (!name.empty()) labels.push_back(builder_.TextLabel("task", name));
      labels.push_back(builder_.NumberLabel("task_id", Saturated(sample.task_id)));
    }
    if (sample.label_set < interval_.label_sets.size()) {
      for (const auto& [key, value] : interval_.label_sets[sample.label_set]) {
        labels.push_back(builder_.TextLabel(key, value));
      }
    }
    if (sample.state != ThreadState::kUnknown) {
      const bool is_running = sample.state == ThreadState::kRunning;
      labels.push_back(builder_.TextLabel("state", is_running ? "running" : "waiting"));
    }
    if (sample.catch_all) labels.push_back(builder_.TextLabel("source", "catch-all"));
    return builder_.AddLabels(labels);
  }

  void AddAccounts() {
    if (is_wall()) {
      builder_.SetRecords(interval_.wall.looks);
      AddLosses(interval_.wall, builder_.losses());
      builder_.AddComment(AccountingLine(interval_.wall));
      return;
    }
    builder_.SetRecords(interval_.stats.signals);
    AddLosses(interval_.stats, builder_.losses());
    for (std::string& line : AccountingLines(interval_.stats)) builder_.AddComment(std::move(line));
  }

  void AddProblems() {
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (modules_[i].loaded == nullptr || modules_[i].loaded->problem.empty()) continue;
      const std::string& path = interval_.modules[i].path;
      const std::string_view shown =
          symbolizer_.privacy_.full_paths ? std::string_view(path) : BaseName(path);
      builder_.AddComment("sonde symbols: none for " + std::string(shown) + ": " +
                          modules_[i].loaded->problem);
    }
  }

  struct HashOfFrame {
    std::size_t operator()(const RawFrame& frame) const noexcept {
      return (frame.address + frame.module) * 0x9e3779b97f4a7c15U >> 16;
    }
  };

  Symbolizer& symbolizer_;
  const Interval& interval_;
  const char* const clock_;
  std::vector<NamedModule> modules_;
  std::unordered_map<RawFrame, LocationId, HashOfFrame> known_;  // Callers at their call.
  ProfileBuilder builder_;
};

const Symbolizer::Loaded& Symbolizer::Load(const Module& module) {
  Loaded& loaded = loaded_[{module.path, module.build_id}];
  if (!loaded.symbols && loaded.last_used != intervals_) {  // A failure is tried again next time.
    Result<ElfSymbols> symbols = ReadModule(module);
    if (symbols.ok()) {
      loaded.symbols = std::move(symbols).value();
      loaded.problem.clear();
    } else {
      loaded.problem = symbols.error().message;
    }
  }
  loaded.last_used = intervals_;
  return loaded;
}

void Symbolizer::ForgetUnused() {
  std::erase_if(loaded_, [&](const auto& entry) {
    return entry.second.last_used + kIntervalsUnused < intervals_;
  });
}

ProfileBuilder Symbolizer::Name(const Interval& interval) {
  ++intervals_;
  ProfileBuilder builder = IntervalBuilder(*this, interval).Fill();
  ForgetUnused();
  return builder;
}

}  // namespace sonde
