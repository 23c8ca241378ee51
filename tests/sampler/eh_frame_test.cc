#include "sampler/eh_frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "sampler/cfi_row.h"
#include "sampler/unwind_rule.h"

namespace sonde {
namespace {

// An .eh_frame section with one function of 64 bytes, and the header that finds it. Its
// function lies at the address of `code`.
class Tables {
 public:
  explicit Tables(std::vector<std::uint8_t> fde_program, std::string_view augmentation = "zR") {
    bytes_.resize(20);  // The header and its one entry.
    cie_ = bytes_.size();
    Put<std::uint32_t>(0);
    Put<std::uint32_t>(0);
    Put<std::uint8_t>(1);
    for (const char c : augmentation) Put<char>(c);
    Put<char>(0);
    for (const int byte : {1, 0x78, 16})
      Put(static_cast<std::uint8_t>(byte));  // Factors 1 and -8; rip is 16.
    Put<std::uint8_t>(1);
    Put<std::uint8_t>(0x1b);
    for (const int byte : {0x0c, 7, 8, 0x90, 1})
      Put(static_cast<std::uint8_t>(byte));  // CFA = rsp + 8, rip at -8.
    SetLength(cie_);
    fde_ = bytes_.size();
    Put<std::uint32_t>(0);
    Put<std::uint32_t>(static_cast<std::uint32_t>(bytes_.size() - cie_));
    pc_begin_ = bytes_.size();
    Put<std::int32_t>(0);
    Put<std::uint32_t>(64);
    Put<std::uint8_t>(0);
    for (const std::uint8_t byte : fde_program) Put(byte);
    SetLength(fde_);
    code_ = bytes_.size();
    bytes_.resize(bytes_.size() + 64);
    Link();
  }

