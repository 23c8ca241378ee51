// FrameLine: a line of perf script's text that belongs to a stack.

#ifndef SONDE_EXPORT_PERF_SCRIPT_FRAME_LINE_H_
#define SONDE_EXPORT_PERF_SCRIPT_FRAME_LINE_H_

#include <cstdint>
#include <string_view>

namespace sonde::perf_script {

enum class LineKind : std::uint8_t {
  kFrame,
  kInlinedFrame,  // Shares the address of the frame that follows.
  kSourceLine,    // Of the frame before it.
  kHeader,        // Begins the next sample.
  kUnknown,
};

// All views point into the line.
struct FrameLine {
  LineKind kind = LineKind::kUnknown;
  std::uint64_t address = 0;  // As printed; 0 when not printed.
  // Without the offset; empty when not known. Of an unknown line: all of it.
  std::string_view function{};
  std::string_view module{};  // Path or "[name]"; empty when not known.
  std::string_view file{};    // Of a source line.
  std::int64_t line = 0;      // Of a source line.

  friend bool operator==(const FrameLine&, const FrameLine&) = default;
};

// Reads "address function+offset (module)", in which everything but one part may
// be missing, or "file:line". Function names may hold spaces and parentheses,
// and modules end in " (deleted)". `text` is without white space around it. Any thread.
FrameLine ParseFrame(std::string_view text) noexcept;

// The address that a line begins with, and what stands behind it.
struct AddressedText {
  bool has_address = false;
  bool is_upper_half = false;  // Of the address space: the kernel's.
  std::string_view rest{};
};
AddressedText CutAddress(std::string_view text) noexcept;

}  // namespace sonde::perf_script

#endif  // SONDE_EXPORT_PERF_SCRIPT_FRAME_LINE_H_
