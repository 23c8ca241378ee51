// StackUnwinder: see unwinder.h. Runs in the handler.

#include "sampler/unwinder.h"

#include "sampler/cfi_row.h"
#include "sampler/context_registers.h"
#include "sampler/dwarf_expression.h"
#include "sampler/unwind_rule.h"

namespace sonde {
namespace {

constexpr std::uint64_t kLowestCode = 4096;
constexpr std::uint64_t kLargestFramePointerStep = 1 << 20;

constexpr std::uint64_t ContextOffset(int reg) {
  return offsetof(ucontext_t, uc_mcontext.gregs) +
         static_cast<std::uint64_t>(kContextIndex[reg]) * sizeof(greg_t);
}

// True when the instruction before `pc`, in a module, can be a call: E8 with four bytes, or
// FF /2 with its operand.
bool FollowsCall(std::uint64_t pc, const LoadedModule& module) {
  constexpr std::uint64_t kLongestCall = 7;
  std::uint8_t before[kLongestCall];
  if (pc < module.code_start + kLongestCall ||
      !ReadThroughKernel(pc - kLongestCall, kLongestCall, before)) {
    return false;
  }
  const std::uint8_t* code = before + kLongestCall;
  if (code[-5] == 0xe8) return true;
  for (const int length : {2, 3, 4, 6, 7}) {
    if (code[-length] == 0xff && (code[1 - length] & 0x38) == 0x10) return true;
  }
  return false;
}

// True in front of the first and the second instruction of "push %rbp; mov %rsp, %rbp", and of
// "ret": there rbp is the caller's. `pushed` is what lies above the return address.
bool IsAtFrameEdge(std::uint64_t pc, std::uint64_t& pushed) {
  // Code does not end inside an instruction, and what is asked for is one, or two, in a row.
  const auto* code = reinterpret_cast<const std::uint8_t*>(pc);
  const auto sets_up_frame = [](const std::uint8_t* at) {
    return at[0] == 0x48 && at[1] == 0x89 && at[2] == 0xe5;
  };
  pushed = 0;
  if (code[0] == 0xc3) return true;
  if (code[0] == 0x55) return sets_up_frame(code + 1);
  pushed = 8;
  const bool has_byte_before = pc % 4096 != 0;  // There may be nothing in front of the page.
  return has_byte_before && sets_up_frame(code) && code[-1] == 0x55;
}

constexpr std::uint32_t kCalleeSaved = 1U << kRbx | 1U << kRbp | 1U << kRsp | 1U << kR12 |
                                       1U << kR13 | 1U << kR14 | 1U << kR15 | 1U << kReturnAddress;

}  // namespace

// Where a walk stands: the registers that every frame needs.
struct Cursor {
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;
  std::uint64_t bp = 0;
  bool bp_known = true;
  bool exact = true;  // `pc` was interrupted, it is no return address.

  // What to look up: a return address may be the first byte behind its function.
  std::uint64_t Instruction() const { return exact ? pc : pc - 1; }
};

// What both walks share: the frames written so far, and the module of the last one.
class StackUnwinder::Walk {
 protected:
  Walk(StackUnwinder& unwinder, const ucontext_t& context, StackRange& range, PackedFrame* frames,
       std::uint32_t capacity)
      : stack_(range, ContextRegister(context, kRsp)),
        modules_(unwinder.modules_),
        ranges_(unwinder.ranges_),
        fiber_root_(unwinder.fiber_root_),
        frames_(frames),
        capacity_(capacity) {}

  // Finds the module of `pc`; the one of the last frame again costs nothing.
  bool EnterModule(std::uint64_t pc) {
    if (module_ != nullptr && module_->Holds(pc)) return true;
    index_ = modules_.Find(pc);
    module_ = index_ == ModuleRegistry::kNone ? nullptr : &modules_.At(index_);
    return module_ != nullptr;
  }

