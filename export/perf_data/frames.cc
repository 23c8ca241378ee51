// Frames: turns the addresses of a call chain into locations and stacks of a profile.

#include "export/perf_data/frames.h"

#include <algorithm>
#include <string>

#include "export/symbols/demangle.h"

namespace sonde::perf_data {
namespace {

constexpr std::size_t kMostWords = std::size_t{32} << 20;
constexpr std::size_t kMostPlaces = std::size_t{4} << 20;

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

void Frames::ForgetIfTooMuch() {
  if (words_.size() > kMostWords) {
    words_.clear();
    chains_.clear();
    chain_index_ = {};
  }
  if (places_.size() > kMostPlaces) {
    places_.clear();
    place_index_ = {};
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
  stack_.clear();
  CpuMode mode = CpuMode::kUnknown;
  for (const std::uint64_t word : chain) {
    if (word == kTruncated) {
      stack_.push_back(builder_.FrameNamed("[truncated]"));
    } else if (word >= kFirstContext) {
      mode = ModeOfContext(word);
    } else {
      stack_.push_back(LocationOf(process, mode, word));
    }
  }
  std::ranges::reverse(stack_);
  const StackId stack = builder_.AddStack(stack_);
  chain_index_.Add(hash, static_cast<std::uint32_t>(chains_.size()));
  chains_.push_back({words_.size(), static_cast<std::uint32_t>(chain.size()), stack,
                     process.version, kernel_version});
  words_.insert(words_.end(), chain.begin(), chain.end());
  return stack;
}

LocationId Frames::LocationOf(const Process& process, CpuMode mode, std::uint64_t address) {
  const std::uint64_t version =
      mode == CpuMode::kKernel ? machine_.kernel_version() : process.version;
  const std::uint64_t hash = MixHash(address, MixHash(version, static_cast<std::uint64_t>(mode)));
  const std::uint32_t known = place_index_.Find(hash, [&](std::uint32_t number) {
    const Place& place = places_[number];
    return place.address == address && place.version == version && place.mode == mode;
  });
  if (known != HashIndex::kNone) return places_[known].location;
  const LocationId location = MakeLocation(process, mode, address);
  place_index_.Add(hash, static_cast<std::uint32_t>(places_.size()));
  places_.push_back({version, address, mode, location});
  return location;
}

LocationId Frames::MakeLocation(const Process& process, CpuMode mode, std::uint64_t address) {
  const Map* map = nullptr;
  Map elsewhere;
  switch (mode) {
    case CpuMode::kUser:
      map = process.space.Find(address);
      break;
    case CpuMode::kKernel:
      map = machine_.kernel().Find(address);
      if (map == nullptr) {
        elsewhere.module = modules_.Intern("[kernel.kallsyms]", {}, ModuleKind::kKernel);
        map = &elsewhere;
      }
      break;
    case CpuMode::kHypervisor:
      elsewhere.module = modules_.Intern("[hypervisor]", {}, ModuleKind::kOther);
      map = &elsewhere;
      break;
    case CpuMode::kGuestKernel:
    case CpuMode::kGuestUser:
      elsewhere.module =
          modules_.Intern(mode == CpuMode::kGuestUser ? "[guest]" : "[guest.kernel.kallsyms]", {},
                          ModuleKind::kOther);
      map = &elsewhere;
      break;
    default:
      break;
  }
  if (map == nullptr) return builder_.AddLocation({.address = address, .lines = {}});

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
  return builder_.AddLocation({.mapping = mapping, .address = address, .lines = lines});
}

MappingId Frames::MappingOf(const Map& map) {
  const Module& module = modules_[map.module];
  const Mapping wanted{.start = map.start,
                       .limit = map.limit,
                       .offset = map.offset,
                       .file = builder_.Intern(module.name),
                       .build_id = builder_.Intern(module.build_id)};
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
    const std::string_view linkage = is_physical ? symbol : frame.linkage_name;
    const std::string name = is_physical ? symbols::ShownName(symbol, NameStyle::kTemplates)
                                         : symbols::DemangleWithoutArguments(linkage);
    const FunctionId function =
        builder_.AddFunction({.name = builder_.Intern(name.empty() ? frame.function : name),
                              .system_name = builder_.Intern(linkage == name ? "" : linkage),
                              .file = builder_.Intern(frame.file),
                              .start_line = frame.start_line});
    into.push_back({function, frame.line, frame.column});
  }
  if (into.empty()) return;
  Mapping& module = builder_.mapping(mapping);
  module.has_filenames = module.has_line_numbers = module.has_inline_frames = true;
}

}  // namespace sonde::perf_data
