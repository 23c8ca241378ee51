// Symbolize: finds the functions, lines and inlined frames behind a profile's addresses.

#include "sonde/symbolize.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "export/symbols/debug_files.h"
#include "export/symbols/source_function.h"
#include "profile/profile_copier.h"
#include "sonde/dwarf_lines.h"
#include "sonde/elf_symbols.h"
#include "sonde/frame_names.h"

namespace sonde {
namespace {

constexpr std::uint64_t kPage = 4096;

// What is to be had of one mapped file.
struct Module {
  std::vector<symbols::LoadSegment> segments;
  bool has_code = true;  // Else the segments do not tell where they lie in the file.
  std::optional<DwarfLines> lines;
  std::optional<ElfSymbols> symbols;
};

// One of the options' files.
struct GivenFile {
  std::string path;
  std::string build_id;
  bool has_code = false;
  bool is_used = false;
};

bool HasCode(const std::vector<symbols::LoadSegment>& segments) {
  return std::ranges::any_of(segments, [](const symbols::LoadSegment& segment) {
    return segment.executable && segment.size > 0;
  });
}

// The address, as the file counts them, of what ran at `address`.
std::optional<std::uint64_t> AddressInFile(const Module& module, const Mapping& mapping,
                                           std::uint64_t address) {
  if (module.has_code) {
    return symbols::AddressOfOffset(module.segments, address - mapping.start + mapping.offset);
  }
  // Of a file without its code it is known where the segments were in memory: what is mapped is
  // the code or, from offset 0 on, all of them.
  for (const symbols::LoadSegment& segment : module.segments) {
    if (!segment.executable && mapping.offset != 0) continue;
    return address - mapping.start + segment.address / kPage * kPage;
  }
  return std::nullopt;
}

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
    OpenGiven();
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
    for (const GivenFile& file : given_) {
      if (!file.is_used) unused_.push_back(file.path + ": no mapped file has its build id or name");
    }
    return {std::move(builder_).Build(), addresses_, found_, std::move(missing_),
            std::move(unused_)};
  }

 private:
  void OpenGiven() {
    for (const std::string& path : options_.binaries) {
      const Result<symbols::ElfFile> file = symbols::ElfFile::Open(path);
      if (file.ok()) {
        given_.push_back({path, file.value().build_id(), HasCode(file.value().segments())});
      } else {
        unused_.push_back(path + ": " + file.error().message);
      }
    }
  }

  // A file of the options for that mapping, or null.
  const GivenFile* Given(std::string_view path, std::string_view build_id) {
    const auto fits = [&](const GivenFile& file) {
      return build_id.empty() ? BaseName(file.path) == BaseName(path) : file.build_id == build_id;
    };
    const auto found = std::ranges::find_if(given_, fits);
    if (found == given_.end()) return nullptr;
    for (GivenFile& file : given_) file.is_used = file.is_used || fits(file);
    return &*found;
  }

  void OpenModule(MappingId id) {
    Module& module = modules_.emplace_back();
    const Mapping& mapping = from_.mapping(id);
    const std::string_view path = from_.text(mapping.file);
    const std::string_view build_id = from_.text(mapping.build_id);
    if (!IsFile(path)) return;
    const GivenFile* const given = Given(path, build_id);
    std::optional<std::string> binary;
    if (given != nullptr && given->has_code) binary = given->path;
    if (!binary.has_value()) binary = files_.FindBinary(path, build_id);
    if (!binary.has_value() && given != nullptr) binary = given->path;
    if (!binary.has_value()) {
      missing_.push_back(std::string(path) + ": no file with this build id");
      return;
    }
    const Result<symbols::ElfFile> file = symbols::ElfFile::Open(*binary);
    if (!file.ok()) {
      missing_.push_back(*binary + ": " + file.error().message);
      return;
    }
    module.segments = file.value().segments();
    module.has_code = HasCode(module.segments);
    const std::string& debug = given != nullptr ? given->path : *binary;
    if (options_.source_lines) {
      Result<DwarfLines> lines = DwarfLines::Open(*binary, debug);
      if (lines.ok()) {
        module.lines.emplace(std::move(lines).value());
      } else {
        missing_.push_back(debug + ": " + lines.error().message);
      }
    }
    Result<ElfSymbols> symbols = ElfSymbols::Open(debug);
    if (symbols.ok()) module.symbols.emplace(std::move(symbols).value());
  }

