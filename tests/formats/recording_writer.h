// RecordingWriter: writes small perf.data files for tests, of either byte order.

#ifndef SONDE_TESTS_FORMATS_RECORDING_WRITER_H_
#define SONDE_TESTS_FORMATS_RECORDING_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/perf_data/abi.h"

namespace sonde::perf_data {

// Bytes of a record's payload, one field after the other.
class Payload {
 public:
  explicit Payload(bool swapped = false) : swapped_(swapped) {}
  Payload& U16(std::uint16_t number) {
    return Add<std::uint16_t>(swapped_ ? __builtin_bswap16(number) : number);
  }
  Payload& U32(std::uint32_t number) { return Add(swapped_ ? __builtin_bswap32(number) : number); }
  Payload& U64(std::uint64_t number) { return Add(swapped_ ? __builtin_bswap64(number) : number); }
  // Padded to eight bytes, with at least one zero behind it.
  Payload& Text(std::string_view text) {
    bytes_ += text;
    bytes_.append(8 - text.size() % 8, '\0');
    return *this;
  }
  Payload& Bytes(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  Payload& Add(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
    return *this;
  }
  bool swapped_;
  std::string bytes_;
};

class RecordingWriter {
 public:
  // What the writer's samples hold unless told otherwise; the id comes first.
  static constexpr std::uint64_t kSampleType = kSampleIdentifier | kSampleIp | kSampleTid |
                                               kSampleTime | kSampleCpu | kSamplePeriod |
                                               kSampleCallchain;

  explicit RecordingWriter(bool swapped = false) : swapped_(swapped) {}

