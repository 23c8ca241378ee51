// Output: where a sub-command writes, checked before the work begins.

#ifndef SONDE_CLI_OUTPUT_H_
#define SONDE_CLI_OUTPUT_H_

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sonde/byte_sink.h"
#include "sonde/result.h"

namespace sonde::cli {

// Fails with kPathSafety when an output has no name, is a folder, the same file as one of the
// inputs (also by another name: a symbolic or hard link) or the same as another
// output, and with kOutput when its folder is missing or cannot be written to.
// "-" stands for the standard streams and is always allowed, but as an input only once (kUsage).
Status CheckOutputs(std::span<const std::string> outputs, std::span<const std::string> inputs);

// One output and its inputs.
Status CheckOutput(const std::string& output, std::span<const std::string> inputs);
Status CheckOutput(const std::string& output, const std::string& input);

// Whether the name ends in one of `extensions`, ".txt", or has none where "" is among them. What
// has no name of its own, "-", has none.
bool HasExtension(const std::string& path, std::initializer_list<std::string_view> extensions);

// A sink for `path`, or for standard output when it is "-". A file appears only
// on Close; a device or a pipe that exists is written to directly.
Result<std::unique_ptr<ByteSink>> OpenOutput(const std::string& path);

}  // namespace sonde::cli

#endif  // SONDE_CLI_OUTPUT_H_
