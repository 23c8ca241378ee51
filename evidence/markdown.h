// Markdown: tables and text that stay what they are whatever stands in a symbol name.

#ifndef SONDE_EVIDENCE_MARKDOWN_H_
#define SONDE_EVIDENCE_MARKDOWN_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

// Escapes what Markdown or HTML would interpret; line breaks and other control
// characters become spaces, so a name can neither break a table nor start a heading. Characters
// that turn the direction of text, like U+202E, are spelt out ("\\u202e"), here and in code.
std::string MarkdownText(std::string_view text);

// As code: in a fence of backticks longer than any run inside. Pipes are escaped, so
// it may stand in a table.
std::string MarkdownCode(std::string_view text);

// A table in the form of https://github.github.com/gfm/#tables-extension-. Cells are
// taken as they are: escape them first.
class MarkdownTable {
 public:
  // A column whose name starts with '>' is aligned to the right.
  explicit MarkdownTable(std::initializer_list<std::string_view> columns);
  void AddRow(const std::vector<std::string>& cells);
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

// "12.345", "-3.0": fixed decimals, from 1e15 on with an exponent.
std::string FixedText(double value, int decimals);
// With a sign: "+1.250".
std::string SignedText(double value, int decimals);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_MARKDOWN_H_
