// Machine: processes, threads and maps as they were at one moment of a recording.

#include "export/perf_data/machine.h"

#include <algorithm>

#include "export/symbols/elf_file.h"
#include "sonde/frame_names.h"

namespace sonde::perf_data {
namespace {

constexpr std::uint32_t kKernelPid = 0xffff'ffff;
constexpr std::size_t kBuildIdBytes = 20;
constexpr std::uint32_t kProtectExecute = 4;
constexpr std::uint32_t kMapHugePages = 0x40000;
constexpr std::string_view kKernelName = "[kernel.kallsyms]";
constexpr std::uint16_t kKsymbolGone = 1;

bool IsAnonymous(std::string_view file) {
  return file.starts_with("//anon") || file.starts_with("/dev/zero") ||
         file.starts_with("/anon_hugepage");
}

bool IsNoFile(std::string_view file) {
  return file.starts_with("[stack") || file.starts_with("/SYSV") || file == "[heap]";
}

// "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" -> "[ext4]", as the kernel writes
// its name: with underscores.
std::string ModuleNameOf(std::string_view file) {
  if (file.starts_with('[')) return std::string(file);
  std::string name(BaseName(file));
  name = name.substr(0, name.find(".ko"));
  std::ranges::replace(name, '-', '_');
  return '[' + name + ']';
}

}  // namespace

Process& Machine::ProcessOf(std::uint32_t pid) {
  if (last_process_ == nullptr || last_pid_ != pid) {
    last_pid_ = pid;
    last_process_ = &processes_[pid];
  }
  if (last_process_->version == 0) Touch(*last_process_);
  return *last_process_;
}

void Machine::CountSample(const Process& process) {
  if (!process.program.has_value()) return;
  const auto module = static_cast<std::size_t>(process.program->module);
  if (module >= programs_.size()) programs_.resize(module + 1);
  programs_[module].map = *process.program;
  ++programs_[module].samples;
}

std::optional<Map> Machine::Program() const {
  const auto most = std::ranges::max_element(programs_, {}, &ProgramUse::samples);
  return most == programs_.end() ? std::nullopt : std::optional(most->map);
}

std::string Machine::CommOf(std::uint32_t pid, std::uint32_t tid) const {
  const auto found = comms_.find(tid);
  if (found != comms_.end()) return found->second.name;
  if (tid == 0 && pid == 0) return "swapper";
  return ':' + std::to_string(static_cast<std::int32_t>(tid));
}

std::uint64_t Machine::CommVersionOf(std::uint32_t tid) const {
  const auto found = comms_.find(tid);
  return found == comms_.end() ? 0 : found->second.version;
}

bool Machine::Apply(const Record& record) {
  switch (record.type) {
    case kMmap:
    case kMmap2:
      return ApplyMmap(record);
    case kComm:
      return ApplyComm(record);
    case kFork:
      return ApplyFork(record);
    case kKsymbol:
      return ApplyKsymbol(record);
    default:
      return true;
  }
}

void Machine::AddKernelMap(Map map, std::string_view file, std::string_view build_id) {
  ++kernel_version_;
  if (file.starts_with(kKernelName)) {
    // The offset of the map is where the first function was.
    const std::string_view symbol = file.substr(kKernelName.size());
    if (!symbol.empty()) modules_.SetKernelStart(map.offset, symbol);
    if (build_id.empty()) build_id = header_.BuildIdOf(kKernelName);
    map.module = modules_.Intern(kKernelName, build_id, ModuleKind::kKernel);
  } else {
    map.module = modules_.Intern(ModuleNameOf(file), build_id, ModuleKind::kKernelModule);
  }
  kernel_.Add(map);
}

bool Machine::ApplyMmap(const Record& record) {
  Cursor cursor(record.payload, header_.swapped);
  const std::uint32_t pid = cursor.U32();
  cursor.Skip(4);
  Map map;
  map.start = cursor.U64();
  const std::uint64_t length = cursor.U64();
  map.limit = length > UINT64_MAX - map.start ? UINT64_MAX : map.start + length;
  map.offset = cursor.U64();
  std::string build_id;
  std::uint32_t protection = kProtectExecute;
  std::uint32_t flags = 0;
  if (record.type == kMmap2) {
    if ((record.misc & kMiscMmapBuildId) != 0) {
      const std::size_t size = std::min<std::size_t>(cursor.U8(), kBuildIdBytes);
      cursor.Skip(3);
      build_id = symbols::HexOf(cursor.Bytes(kBuildIdBytes).substr(0, size));
    } else {
      cursor.Skip(24);  // Device, inode and its generation.
    }
    protection = cursor.U32();
    flags = cursor.U32();
  }
  if (!cursor.ok()) return false;
  const std::string_view file = UpToZero(cursor.rest());

  const auto mode = static_cast<CpuMode>(record.misc & kMiscCpuMode);
  if (mode == CpuMode::kGuestKernel || mode == CpuMode::kGuestUser) return true;
  if (pid == kKernelPid || mode == CpuMode::kKernel) {
    if (build_id.empty()) build_id = header_.BuildIdOf(file);
    AddKernelMap(map, file, build_id);
    return true;
  }

  if (build_id.empty()) build_id = header_.BuildIdOf(file);
  const bool executable = (protection & kProtectExecute) != 0;
  const bool is_memory = IsAnonymous(file) || IsNoFile(file) || (flags & kMapHugePages) != 0;
  if (file == "[vdso]") {
    map.module = modules_.Intern(file, build_id, ModuleKind::kVdso);
  } else if (is_memory && executable) {
    map.module = modules_.Intern("/tmp/perf-" + std::to_string(pid) + ".map", {}, ModuleKind::kJit);
  } else {
    const ModuleKind kind = is_memory ? ModuleKind::kOther : ModuleKind::kFile;
    map.module = modules_.Intern(file, build_id, kind);
  }
  Process& process = processes_[pid];
  process.space.Add(map);
  if (!process.program.has_value() && executable && !is_memory && file.starts_with('/')) {
    process.program = map;
  }
  if (!is_memory) JoinAcrossHugePages(process.space, map);
  Touch(process);
  return true;
}

// A program that moves its code to huge pages leaves memory without a file between
// two maps of the file: what is there is still the file's.
void Machine::JoinAcrossHugePages(AddressSpace& space, const Map& last) {
  if (last.start == 0) return;
  const Map* const middle = space.Find(last.start - 1);
  if (middle == nullptr || middle->start == 0) return;
  const ModuleKind kind = modules_[middle->module].kind;
  if (kind != ModuleKind::kJit && kind != ModuleKind::kOther) return;
  const Map* const first = space.Find(middle->start - 1);
  if (first == nullptr || first->module != last.module) return;
  if (first->offset + (last.start - first->start) != last.offset) return;
  Map joined = *middle;
  joined.offset = first->offset + (joined.start - first->start);
  joined.module = last.module;
  space.Add(joined);
}

bool Machine::ApplyComm(const Record& record) {
  Cursor cursor(record.payload, header_.swapped);
  const std::uint32_t pid = cursor.U32();
  const std::uint32_t tid = cursor.U32();
  if (!cursor.ok()) return false;
  comms_[tid] = {std::string(UpToZero(cursor.rest())), ++last_version_};
  if ((record.misc & kMiscCommExec) != 0) {
    Process& process = processes_[pid];
    process.space.Clear();
    process.program.reset();
    Touch(process);
  }
  return true;
}

bool Machine::ApplyFork(const Record& record) {
  Cursor cursor(record.payload, header_.swapped);
  const std::uint32_t pid = cursor.U32();
  const std::uint32_t parent_pid = cursor.U32();
  const std::uint32_t tid = cursor.U32();
  const std::uint32_t parent_tid = cursor.U32();
  if (!cursor.ok()) return false;
  const auto comm = comms_.find(parent_tid);
  if (comm != comms_.end()) {
    std::string name = comm->second.name;
    comms_[tid] = {std::move(name), ++last_version_};
  }
  if (pid == parent_pid) return true;
  Process copy;
  const auto parent = processes_.find(parent_pid);
  if (parent != processes_.end()) copy = parent->second;
  Process& child = processes_[pid];
  child = std::move(copy);
  Touch(child);
  return true;
}

bool Machine::ApplyKsymbol(const Record& record) {
  Cursor cursor(record.payload, header_.swapped);
  const std::uint64_t start = cursor.U64();
  const std::uint32_t size = cursor.U32();
  cursor.Skip(2);
  const std::uint16_t flags = cursor.U16();
  if (!cursor.ok()) return false;
  if ((flags & kKsymbolGone) != 0 || size == 0) return true;
  modules_.AddKernelName(start, size, UpToZero(cursor.rest()));
  ++kernel_version_;
  return true;
}

}  // namespace sonde::perf_data
