// Tagger: gives sessions, prompts and model answers a one-word tag, at once or later.

#ifndef SONDE_TAGGER_H_
#define SONDE_TAGGER_H_

#include <cstdint>
#include <string_view>

#include "sonde/tag_rules.h"

namespace sonde {

// What Ask gives and Answer takes.
enum class TagTicket : std::uint64_t {};

class Tagger {
 public:
  Tagger() = default;
  Tagger(const Tagger&) = delete;
  Tagger& operator=(const Tagger&) = delete;
  virtual ~Tagger() = default;

  // `hints` says where the text comes from ("claude opus"); rules never look at them. Returns
  // without waiting for the answer, unless too many are waited for. **Any thread.**
  virtual TagTicket Ask(TagKind kind, std::string_view text, std::string_view hints) = 0;
  // The tag, or kUnmatchedTag; waits until it is known. Valid as long as the tagger. **Any
  // thread.**
  virtual std::string_view Answer(TagTicket ticket) = 0;
};

// Answers at once, from rules.
class RuleTagger : public Tagger {
 public:
  // `rules` are compiled and outlive the tagger.
  explicit RuleTagger(const TagRules& rules) : rules_(rules) {}
  TagTicket Ask(TagKind kind, std::string_view text, std::string_view) override {
    return TagTicket{rules_.Match(kind, text)};
  }
  std::string_view Answer(TagTicket ticket) override {
    return rules_.tag(static_cast<std::uint32_t>(ticket));
  }

 private:
  const TagRules& rules_;
};

}  // namespace sonde

#endif  // SONDE_TAGGER_H_
