// Frames: turns the addresses of a call chain into locations and stacks of a profile.

#ifndef SONDE_EXPORT_PERF_DATA_FRAMES_H_
#define SONDE_EXPORT_PERF_DATA_FRAMES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "export/perf_data/abi.h"
#include "export/perf_data/machine.h"
#include "export/perf_data/modules.h"
#include "sonde/formats.h"
#include "sonde/hash_index.h"
#include "sonde/profile_builder.h"

namespace sonde::perf_data {

// In a chain, in place of an address: the stack goes on but could not be followed.
inline constexpr std::uint64_t kTruncated = static_cast<std::uint64_t>(-4000);

// The mode that a context value of a call chain switches to.
CpuMode ModeOfContext(std::uint64_t context) noexcept;

// A chain that was seen before, in the same process with the same maps, costs one
// lookup; of another, the callers that it shares with the one before are not looked up.
// What is remembered is bounded, and forgotten when it is too much.
// Not thread-safe.
class Frames {
 public:
  // All outlive the object.
  Frames(ProfileBuilder& builder, Machine& machine, Modules& modules, const ReadOptions& options);

  // `chain` holds the innermost frame first: context values, and addresses as they
  // are to be looked up (the pc, or the address of the call).
  StackId StackOf(const Process& process, std::span<const std::uint64_t> chain);
  // The map's own mapping in the builder.
  MappingId MappingOf(const Map& map);

 private:
  struct Chain {
    std::size_t first;  // In words_.
    std::uint32_t size;
    StackId stack;
    std::uint64_t version;
    std::uint64_t kernel_version;
  };
  // A frame of a chain; kTruncated in place of an address.
  struct Step {
    std::uint64_t address;
    CpuMode mode;
    StackId stack{};  // That ends in it.

    bool IsSameFrameAs(const Step& other) const noexcept {
      return address == other.address && mode == other.mode;
    }
  };
  // What a location depends on: where addresses are kept the version of the process and the
  // address, else the module and the offset in it; in the kernel its version and the address.
  struct PlaceKey {
    std::uint64_t space = 0;
    std::uint64_t at = 0;
    CpuMode mode = CpuMode::kUnknown;

    friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
  };
  struct Place {
    PlaceKey key;
    LocationId location;
  };

  // Takes a chain apart that is not known.
  StackId AddChain(const Process& process, std::span<const std::uint64_t> chain);
  LocationId LocationOf(const Process& process, CpuMode mode, std::uint64_t address);
  // The location of equal keys, made by `make` when it is not remembered.
  template <typename Make>
  LocationId Remembered(const PlaceKey& key, Make&& make);
  // Null when nothing was mapped there.
  const Map* MapAt(const Process& process, CpuMode mode, std::uint64_t address);
  LocationId MakeLocation(const Map* map, std::uint64_t address);
  FunctionId FunctionNamed(std::string_view symbol);
  // `symbol` is the physical function's name in the symbol table; empty when not known.
  void AddSourceLines(std::span<const SourceFrame> frames, std::string_view symbol,
                      MappingId mapping, std::vector<Line>& into);
  void ForgetIfTooMuch();

  ProfileBuilder& builder_;
  Machine& machine_;
  Modules& modules_;
  const ReadOptions& options_;
  std::vector<std::uint64_t> words_;
  std::vector<Chain> chains_;
  HashIndex chain_index_;
  std::vector<std::optional<Place>> places_;  // By hash: those that were asked for last.
  Map elsewhere_;                             // What MapAt found outside of all maps.
  std::unordered_map<const char*, FunctionId> functions_;  // By the symbol's text.
  std::vector<Step> steps_;                                // Of the chain at hand, leaf first.
  std::vector<LocationId> locations_;                      // Of those that are new, leaf first.
  std::vector<Step> path_;                                 // Of the chain before, root first.
  std::uint64_t path_version_ = 0;                         // Of its process,
  std::uint64_t path_kernel_version_ = 0;                  // and of the kernel then.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_FRAMES_H_