  // False when there is no room; the stack is then cut.
  bool Emit(std::uint64_t pc) {
    if (depth_ == capacity_) {
      truncation_ = Truncation::kDepth;
      return false;
    }
    frames_[depth_++] = PackedFrame(pc, index_);
    return true;
  }

  bool Cut(Truncation truncation) {
    truncation_ = truncation;
    return false;
  }

  UnwoundStack Done() const { return {depth_, truncation_}; }

  // Code that belongs to no file: a JIT compiler's, or a call of a bad pointer. False at
  // the end of the walk.
  [[gnu::noinline]] bool StepOutsideModules(Cursor& cursor) {
    const bool interrupted = cursor.exact;
    const bool known = ranges_.Holds(cursor.Instruction());
    if (!interrupted && !known) return Cut(Truncation::kNoModule);
    if (!Emit(cursor.pc)) return false;
    std::uint64_t pushed = 0;
    if (interrupted && known && IsAtFrameEdge(cursor.pc, pushed)) {
      if (StepByReturnAddress(cursor, pushed)) return true;
    } else if (StepByFramePointer(cursor) || (interrupted && StepByReturnAddress(cursor, 0))) {
      return true;
    }
    return Cut(Truncation::kNoModule);
  }

  // Code of a file that has no tables for it, such as that of crti.o.
  [[gnu::noinline]] bool StepWithoutRule(Cursor& cursor) {
    if (cursor.pc == fiber_root_) return false;
    // The ABI marks the outermost frame so.
    if (cursor.bp_known && cursor.bp == 0 && depth_ > 1) return false;
    if (StepByFramePointer(cursor) || (cursor.exact && StepByReturnAddress(cursor, 0))) return true;
    return Cut(Truncation::kNoRule);
  }

  StackReader stack_;
  ModuleRegistry& modules_;
  ExecutableRanges& ranges_;
  const std::uint64_t fiber_root_;
  PackedFrame* frames_;
  const std::uint32_t capacity_;
  std::uint32_t depth_ = 0;
  std::uint32_t index_ = ModuleRegistry::kNone;
  const LoadedModule* module_ = nullptr;
  Truncation truncation_ = Truncation::kNone;

 private:
  // Believed only when the frame lies just above the stack pointer and what it
  // says to return to does follow a call.
  [[gnu::noinline]] bool StepByFramePointer(Cursor& cursor) {
    DistrustStack(cursor);
    std::uint64_t return_address = 0;
    std::uint64_t bp = 0;
    if (!cursor.bp_known || cursor.bp < cursor.sp ||
        cursor.bp - cursor.sp > kLargestFramePointerStep ||
        !stack_.Read(cursor.bp + 8, return_address) || !stack_.Read(cursor.bp, bp) ||
        !IsReturnAddress(return_address)) {
      return false;
    }
    cursor = {return_address, cursor.bp + 16, bp, true, false};
    return true;
  }

  // The return address lies behind `pushed` bytes.
  [[gnu::noinline]] bool StepByReturnAddress(Cursor& cursor, std::uint64_t pushed) {
    DistrustStack(cursor);
    const std::uint64_t at = cursor.sp + pushed;
    std::uint64_t return_address = 0;
    if (!stack_.Read(at, return_address) || !IsReturnAddress(return_address)) return false;
    cursor = {return_address, at + 8, cursor.bp, cursor.bp_known, false};
    return true;
  }

  // Tables lead to words that are on the stack of this thread for as long as it stands there. After
  // a step without tables the walk may leave it: pages known from before may be another's
  // by now, and gone.
  void DistrustStack(const Cursor& cursor) {
    if (is_guessing_) return;
    is_guessing_ = true;
    stack_.ProbeAnew(cursor.sp);
  }

  // A word that may be anything, such as an address in a file that another thread is unloading.
  bool IsReturnAddress(std::uint64_t address) {
    if (address < kLowestCode) return false;
    const std::uint32_t index = modules_.FindAnything(address - 1);
    if (index != ModuleRegistry::kNone) return FollowsCall(address, modules_.At(index));
    return ranges_.Holds(address - 1);
  }

