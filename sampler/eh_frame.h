// Fde: the unwind table entry of one function, found through .eh_frame_hdr.

#ifndef SONDE_SAMPLER_EH_FRAME_H_
#define SONDE_SAMPLER_EH_FRAME_H_

#include <cstdint>

namespace sonde {

// Where the unwind tables of a module lie. Nothing outside [start, limit) and [header,
// header_limit) is read.
struct TableRange {
  std::uint64_t header = 0;  // .eh_frame_hdr; 0 = none.
  std::uint64_t header_limit = 0;
  std::uint64_t start = 0;
  std::uint64_t limit = 0;
};

// What the FDEs of one compilation unit have in common.
struct Cie {
  std::int64_t data_alignment = 0;
  std::uint64_t code_alignment = 0;
  std::uint64_t return_register = 0;
  std::uint64_t program = 0;  // Of the initial row.
  std::uint64_t program_end = 0;
  std::uint8_t pointer_encoding = 0;
  bool has_augmentation_data = false;
  bool is_signal_frame = false;
};

struct Fde {
  Cie cie;
  std::uint64_t pc_begin = 0;
  std::uint64_t pc_end = 0;
  std::uint64_t program = 0;
  std::uint64_t program_end = 0;
  std::uint64_t limit = 0;  // Of the tables; expressions may stand anywhere below it.
};

// The entry whose function holds `pc`; false when there is none or it cannot be
// understood. Async-signal-safe.
bool FindFde(const TableRange& tables, std::uint64_t pc, Fde& fde) noexcept;

// Reads the entry at `address`. False also for a CIE. Async-signal-safe.
bool ParseFde(const TableRange& tables, std::uint64_t address, Fde& fde) noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_EH_FRAME_H_
