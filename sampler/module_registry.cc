// ModuleRegistry: see module_registry.h. Runs in the handler, but for Prepare.

#include "sampler/module_registry.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "sampler/stack_reader.h"

namespace sonde {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t Word(std::uint64_t address) {
  std::uint64_t word;
  __builtin_memcpy(&word, reinterpret_cast<const void*>(address), sizeof(word));
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
Fingerprint TakeFingerprint(const LoadedModule& module) {
  if (module.build_id_address != 0) {
    return {Word(module.build_id_address), Word(module.build_id_address + 8)};
  }
  const std::uint64_t header = module.map_start;
  std::uint64_t layout = Mix(Word(header + offsetof(Elf64_Ehdr, e_entry))) ^
                         Word(header + offsetof(Elf64_Ehdr, e_shoff));
  std::uint64_t entries = 0;
  const TableRange& tables = module.tables;
  if (!tables.indexed && tables.header >= tables.start && tables.header < tables.limit) {
    const std::uint64_t end = tables.limit - tables.header < 64 ? tables.limit : tables.header + 64;
    for (std::uint64_t at = tables.header; at + 8 <= end; at += 8)
      entries = Mix(entries) ^ Word(at);
  }
  return {layout, entries};
}

class ProgramHeaders {
 public:
  // Of the ELF file mapped at `start`.
  ProgramHeaders(std::uint64_t start, std::uint64_t limit) : start_(start), limit_(limit) {
    if (limit - start < kPage || !IsReadable(start)) return;
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(start);
    if (header->e_ident[0] != 0x7f || header->e_ident[1] != 'E' || header->e_ident[2] != 'L' ||
        header->e_ident[3] != 'F' || header->e_phentsize != sizeof(Elf64_Phdr) ||
        header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > kPage) {
      return;
    }
    first_ = start + header->e_phoff;
    count_ = header->e_phnum;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (At(i).p_type != PT_LOAD) continue;
      bias_ = start - (At(i).p_vaddr & ~(kPage - 1));
      break;
    }
  }

  std::uint32_t count() const { return count_; }
  std::uint64_t bias() const { return bias_; }
  const Elf64_Phdr& At(std::uint32_t index) const {
    return reinterpret_cast<const Elf64_Phdr*>(first_)[index];
  }

  // The loaded segment that holds `address`, or null.
  const Elf64_Phdr* Segment(std::uint64_t address) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Elf64_Phdr& segment = At(i);
      const std::uint64_t begin = bias_ + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz &&
          begin >= start_ - kPage && begin + segment.p_memsz <= limit_ + kPage) {
        return &segment;
      }
    }
    return nullptr;
  }

  // Copies the build id of the file; its notes must lie in the first page, which is
  // known to be readable.
  void CopyBuildId(LoadedModule& module) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (At(i).p_type != PT_NOTE) continue;
      std::uint64_t at = bias_ + At(i).p_vaddr;
      const std::uint64_t end = at + At(i).p_filesz;
      if (at < start_ || end > start_ + kPage || end < at) continue;
      while (end - at >= sizeof(Elf64_Nhdr)) {
        const auto* note = reinterpret_cast<const Elf64_Nhdr*>(at);
        const std::uint64_t name = at + sizeof(Elf64_Nhdr);
        const std::uint64_t description =
            name + ((std::uint64_t{note->n_namesz} + 3) & ~std::uint64_t{3});
        const std::uint64_t next =
            description + ((std::uint64_t{note->n_descsz} + 3) & ~std::uint64_t{3});
        if (next > end) break;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz >= 16) {
          const std::uint32_t size = note->n_descsz < 32 ? note->n_descsz : 32;
          module.build_id_address = description;
          module.build_id_size = size;
          for (std::uint32_t k = 0; k < size; ++k) {
            module.build_id[k] = reinterpret_cast<const std::uint8_t*>(description)[k];
          }
          return;
        }
        at = next;
      }
    }
  }

 private:
  std::uint64_t start_;
  std::uint64_t limit_;
  std::uint64_t first_ = 0;
  std::uint64_t bias_ = 0;
  std::uint32_t count_ = 0;
};

