#include "sonde/elf_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace sonde {

// External, so that its name is known; not inlined, so that it has code.
[[gnu::noinline]] int FunctionOfTheTest(int value) { return value + 41; }

namespace {

constexpr const char* kSelf = "/proc/self/exe";

std::uint64_t SelfBias() {
  std::uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = info->dlpi_addr;
        return 1;  // The first is the program.
      },
      &bias);
  return bias;
}

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// An ELF file of nothing but functions, given as {name, address, size, binding}.
struct Made {
  const char* name;
  std::uint64_t address;
  std::uint64_t size;
  unsigned char binding = STB_GLOBAL;
};

std::string MakeElf(const std::vector<Made>& functions) {
  std::string strings(1, '\0');
  std::vector<Elf64_Sym> symbols(1);
  for (const Made& made : functions) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(strings.size());
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(made.binding, STT_FUNC));
    symbol.st_shndx = 1;
    symbol.st_value = made.address;
    symbol.st_size = made.size;
    symbols.push_back(symbol);
    strings += made.name;
    strings += '\0';
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  std::vector<Elf64_Shdr> sections(4);
  const std::uint64_t body = sizeof(header) + sections.size() * sizeof(Elf64_Shdr);
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_EXECINSTR;
  sections[1].sh_addr = 0x1000;
  sections[1].sh_size = 0x1000;
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_offset = body;
  sections[2].sh_size = symbols.size() * sizeof(Elf64_Sym);
  sections[2].sh_link = 3;
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  sections[3].sh_type = SHT_STRTAB;
  sections[3].sh_offset = body + sections[2].sh_size;
  sections[3].sh_size = strings.size();
  std::string image(reinterpret_cast<const char*>(&header), sizeof(header));
  image.append(reinterpret_cast<const char*>(sections.data()),
               sections.size() * sizeof(Elf64_Shdr));
  image.append(reinterpret_cast<const char*>(symbols.data()), sections[2].sh_size);
  return image + strings;
}

std::string NameAt(const ElfSymbols& symbols, std::uint64_t address) {
  const std::optional<ElfSymbol> symbol = symbols.Find(address);
  return symbol ? std::string(symbol->name) : "none";
}

TEST(ElfSymbols, NamesAFunctionOfTheRunningProgram) {
  const auto symbols = ElfSymbols::Open(kSelf);
  ASSERT_TRUE(symbols.ok()) << symbols.error().message;
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(&FunctionOfTheTest) - SelfBias();

  const auto symbol = symbols.value().Find(address);

  ASSERT_TRUE(symbol.has_value());
  EXPECT_EQ(symbol->address, address);
  EXPECT_GT(symbol->size, 0U);
  EXPECT_EQ(Demangle(symbol->name), "sonde::FunctionOfTheTest(int)");
  EXPECT_EQ(symbols.value().Find(address + symbol->size - 1)->address, address);
}

TEST(ElfSymbols, NamesTheClockOfTheVdso) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line) && line.find("[vdso]") == std::string::npos) {
  }
  if (line.find("[vdso]") == std::string::npos) GTEST_SKIP() << "no vdso";
  std::uintptr_t start = 0;
  std::uintptr_t limit = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx", &start, &limit), 2);

  const auto symbols = ElfSymbols::FromImage({reinterpret_cast<const char*>(start), limit - start});

  ASSERT_TRUE(symbols.ok()) << symbols.error().message;
  bool found = false;
  for (std::size_t i = 0; i < symbols.value().size(); ++i) {
    found = found || symbols.value().symbol(i).name.find("clock_gettime") != std::string_view::npos;
  }
  EXPECT_TRUE(found);
}

TEST(ElfSymbols, FindsTheInnermostOfNestedFunctionsAndNothingBetweenThem) {
  const auto symbols = ElfSymbols::FromImage(
      MakeElf({{"outer", 0x1000, 0x100}, {"inner", 0x1040, 0x10}, {"late", 0x1200, 0x10}}));
  ASSERT_TRUE(symbols.ok());

  EXPECT_EQ(NameAt(symbols.value(), 0xfff), "none");
  EXPECT_EQ(NameAt(symbols.value(), 0x1000), "outer");
  EXPECT_EQ(NameAt(symbols.value(), 0x1045), "inner");
  EXPECT_EQ(NameAt(symbols.value(), 0x1050), "outer");
  EXPECT_EQ(NameAt(symbols.value(), 0x10ff), "outer");
  EXPECT_EQ(NameAt(symbols.value(), 0x1100), "none");
  EXPECT_EQ(NameAt(symbols.value(), 0x120f), "late");
  EXPECT_EQ(NameAt(symbols.value(), 0x1210), "none");
}

