// ElfSymbols: the functions of one ELF file, by address.

#include "sonde/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace sonde {
namespace {

constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 30;
constexpr std::uint64_t kLargestNote = std::uint64_t{1} << 20;
constexpr std::size_t kLongestMangledName = 16 << 10;

Error Malformed(std::string message, std::uint64_t offset) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message), .byte_offset = offset};
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const noexcept { return value_; }

 private:
  int value_;
};

// The bytes of an ELF file, from a descriptor or from memory.
class Bytes {
 public:
  Bytes(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  explicit Bytes(std::string_view memory) : memory_(memory), size_(memory.size()) {}

  Status Read(std::uint64_t offset, std::uint64_t length, char* out) const {
    if (offset > size_ || length > size_ - offset) {
      return Malformed("a table runs past the end of the file", offset);
    }
    if (descriptor_ < 0) {
      std::memcpy(out, memory_.data() + offset, length);
      return {};
    }
    while (length > 0) {
      const ssize_t got = ::pread(descriptor_, out, length, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Malformed("the file ends inside a table", offset);
      out += got;
      offset += static_cast<std::uint64_t>(got);
      length -= static_cast<std::uint64_t>(got);
    }
    return {};
  }

  template <typename T>
  Result<std::vector<T>> ReadTable(std::uint64_t offset, std::uint64_t count) const {
    if (count > kLargestTable / sizeof(T)) {
      return Error{.code = ErrorCode::kLimit,
                   .message = "a table is larger than 1 GiB",
                   .byte_offset = offset};
    }
    if (count == 0) return std::vector<T>();
    if (offset > size_ || count * sizeof(T) > size_ - offset) {
      return Malformed("a table runs past the end of the file", offset);
    }
    std::vector<T> table(count);
    Status status = Read(offset, count * sizeof(T), reinterpret_cast<char*>(table.data()));
    if (!status.ok()) return status.error();
    return table;
  }

 private:
  int descriptor_ = -1;
  std::string_view memory_;
  std::uint64_t size_;
};

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// The build id among the notes of one segment or section; empty when there is none.
std::string BuildIdAmong(std::string_view notes) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    const std::uint64_t name_size = padded(header.n_namesz);
    if (name_size + padded(header.n_descsz) > notes.size()) {
      if (name_size + header.n_descsz != notes.size()) return {};  // The last may lack its padding.
    }
    const std::string_view description = notes.substr(name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU", 4)) {
      return Hex(description);
    }
    notes.remove_prefix(std::min<std::uint64_t>(notes.size(), name_size + padded(header.n_descsz)));
  }
  return {};
}

// Of several names for one function perf and people use the public one: not a
// local alias, without underscores in front, strong before weak, else the longer.
bool IsBetterName(const Elf64_Sym& a, std::string_view name_a, const Elf64_Sym& b,
                  std::string_view name_b) {
  const auto is_local = [](const Elf64_Sym& symbol) {
    return ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
  };
  const auto is_weak = [](const Elf64_Sym& symbol) {
    return ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
  };
  if (is_local(a) != is_local(b)) return is_local(b);
  const std::size_t underscores_a = std::min(name_a.find_first_not_of('_'), name_a.size());
  const std::size_t underscores_b = std::min(name_b.find_first_not_of('_'), name_b.size());
  if (underscores_a != underscores_b) return underscores_a < underscores_b;
  if (is_weak(a) != is_weak(b)) return is_weak(b);
  if (name_a.size() != name_b.size()) return name_a.size() > name_b.size();
  return name_a < name_b;
}

}  // namespace

// Reads the parts of one file.
class ElfReader {
 public:
  explicit ElfReader(const Bytes& bytes) : bytes_(bytes) {}

  // The headers and the build id.
  Status Start() {
    std::array<unsigned char, sizeof(Elf64_Ehdr)> raw{};
    if (!bytes_.Read(0, EI_NIDENT, reinterpret_cast<char*>(raw.data())).ok() ||
        std::memcmp(raw.data(), ELFMAG, SELFMAG) != 0) {
      return Malformed("is not an ELF file", 0);
    }
    if (raw[EI_CLASS] != ELFCLASS64 || raw[EI_DATA] != ELFDATA2LSB) {
      return Error{.code = ErrorCode::kUnsupported,
                   .message = "is an ELF file, but not 64-bit little-endian"};
    }
    Status status = bytes_.Read(0, raw.size(), reinterpret_cast<char*>(raw.data()));
    if (!status.ok()) return status;
    Elf64_Ehdr header;
    std::memcpy(&header, raw.data(), sizeof(header));
    if ((header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) ||
        (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))) {
      return Malformed("has headers of an unknown size", 0);
    }
    auto programs = bytes_.ReadTable<Elf64_Phdr>(header.e_phoff, header.e_phnum);
    if (!programs.ok()) return programs.error();
    std::uint64_t section_count = header.e_shnum;
    if (section_count == 0 && header.e_shoff != 0) {  // Too many for the field.
      auto first = bytes_.ReadTable<Elf64_Shdr>(header.e_shoff, 1);
      if (!first.ok()) return first.error();
      section_count = first.value()[0].sh_size;
    }
    auto sections = bytes_.ReadTable<Elf64_Shdr>(header.e_shoff, section_count);
    if (!sections.ok()) return sections.error();
    sections_ = std::move(sections).value();

