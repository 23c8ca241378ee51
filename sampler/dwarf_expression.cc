// EvaluateExpression: see dwarf_expression.h. Runs in the handler.

#include "sampler/dwarf_expression.h"

#include "sampler/byte_reader.h"

namespace sonde {
namespace {

// DW_OP_*, those that make sense in unwind tables.
enum Operation : std::uint8_t {
  kAddr = 0x03,
  kDeref = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0a,
  kConst2s = 0x0b,
  kConst4u = 0x0c,
  kConst4s = 0x0d,
  kConst8u = 0x0e,
  kConst8s = 0x0f,
  kConstu = 0x10,
  kConsts = 0x11,
  kDup = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kSwap = 0x16,
  kAnd = 0x1a,
  kMinus = 0x1c,
  kMul = 0x1e,
  kNeg = 0x1f,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusUconst = 0x23,
  kShl = 0x24,
  kShr = 0x25,
  kShra = 0x26,
  kXor = 0x27,
  kBra = 0x28,
  kEq = 0x29,
  kGe = 0x2a,
  kGt = 0x2b,
  kLe = 0x2c,
  kLt = 0x2d,
  kNe = 0x2e,
  kSkip = 0x2f,
  kLit0 = 0x30,
  kLit31 = 0x4f,
  kBreg0 = 0x70,
  kBreg31 = 0x8f,
  kNop = 0x96,
};

constexpr int kMostOperations = 256;  // Ends a program that jumps in circles.

class OperandStack {
 public:
  void Push(std::uint64_t value) {
    if (size_ == kCapacity) {
      failed_ = true;
    } else {
      values_[size_++] = value;
    }
  }
  std::uint64_t Pop() {
    if (size_ == 0) {
      failed_ = true;
      return 0;
    }
    return values_[--size_];
  }
  bool failed() const { return failed_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr int kCapacity = 16;
  std::uint64_t values_[kCapacity];
  int size_ = 0;
  bool failed_ = false;
};

std::uint64_t Binary(std::uint8_t operation, std::uint64_t left, std::uint64_t right, bool& known) {
  const auto signed_left = static_cast<std::int64_t>(left);
  const auto signed_right = static_cast<std::int64_t>(right);
  switch (operation) {
    case kAnd:
      return left & right;
    case kOr:
      return left | right;
    case kXor:
      return left ^ right;
    case kPlus:
      return left + right;
    case kMinus:
      return left - right;
    case kMul:
      return left * right;
    case kShl:
      return right < 64 ? left << right : 0;
    case kShr:
      return right < 64 ? left >> right : 0;
    case kShra:
      return static_cast<std::uint64_t>(signed_left >> (right < 64 ? right : 63));
    case kEq:
      return signed_left == signed_right;
    case kNe:
      return signed_left != signed_right;
    case kGe:
      return signed_left >= signed_right;
    case kGt:
      return signed_left > signed_right;
    case kLe:
      return signed_left <= signed_right;
    case kLt:
      return signed_left < signed_right;
    default:
      known = false;
      return 0;
  }
}

}  // namespace

bool EvaluateExpression(std::uint64_t block, std::uint64_t limit, const RegisterSet& registers,
                        bool push_initial, std::uint64_t initial, StackReader& stack,
                        std::uint64_t& result) noexcept {
  ByteReader head(block, limit);
  const std::uint64_t size = head.Uleb128();
  if (head.failed() || size > limit - head.at()) return false;
  const std::uint64_t begin = head.at();
  const std::uint64_t end = begin + size;
  ByteReader in(begin, end);
  OperandStack operands;
  if (push_initial) operands.Push(initial);

  for (int count = 0; !in.done(); ++count) {
    if (count == kMostOperations) return false;
    const auto operation = in.Fixed<std::uint8_t>();
    if (operation >= kLit0 && operation <= kLit31) {
      operands.Push(std::uint64_t{operation} - kLit0);
      continue;
    }
    if (operation >= kBreg0 && operation <= kBreg31) {
      const std::int64_t offset = in.Sleb128();
      const auto reg = static_cast<std::uint64_t>(operation - kBreg0);
      if (!registers.Knows(reg)) return false;
      operands.Push(registers.value[reg] + static_cast<std::uint64_t>(offset));
      continue;
    }
    switch (operation) {
      case kNop:
        break;
      case kAddr:
      case kConst8u:
      case kConst8s:
        operands.Push(in.Fixed<std::uint64_t>());
        break;
      case kConst1u:
        operands.Push(in.Fixed<std::uint8_t>());
        break;
      case kConst1s:
        operands.Push(static_cast<std::uint64_t>(std::int64_t{in.Fixed<std::int8_t>()}));
        break;
      case kConst2u:
        operands.Push(in.Fixed<std::uint16_t>());
        break;
      case kConst2s:
        operands.Push(static_cast<std::uint64_t>(std::int64_t{in.Fixed<std::int16_t>()}));
        break;
      case kConst4u:
        operands.Push(in.Fixed<std::uint32_t>());
        break;
      case kConst4s:
        operands.Push(static_cast<std::uint64_t>(std::int64_t{in.Fixed<std::int32_t>()}));
        break;
      case kConstu:
        operands.Push(in.Uleb128());
        break;
      case kConsts:
        operands.Push(static_cast<std::uint64_t>(in.Sleb128()));
        break;
      case kPlusUconst:
        operands.Push(operands.Pop() + in.Uleb128());
        break;
      case kNeg:
        operands.Push(~operands.Pop() + 1);
        break;
      case kNot:
        operands.Push(~operands.Pop());
        break;
      case kDrop:
        operands.Pop();
        break;
      case kDup: {
        const std::uint64_t top = operands.Pop();
        operands.Push(top);
        operands.Push(top);
        break;
      }
      case kSwap:
      case kOver: {
        const std::uint64_t top = operands.Pop();
        const std::uint64_t second = operands.Pop();
        if (operation == kOver) operands.Push(second);
        operands.Push(top);
        operands.Push(second);
        break;
      }
      case kDeref: {
        std::uint64_t word = 0;
        if (!stack.Read(operands.Pop(), word)) return false;
        operands.Push(word);
        break;
      }
      case kSkip:
      case kBra: {
        const auto distance = static_cast<std::uint64_t>(std::int64_t{in.Fixed<std::int16_t>()});
        if (operation == kBra && operands.Pop() == 0) break;
        const std::uint64_t target = in.at() + distance;
        if (in.failed() || target < begin || target > end) return false;
        in = ByteReader(target, end);
        break;
      }
      default: {
        const std::uint64_t right = operands.Pop();
        const std::uint64_t left = operands.Pop();
        bool known = true;
        operands.Push(Binary(operation, left, right, known));
        if (!known) return false;
        break;
      }
    }
    if (operands.failed()) return false;
  }
  if (in.failed() || operands.empty()) return false;
  result = operands.Pop();
  return true;
}

}  // namespace sonde
