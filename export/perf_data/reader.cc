// Reader: plays the records of a recording and gathers its samples.

#include "export/perf_data/reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "export/perf_data/perf_data.h"

namespace sonde::perf_data {
namespace {

constexpr std::uint64_t kProgressStep = std::uint64_t{16} << 20;

std::string PlaceOf(const Record& record) {
  return "record type " + std::to_string(record.type) + " at byte " + std::to_string(record.offset);
}

// Records that tell when they were made.
bool HasTime(std::uint32_t type) { return type < kFirstOfTool; }

bool IsKnown(std::uint32_t type) {
  return (type >= kMmap && type <= kAuxOutputHardwareId) ||
         (type >= kFirstOfTool && type <= kLastOfTool);
}

}  // namespace

Reader::Reader(Header& header, const ReadOptions& options)
    : header_(header),
      options_(options),
      stream_(header.data, header.data_offset, header.swapped, options.limits.input_bytes),
      machine_(header, modules_),
      chains_(modules_, options.symbolize),
      jit_memory_(machine_, modules_) {}

Status Reader::Read() {
  const std::uint64_t total = stream_.left();
  std::uint64_t next_report = kProgressStep;
  if (header_.is_cut_off) {
    if (options_.strict) {
      return Error{.code = ErrorCode::kMalformed, .message = "recording is cut off"};
    }
    losses_.Add("recording cut off", "files", 1);
  }
  while (true) {
    const Result<std::optional<Record>> record = stream_.Next();
    if (!record.ok()) {
      // What came before a fault is good.
      const bool is_fault = record.error().code == ErrorCode::kMalformed;
      const Status rest = queue_.Finish([this](const Record& old) { return Deliver(old); });
      if (!rest.ok()) return rest;
      if (!is_fault || options_.strict || samples_ == 0) return record.error();
      losses_.Add(
          "unreadable rest", "bytes", std::max<std::uint64_t>(stream_.left(), 1),
          record.error().message + " at byte " + std::to_string(record.error().byte_offset));
      return {};
    }
    if (!record.value().has_value()) break;
    if (++records_ > options_.limits.records) {
      return OverLimit("records", "max_records", options_.limits.records, records_);
    }
    if (Status taken = Take(*record.value()); !taken.ok()) return taken;
    const std::uint64_t done = total - stream_.left();
    if (done >= next_report) {
      if (options_.stop.stop_requested()) return ReadingCalledOff();
      if (options_.progress) options_.progress(done, total);
      next_report += kProgressStep;
    }
  }
  return queue_.Finish([this](const Record& old) { return Deliver(old); });
}

Status Reader::Take(const Record& record) {
  switch (record.type) {
    case kHeaderAttr: {
      Cursor cursor(record.payload, header_.swapped);
      std::optional<Event> event = ParseEvent(cursor, record.payload.size());
      if (!event.has_value()) return CountMalformed(record);
      while (cursor.left() >= sizeof(std::uint64_t)) event->ids.push_back(cursor.U64());
      header_.AddEvent(std::move(*event));
      return {};
    }
    case kHeaderFeature: {
      Cursor cursor(record.payload, header_.swapped);
      const std::uint64_t feature = cursor.U64();
      if (!cursor.ok()) return CountMalformed(record);
      if (feature < kFeatureCount) {
        header_.AddFeature(static_cast<unsigned>(feature), cursor.rest());
      }
      return {};
    }
    case kHeaderBuildId:
      header_.AddBuildId(record.misc, record.payload);
      return {};
    case kEventUpdate: {
      constexpr std::uint64_t kName = 2;
      Cursor cursor(record.payload, header_.swapped);
      const std::uint64_t what = cursor.U64();
      const std::uint64_t id = cursor.U64();
      if (what == kName && cursor.ok()) header_.NameEvent(id, UpToZero(cursor.rest()));
      return {};
    }
    case kFinishedRound:
      return queue_.FinishRound([this](const Record& old) { return Deliver(old); });
    default:
      break;
  }
  if (!IsKnown(record.type)) {
    CountUnknown(record);
    return {};
  }
  if (!HasTime(record.type)) return {};

  std::uint64_t time_ns = 0;
  if (record.type == kSample) {
    const Event* const event = header_.EventOfSample(record.payload);
    if (event != nullptr) time_ns = TimeOfSample(*event, record.payload, header_.swapped);
  } else if (const Event* const event = header_.EventOfTrailer(record.payload)) {
    time_ns = ParseTrailer(*event, record.payload, header_.swapped).time_ns;
  }
  if (time_ns == 0 || time_ns == UINT64_MAX) return Deliver(record);
  newest_ns_ = std::max(newest_ns_, time_ns);
  queue_.Push(time_ns, record);
  return {};
}

Status Reader::Deliver(const Record& record) {
  switch (record.type) {
    case kSample:
      return AddSample(record);
    case kLost:
    case kLostSamples:
      CountLost(record);
      return {};
    case kThrottle:
      losses_.Add("throttled by the kernel", "times", 1);
      return {};
    case kSwitch:
    case kSwitchCpuWide:
      TakeSwitch(record);
      return {};
    default:
      break;
  }
  if (!machine_.Apply(record)) return CountMalformed(record);
  if (options_.symbolize && (record.type == kMmap || record.type == kMmap2)) {
    jit_memory_.Note(record, header_.swapped);
  }
  if (record.type == kExit) {
    Cursor cursor(record.payload, header_.swapped);
    cursor.Skip(8);  // The process and its parent.
    const std::uint32_t tid = cursor.U32();
    off_cpu_.Forget(tid);
    lock_waits_.Forget(tid);
  }
  return {};
}

void Reader::TakeSwitch(const Record& record) {
  const Event* const event = header_.EventOfTrailer(record.payload);
  if (event == nullptr) return;
  const Trailer trailer = ParseTrailer(*event, record.payload, header_.swapped);
  if ((record.misc & kMiscSwitchOut) == 0) {
    if (const auto away = off_cpu_.Return(trailer.tid, trailer.time_ns)) AddOffCpu(*away);
  } else if ((record.misc & kMiscSwitchPreempt) != 0) {
    off_cpu_.NotePreempted(trailer.tid);
  }
}

void Reader::AddOffCpu(const OffCpuInterval& interval) {
  const std::optional<std::size_t> type = output().types.off_cpu();
  if (!type.has_value()) return;
  AddInterval(
      *type, interval.left_ns, interval.duration_ns, interval.stack,
      output_->labels.Of(interval.pid, interval.tid, interval.cpu),
      output_->builder.TextLabel("state", interval.was_preempted ? "preempted" : "blocked"));
}

void Reader::AddLockWait(const LockWait& wait) {
  const std::optional<std::size_t> type = output().types.lock_wait();
  if (!type.has_value()) return;
  AddInterval(*type, wait.began_ns, wait.duration_ns, wait.stack,
              output_->labels.Of(wait.pid, wait.tid, wait.cpu),
              output_->builder.TextLabel("lock", LockKindName(wait.kind)));
}

void Reader::AddInterval(std::size_t type, std::uint64_t began_ns, std::int64_t duration_ns,
                         StackId stack, LabelSetId thread, Label what) {
  if (options_.until_ns != INT64_MAX) {
    duration_ns = std::min(duration_ns, options_.until_ns - static_cast<std::int64_t>(began_ns));
  }
  if (duration_ns <= 0) return;
  ProfileBuilder& builder = output_->builder;
  std::vector<Label> labels;
  for (const Label& label : builder.labels(thread)) labels.push_back(label);
  if (options_.keep_labels) labels.push_back(what);
  builder.AddSample(stack, builder.AddLabels(labels), output_->types.RowOf(type, duration_ns));
}

Status Reader::CountMalformed(const Record& record) {
  if (options_.strict) {
    return Error{.code = ErrorCode::kMalformed,
                 .message = "record of type " + std::to_string(record.type) + " is cut off",
                 .byte_offset = record.offset};
  }
  losses_.Add("malformed record", "records", 1, PlaceOf(record));
  return {};
}

void Reader::CountUnknown(const Record& record) {
  losses_.Add("unknown record", "records", 1, PlaceOf(record));
}

void Reader::CountLost(const Record& record) {
  Cursor cursor(record.payload, header_.swapped);
  if (record.type == kLost) cursor.Skip(8);  // The id of the event.
  const std::uint64_t count = cursor.U64();
  if (cursor.ok() && count > 0) losses_.Add("lost by the kernel", "samples", count);
}

Reader::Output& Reader::output() {
  if (output_.has_value()) return *output_;
  const auto wants = [&](std::string_view times) {
    return !options_.count_samples && (options_.event.empty() || options_.event == times);
  };
  if (wants(kOffCpu)) off_cpu_.Find(header_);
  if (wants(kLockWait)) lock_waits_.Find(header_);
  output_.emplace(SampleTypes(header_, options_, off_cpu_.is_recorded(), lock_waits_.is_recorded()),
                  machine_, modules_, options_);
  return *output_;
}

Status Reader::AddSample(const Record& record) {
  const Event* const event = header_.EventOfSample(record.payload);
  if (event == nullptr || !output().types.Knows(*event)) {
    losses_.Add("sample of an unknown event", "samples", 1);
    return {};
  }
  Output& out = output();
  if (!ParseSample(*event, record.payload, header_.swapped, sample_)) {
    return CountMalformed(record);
  }
  Weigh(*event, record);
  const bool is_switch = off_cpu_.IsSwitch(event);
  const bool is_wait = lock_waits_.IsBegin(event);
  if (lock_waits_.IsEnd(event)) {
    if (const auto wait = lock_waits_.End(sample_)) AddLockWait(*wait);
  }
  if (weights_.empty() && !is_switch && !is_wait) return {};
  if (is_switch) {
    if (const auto away = off_cpu_.ReturnOfNext(sample_)) AddOffCpu(*away);
  }
  const auto time_ns = static_cast<std::int64_t>(sample_.time_ns);
  if (time_ns > 0) recorded_.Add(time_ns);
  if (options_.from_ns != INT64_MIN || options_.until_ns != INT64_MAX) {
    if (sample_.time_ns == 0 || time_ns < options_.from_ns || time_ns >= options_.until_ns) {
      return {};
    }
  }
  if (sample_.time_ns != 0) {
    first_ns_ = first_ns_ == 0 ? sample_.time_ns : std::min(first_ns_, sample_.time_ns);
    last_ns_ = std::max(last_ns_, sample_.time_ns);
  }

  Process& process = machine_.ProcessOf(sample_.pid);
  jit_memory_.AdvanceTo(sample_.time_ns, sample_.pid, process);
  const std::span<const std::uint64_t> chain = chains_.Of(*event, record.misc, sample_, process);
  if (Status depth = out.guard.CheckDepth(chain.size()); !depth.ok()) return depth;
  const StackId stack = out.frames.StackOf(process, chain);
  if (Status frames = out.guard.CheckFrames(); !frames.ok()) return frames;
  if (Status stacks = out.guard.CountStack(stack); !stacks.ok()) return stacks;

  if (is_switch && !off_cpu_.Leave(sample_, stack)) {
    out.builder.losses().Add("return to the CPU not recorded", "samples", 1);
  }
  if (is_wait && !lock_waits_.Begin(sample_, stack)) {
    out.builder.losses().Add("wait for a lock without its lock", "samples", 1);
  }
  samples_ += std::max<std::size_t>(weights_.size(), 1);
  machine_.CountSample(process);
  for (const Weight& weight : weights_) {
    // A period of 0 stands for one that was not recorded.
    const std::uint64_t period = std::clamp<std::uint64_t>(weight.period, 1, INT64_MAX);
    const std::int64_t value = options_.count_samples ? 1 : static_cast<std::int64_t>(period);
    out.builder.AddSample(stack, out.labels.Of(sample_.pid, sample_.tid, sample_.cpu),
                          out.types.RowOf(weight.type, value));
  }
  return {};
}

void Reader::Weigh(const Event& event, const Record& record) {
  const SampleTypes& types = output().types;
  weights_.clear();
  const auto add = [&](const Event& counted, std::uint64_t period) {
    if (const auto type = types.Of(counted)) weights_.push_back({*type, period});
  };
  const auto lose = [&](std::string_view cause, std::uint64_t values) {
    losses_.Add(cause, "values", values, PlaceOf(record));
  };
  if (!event.reads_counters()) {
    add(event, sample_.period);
    if (sample_.counters.size() > 1)
      lose("counter of an unknown event", sample_.counters.size() - 1);
    return;
  }
  for (const CounterValue& counter : sample_.counters) {
    const Event* const member = header_.EventWithId(counter.id);
    if (member == nullptr || !types.Knows(*member)) {
      lose("counter of an unknown event", 1);
      continue;
    }
    const auto period = counter_periods_.Step(*member, sample_.tid, counter);
    if (!period.has_value()) lose("counter went backwards", 1);
    if (period.value_or(0) > 0) add(*member, *period);
  }
}

Result<Profile> Reader::Build() && {
  if (header_.events().empty()) {
    return Error{.code = ErrorCode::kMalformed, .message = "recording without events"};
  }
  ProfileBuilder& builder = output().builder;
  for (const OffCpuInterval& interval : off_cpu_.End(newest_ns_)) AddOffCpu(interval);
  for (const LockWait& wait : lock_waits_.EndAll(newest_ns_)) AddLockWait(wait);
  if (chains_.truncated() > 0) losses_.Add("truncated stack", "samples", chains_.truncated());
  builder.losses().Add(losses_);
  builder.SetRecords(samples_);
  if (samples_ == 0) recorded_.TellIn(builder);
  output().types.Describe(builder);
  builder.SetDuration(static_cast<std::int64_t>(last_ns_ - first_ns_));
  if (header_.unix_minus_clock_ns != 0 && first_ns_ != 0) {
    builder.SetTime(header_.unix_minus_clock_ns + static_cast<std::int64_t>(first_ns_));
  }
  const std::optional<Map> program = machine_.Program();
  if (!program.has_value()) return std::move(builder).Build();
  return std::move(builder).Build(output_->frames.MappingOf(*program));
}

}  // namespace sonde::perf_data

namespace sonde {

Result<Profile> ReadPerfData(std::string_view file, const ReadOptions& options) {
  Result<perf_data::Header> header = perf_data::ReadHeader(file);
  if (!header.ok()) return header.error();
  perf_data::Reader reader(header.value(), options);
  if (Status read = reader.Read(); !read.ok()) return read.error();
  return std::move(reader).Build();
}

}  // namespace sonde
