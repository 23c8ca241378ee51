// ProfileOptions: how every sub-command that takes profiles reads and filters them.

#include "cli/profile_options.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/progress.h"
#include "sonde/name_style.h"

namespace sonde::cli {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

Error UsageError(std::string message) {
  return {.code = ErrorCode::kUsage, .message = std::move(message)};
}

Result<NameTest> Compile(const std::string& option, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  const auto regex = std::make_shared<RE2>(pattern, options);
  if (!regex->ok()) return UsageError(option + ": invalid pattern: " + regex->error());
  return NameTest([regex](std::string_view name) {
    return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *regex);
  });
}

// Seconds with up to nine decimals, exactly.
Result<std::int64_t> Nanoseconds(std::string_view text) {
  const Error error = UsageError("--time: '" + std::string(text) + "' is no time in seconds");
  const std::string_view whole = text.substr(0, text.find('.'));
  std::string_view decimals = text.substr(whole.size());
  if (!decimals.empty()) decimals.remove_prefix(1);
  std::int64_t seconds = 0;
  const auto parsed = std::from_chars(whole.data(), whole.data() + whole.size(), seconds);
  if (parsed.ec != std::errc() || parsed.ptr != whole.data() + whole.size() || seconds < 0) {
    return error;
  }
  if (decimals.size() > 9) return error;
  std::int64_t nanoseconds = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const char digit = i < decimals.size() ? decimals[i] : '0';
    if (digit < '0' || digit > '9') return error;
    nanoseconds = nanoseconds * 10 + (digit - '0');
  }
  std::int64_t total = 0;
  if (__builtin_mul_overflow(seconds, kNanosecondsPerSecond, &total) ||
      __builtin_add_overflow(total, nanoseconds, &total)) {
    return error;
  }
  return total;
}

// Why nothing is left: the first rule that no sample passes, and what would pass it.
std::string WhyNothing(const Profile& profile, const FilterRules& rules) {
  constexpr std::size_t kMostNamed = 10;
  std::map<std::string, std::set<std::string>> values;
  for (std::uint32_t i = 0; i < profile.label_set_count(); ++i) {
    for (const Label& label : profile.labels(LabelSetId{i})) {
      values[std::string(profile.text(label.key))].insert(
          label.text == StringId{} ? std::to_string(label.number)
                                   : std::string(profile.text(label.text)));
    }
  }
  const auto listed = [](const auto& names) {
    std::string list;
    std::size_t count = 0;
    for (const std::string& name : names) {
      if (count++ == kMostNamed) return list + ", ... (" + std::to_string(names.size()) + ')';
      list += (list.empty() ? "" : ", ") + name;
    }
    return list.empty() ? std::string("none") : list;
  };
  for (const LabelTest& test : rules.labels) {
    const auto known = values.find(test.key);
    if (known == values.end()) {
      std::set<std::string> keys;
      for (const auto& [key, ignored] : values) keys.insert(key);
      return "no sample has a label '" + test.key + "'; there are: " + listed(keys);
    }
    const bool is_there = std::ranges::any_of(rules.labels, [&](const LabelTest& other) {
      return other.key == test.key && known->second.contains(other.value);
    });
    if (!is_there) {
      return "no sample has " + test.key + '=' + test.value +
             "; there are: " + listed(known->second);
    }
  }
  if (rules.focus) return "no sample that is left has a function, file or module for --focus";
  return "no sample passes all filters together";
}

// An input that is not recognised can be what it is said to be.
Error WithHint(Error error) {
  if (error.code == ErrorCode::kUnsupported) {
    error.message += "; --from says what it is where its content does not tell";
  }
  return error;
}

void NoteLosses(const Profile& profile, const std::string& path) {
  for (const std::string& loss : DescribeLosses(profile.losses())) {
    Note(path + ": not kept: " + loss);
  }
}

}  // namespace

