// JsonWriter: appends JSON to a string, with the commas in the right places.

#ifndef SONDE_CONSOLE_JSON_WRITER_H_
#define SONDE_CONSOLE_JSON_WRITER_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "console/wire/utf8.h"

namespace sonde {

// Keys in the order in which they are written. Not thread-safe.
class JsonWriter {
 public:
  void BeginObject(std::string_view key = {}) { Begin(key, '{'); }
  void EndObject() { End('}'); }
  void BeginArray(std::string_view key = {}) { Begin(key, '['); }
  void EndArray() { End(']'); }

  void Text(std::string_view key, std::string_view text) {
    Next(key);
    Quote(text);
  }
  template <std::integral Integer>
  void Number(std::string_view key, Integer number) {
    Next(key);
    out_ += std::to_string(number);
  }
  void Bool(std::string_view key, bool value) {
    Next(key);
    out_ += value ? "true" : "false";
  }
  // `json` is a value already written.
  void Raw(std::string_view key, std::string_view json) {
    Next(key);
    out_ += json;
  }

  std::string Take() && { return std::move(out_); }

 private:
  void Begin(std::string_view key, char bracket) {
    Next(key);
    out_.push_back(bracket);
    needs_comma_ = false;
  }
  void End(char bracket) {
    out_.push_back(bracket);
    needs_comma_ = true;
  }
  void Next(std::string_view key) {
    if (needs_comma_) out_.push_back(',');
    needs_comma_ = true;
    if (key.empty()) return;
    Quote(key);
    out_.push_back(':');
  }
  void Quote(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out_.push_back('"');
    for (const char c : ValidUtf8(text)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out_ += {'\\', c};
      } else if (byte < 0x20) {
        out_ += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      } else {
        out_.push_back(c);
      }
    }
    out_.push_back('"');
  }

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_JSON_WRITER_H_
