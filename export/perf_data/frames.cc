// Frames: turns the addresses of a call chain into locations and stacks of a profile.

#include "export/perf_data/frames.h"

#include <algorithm>
#include <string>

#include "export/symbols/demangle.h"
#include "export/symbols/source_function.h"

namespace sonde::perf_data {
namespace {

constexpr std::size_t kMostWords = std::size_t{32} << 20;
constexpr std::size_t kPlaces = std::size_t{1} << 16;
constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63;  // The kernel's addresses.

}  // namespace

CpuMode ModeOfContext(std::uint64_t context) noexcept {
  switch (context) {
    case kContextHypervisor:
      return CpuMode::kHypervisor;
    case kContextKernel:
      return CpuMode::kKernel;
    case kContextUser:
      return CpuMode::kUser;
    case kContextGuest:
    case kContextGuestKernel:
      return CpuMode::kGuestKernel;
    case kContextGuestUser:
      return CpuMode::kGuestUser;
    default:
      return CpuMode::kUnknown;
  }
}

Frames::Frames(ProfileBuilder& builder, Machine& machine, Modules& modules,
               const ReadOptions& options)
    : builder_(builder),
      machine_(machine),
      modules_(modules),
      options_(options),
      places_(kPlaces) {}

void Frames::ForgetIfTooMuch() {
  if (words_.size() > kMostWords) {
    words_.clear();
    chains_.clear();
    chain_index_ = {};
  }
}

StackId Frames::StackOf(const Process& process, std::span<const std::uint64_t> chain) {
  const std::uint64_t kernel_version = machine_.kernel_version();
  const std::uint64_t hash =
      MixHash(HashBytes({reinterpret_cast<const char*>(chain.data()), chain.size_bytes()}),
              MixHash(process.version, kernel_version));
  const std::uint32_t known = chain_index_.Find(hash, [&](std::uint32_t number) {
    const Chain& candidate = chains_[number];
    return candidate.version == process.version && candidate.kernel_version == kernel_version &&
           std::ranges::equal(std::span(words_).subspan(candidate.first, candidate.size), chain);
  });
  if (known != HashIndex::kNone) return chains_[known].stack;

  ForgetIfTooMuch();
  const StackId stack = AddChain(process, chain);
  chain_index_.Add(hash, static_cast<std::uint32_t>(chains_.size()));
  chains_.push_back({words_.size(), static_cast<std::uint32_t>(chain.size()), stack,
                     process.version, kernel_version});
  words_.insert(words_.end(), chain.begin(), chain.end());
  return stack;
}

StackId Frames::AddChain(const Process& process, std::span<const std::uint64_t> chain) {
  steps_.clear();
  CpuMode mode = CpuMode::kUnknown;
  for (const std::uint64_t word : chain) {
    if (word == kTruncated) {
      steps_.push_back({word, CpuMode::kUnknown});
    } else if (word >= kFirstContext) {
      mode = ModeOfContext(word);
    } else {
      steps_.push_back({word, mode});
    }
  }

  std::size_t shared = 0;
  if (path_version_ == process.version && path_kernel_version_ == machine_.kernel_version()) {
    const auto ends =
        std::mismatch(path_.begin(), path_.end(), steps_.rbegin(), steps_.rend(),
                      [](const Step& a, const Step& b) { return a.IsSameFrameAs(b); });
    shared = static_cast<std::size_t>(ends.first - path_.begin());
  }
  path_.resize(shared);
  path_version_ = process.version;
  path_kernel_version_ = machine_.kernel_version();

  locations_.clear();
  for (std::size_t i = 0; i < steps_.size() - shared; ++i) {
    const Step& step = steps_[i];
    locations_.push_back(step.address == kTruncated ? builder_.FrameNamed("[truncated]")
                                                    : LocationOf(process, step.mode, step.address));
  }
  StackId stack = shared == 0 ? kEmptyStack : path_.back().stack;
  for (std::size_t i = locations_.size(); i-- > 0;) {
    stack = builder_.Extend(stack, locations_[i]);
    path_.push_back({steps_[i].address, steps_[i].mode, stack});
  }
  return stack;
}

template <typename Make>
LocationId Frames::Remembered(const PlaceKey& key, Make&& make) {
  const std::uint64_t hash =
      MixHash(key.at, MixHash(key.space, static_cast<std::uint64_t>(key.mode)));
  std::optional<Place>& place = places_[hash & (places_.size() - 1)];
  if (!place.has_value() || place->key != key) place = {key, make()};
  return place->location;
}

LocationId Frames::LocationOf(const Process& process, CpuMode mode, std::uint64_t address) {
  if (mode == CpuMode::kKernel || options_.keep_addresses) {
    const std::uint64_t version =
        mode == CpuMode::kKernel ? machine_.kernel_version() : process.version;
    return Remembered({version, address, mode},
                      [&] { return MakeLocation(MapAt(process, mode, address), address); });
  }
  // The same code of another process is elsewhere in memory, but not in its file.
  const Map* const map = MapAt(process, mode, address);
  if (map == nullptr || modules_[map->module].kind == ModuleKind::kJit) {
    return MakeLocation(map, address);
  }
  return Remembered({std::uint64_t{static_cast<std::uint32_t>(map->module)},
                     address - map->start + map->offset, mode},
                    [&] { return MakeLocation(map, address); });
}

const Map* Frames::MapAt(const Process& process, CpuMode mode, std::uint64_t address) {
  const auto named = [&](std::string_view name, ModuleKind kind) {
    elsewhere_ = {};
    elsewhere_.module = modules_.Intern(name, {}, kind);
    return &elsewhere_;
  };
  switch (mode) {
    case CpuMode::kUser:
      return process.space.Find(address);
    case CpuMode::kKernel: {
      const Map* const map = machine_.kernel().Find(address);
      return map != nullptr ? map : named("[kernel.kallsyms]", ModuleKind::kKernel);
    }
    case CpuMode::kHypervisor:
      return named("[hypervisor]", ModuleKind::kOther);
    case CpuMode::kGuestKernel:
      return named("[guest.kernel.kallsyms]", ModuleKind::kOther);
    case CpuMode::kGuestUser:
      return named("[guest]", ModuleKind::kOther);
    default:
      return nullptr;
  }
}

LocationId Frames::MakeLocation(const Map* map, std::uint64_t address) {
  const std::uint64_t kept = options_.keep_addresses ? address : address & kUpperHalf;
  if (map == nullptr) return builder_.AddLocation({.address = kept, .lines = {}});

  const MappingId mapping = MappingOf(*map);
  std::vector<Line> lines;
  if (options_.symbolize) {
    const std::string_view symbol = modules_.NameAt(*map, address);
    if (options_.source_lines) {
      AddSourceLines(modules_.LinesAt(*map, address), symbol, mapping, lines);
    }
    if (lines.empty() && !symbol.empty()) lines.push_back({FunctionNamed(symbol), 0, 0});
    if (!lines.empty()) builder_.mapping(mapping).has_functions = true;
  }
  return builder_.AddLocation({.mapping = mapping, .address = kept, .lines = lines});
}

MappingId Frames::MappingOf(const Map& map) {
  const Module& module = modules_[map.module];
  Mapping wanted{.file = builder_.Intern(module.name),
                 .build_id = builder_.Intern(module.build_id)};
  if (options_.keep_addresses) {
    wanted.start = map.start;
    wanted.limit = map.limit;
    wanted.offset = map.offset;
  }
  return builder_.AddMapping(wanted);
}

FunctionId Frames::FunctionNamed(std::string_view symbol) {
  const auto [known, is_new] = functions_.try_emplace(symbol.data());
  if (is_new) {
    const std::string name = symbols::ShownName(symbol, NameStyle::kTemplates);
    Function function{.name = builder_.Intern(name)};
    if (name != symbol) function.system_name = builder_.Intern(symbol);
    known->second = builder_.AddFunction(function);
  }
  return known->second;
}

void Frames::AddSourceLines(std::span<const SourceFrame> frames, std::string_view symbol,
                            MappingId mapping, std::vector<Line>& into) {
  for (const SourceFrame& frame : frames) {
    if (frame.function.empty()) {
      into.clear();
      return;
    }
    // The physical frame is called as it would be without source lines.
    const bool is_physical = &frame == &frames.back() && !symbol.empty();
    const FunctionId function =
        symbols::AddFunctionOf(frame, is_physical ? symbol : frame.linkage_name, builder_);
    into.push_back({function, frame.line, frame.column});
  }
  if (into.empty()) return;
  Mapping& module = builder_.mapping(mapping);
  module.has_filenames = module.has_line_numbers = module.has_inline_frames = true;
}

}  // namespace sonde::perf_data
