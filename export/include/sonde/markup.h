// Markup: any bytes as text that XML and HTML can hold.

#ifndef SONDE_MARKUP_H_
#define SONDE_MARKUP_H_

#include <string>
#include <string_view>

namespace sonde {

// Valid UTF-8: what is not, control characters, non-characters and the marks
// that turn the direction of writing become U+FFFD, one for each. Any thread.
std::string CleanText(std::string_view bytes);

// Clean text with & < > " ' escaped: for element content and attribute values, in XML and in
// HTML. Any thread.
void AppendXml(std::string& out, std::string_view clean);

}  // namespace sonde

#endif  // SONDE_MARKUP_H_
