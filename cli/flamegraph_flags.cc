// FlamegraphFlags: --style flamegraph and the switches of FlameGraph's stackcollapse-perf.

#include "cli/flamegraph_flags.h"

namespace sonde::cli {

void FlamegraphFlags::AddTo(CLI::App& command) {
  CLI::Option* const style =
      command
          .add_option("--style", style_,
                      "How stacks are folded: names in full, or as FlameGraph's "
                      "stackcollapse-perf does, with the program as the root")
          ->check(CLI::IsMember({"plain", "flamegraph"}))
          ->capture_default_str();
  const auto flag = [&](const char* name, bool& value, const char* help) {
    command.add_flag(name, value, help)->needs(style)->group("With --style flamegraph");
  };
  flag("--pid", flags_.pid, "Name the process behind the program");
  flag("--tid", flags_.tid, "Name the process and the thread behind the program");
  flag("--kernel", flags_.kernel, "Put _[k] behind kernel functions");
  flag("--jit", flags_.jit, "Put _[j] behind just-in-time compiled functions");
  flag("--all", all_, "The same as --kernel --jit");
  flag("--addrs", flags_.addrs, "Tell the address where the function is not known");
}

FlamegraphStyle FlamegraphFlags::style() const noexcept {
  FlamegraphStyle style = flags_;
  style.kernel = style.kernel || all_;
  style.jit = style.jit || all_;
  return style;
}

}  // namespace sonde::cli
