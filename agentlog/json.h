// What the dialects need of simdjson: objects field by field, forgiving of types, not of damage.

#ifndef SONDE_AGENTLOG_JSON_H_
#define SONDE_AGENTLOG_JSON_H_

#include <simdjson.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "agentlog/dialect.h"
#include "agentlog/line_reader.h"

namespace sonde::agentlog::json {

static_assert(kLinePadding >= simdjson::SIMDJSON_PADDING);

namespace od = simdjson::ondemand;

// Keeps unescaped strings until Clear; views stay valid.
class TextArena {
 public:
  void Clear() {
    if (used_ > kKept) texts_.clear();
    next_ = 0;
    used_ = 0;
  }
  // What stands between the quotes of a JSON string, decoded. Half a surrogate pair becomes U+FFFD.
  std::string_view Decoded(std::string_view raw) {
    return raw.find('\\') == std::string_view::npos ? raw : Unescape(raw);
  }

 private:
  std::string_view Unescape(std::string_view raw);

  static constexpr std::size_t kKept = 1 << 20;
  std::deque<std::string> texts_;
  std::size_t next_ = 0;
  std::size_t used_ = 0;
};

// What stands between the quotes, still escaped. The quote that ends it is known to be there.
inline std::string_view Raw(od::raw_json_string string) {
  const char* const begin = string.raw();
  const char* end = begin;
  for (;;) {
    end = static_cast<const char*>(rawmemchr(end, '"'));
    std::size_t slashes = 0;
    while (end - slashes > begin && *(end - slashes - 1) == '\\') ++slashes;
    if (slashes % 2 == 0) return {begin, static_cast<std::size_t>(end - begin)};
    ++end;
  }
}

// Every function below returns false when the JSON is damaged, and leaves its output alone when
// the value is of another type.

inline bool Read(od::value value, std::string_view& out, TextArena& arena) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type != od::json_type::string) return true;
  od::raw_json_string string;
  if (value.get_raw_json_string().get(string) != simdjson::SUCCESS) return false;
  out = arena.Decoded(Raw(string));
  return true;
}

// The string as it stands in the line.
inline bool ReadRaw(od::value value, std::string_view& out) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type != od::json_type::string) return true;
  od::raw_json_string string;
  if (value.get_raw_json_string().get(string) != simdjson::SUCCESS) return false;
  out = Raw(string);
  return true;
}

inline bool Read(od::value value, bool& out) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type != od::json_type::boolean) return true;
  return value.get_bool().get(out) == simdjson::SUCCESS;
}

// Calls field(key, value) -> bool for each field; false from it stops as damage does.
template <typename Field>
bool ForFields(od::object object, Field&& field) {
  for (auto entry : object) {
    od::field pair;
    if (std::move(entry).get(pair) != simdjson::SUCCESS) return false;
    if (!field(Raw(pair.key()), pair.value())) return false;
  }
  return true;
}

// As ForFields when the value is an object.
template <typename Field>
bool ForFields(od::value value, Field&& field) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type != od::json_type::object) return true;
  od::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return false;
  return ForFields(object, field);
}

// Calls element(value) -> bool for each element when the value is an array.
template <typename Element>
bool ForElements(od::value value, Element&& element) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type != od::json_type::array) return true;
  od::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) return false;
  for (auto entry : array) {
    od::value item;
    if (std::move(entry).get(item) != simdjson::SUCCESS) return false;
    if (!element(item)) return false;
  }
  return true;
}

// The text of an object or array as it stands in the line; leaves `out` alone for a scalar.
inline bool ReadJson(od::value value, std::string_view& out) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type == od::json_type::object) {
    od::object object;
    return value.get_object().get(object) == simdjson::SUCCESS &&
           object.raw_json().get(out) == simdjson::SUCCESS;
  }
  if (type == od::json_type::array) {
    od::array array;
    return value.get_array().get(array) == simdjson::SUCCESS &&
           array.raw_json().get(out) == simdjson::SUCCESS;
  }
  return true;
}

inline bool IsOf(od::value value, od::json_type wanted, bool& out) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  out = type == wanted;
  return true;
}

// A count that may be written as 12, 12.0, "12" or null. What is no count (-5, 5.5, "x", more
// than 10^12) gives 0 and sets `odd`.
bool ReadCount(od::value value, std::uint64_t& out, bool& odd);

// A number of any sign; leaves `out` alone for what is none.
bool ReadNumber(od::value value, std::int64_t& out);

using Outcome = LineOutcome;

// Parses one line after the other with one set of buffers.
class Parser {
 public:
  // Calls record(object) -> bool with the object that `text` starts with. `rest` is what follows
  // it in the line (usually nothing). kLinePadding bytes behind `text` are readable.
  template <typename Record>
  Outcome Parse(std::string_view text, std::string_view& rest, Record&& record) {
    rest = {};
    Outcome outcome = ParseWhole(text, rest, record);
    if (outcome != Outcome::kDamaged) return outcome;
    // The first value may be whole and what follows it not.
    const std::size_t end = FirstObjectEnd(text);
    if (end == 0 || end == text.size()) return outcome;
    outcome = ParseWhole(text.substr(0, end), rest, record);
    rest = text.substr(end);
    return outcome;
  }

 private:
  template <typename Record>
  Outcome ParseWhole(std::string_view text, std::string_view& rest, Record&& record) {
    od::document document;
    if (const Outcome outcome = Start(text, document); outcome != Outcome::kRecord) return outcome;
    od::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) return Outcome::kDamaged;
    if (!record(object)) return Outcome::kDamaged;
    const char* behind = nullptr;
    if (document.current_location().get(behind) == simdjson::SUCCESS) {
      rest = text.substr(static_cast<std::size_t>(behind - text.data()));
    }
    return Outcome::kRecord;
  }
  Outcome Start(std::string_view text, od::document& document);
  // Behind the first balanced object, 0 when there is none.
  static std::size_t FirstObjectEnd(std::string_view text) noexcept;

  od::parser parser_;
};

}  // namespace sonde::agentlog::json

#endif  // SONDE_AGENTLOG_JSON_H_
