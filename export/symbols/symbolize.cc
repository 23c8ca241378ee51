// Symbolize: finds the functions, lines and inlined frames behind a profile's addresses.

#include "sonde/symbolize.h"

#include <optional>
#include <utility>
#include <vector>

#include "export/symbols/debug_files.h"
#include "export/symbols/demangle.h"
#include "profile/profile_copier.h"
#include "sonde/dwarf_lines.h"
#include "sonde/elf_symbols.h"
#include "sonde/frame_names.h"

namespace sonde {
namespace {

// What is to be had of one mapped file.
struct Module {
  std::optional<DwarfLines> lines;
  std::optional<ElfSymbols> symbols;
};

bool IsFile(std::string_view path) {
  return !path.empty() && path.front() != '[' && !path.starts_with("//");
}

class Symbolizer {
 public:
  Symbolizer(const Profile& profile, const SymbolizeOptions& options)
      : from_(profile),
        options_(options),
        builder_(
            std::vector<ValueType>(profile.sample_types().begin(), profile.sample_types().end())),
        copier_(profile, builder_) {}

  Symbolized Run() {
    builder_.SetDefaultSampleType(from_.default_sample_type());
    copier_.CopyMappings();
    copier_.CopyFacts();
    for (std::uint32_t i = 0; i < from_.mappings().size(); ++i) OpenModule(MappingId{i});

    std::vector<LocationId> locations;
    for (std::uint32_t i = 0; i < from_.location_count(); ++i) {
      locations.push_back(LocationOf(LocationId{i}));
    }
    // A caller's id is smaller than its callee's.
    std::vector<StackId> stacks(from_.stacks().size(), kEmptyStack);
    for (std::uint32_t i = 1; i < stacks.size(); ++i) {
      const StackId caller = stacks[static_cast<std::uint32_t>(from_.stacks().caller(StackId{i}))];
      const LocationId leaf = from_.stacks().leaf(StackId{i});
      stacks[i] = builder_.Extend(caller, locations[static_cast<std::uint32_t>(leaf)]);
    }
    builder_.ReserveSamples(from_.sample_count());
    for (std::size_t i = 0; i < from_.sample_count(); ++i) {
      const Sample sample = from_.sample(i);
      builder_.AddSample(stacks[static_cast<std::uint32_t>(sample.stack)],
                         copier_.Copy(sample.labels), sample.values, from_.records(i));
    }
    builder_.SetRecords(from_.records());
    return {std::move(builder_).Build(), addresses_, found_, std::move(missing_)};
  }

 private:
  // A file of the options for that mapping.
  std::optional<std::string> GivenFile(std::string_view path, std::string_view build_id) const {
    for (const std::string& binary : options_.binaries) {
      if (build_id.empty()) {
        if (BaseName(binary) == BaseName(path)) return binary;
        continue;
      }
      const Result<symbols::ElfFile> file = symbols::ElfFile::Open(binary);
      if (file.ok() && file.value().build_id() == build_id) return binary;
    }
    return std::nullopt;
  }

  void OpenModule(MappingId id) {
    Module& module = modules_.emplace_back();
    const Mapping& mapping = from_.mapping(id);
    const std::string_view path = from_.text(mapping.file);
    const std::string_view build_id = from_.text(mapping.build_id);
    if (!IsFile(path)) return;
    std::optional<std::string> file = GivenFile(path, build_id);
    if (!file.has_value()) file = files_.FindBinary(path, build_id);
    if (!file.has_value()) {
      missing_.push_back(std::string(path) + ": no file with this build id");
      return;
    }
    Result<DwarfLines> lines = DwarfLines::Open(*file);
    if (lines.ok()) {
      module.lines.emplace(std::move(lines).value());
    } else {
      missing_.push_back(*file + ": " + lines.error().message);
    }
    Result<ElfSymbols> symbols = ElfSymbols::Open(*file);
    if (symbols.ok()) module.symbols.emplace(std::move(symbols).value());
  }

  LocationId LocationOf(LocationId id) {
    const Location known = from_.location(id);
    if (known.mapping == kNoMapping || known.address == 0) return copier_.Copy(id);
    const Mapping& mapping = from_.mapping(known.mapping);
    if (known.address < mapping.start || !IsFile(from_.text(mapping.file))) return copier_.Copy(id);
    ++addresses_;
    Module& module = modules_[static_cast<std::uint32_t>(known.mapping)];
    const std::uint64_t offset = known.address - mapping.start + mapping.offset;

    Location location;
    location.mapping = copier_.Copy(known.mapping);
    location.address = known.address;
    location.is_folded = known.is_folded;
    lines_.clear();
    FindLines(module, offset);
    if (lines_.empty() && known.lines.empty()) FindSymbol(module, offset);
    if (lines_.empty()) return copier_.Copy(id);
    MarkMapping(builder_.mapping(location.mapping));
    location.lines = lines_;
    return builder_.AddLocation(location);
  }

  void FindLines(Module& module, std::uint64_t offset) {
    if (!module.lines.has_value()) return;
    const std::optional<std::uint64_t> address = module.lines->AddressOfOffset(offset);
    if (!address.has_value()) return;
    for (const SourceFrame& frame : module.lines->Find(*address)) {
      const FunctionId function =
          builder_.AddFunction({.name = builder_.Intern(frame.function),
                                .system_name = builder_.Intern(frame.linkage_name),
                                .file = builder_.Intern(frame.file),
                                .start_line = frame.start_line});
      lines_.push_back({function, frame.line, frame.column});
    }
    if (!lines_.empty() && lines_.front().line != 0) ++found_;
  }

  void FindSymbol(const Module& module, std::uint64_t offset) {
    if (!module.symbols.has_value()) return;
    const std::optional<std::uint64_t> address = module.symbols->AddressOfOffset(offset);
    if (!address.has_value()) return;
    const std::optional<ElfSymbol> symbol = module.symbols->Find(*address);
    if (!symbol.has_value()) return;
    const std::string name = symbols::Demangle(symbol->name);
    Function function;
    function.name = builder_.Intern(name.empty() ? symbol->name : std::string_view(name));
    if (!name.empty()) function.system_name = builder_.Intern(symbol->name);
    lines_.push_back({builder_.AddFunction(function), 0, 0});
  }

  void MarkMapping(Mapping& mapping) const {
    mapping.has_functions = true;
    mapping.has_inline_frames = mapping.has_inline_frames || lines_.size() > 1;
    if (lines_.front().line != 0) {
      mapping.has_filenames = true;
      mapping.has_line_numbers = true;
    }
  }

  const Profile& from_;
  const SymbolizeOptions& options_;
  ProfileBuilder builder_;
  ProfileCopier copier_;
  symbols::DebugFiles files_;
  std::vector<Module> modules_;  // By MappingId.
  std::vector<Line> lines_;      // Of the location at hand.
  std::uint64_t addresses_ = 0;
  std::uint64_t found_ = 0;
  std::vector<std::string> missing_;
};

}  // namespace

Symbolized Symbolize(const Profile& profile, const SymbolizeOptions& options) {
  return Symbolizer(profile, options).Run();
}

}  // namespace sonde
