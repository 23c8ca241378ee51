// SourceLocation: where in the program something was made.

#ifndef SONDE_SOURCE_LOCATION_H_
#define SONDE_SOURCE_LOCATION_H_

#include <cstdint>
#include <source_location>

// The place of the call, as a default argument. Not every compiler knows std::source_location with
// every standard library: clang 14 with libstdc++ does not.
#ifdef __cpp_lib_source_location
#define SONDE_HERE ::std::source_location::current()
#else
#define SONDE_HERE \
  ::sonde::SourceLocation { __builtin_FILE(), __builtin_LINE(), __builtin_COLUMN() }
#endif

namespace sonde {

// The same for all compilers, so that a library built by one can be linked by another. The file's
// name is not owned. Any thread.
struct SourceLocation {
  constexpr SourceLocation() noexcept = default;
  constexpr SourceLocation(const char* its_file, std::uint32_t its_line,
                           std::uint32_t its_column) noexcept
      : file(its_file), line(its_line), column(its_column) {}
#ifdef __cpp_lib_source_location
  constexpr SourceLocation(  // NOLINT(google-explicit-constructor)
      const std::source_location& location) noexcept
      : file(location.file_name()), line(location.line()), column(location.column()) {}
#endif

  const char* file = "";
  std::uint32_t line = 0;  // Counted from 1, as the column; 0 = unknown.
  std::uint32_t column = 0;
};

}  // namespace sonde

#endif  // SONDE_SOURCE_LOCATION_H_