  bool is_guessing_ = false;
};

// Goes by rip, rsp and rbp and the remembered rules.
class StackUnwinder::ShortWalk : Walk {
 public:
  ShortWalk(StackUnwinder& unwinder, const ucontext_t& context, StackRange& range,
            PackedFrame* frames, std::uint32_t capacity)
      : Walk(unwinder, context, range, frames, capacity), rules_(unwinder.rules_) {
    start_.pc = ContextRegister(context, kReturnAddress);
    start_.sp = ContextRegister(context, kRsp);
    start_.bp = ContextRegister(context, kRbp);
  }

  // False when the stack has a frame that needs all registers.
  bool Run(UnwoundStack& result) {
    Cursor at = start_;
    while (Step(at)) {
    }
    result = Done();
    return !needs_all_registers_;
  }

 private:
  // One call a frame would cost as much as the step itself, and so would a cursor in memory: each
  // step waits for the one before it.
  [[gnu::always_inline]] bool Step(Cursor& at) {
    const std::uint64_t pc = at.Instruction();
    if (!EnterModule(pc)) {
      return Rarely(at, [this](Cursor& copy) { return StepOutsideModules(copy); });
    }
    if (!Emit(at.pc)) return false;
    const UnwindRule rule = RuleFor(pc);
    const auto offset = static_cast<std::uint64_t>(rule.cfa_offset());
    std::uint64_t cfa = 0;
    switch (rule.kind()) {
      case UnwindRule::kCfaFromRsp:
        cfa = at.sp + offset;
        break;
      case UnwindRule::kCfaFromRbp:
        if (!at.bp_known) return Cut(Truncation::kNoRule);
        cfa = at.bp + offset;
        break;
      case UnwindRule::kPlt:
        cfa = at.sp + ((at.pc & 15) >= 11 ? 16 : 8);
        break;
      case UnwindRule::kCfaAtRsp:
        if (!stack_.Read(at.sp + offset, cfa)) return Cut(Truncation::kBadRead);
        break;
      case UnwindRule::kCfaAtRbp:
        if (!at.bp_known || !stack_.Read(at.bp + offset, cfa)) return Cut(Truncation::kBadRead);
        break;
      case UnwindRule::kSignalFrame:
        return Rarely(at, [this](Cursor& copy) { return StepOverSignal(copy); });
      case UnwindRule::kEnd:
        return false;
      case UnwindRule::kAllRegisters:
        needs_all_registers_ = true;
        return false;
      default:
        return Rarely(at, [this](Cursor& copy) { return StepWithoutRule(copy); });
    }
    return StepToCaller(at, rule, cfa);
  }

  // Only a copy has an address, so that the cursor itself stays in registers.
  template <typename Function>
  [[gnu::always_inline]] static bool Rarely(Cursor& at, Function step) {
    Cursor copy = at;
    const bool goes_on = step(copy);
    at = copy;
    return goes_on;
  }

  UnwindRule RuleFor(std::uint64_t pc) {
    // Code that cannot be told from other code at its address later is looked up anew.
    const bool remembered = module_->build_id_address != 0;
    if (remembered) {
      const UnwindRule rule = rules_.Find(pc, index_);
      if (rule.kind() != UnwindRule::kUnset) return rule;
    }
    const UnwindRule rule = ComputeRule(module_->tables, pc);
    if (remembered) rules_.Store(pc, index_, rule);
    return rule;
  }

  // Not inlined: its rows would lie on the stack of every sample.
  [[gnu::noinline]] static UnwindRule ComputeRule(const TableRange& tables, std::uint64_t pc) {
    Fde fde;
    CfiRow row;
    if (!FindFde(tables, pc, fde) || !ComputeRow(fde, pc, row)) {
      return UnwindRule::OfKind(UnwindRule::kNone);
    }
    return UnwindRule(fde, row);
  }

