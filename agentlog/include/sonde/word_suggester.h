// WordSuggester: the words that, as tag rules, would cover most of a set of texts.

#ifndef SONDE_WORD_SUGGESTER_H_
#define SONDE_WORD_SUGGESTER_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sonde {

struct WordSuggestion {
  std::string word;
  std::uint64_t prompts = 0;      // Texts that it is in.
  std::uint64_t new_prompts = 0;  // Of those, the ones that no suggestion before it covers.
  std::string rule;               // "prompt:deploy=(?i)\bdeploy\b"
};

// Keeps numbers of words and no text; a text counts for its first kWordsKept distinct words. In
// scripts without spaces every pair of neighbouring characters is a word. **Any thread.**
class WordSuggester {
 public:
  static constexpr std::size_t kWordsKept = 64;
  static constexpr std::size_t kVocabulary = 200'000;

  void Add(std::string_view text);
  // At most `count`, each in at least `at_least` texts: the word that covers most, then the one
  // that covers most of the rest, and so on. Words that say nothing and words that look like
  // secrets are left out.
  std::vector<WordSuggestion> Suggest(std::size_t count, std::uint64_t at_least) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> words_;
  std::vector<std::vector<std::uint32_t>> texts_;
};

}  // namespace sonde

#endif  // SONDE_WORD_SUGGESTER_H_
