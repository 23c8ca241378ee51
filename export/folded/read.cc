// ReadFolded: a Profile from folded stacks.

#include "export/folded/read.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "export/folded/folded_line.h"
#include "export/limit_guard.h"
#include "export/text_identity.h"
#include "sonde/hash_index.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using namespace folded;

constexpr std::uint64_t kLinesBetweenProgress = 1 << 16;

// Lines looked at before the first of them is taken.
constexpr std::size_t kLinesAhead = 32;

std::vector<ValueType> TypesFor(const ReadOptions& options) {
  std::vector<ValueType> types{{"samples", "count"}};
  if (options.count_records) types.push_back({"records", "count"});
  return types;
}

class FoldedReader {
 public:
  FoldedReader(std::string_view text, const ReadOptions& options)
      : text_(text),
        options_(options),
        builder_(TypesFor(options)),
        guard_(options.limits, builder_, options.stop) {
    builder_.SetDefaultSampleType(0);
  }

  Result<Profile> Read() {
    std::string_view rest = text_;
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    std::array<Line, kLinesAhead> ahead;
    while (!rest.empty()) {
      std::size_t count = 0;
      while (!rest.empty() && count < ahead.size()) ahead[count++] = LookAt(NextLine(rest));
      for (std::size_t i = 0; i < count; ++i) PrefetchSum(ahead[i]);
      for (std::size_t i = 0; i < count; ++i) {
        ++line_number_;
        if (Status status = TakeLine(ahead[i]); !status.ok()) return InLine(status.error());
        if (line_number_ % kLinesBetweenProgress != 0) continue;
        if (options_.progress) {
          options_.progress(static_cast<std::size_t>(ahead[i].raw.data() - text_.data()),
                            text_.size());
        }
      }
    }
    return Finish();
  }

 private:
  Error InLine(Error error) const {
    error.line = line_number_;
    return error;
  }

  // A line that does not count: a loss, or with `strict` the end.
  Status Refuse(std::string_view kind, std::uint64_t line, ErrorCode code = ErrorCode::kMalformed) {
    if (options_.strict) return Error{.code = code, .message = std::string(kind), .line = line};
    builder_.losses().Add(kind, "lines", 1, "line " + std::to_string(line));
    return {};
  }

  // All lines with one text, blanks and all, in front of their weight.
  struct Sum {
    std::uint64_t second;       // Of the text's identity.
    std::uint32_t first_upper;  // Half of the rest of it; the index knows the other.
    StackId stack;
    std::int64_t weight = 0;
    std::uint64_t lines = 0;

    bool IsOf(const TextIdentity& text) const noexcept {
      return second == text.second && first_upper == text.first >> 32;
    }
  };

  struct Line {
    std::string_view raw;
    std::string_view text;  // Trimmed.
    std::optional<FoldedLine> cut;
    TextIdentity identity;  // Of the frames.
  };

  static std::string_view NextLine(std::string_view& rest) noexcept {
    const void* const newline = std::memchr(rest.data(), '\n', rest.size());
    const std::size_t length =
        newline == nullptr
            ? rest.size()
            : static_cast<std::size_t>(static_cast<const char*>(newline) - rest.data());
    const std::string_view line = rest.substr(0, length);
    rest.remove_prefix(newline == nullptr ? length : length + 1);
    return line;
  }

  Line LookAt(std::string_view raw) const noexcept {
    Line line{.raw = raw, .text = Trimmed(raw), .cut = {}, .identity = {}};
    line.cut = Cut(line.text);
    if (line.cut.has_value()) line.identity = IdentityOf(line.cut->frames);
    return line;
  }

  // The sum that the line will add to is under way while others are taken.
  void PrefetchSum(const Line& line) const noexcept {
    const std::uint32_t likely =
        index_.Find(line.identity.first, [](std::uint32_t) { return true; });
    if (likely != HashIndex::kNone) __builtin_prefetch(&sums_[likely]);
  }

  Status TakeLine(const Line& taken) {
    const std::string_view raw = taken.raw;
    if (raw.size() > options_.limits.line_bytes) {
      if (options_.limits.skip_oversized) {
        if (Status status = guard_.CountRecord(); !status.ok()) return status;
        return Refuse("line too long", line_number_, ErrorCode::kLimit);
      }
      return OverLimit("bytes in a line", "max_line_bytes", options_.limits.line_bytes, raw.size());
    }
    if (taken.text.empty()) return {};
    if (Status status = guard_.CountRecord(); !status.ok()) return status;

    const std::optional<FoldedLine>& cut = taken.cut;
    if (!cut.has_value()) return Refuse("no weight", line_number_);
    const std::optional<std::int64_t> weight = WeightOf(cut->weight);
    if (!weight.has_value()) return Refuse("bad weight", line_number_);
    std::uint32_t sum = index_.Find(taken.identity.first, [&](std::uint32_t number) {
      return sums_[number].IsOf(taken.identity);
    });
    if (sum == HashIndex::kNone) {
      StackId stack = kEmptyStack;
      Status status = ReadStack(cut->frames, stack);
      if (!status.ok() || stack == kEmptyStack) return status;
      sum = AddSum(taken.identity, stack);
    }
    AddWeight(sums_[sum], *weight);
    return {};
  }