  [[gnu::always_inline]] bool StepToCaller(Cursor& at, UnwindRule rule, std::uint64_t cfa) {
    std::uint64_t return_address = 0;
    if (cfa <= at.sp && !(at.exact && cfa == at.sp)) return Cut(Truncation::kOrder);
    if (!stack_.Read(cfa - rule.return_distance(), return_address)) {
      return Cut(Truncation::kBadRead);
    }
    if (return_address < kLowestCode) return false;  // The root of a stack made by hand.
    // A word that cannot be read means that rbp is lost, not that the stack ends: frames
    // further out may do without it.
    const auto offset = static_cast<std::uint64_t>(rule.rbp_offset());
    switch (rule.rbp_kind()) {
      case UnwindRule::kRbpSame:
        break;
      case UnwindRule::kRbpAtCfa:
        at.bp_known = stack_.Read(cfa + offset, at.bp);
        break;
      case UnwindRule::kRbpAtRbp:
        at.bp_known = at.bp_known && stack_.Read(at.bp + offset, at.bp);
        break;
      case UnwindRule::kRbpLost:
        at.bp_known = false;
        break;
    }
    at.sp = cfa;
    at.pc = return_address;
    at.exact = false;
    return true;
  }

  // At a signal's return trampoline rsp is the address of the interrupted ucontext_t.
  [[gnu::noinline]] bool StepOverSignal(Cursor& at) {
    Cursor interrupted;
    if (!stack_.Read(at.sp + ContextOffset(kRsp), interrupted.sp) ||
        !stack_.Read(at.sp + ContextOffset(kRbp), interrupted.bp) ||
        !stack_.Read(at.sp + ContextOffset(kReturnAddress), interrupted.pc)) {
      return Cut(Truncation::kBadRead);
    }
    at = interrupted;
    stack_.MoveTo(at.sp);  // The handler may have run on a stack of its own.
    return true;
  }

  RuleCache& rules_;
  Cursor start_;
  bool needs_all_registers_ = false;
};

// Goes by all registers and remembers nothing.
class StackUnwinder::FullWalk : Walk {
 public:
  FullWalk(StackUnwinder& unwinder, const ucontext_t& context, StackRange& range,
           PackedFrame* frames, std::uint32_t capacity)
      : Walk(unwinder, context, range, frames, capacity) {
    for (int reg = 0; reg < kRegisterCount; ++reg) {
      registers_.value[reg] = ContextRegister(context, reg);
    }
    registers_.known = kAllKnown;
  }

  UnwoundStack Run() {
    while (Step()) {
    }
    return Done();
  }

 private:
  static constexpr std::uint32_t kAllKnown = (1U << kRegisterCount) - 1;

  bool Step() {
    Cursor cursor = {registers_.value[kReturnAddress], registers_.value[kRsp],
                     registers_.value[kRbp], registers_.Knows(kRbp), exact_};
    const std::uint64_t pc = cursor.Instruction();
    if (!EnterModule(pc)) return StepOutsideModules(cursor) && Continue(cursor);
    if (!Emit(cursor.pc)) return false;
    Fde fde;
    CfiRow row;
    if (!FindFde(module_->tables, pc, fde) || !ComputeRow(fde, pc, row) ||
        fde.cie.return_register != kReturnAddress) {
      return StepWithoutRule(cursor) && Continue(cursor);
    }
    if (fde.cie.is_signal_frame) return StepOverSignal();
    if (row.rules[kReturnAddress] == RegisterRule::kUndefined) return false;
    return StepToCaller(fde, row);
  }

  // Takes over the registers that a step without tables yields; it loses the rest.
  bool Continue(const Cursor& cursor) {
    registers_.value[kReturnAddress] = cursor.pc;
    registers_.value[kRsp] = cursor.sp;
    registers_.value[kRbp] = cursor.bp;
    registers_.known = 1U << kReturnAddress | 1U << kRsp | (cursor.bp_known ? 1U << kRbp : 0);
    exact_ = cursor.exact;
    return true;
  }

