// StackReader: reads a stack that may be anything, without ever faulting.

#ifndef SONDE_SAMPLER_STACK_READER_H_
#define SONDE_SAMPLER_STACK_READER_H_

#include <cstdint>

namespace sonde {

// Pages known to be readable, [low, high); empty when nothing is known. Kept from sample to
// sample, so that a warm sample probes nothing; dropped when the stack pointer leaves it.
struct StackRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// True when the page of `address` can be read. One system call. Async-signal-safe.
bool IsReadable(std::uint64_t address) noexcept;

// Copies `size` bytes from memory that may be gone at any moment; false when it is, or part of it.
// Two system calls. Async-signal-safe.
bool ReadThroughKernel(std::uint64_t address, std::uint64_t size, void* to) noexcept;

// Extends `range` page by page, upwards from the stack pointer, as reads ask for it.
// Async-signal-safe.
class StackReader {
 public:
  StackReader(StackRange& range, std::uint64_t stack_pointer) noexcept : range_(range) {
    MoveTo(stack_pointer);
  }

  // Goes on with the stack that `stack_pointer` is on.
  void MoveTo(std::uint64_t stack_pointer) noexcept {
    if (stack_pointer < range_.low || stack_pointer >= range_.high) Enter(stack_pointer);
  }

  // The same, but believes in no page that was found before.
  void ProbeAnew(std::uint64_t stack_pointer) noexcept {
    range_ = {};
    Enter(stack_pointer);
  }

  // Reads the aligned word at `address`; false when it is not one that can be read.
  bool Read(std::uint64_t address, std::uint64_t& value) noexcept {
    if ((address & 7) != 0) return false;
    if ((address < range_.low || address >= range_.high) && !Extend(address)) return false;
    value = *reinterpret_cast<const volatile std::uint64_t*>(address);
    return true;
  }

 private:
  void Enter(std::uint64_t stack_pointer) noexcept;
  bool Extend(std::uint64_t address) noexcept;

  StackRange& range_;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_STACK_READER_H_
