// NameMappedFunctions: gives names to the bare addresses of a profile of this process.

#include "sampler/mapped_names.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile_copier.h"
#include "sampler/symbol_function.h"
#include "sonde/elf_symbols.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

class Namer {
 public:
  Namer(const Profile& from, std::vector<ValueType> sample_types)
      : from_(from),
        to_(std::move(sample_types)),
        copy_(from, to_),
        locations_(from.location_count()),
        counts_(from.mappings().size()) {}

  ProfileBuilder Run() && {
    std::vector<StackId> stacks(from_.stacks().size(), kEmptyStack);
    // A caller's id is smaller than its callee's, so it has been translated before.
    for (std::uint32_t i = 1; i < stacks.size(); ++i) {
      const StackId caller = stacks[static_cast<std::uint32_t>(from_.stacks().caller(StackId{i}))];
      stacks[i] = to_.Extend(caller, Translate(from_.stacks().leaf(StackId{i})));
    }
    for (std::size_t i = 0; i < from_.sample_count(); ++i) {
      const Sample sample = from_.sample(i);
      to_.AddSample(stacks[static_cast<std::uint32_t>(sample.stack)], copy_.Copy(sample.labels),
                    sample.values, from_.records(i));
    }
    for (std::uint32_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i].named == 0) continue;
      to_.mapping(copy_.Copy(MappingId{i})).has_functions = counts_[i].unnamed == 0;
    }
    to_.SetDefaultSampleType(from_.default_sample_type());
    to_.SetPeriod(from_.period_type(), from_.period());
    to_.SetTime(from_.time_ns());
    to_.SetDuration(from_.duration_ns());
    for (const std::string& comment : from_.comments()) to_.AddComment(comment);
    to_.SetDropFrames(from_.drop_frames());
    to_.SetKeepFrames(from_.keep_frames());
    to_.SetRecords(from_.records());
    to_.losses().Add(from_.losses());
    return std::move(to_);
  }

 private:
  struct Counts {
    std::uint64_t named = 0;  // Locations.
    std::uint64_t unnamed = 0;
  };

  // Null when the file has no symbols that can be read.
  const ElfSymbols* SymbolsOf(const std::string& path) {
    const auto [entry, added] = symbols_.try_emplace(path);
    if (added) {
      Result<ElfSymbols> symbols = ElfSymbols::Open(path);
      if (symbols.ok()) entry->second = std::move(symbols).value();
    }
    return entry->second ? &*entry->second : nullptr;
  }

  std::optional<ElfSymbol> Find(const Location& location) {
    if (location.mapping == kNoMapping) return std::nullopt;
    const Mapping& mapping = from_.mapping(location.mapping);
    const ElfSymbols* const symbols = SymbolsOf(std::string(from_.text(mapping.file)));
    if (symbols == nullptr) return std::nullopt;
    const auto address =
        symbols->AddressOfOffset(location.address - mapping.start + mapping.offset);
    return address ? symbols->Find(*address) : std::nullopt;
  }

  LocationId Translate(LocationId id) {
    std::optional<LocationId>& known = locations_[static_cast<std::uint32_t>(id)];
    if (known) return *known;
    Location location = from_.location(id);
    std::optional<ElfSymbol> symbol;
    if (location.lines.empty()) symbol = Find(location);
    if (location.mapping != kNoMapping) {
      Counts& counts = counts_[static_cast<std::uint32_t>(location.mapping)];
      ++(symbol || !location.lines.empty() ? counts.named : counts.unnamed);
    }
    if (symbol) {
      const Line line{AddSymbol(*symbol, to_), 0, 0};
      location.mapping = copy_.Copy(location.mapping);
      location.lines = std::span(&line, 1);
      known = to_.AddLocation(location);
    } else {
      known = copy_.Copy(id);
    }
    return *known;
  }

  const Profile& from_;
  ProfileBuilder to_;
  ProfileCopier copy_;
  std::vector<std::optional<LocationId>> locations_;
  std::vector<Counts> counts_;
  std::map<std::string, std::optional<ElfSymbols>> symbols_;  // By path.
};

}  // namespace

ProfileBuilder NameMappedFunctions(const Profile& profile, std::vector<ValueType> sample_types) {
  return Namer(profile, std::move(sample_types)).Run();
}

}  // namespace sonde
