// sonde diff: what changed between two profiles, as a table, JSON or a flame graph.

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "cli/commands.h"
#include "cli/flame_file.h"
#include "cli/granularity.h"
#include "cli/output.h"
#include "cli/profile_options.h"
#include "cli/value_text.h"
#include "sonde/hotspots.h"
#include "sonde/scaled_weights.h"

namespace sonde::cli {
namespace {

constexpr int kTableColumn = 12;

// A function on one side.
struct Spot {
  std::int64_t self = 0;
  std::int64_t inclusive = 0;
};

// One function on both sides.
struct Change {
  std::string name;
  Spot base;
  Spot now;

  std::int64_t self() const { return now.self - base.self; }
  std::int64_t inclusive() const { return now.inclusive - base.inclusive; }
};

// One of the two profiles, weighed by the sample type that is compared.
struct Weighed {
  Profile profile;
  ValueType type;
  std::optional<std::uint64_t> records;
  std::vector<std::int64_t> weights;  // By sample; scaled when the sides are normalised.
  std::int64_t total = 0;

  Weighed(Profile from, std::size_t sample_type)
      : profile(std::move(from)),
        type(profile.sample_types()[sample_type]),
        records(profile.RecordsOf(sample_type)),
        weights(WeightsOf(profile, sample_type)) {
    Sum();
  }
  void ScaleTo(std::int64_t wanted) {
    if (total == 0) return;
    Scale(weights, static_cast<long double>(wanted) / static_cast<long double>(total));
    Sum();
  }
  void Sum() {
    total = 0;
    for (const std::int64_t weight : weights) total = SaturatingAdd(total, weight);
  }
};

// What a table tells of one of them, which need not be held any more.
struct Side {
  ValueType type;
  std::int64_t total;
  std::int64_t duration_ns;  // 0 = not known.
  std::optional<std::uint64_t> records;
  std::vector<std::string> losses;
};

// "+25.00%", "new", "gone".
std::string Relative(std::int64_t base, std::int64_t now) {
  if (base == now) return "0%";
  if (base == 0) return "new";
  if (now == 0) return "gone";
  const std::string text = PercentText(static_cast<double>(now) - static_cast<double>(base),
                                       std::abs(static_cast<double>(base)));
  return now > base ? '+' + text : text;
}

std::string LengthText(std::int64_t duration_ns) {
  return duration_ns == 0 ? "" : " over " + ValueText(duration_ns, "nanoseconds");
}

// Sums of recordings whose lengths are known to differ by more than a tenth say little.
bool IsUnlikeInLength(std::int64_t base_ns, std::int64_t now_ns) {
  const auto [less, more] = std::minmax(base_ns, now_ns);
  return less > 0 && static_cast<double>(more) > 1.1 * static_cast<double>(less);
}
constexpr std::string_view kUnlikeInLength =
    "The recordings are not equally long: --normalize compares shares instead of sums";

std::string Signed(std::int64_t value, std::string_view unit) {
  return (value > 0 ? "+" : "") + ValueText(value, unit);
}

struct Diff {
  std::string base_path;
  std::string now_path;
  std::string output = "-";
  std::string sample_type;
  std::string by = "functions";
  std::string sort = "flat";
  std::size_t rows = 40;
  bool normalize = false;
  ProfileOptions reading;
  FlameFile file;

  Result<int> Run() const;

