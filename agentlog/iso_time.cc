// ParseTime: RFC 3339 instants as agent logs write them.

#include "agentlog/iso_time.h"

#include <chrono>

#include "sonde/agent_session.h"

namespace sonde::agentlog {
namespace {

class Digits {
 public:
  explicit Digits(std::string_view text) : text_(text) {}

  // Exactly `count` digits; -1 and failed() otherwise.
  int Number(std::size_t count) {
    if (text_.size() < count) return Fail();
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (text_[i] < '0' || text_[i] > '9') return Fail();
      number = number * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(count);
    return number;
  }
  char Take(std::string_view allowed) {
    if (text_.empty() || allowed.find(text_.front()) == std::string_view::npos) {
      Fail();
      return 0;
    }
    const char taken = text_.front();
    text_.remove_prefix(1);
    return taken;
  }
  bool At(char c) const { return !text_.empty() && text_.front() == c; }
  bool AtDigit() const { return !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; }
  bool done() const { return text_.empty(); }
  bool failed() const { return failed_; }

 private:
  int Fail() {
    failed_ = true;
    return -1;
  }
  std::string_view text_;
  bool failed_ = false;
};

}  // namespace

std::int64_t ParseTime(std::string_view text) noexcept {
  Digits digits(text);
  const int year = digits.Number(4);
  digits.Take("-");
  const int month = digits.Number(2);
  digits.Take("-");
  const int day = digits.Number(2);
  digits.Take("Tt ");
  const int hour = digits.Number(2);
  digits.Take(":");
  const int minute = digits.Number(2);
  digits.Take(":");
  const int second = digits.Number(2);
  if (digits.failed()) return kNoTime;
  std::int64_t fraction_ns = 0;
  if (digits.At('.')) {
    digits.Take(".");
    std::int64_t unit = 100'000'000;
    if (!digits.AtDigit()) return kNoTime;
    while (digits.AtDigit()) {
      fraction_ns += digits.Number(1) * unit;
      unit /= 10;
    }
  }
  int offset_minutes = 0;
  const char zone = digits.Take("Zz+-");
  if (zone == '+' || zone == '-') {
    const int hours = digits.Number(2);
    digits.Take(":");
    offset_minutes = hours * 60 + digits.Number(2);
    if (zone == '-') offset_minutes = -offset_minutes;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // Nanoseconds in 64 bits reach from 1678 to 2261.
  if (digits.failed() || !digits.done() || !date.ok() || year < 1700 || year > 2200 || hour > 23 ||
      minute > 59 || second > 60) {
    return kNoTime;
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  const std::int64_t seconds = std::int64_t{days.count()} * 86'400 + hour * 3'600 + minute * 60 +
                               second - std::int64_t{offset_minutes} * 60;
  return seconds * 1'000'000'000 + fraction_ns;
}

}  // namespace sonde::agentlog