void CopyName(std::uint64_t link_map, LoadedModule& module) {
  if (link_map == 0 || !IsReadable(link_map)) return;
  const auto from =
      reinterpret_cast<std::uint64_t>(reinterpret_cast<const struct link_map*>(link_map)->l_name);
  if (from < kPage) return;
  for (std::uint64_t i = 0; i + 1 < sizeof(module.path); ++i) {
    if ((i == 0 || (from + i) % kPage == 0) && !IsReadable(from + i)) return;
    const char c = *reinterpret_cast<const char*>(from + i);
    if (c == '\0') return;
    module.path[i] = c;
  }
}

}  // namespace

void ModuleRegistry::Prepare() noexcept { find_object_ = &_dl_find_object; }

bool ModuleRegistry::Place::IsOf(const LoadedModule& module) const noexcept {
  return map_start == module.map_start && map_limit == module.map_limit &&
         link_map == module.link_map && (module.tables.indexed || module.tables.header == header);
}

std::uint32_t ModuleRegistry::Find(std::uint64_t pc) noexcept {
  struct dl_find_object found;
  if (find_object_(reinterpret_cast<void*>(pc), &found) != 0) return kNone;
  const Place place = {reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
                       reinterpret_cast<std::uint64_t>(found.dlfo_map_end),
                       reinterpret_cast<std::uint64_t>(found.dlfo_link_map),
                       reinterpret_cast<std::uint64_t>(found.dlfo_eh_frame)};

  auto slot = static_cast<std::uint32_t>(Mix(place.map_start ^ place.link_map) % kSlots);
  for (std::uint32_t probes = 0; probes < kSlots; ++probes, slot = (slot + 1) % kSlots) {
    const std::uint32_t occupant = slots_[slot].load(std::memory_order_acquire);
    if (occupant == 0) break;
    const LoadedModule& module = modules_[occupant - 1];
    if (!place.IsOf(module) || !module.Holds(pc)) continue;
    const Fingerprint now = TakeFingerprint(module);
    if (now.first == module.fingerprint[0] && now.second == module.fingerprint[1]) {
      return occupant - 1;
    }
  }
  return Insert(place, pc, slot);
}

std::uint32_t ModuleRegistry::Insert(const Place& place, std::uint64_t pc,
                                     std::uint32_t slot) noexcept {
  const ProgramHeaders headers(place.map_start, place.map_limit);
  const Elf64_Phdr* code = headers.Segment(pc);
  if (code == nullptr || (code->p_flags & PF_X) == 0) return kNone;

  std::uint32_t index = count_.load(std::memory_order_relaxed);
  do {
    if (index == kCapacity) {
      refused_.fetch_add(1, std::memory_order_relaxed);
      return kNone;
    }
  } while (!count_.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));

  LoadedModule& module = modules_[index];
  module.map_start = place.map_start;
  module.map_limit = place.map_limit;
  module.link_map = place.link_map;
  module.tables.header = place.header;
  module.bias = headers.bias();
  module.code_start = headers.bias() + code->p_vaddr;
  module.code_limit = module.code_start + code->p_memsz;
  module.file_offset = code->p_offset;
  if (const Elf64_Phdr* tables = headers.Segment(place.header)) {
    module.tables.start = headers.bias() + tables->p_vaddr;
    module.tables.limit = module.tables.start + tables->p_filesz;
  } else if (program_tables_.header != 0 && program_tables_.start >= place.map_start &&
             program_tables_.limit <= place.map_limit) {
    module.tables = program_tables_;
  }
  headers.CopyBuildId(module);
  const Fingerprint fingerprint = TakeFingerprint(module);
  module.fingerprint[0] = fingerprint.first;
  module.fingerprint[1] = fingerprint.second;
  CopyName(place.link_map, module);

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
