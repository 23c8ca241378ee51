// JitMemory: the code that JITs put into the memory of processes, as time goes on.

#include "export/perf_data/jit_memory.h"

#include <string>
#include <utility>

namespace sonde::perf_data {
namespace {

constexpr std::size_t kMostDumpBytes = std::size_t{1} << 30;
constexpr std::size_t kNameInMmap = 32;
constexpr std::size_t kNameInMmap2 = 64;

}  // namespace

void JitMemory::Note(const Record& record, bool swapped) {
  const std::size_t at = record.type == kMmap2 ? kNameInMmap2 : kNameInMmap;
  if (record.payload.size() <= at) return;
  const std::string_view file = UpToZero(record.payload.substr(at));
  if (!IsJitDump(file)) return;
  Cursor cursor(record.payload, swapped);
  const std::uint32_t pid = cursor.U32();
  const auto [known, is_new] = codes_.try_emplace(pid);
  if (!is_new) return;
  const auto bytes = symbols::ReadWholeFile(std::string(file), kMostDumpBytes);
  if (!bytes.has_value()) return;
  auto codes = ReadJitDump(*bytes);
  if (codes.has_value()) known->second.codes = std::move(*codes);
}

void JitMemory::AdvanceTo(std::uint64_t time_ns, std::uint32_t pid, Process& process) {
  if (codes_.empty()) return;
  const auto found = codes_.find(pid);
  if (found == codes_.end()) return;
  Codes& jit = found->second;
  if (jit.next == jit.codes.size() || jit.codes[jit.next].time_ns > time_ns) return;
  const ModuleId module =
      modules_.Intern("/tmp/perf-" + std::to_string(pid) + ".map", {}, ModuleKind::kJit);
  for (; jit.next < jit.codes.size() && jit.codes[jit.next].time_ns <= time_ns; ++jit.next) {
    const JitCode& code = jit.codes[jit.next];
    if (code.size == 0 || code.start > UINT64_MAX - code.size) continue;
    modules_.AddJitName(module, code.start, code.size, code.name);
    if (process.space.Find(code.start) == nullptr) {
      process.space.Add({code.start, code.start + code.size, 0, module});
    }
  }
  machine_.Touch(process);
}

}  // namespace sonde::perf_data
