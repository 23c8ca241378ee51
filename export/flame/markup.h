// Text for pictures: quoted for scripts, and weights as people read them.

#ifndef SONDE_EXPORT_FLAME_MARKUP_H_
#define SONDE_EXPORT_FLAME_MARKUP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sonde/markup.h"
#include "sonde/profile.h"

namespace sonde {

// Number of characters (code points) of clean text.
std::size_t CharacterCount(std::string_view clean) noexcept;
// The bytes of the first `characters` of clean text.
std::size_t BytesOf(std::string_view clean, std::size_t characters) noexcept;

// Clean text as a quoted JSON string in which < > & are escaped, so that it may
// stand in a script element of XML and of HTML.
void AppendJson(std::string& out, std::string_view clean);

void AppendNumber(std::string& out, std::int64_t value);
// With `decimals` digits behind the point (at most 3), rounded.
void AppendFixed(std::string& out, double value, int decimals);
// "12.34": 0 when the whole is 0.
void AppendPercent(std::string& out, std::int64_t part, std::int64_t whole);
// "1,234 samples", "12.3 ms", "1.23 MiB": a weight with its unit.
void AppendWeight(std::string& out, std::int64_t weight, const ValueType& type);
// The same with a sign: "+12", "-3".
void AppendChange(std::string& out, std::int64_t change, const ValueType& type);

}  // namespace sonde

#endif  // SONDE_EXPORT_FLAME_MARKUP_H_
