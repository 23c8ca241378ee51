// Label sums: every weight stands under each of its labels, and what is left out is counted.

#include "console/label_sums.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sonde/profile_builder.h"

namespace sonde {
namespace {

TEST(LabelSums, AreBySampleAndTheHeaviestFirst) {
  ProfileBuilder builder({{"samples", "count"}, {"cpu", "nanoseconds"}});
  builder.SetDefaultSampleType(1);
  const auto add = [&](std::vector<Label> labels, std::int64_t weight) {
    builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed("f" + std::to_string(weight))),
                      builder.AddLabels(labels), {1, weight});
  };
  const Label light = builder.TextLabel("request", "/a \"b\"");
  const Label heavy = builder.TextLabel("request", "/z");
  const Label worker = builder.TextLabel("thread", "worker");
  const Label tid = builder.NumberLabel("tid", 4711);
  add({light, worker, tid}, 3);
  add({heavy, worker, tid}, 5);
  add({worker}, 7);
  add({}, 11);

  const auto json = nlohmann::json::parse(LabelSumsAsJson(std::move(builder).Build()));

  EXPECT_EQ(json,
            nlohmann::json::parse(R"({"type": "cpu", "unit": "nanoseconds", "total": 26, "labels": [
    {"key": "request", "left_out": 0,
     "values": [{"value": "/z", "weight": 5}, {"value": "/a \"b\"", "weight": 3}]},
    {"key": "thread", "left_out": 0, "values": [{"value": "worker", "weight": 15}]},
    {"key": "tid", "left_out": 0, "values": [{"value": "4711", "weight": 8}]}]})"));
}

TEST(LabelSums, SayHowManyValuesAreLeftOut) {
  ProfileBuilder builder({{"cpu", "nanoseconds"}});
  for (int i = 0; i < 250; ++i) {
    const Label label = builder.TextLabel("request", std::to_string(i));
    builder.AddSample(kEmptyStack, builder.AddLabels({&label, 1}), {1 + i});
  }

  const auto json = nlohmann::json::parse(LabelSumsAsJson(std::move(builder).Build()));

  const auto& request = json["labels"][0];
  EXPECT_EQ(request["values"].size(), kMostLabelValues);
  EXPECT_EQ(request["values"][0]["value"], "249");
  EXPECT_EQ(request["left_out"], 150);
}

}  // namespace
}  // namespace sonde
