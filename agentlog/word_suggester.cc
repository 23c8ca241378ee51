// WordSuggester: the words that, as tag rules, would cover most of a set of texts.

#include "sonde/word_suggester.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "agentlog/secret.h"
#include "sonde/tag_rules.h"

namespace sonde {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;

// Too common to tell one activity from another.
constexpr std::string_view kStopWords[] = {
    "about",  "after", "again", "all",    "also",   "and",  "any",   "are",   "because", "been",
    "before", "but",   "can",   "could",  "did",    "does", "doing", "done",  "dont",    "each",
    "else",   "every", "file",  "files",  "for",    "from", "get",   "give",  "has",     "have",
    "here",   "how",   "into",  "its",    "just",   "know", "let",   "like",  "make",    "many",
    "may",    "more",  "most",  "much",   "need",   "not",  "now",   "off",   "one",     "only",
    "our",    "out",   "over",  "please", "really", "run",  "same",  "see",   "should",  "some",
    "still",  "such",  "take",  "than",   "that",   "the",  "their", "them",  "then",    "there",
    "these",  "they",  "thing", "this",   "those",  "too",  "use",   "used",  "using",   "very",
    "want",   "was",   "way",   "were",   "what",   "when", "where", "which", "while",   "who",
    "why",    "will",  "with",  "work",   "would",  "you",  "your"};

bool IsWordChar(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Han, kana and hangul, as far as they are three bytes long.
bool IsUnspaced(std::string_view text) noexcept {
  if (text.size() < 3) return false;
  const auto lead = static_cast<unsigned char>(text[0]);
  const auto next = static_cast<unsigned char>(text[1]);
  if (lead == 0xe3) return next >= 0x81;  // Kana, and the first Han.
  return lead >= 0xe4 && lead <= 0xed && !(lead == 0xed && next >= 0x9f);
}

bool NamesSecret(std::string_view word) noexcept {
  constexpr std::string_view kWords[] = {"password", "passwords", "passwd", "passphrase",
                                         "pwd",      "secret",    "token",  "pin"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// "my password is now swordfish": what stands between.
bool LeadsToSecret(std::string_view word) noexcept {
  constexpr std::string_view kWords[] = {"is", "was", "now", "to", "the", "called", "will", "be"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::set<std::string> WordsOf(std::string_view text) {
  std::set<std::string> words;
  text = text.substr(0, kMaxTextBytes);
  std::size_t at = 0;
  bool is_secret = false;  // The word at hand, as the one before it tells.
  while (at < text.size() && words.size() < WordSuggester::kWordsKept) {
    if (IsWordChar(text[at])) {
      std::string word;
      std::size_t end = at;
      bool is_plain = true;
      while (end < text.size() && (IsWordChar(text[end]) ||
                                   (text[end] >= '0' && text[end] <= '9') || text[end] == '_')) {
        is_plain &= IsWordChar(text[end]);
        const char c = text[end];
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        ++end;
      }
      // Names of files, hosts and people's accounts stand in paths and addresses.
      const bool is_part =
          (at > 0 && std::string_view("/.@:=-\\~$").find(text[at - 1]) != std::string_view::npos) ||
          (end < text.size() &&
           (text[end] == '/' || text[end] == '@' || text[end] == '=' || text[end] == '\\'));
      at = end;
      if (NamesSecret(word)) {
        is_secret = true;
      } else if (is_secret && !LeadsToSecret(word)) {
        is_secret = false;
        continue;
      }
      if (is_plain && !is_part && word.size() >= 3 && word.size() <= 24) words.insert(word);
    } else if (IsUnspaced(text.substr(at))) {
      if (IsUnspaced(text.substr(at + 3))) words.emplace(text.substr(at, 6));
      at += 3;
    } else {
      ++at;
    }
  }
  return words;
}

std::string RuleFor(const std::string& word) {
  const bool is_latin = IsWordChar(word.front());
  const std::string tag = IsTag(word) ? word : "TAG";
  return "prompt:" + tag + "=" + (is_latin ? "(?i)\\b" + word + "\\b" : word);
}

}  // namespace

void WordSuggester::Add(std::string_view text) {
  const std::set<std::string> words = WordsOf(text);
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : words) {
    const auto known = numbers_.find(word);
    if (known != numbers_.end()) {
      numbers.push_back(known->second);
    } else if (words_.size() < kVocabulary) {
      const auto number = static_cast<std::uint32_t>(words_.size());
      numbers_.emplace(word, number);
      words_.push_back(word);
      numbers.push_back(number);
    }
  }
  texts_.push_back(std::move(numbers));
}

std::vector<WordSuggestion> WordSuggester::Suggest(std::size_t count,
                                                   std::uint64_t at_least) const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> is_offered(words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::string& word = words_[i];
    is_offered[i] =
        std::find(std::begin(kStopWords), std::end(kStopWords), word) == std::end(kStopWords) &&
        !agentlog::LooksSecret(word);
  }
  std::vector<std::uint64_t> all(words_.size());
  for (const auto& text : texts_) {
    for (const std::uint32_t word : text) ++all[word];
  }
  std::vector<std::uint64_t> left = all;
  std::vector<bool> is_covered(texts_.size());
  std::vector<WordSuggestion> suggestions;
  while (suggestions.size() < count) {
    std::size_t best = words_.size();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!is_offered[i] || all[i] < at_least || left[i] == 0) continue;
      // Numbers depend on the order in which texts came: words decide between equals.
      if (best == words_.size() || left[i] > left[best] ||
          (left[i] == left[best] && words_[i] < words_[best])) {
        best = i;
      }
    }
    if (best == words_.size()) break;
    suggestions.push_back({words_[best], all[best], left[best], RuleFor(words_[best])});
    for (std::size_t text = 0; text < texts_.size(); ++text) {
      const auto& numbers = texts_[text];
      if (is_covered[text] || std::find(numbers.begin(), numbers.end(), best) == numbers.end()) {
        continue;
      }
      is_covered[text] = true;
      for (const std::uint32_t word : numbers) --left[word];
    }
  }
  return suggestions;
}

}  // namespace sonde