  LocationId LocationOf(LocationId id) {
    const Location known = from_.location(id);
    if (known.mapping == kNoMapping || known.address == 0) return copier_.Copy(id);
    const Mapping& mapping = from_.mapping(known.mapping);
    if (known.address < mapping.start || !IsFile(from_.text(mapping.file))) return copier_.Copy(id);
    ++addresses_;
    Module& module = modules_[static_cast<std::uint32_t>(known.mapping)];
    const std::optional<std::uint64_t> address = AddressInFile(module, mapping, known.address);
    if (!address.has_value()) return copier_.Copy(id);

    Location location;
    location.mapping = copier_.Copy(known.mapping);
    location.address = known.address;
    location.is_folded = known.is_folded;
    lines_.clear();
    FindLines(module, *address, known.lines);
    if (lines_.empty() && known.lines.empty()) FindSymbol(module, *address);
    if (lines_.empty()) return copier_.Copy(id);
    MarkMapping(builder_.mapping(location.mapping));
    location.lines = lines_;
    return builder_.AddLocation(location);
  }

  // `known` are the names that the location has.
  void FindLines(Module& module, std::uint64_t address, std::span<const Line> known) {
    if (!module.lines.has_value()) return;
    const std::span<const SourceFrame> frames = module.lines->Find(address);
    for (const SourceFrame& frame : frames) {
      const bool is_physical = &frame == &frames.back();
      std::string_view symbol = is_physical ? SymbolAt(module, address) : std::string_view();
      if (symbol.empty()) symbol = frame.linkage_name;
      const FunctionId function = is_physical && !known.empty()
                                      ? Located(from_.function(known.back().function), frame)
                                      : symbols::AddFunctionOf(frame, symbol, builder_);
      lines_.push_back({function, frame.line, frame.column});
    }
    if (!lines_.empty() && lines_.front().line != 0) ++found_;
  }

  // The function that is known by its name, with what `frame` tells of its source.
  FunctionId Located(const Function& known, const SourceFrame& frame) {
    Function function{.name = copier_.Copy(known.name),
                      .system_name = copier_.Copy(known.system_name),
                      .file = builder_.Intern(frame.file),
                      .start_line = frame.start_line};
    if (known.system_name == StringId{} && frame.linkage_name != from_.text(known.name)) {
      function.system_name = builder_.Intern(frame.linkage_name);
    }
    return builder_.AddFunction(function);
  }

  static std::string_view SymbolAt(const Module& module, std::uint64_t address) {
    if (!module.symbols.has_value()) return {};
    const std::optional<ElfSymbol> symbol = module.symbols->Find(address);
    return symbol.has_value() ? symbol->name : std::string_view();
  }

  void FindSymbol(const Module& module, std::uint64_t address) {
    const std::string_view symbol = SymbolAt(module, address);
    if (symbol.empty()) return;
    lines_.push_back({symbols::AddFunctionOf({}, symbol, builder_), 0, 0});
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
  std::vector<GivenFile> given_;
  std::vector<Module> modules_;  // By MappingId.
  std::vector<Line> lines_;      // Of the location at hand.
  std::uint64_t addresses_ = 0;
  std::uint64_t found_ = 0;
  std::vector<std::string> missing_;
  std::vector<std::string> unused_;
};

}  // namespace

Symbolized Symbolize(const Profile& profile, const SymbolizeOptions& options) {
  return Symbolizer(profile, options).Run();
}

}  // namespace sonde
