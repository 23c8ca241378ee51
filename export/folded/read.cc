// ReadFolded: a Profile from folded stacks.

#include "export/folded/read.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "export/limit_guard.h"
#include "export/text_identity.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

constexpr std::uint64_t kLinesBetweenProgress = 1 << 16;

// Places for stacks whose text is remembered, so that input that was not merged costs a look a
// line: 16 bytes each, as many as an input of that size may need.
constexpr std::size_t kFewestPlaces = std::size_t{1} << 8;
constexpr std::size_t kMostPlaces = std::size_t{1} << 18;
constexpr std::size_t kTextOfAPlace = 64;
// Where a stack may stand behind its own place.
constexpr std::size_t kProbes = 8;
// Lines looked at before the first of them is taken.
constexpr std::size_t kLinesAhead = 32;

bool IsBlank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

std::string_view Trimmed(std::string_view text) noexcept {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

struct FoldedLine {
  std::string_view frames;
  std::string_view weight;
};

// Cuts a trimmed line before its last word.
std::optional<FoldedLine> Cut(std::string_view line) noexcept {
  std::size_t at = line.size();
  while (at > 0 && !IsBlank(line[at - 1])) --at;
  if (at == 0) return std::nullopt;
  return FoldedLine{Trimmed(line.substr(0, at)), line.substr(at)};
}

// A whole number; "3.0" is one, "1.5" is not.
std::optional<std::int64_t> WeightOf(std::string_view text) noexcept {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t weight = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, weight);
  if (fault != std::errc()) return std::nullopt;
  std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    while (rest.starts_with('0')) rest.remove_prefix(1);
  }
  if (!rest.empty()) return std::nullopt;
  return weight;
}

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
        guard_(options.limits, builder_, options.stop),
        seen_(std::clamp(std::bit_ceil(text.size() / kTextOfAPlace + 1), kFewestPlaces,
                         kMostPlaces)) {
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

  // One stack over all its lines.
  struct Sum {
    StackId stack;
    std::int64_t weight;
    std::uint64_t lines;
    std::uint64_t first_negative;  // Its line number, 0 when none is.
  };
  // A stack as it was written: 114 bits of its identity, of which 18 tell its place.
  struct Seen {
    std::uint64_t second = 0;
    std::uint32_t tag = 0;
    std::uint32_t row = 0;  // Index in sums_ + 1; 0 when free.
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
    if (line.cut.has_value()) {
      line.identity = IdentityOf(line.cut->frames);
      __builtin_prefetch(&seen_[PlaceOf(line.identity)]);
    }
    return line;
  }

  std::size_t PlaceOf(const TextIdentity& identity) const noexcept {
    return identity.first & (seen_.size() - 1);
  }
  static std::uint32_t TagOf(const TextIdentity& identity) noexcept {
    return static_cast<std::uint32_t>(identity.first >> 32);
  }

  // The sum that the line will add to is under way while others are taken.
  void PrefetchSum(const Line& line) const noexcept {
    const Seen& seen = seen_[PlaceOf(line.identity)];
    if (seen.row != 0) __builtin_prefetch(&sums_[seen.row - 1]);
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
    Seen* place = nullptr;
    std::uint32_t row = FindSeen(taken.identity, place);
    if (row == 0) {
      if (Status status = ReadStack(cut->frames, row); !status.ok() || row == 0) return status;
      *place = {taken.identity.second, TagOf(taken.identity), row};
    }
    AddWeight(sums_[row - 1], *weight);
    return {};
  }

  // The row of a stack that was written like that before, or 0 and where to remember it.
  std::uint32_t FindSeen(const TextIdentity& identity, Seen*& place) noexcept {
    const std::size_t first = PlaceOf(identity);
    place = &seen_[first];
    for (std::size_t probe = 0; probe < kProbes; ++probe) {
      Seen& seen = seen_[(first + probe) & (seen_.size() - 1)];
      if (seen.row == 0) {
        place = &seen;
        return 0;
      }
      if (seen.second == identity.second && seen.tag == TagOf(identity)) return seen.row;
    }
    return 0;
  }

  // The row of a stack; 0 for one that is refused. Neighbouring lines tend to start with the same
  // frames, which need no second look.
  Status ReadStack(std::string_view frames, std::uint32_t& row) {
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
    return FindRow(stack, row);
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

  Status FindRow(StackId stack, std::uint32_t& row) {
    const auto index = static_cast<std::uint32_t>(stack);
    if (index >= rows_.size()) rows_.resize(builder_.stack_count() + index / 2 + 1, 0);
    if (rows_[index] == 0) {
      if (Status status = guard_.CountStack(stack); !status.ok()) return status;
      sums_.push_back({stack, 0, 0, 0});
      rows_[index] = static_cast<std::uint32_t>(sums_.size());
    }
    row = rows_[index];
    return {};
  }

  void AddWeight(Sum& sum, std::int64_t weight) {
    if (weight < 0 && sum.first_negative == 0) sum.first_negative = line_number_;
    ++sum.lines;
    std::int64_t exact = 0;
    if (__builtin_add_overflow(sum.weight, weight, &exact)) {
      builder_.losses().Add("value overflow", "samples", 1);
    }
    sum.weight = SaturatingAdd(sum.weight, weight);
    ++taken_;
  }

  Result<Profile> Finish() {
    builder_.ReserveSamples(sums_.size());
    for (const Sum& sum : sums_) {
      if (sum.weight < 0 && !options_.keep_negative) {
        if (options_.strict) {
          return Error{.code = ErrorCode::kMalformed,
                       .message = "negative weight",
                       .line = sum.first_negative};
        }
        builder_.losses().Add("negative weight", "lines", sum.lines,
                              "line " + std::to_string(sum.first_negative));
        taken_ -= sum.lines;
        continue;
      }
      const std::array<std::int64_t, 2> values{sum.weight, static_cast<std::int64_t>(sum.lines)};
      builder_.AddSample(sum.stack, kNoLabels,
                         std::span(values).first(options_.count_records ? 2 : 1));
    }
    builder_.SetRecords(taken_);
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
  std::uint64_t taken_ = 0;
  std::string_view previous_;
  std::vector<Prefix> path_;  // The frames of previous_.
  std::vector<Seen> seen_;    // By hash.
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> rows_;  // By StackId: index in sums_ + 1, or 0.
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
