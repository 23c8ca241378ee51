// DeferredUnwinder: see deferred_unwinder.h. Runs in the collector.

#include "sampler/deferred_unwinder.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "sampler/byte_reader.h"

namespace sonde {
namespace {

constexpr const char* kLibrary = "libunwind-x86_64.so.8";
constexpr std::size_t kLargestTables = std::size_t{256} << 20;
constexpr std::size_t kTableCapacity = 512;

// Our own memory, without a fault when it is gone.
bool Copy(std::uint64_t address, std::size_t size, std::uint8_t* to) {
  const iovec local = {to, size};
  const iovec remote = {reinterpret_cast<void*>(address), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace

Result<std::unique_ptr<DeferredUnwinder>> DeferredUnwinder::Open(ModuleRegistry& modules) {
  // Local: the library also exports a C++ exception unwinder, which must not take over the host's.
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 std::string("the deferred unwinder needs ") + kLibrary + " (Debian: libunwind8)"};
  }
  std::unique_ptr<DeferredUnwinder> unwinder(new DeferredUnwinder(modules));
  libunwind::Functions& functions = unwinder->library_;
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
  find(functions.create_addr_space, "_Ux86_64_create_addr_space");
  find(functions.destroy_addr_space, "_Ux86_64_destroy_addr_space");
  find(functions.set_caching_policy, "_Ux86_64_set_caching_policy");
  find(functions.flush_cache, "_Ux86_64_flush_cache");
  find(functions.init_remote, "_Ux86_64_init_remote");
  find(functions.step, "_Ux86_64_step");
  find(functions.get_reg, "_Ux86_64_get_reg");
  find(functions.search_unwind_table, "_Ux86_64_dwarf_search_unwind_table");
  if (!complete) {
    return Error{ErrorCode::kUnsupported, std::string(kLibrary) + " lacks the remote interface"};
  }
  libunwind::Accessors accessors{};
  accessors.find_proc_info = &FindProcInfo;
  accessors.put_unwind_info = [](libunwind::AddressSpace, libunwind::ProcInfo*, void*) {};
  accessors.get_dyn_info_list_addr = [](libunwind::AddressSpace, libunwind::Word*, void*) {
    return static_cast<int>(libunwind::kNoInfo);
  };
  accessors.access_mem = &AccessMemory;
  accessors.access_reg = &AccessRegister;
  accessors.access_fpreg = [](libunwind::AddressSpace, int, void*, int, void*) {
    return static_cast<int>(libunwind::kBadRegister);
  };
  accessors.resume = [](libunwind::AddressSpace, libunwind::Cursor*, void*) {
    return static_cast<int>(libunwind::kInvalid);
  };
  accessors.get_proc_name = [](libunwind::AddressSpace, libunwind::Word, char*, std::size_t,
                               libunwind::Word*,
                               void*) { return static_cast<int>(libunwind::kNoInfo); };
  unwinder->space_ = functions.create_addr_space(&accessors, libunwind::kLittleEndian);
  if (unwinder->space_ == nullptr) {
    return Error{ErrorCode::kSystem, "no memory for libunwind"};
  }
  functions.set_caching_policy(unwinder->space_, libunwind::kCacheGlobal);
  return unwinder;
}

DeferredUnwinder::~DeferredUnwinder() {
  if (space_ != nullptr) library_.destroy_addr_space(space_);
}

// What libunwind remembers of code is wrong once other code is at its address.
void DeferredUnwinder::NoteModule(std::uint32_t module) {
  const LoadedModule& loaded = modules_.At(module);
  const auto [at, is_new] = module_at_.try_emplace(loaded.code_start, module);
  if (is_new || at->second == module) return;
  at->second = module;
  library_.flush_cache(space_, 0, 0);
}

// By what was loaded when the stack was copied.
std::uint32_t DeferredUnwinder::ModuleOf(std::uint64_t pc) const {
  for (const std::uint16_t entry : copied_.modules) {
    if (entry != 0 && modules_.At(entry - 1U).Holds(pc)) return entry - 1U;
  }
  return ModuleRegistry::kNone;
}

const DeferredUnwinder::Tables* DeferredUnwinder::TablesOf(std::uint32_t module) {
  const auto known = tables_.find(module);
  if (known != tables_.end()) return &known->second;
  if (tables_.size() == kTableCapacity) tables_.clear();  // They are copied again when needed.
  const TableRange& range = modules_.At(module).tables;
  Tables tables;
  tables.start = range.start;
  tables.header = range.header;
  const std::size_t size = range.limit - range.start;
  if (range.header >= range.start && range.header < range.limit && size <= kLargestTables) {
    tables.bytes.resize(size);
    // Another file may be there by now.
    if (!Copy(range.start, size, tables.bytes.data()) || !modules_.IsStillLoaded(module))
      return nullptr;
  }
  return &tables_.emplace(module, std::move(tables)).first->second;
}

int DeferredUnwinder::FindProcInfo(libunwind::AddressSpace space, libunwind::Word ip,
                                   libunwind::ProcInfo* info, int need_unwind_info, void* self) {
  auto& unwinder = *static_cast<DeferredUnwinder*>(self);
  const std::uint32_t module = unwinder.ModuleOf(ip);
  if (module == ModuleRegistry::kNone) return libunwind::kNoInfo;
  const Tables* tables = unwinder.TablesOf(module);
  if (tables == nullptr || tables->bytes.empty()) return libunwind::kNoInfo;
  unwinder.current_ = tables;

  // .eh_frame_hdr: version, three encodings, a pointer, a count, and the table.
  const auto bytes = reinterpret_cast<std::uint64_t>(tables->bytes.data());
  ByteReader header(bytes + (tables->header - tables->start), bytes + tables->bytes.size());
  const auto version = header.Fixed<std::uint8_t>();
  const auto frame_encoding = header.Fixed<std::uint8_t>();
  const auto count_encoding = header.Fixed<std::uint8_t>();
  header.Fixed<std::uint8_t>();
  header.Pointer(frame_encoding);
  const std::uint64_t count = header.Pointer(count_encoding);
  if (version != 1 || header.failed()) return libunwind::kNoInfo;

  const LoadedModule& loaded = unwinder.modules_.At(module);
  libunwind::DynInfo table{};
  table.start_ip = loaded.code_start;
  table.end_ip = loaded.code_limit;
  table.format = libunwind::kFormatRemoteTable;
  table.segment_base = tables->header;
  table.table_words = count;
  table.table = tables->header + (header.at() - (bytes + (tables->header - tables->start)));
  return unwinder.library_.search_unwind_table(space, ip, &table, info, need_unwind_info, self);
}

int DeferredUnwinder::AccessMemory(libunwind::AddressSpace, libunwind::Word address,
                                   libunwind::Word* word, int write, void* self) {
  auto& unwinder = *static_cast<DeferredUnwinder*>(self);
  if (write != 0) return libunwind::kInvalid;
  const std::uint64_t stack = unwinder.copied_.registers[kRsp] & ~std::uint64_t{7};
  const std::uint64_t into_stack = address - stack;
  if (address >= stack && into_stack % 8 == 0 && into_stack / 8 < unwinder.stack_.size()) {
    *word = unwinder.stack_[into_stack / 8];
    return libunwind::kSuccess;
  }
  if (const Tables* tables = unwinder.current_; tables != nullptr && address >= tables->start) {
    // Words are asked for whole; the last one of a table may reach behind it.
    const std::uint64_t at = address - tables->start;
    if (at < tables->bytes.size()) {
      *word = 0;
      std::memcpy(word, tables->bytes.data() + at,
                  std::min<std::size_t>(8, tables->bytes.size() - at));
      return libunwind::kSuccess;
    }
  }
  // The tables also name the function that catches exceptions, through a word of the module's
  // data. It must be readable, but nobody looks at it.
  for (const std::uint16_t entry : unwinder.copied_.modules) {
    if (entry == 0) continue;
    const LoadedModule& module = unwinder.modules_.At(entry - 1U);
    if (address < module.map_start || address >= module.map_limit) continue;
    *word = 0;
    return libunwind::kSuccess;
  }
  unwinder.read_failed_ = true;
  return libunwind::kInvalid;
}

int DeferredUnwinder::AccessRegister(libunwind::AddressSpace, int reg, libunwind::Word* word,
                                     int write, void* self) {
  auto& unwinder = *static_cast<DeferredUnwinder*>(self);
  if (write != 0) return libunwind::kReadOnlyRegister;
  if (reg < 0 || reg >= kRegisterCount) return libunwind::kBadRegister;
  *word = unwinder.copied_.registers[reg];
  return libunwind::kSuccess;
}

UnwoundStack DeferredUnwinder::Unwind(std::span<const std::uint64_t> words, PackedFrame* frames,
                                      std::uint32_t capacity) {
  UnwoundStack result;
  if (words.size() < kCopiedHeadWords) {
    result.truncation = Truncation::kBadRead;
    return result;
  }
  std::memcpy(static_cast<void*>(&copied_), words.data(), sizeof(copied_));
  stack_ = words.subspan(kCopiedHeadWords);
  current_ = nullptr;
  libunwind::Cursor cursor;
  if (library_.init_remote(&cursor, space_, this) < 0) {
    result.truncation = Truncation::kNoRule;
    return result;
  }
  for (bool leaf = true;; leaf = false) {
    libunwind::Word ip = 0;
    if (library_.get_reg(&cursor, libunwind::kRegisterRip, &ip) < 0 || ip == 0) break;
    const std::uint32_t module = ModuleOf(leaf ? ip : ip - 1);
    if (module == ModuleRegistry::kNone && !leaf) {
      result.truncation = Truncation::kNoModule;
      break;
    }
    if (result.depth == capacity) {
      result.truncation = Truncation::kDepth;
      break;
    }
    frames[result.depth++] = PackedFrame(ip, module);
    if (module == ModuleRegistry::kNone) {
      result.truncation = Truncation::kNoModule;
      break;
    }
    NoteModule(module);
    current_ = TablesOf(module);
    read_failed_ = false;
    const int stepped = library_.step(&cursor);
    if (stepped == 0 && !read_failed_) break;
    if (stepped <= 0) {
      result.truncation = read_failed_ ? Truncation::kBadRead : Truncation::kNoRule;
      break;
    }
  }
  return result;
}

}  // namespace sonde
