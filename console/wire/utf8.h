// ValidUtf8: text as a protobuf string or JSON may hold it.

#ifndef SONDE_CONSOLE_WIRE_UTF8_H_
#define SONDE_CONSOLE_WIRE_UTF8_H_

#include <string>
#include <string_view>

namespace sonde {

// `text` with every byte that is no part of a well-formed character replaced by '?'. Any thread.
std::string ValidUtf8(std::string_view text);

}  // namespace sonde

#endif  // SONDE_CONSOLE_WIRE_UTF8_H_
