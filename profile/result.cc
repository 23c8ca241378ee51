// Error: how one is shown to a person.

#include "sonde/result.h"

namespace sonde {

std::string Describe(const Error& error) {
  std::string text;
  if (!error.file.empty()) {
    text += error.file;
    if (error.line != 0) text += ':' + std::to_string(error.line);
    text += ": ";
  } else if (error.line != 0) {
    text += "line " + std::to_string(error.line) + ": ";
  }
  text += error.message;
  if (error.byte_offset != 0) text += " (at byte " + std::to_string(error.byte_offset) + ')';
  return text;
}

}  // namespace sonde