  // Leaves `read` alone where the stack is refused. Neighbouring lines tend to start with the same
  // frames, which need no second look.
  Status ReadStack(std::string_view frames, StackId& read) {
    const std::size_t shared = SharedBytes(frames);
    while (!path_.empty() && path_.back().end > shared) path_.pop_back();
    StackId stack = path_.empty() ? kEmptyStack : path_.back().stack;
    std::size_t at = path_.empty() ? 0 : path_.back().end + 1;
    previous_ = frames;

    while (at <= frames.size()) {
      const void* const separator = std::memchr(frames.data() + at, ';', frames.size() - at);
      const std::size_t end =
          separator == nullptr
              ? frames.size()
              : static_cast<std::size_t>(static_cast<const char*>(separator) - frames.data());
      const std::string_view name = Trimmed(frames.substr(at, end - at));
      if (name.empty()) return Refuse("empty frame", line_number_);
      if (path_.size() >= options_.limits.stack_depth) return RefuseDepth(frames);
      stack = builder_.Extend(stack, builder_.FrameNamed(name));
      path_.push_back({end, stack});
      at = end + 1;
    }
    if (Status status = guard_.CheckFrames(); !status.ok()) return status;
    ++stacks_read_;
    if (IsFoldedLine(frames)) ++numbered_stacks_;
    read = stack;
    return guard_.CountStack(stack);
  }

  Status RefuseDepth(std::string_view frames) {
    if (options_.limits.skip_oversized) {
      return Refuse("stack too deep", line_number_, ErrorCode::kLimit);
    }
    const auto separators = std::count(frames.begin(), frames.end(), ';');
    return guard_.CheckDepth(static_cast<std::uint64_t>(separators) + 1);
  }

  // How many bytes of `frames` lie in frames that the previous line starts with as well.
  std::size_t SharedBytes(std::string_view frames) const noexcept {
    const std::size_t limit = std::min(frames.size(), previous_.size());
    std::size_t same = 0;
    while (same + sizeof(std::uint64_t) <= limit) {
      std::uint64_t a = 0;
      std::uint64_t b = 0;
      std::memcpy(&a, frames.data() + same, sizeof(a));
      std::memcpy(&b, previous_.data() + same, sizeof(b));
      if (a != b) break;
      same += sizeof(a);
    }
    while (same < limit && frames[same] == previous_[same]) ++same;
    // The frame that ends here is the same only when both lines end it here.
    const auto ends = [same](std::string_view text) {
      return same == text.size() || text[same] == ';';
    };
    if (ends(frames) && ends(previous_)) return same;
    return same == 0 ? 0 : same - 1;
  }

  std::uint32_t AddSum(const TextIdentity& text, StackId stack) {
    const auto number = static_cast<std::uint32_t>(sums_.size());
    index_.Add(text.first, number);
    sums_.push_back({text.second, static_cast<std::uint32_t>(text.first >> 32), stack});
    return number;
  }

  void AddWeight(Sum& sum, std::int64_t weight) {
    if (weight < 0) first_negative_.try_emplace(sum.stack, line_number_);
    ++sum.lines;
    Accumulate(sum, weight);
  }

  void Accumulate(Sum& sum, std::int64_t weight) {
    std::int64_t exact = 0;
    if (__builtin_add_overflow(sum.weight, weight, &exact)) {
      builder_.losses().Add("value overflow", "samples", 1);
    }
    sum.weight = SaturatingAdd(sum.weight, weight);
  }

  // A stack is judged by all of its lines, however they were written.
  void NetNegatives() {
    std::unordered_map<StackId, std::size_t> first_of;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (!first_negative_.contains(sums_[i].stack)) continue;
      const auto [first, is_new] = first_of.try_emplace(sums_[i].stack, i);
      if (is_new) continue;
      Accumulate(sums_[first->second], sums_[i].weight);
      sums_[first->second].lines += std::exchange(sums_[i].lines, 0);
    }
  }

  Result<Profile> Finish() {
    index_ = {};
    if (!first_negative_.empty()) NetNegatives();
    builder_.ReserveSamples(sums_.size());
    for (const Sum& sum : sums_) {
      if (sum.lines == 0) continue;
      if (sum.weight < 0 && !options_.keep_negative) {
        const std::uint64_t line = first_negative_.at(sum.stack);
        if (options_.strict) {
          return Error{.code = ErrorCode::kMalformed, .message = "negative weight", .line = line};
        }
        builder_.losses().Add("negative weight", "lines", sum.lines,
                              "line " + std::to_string(line));
        continue;
      }
      const std::array<std::int64_t, 2> values{sum.weight, static_cast<std::int64_t>(sum.lines)};
      builder_.AddSample(sum.stack, kNoLabels,
                         std::span(values).first(options_.count_records ? 2 : 1), sum.lines);
    }
    // One command may end with a number; where all stacks do, they are a difference of two
    // profiles.
    if (numbered_stacks_ > 1 && numbered_stacks_ == stacks_read_) {
      builder_.losses().Add("first of two weights, read as part of the name", "stacks",
                            numbered_stacks_);
    }
    return std::move(builder_).Build();
  }

  struct Prefix {
    std::size_t end;  // In the text of the frames.
    StackId stack;
  };

  std::string_view text_;
  const ReadOptions& options_;
  ProfileBuilder builder_;
  LimitGuard guard_;
  std::uint64_t line_number_ = 0;
  std::uint64_t stacks_read_ = 0;
  std::uint64_t numbered_stacks_ = 0;  // Of these, those that end with a number.
  std::string_view previous_;
  std::vector<Prefix> path_;  // The frames of previous_.
  HashIndex index_;           // Of sums_, by TextIdentity::first.
  std::vector<Sum> sums_;
  std::unordered_map<StackId, std::uint64_t> first_negative_;  // Its line number.
};

}  // namespace

bool IsFoldedLine(std::string_view line) noexcept {
  const std::optional<FoldedLine> cut = Cut(Trimmed(line));
  return cut.has_value() && !cut->frames.empty() && WeightOf(cut->weight).has_value();
}

Result<Profile> ReadFolded(std::string_view text, const ReadOptions& options) {
  return FoldedReader(text, options).Read();
}

}  // namespace sonde
