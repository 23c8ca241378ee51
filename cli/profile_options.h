// ProfileOptions: how every sub-command that takes profiles reads and filters them.

#ifndef SONDE_CLI_PROFILE_OPTIONS_H_
#define SONDE_CLI_PROFILE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/filter.h"
#include "sonde/formats.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde::cli {

// What of a profile a sub-command looks at; readers may leave out the rest.
struct ProfileNeeds {
  bool labels = true;
  bool ids = true;  // Among the labels, those of the process and the thread.
  bool addresses = true;
};

// One set for each sub-command; it lives as long as the program does.
class ProfileOptions {
 public:
  // --from, --filter, --event, --time, --focus, --ignore, --count, --demangle, --strict and the
  // limits.
  void AddTo(CLI::App& command);

  // Reads `path` ("-" is standard input) and keeps what passes the filters. Shows progress on
  // a terminal, and on standard error what the reader could not keep.
  Result<Profile> Read(const std::string& path, const ProfileNeeds& needs = {}) const;
  // The same for a sub-command that shows the losses in its own output.
  Result<Profile> ReadWithoutNotes(const std::string& path, const ProfileNeeds& needs = {}) const;
  // Read for each of several profiles that stand one behind the other in `path`.
  Result<std::vector<Profile>> ReadEach(const std::string& path) const;

  // A whole input that is in memory already; `name` stands for it in messages.
  Result<Profile> ReadBytes(std::string_view bytes, const std::string& name) const;
  Result<Profile> ReadBytesWithoutNotes(std::string_view bytes, const std::string& name) const;

  // With names as --demangle wants them: what a sub-command has found names for after Read.
  Profile Named(Profile profile) const;

  // What --sample-type names, by type or by number, or the profile's default when it is empty.
  static Result<std::size_t> SampleType(const Profile& profile, const std::string& wanted);

 private:
  Result<ReadOptions> Reading() const;
  Result<FilterRules> Rules() const;
  Result<Profile> Kept(Profile profile, const FilterRules& rules, const std::string& path) const;

  std::string from_;
  std::vector<std::string> filters_;
  std::vector<std::string> events_;
  std::string time_;
  std::string focus_;
  std::string ignore_;
  std::string count_ = "periods";
  std::string demangle_ = "as-is";
  bool no_symbols_ = false;
  bool source_lines_ = false;
  bool strict_ = false;
  bool keep_negative_ = false;
  ReadLimits limits_;
};

// "3 lines: bad weight (line 1, line 4)", one for each loss.
std::vector<std::string> DescribeLosses(const Losses& losses);

}  // namespace sonde::cli

#endif  // SONDE_CLI_PROFILE_OPTIONS_H_
