// Unwinder: the stack of a sample that recorded its registers and stack memory.

#include "export/perf_data/unwinder.h"

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>

namespace sonde::perf_data {
namespace {

constexpr std::uint64_t kAbi64 = 2;
constexpr std::array<std::string_view, 6> kOutermost{"_start", "_dl_start_user", "clone",
                                                     "clone3", "__clone",        "__clone3"};
constexpr std::size_t kMostSessions = 64;
constexpr std::size_t kMostFrames = 1'024;

// The number that DWARF gives to each of perf's x86-64 registers, from AX to R15; -1: none.
constexpr std::array<int, 24> kDwarfRegister{0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
                                             -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::size_t kDwarfRegisters = 17;
constexpr std::size_t kStackPointer = 7;
constexpr std::size_t kReturnAddress = 16;

// What libdwfl asks for while it unwinds one sample.
struct State {
  std::array<Dwarf_Word, kDwarfRegisters> registers{};
  std::string_view stack;
  std::vector<std::uint64_t>* frames = nullptr;
  std::size_t frame_count = 0;
  bool reached_end = false;
  bool reads_beyond = false;  // It asked for more of the stack than was recorded.
  bool has_new_module = false;
};

int FindNoDebugInfo(Dwfl_Module* /*module*/, void** /*data*/, const char* /*name*/,
                    Dwarf_Addr /*base*/, const char* /*file*/, const char* /*link*/,
                    GElf_Word /*crc*/, char** /*found*/) {
  return -1;
}

// The handle is the module's data; what libdwfl gets is one more reference to it, no descriptor.
int FindElf(Dwfl_Module* /*module*/, void** data, const char* /*name*/, Dwarf_Addr /*base*/,
            char** /*file*/, Elf** elf) {
  *elf = elf_begin(-1, ELF_C_READ, static_cast<Elf*>(*data));
  return -1;
}

struct Extent {
  GElf_Addr low = 0;
  GElf_Addr high = 0;
};

// What a file takes of memory, as it counts addresses itself.
std::optional<Extent> ExtentOf(Elf* elf) {
  std::size_t count = 0;
  std::optional<Extent> extent;
  if (elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type != PT_LOAD) continue;
    if (!extent.has_value()) {
      const GElf_Xword alignment = std::max<GElf_Xword>(header.p_align, 1);
      extent = Extent{header.p_vaddr / alignment * alignment, 0};
    }
    extent->high = std::max(extent->high, header.p_vaddr + header.p_memsz);
  }
  return extent;
}

const Dwfl_Callbacks kCallbacks{.find_elf = FindElf,
                                .find_debuginfo = FindNoDebugInfo,
                                .section_address = dwfl_offline_section_address,
                                .debuginfo_path = nullptr};

}  // namespace

struct Unwinder::Session {
  explicit Session(Modules& all_modules) : modules(all_modules), dwfl(dwfl_begin(&kCallbacks)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { dwfl_end(dwfl); }

  // True when libdwfl knows a file more than before.
  bool ReportModuleAt(std::uint64_t address);
  bool IsOutermost(std::uint64_t address);
  bool Attach();
  int Walk();

  Modules& modules;
  Dwfl* dwfl;
  bool attached = false;
  std::uint64_t version = 0;
  const AddressSpace* space = nullptr;
  std::unordered_set<std::uint64_t> reported;  // Load biases, and bases of files not found.
  State state;
};

namespace {

pid_t NextThread(Dwfl* /*dwfl*/, void* argument, void** thread_argument) {
  if (*thread_argument != nullptr) return 0;
  *thread_argument = argument;
  return 1;
}

bool ReadMemory(Dwfl* /*dwfl*/, Dwarf_Addr address, Dwarf_Word* result, void* argument) {
  State& state = *static_cast<State*>(argument);
  const std::uint64_t base = state.registers[kStackPointer];
  if (address < base) return false;
  if (address - base > state.stack.size() ||
      state.stack.size() - (address - base) < sizeof(*result)) {
    state.reads_beyond = true;
    return false;
  }
  std::memcpy(result, state.stack.data() + (address - base), sizeof(*result));
  return true;
}

bool SetRegisters(Dwfl_Thread* thread, void* argument) {
  const State& state = *static_cast<State*>(argument);
  dwfl_thread_state_register_pc(thread, state.registers[kReturnAddress]);
  return dwfl_thread_state_registers(thread, 0, kDwarfRegisters, state.registers.data());
}

const Dwfl_Thread_Callbacks kThreadCallbacks{.next_thread = NextThread,
                                             .get_thread = nullptr,
                                             .memory_read = ReadMemory,
                                             .set_initial_registers = SetRegisters,
                                             .detach = nullptr,
                                             .thread_detach = nullptr};

}  // namespace

// libdwfl wants the address that the file's address 0 was loaded at.
bool Unwinder::Session::ReportModuleAt(std::uint64_t address) {
  const Map* const map = space->Find(address);
  if (map == nullptr) return false;
  const ModuleKind kind = modules[map->module].kind;
  if (kind != ModuleKind::kFile) return false;
  if (!reported.insert(map->start).second) return false;
  const symbols::ElfFile* const file = modules.FileOf(map->module);
  if (file == nullptr) return false;
  const auto in_file = modules.AddressOfOffset(map->module, map->offset);
  if (!in_file.has_value()) return false;
  const std::uint64_t bias = map->start - *in_file;
  const std::optional<Extent> extent = ExtentOf(file->elf());
  if (!extent.has_value()) return false;
  dwfl_report_begin_add(dwfl);
  Dwfl_Module* const module =
      dwfl_report_module(dwfl, file->path().c_str(), bias + extent->low, bias + extent->high);
  if (module != nullptr) {
    void** data = nullptr;
    dwfl_module_info(module, &data, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (data != nullptr) *data = file->elf();
  }
  dwfl_report_end(dwfl, nullptr, nullptr);
  return module != nullptr;
}

// Where threads start there need be no call frame information.
bool Unwinder::Session::IsOutermost(std::uint64_t address) {
  const Map* const map = space->Find(address);
  if (map == nullptr) return false;
  const std::string_view name = modules.NameAt(*map, address);
  return std::ranges::find(kOutermost, name) != kOutermost.end();
}

bool Unwinder::Session::Attach() {
  if (!attached) attached = dwfl_attach_state(dwfl, nullptr, 1, &kThreadCallbacks, &state);
  return attached;
}

// What dwfl_getthread_frames returns; the frames are in the state.
int Unwinder::Session::Walk() {
  return dwfl_getthread_frames(
      dwfl, 1,
      [](Dwfl_Frame* frame, void* argument) {
        Session& of = *static_cast<Session*>(argument);
        Dwarf_Addr at = 0;
        bool is_exact = false;
        if (!dwfl_frame_pc(frame, &at, &is_exact)) return -1;
        if (at == 0) {
          of.state.reached_end = true;
          return static_cast<int>(DWARF_CB_ABORT);
        }
        if (!is_exact) --at;
        if (of.ReportModuleAt(at)) {
          of.state.has_new_module = true;
          return static_cast<int>(DWARF_CB_ABORT);
        }
        of.state.frames->push_back(at);
        return ++of.state.frame_count < kMostFrames ? static_cast<int>(DWARF_CB_OK)
                                                    : static_cast<int>(DWARF_CB_ABORT);
      },
      this);
}

Unwinder::Unwinder(Modules& modules) : modules_(modules) {}
Unwinder::~Unwinder() = default;

Unwinder::Session& Unwinder::SessionOf(std::uint32_t pid, const Process& process) {
  if (sessions_.size() >= kMostSessions && !sessions_.contains(pid)) sessions_.clear();
  std::unique_ptr<Session>& session = sessions_[pid];
  // A module cannot be taken out again, so other maps need another session.
  if (session == nullptr || session->version != process.version) {
    session = std::make_unique<Session>(modules_);
    session->version = process.version;
  }
  session->space = &process.space;
  return *session;
}

bool Unwinder::Unwind(const Event& event, const Sample& sample, const Process& process,
                      std::vector<std::uint64_t>& into) {
  if (sample.registers_abi != kAbi64) return false;
  Session& session = SessionOf(sample.pid, process);
  State& state = session.state;
  state = {};
  std::size_t next = 0;
  for (std::size_t bit = 0; bit < 64 && next < sample.user_registers.size(); ++bit) {
    if ((event.user_registers >> bit & 1) == 0) continue;
    const std::uint64_t value = sample.user_registers[next++];
    if (bit < kDwarfRegister.size() && kDwarfRegister[bit] >= 0) {
      state.registers[static_cast<std::size_t>(kDwarfRegister[bit])] = value;
    }
  }
  state.stack = sample.user_stack;
  state.frames = &into;

  const std::uint64_t pc = state.registers[kReturnAddress];
  session.ReportModuleAt(pc);
  if (!session.Attach()) {
    into.push_back(pc);
    return false;
  }
  // libdwfl does not see what becomes known while it walks, and follows frame pointers that are
  // none: then the walk starts again.
  const std::size_t first = into.size();
  int result = 0;
  do {
    state.has_new_module = false;
    state.frame_count = 0;
    state.reads_beyond = false;
    into.resize(first);
    result = session.Walk();
  } while (state.has_new_module);
  if (state.frame_count == 0) into.push_back(pc);
  // libdwfl takes a return address that it cannot read for none, as where a stack ends.
  const bool is_whole = result == 0 && !state.reads_beyond;
  return is_whole || state.reached_end || session.IsOutermost(into.back());
}

}  // namespace sonde::perf_data
