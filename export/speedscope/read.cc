// ReadSpeedscope: a Profile from a speedscope file.

#include "export/speedscope/read.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "export/json_fault.h"
#include "export/limit_guard.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

namespace dom = simdjson::dom;

constexpr double kLargestWeight = 9.2e18;

struct Unit {
  ValueType type;
  double factor;  // From the file's numbers to ours.
  bool is_time;
};

Unit UnitNamed(std::string_view name) {
  const ValueType time{"time", "nanoseconds"};
  if (name == "nanoseconds") return {time, 1, true};
  if (name == "microseconds") return {time, 1e3, true};
  if (name == "milliseconds") return {time, 1e6, true};
  if (name == "seconds") return {time, 1e9, true};
  if (name == "bytes") return {{"space", "bytes"}, 1, false};
  return {{"samples", "count"}, 1, false};
}

Error Malformed(std::string message) {
  return {.code = ErrorCode::kMalformed, .message = "speedscope: " + std::move(message)};
}

std::string_view TextAt(dom::element object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::int64_t IntegerAt(dom::element object, const char* key) {
  std::int64_t number = 0;
  return object[key].get(number) == simdjson::SUCCESS ? number : 0;
}

class SpeedscopeReader {
 public:
  SpeedscopeReader(dom::element root, const ReadOptions& options)
      : root_(root), options_(options) {}

  Result<Profile> Read() {
    dom::array profiles;
    if (root_["profiles"].get(profiles) != simdjson::SUCCESS) return Malformed("no profiles");
    is_ours_ = TextAt(root_, "exporter").starts_with("sonde");
    ChooseTypes(profiles);
    builder_.emplace(types_);
    guard_.emplace(options_.limits, *builder_, options_.stop);
    std::int64_t active = 0;
    if (root_["activeProfileIndex"].get(active) == simdjson::SUCCESS && active >= 0 &&
        static_cast<std::size_t>(active) < column_of_.size()) {
      builder_->SetDefaultSampleType(column_of_[static_cast<std::size_t>(active)]);
    }
    if (Status status = ReadFrames(); !status.ok()) return status.error();
    std::size_t index = 0;
    for (const dom::element profile : profiles) {
      if (Status status = ReadOne(profile, index); !status.ok()) return status.error();
      ++index;
    }
    return std::move(*builder_).Build();
  }

 private:
  // Profiles of one unit share a sample type.
  void ChooseTypes(dom::array profiles) {
    for (const dom::element profile : profiles) {
      const Unit unit = UnitNamed(TextAt(profile, "unit"));
      ValueType type = unit.type;
      const std::string_view name = TextAt(profile, "name");
      if (const std::size_t slash = name.rfind('/'); is_ours_ && slash != std::string_view::npos) {
        type = {std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
      }
      auto known = std::ranges::find(types_, type);
      if (known == types_.end()) known = types_.insert(types_.end(), type);
      column_of_.push_back(static_cast<std::size_t>(known - types_.begin()));
    }
    if (types_.empty()) types_.push_back({"samples", "count"});
  }

  Status ReadFrames() {
    dom::array frames;
    if (root_["shared"]["frames"].get(frames) != simdjson::SUCCESS) {
      return Malformed("no shared frames");
    }
    for (const dom::element frame : frames) {
      std::string_view name;
      if (frame["name"].get(name) != simdjson::SUCCESS) return Malformed("frame without a name");
      const Line line{builder_->AddFunction({.name = builder_->Intern(name),
                                             .file = builder_->Intern(TextAt(frame, "file"))}),
                      IntegerAt(frame, "line"), IntegerAt(frame, "col")};
      Location location;
      location.lines = std::span(&line, 1);
      frames_.push_back(builder_->AddLocation(location));
      if (Status status = guard_->CheckFrames(); !status.ok()) return status;
    }
    return {};
  }

  Status Refuse(std::string_view kind, std::size_t profile, std::size_t index) {
    std::string place = "profile " + std::to_string(profile) + ", entry " + std::to_string(index);
    if (options_.strict) return Malformed(std::string(kind) + " (" + place + ')');
    builder_->losses().Add(kind, "samples", 1, place);
    return {};
  }

  Status ReadOne(dom::element profile, std::size_t index) {
    labels_ = kNoLabels;
    const std::string_view name = TextAt(profile, "name");
    if (!is_ours_ && !name.empty()) {
      const Label label = builder_->TextLabel("thread", name);
      labels_ = builder_->AddLabels({&label, 1});
    }
    unit_ = UnitNamed(TextAt(profile, "unit"));
    const std::string_view type = TextAt(profile, "type");
    if (type == "sampled") return ReadSampled(profile, index);
    if (type == "evented") return ReadEvented(profile, index);
    return Malformed("profile of unknown type '" + std::string(type) + "'");
  }

  // How many samples were taken is told where each stands by itself, unlike in our own files and
  // in spans of time.
  Status Add(StackId stack, std::int64_t weight, std::size_t column,
             std::optional<std::uint64_t> records) {
    if (Status status = guard_->CountStack(stack); !status.ok()) return status;
    std::vector<std::int64_t> values(types_.size(), 0);
    values[column] = weight;
    builder_->AddSample(stack, labels_, values, records);
    return {};
  }

  // Whole numbers stay exact; fractions are kept only of times, to the nanosecond.
  std::optional<std::int64_t> WeightOf(dom::element element) const {
    std::int64_t integer = 0;
    if (unit_.factor == 1 && element.get(integer) == simdjson::SUCCESS) return integer;
    double number = 0;
    if (element.get(number) != simdjson::SUCCESS) return std::nullopt;
    number *= unit_.factor;
    if (!(std::abs(number) < kLargestWeight)) return std::nullopt;
    if (!unit_.is_time && number != std::floor(number)) return std::nullopt;
    return std::llround(number);
  }

  Status ReadSampled(dom::element profile, std::size_t index) {
    dom::array samples;
    dom::array weights;
    if (profile["samples"].get(samples) != simdjson::SUCCESS) return Malformed("no samples");
    const bool has_weights = profile["weights"].get(weights) == simdjson::SUCCESS;
    auto weight = has_weights ? weights.begin() : samples.begin();
    std::size_t entry = 0;
    for (const dom::element sample : samples) {
      if (Status status = guard_->CountRecord(); !status.ok()) return status;
      std::optional<std::int64_t> value = 1;
      if (has_weights) {
        if (!(weight != weights.end())) return Malformed("fewer weights than samples");
        value = WeightOf(*weight);
        ++weight;
      }
      StackId stack = kEmptyStack;
      bool usable = value.has_value();
      if (Status status = ReadStack(sample, stack, usable); !status.ok()) return status;
      const std::optional<std::uint64_t> records = is_ours_ ? std::nullopt : std::optional(1U);
      Status status = usable ? Add(stack, *value, column_of_[index], records)
                             : Refuse("bad sample", index, entry);
      if (!status.ok()) return status;
      ++entry;
    }
    return {};
  }

  Status ReadStack(dom::element sample, StackId& stack, bool& usable) {
    dom::array frames;
    if (sample.get(frames) != simdjson::SUCCESS) {
      usable = false;
      return {};
    }
    std::uint64_t depth = 0;
    for (const dom::element frame : frames) {
      std::uint64_t number = 0;
      if (frame.get(number) != simdjson::SUCCESS || number >= frames_.size()) {
        usable = false;
        return {};
      }
      if (Status status = guard_->CheckDepth(++depth); !status.ok()) return status;
      stack = builder_->Extend(stack, frames_[static_cast<std::size_t>(number)]);
    }
    return {};
  }

  // Frames open and close; the time between two events belongs to what is open then.
  Status ReadEvented(dom::element profile, std::size_t index) {
    dom::array events;
    if (profile["events"].get(events) != simdjson::SUCCESS) return Malformed("no events");
    std::vector<StackId> open{kEmptyStack};
    std::optional<std::int64_t> last;
    const auto pass = [&](std::int64_t until) -> Status {
      const std::int64_t from = std::exchange(last, until).value_or(until);
      if (open.size() == 1 || until == from) return {};
      return Add(open.back(), until - from, column_of_[index], std::nullopt);
    };
    std::size_t entry = 0;
    for (const dom::element event : events) {
      if (Status status = guard_->CountRecord(); !status.ok()) return status;
      const std::string_view type = TextAt(event, "type");
      dom::element at;
      std::uint64_t frame = 0;
      std::optional<std::int64_t> time;
      if (event["at"].get(at) == simdjson::SUCCESS) time = WeightOf(at);
      const bool known = event["frame"].get(frame) == simdjson::SUCCESS && frame < frames_.size() &&
                         (type == "O" || type == "C");
      const LocationId location = known ? frames_[static_cast<std::size_t>(frame)] : LocationId{};
      const bool closes_another =
          known && type == "C" && (open.size() == 1 || builder_->leaf(open.back()) != location);
      if (!known || !time.has_value() || (last.has_value() && *time < *last) || closes_another) {
        if (Status status = Refuse("bad event", index, entry); !status.ok()) return status;
      } else {
        if (Status status = pass(*time); !status.ok()) return status;
        if (type == "O") {
          if (Status status = guard_->CheckDepth(open.size()); !status.ok()) return status;
          open.push_back(builder_->Extend(open.back(), location));
        } else {
          open.pop_back();
        }
      }
      ++entry;
    }
    dom::element end;
    if (open.size() == 1 || profile["endValue"].get(end) != simdjson::SUCCESS) return {};
    const std::optional<std::int64_t> until = WeightOf(end);
    return until.has_value() && *until > last.value_or(*until) ? pass(*until) : Status();
  }

  dom::element root_;
  const ReadOptions& options_;
  bool is_ours_ = false;
  std::vector<ValueType> types_;
  std::vector<std::size_t> column_of_;  // By profile of the file.
  std::optional<ProfileBuilder> builder_;
  std::optional<LimitGuard> guard_;
  std::vector<LocationId> frames_;
  LabelSetId labels_ = kNoLabels;
  Unit unit_;
};

}  // namespace

Result<Profile> ReadSpeedscope(std::string_view text, const ReadOptions& options) {
  dom::parser parser;
  dom::element root;
  const simdjson::padded_string padded(text);
  if (const auto fault = parser.parse(padded).get(root); fault != simdjson::SUCCESS) {
    return JsonFault("speedscope", text, fault);
  }
  if (!root.is_object()) return Malformed("not an object");
  return SpeedscopeReader(root, options).Read();
}

}  // namespace sonde
