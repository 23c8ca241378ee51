// SnapshotCatalog: which snapshots lie in a profiling folder, and what each holds.

#include "sonde/snapshot_catalog.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <tuple>

#include "sampler/file_names.h"
#include "sampler/snapshot_comment.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".pb.gz";
constexpr std::size_t kTimeLength = std::string_view("20261130T104609.123Z").size();
constexpr std::int64_t kMillisecond = 1'000'000;  // In nanoseconds.
constexpr std::int64_t kSecond = 1'000'000'000;

constexpr std::array<std::string_view, 2> kRoles = {"daemon", "tui"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds = {{
    {"profile", "CPU profile (pprof)"},
    {"wall", "Wall-clock profile (pprof)"},
    {"heap", "Heap profile (pprof)"},
    {"growth", "Heap growth profile (pprof)"},
}};

struct Calendar {
  std::tm utc{};
  int milliseconds = 0;
};

Calendar CalendarOf(std::int64_t time_ms) {
  Calendar calendar;
  std::int64_t seconds = time_ms / 1000;
  std::int64_t rest = time_ms % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  const auto clock = static_cast<std::time_t>(seconds);
  gmtime_r(&clock, &calendar.utc);
  calendar.milliseconds = static_cast<int>(rest);
  return calendar;
}

// `format` takes year, month, day, hour, minute, second and millisecond.
std::string FormatTime(const char* format, std::int64_t time_ms) {
  const Calendar at = CalendarOf(time_ms);
  std::array<char, 128> text{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(text.data(), text.size(), format, at.utc.tm_year + 1900, at.utc.tm_mon + 1,
                at.utc.tm_mday, at.utc.tm_hour, at.utc.tm_min, at.utc.tm_sec, at.milliseconds);
#pragma GCC diagnostic pop
  return text.data();
}

bool ParseDigits(std::string_view text, std::uint64_t& out) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// "20261130T104609.123Z"
bool ParseTime(std::string_view text, std::int64_t& time_ms) {
  if (text.size() != kTimeLength || text[8] != 'T' || text[15] != '.' || text[19] != 'Z') {
    return false;
  }
  constexpr std::array<std::pair<std::size_t, std::size_t>, 7> kFields = {
      {{0, 4}, {4, 2}, {6, 2}, {9, 2}, {11, 2}, {13, 2}, {16, 3}}};
  std::array<std::uint64_t, kFields.size()> values{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (!ParseDigits(text.substr(kFields[i].first, kFields[i].second), values[i])) return false;
  }
  std::tm utc{};
  utc.tm_year = static_cast<int>(values[0]) - 1900;
  utc.tm_mon = static_cast<int>(values[1]) - 1;
  utc.tm_mday = static_cast<int>(values[2]);
  utc.tm_hour = static_cast<int>(values[3]);
  utc.tm_min = static_cast<int>(values[4]);
  utc.tm_sec = static_cast<int>(values[5]);
  time_ms = std::int64_t{timegm(&utc)} * 1000 + static_cast<std::int64_t>(values[6]);
  return true;
}

// The facts from inside the file.
SnapshotEntry ReadEntry(const std::string& path, SnapshotEntry entry) {
  const auto comments = ReadPprofComments(path);
  if (!comments.ok()) return entry;
  for (const std::string& comment : comments.value()) {
    const std::optional<SnapshotFacts> facts = SnapshotFacts::Parse(comment);
    if (!facts) continue;
    entry.readable = true;
    entry.start_ns = facts->start_ns;
    entry.duration_ns = facts->duration_ns;
    entry.samples = facts->samples;
    entry.dropped = facts->dropped;
    entry.pid = facts->pid;
  }
  return entry;
}

std::string Figure(const SnapshotEntry& entry, std::int64_t value) {
  return entry.readable ? std::to_string(value) : "null";
}

}  // namespace

std::string SnapshotName::Text() const {
  std::string text = prefix() + '-' + FormatTime("%04d%02d%02dT%02d%02d%02d.%03dZ", time_ms) + '-' +
                     std::to_string(sequence);
  if (pid != 0) text += '-' + std::to_string(pid);
  return text.append(kExtension);
}

std::optional<SnapshotName> SnapshotName::Parse(std::string_view file_name) {
  if (!file_name.ends_with(kExtension)) return std::nullopt;
  file_name.remove_suffix(kExtension.size());
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dash = file_name.find('-');
    parts.push_back(file_name.substr(0, dash));
    if (dash == std::string_view::npos) break;
    file_name.remove_prefix(dash + 1);
  }
  if (parts.size() < 4 || parts.size() > 5) return std::nullopt;
  if (std::ranges::find(kRoles, parts[0]) == kRoles.end()) return std::nullopt;
  if (std::ranges::find(kKinds, parts[1], [](const auto& entry) { return entry.first; }) ==
      kKinds.end()) {
    return std::nullopt;
  }
  SnapshotName name;
  name.role = parts[0];
  name.kind = parts[1];
  std::uint64_t pid = 0;
  if (!ParseTime(parts[2], name.time_ms) || !ParseDigits(parts[3], name.sequence)) {
    return std::nullopt;
  }
  if (parts.size() == 5 && !ParseDigits(parts[4], pid)) return std::nullopt;
  name.pid = static_cast<std::int64_t>(pid);
  return name;
}

