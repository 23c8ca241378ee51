// Any bytes are unwind tables with a rule for an address, or none; nothing outside them is read.

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "sampler/cfi_row.h"
#include "sampler/dwarf_expression.h"
#include "sampler/eh_frame.h"
#include "sampler/stack_reader.h"
#include "sampler/unwind_rule.h"

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostPages = 16;
constexpr std::size_t kHead = 4;  // A distance from the tables to the address to look up.

// Memory between pages that cannot be read, so that a byte too far is a fault in every build.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t pages)
      : size_(pages * kPage),
        begin_(static_cast<std::uint8_t*>(mmap(nullptr, size_ + 2 * kPage, PROT_NONE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) +
               kPage) {
    if (mprotect(begin_, size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  std::uint8_t* begin() const { return begin_; }
  std::uint8_t* end() const { return begin_ + size_; }

 private:
  std::size_t size_;
  std::uint8_t* begin_;
};

std::uint64_t AddressOf(const std::uint8_t* byte) { return reinterpret_cast<std::uint64_t>(byte); }

void Evaluate(const sonde::Fde& fde, const sonde::CfiRow& row) {
  static const GuardedMemory memory(2);
  sonde::RegisterSet registers{};
  registers.known = 0x1ffff;
  for (std::uint64_t i = 0; i < sonde::kRegisterCount; ++i) {
    registers.value[i] = AddressOf(memory.begin()) + i * 40;
  }
  sonde::StackRange range;
  sonde::StackReader stack(range, registers.value[sonde::kRsp]);
  std::uint64_t result = 0;
  if (row.cfa_is_expression) {
    sonde::EvaluateExpression(static_cast<std::uint64_t>(row.cfa_offset), fde.limit, registers,
                              false, 0, stack, result);
  }
  for (int reg = 0; reg < sonde::kRegisterCount; ++reg) {
    const sonde::RegisterRule rule = row.rules[reg];
    if (rule != sonde::RegisterRule::kAtExpression && rule != sonde::RegisterRule::kIsExpression) {
      continue;
    }
    const auto distance = static_cast<std::uint64_t>(std::int64_t{row.values[reg]});
    sonde::EvaluateExpression(fde.program + distance, fde.limit, registers, true,
                              registers.value[sonde::kRsp], stack, result);
  }
}

void LookUp(const sonde::TableRange& tables, std::uint64_t pc) {
  sonde::Fde fde;
  if (!FindFde(tables, pc, fde)) return;
  if (pc < fde.pc_begin || pc >= fde.pc_end) std::abort();
  sonde::CfiRow row;
  if (!ComputeRow(fde, pc, row)) return;
  const sonde::UnwindRule rule(fde, row);
  if (rule.kind() == sonde::UnwindRule::kUnset) std::abort();
  Evaluate(fde, row);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const GuardedMemory memory(kMostPages);
  if (size < kHead || size - kHead > kMostPages * kPage) return 0;
  std::int32_t distance = 0;
  std::memcpy(&distance, data, sizeof(distance));
  const std::size_t bytes = size - kHead;
  for (std::uint8_t* const begin : {memory.begin(), memory.end() - bytes}) {
    std::memcpy(begin, data + kHead, bytes);
    const std::uint64_t start = AddressOf(begin);
    const sonde::TableRange tables{
        .header = start, .header_limit = start + bytes, .start = start, .limit = start + bytes};
    const std::uint64_t pc = start + static_cast<std::uint64_t>(std::int64_t{distance});
    for (std::uint64_t step = 0; step < 64; step += 3) LookUp(tables, pc + step);
    sonde::Fde fde;
    for (std::uint64_t at = start; at < start + bytes; at += 4) ParseFde(tables, at, fde);
  }
  return 0;
}
