// LooksSecret: tells keys, tokens and passwords by their shape.

#include "agentlog/secret.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sonde::agentlog {
namespace {

bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool IsUpper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool IsHex(char c) noexcept {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsTokenChar(char c) noexcept { return IsDigit(c) || IsUpper(c) || IsLower(c); }
char Lower(char c) noexcept { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Hosts and programs may have lost their capitals already.
bool StartsWithAnyCase(std::string_view text, std::string_view prefix) noexcept {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

}  // namespace

bool LooksSecret(std::string_view word) noexcept {
  constexpr std::array kPrefixes = std::to_array<std::string_view>(
      {"sk-",        "sk_",     "pk_live",  "rk_live", "whsec_",    "ghp_",    "gho_",
       "ghs_",       "ghu_",    "ghr_",     "glpat-",  "glrt-",     "gldt-",   "glptt-",
       "glsa_",      "glc_",    "xoxb-",    "xoxp-",   "xoxa-",     "xoxr-",   "xoxe-",
       "xapp-",      "AIza",    "ya29.",    "hf_",     "npm_",      "pypi-",   "dop_v1_",
       "shpat_",     "shpss_",  "shpca_",   "dapi",    "hvs.",      "hvb.",    "eyJ",
       "SG.",        "gsk_",    "xai-",     "pplx-",   "nvapi-",    "r8_",     "tvly-",
       "lsv2_",      "lin_api", "ntn_",     "figd_",   "PMAK-",     "NRAK-",   "ATATT",
       "ATCTT",      "ATBB",    "dp.pt.",   "dp.st.",  "sntrys_",   "sntryu_", "tskey-",
       "nfp_",       "sbp_",    "dckr_pat", "sq0atp-", "sq0csp-",   "CFPAT-",  "CCIPAT_",
       "bkua_",      "pul-",    "pscale_",  "pnu_",    "rubygems_", "AKCp",    "AGE-SECRET-KEY-",
       "github_pat_"});
  for (std::size_t start = 0; start < word.size();) {
    if (start > 0 && IsTokenChar(word[start - 1])) {
      ++start;
      continue;
    }
    const std::string_view rest = word.substr(start);
    for (const std::string_view prefix : kPrefixes) {
      if (!StartsWithAnyCase(rest, prefix)) continue;
      const std::string_view tail = rest.substr(prefix.size());
      std::size_t length = 0;
      std::size_t digits = 0;
      while (length < tail.size() &&
             (IsTokenChar(tail[length]) || tail[length] == '-' || tail[length] == '_')) {
        digits += IsDigit(tail[length]) ? 1 : 0;
        ++length;
      }
      if (length >= 16 && digits >= 2) return true;
    }
    if ((rest.starts_with("AKIA") || rest.starts_with("ASIA")) && rest.size() >= 20 &&
        std::all_of(rest.begin(), rest.begin() + 20,
                    [](char c) { return IsUpper(c) || IsDigit(c); })) {
      return true;
    }
    ++start;
  }
  // Runs that no one would choose as a name: long hexadecimal, or letters and digits well mixed.
  for (std::size_t start = 0; start < word.size();) {
    std::size_t end = start;
    bool is_hex = true;
    bool has_upper = false;
    bool has_lower = false;
    std::size_t digits = 0;
    std::size_t changes = 0;
    while (end < word.size() && IsTokenChar(word[end])) {
      is_hex &= IsHex(word[end]);
      has_upper |= IsUpper(word[end]);
      has_lower |= IsLower(word[end]);
      digits += IsDigit(word[end]) ? 1 : 0;
      if (end > start && IsDigit(word[end]) != IsDigit(word[end - 1])) ++changes;
      ++end;
    }
    const std::size_t length = end - start;
    if (length >= 32 && is_hex && digits > 0 && (has_lower || has_upper)) return true;
    if (length >= 24 && has_upper && has_lower && changes >= 5) return true;
    if (length >= 20 && digits > 3 && changes >= 6) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace sonde::agentlog
