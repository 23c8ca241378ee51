// Program: the sub-commands of sonde, and how their errors are shown.

#ifndef SONDE_CLI_COMMAND_H_
#define SONDE_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sonde/result.h"

namespace sonde::cli {

// What a sub-command does once its arguments are parsed: the exit code, or the
// error that is printed once and decides the exit code.
using Action = std::function<Result<int>()>;

class Program {
 public:
  Program();

  // A new sub-command. The caller adds options to what is returned.
  CLI::App* Command(const std::string& name, const std::string& description, Action action);

  // What has been added so far.
  const CLI::App& app() const noexcept { return app_; }

  // Parses, runs the chosen sub-command and returns the exit code of the process.
  int Run(int argc, char** argv);

 private:
  std::string UnknownCommand(int argc, char** argv) const;
  int Show(const Error& error) const;
  // `code`, unless standard output did not take what was written to it.
  int Finish(int code) const;

  CLI::App app_;
  std::string error_format_ = "text";
  std::vector<std::pair<CLI::App*, Action>> commands_;
};

// 0 ok, 2 usage or input, 3 malformed, 4 limit, 5 output refused, 6 external tool, 70 internal.
int ExitCodeOf(ErrorCode code) noexcept;

// One line on standard error that is no error: "sonde: note: ...". Not shown with --error-format
// json, where nothing but an error is written there.
void Note(const std::string& text);

// `text` on one line that a terminal shows as it is: control characters become escapes such as \n
// and \x1b, bytes that are not UTF-8 the replacement character.
std::string OneLine(std::string_view text);

// One line of JSON, keys sorted: {"error": {code, details, error_id, message, recoverable,
// retryable, stage, suggested_actions}, "schema_version": "1.0"}.
// `manual` is what a caller who used it wrongly may read.
std::string ErrorAsJson(const Error& error, std::string_view manual = "sonde --help");

}  // namespace sonde::cli

#endif  // SONDE_CLI_COMMAND_H_
