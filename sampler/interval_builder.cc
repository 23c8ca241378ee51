// BuildSamples: see interval_builder.h.

#include "sampler/interval_builder.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "sampler/label_table.h"

namespace sonde {
namespace {

std::string Hex(const std::uint8_t* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string PathOf(const LoadedModule& module) {
  const std::string_view name = module.path;
  char path[PATH_MAX];
  if (name.empty()) {
    const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
    return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
  }
  if (name.find('/') == std::string_view::npos && name.starts_with("linux-")) return "[vdso]";
  if (name.front() != '/' && realpath(module.path, path) != nullptr) return path;
  return std::string(name);
}

// Gives each key it is asked for the next number, and says whether it is new.
template <typename Key>
class Numbering {
 public:
  std::pair<std::uint32_t, bool> Of(Key key) {
    const auto [at, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    return {at->second, is_new};
  }

 private:
  std::unordered_map<Key, std::uint32_t> numbers_;
};

}  // namespace

void BuildSamples(const SampleTable& table, const ModuleRegistry& modules,
                  const std::unordered_map<std::int32_t, std::string>& names, Interval& interval) {
  Numbering<std::uint32_t> module_numbers;
  Numbering<std::int32_t> thread_numbers;
  Numbering<std::uint32_t> label_numbers;
  label_numbers.Of(0);
  interval.label_sets.emplace_back();

  interval.samples.reserve(table.entries().size());
  for (const SampleTable::Entry& entry : table.entries()) {
    IntervalSample& sample = interval.samples.emplace_back();
    for (const std::uint64_t bits : table.FramesOf(entry)) {
      const PackedFrame packed = PackedFrame::FromBits(bits);
      RawFrame& frame = sample.frames.emplace_back();
      frame.address = packed.address();
      if (packed.module() == ModuleRegistry::kNone) continue;
      const auto [number, is_new] = module_numbers.Of(packed.module());
      frame.module = number;
      if (!is_new) continue;
      const LoadedModule& loaded = modules.At(packed.module());
      interval.modules.push_back({loaded.code_start, loaded.code_limit, loaded.file_offset,
                                  loaded.bias, PathOf(loaded),
                                  Hex(loaded.build_id, loaded.build_id_size)});
    }
    const auto [thread, new_thread] = thread_numbers.Of(entry.tid);
    sample.thread = thread;
    if (new_thread) {
      const auto name = names.find(entry.tid);
      interval.threads.push_back({entry.tid, name == names.end() ? std::string() : name->second});
    }
    const auto [label_set, new_set] = label_numbers.Of(entry.label_set);
    sample.label_set = label_set;
    if (new_set) interval.label_sets.push_back(LabelTable::Get().SetOf(entry.label_set));
    sample.task_id = entry.task_id;
    sample.truncated = entry.truncated;
    sample.catch_all = entry.source == SampleSource::kCatchAll;
    sample.state = entry.state;
    sample.signals = entry.signals;
    sample.weight = entry.weight;
  }
}

}  // namespace sonde
