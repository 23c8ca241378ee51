// ProfileWriter: which format a profile is written in, and writing it.

#include "cli/profile_writer.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/granularity.h"
#include "cli/output.h"
#include "sonde/byte_sink.h"
#include "sonde/folded.h"
#include "sonde/json_table.h"
#include "sonde/pprof.h"
#include "sonde/speedscope.h"
#include "sonde/whole.h"

namespace sonde::cli {
namespace {

enum class OutputFormat : std::uint8_t { kPprof, kFolded, kSpeedscope, kJsonTable };

struct NamedOutput {
  const char* name;
  OutputFormat format;
};
constexpr std::array<NamedOutput, 4> kOutputs{{{"pprof", OutputFormat::kPprof},
                                               {"folded", OutputFormat::kFolded},
                                               {"speedscope", OutputFormat::kSpeedscope},
                                               {"json", OutputFormat::kJsonTable}}};

struct Extension {
  const char* text;
  OutputFormat format;
};
// The first that fits counts.
constexpr std::array<Extension, 7> kExtensions{{{".speedscope.json", OutputFormat::kSpeedscope},
                                                {".json", OutputFormat::kJsonTable},
                                                {".pb", OutputFormat::kPprof},
                                                {".pprof", OutputFormat::kPprof},
                                                {".folded", OutputFormat::kFolded},
                                                {".collapsed", OutputFormat::kFolded},
                                                {".txt", OutputFormat::kFolded}}};

bool IsGzip(std::string_view path) { return path.ends_with(".gz"); }

std::string KnownFormats() {
  std::string known;
  for (const NamedOutput& output : kOutputs) {
    known += (known.empty() ? "" : ", ") + std::string(output.name);
  }
  return known;
}

Result<OutputFormat> FormatOf(const std::string& path, const std::string& to) {
  if (!to.empty()) {
    for (const NamedOutput& output : kOutputs) {
      if (to == output.name) return output.format;
    }
    return Error{
        .code = ErrorCode::kUsage,
        .message = "--to: unknown format '" + to + "' (there are: " + KnownFormats() + ')'};
  }
  std::string_view name = path;
  if (IsGzip(name)) name.remove_suffix(3);
  for (const Extension& extension : kExtensions) {
    if (name.ends_with(extension.text)) return extension.format;
  }
  return Error{.code = ErrorCode::kUsage,
               .message = "cannot tell the output format from '" + path +
                          "': use --to (there are: " + KnownFormats() +
                          "); `sonde flame` draws pictures"};
}

// "out.2.pb.gz" for the second "out.pb.gz".
std::string Numbered(std::string_view path, std::size_t number) {
  std::size_t end = path.size() - (IsGzip(path) ? 3 : 0);
  for (const Extension& extension : kExtensions) {
    const std::string_view text = extension.text;
    if (!path.substr(0, end).ends_with(text)) continue;
    end -= text.size();
    break;
  }
  return std::string(path.substr(0, end)) + '.' + std::to_string(number) +
         std::string(path.substr(end));
}

// Programs and libraries that a profile names: its functions and lines may be read from them.
std::vector<std::string> ModulesOf(const Profile& profile) {
  std::vector<std::string> modules;
  for (const Mapping& mapping : profile.mappings()) {
    const std::string_view file = profile.text(mapping.file);
    if (!file.empty()) modules.emplace_back(file);
  }
  return modules;
}

// What the format has no room for is said rather than dropped in silence.
void NoteOtherTypes(const Profile& profile, std::size_t written) {
  for (std::size_t type = 0; type < profile.sample_types().size(); ++type) {
    const std::int64_t total = profile.Total(type);
    if (type == written || total == 0) continue;
    Note("wrote sample type " + profile.sample_types()[written].type + " and not " +
         profile.sample_types()[type].type + " (total " + std::to_string(total) + ' ' +
         profile.sample_types()[type].unit + "); choose with --sample-type");
  }
}

}  // namespace

void ProfileWriter::AddTo(CLI::App& command) {
  command.add_option("-o,--output", path_, "File to write, or - for standard output")->required();
  command.add_option("--to", to_, "Format of the output; by its extension when not given");
  command.add_option("--sample-type", sample_type_,
                     "What to weigh stacks with, in formats that hold one weight");
  AddGranularity(command, by_);
  flamegraph_.AddTo(command);
}

Status ProfileWriter::Check(std::span<const std::string> inputs) const {
  if (Status status = CheckOutput(path_, inputs); !status.ok()) return status;
  const Result<OutputFormat> format = FormatOf(path_, to_);
  if (!format.ok()) return format.error();
  return {};
}

ProfileNeeds ProfileWriter::needs() const {
  if (by_ == "task") return {};
  if (flamegraph_.is_chosen()) {
    const FlamegraphStyle style = flamegraph_.style();
    return {.labels = true, .ids = style.pid || style.tid, .addresses = style.addrs};
  }
  const Result<OutputFormat> format = FormatOf(path_, to_);
  if (!format.ok() || format.value() == OutputFormat::kPprof) return {};
  return NeedsOfNames(by_);
}

Status ProfileWriter::Write(const Profile& profile) const { return WriteTo(path_, profile); }

Status ProfileWriter::WriteEach(std::span<const Profile> profiles,
                                std::span<const std::string> inputs) const {
  if (path_ == "-") {
    return Error{.code = ErrorCode::kUsage,
                 .message = "several profiles need files to be written to, not standard output"};
  }
  std::vector<std::string> paths;
  for (std::size_t i = 1; i <= profiles.size(); ++i) paths.push_back(Numbered(path_, i));
  if (Status status = CheckOutputs(paths, inputs); !status.ok()) return status;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (Status status = WriteTo(paths[i], profiles[i]); !status.ok()) return status;
  }
  return {};
}