 private:
  Result<Weighed> ReadNow() const;
  // What is to be compared with `now`.
  Result<Weighed> ReadBase(const ValueType& type, std::int64_t total_of_now) const;
  Profile Grouped(Profile profile) const;
  Result<int> Draw(Weighed now) const;
  std::vector<Change> Sorted(std::unordered_map<std::string, Change> changes) const;
  Status WriteTable(const std::vector<Change>& changes, const Side& base, const Side& now) const;
  Status WriteJson(const std::vector<Change>& changes, const Side& base, const Side& now) const;
  Status WriteText(const std::string& text) const;
  // Whether the name of the output is one of what can be written.
  Status CheckName() const;
};

// Adds the functions of a profile to `changes`, on the side of `spot`.
Side Summarize(const Weighed& side, Granularity granularity, Spot Change::*spot,
               std::unordered_map<std::string, Change>& changes) {
  const FrameNames names(side.profile, granularity);
  for (const Hotspot& found : FindHotspots(names, side.weights)) {
    const std::string name(names.text(found.name));
    const auto change = changes.try_emplace(name).first;
    change->second.name = name;
    change->second.*spot = {found.self, found.inclusive};
  }
  return {side.type, side.total, side.profile.duration_ns(), side.records,
          DescribeLosses(side.profile.losses())};
}

std::vector<Change> Diff::Sorted(std::unordered_map<std::string, Change> changes) const {
  std::vector<Change> sorted;
  sorted.reserve(changes.size());
  for (auto& [name, change] : changes) sorted.push_back(std::move(change));
  const bool by_self = sort == "flat";
  std::ranges::sort(sorted, [&](const Change& a, const Change& b) {
    const std::int64_t left = std::abs(by_self ? a.self() : a.inclusive());
    const std::int64_t right = std::abs(by_self ? b.self() : b.inclusive());
    return left != right ? left > right : a.name < b.name;
  });
  return sorted;
}

Status Diff::CheckName() const {
  if (FlameFile::IsNamedLikeOne(output) || HasExtension(output, {"", ".json", ".txt"})) return {};
  return Error{.code = ErrorCode::kUsage,
               .message = "the output of diff ends in .svg or .html, .json, or .txt for a table",
               .file = output};
}

Status Diff::WriteText(const std::string& text) const {
  Result<std::unique_ptr<ByteSink>> sink = OpenOutput(output);
  if (!sink.ok()) return sink.error();
  if (Status status = sink.value()->Write(text); !status.ok()) return status;
  return sink.value()->Close();
}

Status Diff::WriteTable(const std::vector<Change>& changes, const Side& base,
                        const Side& now) const {
  const ValueType& type = now.type;
  std::ostringstream out;
  out << "Type: " << SafeText(type.type) << (normalize ? ", base scaled to the new total" : "")
      << "\nBase: " << ValueText(base.total, type.unit) << LengthText(base.duration_ns) << "  "
      << SafeText(base_path) << "\nNew:  " << ValueText(now.total, type.unit)
      << LengthText(now.duration_ns) << "  " << SafeText(now_path)
      << "\nChange: " << Signed(now.total - base.total, type.unit) << ", "
      << Relative(base.total, now.total) << '\n';
  if (!normalize && IsUnlikeInLength(base.duration_ns, now.duration_ns)) {
    out << kUnlikeInLength << ".\n";
  }
  for (const auto& [name, side] : {std::pair("base", &base), std::pair("new", &now)}) {
    for (const std::string& loss : side->losses) {
      out << "Not kept of " << name << ": " << SafeText(loss) << '\n';
    }
  }
  for (const char* const head : {"flat base", "flat new", "change", "relative", "of base",
                                 "cum base", "cum new", "change"}) {
    out << std::setw(kTableColumn) << head;
  }
  out << '\n';
  const std::size_t shown = rows == 0 ? changes.size() : std::min(rows, changes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Change& change = changes[i];
    const auto column = [&](const std::string& text) { out << std::setw(kTableColumn) << text; };
    column(ValueText(change.base.self, type.unit));
    column(ValueText(change.now.self, type.unit));
    column(Signed(change.self(), type.unit));
    column(Relative(change.base.self, change.now.self));
    column(PercentText(static_cast<double>(change.self()), static_cast<double>(base.total)));
    column(ValueText(change.base.inclusive, type.unit));
    column(ValueText(change.now.inclusive, type.unit));
    column(Signed(change.inclusive(), type.unit));
    out << "  " << SafeText(change.name) << '\n';
  }
  if (shown < changes.size()) {
    out << changes.size() - shown << " more " << RowsOf(by) << " are not shown (--rows)\n";
  }
  return WriteText(out.str());
}

Status Diff::WriteJson(const std::vector<Change>& changes, const Side& base,
                       const Side& now) const {
  using nlohmann::json;
  const auto share = [](std::int64_t before, std::int64_t after, std::int64_t whole) {
    return whole == 0 ? json(nullptr)
                      : json((static_cast<double>(after) - static_cast<double>(before)) /
                             std::abs(static_cast<double>(whole)));
  };
  const auto both = [&](std::int64_t before, std::int64_t after) {
    return json{{"base", before},
                {"new", after},
                {"change", after - before},
                {"change_of_base_total", share(before, after, base.total)},
                {"relative_change", share(before, after, before)}};
  };
  const auto side = [](const std::string& path, const Side& of) {
    return json{{"input", path},
                {"duration_ns", of.duration_ns == 0 ? json(nullptr) : json(of.duration_ns)},
                {"records", of.records ? json(*of.records) : json(nullptr)},
                {"losses", of.losses}};
  };
  json functions = json::array();
  for (const Change& change : changes) {
    functions.push_back({{"name", change.name},
                         {"self", both(change.base.self, change.now.self)},
                         {"inclusive", both(change.base.inclusive, change.now.inclusive)}});
  }
  const ValueType& type = now.type;
  const json whole = {{"schema_version", "1.0"},
                      {"sample_type", {{"type", type.type}, {"unit", type.unit}}},
                      {"by", by},
                      {"normalized", normalize},
                      {"base", side(base_path, base)},
                      {"new", side(now_path, now)},
                      {"total", both(base.total, now.total)},
                      {"functions", functions}};
  return WriteText(whole.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

Profile Diff::Grouped(Profile profile) const {
  return FlameFile::IsNamedLikeOne(output) ? GroupedBy(by, std::move(profile))
                                           : SummedBy(by, std::move(profile));
}

Result<Weighed> Diff::ReadNow() const {
  Result<Profile> read = reading.ReadWithoutNotes(now_path, NeedsOfNames(by));
  if (!read.ok()) return read.error();
  Profile profile = Grouped(std::move(read).value());
  const Result<std::size_t> type = ProfileOptions::SampleType(profile, sample_type);
  if (!type.ok()) return type.error();
  return Weighed(std::move(profile), type.value());
}

Result<Weighed> Diff::ReadBase(const ValueType& type, std::int64_t total_of_now) const {
  Result<Profile> read = reading.ReadWithoutNotes(base_path, NeedsOfNames(by));
  if (!read.ok()) return read.error();
  Profile profile = Grouped(std::move(read).value());
  const std::optional<std::size_t> found = profile.FindSampleType(type.type);
  if (!found.has_value() || profile.sample_types()[*found].unit != type.unit) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "has no values of type " + type.type + '/' + type.unit +
                            " to compare with: choose another with --sample-type",
                 .file = base_path};
  }
  Weighed base(std::move(profile), *found);
  if (normalize) base.ScaleTo(total_of_now);
  return base;
}

Result<int> Diff::Draw(Weighed now) const {
  const Result<Weighed> read = ReadBase(now.type, now.total);
  if (!read.ok()) return read.error();
  const Weighed& base = read.value();
  const FlameShape shape = file.Shape(now.type);
  const FrameNames base_names(base.profile, GranularityNamed(by));
  const FrameNames now_names(now.profile, GranularityNamed(by));
  const Result<FlameGraph> graph =
      FlameGraph::MakeDifference(CallTree(base_names, base.weights, shape.direction),
                                 CallTree(now_names, now.weights, shape.direction), shape);
  if (!graph.ok()) return graph.error();
  const std::int64_t base_ns = base.profile.duration_ns();
  const std::int64_t now_ns = now.profile.duration_ns();
  std::vector<std::string> about{now.type.type + ": " + ValueText(base.total, now.type.unit) +
                                 LengthText(base_ns) + " → " + ValueText(now.total, now.type.unit) +
                                 LengthText(now_ns) + ", " + Relative(base.total, now.total) +
                                 (normalize ? "; base scaled to the new total" : "") +
                                 "; blue less, red more"};
  if (!normalize && IsUnlikeInLength(base_ns, now_ns)) about.emplace_back(kUnlikeInLength);
  const FlameStyle style = file.Style(
      std::string(BaseName(base_path)) + " → " + std::string(BaseName(now_path)), std::move(about));
  if (Status status = FlameFile::Write(graph.value(), style, output); !status.ok()) {
    return status.error();
  }
  return 0;
}

Result<int> Diff::Run() const {
  const std::vector<std::string> inputs{base_path, now_path};
  if (Status status = CheckOutput(output, inputs); !status.ok()) return status.error();
  if (Status status = CheckName(); !status.ok()) return status.error();
  Result<Weighed> now_read = ReadNow();
  if (!now_read.ok()) return now_read.error();
  if (FlameFile::IsNamedLikeOne(output)) return Draw(std::move(now_read).value());

  // A table needs one profile at a time.
  std::unordered_map<std::string, Change> by_name;
  const Granularity granularity = GranularityNamed(by);
  const Side now =
      Summarize(Weighed(std::move(now_read).value()), granularity, &Change::now, by_name);
  const Result<Side> base = [&]() -> Result<Side> {
    const Result<Weighed> read = ReadBase(now.type, now.total);
    if (!read.ok()) return read.error();
    return Summarize(read.value(), granularity, &Change::base, by_name);
  }();
  if (!base.ok()) return base.error();
  const std::vector<Change> changes = Sorted(std::move(by_name));
  const Status status = output.ends_with(".json") ? WriteJson(changes, base.value(), now)
                                                  : WriteTable(changes, base.value(), now);
  if (!status.ok()) return status.error();
  return 0;
}

}  // namespace

void AddDiff(Program& program) {
  const auto diff = std::make_shared<Diff>();
  CLI::App* const command =
      program.Command("diff", "Compare two profiles: what grew, shrank, came and went",
                      [diff] { return diff->Run(); });
  command->add_option("base", diff->base_path, "Profile from before")->required();
  command->add_option("new", diff->now_path, "Profile from after")->required();
  command
      ->add_option("-o,--output", diff->output,
                   "File to write: .svg or .html a flame graph, .json, .txt a table; - for a table")
      ->capture_default_str();
  command->add_flag("--normalize", diff->normalize,
                    "Scale the base to the total of the new profile");
  command->add_option("-n,--rows", diff->rows, "Rows of the table, 0 for all")
      ->check(CLI::Range(std::size_t{0}, std::size_t{INT32_MAX}))
      ->capture_default_str();
  command->add_option("--sort", diff->sort, "Order by change of flat or of cum")
      ->check(CLI::IsMember({"flat", "cum"}))
      ->capture_default_str();
  command->add_option("--sample-type", diff->sample_type, "What to weigh, by name or number");
  AddGranularity(*command, diff->by);
  diff->file.AddTo(*command);
  diff->reading.AddTo(*command);
}

}  // namespace sonde::cli
