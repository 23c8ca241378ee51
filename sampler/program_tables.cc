// ProgramTables: see program_tables.h.

#include "sampler/program_tables.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

namespace sonde {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostSections = 1 << 12;
constexpr std::uint64_t kLongestNames = 1 << 20;

// As .eh_frame_hdr has them: both relative to its start.
struct IndexEntry {
  std::int32_t pc;
  std::int32_t fde;
};

// The header in front of the entries: version 1, no pointer to .eh_frame, a count of 4 bytes,
// entries of 4-byte distances.
struct IndexHead {
  std::uint8_t encodings[4] = {1, 0xff, 0x03, 0x3b};
  std::uint32_t count = 0;
};

struct Function {
  std::uint64_t pc;
  std::uint64_t fde;
};

template <typename T>
bool ReadAt(int file, std::uint64_t offset, std::vector<T>& to) {
  const std::size_t size = to.size() * sizeof(T);
  return pread(file, to.data(), size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

// Where the program's .eh_frame is loaded, by the section headers of its file.
bool FindSection(int file, Elf64_Shdr& found) {
  std::vector<Elf64_Ehdr> header(1);
  if (!ReadAt(file, 0, header) || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_shentsize != sizeof(Elf64_Shdr) || header[0].e_shnum == 0 ||
      header[0].e_shnum > kMostSections || header[0].e_shstrndx >= header[0].e_shnum) {
    return false;
  }
  std::vector<Elf64_Shdr> sections(header[0].e_shnum);
  if (!ReadAt(file, header[0].e_shoff, sections)) return false;
  const Elf64_Shdr& names_section = sections[header[0].e_shstrndx];
  if (names_section.sh_size == 0 || names_section.sh_size > kLongestNames) return false;
  std::vector<char> names(names_section.sh_size);
  if (!ReadAt(file, names_section.sh_offset, names) || names.back() != '\0') return false;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names.size() || (section.sh_flags & SHF_ALLOC) == 0 ||
        std::string_view(&names[section.sh_name]) != ".eh_frame") {
      continue;
    }
    found = section;
    return true;
  }
  return false;
}

std::vector<Function> FunctionsIn(const TableRange& tables, std::uint64_t at, std::uint64_t end) {
  std::vector<Function> functions;
  while (end - at >= sizeof(std::uint32_t)) {
    std::uint32_t length = 0;
    std::memcpy(&length, reinterpret_cast<const void*>(at), sizeof(length));
    if (length == 0 || length > end - at - sizeof(length)) break;
    Fde fde;
    if (ParseFde(tables, at, fde)) functions.push_back({fde.pc_begin, at});
    at += sizeof(length) + length;
  }
  std::ranges::sort(functions, {}, &Function::pc);
  return functions;
}

// The address of an index over `functions`; 0 without memory in reach of them.
std::uint64_t MakeIndex(const std::vector<Function>& functions, std::uint64_t& limit) {
  const std::size_t bytes = sizeof(IndexHead) + functions.size() * sizeof(IndexEntry);
  // A program that is not position independent lies in the first 2 GiB.
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (memory == MAP_FAILED) return 0;
  const auto base = reinterpret_cast<std::uint64_t>(memory);
  auto* head = new (memory) IndexHead();
  auto* entries = reinterpret_cast<IndexEntry*>(base + sizeof(IndexHead));
  bool is_in_reach = true;
  const auto distance = [&](std::uint64_t to) {
    const auto wide = static_cast<std::int64_t>(to - base);
    const auto narrow = static_cast<std::int32_t>(wide);
    is_in_reach &= narrow == wide;
    return narrow;
  };
  for (const Function& function : functions) {
    entries[head->count++] = {distance(function.pc), distance(function.fde)};
  }
  if (!is_in_reach) {
    munmap(memory, bytes);
    return 0;
  }
  mprotect(memory, bytes, PROT_READ);
  limit = base + bytes;
  return base;
}

}  // namespace

ProgramTables FindProgramTables() noexcept {
  ProgramTables program;
  const auto headers = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  const std::uint64_t count = getauxval(AT_PHNUM);
  if (headers == nullptr) return program;
  // The program headers follow the ELF header, in its page.
  const std::uint64_t start = reinterpret_cast<std::uint64_t>(headers) & ~(kPage - 1);
  if (std::memcmp(reinterpret_cast<const void*>(start), ELFMAG, SELFMAG) != 0) return program;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest = 0;
  bool has_index = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    has_index |= headers[i].p_type == PT_GNU_EH_FRAME;
    if (headers[i].p_type != PT_LOAD) continue;
    lowest = std::min(lowest, headers[i].p_vaddr & ~(kPage - 1));
    highest = std::max(highest, headers[i].p_vaddr + headers[i].p_memsz);
  }
  if (lowest >= highest) return program;
  const std::uint64_t bias = start - lowest;
  program.start = start;
  program.limit = bias + highest;
  if (has_index) return program;

  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return program;
  Elf64_Shdr section{};
  const bool is_found = FindSection(file, section);
  close(file);
  if (!is_found) return program;
  const std::uint64_t address = bias + section.sh_addr;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = bias + headers[i].p_vaddr;
    const std::uint64_t end = begin + headers[i].p_filesz;
    if (headers[i].p_type != PT_LOAD || address < begin || address >= end ||
        section.sh_size > end - address) {
      continue;
    }
    const TableRange tables{.start = begin, .limit = end};
    const std::vector<Function> functions = FunctionsIn(tables, address, address + section.sh_size);
    if (functions.empty()) return program;
    program.tables = tables;
    program.tables.header = MakeIndex(functions, program.tables.header_limit);
  }
  return program;
}

}  // namespace sonde
