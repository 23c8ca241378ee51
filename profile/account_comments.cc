// AccountComments: see account_comments.h.

#include "profile/account_comments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "sonde/profile.h"

namespace sonde {
namespace {

constexpr std::array<std::string_view, 5> kHeads{
    "sonde samples:", "sonde cpu:", "sonde truncated:", "sonde threads:", "sonde wall:"};

// What counts things that are in several profiles: the sum has the largest, for to add would count
// them again.
bool IsOfAll(std::string_view head, std::string_view key) {
  return head == "sonde wall:" && key == "threads";
}

// Calls `use(key, value)` for each "key=123" of `text`.
template <typename Use>
void EachNumber(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    const std::size_t equals = word.find('=');
    if (equals == word.npos) continue;
    const std::string_view number = word.substr(equals + 1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc() && end == number.data() + number.size()) {
      use(word.substr(0, equals), value);
    }
  }
}

}  // namespace

void AccountComments::Add(std::string_view comment) {
  const auto kind = std::ranges::find_if(
      kHeads, [&](std::string_view head) { return comment.starts_with(head); });
  const std::string_view head = kind == kHeads.end() ? comment : *kind;
  const auto known = std::ranges::find(accounts_, head, &Account::head);
  if (known == accounts_.end()) {
    Account& account = accounts_.emplace_back(Account{std::string(head), {}, std::string(comment)});
    if (kind == kHeads.end()) return;
    EachNumber(comment, [&](std::string_view key, std::int64_t value) {
      account.sums.emplace_back(key, value);
    });
    return;
  }
  if (kind == kHeads.end()) return;
  known->only.clear();
  EachNumber(comment, [&](std::string_view key, std::int64_t value) {
    const auto sum =
        std::ranges::find_if(known->sums, [&](const auto& one) { return one.first == key; });
    if (sum == known->sums.end()) {
      known->sums.emplace_back(key, value);
    } else if (IsOfAll(head, key)) {
      sum->second = std::max(sum->second, value);
    } else {
      sum->second = SaturatingAdd(sum->second, value);
    }
  });
}

std::vector<std::string> AccountComments::Take() && {
  std::vector<std::string> comments;
  comments.reserve(accounts_.size());
  for (Account& account : accounts_) {
    if (!account.only.empty() || account.sums.empty()) {
      comments.push_back(std::move(account.only));
      continue;
    }
    std::string text = std::move(account.head);
    for (const auto& [key, value] : account.sums) text += ' ' + key + '=' + std::to_string(value);
    comments.push_back(std::move(text));
  }
  return comments;
}

}  // namespace sonde
