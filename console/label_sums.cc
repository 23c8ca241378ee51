// Label sums: which labels the samples of a profile have, and how much each stands for.

#include "console/label_sums.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "console/json_writer.h"

namespace sonde {
namespace {

using Sums = std::map<std::string, std::int64_t>;  // By value.

std::string ValueOf(const Profile& profile, const Label& label) {
  return label.text == StringId{} ? std::to_string(label.number)
                                  : std::string(profile.text(label.text));
}

std::map<std::string_view, Sums> SumsByKey(const Profile& profile, std::size_t type) {
  std::vector<std::int64_t> by_set(profile.label_set_count());
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    std::int64_t& sum = by_set[static_cast<std::uint32_t>(profile.sample(i).labels)];
    sum = SaturatingAdd(sum, profile.value(i, type));
  }
  std::map<std::string_view, Sums> sums;
  for (std::size_t set = 0; set < by_set.size(); ++set) {
    if (by_set[set] == 0) continue;
    for (const Label& label : profile.labels(LabelSetId{static_cast<std::uint32_t>(set)})) {
      std::int64_t& sum = sums[profile.text(label.key)][ValueOf(profile, label)];
      sum = SaturatingAdd(sum, by_set[set]);
    }
  }
  return sums;
}

}  // namespace

std::string LabelSumsAsJson(const Profile& profile) {
  const std::size_t type = profile.default_sample_type();
  JsonWriter json;
  json.BeginObject();
  json.Text("type", profile.sample_types()[type].type);
  json.Text("unit", profile.sample_types()[type].unit);
  json.Number("total", profile.Total(type));
  json.BeginArray("labels");
  for (const auto& [key, sums] : SumsByKey(profile, type)) {
    std::vector<std::pair<std::string_view, std::int64_t>> values(sums.begin(), sums.end());
    std::ranges::stable_sort(values, std::greater<>(), &decltype(values)::value_type::second);
    const std::size_t shown = std::min(values.size(), kMostLabelValues);
    json.BeginObject();
    json.Text("key", key);
    json.BeginArray("values");
    for (const auto& [value, weight] : std::span(values).first(shown)) {
      json.BeginObject();
      json.Text("value", value);
      json.Number("weight", weight);
      json.EndObject();
    }
    json.EndArray();
    json.Number("left_out", values.size() - shown);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace sonde