void ProfileOptions::AddTo(CLI::App& command) {
  command.add_option("--from", from_, "Format of the input; judged by content when not given");
  command
      .add_option("--filter", filters_,
                  "KEY=VALUE: keep samples with that label, such as comm, pid, tid, cpu, thread or "
                  "task; event=NAME keeps that sample type. Repeatable: different keys must all "
                  "hold, of equal keys one")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--event", events_, "The same as --filter event=NAME")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option(
      "--time", time_,
      "FROM,TO in seconds of the clock of a recording (perf.data or perf script), the only "
      "formats that keep the time of each sample; either may be left out");
  command.add_option("--focus", focus_,
                     "Keep samples with a function, file or module that matches the pattern (RE2)");
  command.add_option("--ignore", ignore_,
                     "Drop samples with a function, file or module that matches the pattern (RE2)");
  command.add_option("--count", count_, "What a recorded sample weighs: its period, or one")
      ->check(CLI::IsMember({"periods", "samples"}))
      ->capture_default_str();
  command
      .add_option(
          "--demangle", demangle_,
          "Names of C++ and Rust: none (the symbols), templates (without parameters), full, "
          "or as the input has them")
      ->check(CLI::IsMember({"as-is", "none", "templates", "full"}))
      ->capture_default_str();
  command.add_flag("--no-symbols", no_symbols_, "Do not look up names for recorded addresses");
  command.add_flag("--source-lines", source_lines_,
                   "Find source lines and inlined functions of recorded addresses too");
  command.add_flag("--strict", strict_, "Malformed records are an error, not a loss");
  command.add_flag("--keep-negative", keep_negative_,
                   "Folded stacks: keep negative weights, as a difference has them");
  const auto limit = [&](const char* name, std::uint64_t& value, const char* help) {
    command.add_option(name, value, help)
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
        ->group("Limits");
  };
  limit("--max-input-bytes", limits_.input_bytes, "Size of an input, compressed or not");
  limit("--max-unwrapped-bytes", limits_.unwrapped_bytes,
        "Size of a compressed input, uncompressed");
  limit("--max-records", limits_.records, "Records of an input");
  limit("--max-line-bytes", limits_.line_bytes, "Length of a line");
  limit("--max-stack-depth", limits_.stack_depth, "Frames on a stack");
  limit("--max-unique-frames", limits_.unique_frames, "Distinct frames");
  limit("--max-unique-stacks", limits_.unique_stacks, "Distinct stacks");
}

Result<ReadOptions> ProfileOptions::Reading() const {
  ReadOptions options;
  options.limits = limits_;
  options.count_samples = count_ == "samples";
  options.symbolize = !no_symbols_;
  options.source_lines = source_lines_;
  options.strict = strict_;
  options.keep_negative = keep_negative_;
  if (!from_.empty()) {
    options.format = FormatNamed(from_);
    if (!options.format.has_value()) return UsageError("--from: unknown format '" + from_ + "'");
  }
  options.keep_cpu = std::ranges::any_of(
      filters_, [](const std::string& filter) { return filter.starts_with("cpu="); });
  if (!time_.empty()) {
    const std::size_t comma = time_.find(',');
    if (comma == std::string::npos) return UsageError("--time: needs FROM,TO");
    const std::string_view from = std::string_view(time_).substr(0, comma);
    const std::string_view until = std::string_view(time_).substr(comma + 1);
    for (const auto& [text, bound] :
         {std::pair{from, &options.from_ns}, std::pair{until, &options.until_ns}}) {
      if (text.empty()) continue;
      const Result<std::int64_t> time = Nanoseconds(text);
      if (!time.ok()) return time.error();
      *bound = time.value();
    }
    if (options.from_ns >= options.until_ns) return UsageError("--time: FROM is not before TO");
  }
  return options;
}

Result<FilterRules> ProfileOptions::Rules() const {
  FilterRules rules;
  rules.sample_types = events_;
  for (const std::string& filter : filters_) {
    const std::size_t equals = filter.find('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError("--filter: '" + filter + "' is not KEY=VALUE");
    }
    const std::string key = filter.substr(0, equals);
    const std::string value = filter.substr(equals + 1);
    if (key == "event") {
      rules.sample_types.push_back(value);
    } else {
      rules.labels.push_back({key, value});
    }
  }
  for (const auto& [option, pattern, test] : {std::tuple{"--focus", &focus_, &rules.focus},
                                              std::tuple{"--ignore", &ignore_, &rules.ignore}}) {
    if (pattern->empty()) continue;
    Result<NameTest> compiled = Compile(option, *pattern);
    if (!compiled.ok()) return compiled.error();
    *test = std::move(compiled).value();
  }
  return rules;
}

Result<Profile> ProfileOptions::Read(const std::string& path, const ProfileNeeds& needs) const {
  Result<Profile> profile = ReadWithoutNotes(path, needs);
  if (profile.ok()) NoteLosses(profile.value(), path);
  return profile;
}