  bool StepOverSignal() {
    const std::uint64_t context = registers_.value[kRsp];
    for (int reg = 0; reg < kRegisterCount; ++reg) {
      if (!stack_.Read(context + ContextOffset(reg), registers_.value[reg])) {
        return Cut(Truncation::kBadRead);
      }
    }
    registers_.known = kAllKnown;
    exact_ = true;
    stack_.MoveTo(registers_.value[kRsp]);
    return true;
  }

  bool StepToCaller(const Fde& fde, const CfiRow& row) {
    std::uint64_t cfa = 0;
    if (row.cfa_is_expression) {
      if (!EvaluateExpression(static_cast<std::uint64_t>(row.cfa_offset), fde.limit, registers_,
                              false, 0, stack_, cfa)) {
        return Cut(Truncation::kNoRule);
      }
    } else {
      if (!registers_.Knows(row.cfa_register)) return Cut(Truncation::kNoRule);
      cfa = registers_.value[row.cfa_register] + static_cast<std::uint64_t>(row.cfa_offset);
    }

    const bool has_stack_rule = row.rules[kRsp] != RegisterRule::kSame;
    RegisterSet outer = registers_;
    outer.value[kRsp] = cfa;
    // A caller cannot count on the other registers, unless it was interrupted.
    outer.known &= kCalleeSaved;
    for (int reg = 0; reg < kRegisterCount; ++reg) {
      if (row.rules[reg] == RegisterRule::kSame) continue;
      if (Recover(fde, row, reg, cfa, outer.value[reg])) {
        outer.known |= 1U << reg;
      } else {
        outer.known &= ~(1U << reg);
      }
    }
    const std::uint64_t sp = registers_.value[kRsp];
    const std::uint64_t outer_sp = outer.value[kRsp];
    if (!outer.Knows(kReturnAddress) || !outer.Knows(kRsp)) return Cut(Truncation::kBadRead);
    // longjmp and the like, interrupted on their way to another stack.
    const bool leaves_stack = has_stack_rule && exact_;
    if (outer_sp <= sp && !(exact_ && outer_sp == sp) && !leaves_stack) {
      return Cut(Truncation::kOrder);
    }
    if (row.rules[kReturnAddress] == RegisterRule::kSame) return Cut(Truncation::kNoRule);
    registers_ = outer;
    exact_ = false;
    if (leaves_stack) stack_.MoveTo(outer_sp);
    return registers_.value[kReturnAddress] >= kLowestCode;
  }

  bool Recover(const Fde& fde, const CfiRow& row, int reg, std::uint64_t cfa,
               std::uint64_t& value) {
    const auto operand = static_cast<std::uint64_t>(std::int64_t{row.values[reg]});
    switch (row.rules[reg]) {
      case RegisterRule::kAtCfa:
        return stack_.Read(cfa + operand, value);
      case RegisterRule::kIsCfa:
        value = cfa + operand;
        return true;
      case RegisterRule::kInRegister:
        if (!registers_.Knows(operand)) return false;
        value = registers_.value[operand];
        return true;
      case RegisterRule::kAtExpression: {
        std::uint64_t address = 0;
        return EvaluateExpression(fde.program + operand, fde.limit, registers_, true, cfa, stack_,
                                  address) &&
               stack_.Read(address, value);
      }
      case RegisterRule::kIsExpression:
        return EvaluateExpression(fde.program + operand, fde.limit, registers_, true, cfa, stack_,
                                  value);
      default:
        return false;
    }
  }

  RegisterSet registers_;
  bool exact_ = true;
};

UnwoundStack StackUnwinder::Unwind(const ucontext_t& context, StackRange& range,
                                   PackedFrame* frames, std::uint32_t capacity) noexcept {
  UnwoundStack result;
  if (ShortWalk(*this, context, range, frames, capacity).Run(result)) return result;
  return UnwindFully(context, range, frames, capacity);
}

UnwoundStack StackUnwinder::UnwindFully(const ucontext_t& context, StackRange& range,
                                        PackedFrame* frames, std::uint32_t capacity) noexcept {
  return FullWalk(*this, context, range, frames, capacity).Run();
}

}  // namespace sonde