  TableRange range() const {
    const std::uint64_t limit = Base() + bytes_.size();
    return {.header = Base(), .header_limit = limit, .start = Base(), .limit = limit};
  }
  std::uint64_t code() const { return Base() + code_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  std::uint64_t Base() const { return reinterpret_cast<std::uint64_t>(bytes_.data()); }
  template <typename T>
  void Put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void SetLength(std::size_t at) {
    while (bytes_.size() % 4 != 0) bytes_.push_back(0);
    const auto length = static_cast<std::uint32_t>(bytes_.size() - at - 4);
    std::memcpy(bytes_.data() + at, &length, 4);
  }
  void Link() {
    const std::uint8_t head[] = {1, 0x1b, 0x03, 0x3b};
    std::memcpy(bytes_.data(), head, 4);
    const std::uint32_t count = 1;
    std::memcpy(bytes_.data() + 8, &count, 4);
    const auto code = static_cast<std::int32_t>(code_);
    const auto fde = static_cast<std::int32_t>(fde_);
    std::memcpy(bytes_.data() + 12, &code, 4);
    std::memcpy(bytes_.data() + 16, &fde, 4);
    const auto distance = static_cast<std::int32_t>(code_ - pc_begin_);
    std::memcpy(bytes_.data() + pc_begin_, &distance, 4);
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t cie_ = 0;
  std::size_t fde_ = 0;
  std::size_t pc_begin_ = 0;
  std::size_t code_ = 0;
};

UnwindRule RuleAt(const Tables& tables, std::uint64_t offset) {
  Fde fde;
  CfiRow row;
  const std::uint64_t pc = tables.code() + offset;
  if (!FindFde(tables.range(), pc, fde) || !ComputeRow(fde, pc, row)) return {};
  return UnwindRule(fde, row);
}

// push %rbp at 1; mov %rsp,%rbp at 4; an epilogue from 16 to 20 that is left again.
const std::vector<std::uint8_t> kFramePointerFunction = {0x41, 0x0e, 16,   0x86, 2, 0x43, 0x0d, 6,
                                                         0x4c, 0x0a, 0x0c, 7,    8, 0x44, 0x0b};

TEST(EhFrame, ARowHoldsFromItsAdvanceOn) {
  const Tables tables(kFramePointerFunction);

  EXPECT_EQ(RuleAt(tables, 0).kind(), UnwindRule::kCfaFromRsp);
  EXPECT_EQ(RuleAt(tables, 0).cfa_offset(), 8);
  EXPECT_EQ(RuleAt(tables, 0).rbp_kind(), UnwindRule::kRbpSame);
  EXPECT_EQ(RuleAt(tables, 1).cfa_offset(), 16);
  EXPECT_EQ(RuleAt(tables, 1).rbp_kind(), UnwindRule::kRbpAtCfa);
  EXPECT_EQ(RuleAt(tables, 1).rbp_offset(), -16);
  EXPECT_EQ(RuleAt(tables, 4).kind(), UnwindRule::kCfaFromRbp);
  EXPECT_EQ(RuleAt(tables, 4).return_distance(), 8U);
}

TEST(EhFrame, RememberedStateComesBack) {
  const Tables tables(kFramePointerFunction);

  EXPECT_EQ(RuleAt(tables, 17).kind(), UnwindRule::kCfaFromRsp);
  EXPECT_EQ(RuleAt(tables, 17).cfa_offset(), 8);
  EXPECT_EQ(RuleAt(tables, 20).kind(), UnwindRule::kCfaFromRbp);
  EXPECT_EQ(RuleAt(tables, 20).cfa_offset(), 16);
}

TEST(EhFrame, NothingHoldsOutsideTheFunction) {
  const Tables tables(kFramePointerFunction);

  Fde fde;
  EXPECT_FALSE(FindFde(tables.range(), tables.code() + 64, fde));
  EXPECT_FALSE(FindFde(tables.range(), tables.code() - 1, fde));
}

TEST(EhFrame, AnUndefinedReturnAddressIsTheRoot) {
  EXPECT_EQ(RuleAt(Tables({0x07, 16}), 3).kind(), UnwindRule::kEnd);
}

TEST(EhFrame, AnotherRegisterTakesTheLongWay) {
  EXPECT_EQ(RuleAt(Tables({0x0c, 3, 16}), 3).kind(), UnwindRule::kAllRegisters);
}

TEST(EhFrame, ThePltExpressionIsKnown) {
  const Tables tables({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22});

  EXPECT_EQ(RuleAt(tables, 0).kind(), UnwindRule::kPlt);
}

TEST(EhFrame, ARealignedFrameKeepsItsCfaInMemory) {
  // CFA = *(rbp - 8), rbp saved at rbp + 0.
  const Tables tables({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0});

  EXPECT_EQ(RuleAt(tables, 0).kind(), UnwindRule::kCfaAtRbp);
  EXPECT_EQ(RuleAt(tables, 0).cfa_offset(), -8);
  EXPECT_EQ(RuleAt(tables, 0).rbp_kind(), UnwindRule::kRbpAtRbp);
}

TEST(EhFrame, WhatContradictsItselfIsNotUnderstood) {
  // An offset, or a register, for a CFA that an expression gives; an offset that overflows.
  EXPECT_EQ(RuleAt(Tables({0x0f, 2, 0x77, 8, 0x0e, 16}), 0).kind(), UnwindRule::kUnset);
  EXPECT_EQ(RuleAt(Tables({0x0f, 2, 0x77, 8, 0x0d, 6}), 0).kind(), UnwindRule::kUnset);
  EXPECT_EQ(
      RuleAt(Tables({0x05, 3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff, 0}), 0).kind(),
      UnwindRule::kUnset);
}

TEST(EhFrame, EveryCutAndEveryChangedByteEndsInARuleOrNone) {
  const Tables whole(kFramePointerFunction);
  for (std::size_t i = 0; i < 120; ++i) {
    Tables tables(kFramePointerFunction);
    if (i >= tables.bytes().size()) break;
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      tables.bytes()[i] = static_cast<std::uint8_t>(value);
      for (std::uint64_t offset = 0; offset < 64; offset += 7) RuleAt(tables, offset);
    }
    TableRange cut = whole.range();
    cut.header_limit = cut.limit = cut.start + i;
    Fde fde;
    CfiRow row;
    if (FindFde(cut, whole.code() + 1, fde)) ComputeRow(fde, whole.code() + 1, row);
  }
}

}  // namespace
}  // namespace sonde
