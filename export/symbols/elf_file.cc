// ElfFile: an ELF file that is open for reading, and what its headers say.

#include "export/symbols/elf_file.h"

#include <elfutils/libdwelf.h>

#include <algorithm>
#include <utility>

namespace sonde::symbols {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 30;

}  // namespace

std::string HexOf(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    hex += kDigits[value >> 4];
    hex += kDigits[value & 15];
  }
  return hex;
}

std::optional<std::uint64_t> AddressOfOffset(const std::vector<LoadSegment>& segments,
                                             std::uint64_t offset) noexcept {
  for (const LoadSegment& segment : segments) {
    if (offset >= segment.offset && offset - segment.offset < segment.size) {
      return offset - segment.offset + segment.address;
    }
  }
  return std::nullopt;
}

Result<ElfFile> ElfFile::Open(const std::string& path) {
  Result<InputBytes> read = InputBytes::OpenWriteable(path, kLargestFile);
  if (!read.ok()) {
    return Error{.code = ErrorCode::kNotFound, .message = read.error().message, .file = path};
  }
  auto bytes = std::make_unique<const InputBytes>(std::move(read).value());
  const std::string_view image = bytes->bytes();
  elf_version(EV_CURRENT);
  // libelf writes headers of sections that it uncompresses.
  Elf* const elf =
      image.empty() ? nullptr : elf_memory(const_cast<char*>(image.data()), image.size());
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    return Error{.code = ErrorCode::kMalformed, .message = "not an ELF file", .file = path};
  }
  return ElfFile(path, std::move(bytes), elf);
}

ElfFile::ElfFile(std::string path, std::unique_ptr<const InputBytes> bytes, Elf* elf)
    : path_(std::move(path)), bytes_(std::move(bytes)), elf_(elf) {
  ReadHeaders();
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::move(other.bytes_)),
      elf_(std::exchange(other.elf_, nullptr)),
      build_id_(std::move(other.build_id_)),
      segments_(std::move(other.segments_)),
      has_dwarf_(other.has_dwarf_),
      has_symbol_table_(other.has_symbol_table_) {}

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(elf_, other.elf_);
  std::swap(build_id_, other.build_id_);
  std::swap(segments_, other.segments_);
  std::swap(has_dwarf_, other.has_dwarf_);
  std::swap(has_symbol_table_, other.has_symbol_table_);
  return *this;
}

ElfFile::~ElfFile() { elf_end(elf_); }

void ElfFile::ReadHeaders() {
  const void* id = nullptr;
  const ssize_t id_size = dwelf_elf_gnu_build_id(elf_, &id);
  if (id_size > 0) {
    build_id_ = HexOf({static_cast<const char*>(id), static_cast<std::size_t>(id_size)});
  }

  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr) continue;
      if (header.p_type != PT_LOAD) continue;
      segments_.push_back(
          {header.p_offset, header.p_filesz, header.p_vaddr, (header.p_flags & PF_X) != 0});
    }
  }

  has_dwarf_ = FindSection(".debug_info") != nullptr || FindSection(".zdebug_info") != nullptr;
  has_symbol_table_ = FindSection(".symtab") != nullptr;
}

Status ElfFile::CheckHeaders() const {
  GElf_Ehdr header;
  if (gelf_getehdr(elf_, &header) == nullptr) {
    return Error{
        .code = ErrorCode::kMalformed, .message = "the ELF header cannot be read", .file = path_};
  }
  struct Table {
    const char* name;
    std::uint64_t offset, size;
  };
  const std::uint64_t end = bytes_->bytes().size();
  // Of more sections than the header can count, it counts none; there is one at least.
  const std::uint64_t sections = std::max<std::uint64_t>(header.e_shnum, 1);
  for (const Table& table :
       {Table{"program", header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize},
        Table{"section", header.e_shoff, sections * header.e_shentsize}}) {
    if (table.offset == 0 || (table.offset <= end && table.size <= end - table.offset)) continue;
    return Error{.code = ErrorCode::kMalformed,
                 .message = std::string("the ") + table.name + " headers run past the end, " +
                            std::to_string(end) + " bytes: the file was cut off",
                 .byte_offset = table.offset,
                 .file = path_};
  }
  return {};
}

Elf_Scn* ElfFile::FindSection(std::string_view name) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
       section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const text = elf_strptr(elf_, names, header.sh_name);
    // A debug file keeps the headers of the sections that it leaves out.
    if (text != nullptr && name == text && header.sh_type != SHT_NOBITS) return section;
  }
  return nullptr;
}

std::optional<DebugLink> ElfFile::debug_link() const {
  GElf_Word crc = 0;
  const char* const name = dwelf_elf_gnu_debuglink(elf_, &crc);
  if (name == nullptr || *name == '\0') return std::nullopt;
  return DebugLink{name, crc};
}

std::optional<SectionPlace> ElfFile::FindPlace(std::string_view name) const {
  GElf_Shdr header;
  Elf_Scn* const section = FindSection(name);
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return std::nullopt;
  return SectionPlace{header.sh_addr, header.sh_size};
}

std::string_view ElfFile::SectionBytes(std::string_view name) const {
  Elf_Scn* const section = FindSection(name);
  if (section == nullptr) return {};
  const Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

}  // namespace sonde::symbols
