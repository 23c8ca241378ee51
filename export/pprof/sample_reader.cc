// SampleReader: the samples of a pprof message, once its tables are known.

#include "export/pprof/sample_reader.h"

#include <array>
#include <string>

#include "export/pprof/fields.h"

namespace sonde::pprof {
namespace {

constexpr std::uint64_t kSamplesBetweenProgress = 1 << 16;

}  // namespace

// Samples are taken apart some way ahead of being looked up, so that the memory
// which that needs is there by then.
Status SampleReader::Read(const ReadOptions& options) {
  // Without labels there are far fewer than that.
  if (keep_labels_) builder_.ReserveSamples(tables_.parts().sample_count());
  SampleQueue queue(builder_, tables_.parts().sample_types().size());
  constexpr std::size_t kAhead = 8;
  std::array<Pending, kAhead> pending;
  std::size_t parsed = 0;
  std::size_t resolved = 0;
  ProtobufReader fields(tables_.parts().message());
  while (fields.Next()) {
    if (fields.field() != profile::kSample) continue;
    if (Status status = guard_.CountRecord(); !status.ok()) return status;
    if (parsed - resolved == kAhead) {
      Status status = Resolve(pending[resolved++ % kAhead], queue);
      if (!status.ok()) return status;
    }
    Status status = TakeApart(fields.bytes(), pending[parsed++ % kAhead]);
    if (!status.ok()) return status;
    if (needs_labels()) return {};
    if (guard_.records() % kSamplesBetweenProgress != 0) continue;
    if (options.progress) options.progress(fields.offset(), tables_.parts().message().size());
  }
  while (resolved < parsed) {
    Status status = Resolve(pending[resolved++ % kAhead], queue);
    if (!status.ok()) return status;
  }
  queue.Flush();
  return {};
}

Status SampleReader::TakeApart(std::string_view bytes, Pending& sample) {
  using namespace pprof::sample;
  sample.bytes = bytes;
  sample.stack = {};
  sample.loose_stack = false;
  sample.labels = {};
  sample.values.clear();
  const char* labels_begin = nullptr;
  const char* labels_end = nullptr;

  ProtobufReader fields(bytes);
  while (fields.Next()) {
    switch (fields.field()) {
      case kLocationId:
        // One packed field is how everybody writes it; the wire format allows more.
        if (fields.wire() == ProtobufReader::kBytes && sample.stack.data() == nullptr) {
          sample.stack = fields.bytes();
        } else {
          sample.loose_stack = true;
        }
        break;
      case kValue:
        if (!fields.ForEachNumber([&](std::uint64_t number) {
              sample.values.push_back(static_cast<std::int64_t>(number));
              has_negative_ = has_negative_ || sample.values.back() < 0;
            })) {
          return tables_.parts().Malformed("broken sample values", bytes);
        }
        break;
      case kLabel:
        if (fields.wire() != ProtobufReader::kBytes)
          return tables_.parts().Malformed("broken label", bytes);
        if (!keep_labels_) break;
        if (labels_begin == nullptr) labels_begin = bytes.data() + fields.offset();
        labels_end = fields.bytes().data() + fields.bytes().size();
        break;
      default:
        break;
    }
  }
  if (!fields.ok()) return tables_.parts().Malformed("broken sample", bytes);
  if (sample.values.size() != tables_.parts().sample_types().size()) {
    return tables_.parts().Malformed(
        "sample has " + std::to_string(sample.values.size()) + " values where there are " +
            std::to_string(tables_.parts().sample_types().size()) + " sample types",
        bytes);
  }
  if (!sample.stack.empty() && !sample.loose_stack) {
    sample.stack_hash = known_stacks_.HashOf(sample.stack);
    known_stacks_.Prefetch(sample.stack_hash);
  }
  if (labels_begin != nullptr) {
    sample.labels = {labels_begin, static_cast<std::size_t>(labels_end - labels_begin)};
    sample.labels_hash = known_labels_.HashOf(sample.labels);
    known_labels_.Prefetch(sample.labels_hash);
  }
  return {};
}

Status SampleReader::Resolve(const Pending& sample, SampleQueue& queue) {
  StackId stack = kEmptyStack;
  if (Status status =
          sample.loose_stack ? ReadLooseStack(sample.bytes, stack) : ReadStack(sample, stack);
      !status.ok()) {
    return status;
  }
  if (Status status = guard_.CountStack(stack); !status.ok()) return status;
  LabelSetId labels = kNoLabels;
  if (!sample.labels.empty()) {
    if (Status status = ReadLabels(sample, labels); !status.ok()) return status;
  }
  queue.Push(stack, labels, sample.values);
  return {};
}

Status SampleReader::ReadStack(const Pending& sample, StackId& stack) {
  if (sample.stack.empty()) return {};
  if (const auto known = known_stacks_.Find(sample.stack_hash, sample.stack)) {
    stack = *known;
    return {};
  }
  leaf_first_.clear();
  if (!ProtobufReader::ForEachPacked(sample.stack,
                                     [&](std::uint64_t id) { leaf_first_.push_back(id); })) {
    return tables_.parts().Malformed("broken stack", sample.stack);
  }
  if (Status status = AddStack(sample.stack, stack); !status.ok()) return status;
  known_stacks_.Keep(sample.stack_hash, sample.stack, stack);
  return {};
}

Status SampleReader::ReadLooseStack(std::string_view sample, StackId& stack) {
  leaf_first_.clear();
  ProtobufReader fields(sample);
  while (fields.Next()) {
    if (fields.field() != sample::kLocationId) continue;
    if (!fields.ForEachNumber([&](std::uint64_t id) { leaf_first_.push_back(id); })) {
      return tables_.parts().Malformed("broken stack", sample);
    }
  }
  return AddStack(sample, stack);
}

Status SampleReader::AddStack(std::string_view at, StackId& stack) {
  if (Status status = guard_.CheckDepth(leaf_first_.size()); !status.ok()) return status;
  for (std::size_t i = leaf_first_.size(); i-- > 0;) {
    const std::uint32_t location = tables_.FindLocation(leaf_first_[i]);
    if (location == IdMap::kNone) {
      return tables_.parts().Malformed(
          "sample refers to location " + std::to_string(leaf_first_[i]) + ", which is not there",
          at);
    }
    stack = builder_.Extend(stack, LocationId{location});
  }
  return {};
}

Status SampleReader::ReadLabels(const Pending& sample, LabelSetId& labels) {
  if (const auto known = known_labels_.Find(sample.labels_hash, sample.labels)) {
    labels = *known;
    return {};
  }
  labels_.clear();
  ProtobufReader fields(sample.labels);
  while (fields.Next()) {
    if (fields.field() != sample::kLabel) continue;
    if (Status status = ReadLabel(fields.bytes()); !status.ok()) return status;
  }
  labels = builder_.AddLabels(labels_);
  known_labels_.Keep(sample.labels_hash, sample.labels, labels);
  return {};
}

Status SampleReader::ReadLabel(std::string_view bytes) {
  using namespace pprof::label;
  Label label;
  ProtobufReader fields(bytes);
  while (fields.Next()) {
    const std::uint64_t number = fields.number();
    Status status;
    switch (fields.field()) {
      case kKey:
        status = tables_.ReadText(number, bytes, label.key);
        break;
      case kStr:
        status = tables_.ReadText(number, bytes, label.text);
        break;
      case kNum:
        label.number = fields.integer();
        break;
      case kNumUnit:
        status = tables_.ReadText(number, bytes, label.unit);
        break;
      default:
        break;
    }
    if (!status.ok()) return status;
  }
  if (!fields.ok()) return tables_.parts().Malformed("broken label", bytes);
  labels_.push_back(label);
  return {};
}

}  // namespace sonde::pprof
