// Modules: the files of a recording, and the names of what lies in them.

#include "export/perf_data/modules.h"

#include <utility>

namespace sonde::perf_data {
namespace {

constexpr std::size_t kMostMapBytes = std::size_t{1} << 30;

}  // namespace

ModuleId Modules::Intern(std::string_view name, std::string_view build_id, ModuleKind kind) {
  std::string key(name);
  key += '\0';
  key += build_id;
  const ModuleId next{static_cast<std::uint32_t>(modules_.size())};
  const auto [known, is_new] = ids_.try_emplace(std::move(key), next);
  if (is_new) {
    Entry entry;
    entry.module = {std::string(name), std::string(build_id), kind};
    modules_.push_back(std::move(entry));
  }
  return known->second;
}

void Modules::LookUp(Entry& entry) {
  entry.looked_up = true;
  switch (entry.module.kind) {
    case ModuleKind::kFile:
      entry.symbols.emplace(files_, entry.module.name, entry.module.build_id);
      break;
    case ModuleKind::kVdso:
      entry.symbols.emplace(files_, entry.module.name, entry.module.build_id);
      if (entry.symbols->path().empty()) {
        entry.symbols = symbols::ModuleSymbols::OfVdso(entry.module.build_id);
      }
      break;
    case ModuleKind::kJit: {
      const auto text = symbols::ReadWholeFile(entry.module.name, kMostMapBytes);
      if (text.has_value()) {
        entry.jit_map = std::make_unique<symbols::AddressNames>(symbols::ReadPerfMap(*text));
      }
      break;
    }
    default:
      break;
  }
}

void Modules::LookUpKernel() {
  kernel_looked_up_ = true;
  std::string_view build_id;
  for (const Entry& entry : modules_) {
    if (entry.module.kind == ModuleKind::kKernel && !entry.module.build_id.empty()) {
      build_id = entry.module.build_id;
    }
  }
  const auto read = [&](const std::string& path) {
    kernel_names_ = symbols::Kallsyms::Open(path);
    return kernel_names_.has_value();
  };
  const auto stored = files_.FindKallsyms(build_id);
  bool found = stored.has_value() && read(*stored);
  const bool is_running = !build_id.empty() && build_id == symbols::RunningKernelBuildId();
  if (!found && (build_id.empty() || is_running)) found = read("/proc/kallsyms");
  if (!found || start_symbol_.empty()) return;

  const std::optional<std::uint64_t> start = kernel_names_->StartOf(start_symbol_);
  if (start.has_value()) kernel_moved_ = *start - recorded_start_;
  // Without a build id only the same place in memory shows that it is the same kernel.
  if (build_id.empty() && kernel_moved_ != 0) kernel_names_.reset();
}

std::string_view Modules::KernelNameAt(std::uint64_t address) {
  const std::string_view recorded = recorded_kernel_names_.Find(address);
  if (!recorded.empty()) return recorded;
  if (!kernel_looked_up_) LookUpKernel();
  if (!kernel_names_.has_value()) return {};
  return kernel_names_->Find(address + kernel_moved_);
}

std::string_view Modules::NameAt(const Map& map, std::uint64_t address) {
  Entry& entry = EntryOf(map.module);
  const ModuleKind kind = entry.module.kind;
  if (kind == ModuleKind::kKernel || kind == ModuleKind::kKernelModule) {
    return KernelNameAt(address);
  }
  if (entry.jit_dump != nullptr) {
    const std::string_view name = entry.jit_dump->Find(address);
    if (!name.empty()) return name;
  }
  if (!entry.looked_up) LookUp(entry);
  if (entry.jit_map != nullptr) return entry.jit_map->Find(address);
  if (!entry.symbols.has_value()) return {};
  return entry.symbols->Find(address - map.start + map.offset);
}

std::span<const SourceFrame> Modules::LinesAt(const Map& map, std::uint64_t address) {
  Entry& entry = EntryOf(map.module);
  if (entry.module.kind != ModuleKind::kFile) return {};
  if (!entry.lines_looked_up) {
    entry.lines_looked_up = true;
    const std::string path = PathOf(entry);
    Result<DwarfLines> lines = DwarfLines::Open(path);
    if (!path.empty() && lines.ok()) entry.lines.emplace(std::move(lines).value());
  }
  if (!entry.lines.has_value()) return {};
  const auto in_file = entry.lines->AddressOfOffset(address - map.start + map.offset);
  if (!in_file.has_value()) return {};
  return entry.lines->Find(*in_file);
}

std::string Modules::PathOf(Entry& entry) {
  if (!entry.looked_up) LookUp(entry);
  return entry.symbols.has_value() ? entry.symbols->path() : std::string();
}

const symbols::ElfFile* Modules::FileOf(ModuleId id) {
  Entry& entry = EntryOf(id);
  if (!entry.file_looked_up) {
    entry.file_looked_up = true;
    const std::string path = PathOf(entry);
    if (!path.empty()) {
      Result<symbols::ElfFile> file = symbols::ElfFile::Open(path);
      if (file.ok()) entry.file.emplace(std::move(file).value());
    }
  }
  return entry.file.has_value() ? &*entry.file : nullptr;
}

std::optional<std::uint64_t> Modules::AddressOfOffset(ModuleId id, std::uint64_t offset) {
  Entry& entry = EntryOf(id);
  if (!entry.looked_up) LookUp(entry);
  return entry.symbols.has_value() ? entry.symbols->AddressOfOffset(offset) : std::nullopt;
}

void Modules::AddKernelName(std::uint64_t start, std::uint64_t size, std::string_view name) {
  recorded_kernel_names_.Add(start, size, name);
}

void Modules::AddJitName(ModuleId module, std::uint64_t start, std::uint64_t size,
                         std::string_view name) {
  Entry& entry = EntryOf(module);
  if (entry.jit_dump == nullptr) entry.jit_dump = std::make_unique<symbols::AddressNames>();
  entry.jit_dump->Add(start, size, name);
}

void Modules::SetKernelStart(std::uint64_t recorded, std::string_view symbol) {
  recorded_start_ = recorded;
  start_symbol_ = symbol;
}

}  // namespace sonde::perf_data