Result<Profile> ProfileOptions::ReadWithoutNotes(const std::string& path,
                                                 const ProfileNeeds& needs) const {
  Result<ReadOptions> options = Reading();
  if (!options.ok()) return options.error();
  const Result<FilterRules> rules = Rules();
  if (!rules.ok()) return rules.error();

  const bool filters_labels = !rules.value().labels.empty();
  options.value().keep_labels = needs.labels || filters_labels;
  options.value().keep_ids = needs.ids || filters_labels;
  options.value().keep_addresses = needs.addresses;
  Format recognised = Format::kUnknown;
  options.value().recognised = &recognised;
  Progress progress(path);
  options.value().progress = progress.Callback();
  Result<Profile> profile = ReadProfileFile(path, options.value());
  progress.Clear();
  if (!profile.ok()) {
    return recognised == Format::kUnknown && from_.empty() ? WithHint(profile.error())
                                                           : profile.error();
  }
  return Kept(std::move(profile).value(), rules.value(), path);
}

Result<Profile> ProfileOptions::ReadBytes(std::string_view bytes, const std::string& name) const {
  Result<Profile> profile = ReadBytesWithoutNotes(bytes, name);
  if (profile.ok()) NoteLosses(profile.value(), name);
  return profile;
}

Result<Profile> ProfileOptions::ReadBytesWithoutNotes(std::string_view bytes,
                                                      const std::string& name) const {
  const Result<ReadOptions> options = Reading();
  if (!options.ok()) return options.error();
  const Result<FilterRules> rules = Rules();
  if (!rules.ok()) return rules.error();
  Result<Profile> profile = ReadProfile(bytes, options.value());
  if (!profile.ok()) return InFile(profile.error(), name);
  return Kept(std::move(profile).value(), rules.value(), name);
}

Result<std::vector<Profile>> ProfileOptions::ReadEach(const std::string& path) const {
  const Result<ReadOptions> options = Reading();
  if (!options.ok()) return options.error();
  const Result<FilterRules> rules = Rules();
  if (!rules.ok()) return rules.error();

  Result<std::vector<Profile>> profiles = ReadEachProfile(path, options.value());
  if (!profiles.ok()) return profiles;
  for (Profile& profile : profiles.value()) {
    NoteLosses(profile, path);
    Result<Profile> kept = Kept(std::move(profile), rules.value(), path);
    if (!kept.ok()) return kept.error();
    profile = std::move(kept).value();
  }
  return profiles;
}

Profile ProfileOptions::Named(Profile profile) const {
  if (demangle_ == "none") return WithNames(profile, NameStyle::kSymbols);
  if (demangle_ == "templates") return WithNames(profile, NameStyle::kTemplates);
  if (demangle_ == "full") return WithNames(profile, NameStyle::kFull);
  return profile;
}

Result<Profile> ProfileOptions::Kept(Profile profile, const FilterRules& rules,
                                     const std::string& path) const {
  Profile named = Named(std::move(profile));
  if (named.sample_count() == 0 && !time_.empty()) {
    std::string note = path + ": no sample of that time";
    for (const std::string& comment : named.comments()) note += "; " + comment;
    Note(note);
  }
  if (rules.empty()) return named;
  Result<Profile> filtered = Filter(named, rules);
  if (!filtered.ok()) return InFile(filtered.error(), path);
  if (filtered.value().sample_count() == 0 && named.sample_count() > 0) {
    Note(path + ": " + WhyNothing(named, rules));
  }
  return filtered;
}

Result<std::size_t> ProfileOptions::SampleType(const Profile& profile, const std::string& wanted) {
  if (wanted.empty()) return profile.default_sample_type();
  if (const auto named = profile.FindSampleType(wanted)) return *named;
  std::size_t number = 0;
  const auto parsed = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == wanted.data() + wanted.size() &&
      number < profile.sample_types().size()) {
    return number;
  }
  std::string known;
  for (const ValueType& type : profile.sample_types()) {
    known += (known.empty() ? "" : ", ") + type.type;
  }
  return UsageError("--sample-type: no '" + wanted + "' (there are: " + known + ')');
}

std::vector<std::string> DescribeLosses(const Losses& losses) {
  std::vector<std::string> lines;
  for (const Loss& loss : losses.entries()) {
    std::string line = std::to_string(loss.count) + ' ' + loss.unit + ": " + loss.cause;
    for (std::size_t i = 0; i < loss.places.size(); ++i) {
      line += (i == 0 ? " (" : ", ") + loss.places[i];
    }
    if (!loss.places.empty()) line += loss.count > loss.places.size() ? ", ...)" : ")";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sonde::cli
