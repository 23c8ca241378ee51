// Result<T>: a value, or the reason there is none.

#ifndef SONDE_RESULT_H_
#define SONDE_RESULT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sonde {

enum class ErrorCode : std::uint8_t {
  kUsage,        // The call itself is wrong: an option, a key, a value out of range.
  kNotFound,     // The named file, process or address does not exist.
  kInvalid,      // The input cannot be used: not a regular file, unreadable, empty.
  kMalformed,    // The input breaks its own format.
  kUnsupported,  // Well formed, but a feature that this build does not read.
  kLimit,        // A stated limit was exceeded; nothing was dropped silently.
  kOutput,       // The output was refused or could not be written.
  kPathSafety,   // The output would overwrite an input, a folder, or leave its root.
  kDenied,       // An authorization gate is closed.
  kTool,         // An external program failed.
  kTimeout,      // An external program or a peer took longer than allowed.
  kSystem,       // A system call failed; the message ends with its errno text.
  kInternal,     // A fault of ours.
};

struct ErrorDetail {
  std::string key;
  std::variant<std::int64_t, std::string> value;
};

// What went wrong, said once. `cli` prints it; libraries only return it.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message{};          // One line, lower case, no trailing period.
  std::uint64_t byte_offset = 0;  // Where in the input, counted from 0; 0 when not known.
  std::uint64_t line = 0;         // Where in a text input, counted from 1; 0 when not known.
  std::string file{};             // The input or output concerned; empty when not known.
  std::string stage{};            // Where in the work: "parsing", "output"; empty = by the code.
  std::vector<ErrorDetail> details{};  // For machines: the limit and what exceeded it.
};

// The same error, with the file it concerns filled in unless it already names one.
inline Error InFile(Error error, std::string_view file) {
  if (error.file.empty()) error.file = file;
  return error;
}

// "file:line: message (at byte 104)": what is shown to a person.
std::string Describe(const Error& error);

// Holds either a T or an Error. Reading the wrong one terminates the program.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function can return either.
  Result(T value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  const T& value() const& noexcept { return *std::get_if<0>(&state_); }
  T& value() & noexcept { return *std::get_if<0>(&state_); }
  T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  const Error& error() const noexcept { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or the reason there is none.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)  // NOLINT(google-explicit-constructor)
      : error_(std::move(error)), ok_(false) {}

  bool ok() const noexcept { return ok_; }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace sonde

#endif  // SONDE_RESULT_H_
