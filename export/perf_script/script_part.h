// ScriptPart: a stretch of perf script's text, reduced to its distinct stacks and their weights.

#ifndef SONDE_EXPORT_PERF_SCRIPT_SCRIPT_PART_H_
#define SONDE_EXPORT_PERF_SCRIPT_SCRIPT_PART_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/perf_script/header_line.h"
#include "export/perf_script/line_table.h"
#include "export/recent_texts.h"
#include "export/span_of_time.h"
#include "sonde/formats.h"
#include "sonde/hash_index.h"
#include "sonde/stack_table.h"

namespace sonde::perf_script {

// A text of stack lines that was seen lately is known by its bytes alone, so most
// of a recording is hashed and never taken apart. Memory grows with the distinct
// frames and stacks only; views point into the text. One thread at a time.
class ScriptPart {
 public:
  // Equal stacks of equal threads, by event.
  struct Row {
    std::uint32_t stack = 0;
    std::uint32_t thread = 0;
    std::uint32_t event = 0;
    std::int64_t weight = 0;
    std::uint64_t samples = 0;
    std::uint64_t overflows = 0;  // Samples that no longer fitted into `weight`.
  };
  struct Thread {
    std::string_view text{};  // From the comm to the ids, as far as they are kept.
    std::string_view comm{};
    std::int64_t pid = HeaderLine::kNotPrinted;
    std::int64_t tid = HeaderLine::kNotPrinted;
    std::int64_t cpu = HeaderLine::kNotPrinted;  // Only where the options keep it.
  };

  // Reads `whole` from `begin` to `end`, where a sample begins. The options outlive the part.
  ScriptPart(std::string_view whole, std::size_t begin, std::size_t end,
             const ReadOptions& options);

  // `progress` gets the bytes consumed now and then; may be empty. Fails with
  // kLimit, and with kMalformed when strict.
  Status Read(const std::function<void(std::uint64_t)>& progress);

  // In order of appearance.
  std::span<const Row> rows() const noexcept { return rows_; }
  std::span<const Thread> threads() const noexcept { return threads_; }
  std::span<const std::string_view> events() const noexcept { return events_; }
  std::span<const FrameLine> lines() const noexcept { return lines_.lines(); }
  // Numbers of lines(), the innermost frame first; unknown lines are among them.
  void GetStack(std::uint32_t stack, std::vector<std::uint32_t>& lines) const;
  // All numbers of stacks are smaller.
  std::size_t stack_limit() const noexcept { return stacks_.size(); }

  std::uint64_t records() const noexcept { return records_; }
  // How many samples each comm has.
  const std::unordered_map<std::string_view, std::uint64_t>& comms() const noexcept {
    return comms_;
  }
  // Lines outside of samples that say nothing to us, and where the first few are.
  std::uint64_t stray_lines() const noexcept { return stray_lines_; }
  std::span<const std::size_t> stray_offsets() const noexcept { return stray_offsets_; }
  // Of all samples of the event, also those outside of the time that is asked for.
  const SpanOfTime& recorded() const noexcept { return recorded_; }
  // Of all samples kept; kNotPrinted when none had a time.
  std::int64_t first_ns() const noexcept { return first_ns_; }
  std::int64_t last_ns() const noexcept { return last_ns_; }

 private:
  // The line at at_, without its end; at_ moves behind it.
  std::string_view TakeLine();
  std::string_view PeekLine() const;
  char Peek() const { return at_ < end_ ? whole_[at_] : '\n'; }

  Status ReadSample(const HeaderLine& header, bool header_is_indented);
  void ReadBlock();
  void ReadLines();
  std::size_t FindBlockEnd() const;
  std::uint32_t InternStack();
  std::uint32_t InternThread(const HeaderLine& header);
  void CountComm(std::string_view comm);
  std::uint32_t InternEvent(std::string_view event);
  void AddToRow(std::uint32_t stack, const HeaderLine& header);
  void CountStray(std::string_view line);
  void Finish();
  Status CheckLimits(std::string_view line) const;
  bool IsWanted(const HeaderLine& header);

  std::string_view whole_;
  std::size_t at_;
  std::size_t end_;
  const ReadOptions& options_;

  LineTable lines_;
  StackTable stacks_;           // Of lines, in place of locations.
  std::vector<bool> is_whole_;  // By stack: ends a sample, rather than being a part of others.
  std::uint64_t distinct_stacks_ = 0;
  RecentTexts recent_blocks_;  // Texts of stacks.
  HeaderReader headers_;
  std::vector<Thread> threads_;
  std::uint32_t last_thread_ = 0;
  HashIndex thread_index_;
  std::unordered_map<std::string_view, std::uint64_t> comms_;
  std::pair<const std::string_view, std::uint64_t>* last_comm_ = nullptr;
  std::vector<std::string_view> events_;
  std::vector<Row> rows_;
  HashIndex row_index_;

  std::vector<std::uint32_t> frames_;  // Of the stack being read.
  std::uint32_t stack_ = 0;            // The stack that was read.
  bool line_by_line_ = false;          // Samples follow each other without a blank line.
  std::size_t longest_line_ = 0;
  std::size_t deepest_stack_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t stray_lines_ = 0;
  std::vector<std::size_t> stray_offsets_;
  SpanOfTime recorded_;
  std::int64_t first_ns_ = HeaderLine::kNotPrinted;
  std::int64_t last_ns_ = HeaderLine::kNotPrinted;
};

}  // namespace sonde::perf_script

#endif  // SONDE_EXPORT_PERF_SCRIPT_SCRIPT_PART_H_