    for (const Elf64_Phdr& program : programs.value()) {
      if (program.p_type == PT_LOAD) {
        found_.segments_.push_back({program.p_offset, program.p_vaddr, program.p_filesz});
      }
      if (program.p_type == PT_NOTE) TakeBuildId(program.p_offset, program.p_filesz);
    }
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_NOTE) TakeBuildId(section.sh_offset, section.sh_size);
    }
    return {};
  }

  const std::string& build_id() const noexcept { return found_.build_id_; }

  bool HasTable(std::uint32_t type) const {
    return std::ranges::any_of(
        sections_, [&](const Elf64_Shdr& s) { return s.sh_type == type && s.sh_size != 0; });
  }

  // Fills `into` from the symbol table of that type.
  Status ReadSymbols(std::uint32_t type, ElfSymbols& into) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != type || section.sh_size == 0) continue;
      if (section.sh_entsize != sizeof(Elf64_Sym) || section.sh_link >= sections_.size()) {
        return Malformed("has a symbol table of an unknown form", section.sh_offset);
      }
      auto symbols =
          bytes_.ReadTable<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
      if (!symbols.ok()) return symbols.error();
      const Elf64_Shdr& strings = sections_[section.sh_link];
      if (strings.sh_type != SHT_STRTAB) {
        return Malformed("has a symbol table without names", section.sh_offset);
      }
      auto names = bytes_.ReadTable<char>(strings.sh_offset, strings.sh_size);
      if (!names.ok()) return names.error();
      Fill(std::move(symbols).value(), {names.value().data(), names.value().size()}, into);
      return {};
    }
    return {};
  }

  ElfSymbols Take() && { return std::move(found_); }
  ElfSymbols& found() noexcept { return found_; }

 private:
  void TakeBuildId(std::uint64_t offset, std::uint64_t size) {
    if (!found_.build_id_.empty() || size > kLargestNote) return;
    auto notes = bytes_.ReadTable<char>(offset, size);
    if (notes.ok()) found_.build_id_ = BuildIdAmong({notes.value().data(), notes.value().size()});
  }

  // A function, or an untyped label in code (assembly, linker stubs).
  bool IsCode(const Elf64_Sym& symbol) const {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC) return true;
    return type == STT_NOTYPE && (sections_[symbol.st_shndx].sh_flags & SHF_EXECINSTR) != 0;
  }

  void Fill(std::vector<Elf64_Sym> symbols, std::string_view names, ElfSymbols& into) const {
    const auto name_of = [&](const Elf64_Sym& symbol) {
      if (symbol.st_name >= names.size()) return std::string_view();
      const std::string_view rest = names.substr(symbol.st_name);
      return rest.substr(0, rest.find('\0'));
    };
    std::erase_if(symbols, [&](const Elf64_Sym& symbol) {
      if (!IsCode(symbol)) return true;
      const std::string_view name = name_of(symbol);
      return name.empty() || name.front() == '$';  // "$x" marks data in code on ARM.
    });
    // Of those at one address the first is kept.
    std::ranges::sort(symbols, [&](const Elf64_Sym& a, const Elf64_Sym& b) {
      if (a.st_value != b.st_value) return a.st_value < b.st_value;
      const bool sized_a = a.st_size != 0;
      const bool sized_b = b.st_size != 0;
      if (sized_a != sized_b) return sized_a;
      return IsBetterName(a, name_of(a), b, name_of(b));
    });
    const auto same = [](const Elf64_Sym& a, const Elf64_Sym& b) {
      return a.st_value == b.st_value;
    };
    symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());

    into.entries_.reserve(symbols.size());
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const Elf64_Sym& symbol = symbols[i];
      const std::uint64_t next = i + 1 < symbols.size() ? symbols[i + 1].st_value : UINT64_MAX;
      const std::uint64_t size = ExtentOf(symbol, next);
      into.entries_.push_back({symbol.st_value, static_cast<std::uint32_t>(size),
                               static_cast<std::uint32_t>(into.names_.size()),
                               into.Enclosing(into.entries_.size(), symbol.st_value)});
      into.names_ += name_of(symbol);
      into.names_ += '\0';
    }
  }

  // A symbol without a size ends at the next one, or with its section.
  std::uint64_t ExtentOf(const Elf64_Sym& symbol, std::uint64_t next) const {
    const Elf64_Shdr& section = sections_[symbol.st_shndx];
    const std::uint64_t offset = symbol.st_value - section.sh_addr;
    std::uint64_t size = symbol.st_size;
    if (size == 0) {
      size = next - symbol.st_value;
      if (offset < section.sh_size) size = std::min(size, section.sh_size - offset);
    }
    size = std::min<std::uint64_t>(size, UINT32_MAX);
    return std::min(size, UINT64_MAX - symbol.st_value);
  }

  const Bytes& bytes_;
  std::vector<Elf64_Shdr> sections_;
  ElfSymbols found_;
};

