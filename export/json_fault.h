// JsonFault: why a text is no JSON.

#ifndef SONDE_EXPORT_JSON_FAULT_H_
#define SONDE_EXPORT_JSON_FAULT_H_

#include <simdjson.h>

#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

// kMalformed, of a text of that format which simdjson refused with `fault`: where it ends, when
// that is not where an object can end. Any thread.
inline Error JsonFault(std::string_view format, std::string_view text, simdjson::error_code fault) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const bool is_cut_off = last != std::string_view::npos && text[last] != '}' && text[last] != ']';
  return {.code = ErrorCode::kMalformed,
          .message = std::string(format) + ": " +
                     (is_cut_off ? "the text is cut off" : simdjson::error_message(fault)),
          .byte_offset = is_cut_off ? text.size() : 0};
}

}  // namespace sonde

#endif  // SONDE_EXPORT_JSON_FAULT_H_
