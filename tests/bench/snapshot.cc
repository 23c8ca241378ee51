// snapshot: what it costs to make a snapshot, by distinct stacks, and to encode it, beside
// libprotobuf.
//
//   snapshot STACKS...   one line of cost for each number, then one of comparison for the last
//
// Exits 0 when our encoder is at least as fast as libprotobuf, filled through its own functions,
// and needs at most a quarter of its memory.

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "profile.pb.h"
#include "sampler/interval.h"
#include "sampler/symbolizer.h"
#include "sonde/byte_sink.h"
#include "sonde/pprof.h"
#include "sonde/profile.h"
#include "sonde/sampler.h"
#include "tests/sampler/signal/spin.h"

namespace {

// Of the memory that operator new gave, libprotobuf's included.
std::size_t used = 0;
std::size_t most_used = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  used += malloc_usable_size(memory);
  most_used = std::max(most_used, used);
  return memory;
}

void operator delete(void* memory) noexcept {
  used -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace sonde {
namespace {

constexpr std::size_t kDepth = 30;
constexpr int kRounds = 15;

double CpuMs() { return static_cast<double>(ThreadCpu().count()) / 1e6; }

// What the memory grew by at most while `work` ran, in bytes.
template <typename Work>
std::size_t PeakOf(Work&& work) {
  const std::size_t before = used;
  most_used = used;
  work();
  return most_used - before;
}

class CountingSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    size_ += bytes.size();
    return {};
  }
  Status Close() override { return {}; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

class CountingStream : public google::protobuf::io::CopyingOutputStream {
 public:
  bool Write(const void*, int size) override {
    size_ += static_cast<std::size_t>(size);
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

// The modules of this process, with `stacks` distinct stacks through their code.
Interval MakeInterval(std::size_t stacks) {
  auto sampler = Sampler::Start({.hz = 999});
  if (!sampler.ok()) {
    std::printf("snapshot: %s\n", Describe(sampler.error()).c_str());
    std::exit(1);
  }
  Spin(std::chrono::milliseconds(50));
  Interval interval = sampler.value()->Stop();
  std::uint64_t random = 88172645463325252;
  const auto next = [&random] {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  };
  // As in a real program, most frames are shared: a caller is one of a few thousand places.
  std::vector<RawFrame> places;
  for (int i = 0; i < 4000; ++i) {
    const auto module = static_cast<std::uint32_t>(next() % interval.modules.size());
    const Module& of = interval.modules[module];
    places.push_back({of.start + next() % (of.limit - of.start), module});
  }
  interval.threads = {{1, "worker-1"}, {2, "worker-2"}};
  interval.samples.clear();
  for (std::size_t i = 0; i < stacks; ++i) {
    IntervalSample& sample = interval.samples.emplace_back();
    for (std::size_t k = 0; k < kDepth; ++k) {
      sample.frames.push_back(places[next() % places.size()]);
    }
    sample.thread = static_cast<std::uint32_t>(i % 2);
    sample.signals = sample.weight = 1 + i % 7;
  }
  return interval;
}

void ShowCost(std::size_t stacks) {
  const Interval interval = MakeInterval(stacks);
  Symbolizer symbolizer;
  symbolizer.Name(interval);  // The symbol tables stay from one interval to the next.
  double start = CpuMs();
  ProfileBuilder builder = symbolizer.Name(interval);
  const Profile profile = std::move(builder).Build();
  const double named = CpuMs() - start;
  start = CpuMs();
  StringSink bytes;
  GzipSink gzip(bytes);
  static_cast<void>(WritePprof(profile, gzip));
  static_cast<void>(gzip.Close());
  const double written = CpuMs() - start;
  std::printf(
      "snapshot: %zu distinct stacks of %zu frames: naming %.1f ms, encoding and gzip %.1f ms, %zu "
      "bytes; %.2f us a stack\n",
      stacks, kDepth, named, written, std::move(bytes).Take().size(),
      (named + written) * 1000 / static_cast<double>(stacks));
}

// Fills a message as a program does that has libprotobuf for its encoder.
void Fill(const oracle::Profile& from, oracle::Profile& to) {
  for (const auto& sample : from.sample()) {
    oracle::Sample& filled = *to.add_sample();
    for (const std::uint64_t id : sample.location_id()) filled.add_location_id(id);
    for (const std::int64_t value : sample.value()) filled.add_value(value);
    for (const auto& label : sample.label()) *filled.add_label() = label;
  }
  for (const auto& location : from.location()) {
    oracle::Location& filled = *to.add_location();
    filled.set_id(location.id());
    filled.set_mapping_id(location.mapping_id());
    filled.set_address(location.address());
    for (const auto& line : location.line()) *filled.add_line() = line;
  }
  for (const auto& type : from.sample_type()) *to.add_sample_type() = type;
  for (const auto& mapping : from.mapping()) *to.add_mapping() = mapping;
  for (const auto& function : from.function()) *to.add_function() = function;
  for (const std::string& text : from.string_table()) to.add_string_table(text);
  for (const std::int64_t comment : from.comment()) to.add_comment(comment);
  *to.mutable_period_type() = from.period_type();
  to.set_period(from.period());
  to.set_time_nanos(from.time_nanos());
  to.set_duration_nanos(from.duration_nanos());
  to.set_default_sample_type(from.default_sample_type());
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool Compare(std::size_t stacks) {
  const Profile profile = Symbolizer().Name(MakeInterval(stacks)).Build();
  oracle::Profile parsed;
  {
    StringSink bytes;
    static_cast<void>(WritePprof(profile, bytes));
    if (!parsed.ParseFromString(std::move(bytes).Take())) return false;
  }
  std::size_t own_bytes = 0;
  std::size_t own_memory = 0;
  std::size_t their_bytes = 0;
  std::size_t their_memory = 0;
  std::vector<double> ratios;
  std::vector<double> serialize_ratios;
  std::vector<double> own_times;
  for (int round = 0; round < kRounds; ++round) {
    double start = CpuMs();
    own_memory = PeakOf([&] {
      CountingSink sink;
      static_cast<void>(WritePprof(profile, sink));
      own_bytes = sink.size();
    });
    const double own = CpuMs() - start;
    double filled = 0;
    start = CpuMs();
    their_memory = PeakOf([&] {
      oracle::Profile message;
      Fill(parsed, message);
      filled = CpuMs() - start;
      CountingStream stream;
      {
        google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream);
        message.SerializeToZeroCopyStream(&adaptor);
      }
      their_bytes = stream.size();
    });
    const double theirs = CpuMs() - start;
    ratios.push_back(own / theirs);
    serialize_ratios.push_back(own / (theirs - filled));
    own_times.push_back(own);
  }
  const double ratio = Median(ratios);
  const double memory = static_cast<double>(own_memory) / static_cast<double>(their_memory);
  std::printf(
      "encode: %zu stacks: %.1f MB at %.0f MB a CPU second; %.2f of libprotobuf's time (at most "
      "1), "
      "%.2f of its serialization alone; %.2f of its memory (at most 0.25: %zu of %zu KiB); its "
      "message has %zu bytes, ours %zu\n",
      stacks, static_cast<double>(own_bytes) / 1e6,
      static_cast<double>(own_bytes) / 1e3 / Median(own_times), ratio, Median(serialize_ratios),
      memory, own_memory / 1024, their_memory / 1024, their_bytes, own_bytes);
  return ratio <= 1 && memory <= 0.25;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("usage: snapshot STACKS...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) sonde::ShowCost(std::strtoul(argv[i], nullptr, 10));
  return sonde::Compare(std::strtoul(argv[argc - 1], nullptr, 10)) ? 0 : 1;
}