std::string_view SnapshotEntry::label() const noexcept {
  for (const auto& [kind, label] : kKinds) {
    if (kind == name.kind) return label;
  }
  return "profile (pprof)";
}

Result<SnapshotCatalog> SnapshotCatalog::Read(const std::string& folder) {
  std::error_code error;
  const fs::path inner = fs::path(folder) / "profiling";
  return Scan(fs::is_directory(inner, error) ? inner.string() : folder, {});
}

Result<SnapshotCatalog> SnapshotCatalog::Scan(const std::string& folder,
                                              const SnapshotCatalog& known) {
  SnapshotCatalog catalog;
  catalog.folder_ = folder;
  Result<std::vector<std::string>> names = FileNames(folder);
  if (!names.ok()) return names.error();
  for (std::string& file_name : names.value()) {
    std::optional<SnapshotName> name = SnapshotName::Parse(file_name);
    const std::string path = folder + '/' + file_name;
    struct stat status {};
    if (!name || ::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    SnapshotEntry entry;
    entry.file_name = std::move(file_name);
    entry.name = std::move(*name);
    entry.pid = entry.name.pid;
    entry.bytes = static_cast<std::uint64_t>(status.st_size);
    entry.modified_ns = status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec;
    const auto same = std::ranges::find_if(known.entries_, [&](const SnapshotEntry& other) {
      return other.file_name == entry.file_name && other.bytes == entry.bytes &&
             other.modified_ns == entry.modified_ns;
    });
    const bool is_known = same != known.entries_.end();
    catalog.entries_.push_back(is_known ? *same : ReadEntry(path, std::move(entry)));
  }
  std::ranges::sort(catalog.entries_, [](const SnapshotEntry& a, const SnapshotEntry& b) {
    return std::tie(b.name.time_ms, b.name.sequence, b.file_name) <
           std::tie(a.name.time_ms, a.name.sequence, a.file_name);
  });
  return catalog;
}

const SnapshotEntry* SnapshotCatalog::Newest(std::string_view role,
                                             std::string_view kind) const noexcept {
  for (const SnapshotEntry& entry : entries_) {
    if ((role.empty() || entry.name.role == role) && (kind.empty() || entry.name.kind == kind)) {
      return &entry;
    }
  }
  return nullptr;
}

std::string SnapshotCatalog::ToJson() const {
  // Names and roles have passed SnapshotName::Parse: nothing in them needs escaping.
  std::string json =
      "{\n  \"notice\": \"snapshots hold raw symbol names and build paths of the profiled "
      "program\",\n  \"snapshots\": [";
  const char* separator = "\n";
  for (const SnapshotEntry& entry : entries_) {
    const std::string start =
        '"' + FormatTime("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", entry.start_ns / kMillisecond) +
        '"';
    json += separator;
    json += "    {\n      \"bytes\": " + std::to_string(entry.bytes) +
            ",\n      \"dropped\": " + Figure(entry, static_cast<std::int64_t>(entry.dropped)) +
            ",\n      \"duration_ns\": " + Figure(entry, entry.duration_ns) +
            ",\n      \"label\": \"" + std::string(entry.label()) + "\",\n      \"name\": \"" +
            entry.file_name + "\",\n      \"pid\": " + Figure(entry, entry.pid) +
            ",\n      \"role\": \"" + entry.name.role +
            "\",\n      \"samples\": " + Figure(entry, static_cast<std::int64_t>(entry.samples)) +
            ",\n      \"start\": " + (entry.readable ? start : "null") + "\n    }";
    separator = ",\n";
  }
  json += entries_.empty() ? "]" : "\n  ]";
  return json + ",\n  \"version\": " + std::to_string(kVersion) + "\n}\n";
}

}  // namespace sonde
