// ElfInspection: what a program or library can tell about its own code.

#include "sonde/elf_inspection.h"

#include <gelf.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "evidence/whole_elf.h"
#include "export/symbols/debug_files.h"
#include "export/symbols/elf_file.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr const char* kDebugRoot = "/usr/lib/debug";

std::string MachineName(GElf_Half machine) {
  switch (machine) {
    case EM_X86_64:
      return "EM_X86_64";
    case EM_386:
      return "EM_386";
    case EM_AARCH64:
      return "EM_AARCH64";
    case EM_ARM:
      return "EM_ARM";
    case EM_RISCV:
      return "EM_RISCV";
    case EM_PPC64:
      return "EM_PPC64";
    case EM_S390:
      return "EM_S390";
    default:
      return "EM_" + std::to_string(machine);
  }
}

std::string TypeName(GElf_Half type) {
  switch (type) {
    case ET_EXEC:
      return "ET_EXEC";
    case ET_DYN:
      return "ET_DYN";
    case ET_REL:
      return "ET_REL";
    case ET_CORE:
      return "ET_CORE";
    default:
      return "ET_" + std::to_string(type);
  }
}

// A program that can be loaded anywhere: marked so, or with an interpreter of its own.
// A library has neither, also when it is of the same type.
bool IsPie(Elf* elf, GElf_Half type) {
  if (type != ET_DYN) return false;
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type == PT_INTERP) return true;
  }
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) continue;
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) break;
      if (entry.d_tag == DT_FLAGS_1) return (entry.d_un.d_val & DF_1_PIE) != 0;
    }
  }
  return false;
}

// Candidate files, in the order debuggers look, with what is known of each.
json DebugCandidates(const symbols::ElfFile& file, const std::optional<symbols::DebugLink>& link) {
  std::vector<std::pair<std::string, std::string>> candidates;
  const std::string& build_id = file.build_id();
  if (build_id.size() > 2) {
    candidates.emplace_back("build_id", std::string(kDebugRoot) + "/.build-id/" +
                                            build_id.substr(0, 2) + '/' + build_id.substr(2) +
                                            ".debug");
  }
  if (link) {
    const std::string folder =
        std::filesystem::absolute(file.path()).lexically_normal().parent_path().string();
    candidates.emplace_back("debug_link", folder + '/' + link->name);
    candidates.emplace_back("debug_link", folder + "/.debug/" + link->name);
    candidates.emplace_back("debug_link", kDebugRoot + folder + '/' + link->name);
  }
  const std::optional<std::string> chosen = symbols::DebugFiles().FindDebugFile(file);
  json list = json::array();
  for (const auto& [by, path] : candidates) {
    std::error_code failure;
    const bool exists = std::filesystem::is_regular_file(path, failure);
    list.push_back(
        {{"path", path},
         {"found_by", by},
         {"exists", exists},
         {"belongs", exists && chosen && std::filesystem::equivalent(*chosen, path, failure)}});
  }
  return list;
}

}  // namespace

Result<json> InspectElf(const std::string& path) {
  Result<symbols::ElfFile> opened = OpenWholeElf(path);
  if (!opened.ok()) return opened.error();
  const symbols::ElfFile& file = opened.value();
  GElf_Ehdr header;
  gelf_getehdr(file.elf(), &header);
  const std::optional<symbols::DebugLink> link = file.debug_link();
  json value = {{"schema_version", kSchemaVersion},
                {"path", std::filesystem::absolute(path).lexically_normal().string()},
                {"architecture", MachineName(header.e_machine)},
                {"elf_type", TypeName(header.e_type)},
                {"is_pie", IsPie(file.elf(), header.e_type)},
                {"is_stripped", !file.has_symbol_table()},
                {"has_debug_info", file.has_dwarf()},
                {"has_mini_debug_info", !file.SectionBytes(".gnu_debugdata").empty()},
                {"debug_file_candidates", DebugCandidates(file, link)}};
  if (!file.build_id().empty()) value["build_id"] = file.build_id();
  if (link) value["debug_link"] = {{"name", link->name}, {"crc32", link->crc}};
  return value;
}

}  // namespace sonde
