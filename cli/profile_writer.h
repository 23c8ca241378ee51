// ProfileWriter: which format a profile is written in, and writing it.

#ifndef SONDE_CLI_PROFILE_WRITER_H_
#define SONDE_CLI_PROFILE_WRITER_H_

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "cli/flamegraph_flags.h"
#include "cli/profile_options.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde::cli {

// The options -o, --to, --sample-type and --style of a sub-command that writes a profile.
// The format follows from the extension of the output: .pb and .pprof are pprof,
// .folded, .collapsed and .txt folded stacks, .speedscope.json speedscope, any
// other .json a table of functions; with .gz behind it the file is compressed.
class ProfileWriter {
 public:
  void AddTo(CLI::App& command);

  // Before any work: whether the output may be written and its format is known.
  Status Check(std::span<const std::string> inputs) const;
  // What of a profile the output has room for. After Check.
  ProfileNeeds needs() const;

  // Says on standard error which sample types the format had no room for.
  Status Write(const Profile& profile) const;
  // Each to a file of its own, a number before the extension: "out.1.pb.gz". Checks them as
  // Check does.
  Status WriteEach(std::span<const Profile> profiles, std::span<const std::string> inputs) const;

  // Of the output, as given.
  const std::string& path() const noexcept { return path_; }

 private:
  Status WriteTo(const std::string& path, const Profile& profile) const;
  Status WriteAs(const std::string& path, const Profile& profile, std::size_t sample_type) const;

  std::string path_;
  std::string to_;
  std::string sample_type_;
  std::string by_ = "functions";
  FlamegraphFlags flamegraph_;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_PROFILE_WRITER_H_
