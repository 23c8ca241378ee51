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

namespace sonde::cli {
namespace {

constexpr int kTableColumn = 12;

// One function on both sides.
struct Change {
  std::string_view name;
  Hotspot base;
  Hotspot now;

  std::int64_t self() const { return now.self - base.self; }
  std::int64_t inclusive() const { return now.inclusive - base.inclusive; }
};

// One of the two profiles, weighed by the sample type that is compared.
struct Side {
  const Profile* profile = nullptr;
  std::size_t type = 0;
  std::vector<std::int64_t> weights;  // By sample; scaled when the sides are normalised.
  std::int64_t total = 0;

  Side(const Profile& from, std::size_t sample_type) : profile(&from), type(sample_type) {
    for (std::size_t i = 0; i < from.sample_count(); ++i) {
      weights.push_back(from.value(i, sample_type));
    }
    Sum();
  }
  void ScaleTo(std::int64_t wanted) {
    if (total == 0) return;
    const double factor = static_cast<double>(wanted) / static_cast<double>(total);
    for (std::int64_t& weight : weights) {
      weight = std::llround(static_cast<double>(weight) * factor);
    }
    Sum();
  }
  void Sum() {
    total = 0;
    for (const std::int64_t weight : weights) total = SaturatingAdd(total, weight);
  }
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
  std::vector<Change> ChangesOf(const FrameNames& base_names, const FrameNames& now_names,
                                const Side& base, const Side& now) const;
  Status WriteTable(const std::vector<Change>& changes, const Side& base, const Side& now) const;
  Status WriteJson(const std::vector<Change>& changes, const Side& base, const Side& now) const;
  Status WriteText(const std::string& text) const;
};

std::vector<Change> Diff::ChangesOf(const FrameNames& base_names, const FrameNames& now_names,
                                    const Side& base, const Side& now) const {
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<Change> changes;
  const auto at = [&](std::string_view name) -> Change& {
    const auto [slot, is_new] = index.emplace(name, changes.size());
    if (is_new) changes.push_back({name, {}, {}});
    return changes[slot->second];
  };
  for (const Hotspot& spot : FindHotspots(now_names, now.weights)) {
    at(now_names.text(spot.name)).now = spot;
  }
  for (const Hotspot& spot : FindHotspots(base_names, base.weights)) {
    at(base_names.text(spot.name)).base = spot;
  }
  const bool by_self = sort == "flat";
  std::ranges::sort(changes, [&](const Change& a, const Change& b) {
    const std::int64_t left = std::abs(by_self ? a.self() : a.inclusive());
    const std::int64_t right = std::abs(by_self ? b.self() : b.inclusive());
    return left != right ? left > right : a.name < b.name;
  });
  return changes;
}

Status Diff::WriteText(const std::string& text) const {
  Result<std::unique_ptr<ByteSink>> sink = OpenOutput(output);
  if (!sink.ok()) return sink.error();
  if (Status status = sink.value()->Write(text); !status.ok()) return status;
  return sink.value()->Close();
}

Status Diff::WriteTable(const std::vector<Change>& changes, const Side& base,
                        const Side& now) const {
  const ValueType& type = now.profile->sample_types()[now.type];
  std::ostringstream out;
  out << "Type: " << SafeText(type.type) << (normalize ? ", base scaled to the new total" : "")
      << "\nBase: " << ValueText(base.total, type.unit) << "  " << SafeText(base_path)
      << "\nNew:  " << ValueText(now.total, type.unit) << "  " << SafeText(now_path)
      << "\nChange: " << Signed(now.total - base.total, type.unit) << ", "
      << Relative(base.total, now.total) << '\n';
  for (const auto& [name, side] : {std::pair("base", &base), std::pair("new", &now)}) {
    for (const std::string& loss : DescribeLosses(side->profile->losses())) {
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
    out << changes.size() - shown << " more " << by << " are not shown (--rows)\n";
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
                {"records", of.profile->records()},
                {"losses", DescribeLosses(of.profile->losses())}};
  };
  json functions = json::array();
  for (const Change& change : changes) {
    functions.push_back({{"name", change.name},
                         {"self", both(change.base.self, change.now.self)},
                         {"inclusive", both(change.base.inclusive, change.now.inclusive)}});
  }
  const ValueType& type = now.profile->sample_types()[now.type];
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

Result<int> Diff::Run() const {
  const std::vector<std::string> inputs{base_path, now_path};
  if (Status status = CheckOutput(output, inputs); !status.ok()) return status.error();
  Result<Profile> base_read = reading.ReadWithoutNotes(base_path, NeedsOfNames(by));
  if (!base_read.ok()) return base_read.error();
  Result<Profile> now_read = reading.ReadWithoutNotes(now_path, NeedsOfNames(by));
  if (!now_read.ok()) return now_read.error();
  const Profile base_profile = GroupedBy(by, std::move(base_read).value());
  const Profile now_profile = GroupedBy(by, std::move(now_read).value());

  const Result<std::size_t> now_type = ProfileOptions::SampleType(now_profile, sample_type);
  if (!now_type.ok()) return now_type.error();
  const ValueType& type = now_profile.sample_types()[now_type.value()];
  const std::optional<std::size_t> base_type = base_profile.FindSampleType(type.type);
  if (!base_type.has_value() || base_profile.sample_types()[*base_type].unit != type.unit) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "has no values of type " + type.type + '/' + type.unit +
                            " to compare with: choose another with --sample-type",
                 .file = base_path};
  }
  Side base(base_profile, *base_type);
  const Side now(now_profile, now_type.value());
  if (normalize) base.ScaleTo(now.total);

  const FrameNames base_names(*base.profile, GranularityNamed(by));
  const FrameNames now_names(*now.profile, GranularityNamed(by));
  if (FlameFile::IsNamedLikeOne(output)) {
    const FlameShape shape = file.Shape(type);
    const Result<FlameGraph> graph =
        FlameGraph::MakeDifference(CallTree(base_names, base.weights, shape.direction),
                                   CallTree(now_names, now.weights, shape.direction), shape);
    if (!graph.ok()) return graph.error();
    const FlameStyle style =
        file.Style(std::string(BaseName(base_path)) + " → " + std::string(BaseName(now_path)),
                   {type.type + ": " + ValueText(base.total, type.unit) + " → " +
                    ValueText(now.total, type.unit) + ", " + Relative(base.total, now.total) +
                    (normalize ? "; base scaled to the new total" : "") + "; blue less, red more"});
    if (Status status = FlameFile::Write(graph.value(), style, output); !status.ok()) {
      return status.error();
    }
    return 0;
  }
  const std::vector<Change> changes = ChangesOf(base_names, now_names, base, now);
  const Status status =
      output.ends_with(".json") ? WriteJson(changes, base, now) : WriteTable(changes, base, now);
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
                   "File to write: .svg or .html a flame graph, .json, else a table; - for a table")
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
