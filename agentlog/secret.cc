// Secrets: tells keys, tokens, passwords and people's addresses by their shape.

#include "agentlog/secret.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>

namespace sonde::agentlog {
namespace {

bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool IsUpper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool IsLetter(char c) noexcept { return IsUpper(c) || IsLower(c); }
bool IsHex(char c) noexcept {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsTokenChar(char c) noexcept { return IsDigit(c) || IsLetter(c); }

// Vendors' keys with their lengths, in any letter case: these are keys whatever letters they are
// made of.
constexpr std::array kKeys = std::to_array<std::string_view>({
    "gh[opsur]_[a-z0-9]{36,}",
    "github_pat_[a-z0-9_]{36,}",
    "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[a-z0-9_-]{20,}",
    "aiza[a-z0-9_-]{35,}",
    "ya29\\.[a-z0-9_-]{20,}",
    "gocspx-[a-z0-9_-]{28,}",
    "akia[a-z0-9]{16}",
    "(?-i:A(?:SIA|ROA|IDA|GPA|NPA|NVA|IPA|BIA|CCA)[A-Z0-9]{16})",
    "sk-(?:ant|proj|or|svcacct|admin)-[a-z0-9_-]{32,}",
    "sk-[a-z0-9]{40,}",
    "(?:sk|pk|rk)_(?:live|test)_[a-z0-9]{24,}",
    "whsec_[a-z0-9+/]{32,}",
    "xox[abeoprs]-[a-z0-9-]{24,}",
    "xapp-[0-9]-[a-z0-9-]{24,}",
    "hf_[a-z0-9]{34,}",
    "npm_[a-z0-9]{36,}",
    "pypi-age[a-z0-9_-]{24,}",
    "do[opr]_v1_[0-9a-f]{64}",
    "sg\\.[a-z0-9_-]{22}\\.[a-z0-9_-]{43}",
    "shp(?:at|ca|pa|ss)_[0-9a-f]{32}",
    "dapi[0-9a-f]{32}",
    "hv[bsr]\\.[a-z0-9_-]{24,}",
    "(?:ac|sk)[0-9a-f]{32}",
    "[0-9]{8,10}:aa[a-z0-9_-]{33,}",
    "eyj[a-z0-9_-]{14,}(?:\\.[a-z0-9_-]+){0,4}",
});

const RE2& KeyPattern() {
  static const RE2 kPattern([] {
    std::string pattern = "(?i)(?:^|[^a-z0-9])(";
    for (const std::string_view key : kKeys) {
      if (key != kKeys.front()) pattern += '|';
      pattern += key;
    }
    return pattern + ')';
  }());
  return kPattern;
}

// How such keys begin when they are cut short, changed or of a length not known here: what follows
// decides.
bool HasKeyPrefix(std::string_view word) noexcept {
  constexpr std::array kPrefixes = std::to_array<std::string_view>(
      {"sk-",         "sk_",     "pk_live",  "rk_live", "whsec_",    "ghp_",    "gho_",
       "ghs_",        "ghu_",    "ghr_",     "glpat-",  "glrt-",     "gldt-",   "glptt-",
       "glsa_",       "glc_",    "xoxb-",    "xoxp-",   "xoxa-",     "xoxr-",   "xoxe-",
       "xapp-",       "aiza",    "ya29.",    "hf_",     "npm_",      "pypi-",   "dop_v1_",
       "shpat_",      "shpss_",  "shpca_",   "dapi",    "hvs.",      "hvb.",    "eyj",
       "sg.",         "gsk_",    "xai-",     "pplx-",   "nvapi-",    "r8_",     "tvly-",
       "lsv2_",       "lin_api", "ntn_",     "figd_",   "pmak-",     "nrak-",   "atatt",
       "atctt",       "atbb",    "dp.pt.",   "dp.st.",  "sntrys_",   "sntryu_", "tskey-",
       "nfp_",        "sbp_",    "dckr_pat", "sq0atp-", "sq0csp-",   "cfpat-",  "ccipat_",
       "bkua_",       "pul-",    "pscale_",  "pnu_",    "rubygems_", "akcp",    "age-secret-key-",
       "github_pat_", "asia"});
  const auto starts_with = [](std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
             return a == (IsUpper(b) ? static_cast<char>(b - 'A' + 'a') : b);
           });
  };
  for (std::size_t start = 0; start < word.size(); ++start) {
    if (start > 0 && IsTokenChar(word[start - 1])) continue;
    const std::string_view rest = word.substr(start);
    for (const std::string_view prefix : kPrefixes) {
      if (!starts_with(rest, prefix)) continue;
      std::size_t length = 0;
      std::size_t digits = 0;
      for (const char c : rest.substr(prefix.size())) {
        if (!IsTokenChar(c) && c != '-' && c != '_') break;
        digits += IsDigit(c) ? 1 : 0;
        ++length;
      }
      if (length >= 16 && digits >= 2) return true;
    }
  }
  return false;
}

// The letters that follow a letter in names: 220 pairs make up 95 of 100 in words, source code and
// the names of files, and 33 of 100 in letters drawn at random.
constexpr std::array<std::string_view, 26> kFollowers = {"abcdgilmnprstuv",
                                                         "aeilosu",
                                                         "aehkloptu",
                                                         "aeilo",
                                                         "acdefglmnopqrstx",
                                                         "aefinoru",
                                                         "ehinor",
                                                         "aeioprt",
                                                         "abcdefglmnoprstvz",
                                                         "",
                                                         "aen",
                                                         "acdeilostuy",
                                                         "aeilmopsu",
                                                         "acdegikostuv",
                                                         "cdfilmnoprstuvw",
                                                         "aeiloprtuy",
                                                         "u",
                                                         "acdeimnorstuy",
                                                         "acehikopstuvy",
                                                         "adehilmoprstuy",
                                                         "bcdeilmnprstx",
                                                         "aei",
                                                         "ain",
                                                         "aept",
                                                         "ceprt",
                                                         "e"};

// Half of the pairs of letters are none of a name's. A capital behind a small letter begins a word.
bool IsUnspeakable(std::string_view run) noexcept {
  const auto lower = [](char c) { return static_cast<char>(IsUpper(c) ? c - 'A' + 'a' : c); };
  std::size_t pairs = 0;
  std::size_t odd = 0;
  for (std::size_t i = 1; i < run.size(); ++i) {
    const char first = run[i - 1];
    const char second = run[i];
    if (!IsLetter(first) || !IsLetter(second) || (IsLower(first) && IsUpper(second))) continue;
    const std::string_view followers = kFollowers[static_cast<std::size_t>(lower(first) - 'a')];
    ++pairs;
    odd += followers.find(lower(second)) == std::string_view::npos ? 1 : 0;
  }
  return pairs >= 5 && odd * 2 >= pairs;
}

// Long hexadecimal, or letters and digits as no name has them.
bool IsRandomRun(std::string_view run) noexcept {
  const auto count = [&](auto&& is) { return std::count_if(run.begin(), run.end(), is); };
  const auto digits = count(IsDigit);
  const bool has_upper = count(IsUpper) > 0;
  const bool has_lower = count(IsLower) > 0;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < run.size(); ++i) {
    if (IsDigit(run[i]) != IsDigit(run[i - 1])) ++changes;
  }
  if (run.size() >= 32 && count(IsHex) == std::ssize(run) && digits > 0) {
    return has_lower || has_upper;
  }
  if (run.size() >= 24 && has_upper && has_lower && changes >= 5) return true;
  return run.size() >= 20 && ((digits > 3 && changes >= 6) || IsUnspeakable(run));
}

