// SymbolReply: names for addresses of the running process.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console/http_replies.h"
#include "sonde/elf_symbols.h"

namespace sonde {
namespace {

constexpr std::size_t kMostAddresses = 4096;

struct Mapped {
  std::uint64_t start = 0;
  std::uint64_t limit = 0;
  std::uint64_t offset = 0;
  std::string path;
};

std::vector<Mapped> ReadMaps() {
  std::vector<Mapped> maps;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    unsigned long start = 0;
    unsigned long limit = 0;
    unsigned long offset = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*4s %lx %*s %*s %n", &start, &limit, &offset,
                    &path_at) < 3) {
      continue;
    }
    const auto at = static_cast<std::size_t>(path_at);
    if (at < line.size() && line[at] == '/')
      maps.push_back({start, limit, offset, line.substr(at)});
  }
  return maps;
}

class ProcessSymbols {
 public:
  std::string NameOf(std::uint64_t address) {
    for (const Mapped& mapped : maps_) {
      if (address < mapped.start || address >= mapped.limit) continue;
      const std::optional<ElfSymbols>& symbols = Load(mapped.path);
      if (!symbols.has_value()) return {};
      const auto own = symbols->AddressOfOffset(address - mapped.start + mapped.offset);
      if (!own.has_value()) return {};
      const auto symbol = symbols->Find(*own);
      return symbol.has_value() ? Demangle(symbol->name) : std::string();
    }
    return {};
  }

 private:
  const std::optional<ElfSymbols>& Load(const std::string& path) {
    const auto known = files_.find(path);
    if (known != files_.end()) return known->second;
    std::optional<ElfSymbols> symbols;
    Result<ElfSymbols> opened = ElfSymbols::Open(path);
    if (opened.ok()) symbols = std::move(opened).value();
    return files_.emplace(path, std::move(symbols)).first->second;
  }

  std::vector<Mapped> maps_ = ReadMaps();
  std::map<std::string, std::optional<ElfSymbols>> files_;
};

}  // namespace

HttpResponse SymbolReply(const std::string& addresses) {
  std::string body = "num_symbols: 1\n";
  ProcessSymbols symbols;
  std::string_view rest = addresses;
  for (std::size_t count = 0; !rest.empty() && count < kMostAddresses; ++count) {
    const std::size_t plus = rest.find('+');
    const std::string_view text = rest.substr(0, plus);
    rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
    std::string_view digits = text;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    std::uint64_t address = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (digits.empty() || read.ptr != digits.data() + digits.size()) continue;
    const std::string name = symbols.NameOf(address);
    if (!name.empty()) body += std::string(text) + ' ' + name + '\n';
  }
  return TextReply(200, std::move(body));
}

}  // namespace sonde
