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

// What a command does about an output whose folder is missing.
enum class MissingFolder { kRefused, kMade };

// Fails with kPathSafety when an output has no name, is a folder, the same file as one of the
// inputs (also by another name: a symbolic or hard link) or the same as another
// output, and with kOutput when its folder cannot be written to, or is missing and not made.
// "-" stands for the standard streams and is always allowed, but as an input only once (kUsage).
// `inputs` are all the files that the command reads, also those that are not its main matter.
Status CheckOutputs(std::span<const std::string> outputs, std::span<const std::string> inputs,
                    MissingFolder folder = MissingFolder::kRefused);

// Fails with kPathSafety when a file that is added to in place, `output`, is one of the inputs.
Status CheckNoInput(const std::string& output, std::span<const std::string> inputs);

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
