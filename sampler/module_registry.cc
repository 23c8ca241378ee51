// ModuleRegistry: see module_registry.h. Runs in the handler, but for Prepare.

#include "sampler/module_registry.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "sampler/stack_reader.h"

namespace sonde {
namespace {

constexpr std::uint64_t kPage = 4096;

// Memory of a file that is loaded for as long as it is looked at.
struct LoadedMemory {
  static bool Read(std::uint64_t address, std::uint64_t size, void* to) {
    __builtin_memcpy(to, reinterpret_cast<const void*>(address), size);
    return true;
  }
  static bool CanRead(std::uint64_t address) { return IsReadable(address); }
  static constexpr bool kMayBeData = false;
};

// Memory that may be gone at any moment: the kernel copies it, or says that it cannot.
struct VanishingMemory {
  static bool Read(std::uint64_t address, std::uint64_t size, void* to) {
    return ReadThroughKernel(address, size, to);
  }
  static bool CanRead(std::uint64_t) { return true; }
  static constexpr bool kMayBeData = true;
};

template <typename Memory>
std::uint64_t Word(std::uint64_t address) {
  std::uint64_t word = 0;
  Memory::Read(address, sizeof(word), &word);
  return word;
}

std::uint64_t Mix(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9e37'79b9'7f4a'7c15;
  return value ^ value >> 29;
}

// What to compare in memory to know that the file at a place is still the same one.
struct Fingerprint {
  std::uint64_t first;
  std::uint64_t second;
};

// The start of the build id, or of a file without one its layout and first table entries.
template <typename Memory>
Fingerprint TakeFingerprint(const LoadedModule& module) {
  if (module.build_id_address != 0) {
    return {Word<Memory>(module.build_id_address), Word<Memory>(module.build_id_address + 8)};
  }
  const std::uint64_t header = module.map_start;
  std::uint64_t layout = Mix(Word<Memory>(header + offsetof(Elf64_Ehdr, e_entry))) ^
                         Word<Memory>(header + offsetof(Elf64_Ehdr, e_shoff));
  std::uint64_t entries = 0;
  const TableRange& tables = module.tables;
  if (tables.header != 0 && tables.header < tables.header_limit) {
    const std::uint64_t end =
        tables.header_limit - tables.header < 64 ? tables.header_limit : tables.header + 64;
    for (std::uint64_t at = tables.header; at + 8 <= end; at += 8)
      entries = Mix(entries) ^ Word<Memory>(at);
  }
  return {layout, entries};
}

// The program headers of the ELF file that is mapped at `start`. They and its notes must lie
// in its first page.
template <typename Memory>
class ProgramHeaders {
 public:
  ProgramHeaders(std::uint64_t start, std::uint64_t limit) : start_(start), limit_(limit) {
    if (limit - start < kPage || !Memory::CanRead(start)) return;
    Elf64_Ehdr header;
    if (!Memory::Read(start, sizeof(header), &header)) return;
    if (header.e_ident[0] != 0x7f || header.e_ident[1] != 'E' || header.e_ident[2] != 'L' ||
        header.e_ident[3] != 'F' || header.e_phentsize != sizeof(Elf64_Phdr) ||
        header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr) > kPage) {
      return;
    }
    first_ = start + header.e_phoff;
    count_ = header.e_phnum;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Elf64_Phdr segment = At(i);
      if (segment.p_type != PT_LOAD) continue;
      bias_ = start - (segment.p_vaddr & ~(kPage - 1));
      break;
    }
  }

  std::uint64_t bias() const { return bias_; }

  // Finds the loaded segment that holds `address`.
  bool FindSegment(std::uint64_t address, Elf64_Phdr& found) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      found = At(i);
      const std::uint64_t begin = bias_ + found.p_vaddr;
      if (found.p_type == PT_LOAD && address >= begin && address - begin < found.p_memsz &&
          begin >= start_ - kPage && begin + found.p_memsz <= limit_ + kPage) {
        return true;
      }
    }
    return false;
  }

  void CopyBuildId(LoadedModule& module) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Elf64_Phdr segment = At(i);
      if (segment.p_type != PT_NOTE) continue;
      std::uint64_t at = bias_ + segment.p_vaddr;
      const std::uint64_t end = at + segment.p_filesz;
      if (at < start_ || end > start_ + kPage || end < at) continue;
      while (end - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        if (!Memory::Read(at, sizeof(note), &note)) return;
        const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
        const std::uint64_t description = at + sizeof(note) + padded(note.n_namesz);
        const std::uint64_t next = description + padded(note.n_descsz);
        if (next > end) break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz >= 16) {
          const std::uint32_t size = note.n_descsz < 32 ? note.n_descsz : 32;
          if (!Memory::Read(description, size, module.build_id)) return;
          module.build_id_address = description;
          module.build_id_size = size;
          return;
        }
        at = next;
      }
    }
  }

 private:
  Elf64_Phdr At(std::uint32_t index) const {
    Elf64_Phdr segment = {};
    Memory::Read(first_ + index * sizeof(segment), sizeof(segment), &segment);
    return segment;
  }

  std::uint64_t start_;
  std::uint64_t limit_;
  std::uint64_t first_ = 0;
  std::uint64_t bias_ = 0;
  std::uint32_t count_ = 0;
};

