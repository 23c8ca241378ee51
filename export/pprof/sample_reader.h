// SampleReader: the samples of a pprof message, once its tables are known.

#ifndef SONDE_EXPORT_PPROF_SAMPLE_READER_H_
#define SONDE_EXPORT_PPROF_SAMPLE_READER_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "export/limit_guard.h"
#include "export/pprof/bytes_memo.h"
#include "export/pprof/message_tables.h"
#include "export/pprof/sample_queue.h"
#include "sonde/formats.h"
#include "sonde/profile_builder.h"

namespace sonde::pprof {

// Not thread-safe.
class SampleReader {
 public:
  // All outlive the reader.
  SampleReader(MessageTables& tables, LimitGuard& guard, ProfileBuilder& builder, bool keep_labels)
      : tables_(tables), guard_(guard), builder_(builder), keep_labels_(keep_labels) {}

  // Adds all samples to the builder. Tells its progress, and may be stopped, as `options` say.
  Status Read(const ReadOptions& options);

  // Read came upon a negative value and ended early, for labels are to be left out: the builder
  // is of no use, and the samples have to be read anew with them.
  bool needs_labels() const noexcept { return !keep_labels_ && has_negative_; }

 private:
  // One sample, taken apart but not yet looked up.
  struct Pending {
    std::string_view bytes;
    std::string_view stack;    // The packed ids.
    bool loose_stack = false;  // They are not all in `stack`.
    std::string_view labels;   // From the first label to the last.
    std::uint64_t stack_hash = 0;
    std::uint64_t labels_hash = 0;
    std::vector<std::int64_t> values{};
  };

  Status TakeApart(std::string_view bytes, Pending& sample);
  Status Resolve(const Pending& sample, SampleQueue& queue);
  Status ReadStack(const Pending& sample, StackId& stack);
  Status ReadLooseStack(std::string_view sample, StackId& stack);
  Status AddStack(std::string_view at, StackId& stack);
  Status ReadLabels(const Pending& sample, LabelSetId& labels);
  Status ReadLabel(std::string_view bytes);

  MessageTables& tables_;
  LimitGuard& guard_;
  ProfileBuilder& builder_;
  const bool keep_labels_;
  bool has_negative_ = false;
  std::vector<std::uint64_t> leaf_first_;  // Location ids of the stack at hand.
  std::vector<Label> labels_;              // Of the sample at hand.
  BytesMemo<StackId> known_stacks_{std::size_t{1} << 17};
  BytesMemo<LabelSetId> known_labels_{std::size_t{1} << 13};
};

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_SAMPLE_READER_H_
