// The numbers of the perf.data format that the reader acts on.

#ifndef SONDE_EXPORT_PERF_DATA_ABI_H_
#define SONDE_EXPORT_PERF_DATA_ABI_H_

#include <cstdint>

namespace sonde::perf_data {

// Of the kernel up to 63, of the perf tool from 64 on.
enum RecordType : std::uint32_t {
  kMmap = 1,
  kLost = 2,
  kComm = 3,
  kExit = 4,
  kThrottle = 5,
  kUnthrottle = 6,
  kFork = 7,
  kRead = 8,
  kSample = 9,
  kMmap2 = 10,
  kAux = 11,
  kItraceStart = 12,
  kLostSamples = 13,
  kSwitch = 14,
  kSwitchCpuWide = 15,
  kNamespaces = 16,
  kKsymbol = 17,
  kBpfEvent = 18,
  kCgroup = 19,
  kTextPoke = 20,
  kAuxOutputHardwareId = 21,
  kFirstOfTool = 64,
  kHeaderAttr = 64,
  kHeaderEventType = 65,
  kHeaderTracingData = 66,
  kHeaderBuildId = 67,
  kFinishedRound = 68,
  kIdIndex = 69,
  kAuxtraceInfo = 70,
  kAuxtrace = 71,
  kHeaderFeature = 80,
  kEventUpdate = 78,
  kCompressed = 81,
  kFinishedInit = 82,
  kCompressed2 = 83,
  kLastOfTool = 84,  // BPF metadata.
};

// Bits of Record::misc.
inline constexpr std::uint16_t kMiscCpuMode = 7;
inline constexpr std::uint16_t kMiscCommExec = 1U << 13;  // COMM: the process runs another program.
inline constexpr std::uint16_t kMiscSwitchOut = 1U << 13;      // SWITCH: the thread leaves the CPU.
inline constexpr std::uint16_t kMiscSwitchPreempt = 1U << 14;  // And could have run on.
inline constexpr std::uint16_t kMiscMmapBuildId =
    1U << 14;  // MMAP2: a build id in place of the inode.
inline constexpr std::uint16_t kMiscBuildIdSize = 1U << 15;  // BUILD_ID: its length is given.

enum class CpuMode : std::uint8_t {
  kUnknown = 0,
  kKernel = 1,
  kUser = 2,
  kHypervisor = 3,
  kGuestKernel = 4,
  kGuestUser = 5,
};

// Bits of sample_type, in the order of their numbers.
enum SampleBit : std::uint64_t {
  kSampleIp = 1U << 0,
  kSampleTid = 1U << 1,
  kSampleTime = 1U << 2,
  kSampleAddr = 1U << 3,
  kSampleRead = 1U << 4,
  kSampleCallchain = 1U << 5,
  kSampleId = 1U << 6,
  kSampleCpu = 1U << 7,
  kSamplePeriod = 1U << 8,
  kSampleStreamId = 1U << 9,
  kSampleRaw = 1U << 10,
  kSampleBranchStack = 1U << 11,
  kSampleRegsUser = 1U << 12,
  kSampleStackUser = 1U << 13,
  kSampleIdentifier = 1U << 16,
};

// Bits of read_format.
inline constexpr std::uint64_t kReadEnabled = 1U << 0;
inline constexpr std::uint64_t kReadRunning = 1U << 1;
inline constexpr std::uint64_t kReadId = 1U << 2;
inline constexpr std::uint64_t kReadGroup = 1U << 3;
inline constexpr std::uint64_t kReadLost = 1U << 4;

// Bits of branch_sample_type.
inline constexpr std::uint64_t kBranchCallStack = 1U << 11;
inline constexpr std::uint64_t kBranchHwIndex = 1U << 17;

// Bits of the attributes' flags.
inline constexpr std::uint64_t kFlagInherit = 1U << 1;
inline constexpr std::uint64_t kFlagFrequency = 1U << 10;
inline constexpr std::uint64_t kFlagSampleIdAll = 1U << 18;
inline constexpr std::uint64_t kFlagContextSwitch = 1U << 26;

// Values of a call chain from here on are no addresses but say whose the next ones are.
inline constexpr std::uint64_t kFirstContext = static_cast<std::uint64_t>(-4095);
inline constexpr std::uint64_t kContextHypervisor = static_cast<std::uint64_t>(-32);
inline constexpr std::uint64_t kContextKernel = static_cast<std::uint64_t>(-128);
inline constexpr std::uint64_t kContextUser = static_cast<std::uint64_t>(-512);
inline constexpr std::uint64_t kContextGuest = static_cast<std::uint64_t>(-2048);
inline constexpr std::uint64_t kContextGuestKernel = static_cast<std::uint64_t>(-2176);
inline constexpr std::uint64_t kContextGuestUser = static_cast<std::uint64_t>(-2560);

// Parts of a file's header.
enum Feature : unsigned {
  kFeatureTracingData = 1,
  kFeatureBuildId = 2,
  kFeatureHostname = 3,
  kFeatureArch = 6,
  kFeatureEventDesc = 12,
  kFeatureClockData = 29,
  kFeatureCount = 256,
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_ABI_H_
