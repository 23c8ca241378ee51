// HeaderLine: the line of perf script's text that begins a sample.

#include "export/perf_script/header_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace sonde::perf_script {
namespace {

constexpr std::ptrdiff_t kSafeDigits = 18;  // Of a number that fits whatever they are.
constexpr std::size_t kMostCommBytes = 15;  // That the kernel keeps.
constexpr std::size_t kMostWords = 48;      // Of a line; the event comes early.
// Between the cpu and the time perf may print a word of flags.
constexpr std::size_t kWordsFromCpuToTime = 3;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t'; }

bool AreDigits(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

// Digits, or "-1" as perf prints for what it does not know.
bool IsNumber(std::string_view text) {
  return AreDigits(text.starts_with('-') ? text.substr(1) : text);
}

// "123" or "120/123".
bool AreIds(std::string_view word) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return IsNumber(word);
  return IsNumber(word.substr(0, slash)) && IsNumber(word.substr(slash + 1));
}

bool IsAddress(std::string_view word) {
  constexpr std::size_t kMostDigits = 16;
  return word.size() <= kMostDigits &&
         word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsCpu(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' &&
         AreDigits(word.substr(1, word.size() - 2));
}

// "12.345678:"
bool IsTime(std::string_view word) {
  if (word.size() < 4 || word.back() != ':') return false;
  const std::size_t point = word.find('.');
  return point != std::string_view::npos && AreDigits(word.substr(0, point)) &&
         AreDigits(word.substr(point + 1, word.size() - point - 2));
}

bool IsEvent(std::string_view word) {
  return word.size() > 1 && word.back() == ':' && !IsTime(word);
}

std::int64_t NumberIn(std::string_view text) {
  std::int64_t number = HeaderLine::kNotPrinted;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::int64_t NanosecondsIn(std::string_view word) {
  const std::size_t point = word.find('.');
  std::int64_t fraction = 0;
  std::int64_t unit = 100'000'000;
  for (const char c : word.substr(point + 1, 9)) {
    if (!IsDigit(c)) break;
    fraction += unit * (c - '0');
    unit /= 10;
  }
  std::int64_t total = 0;
  const std::int64_t seconds = NumberIn(word.substr(0, point));
  if (__builtin_mul_overflow(seconds, 1'000'000'000, &total) ||
      __builtin_add_overflow(total, fraction, &total)) {
    return HeaderLine::kNotPrinted;
  }
  return total;
}

class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {
    std::size_t at = 0;
    while (count_ < kMostWords) {
      while (at < line.size() && IsSpace(line[at])) ++at;
      if (at == line.size()) return;
      const std::size_t start = at;
      while (at < line.size() && !IsSpace(line[at])) ++at;
      words_[count_++] = line.substr(start, at - start);
    }
  }
  std::size_t size() const { return count_; }
  std::string_view operator[](std::size_t index) const {
    return index < count_ ? words_[index] : std::string_view();
  }
  // The line from the start of word `first` up to the end of word `last`.
  std::string_view From(std::size_t first, std::size_t last) const {
    const char* const start = words_[first].data();
    const char* const end = words_[last].data() + words_[last].size();
    return {start, static_cast<std::size_t>(end - start)};
  }
  std::string_view Rest(std::size_t first) const {
    if (first >= count_) return {};
    return Trim(line_.substr(static_cast<std::size_t>(words_[first].data() - line_.data())));
  }

 private:
  std::string_view line_;
  std::array<std::string_view, kMostWords> words_;
  std::size_t count_ = 0;
};

// A comm may look like the rest of a header ("w 2 12.5:"): the last word that `are_ids` holds for
// and that has no more than a comm before it; 0 when there is none.
template <typename AreIdsAt>
std::size_t LastIdsBehindComm(const Words& words, const AreIdsAt& are_ids) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && words.From(0, i - 1).size() > kMostCommBytes) break;
    if (are_ids(i)) last = i;
  }
  return last;
}