namespace {

struct OpenFile {
  std::unique_ptr<Descriptor> descriptor;
  std::uint64_t size = 0;
};

Result<OpenFile> OpenRegular(const std::string& path) {
  // Without O_NONBLOCK a FIFO of that name would wait for a writer.
  auto descriptor =
      std::make_unique<Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor->value() < 0) {
    const ErrorCode code =
        errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kInvalid;
    return Error{.code = code, .message = std::string("cannot open: ") + std::strerror(errno)};
  }
  struct stat status {};
  if (::fstat(descriptor->value(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kInvalid, .message = "is not a regular file"};
  }
  return OpenFile{std::move(descriptor), static_cast<std::uint64_t>(status.st_size)};
}

// Adds the symbols of the separate debug file, if there is one.
void ReadDebugFile(const std::string& root, const std::string& build_id, ElfSymbols& into) {
  if (root.empty() || build_id.size() < 4) return;
  const std::string path =
      root + "/.build-id/" + build_id.substr(0, 2) + '/' + build_id.substr(2) + ".debug";
  Result<OpenFile> file = OpenRegular(path);
  if (!file.ok()) return;
  const Bytes bytes(file.value().descriptor->value(), file.value().size);
  ElfReader reader(bytes);
  if (!reader.Start().ok() || reader.build_id() != build_id) return;
  static_cast<void>(reader.ReadSymbols(SHT_SYMTAB, into));  // A bad debug file is as good as none.
}

Result<ElfSymbols> ReadAll(const Bytes& bytes, const ElfOptions& options) {
  ElfReader reader(bytes);
  if (Status status = reader.Start(); !status.ok()) return status.error();
  if (!options.build_id.empty() && reader.build_id() != options.build_id) {
    return Error{
        .code = ErrorCode::kInvalid,
        .message = "has build id '" + reader.build_id() + "', not '" + options.build_id + "'"};
  }
  ElfSymbols& found = reader.found();
  if (reader.HasTable(SHT_SYMTAB)) {
    if (Status status = reader.ReadSymbols(SHT_SYMTAB, found); !status.ok()) return status.error();
  } else {
    ReadDebugFile(options.debug_root, reader.build_id(), found);
  }
  if (found.size() == 0) {
    if (Status status = reader.ReadSymbols(SHT_DYNSYM, found); !status.ok()) return status.error();
  }
  return std::move(reader).Take();
}

}  // namespace

Result<ElfSymbols> ElfSymbols::Open(const std::string& path, const ElfOptions& options) {
  Result<OpenFile> file = OpenRegular(path);
  if (!file.ok()) return InFile(file.error(), path);
  Result<ElfSymbols> symbols =
      ReadAll(Bytes(file.value().descriptor->value(), file.value().size), options);
  if (!symbols.ok()) return InFile(symbols.error(), path);
  return symbols;
}

Result<ElfSymbols> ElfSymbols::FromImage(std::string_view image, const ElfOptions& options) {
  return ReadAll(Bytes(image), options);
}

ElfSymbol ElfSymbols::symbol(std::size_t index) const noexcept {
  const Entry& entry = entries_[index];
  return {names_.c_str() + entry.name, entry.address, entry.size};
}

std::uint32_t ElfSymbols::Enclosing(std::size_t end, std::uint64_t address) const noexcept {
  std::uint32_t index = end == 0 ? kNone : static_cast<std::uint32_t>(end - 1);
  while (index != kNone && address - entries_[index].address >= entries_[index].size) {
    index = entries_[index].outer;
  }
  return index;
}

std::optional<ElfSymbol> ElfSymbols::Find(std::uint64_t address) const noexcept {
  const auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
  const std::uint32_t index =
      Enclosing(static_cast<std::size_t>(after - entries_.begin()), address);
  return index == kNone ? std::nullopt : std::optional(symbol(index));
}

std::optional<std::uint64_t> ElfSymbols::AddressOfOffset(std::uint64_t file_offset) const noexcept {
  for (const Segment& segment : segments_) {
    if (file_offset >= segment.offset && file_offset - segment.offset < segment.size) {
      return file_offset - segment.offset + segment.address;
    }
  }
  return std::nullopt;
}

Result<std::string> ReadBuildId(const std::string& path) {
  Result<OpenFile> file = OpenRegular(path);
  if (!file.ok()) return InFile(file.error(), path);
  const Bytes bytes(file.value().descriptor->value(), file.value().size);
  ElfReader reader(bytes);
  if (Status status = reader.Start(); !status.ok()) return InFile(status.error(), path);
  return reader.build_id();
}

std::string Demangle(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangledName) return std::string(name);
  const std::string terminated(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), std::free);
  return text == nullptr || status != 0 ? terminated : std::string(text.get());
}

}  // namespace sonde
