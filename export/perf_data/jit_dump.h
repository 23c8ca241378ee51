// JitDump: what a just-in-time compiler wrote down about the code that it made.

#ifndef SONDE_EXPORT_PERF_DATA_JIT_DUMP_H_
#define SONDE_EXPORT_PERF_DATA_JIT_DUMP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::perf_data {

// A function that was put into memory, or moved there.
struct JitCode {
  std::uint64_t time_ns = 0;  // Of the recording's clock when both use the monotonic one.
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::string name;
};

// Whether programs with that file mapped are being told about by a JIT: "jit-PID.dump".
bool IsJitDump(std::string_view file) noexcept;

// The functions of a dump in the order of their times. Reads up to where the
// file is cut off. Nothing when it is no dump.
std::optional<std::vector<JitCode>> ReadJitDump(std::string_view bytes);

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_JIT_DUMP_H_
