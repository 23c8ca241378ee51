// MemoryMap: the files a process had mapped, as gperftools profiles end with them.

#ifndef SONDE_EXPORT_GPERFTOOLS_MEMORY_MAP_H_
#define SONDE_EXPORT_GPERFTOOLS_MEMORY_MAP_H_

#include <string>
#include <string_view>
#include <vector>

#include "sonde/profile_builder.h"

namespace sonde::gperftools {

// Not thread-safe.
class MemoryMap {
 public:
  // Takes a line of /proc/PID/maps, the short "START-END: FILE", or "NAME=VALUE",
  // which stands for "$NAME" in the files of the lines after it. False when it is
  // none of these. Only executable ranges are kept.
  bool AddLine(std::string_view line);

  // Adds the ranges, neighbours of one file joined, to the builder.
  void AddTo(ProfileBuilder& builder);

  // Of the range with `address`, once AddTo was called.
  MappingId Find(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t start;
    std::uint64_t limit;
    std::uint64_t offset;
    std::string file;
    MappingId id;
  };
  struct Variable {
    std::string name;
    std::string value;
  };

  std::vector<Range> ranges_;  // By start, once AddTo was called.
  std::vector<Variable> variables_;
};

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_MEMORY_MAP_H_
