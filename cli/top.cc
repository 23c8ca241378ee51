// sonde top: the functions a profile spends itself in, as text.

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/granularity.h"
#include "cli/profile_options.h"
#include "cli/value_text.h"
#include "sonde/hotspots.h"

namespace sonde::cli {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr int kColumn = 10;

struct Top {
  std::string input;
  std::string sample_type;
  std::string by = "functions";
  std::string sort = "flat";
  std::size_t rows = 40;
  ProfileOptions reading;

  Result<int> Run() const;
};

// What 100 % is.
struct Whole {
  double value = 0;
  bool has_negative = false;
  bool is_base = false;  // Of a difference: the side that was subtracted, as pprof marks it.
};

bool IsOfBase(const Profile& profile, const Sample& sample) {
  return std::ranges::any_of(profile.labels(sample.labels), [&](const Label& label) {
    return profile.text(label.key) == "pprof::base" && profile.text(label.text) == "true";
  });
}

// All samples, negative ones by their magnitude, so that no share exceeds 100 %; but only those
// of the base where a difference tells them apart.
Whole WholeOf(const Profile& profile, std::size_t type) {
  Whole all;
  double base = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    const double value = static_cast<double>(sample.values[type]);
    all.has_negative = all.has_negative || value < 0;
    all.value += std::abs(value);
    if (value < 0 && IsOfBase(profile, sample)) base -= value;
  }
  if (base > 0) return {base, true, true};
  return all;
}

std::string TimeText(std::int64_t unix_ns) {
  const auto seconds =
      static_cast<std::time_t>(unix_ns / static_cast<std::int64_t>(kNanosecondsPerSecond));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

void PrintHead(const Profile& profile, std::size_t type, const Whole& whole) {
  const ValueType& shown = profile.sample_types()[type];
  if (!profile.mappings().empty()) {
    const Mapping& program = profile.mappings().front();
    if (program.file != StringId{}) {
      std::cout << "File: " << SafeText(BaseName(profile.text(program.file))) << '\n';
    }
    if (program.build_id != StringId{}) {
      std::cout << "Build ID: " << SafeText(profile.text(program.build_id)) << '\n';
    }
  }
  std::cout << "Type: " << SafeText(shown.type) << '\n';
  if (profile.time_ns() != 0) std::cout << "Time: " << TimeText(profile.time_ns()) << '\n';
  const std::int64_t total = profile.Total(type);
  if (profile.duration_ns() != 0) {
    std::cout << "Duration: " << ValueText(profile.duration_ns(), "nanoseconds") << ", ";
  }
  std::cout << "Total: " << ValueText(total, shown.unit);
  if (profile.duration_ns() > 0 && shown.unit == "nanoseconds") {
    std::cout << " ("
              << PercentText(static_cast<double>(total), static_cast<double>(profile.duration_ns()))
              << ')';
  }
  std::cout << ", " << profile.records() << " records\n";
  for (const std::string& loss : DescribeLosses(profile.losses())) {
    std::cout << "Not kept: " << SafeText(loss) << '\n';
  }
  if (whole.has_negative) {
    std::cout << "The profile has negative values: percentages are of the "
              << (whole.is_base ? "base's total, " : "sum of magnitudes, ")
              << ValueText(static_cast<std::int64_t>(whole.value), shown.unit) << ".\n";
  }
}

Result<int> Top::Run() const {
  Result<Profile> read = by == "task" ? reading.ReadWithoutNotes(input) : reading.ReadStacks(input);
  if (!read.ok()) return read.error();
  const Profile profile = GroupedBy(by, std::move(read).value());
  const Result<std::size_t> chosen = ProfileOptions::SampleType(profile, sample_type);
  if (!chosen.ok()) return chosen.error();
  const std::size_t type = chosen.value();

  const FrameNames names(profile, GranularityNamed(by));
  std::vector<Hotspot> spots = FindHotspots(names, type);
  if (sort == "cum") {
    std::ranges::stable_sort(spots, [](const Hotspot& a, const Hotspot& b) {
      return std::abs(static_cast<double>(a.inclusive)) >
             std::abs(static_cast<double>(b.inclusive));
    });
  }
  const Whole whole_of = WholeOf(profile, type);
  const double whole = whole_of.value;
  PrintHead(profile, type, whole_of);

  const std::string& unit = profile.sample_types()[type].unit;
  const std::size_t shown = rows == 0 ? spots.size() : std::min(rows, spots.size());
  std::int64_t accounted = 0;
  for (std::size_t i = 0; i < shown; ++i) accounted = SaturatingAdd(accounted, spots[i].self);
  std::cout << "Showing " << shown << " of " << spots.size() << ' ' << by << ", which account for "
            << ValueText(accounted, unit) << ", "
            << PercentText(static_cast<double>(accounted), whole) << '\n';
  std::cout << std::setw(kColumn) << "flat" << std::setw(kColumn - 2) << "flat%"
            << std::setw(kColumn - 2) << "sum%" << std::setw(kColumn + 1) << "cum"
            << std::setw(kColumn - 2) << "cum%" << '\n';
  std::int64_t so_far = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const Hotspot& spot = spots[i];
    so_far = SaturatingAdd(so_far, spot.self);
    std::cout << std::setw(kColumn) << ValueText(spot.self, unit) << std::setw(kColumn - 2)
              << PercentText(static_cast<double>(spot.self), whole) << std::setw(kColumn - 2)
              << PercentText(static_cast<double>(so_far), whole) << std::setw(kColumn + 1)
              << ValueText(spot.inclusive, unit) << std::setw(kColumn - 2)
              << PercentText(static_cast<double>(spot.inclusive), whole) << "  "
              << SafeText(names.text(spot.name))
              << (spot.frame.kind == FrameKind::kInlined ? " (inline)" : "") << '\n';
  }
  return 0;
}

}  // namespace

void AddTop(Program& program) {
  const auto top = std::make_shared<Top>();
  CLI::App* const command = program.Command(
      "top", "List the functions that a profile spends itself in", [top] { return top->Run(); });
  command->add_option("input", top->input, "Profile to read, or - for standard input")->required();
  command->add_option("-n,--rows", top->rows, "Rows to show, 0 for all")->capture_default_str();
  command->add_option("--sample-type", top->sample_type, "What to weigh, by name or number");
  command->add_option("--sort", top->sort, "Order by flat or by cum")
      ->check(CLI::IsMember({"flat", "cum"}))
      ->capture_default_str();
  AddGranularity(*command, top->by);
  top->reading.AddTo(*command);
}

}  // namespace sonde::cli
