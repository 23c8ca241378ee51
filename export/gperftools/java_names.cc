// The names that profiles of Java programs carry behind their samples.

#include "export/gperftools/java_names.h"

#include "export/gperftools/text.h"

namespace sonde::gperftools {

bool TakeJavaName(std::string_view line, PcStacks& stacks) {
  std::string_view rest = Trimmed(line);
  std::uint64_t address = 0;
  if (!rest.starts_with("0x") || !TakeHex(rest, address) || rest.empty()) return false;
  NamedAddress named;
  std::string_view name = Trimmed(rest);
  const std::size_t open = name.rfind(" (");
  if (name.ends_with(')') && open != std::string_view::npos) {
    std::string_view place = name.substr(open + 2);
    place.remove_suffix(1);
    const std::size_t colon = place.rfind(':');
    if (colon != std::string_view::npos) {
      std::string_view number = place.substr(colon + 1);
      if (TakeDecimal(number, named.line) && number.empty()) place = place.substr(0, colon);
    }
    named.file = place;
    name = Trimmed(name.substr(0, open));
  }
  if (name.empty()) return false;
  named.functions.emplace_back(name);
  stacks.names().insert_or_assign(address, std::move(named));
  return true;
}

}  // namespace sonde::gperftools