template <typename Memory>
void CopyName(std::uint64_t link_map, LoadedModule& module) {
  struct link_map loaded = {};
  if (link_map == 0 || !Memory::CanRead(link_map) ||
      !Memory::Read(link_map, sizeof(loaded), &loaded)) {
    return;
  }
  const auto from = reinterpret_cast<std::uint64_t>(loaded.l_name);
  if (from < kPage) return;
  for (std::uint64_t i = 0; i + 1 < sizeof(module.path); ++i) {
    char c = '\0';
    if ((i == 0 || (from + i) % kPage == 0) && !Memory::CanRead(from + i)) return;
    if (!Memory::Read(from + i, 1, &c) || c == '\0') return;
    module.path[i] = c;
  }
}

}  // namespace

void ModuleRegistry::Prepare(const ProgramTables& program) noexcept {
  if (find_object_ != nullptr) return;
  program_ = program;
  find_object_ = &_dl_find_object;
}

std::uint32_t ModuleRegistry::Find(std::uint64_t pc) noexcept { return FindIn<LoadedMemory>(pc); }

std::uint32_t ModuleRegistry::FindAnything(std::uint64_t word) noexcept {
  return FindIn<VanishingMemory>(word);
}

bool ModuleRegistry::IsStillLoaded(std::uint32_t index) const noexcept {
  const LoadedModule& module = modules_[index];
  const Fingerprint now = TakeFingerprint<VanishingMemory>(module);
  return now.first == module.fingerprint[0] && now.second == module.fingerprint[1];
}

bool ModuleRegistry::Place::IsOf(const LoadedModule& module) const noexcept {
  return map_start == module.map_start && map_limit == module.map_limit &&
         link_map == module.link_map && module.tables.header == header;
}

template <typename Memory>
std::uint32_t ModuleRegistry::FindIn(std::uint64_t pc) noexcept {
  struct dl_find_object found;
  if (find_object_(reinterpret_cast<void*>(pc), &found) != 0) return kNone;
  Place place = {reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
                 reinterpret_cast<std::uint64_t>(found.dlfo_map_end),
                 reinterpret_cast<std::uint64_t>(found.dlfo_link_map),
                 reinterpret_cast<std::uint64_t>(found.dlfo_eh_frame)};
  if (program_.Holds(place.map_start)) {
    // Of a static program the loader says where its code is, not where its file begins.
    place.map_start = program_.start;
    place.map_limit = program_.limit;
    if (place.header == 0) place.header = program_.tables.header;
  }

  auto slot = static_cast<std::uint32_t>(Mix(place.map_start ^ place.link_map) % kSlots);
  for (std::uint32_t probes = 0; probes < kSlots; ++probes, slot = (slot + 1) % kSlots) {
    const std::uint32_t occupant = slots_[slot].load(std::memory_order_acquire);
    if (occupant == 0) break;
    const LoadedModule& module = modules_[occupant - 1];
    if (!place.IsOf(module)) continue;
    if (!module.Holds(pc)) {
      if (Memory::kMayBeData) return kNone;  // Not worth a look at the file's headers.
      continue;
    }
    const Fingerprint now = TakeFingerprint<Memory>(module);
    if (now.first == module.fingerprint[0] && now.second == module.fingerprint[1]) {
      return occupant - 1;
    }
  }
  return Insert<Memory>(place, pc, slot);
}

template <typename Memory>
std::uint32_t ModuleRegistry::Insert(const Place& place, std::uint64_t pc,
                                     std::uint32_t slot) noexcept {
  const ProgramHeaders<Memory> headers(place.map_start, place.map_limit);
  Elf64_Phdr code;
  if (!headers.FindSegment(pc, code) || (code.p_flags & PF_X) == 0) return kNone;

  std::uint32_t index = count_.load(std::memory_order_relaxed);
  do {
    if (index == kCapacity) return kNone;
  } while (!count_.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));

  LoadedModule& module = modules_[index];
  module.map_start = place.map_start;
  module.map_limit = place.map_limit;
  module.link_map = place.link_map;
  module.tables.header = place.header;
  module.bias = headers.bias();
  module.code_start = headers.bias() + code.p_vaddr;
  module.code_limit = module.code_start + code.p_memsz;
  module.file_offset = code.p_offset;
  if (Elf64_Phdr tables; headers.FindSegment(place.header, tables)) {
    module.tables.start = headers.bias() + tables.p_vaddr;
    module.tables.limit = module.tables.start + tables.p_filesz;
    module.tables.header_limit = module.tables.limit;
  } else if (place.header != 0 && place.header == program_.tables.header) {
    module.tables = program_.tables;
  }
  headers.CopyBuildId(module);
  const Fingerprint fingerprint = TakeFingerprint<Memory>(module);
  module.fingerprint[0] = fingerprint.first;
  module.fingerprint[1] = fingerprint.second;
  CopyName<Memory>(place.link_map, module);

  for (std::uint32_t probes = 0; probes < kSlots; ++probes, slot = (slot + 1) % kSlots) {
    std::uint16_t occupant = 0;
    if (slots_[slot].compare_exchange_strong(occupant, static_cast<std::uint16_t>(index + 1),
                                             std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
      return index;
    }
    // Another handler was faster; when it saw the same module, ours stays unused.
    const LoadedModule& other = modules_[occupant - 1];
    if (place.IsOf(other) && other.Holds(pc) && other.fingerprint[0] == module.fingerprint[0] &&
        other.fingerprint[1] == module.fingerprint[1]) {
      return static_cast<std::uint32_t>(occupant - 1);
    }
  }
  return kNone;
}

}  // namespace sonde