Status ProfileWriter::WriteTo(const std::string& path, const Profile& profile) const {
  if (Status status = CheckNoInput(path, ModulesOf(profile)); !status.ok()) return status;
  const Result<std::size_t> type = ProfileOptions::SampleType(profile, sample_type_);
  if (!type.ok()) return type.error();
  if (by_ == "task") return WriteAs(path, GroupByLabel(profile, "task"), type.value());
  if (!flamegraph_.is_chosen()) return WriteAs(path, profile, type.value());
  NoteOtherTypes(profile, type.value());
  return WriteAs(path, FoldLikeFlamegraph(profile, type.value(), flamegraph_.style()), 0);
}

Status ProfileWriter::WriteAs(const std::string& path, const Profile& profile,
                              std::size_t sample_type) const {
  const Result<OutputFormat> format = FormatOf(path, to_);
  if (!format.ok()) return format.error();
  Result<std::unique_ptr<ByteSink>> file = OpenOutput(path);
  if (!file.ok()) return file.error();
  std::optional<GzipSink> gzip;
  ByteSink* sink = file.value().get();
  if (IsGzip(path)) sink = &gzip.emplace(*file.value());

  Status written;
  switch (format.value()) {
    case OutputFormat::kPprof:
      written = WritePprof(profile, *sink);
      break;
    case OutputFormat::kFolded: {
      const FrameNames names(profile, GranularityNamed(by_));
      written = WriteFolded(names, sample_type, *sink);
      NoteOtherTypes(profile, sample_type);
      if (WholeOf(profile, sample_type).has_negative) {
        Note(
            "wrote negative weights, which readers of folded stacks refuse (sonde keeps them with "
            "--keep-negative); pprof holds a difference whole");
      }
      break;
    }
    case OutputFormat::kSpeedscope: {
      const FrameNames names(profile, GranularityNamed(by_));
      written = WriteSpeedscope(names, BaseName(path), *sink);
      break;
    }
    case OutputFormat::kJsonTable: {
      const FrameNames names(profile, GranularityNamed(by_));
      written = WriteJsonTable(names, sample_type, *sink);
      break;
    }
  }
  if (!written.ok()) return written;
  return sink->Close();
}

}  // namespace sonde::cli
