// Artifact: how the JSON documents of evidence are written, named and read back.

#ifndef SONDE_ARTIFACT_H_
#define SONDE_ARTIFACT_H_

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

inline constexpr std::string_view kSchemaVersion = "1.0";

// Sorted keys, indent 2, UTF-8 as it is (invalid bytes become U+FFFD), one
// newline at the end. Equal values give equal bytes.
std::string ArtifactText(const nlohmann::json& value);

// Writes `value` to `path` through a temporary name; missing parent folders are
// made. kLimit when the text is longer than `max_bytes`: nothing is touched then.
Status WriteArtifact(const std::string& path, const nlohmann::json& value, std::uint64_t max_bytes);
Status WriteText(const std::string& path, std::string_view text, std::uint64_t max_bytes);

// Reads a JSON document. kNotFound, kInvalid (not a regular file, not JSON, a
// number that is not finite, a key twice), kLimit.
Result<nlohmann::json> ReadArtifact(const std::string& path, std::uint64_t max_bytes);
Result<nlohmann::json> ParseArtifact(std::string_view text, std::string_view stage);

// The whole of a regular file. kNotFound, kInvalid for anything that is not a
// regular file (symbolic links are followed), kLimit.
Result<std::string> ReadRegularFile(const std::string& path, std::uint64_t max_bytes);

// Lower-case hex SHA-256.
std::string Sha256(std::string_view bytes);
// "<prefix>-" and the first 16 hex digits of the SHA-256 of the parts, joined by NUL.
std::string ArtifactId(std::string_view prefix, std::initializer_list<std::string_view> parts);

// `value` rounded to `decimals` places, half away from zero.
double Rounded(double value, int decimals);
// A p-value to nine decimals, below 1e-6 to four significant digits: only 0 becomes 0.
double RoundedChance(double p_value);
// 100 * part / whole, rounded to 6 decimals; 0 when `whole` is 0.
double Percent(double part, double whole);

}  // namespace sonde

#endif  // SONDE_ARTIFACT_H_
