// FlamegraphFlags: --style flamegraph and the switches of FlameGraph's stackcollapse-perf.

#ifndef SONDE_CLI_FLAMEGRAPH_FLAGS_H_
#define SONDE_CLI_FLAMEGRAPH_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "sonde/flamegraph_style.h"

namespace sonde::cli {

// One set for each sub-command; it lives as long as the program does.
class FlamegraphFlags {
 public:
  void AddTo(CLI::App& command);
  bool is_chosen() const noexcept { return style_ == "flamegraph"; }
  FlamegraphStyle style() const noexcept;

 private:
  std::string style_ = "plain";
  FlamegraphStyle flags_;
  bool all_ = false;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_FLAMEGRAPH_FLAGS_H_
