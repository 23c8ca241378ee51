// Fde: see eh_frame.h. Runs in the handler.

#include "sampler/eh_frame.h"

#include "sampler/byte_reader.h"

namespace sonde {
namespace {

constexpr std::uint8_t kDataRelativeSdata4 = 0x3b;
constexpr std::uint32_t kLongestCie = 1 << 16;
constexpr std::uint32_t kLongestFde = 1 << 20;
constexpr std::uint32_t kSixtyFourBitFormat = 0xffff'ffff;

// The pair that .eh_frame_hdr consists of, both relative to its start.
struct HeaderEntry {
  std::int32_t pc;
  std::int32_t fde;
};

HeaderEntry EntryAt(std::uint64_t table, std::uint64_t index) {
  HeaderEntry entry;
  __builtin_memcpy(&entry, reinterpret_cast<const void*>(table + index * sizeof(entry)),
                   sizeof(entry));
  return entry;
}

std::uint64_t FindInHeader(const TableRange& tables, std::uint64_t pc) {
  ByteReader header(tables.header, tables.header_limit);
  const auto version = header.Fixed<std::uint8_t>();
  const auto frame_encoding = header.Fixed<std::uint8_t>();
  const auto count_encoding = header.Fixed<std::uint8_t>();
  const auto table_encoding = header.Fixed<std::uint8_t>();
  if (version != 1 || table_encoding != kDataRelativeSdata4) return 0;
  header.Pointer(frame_encoding);
  const std::uint64_t count = header.Pointer(count_encoding);
  const std::uint64_t table = header.at();
  if (header.failed() || count == 0 ||
      count > (tables.header_limit - table) / sizeof(HeaderEntry)) {
    return 0;
  }
  const auto relative = static_cast<std::int64_t>(pc - tables.header);
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (EntryAt(table, middle).pc <= relative) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return 0;
  return tables.header + static_cast<std::uint64_t>(std::int64_t{EntryAt(table, low - 1).fde});
}

bool ParseCie(const TableRange& tables, std::uint64_t address, Cie& cie) {
  if (address < tables.start || address >= tables.limit) return false;
  ByteReader head(address, tables.limit);
  const auto length = head.Fixed<std::uint32_t>();
  if (head.failed() || length == 0 || length > kLongestCie || length > head.end() - head.at()) {
    return false;
  }
  ByteReader in(head.at(), head.at() + length);
  if (in.Fixed<std::uint32_t>() != 0) return false;
  const auto version = in.Fixed<std::uint8_t>();
  if (version != 1 && version != 3) return false;

  const std::uint64_t augmentation = in.at();
  while (in.Fixed<std::uint8_t>() != 0) {
  }
  cie.code_alignment = in.Uleb128();
  cie.data_alignment = in.Sleb128();
  cie.return_register = version == 1 ? in.Fixed<std::uint8_t>() : in.Uleb128();
  if (in.failed()) return false;

  ByteReader letters(augmentation, in.end());
  auto letter = letters.Fixed<std::uint8_t>();
  if (letter == 'z') {
    cie.has_augmentation_data = true;
    const std::uint64_t size = in.Uleb128();
    ByteReader data = in;
    in.Skip(size);
    for (letter = letters.Fixed<std::uint8_t>(); letter != 0;
         letter = letters.Fixed<std::uint8_t>()) {
      if (letter == 'R') {
        cie.pointer_encoding = data.Fixed<std::uint8_t>();
      } else if (letter == 'P') {
        const auto encoding = data.Fixed<std::uint8_t>();
        data.Pointer(static_cast<std::uint8_t>(encoding & ~kPointerIndirect));
      } else if (letter == 'L') {
        data.Fixed<std::uint8_t>();
      } else if (letter == 'S') {
        cie.is_signal_frame = true;
      } else if (letter != 'B') {
        break;  // What a later letter says cannot be found, and the size skips it.
      }
    }
  } else if (letter != 0) {
    return false;
  }
  cie.program = in.at();
  cie.program_end = in.end();
  return !in.failed();
}

}  // namespace

bool ParseFde(const TableRange& tables, std::uint64_t address, Fde& fde) noexcept {
  if (address < tables.start || address >= tables.limit) return false;
  ByteReader head(address, tables.limit);
  const auto length = head.Fixed<std::uint32_t>();
  if (head.failed() || length == 0 || length == kSixtyFourBitFormat || length > kLongestFde ||
      length > head.end() - head.at()) {
    return false;
  }
  ByteReader in(head.at(), head.at() + length);
  const std::uint64_t place = in.at();
  const auto distance = in.Fixed<std::uint32_t>();
  fde.cie = {};
  if (in.failed() || distance == 0 || !ParseCie(tables, place - distance, fde.cie)) return false;

  fde.pc_begin = in.Pointer(fde.cie.pointer_encoding);
  fde.pc_end = fde.pc_begin + in.Pointer(fde.cie.pointer_encoding & kPointerFormMask);
  if (fde.cie.has_augmentation_data) in.Skip(in.Uleb128());
  fde.program = in.at();
  fde.program_end = in.end();
  fde.limit = tables.limit;
  return !in.failed();
}

bool FindFde(const TableRange& tables, std::uint64_t pc, Fde& fde) noexcept {
  if (tables.header == 0 || tables.header >= tables.header_limit) return false;
  const std::uint64_t address = FindInHeader(tables, pc);
  return address != 0 && ParseFde(tables, address, fde) && pc >= fde.pc_begin && pc < fde.pc_end;
}

}  // namespace sonde