void SetIds(std::string_view word, HeaderLine& header) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) {
    header.tid = NumberIn(word);
  } else {
    header.pid = NumberIn(word.substr(0, slash));
    header.tid = NumberIn(word.substr(slash + 1));
  }
}

void SetThread(const Words& words, std::size_t comm_words, bool has_ids, HeaderLine& header) {
  if (comm_words > 0) header.comm = words.From(0, comm_words - 1);
  const std::size_t thread_words = comm_words + (has_ids ? 1 : 0);
  if (thread_words > 0) header.thread = words.From(0, thread_words - 1);
  if (has_ids) SetIds(words[comm_words], header);
}

// The part from the period on.
void SetEvent(const Words& words, std::size_t at, HeaderLine& header) {
  const bool is_raw = words[at] == "raw" || words[at + 1] == "raw";  // "raw 0x1a8:"
  if (AreDigits(words[at]) && (IsEvent(words[at + 1]) || at + 1 == words.size() || is_raw)) {
    header.period = NumberIn(words[at]);
    ++at;
  }
  if (words[at] == "raw" && IsEvent(words[at + 1])) {
    header.event = words.From(at, at + 1);
    at += 2;
  } else if (IsEvent(words[at])) {
    header.event = words[at];
    ++at;
  }
  if (!header.event.empty()) header.event.remove_suffix(1);
  header.rest = words.Rest(at);
}

}  // namespace