  // An event of that software number, called `id` in its samples.
  RecordingWriter& AddEvent(std::uint64_t config, std::uint64_t id,
                            std::uint32_t attribute_bytes = 136) {
    events_.push_back({config, id, attribute_bytes});
    return *this;
  }
  RecordingWriter& Add(std::uint32_t type, std::uint16_t misc, const std::string& payload) {
    data_ += Record(type, misc, payload);
    return *this;
  }
  RecordingWriter& Comm(std::uint32_t pid, std::uint32_t tid, std::string_view name,
                        std::uint64_t time, bool exec = false) {
    return Add(kComm, exec ? kMiscCommExec : std::uint16_t{0},
               New().U32(pid).U32(tid).Text(name).Bytes(Trailer(pid, tid, time)).bytes());
  }
  RecordingWriter& Fork(std::uint32_t pid, std::uint32_t parent, std::uint64_t time) {
    return Add(kFork, 0,
               New()
                   .U32(pid)
                   .U32(parent)
                   .U32(pid)
                   .U32(parent)
                   .U64(time)
                   .Bytes(Trailer(pid, pid, time))
                   .bytes());
  }
  RecordingWriter& Map(std::uint32_t pid, std::uint64_t start, std::uint64_t size,
                       std::string_view file, std::uint64_t time, std::uint64_t offset = 0) {
    const bool is_kernel = file.starts_with("[kernel");
    return Add(kMmap, is_kernel ? std::uint16_t{1} : std::uint16_t{2},
               New()
                   .U32(is_kernel ? 0xffff'ffffU : pid)
                   .U32(pid)
                   .U64(start)
                   .U64(size)
                   .U64(offset)
                   .Text(file)
                   .Bytes(Trailer(pid, pid, time))
                   .bytes());
  }
  RecordingWriter& Sample(std::uint64_t id, std::uint32_t pid, std::uint32_t tid,
                          std::uint64_t time, std::uint64_t period,
                          const std::vector<std::uint64_t>& chain,
                          const std::vector<std::uint64_t>& counters = {}) {
    return Add(kSample, 2, SamplePayload(id, pid, tid, time, period, chain, counters));
  }
  // A thread leaves the CPU, or comes back; needs WithSwitches.
  RecordingWriter& Switch(std::uint32_t pid, std::uint32_t tid, std::uint64_t time,
                          std::uint16_t misc) {
    return Add(kSwitch, misc, Trailer(pid, tid, time));
  }
  RecordingWriter& Exit(std::uint32_t pid, std::uint32_t tid, std::uint64_t time) {
    return Add(
        kExit, 0,
        New().U32(pid).U32(pid).U32(tid).U32(tid).U64(time).Bytes(Trailer(pid, tid, time)).bytes());
  }
  RecordingWriter& WithSwitches() {
    flags_ |= kFlagContextSwitch;
    return *this;
  }
  // Before any record: samples hold counters, laid out by bits of read_format.
  RecordingWriter& WithCounters(std::uint64_t read_format, bool is_inherited = false) {
    sample_type_ |= kSampleRead;
    read_format_ = read_format;
    if (is_inherited) flags_ |= kFlagInherit;
    return *this;
  }
  // Before any record: none says on which CPU it was made.
  RecordingWriter& WithoutCpu() {
    sample_type_ &= ~kSampleCpu;
    return *this;
  }
  RecordingWriter& FinishRound() { return Add(kFinishedRound, 0, {}); }

  std::string SamplePayload(std::uint64_t id, std::uint32_t pid, std::uint32_t tid,
                            std::uint64_t time, std::uint64_t period,
                            const std::vector<std::uint64_t>& chain,
                            const std::vector<std::uint64_t>& counters = {}) const {
    Payload payload = New();
    payload.U64(id).U64(chain.empty() ? 0 : chain.back()).U32(pid).U32(tid).U64(time);
    if (has_cpu()) payload.U32(3).U32(0);
    payload.U64(period);
    for (const std::uint64_t word : counters) payload.U64(word);
    payload.U64(chain.size());
    for (const std::uint64_t word : chain) payload.U64(word);
    return payload.bytes();
  }
  std::string Record(std::uint32_t type, std::uint16_t misc, const std::string& payload) const {
    return New()
        .U32(type)
        .U16(misc)
        .U16(static_cast<std::uint16_t>(payload.size() + 8))
        .Bytes(payload)
        .bytes();
  }

  std::string File() const {
    constexpr std::uint64_t kHeaderBytes = 104;
    const std::uint64_t entry_bytes = events_.front().attribute_bytes + 16;
    const std::uint64_t attributes = kHeaderBytes + 8 * events_.size();
    const std::uint64_t data = attributes + entry_bytes * events_.size();
    Payload file = New();
    file.U64(kMagic).U64(kHeaderBytes).U64(entry_bytes);
    file.U64(attributes).U64(entry_bytes * events_.size()).U64(data).U64(data_.size());
    for (int i = 0; i < 6; ++i) file.U64(0);
    for (const Event& event : events_) file.U64(event.id);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      file.Bytes(Attributes(events_[i])).U64(kHeaderBytes + 8 * i).U64(8);
    }
    return file.Bytes(data_).bytes();
  }
  std::string Pipe() const {
    Payload file = New();
    file.U64(kMagic).U64(16);
    for (const Event& event : events_) {
      file.Bytes(Record(kHeaderAttr, 0, Attributes(event) + New().U64(event.id).bytes()));
    }
    return file.Bytes(data_).bytes();
  }
  const std::string& data() const { return data_; }
  Payload New() const { return Payload(swapped_); }

 private:
  static constexpr std::uint64_t kMagic = 0x32454c4946524550;  // "PERFILE2"
  struct Event {
    std::uint64_t config;
    std::uint64_t id;
    std::uint32_t attribute_bytes;
  };

  bool has_cpu() const { return (sample_type_ & kSampleCpu) != 0; }
  std::string Trailer(std::uint32_t pid, std::uint32_t tid, std::uint64_t time) const {
    Payload trailer = New();
    trailer.U32(pid).U32(tid).U64(time);
    if (has_cpu()) trailer.U32(3).U32(0);
    return trailer.U64(events_.front().id).bytes();
  }
  std::string Attributes(const Event& event) const {
    Payload attributes = New();
    attributes.U32(1).U32(event.attribute_bytes).U64(event.config).U64(1);
    attributes.U64(sample_type_).U64(read_format_);
    // Bits of flags are counted from the other end of each byte where the order differs.
    attributes.U64(swapped_ ? std::uint64_t{1} << 45 : flags_);
    std::string bytes = attributes.bytes();
    bytes.resize(event.attribute_bytes, '\0');
    return bytes;
  }

  bool swapped_;
  std::uint64_t sample_type_ = kSampleType;
  std::uint64_t read_format_ = 0;
  std::uint64_t flags_ = kFlagSampleIdAll;
  std::vector<Event> events_;
  std::string data_;
};

}  // namespace sonde::perf_data

#endif  // SONDE_TESTS_FORMATS_RECORDING_WRITER_H_
