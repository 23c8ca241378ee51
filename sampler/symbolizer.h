// Symbolizer: names the functions of an interval, on its way to a Profile.

#ifndef SONDE_SAMPLER_SYMBOLIZER_H_
#define SONDE_SAMPLER_SYMBOLIZER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sampler/interval.h"
#include "sonde/elf_symbols.h"
#include "sonde/profile_builder.h"

namespace sonde {

// What a snapshot may tell about the program.
struct SnapshotPrivacy {
  bool function_names = true;  // False: addresses and build ids only.
  bool full_paths = true;      // False: files by their base names.
};

// Keeps the symbols of the modules it has seen, so that the next interval need
// not read them again; those that an interval does not use go after a while.
// Not thread-safe.
class Symbolizer {
 public:
  explicit Symbolizer(SnapshotPrivacy privacy = {}) : privacy_(privacy) {}

  // Names the task of an id; empty when it is not known any more.
  void NameTasksBy(std::function<std::string(std::uint64_t)> name_of) {
    task_name_ = std::move(name_of);
  }

  // Sample types samples/count and cpu/nanoseconds (default), or wall/nanoseconds in its place;
  // labels thread, tid, task, task_id, those of the user, source=catch-all, state=running or
  // waiting. The interrupted pc is kept as it
  // is, callers as return address - 1. Mapping::has_functions is true when all its
  // locations are named. What the sampler dropped becomes Losses, the rest of
  // its accounts comments. The caller may add to the builder before building.
  ProfileBuilder Name(const Interval& interval);

 private:
  friend class IntervalBuilder;
  struct Loaded {
    std::optional<ElfSymbols> symbols;  // Empty when the file could not be read.
    std::string problem;                // Why.
    std::uint64_t last_used = 0;        // Number of the interval.
  };

  const Loaded& Load(const Module& module);
  void ForgetUnused();

  SnapshotPrivacy privacy_;
  std::function<std::string(std::uint64_t)> task_name_;
  std::map<std::pair<std::string, std::string>, Loaded> loaded_;  // By path and build id.
  std::uint64_t intervals_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_SYMBOLIZER_H_