std::string_view Trim(std::string_view text) noexcept {
  while (!text.empty() && (IsSpace(text.front()) || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (IsSpace(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<HeaderLine> ParseHeader(std::string_view line) noexcept {
  const Words words(Trim(line));
  HeaderLine header;

  // With a cpu or a time, which stand behind the ids or the comm.
  const auto before_cpu_or_time = [&](std::size_t i) {
    return AreIds(words[i]) && (IsTime(words[i + 1]) || IsCpu(words[i + 1]));
  };
  for (std::size_t i = LastIdsBehindComm(words, before_cpu_or_time); i < words.size(); ++i) {
    const bool is_cpu = IsCpu(words[i]);
    if (!is_cpu && !IsTime(words[i])) continue;
    const bool has_ids = i > 0 && AreIds(words[i - 1]);
    // "[3]" may also be part of a comm.
    if (is_cpu && !has_ids && !IsTime(words[i + 1])) continue;
    SetThread(words, has_ids ? i - 1 : i, has_ids, header);
    std::size_t at = i;
    if (is_cpu) {
      header.cpu = NumberIn(words[i].substr(1));
      ++at;
      for (std::size_t j = at; j < at + kWordsFromCpuToTime; ++j) {
        if (IsTime(words[j])) at = j;
      }
    }
    if (IsTime(words[at])) header.time_ns = NanosecondsIn(words[at++]);
    SetEvent(words, at, header);
    return header;
  }

  // "comm ids event:" and "comm ids period event:"
  const auto before_event = [&](std::size_t i) {
    return AreIds(words[i]) &&
           (IsEvent(words[i + 1]) || (AreDigits(words[i + 1]) && IsEvent(words[i + 2])));
  };
  for (std::size_t i = LastIdsBehindComm(words, before_event) + 1; i < words.size(); ++i) {
    if (!IsEvent(words[i])) continue;
    std::size_t ids = 0;
    if (i >= 2 && AreDigits(words[i - 1]) && AreIds(words[i - 2])) {
      ids = i - 2;
    } else if (AreIds(words[i - 1])) {
      ids = i - 1;
    } else {
      continue;
    }
    SetThread(words, ids, true, header);
    SetEvent(words, ids + 1, header);
    return header;
  }

  // "comm ids address symbol (module)"
  if (words.size() > 0 && Trim(line).back() == ')') {
    const auto before_frame = [&](std::size_t i) {
      return AreIds(words[i]) && i + 2 < words.size() && IsAddress(words[i + 1]) &&
             !IsAddress(words[i + 2]);
    };
    const std::size_t last = LastIdsBehindComm(words, before_frame);
    for (std::size_t i = std::max<std::size_t>(last, 1); i + 2 < words.size(); ++i) {
      if (!before_frame(i)) continue;
      SetThread(words, i, true, header);
      header.rest = words.Rest(i + 1);
      return header;
    }
  }

  // "comm ids"
  if (words.size() >= 2 && words.size() < kMostWords && AreIds(words[words.size() - 1])) {
    SetThread(words, words.size() - 1, true, header);
    return header;
  }
  return std::nullopt;
}

std::optional<HeaderLine> HeaderReader::Read(std::string_view line) noexcept {
  HeaderLine header;
  if (ReadLikeLast(Trim(line), header)) return header;
  std::optional<HeaderLine> parsed = ParseHeader(line);
  // A thread without ids could end elsewhere in the next line.
  const bool is_usual = parsed.has_value() && parsed->tid != HeaderLine::kNotPrinted &&
                        parsed->time_ns != HeaderLine::kNotPrinted &&
                        parsed->period != HeaderLine::kNotPrinted && !parsed->event.empty() &&
                        !parsed->event.starts_with("raw ");
  last_ = is_usual ? *parsed : HeaderLine{};
  return parsed;
}

// "THREAD [CPU] SECONDS.FRACTION: PERIOD EVENT:" with the last thread and event.
bool HeaderReader::ReadLikeLast(std::string_view line, HeaderLine& header) const noexcept {
  if (last_.event.empty() || !line.starts_with(last_.thread)) return false;
  const char* at = line.data() + last_.thread.size();
  const char* const end = line.data() + line.size();
  const auto skip_blanks = [&] {
    const char* const start = at;
    while (at < end && IsSpace(*at)) ++at;
    return at > start && at < end;
  };
  // Up to eighteen digits, which always fit.
  const auto read_number = [&](std::int64_t& number) {
    const char* const start = at;
    number = 0;
    while (at < end && IsDigit(*at)) number = number * 10 + (*at++ - '0');
    return at > start && at - start <= kSafeDigits;
  };
  const auto digits_left = [&] {
    std::ptrdiff_t count = 0;
    while (count <= kSafeDigits && at + count < end && IsDigit(at[count])) ++count;
    return count;
  };
  if (!skip_blanks()) return false;
  if (*at == '[') {
    ++at;
    if (digits_left() > kSafeDigits || !read_number(header.cpu)) return false;
    if (at == end || *at++ != ']' || !skip_blanks()) return false;
  }
  const char* const time = at;
  if (digits_left() > kSafeDigits) return false;
  std::int64_t number = 0;
  if (!read_number(number) || at == end || *at++ != '.') return false;
  if (digits_left() > kSafeDigits || !read_number(number)) return false;
  if (at == end || *at++ != ':') return false;
  header.time_ns = NanosecondsIn({time, static_cast<std::size_t>(at - time)});
  if (!skip_blanks() || digits_left() > kSafeDigits || !read_number(header.period)) return false;
  if (!skip_blanks()) return false;
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  const std::size_t event = last_.event.size();
  if (!rest.starts_with(last_.event) || rest.size() <= event || rest[event] != ':') return false;
  if (rest.size() > event + 1) {
    const auto bytes = static_cast<std::size_t>(rest.data() + event + 1 - line.data());
    // All of it may be a comm.
    if (!IsSpace(rest[event + 1]) || bytes <= kMostCommBytes) return false;
  }

  const auto moved = [&](std::string_view text) {
    return line.substr(static_cast<std::size_t>(text.data() - last_.thread.data()), text.size());
  };
  header.thread = line.substr(0, last_.thread.size());
  header.comm = last_.comm.empty() ? std::string_view() : moved(last_.comm);
  header.pid = last_.pid;
  header.tid = last_.tid;
  header.event = rest.substr(0, event);
  header.rest = Trim(rest.substr(event + 1));
  return true;
}

}  // namespace sonde::perf_script
