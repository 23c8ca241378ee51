// HtmlPage: a Markdown report of ours as one self-contained page.

#ifndef SONDE_EVIDENCE_HTML_H_
#define SONDE_EVIDENCE_HTML_H_

#include <string>
#include <string_view>

namespace sonde {

// Understands what our reports use: headings, paragraphs, bullet and numbered lists, tables,
// code spans and backslash escapes. Everything else is text and is escaped. `figure` is an SVG
// that stands, in a frame of its own without access to the page, above the first second-level
// heading; empty for none.
std::string HtmlPage(std::string_view title, std::string_view markdown, std::string_view figure);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_HTML_H_
