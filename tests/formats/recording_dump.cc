// recording_dump: what is in a perf.data file, one line a record, to compare with other readers.
//
// usage: recording_dump FILE
// Kernel records as "TYPE field=value...", then build ids as "build-id HEX FILE".

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "export/perf_data/header.h"
#include "export/perf_data/record_stream.h"
#include "export/perf_data/sample.h"
#include "export/unwrap.h"

namespace {

using namespace sonde::perf_data;

void Print(const char* key, std::uint64_t value) {
  std::printf(" %s=%llu", key, static_cast<unsigned long long>(value));
}

void PrintText(const char* key, std::string_view text) {
  std::printf(" %s=%.*s", key, static_cast<int>(text.size()), text.data());
}

void PrintSample(const Header& header, const Record& record) {
  const Event* const event = header.EventOfSample(record.payload);
  Sample sample;
  if (event == nullptr || !ParseSample(*event, record.payload, header.swapped, sample)) {
    std::printf(" malformed");
    return;
  }
  if (event->has(kSampleIp)) Print("ip", sample.ip);
  if (event->has(kSampleTid)) {
    Print("pid", sample.pid);
    Print("tid", sample.tid);
  }
  if (event->has(kSampleTime)) Print("time", sample.time_ns);
  if (event->has(kSampleCpu)) Print("cpu", sample.cpu);
  if (event->has(kSamplePeriod)) Print("period", sample.period);
  for (const std::uint64_t word : sample.callchain) Print("chain", word);
  for (const std::uint64_t from : sample.branch_from) Print("branch", from);
}

void PrintMmap(const Record& record, bool swapped) {
  Cursor cursor(record.payload, swapped);
  for (const char* key : {"pid", "tid"}) Print(key, cursor.U32());
  for (const char* key : {"start", "len", "pgoff"}) Print(key, cursor.U64());
  if (record.type == kMmap2) cursor.Skip(32);
  PrintText("filename", UpToZero(cursor.rest()));
}

void PrintRecord(const Header& header, const Record& record) {
  std::printf("%u", record.type);
  Cursor cursor(record.payload, header.swapped);
  switch (record.type) {
    case kSample:
      PrintSample(header, record);
      break;
    case kMmap:
    case kMmap2:
      PrintMmap(record, header.swapped);
      break;
    case kComm:
      for (const char* key : {"pid", "tid"}) Print(key, cursor.U32());
      PrintText("comm", UpToZero(cursor.rest()));
      break;
    case kFork:
    case kExit:
      for (const char* key : {"pid", "ppid", "tid", "ptid"}) Print(key, cursor.U32());
      break;
    case kLost:
      for (const char* key : {"id", "lost"}) Print(key, cursor.U64());
      break;
    default:
      break;
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  sonde::Unwrapped unwrapped;
  if (!sonde::Unwrap(bytes, {.input_bytes = std::uint64_t{1} << 30}, unwrapped).ok()) return 3;
  sonde::Result<Header> header = ReadHeader(unwrapped.bytes);
  if (!header.ok()) return 3;
  RecordStream stream(header.value().data, header.value().data_offset, header.value().swapped,
                      std::uint64_t{1} << 30);
  while (true) {
    const auto record = stream.Next();
    if (!record.ok()) return 3;
    if (!record.value().has_value()) break;
    const Record& one = *record.value();
    if (one.type == kHeaderAttr) {
      Cursor cursor(one.payload, header.value().swapped);
      if (auto event = ParseEvent(cursor, one.payload.size())) {
        while (cursor.left() >= 8) event->ids.push_back(cursor.U64());
        header.value().AddEvent(std::move(*event));
      }
    } else if (one.type == kHeaderBuildId) {
      header.value().AddBuildId(one.misc, one.payload);
    } else if (one.type < kFirstOfTool) {
      PrintRecord(header.value(), one);
    }
  }
  for (const BuildId& build_id : header.value().build_ids()) {
    std::printf("build-id %s %s\n", build_id.hex.c_str(), build_id.file.c_str());
  }
  return 0;
}