constexpr std::size_t kBase64Key = 40;

bool IsBase64Key(std::string_view text) noexcept {
  std::size_t uppers = 0;
  std::size_t lowers = 0;
  // Words begin with a capital and numbers stand at their end: neighbours of other kinds are rare.
  std::size_t odd_pairs = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsTokenChar(text[i]) && text[i] != '/' && text[i] != '+') return false;
    uppers += IsUpper(text[i]) ? 1 : 0;
    lowers += IsLower(text[i]) ? 1 : 0;
    if (i == 0) continue;
    odd_pairs += IsUpper(text[i]) && IsUpper(text[i - 1]) ? 1 : 0;
    odd_pairs += IsTokenChar(text[i]) && IsDigit(text[i]) != IsDigit(text[i - 1]) ? 1 : 0;
  }
  return uppers > 2 && lowers > 2 && odd_pairs >= 5;
}

}  // namespace

KeySpan FindVendorKey(std::string_view text) noexcept {
  // Shorter than any of them.
  if (text.size() < 17) return {};
  re2::StringPiece key;
  if (!RE2::PartialMatch({text.data(), text.size()}, KeyPattern(), &key)) return {};
  return {static_cast<std::size_t>(key.data() - text.data()), key.size()};
}

bool HoldsBase64Key(std::string_view text) noexcept {
  for (std::size_t start = 0; start + kBase64Key <= text.size(); ++start) {
    if (start > 0 && IsTokenChar(text[start - 1])) continue;
    const std::size_t end = start + kBase64Key;
    if (end < text.size() && IsTokenChar(text[end])) continue;
    if (IsBase64Key(text.substr(start, kBase64Key))) return true;
  }
  return false;
}

bool HoldsAddress(std::string_view word) noexcept {
  const std::size_t at = word.find('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == word.size()) return false;
  const std::string_view host = word.substr(at + 1);
  const bool is_version = host.front() == 'v' && host.size() > 1 && IsDigit(host[1]);
  return IsLetter(host.front()) && !is_version && host.find('.') != std::string_view::npos;
}

bool LooksSecret(std::string_view word) noexcept {
  if (FindVendorKey(word).size != 0 || HasKeyPrefix(word) || HoldsAddress(word)) return true;
  if (HoldsBase64Key(word)) return true;
  for (std::size_t start = 0; start < word.size();) {
    std::size_t end = start;
    while (end < word.size() && IsTokenChar(word[end])) ++end;
    const std::string_view run = word.substr(start, end - start);
    if (IsRandomRun(run)) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace sonde::agentlog
