// Schemas: the JSON Schemas of the artifacts, as part of the program.

#ifndef SONDE_CLI_SCHEMAS_H_
#define SONDE_CLI_SCHEMAS_H_

#include <string_view>

namespace sonde::cli {

// Of docs/schemas: "analysis", "elf", ... Empty for a name that is not there.
std::string_view SchemaText(std::string_view name) noexcept;

}  // namespace sonde::cli

#endif  // SONDE_CLI_SCHEMAS_H_
