// RunSonde: the program with some of its commands, in the test's own process.

#ifndef SONDE_TESTS_CLI_RUN_SONDE_H_
#define SONDE_TESTS_CLI_RUN_SONDE_H_

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace sonde::cli {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

inline Outcome RunSonde(std::initializer_list<void (*)(Program&)> commands,
                        std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sonde");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Program program;
  for (const auto add : commands) add(program);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = program.Run(static_cast<int>(argv.size()), argv.data());
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace sonde::cli

#endif  // SONDE_TESTS_CLI_RUN_SONDE_H_
