// sonde snapshots: which snapshots a profiling folder holds.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "sonde/snapshot_catalog.h"

namespace sonde::cli {
namespace {

constexpr std::size_t kColumns = 6;
using Row = std::array<std::string, kColumns>;

std::string SpanText(std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1fs", static_cast<double>(ns) / 1e9);
  return text.data();
}

Row RowOf(const SnapshotEntry& entry) {
  if (!entry.readable) {
    return {
        entry.file_name, std::string(entry.label()), "-", "-", "-", std::to_string(entry.bytes)};
  }
  return {entry.file_name,
          std::string(entry.label()),
          SpanText(entry.duration_ns),
          std::to_string(entry.samples),
          std::to_string(entry.dropped),
          std::to_string(entry.bytes)};
}

// The first two columns are text, the rest figures.
void PrintTable(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < 2 ? row[i] + padding : padding + row[i]);
    }
    std::cout << line << '\n';
  }
}

// Where no snapshot has been written yet, only the name of the folder, or its catalog, tells it
// from any other.
bool HoldsSession(const SnapshotCatalog& catalog) {
  const std::filesystem::path folder =
      (std::filesystem::path(catalog.folder()) / "").lexically_normal();
  std::error_code error;
  return !catalog.entries().empty() || folder.parent_path().filename() == "profiling" ||
         std::filesystem::exists(folder / "catalog.json", error);
}

}  // namespace

void AddSnapshots(Program& program) {
  struct Options {
    std::string folder;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = program.Command(
      "snapshots", "List the snapshots of a session folder, newest first.",
      [options]() -> Result<int> {
        const auto catalog = SnapshotCatalog::Read(options->folder);
        if (!catalog.ok()) return catalog.error();
        if (!HoldsSession(catalog.value())) {
          return Error{.code = ErrorCode::kInvalid,
                       .message = "holds no session: no snapshots, nor a folder called profiling",
                       .file = options->folder};
        }
        if (options->json) {
          std::cout << catalog.value().ToJson();
          return 0;
        }
        std::vector<Row> rows = {{"SNAPSHOT", "KIND", "SPAN", "SAMPLES", "DROPPED", "BYTES"}};
        for (const SnapshotEntry& entry : catalog.value().entries()) {
          rows.push_back(RowOf(entry));
        }
        PrintTable(rows);
        return 0;
      });
  command->add_option("DIR", options->folder, "A session folder, or the profiling folder in it")
      ->required();
  command->add_flag("--json", options->json, "Print what catalog.json holds");
}

}  // namespace sonde::cli
