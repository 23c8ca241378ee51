// sonde top: the functions a profile spends itself in, as text.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/granularity.h"
#include "cli/profile_options.h"
#include "cli/profile_server.h"
#include "cli/value_text.h"
#include "sonde/hotspots.h"
#include "sonde/whole.h"

namespace sonde::cli {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

// Five figures and a name. Each column is as wide as its longest figure needs.
using Row = std::array<std::string, 6>;
constexpr std::array<std::size_t, 5> kNarrowest{10, 8, 8, 11, 8};

void PrintRows(const std::vector<Row>& rows) {
  constexpr std::size_t kBetween = 2;
  std::array<std::size_t, 5> widths = kNarrowest;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size() + (i == 0 ? 0 : kBetween));
    }
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      std::cout << std::setw(static_cast<int>(widths[i])) << row[i];
    }
    std::cout << (row.back().empty() ? "" : "  ") << row.back() << '\n';
  }
}

struct Top {
  std::string input;
  std::string sample_type;
  std::string by = "functions";
  std::string sort = "flat";
  std::size_t rows = 40;
  bool live = false;
  int seconds = 3;
  std::size_t rounds = 0;
  ProfileServer server;
  ProfileOptions reading;

  Result<int> Run() const;
  // One profile of a running program after the other.
  Result<int> Follow() const;
  Status Print(Profile whole_profile, std::size_t most_rows) const;
};

std::string TimeText(std::int64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / static_cast<std::int64_t>(kSecondNs));
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
  if (const auto records = profile.RecordsOf(type)) std::cout << ", " << *records << " records";
  std::cout << '\n';
  for (const std::string& loss : DescribeLosses(profile.losses())) {
    std::cout << "Not kept: " << SafeText(loss) << '\n';
  }
  if (whole.has_negative) {
    std::cout << "The profile has negative values: percentages are of the "
              << (whole.is_base ? "base's total, " : "sum of magnitudes, ")
              << ValueText(whole.value, shown.unit) << ".\n";
  }
}

// Lines of the terminal that standard output is; 0 when it is none.
std::size_t TerminalLines() {
  winsize size{};
  return ::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0
             ? size.ws_row
             : 0;
}

Result<int> Top::Run() const {
  if (live) return Follow();
  if (input.empty()) {
    return Error{.code = ErrorCode::kUsage, .message = "input is required, or --live"};
  }
  Result<Profile> read = reading.ReadWithoutNotes(input, NeedsOfNames(by));
  if (!read.ok()) return read.error();
  if (const Status printed = Print(std::move(read).value(), rows); !printed.ok()) {
    return printed.error();
  }
  return 0;
}

Result<int> Top::Follow() const {
  const std::string url = input.empty() ? "http://127.0.0.1:6060" : input;
  const bool on_terminal = TerminalLines() > 0;
  // Into a pipe one round is what a script wants; on a terminal it goes on until interrupted.
  const std::size_t last = rounds != 0 || on_terminal ? rounds : 1;
  for (std::size_t round = 1; last == 0 || round <= last; ++round) {
    const Result<std::string> bytes =
        server.Get(url, "/debug/pprof/profile", "seconds=" + std::to_string(seconds),
                   std::chrono::seconds(seconds));
    if (!bytes.ok()) return bytes.error();
    Result<Profile> profile = reading.ReadBytesWithoutNotes(bytes.value(), url);
    if (!profile.ok()) return profile.error();
    std::size_t most_rows = rows;
    if (const std::size_t lines = TerminalLines(); lines > 0) {
      constexpr std::size_t kHead = 10;
      std::cout << "\033[H\033[2J";
      most_rows = std::min(rows == 0 ? lines : rows, lines > kHead ? lines - kHead : 1);
    } else if (round > 1) {
      std::cout << '\n';
    }
    if (const Status printed = Print(std::move(profile).value(), most_rows); !printed.ok()) {
      return printed.error();
    }
    std::cout.flush();
  }
  return 0;
}

Status Top::Print(Profile whole_profile, std::size_t most_rows) const {
  const Profile profile = SummedBy(by, std::move(whole_profile));
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
  const auto whole = static_cast<double>(whole_of.value);
  PrintHead(profile, type, whole_of);

  const std::string& unit = profile.sample_types()[type].unit;
  const std::size_t shown = most_rows == 0 ? spots.size() : std::min(most_rows, spots.size());
  std::int64_t accounted = 0;
  for (std::size_t i = 0; i < shown; ++i) accounted = SaturatingAdd(accounted, spots[i].self);
  std::cout << "Showing " << shown << " of " << spots.size() << ' ' << RowsOf(by)
            << ", which account for " << ValueText(accounted, unit) << ", "
            << PercentText(static_cast<double>(accounted), whole) << '\n';
  std::vector<Row> table{{"flat", "flat%", "sum%", "cum", "cum%", ""}};
  // Files and modules hold functions, inlined ones among others.
  const bool can_be_inlined = by != "files" && by != "modules";
  std::int64_t so_far = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const Hotspot& spot = spots[i];
    so_far = SaturatingAdd(so_far, spot.self);
    std::string name = SafeText(names.text(spot.name));
    if (can_be_inlined && spot.frame.kind == FrameKind::kInlined) name += " (inline)";
    table.push_back({ValueText(spot.self, unit), PercentText(static_cast<double>(spot.self), whole),
                     PercentText(static_cast<double>(so_far), whole),
                     ValueText(spot.inclusive, unit),
                     PercentText(static_cast<double>(spot.inclusive), whole), std::move(name)});
  }
  PrintRows(table);
  return {};
}

}  // namespace

void AddTop(Program& program) {
  const auto top = std::make_shared<Top>();
  CLI::App* const command = program.Command(
      "top", "List the functions that a profile spends itself in", [top] { return top->Run(); });
  command->add_option("input", top->input,
                      "Profile to read, or - for standard input; with --live where a program "
                      "listens, http://127.0.0.1:6060 when not given");
  command->add_option("-n,--rows", top->rows, "Rows to show, 0 for all")
      ->check(CLI::Range(std::size_t{0}, std::size_t{INT32_MAX}))
      ->capture_default_str();
  command->add_option("--sample-type", top->sample_type, "What to weigh, by name or number");
  command->add_option("--sort", top->sort, "Order by flat or by cum")
      ->check(CLI::IsMember({"flat", "cum"}))
      ->capture_default_str();
  AddGranularity(*command, top->by);
  CLI::Option* const live =
      command->add_flag("--live", top->live, "Follow a running program until interrupted");
  command->add_option("--seconds", top->seconds, "With --live: length of a round")
      ->check(CLI::Range(1, 3600))
      ->needs(live)
      ->capture_default_str();
  command
      ->add_option("--rounds", top->rounds, "With --live: how many; into a pipe 1 when not given")
      ->needs(live);
  top->server.AddTo(*command);
  top->reading.AddTo(*command);
}

}  // namespace sonde::cli