TEST(ElfSymbols, ShowsTheNameThatPerfShowsForASharedAddressInAnyOrder) {
  const std::vector<std::vector<Made>> best_first = {
      {{"global", 0x1000, 8}, {"local", 0x1000, 8, STB_LOCAL}, {"weak", 0x1000, 8, STB_WEAK}},
      {{"__poll", 0x1000, 8}, {"poll", 0x1000, 8, STB_WEAK}},
      {{"__GI_write", 0x1000, 8, STB_LOCAL}, {"write", 0x1000, 8, STB_WEAK}},
      {{"read", 0x1000, 8}, {"__read", 0x1000, 8}},
      {{"open", 0x1000, 8, STB_WEAK}, {"__open64", 0x1000, 8, STB_WEAK}},
      {{"longer", 0x1000, 8}, {"short", 0x1000, 8}},
      {{"sized", 0x1000, 8, STB_WEAK}, {"unsized", 0x1000, 0}},
  };
  for (const std::vector<Made>& one : best_first) {
    const std::vector<Made> other(one.rbegin(), one.rend());

    EXPECT_EQ(NameAt(ElfSymbols::FromImage(MakeElf(one)).value(), 0x1000), one[0].name);
    EXPECT_EQ(NameAt(ElfSymbols::FromImage(MakeElf(other)).value(), 0x1000), one[0].name);
  }
}

TEST(ElfSymbols, OfNamesThatAreAlikeTheFirstOfTheTableIsShown) {
  const auto symbols =
      ElfSymbols::FromImage(MakeElf({{"_ZN1SC2Ev", 0x1000, 8}, {"_ZN1SC1Ev", 0x1000, 8}}));

  EXPECT_EQ(NameAt(symbols.value(), 0x1000), "_ZN1SC2Ev");
}

TEST(ElfSymbols, ASymbolWithoutASizeEndsAtTheNextOneOrWithItsSection) {
  const auto symbols = ElfSymbols::FromImage(MakeElf({{"a", 0x1000, 0}, {"b", 0x1800, 0}}));
  ASSERT_TRUE(symbols.ok());

  EXPECT_EQ(NameAt(symbols.value(), 0x17ff), "a");
  EXPECT_EQ(NameAt(symbols.value(), 0x1fff), "b");
  EXPECT_EQ(NameAt(symbols.value(), 0x2000), "none");
}

TEST(ElfSymbols, AgreesWithTheLoaderAboutLibc) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::strtod), &info), 0);
  const auto symbols = ElfSymbols::Open(info.dli_fname);
  ASSERT_TRUE(symbols.ok()) << symbols.error().message;

  const auto symbol = symbols.value().Find(reinterpret_cast<std::uint64_t>(info.dli_saddr) -
                                           reinterpret_cast<std::uint64_t>(info.dli_fbase));

  ASSERT_TRUE(symbol.has_value());
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(info.dli_fbase) + symbol->address,
            reinterpret_cast<std::uint64_t>(info.dli_saddr));
  EXPECT_EQ(symbols.value().build_id(), ReadBuildId(info.dli_fname).value());
  EXPECT_EQ(symbols.value().build_id().size(), 40U);
}

TEST(ElfSymbols, AnotherBuildIdIsRefused) {
  const auto symbols = ElfSymbols::Open(kSelf, {.build_id = "00", .debug_root = {}});

  ASSERT_FALSE(symbols.ok());
  EXPECT_EQ(symbols.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(symbols.error().file, kSelf);
}

TEST(ElfSymbols, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ElfSymbols::Open("/nonexistent/x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ElfSymbols::Open("/").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(ElfSymbols::FromImage("#!/bin/sh\n").error().code, ErrorCode::kMalformed);
  std::string image = MakeElf({{"a", 0x1000, 8}});
  image[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(ElfSymbols::FromImage(image).error().code, ErrorCode::kUnsupported);
}

TEST(ElfSymbols, EveryTruncationIsAnErrorOrFewerSymbolsAndNeverAFault) {
  const std::string image = MakeElf({{"alpha", 0x1000, 8}, {"beta", 0x1010, 8}});
  for (std::size_t size = 0; size < image.size(); ++size) {
    const std::string cut =
        image.substr(0, size);  // Own bytes: a read past the end is seen by ASan.
    const auto symbols = ElfSymbols::FromImage(cut);
    EXPECT_FALSE(symbols.ok()) << size;
  }
}

TEST(ElfSymbols, TranslatesFileOffsetsThroughTheSegments) {
  const auto symbols = ElfSymbols::Open(kSelf);
  ASSERT_TRUE(symbols.ok());
  const std::string bytes = ReadFile(kSelf);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr program;
    std::memcpy(&program,
                bytes.data() + header.e_phoff + sizeof(program) * static_cast<std::size_t>(i),
                sizeof(program));
    if (program.p_type != PT_LOAD || program.p_filesz == 0) continue;
    EXPECT_EQ(symbols.value().AddressOfOffset(program.p_offset), program.p_vaddr);
  }
  EXPECT_EQ(symbols.value().AddressOfOffset(UINT64_MAX), std::nullopt);
}

TEST(Demangle, LeavesWhatIsNotMangled) {
  EXPECT_EQ(Demangle("main"), "main");
  EXPECT_EQ(Demangle("_Znot"), "_Znot");
  EXPECT_EQ(Demangle("_Z3fooILi1EEvT_.cold"), Demangle("_Z3fooILi1EEvT_.cold"));
  EXPECT_EQ(Demangle("_ZN5sonde4WorkEi"), "sonde::Work(int)");
}

}  // namespace
}  // namespace sonde
