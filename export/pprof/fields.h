// The field numbers of perftools.profiles.Profile.

#ifndef SONDE_EXPORT_PPROF_FIELDS_H_
#define SONDE_EXPORT_PPROF_FIELDS_H_

#include <cstdint>

namespace sonde::pprof {

namespace profile {
enum Field : std::uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kDropFrames = 7,
  kKeepFrames = 8,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
  kDocUrl = 15,
};
}  // namespace profile

namespace value_type {
enum Field : std::uint32_t { kType = 1, kUnit = 2 };
}  // namespace value_type

namespace sample {
enum Field : std::uint32_t { kLocationId = 1, kValue = 2, kLabel = 3 };
}  // namespace sample

namespace label {
enum Field : std::uint32_t { kKey = 1, kStr = 2, kNum = 3, kNumUnit = 4 };
}  // namespace label

namespace mapping {
enum Field : std::uint32_t {
  kId = 1,
  kMemoryStart = 2,
  kMemoryLimit = 3,
  kFileOffset = 4,
  kFilename = 5,
  kBuildId = 6,
  kHasFunctions = 7,
  kHasFilenames = 8,
  kHasLineNumbers = 9,
  kHasInlineFrames = 10,
};
}  // namespace mapping

namespace location {
enum Field : std::uint32_t { kId = 1, kMappingId = 2, kAddress = 3, kLine = 4, kIsFolded = 5 };
}  // namespace location

namespace line {
enum Field : std::uint32_t { kFunctionId = 1, kLine = 2, kColumn = 3 };
}  // namespace line

namespace function {
enum Field : std::uint32_t {
  kId = 1,
  kName = 2,
  kSystemName = 3,
  kFilename = 4,
  kStartLine = 5,
};
}  // namespace function

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_FIELDS_H_
