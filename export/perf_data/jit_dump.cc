// JitDump: what a just-in-time compiler wrote down about the code that it made.

#include "export/perf_data/jit_dump.h"

#include <algorithm>
#include <unordered_map>

#include "export/perf_data/cursor.h"
#include "sonde/frame_names.h"

namespace sonde::perf_data {
namespace {

constexpr std::uint32_t kMagic = 0x4A695444;         // "JiTD"
constexpr std::uint32_t kMagicSwapped = 0x4454694A;  // From a machine of the other byte order.
constexpr std::uint32_t kCodeLoad = 0;
constexpr std::uint32_t kCodeMove = 1;
constexpr std::size_t kRecordHeaderBytes = 16;

}  // namespace

bool IsJitDump(std::string_view file) noexcept {
  const std::string_view name = BaseName(file);
  if (!name.starts_with("jit-") || !name.ends_with(".dump") || name.size() < 10) return false;
  return name.substr(4, name.size() - 9).find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::vector<JitCode>> ReadJitDump(std::string_view bytes) {
  Cursor magic(bytes, false);
  const std::uint32_t first = magic.U32();
  if (first != kMagic && first != kMagicSwapped) return std::nullopt;
  Cursor cursor(bytes, first == kMagicSwapped);
  cursor.Skip(8);  // Magic and version.
  const std::uint32_t header_bytes = cursor.U32();
  if (header_bytes < 12 || header_bytes > bytes.size()) return std::nullopt;
  cursor.Skip(header_bytes - 12);

  std::vector<JitCode> functions;
  std::unordered_map<std::uint64_t, std::size_t> by_index;
  while (cursor.left() >= kRecordHeaderBytes) {
    const std::uint32_t type = cursor.U32();
    const std::uint32_t size = cursor.U32();
    const std::uint64_t time_ns = cursor.U64();
    if (size < kRecordHeaderBytes) break;
    Cursor body(cursor.Bytes(size - kRecordHeaderBytes), cursor.swapped());
    if (!cursor.ok()) break;
    if (type == kCodeLoad) {
      body.Skip(16);  // Process, thread, address in the process that wrote.
      JitCode code{.time_ns = time_ns, .start = body.U64(), .size = body.U64(), .name = {}};
      const std::uint64_t index = body.U64();
      code.name = body.Text();
      if (!body.ok() || code.name.empty()) continue;
      by_index[index] = functions.size();
      functions.push_back(std::move(code));
    } else if (type == kCodeMove) {
      body.Skip(24);  // Process, thread, address, old start.
      JitCode code{.time_ns = time_ns, .start = body.U64(), .size = body.U64(), .name = {}};
      const auto moved = by_index.find(body.U64());
      if (!body.ok() || moved == by_index.end()) continue;
      code.name = functions[moved->second].name;
      functions.push_back(std::move(code));
    }
  }
  std::ranges::stable_sort(functions, {}, &JitCode::time_ns);
  return functions;
}

}  // namespace sonde::perf_data
