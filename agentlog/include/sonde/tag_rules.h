// TagRules: regular expressions that give sessions, prompts and model answers a one-word tag.

#ifndef SONDE_TAG_RULES_H_
#define SONDE_TAG_RULES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

enum class TagKind : std::uint8_t { kSession, kPrompt, kLlm };
inline constexpr std::size_t kTagKinds = 3;

// "session", "prompt", "llm". **Any thread.**
std::string_view NameOf(TagKind kind) noexcept;

// What carries no tag is counted under this name.
inline constexpr std::string_view kUnmatchedTag = "unmatched";

// 3 to 12 lower-case ASCII letters, and not kUnmatchedTag. **Any thread.**
bool IsTag(std::string_view text) noexcept;

// The rules in the order in which they are tried; the first that matches decides. Patterns are
// RE2: linear time, Unicode, (?i). The whole text is searched. Add everything, then Compile once.
// Adding is not thread-safe; matching is for **any thread**.
class TagRules {
 public:
  // An index into the rules; kNone when no rule matches.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  TagRules();
  TagRules(TagRules&&) noexcept;
  TagRules& operator=(TagRules&&) noexcept;
  ~TagRules();

  // "KIND:TAG=REGEX", KIND being session, prompt, llm or all. Fails with kUsage, quoting `text`.
  Status Add(std::string_view text);
  // `rules = ["KIND:TAG=REGEX", ...]` and [[rule]] tables with kind, tag and pattern, in the order
  // of the file. Fails with kMalformed and the line.
  Status AddToml(std::string_view toml);
  // The shipped lists of whole words, in English and Chinese. Tried after everything else.
  void AddPreset();

  // Fails with kUsage when the patterns together are too large.
  Status Compile();

  std::uint32_t Match(TagKind kind, std::string_view text) const;
  std::string_view tag(std::uint32_t rule) const noexcept;
  std::size_t size() const noexcept;
  bool empty() const noexcept { return size() == 0; }

  // One line each: vague and placeholder tags, patterns that match everything.
  std::vector<std::string> Warnings() const;
  // The rules, as written, that no text matched so far. Shipped ones are left out.
  std::vector<std::string> Unused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sonde

#endif  // SONDE_TAG_RULES_H_
