// JSON table: what `sonde top` lists, for programs.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sonde/hotspots.h"
#include "sonde/json_table.h"

namespace sonde {
namespace {

const char* NameOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kUser:
      return "user";
    case FrameKind::kInlined:
      return "inlined";
    case FrameKind::kKernel:
      return "kernel";
    case FrameKind::kJit:
      return "jit";
    case FrameKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

// Rounded to six decimals, so that equal profiles give equal text.
double Percent(std::int64_t part, double whole) {
  if (whole == 0) return 0;
  return std::round(100.0 * static_cast<double>(part) / whole * 1e6) / 1e6;
}

double Magnitudes(const Profile& profile, std::size_t type) {
  double sum = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    sum += std::abs(static_cast<double>(profile.value(i, type)));
  }
  return sum;
}

nlohmann::json LossesOf(const Profile& profile) {
  nlohmann::json losses = nlohmann::json::array();
  for (const Loss& loss : profile.losses().entries()) {
    losses.push_back({{"cause", loss.cause},
                      {"count", loss.count},
                      {"places", loss.places},
                      {"unit", loss.unit}});
  }
  return losses;
}

nlohmann::json FunctionsOf(const FrameNames& names, std::size_t sample_type) {
  const Profile& profile = names.profile();
  const double whole = Magnitudes(profile, sample_type);
  nlohmann::json functions = nlohmann::json::array();
  for (const Hotspot& spot : FindHotspots(names, sample_type)) {
    nlohmann::json function = {{"inclusive", spot.inclusive},
                               {"inclusive_percent", Percent(spot.inclusive, whole)},
                               {"kind", NameOf(spot.frame.kind)},
                               {"name", std::string(names.text(spot.name))},
                               {"occurrences", spot.occurrences},
                               {"self", spot.self},
                               {"self_percent", Percent(spot.self, whole)}};
    if (spot.frame.mapping != kNoMapping) {
      function["module"] = std::string(profile.text(profile.mapping(spot.frame.mapping).file));
    }
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace

Status WriteJsonTable(const FrameNames& names, std::size_t sample_type, ByteSink& sink) {
  const Profile& profile = names.profile();
  nlohmann::json types = nlohmann::json::array();
  for (std::size_t i = 0; i < profile.sample_types().size(); ++i) {
    const ValueType& type = profile.sample_types()[i];
    types.push_back({{"total", profile.Total(i)}, {"type", type.type}, {"unit", type.unit}});
  }
  const std::optional<std::uint64_t> records = profile.RecordsOf(sample_type);
  const nlohmann::json table = {{"comments", profile.comments()},
                                {"duration_ns", profile.duration_ns()},
                                {"functions", FunctionsOf(names, sample_type)},
                                {"losses", LossesOf(profile)},
                                {"period", profile.period()},
                                {"records", records ? nlohmann::json(*records) : nullptr},
                                {"sample_type", profile.sample_types()[sample_type].type},
                                {"sample_types", types},
                                {"samples", profile.sample_count()},
                                {"schema_version", "1.0"},
                                {"time_ns", profile.time_ns()}};
  return sink.Write(table.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

}  // namespace sonde
