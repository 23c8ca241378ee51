// speedscope: writes a Profile for the viewer of that name.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sonde/speedscope.h"

namespace sonde {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;

std::string Quoted(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view UnitOf(std::string_view unit) {
  for (const std::string_view known :
       {"bytes", "microseconds", "milliseconds", "nanoseconds", "seconds"}) {
    if (unit == known) return known;
  }
  return "none";
}

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const FrameNames& names, ByteSink& sink)
      : names_(names), profile_(names.profile()), sink_(sink), numbers_(names.name_count(), 0) {}

  Status Write(std::string_view title) {
    out_ += R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"sonde")";
    out_ += ",\"name\":" + Quoted(title);
    out_ += ",\"activeProfileIndex\":" + std::to_string(profile_.default_sample_type());
    WriteFrames();
    out_ += ",\"profiles\":[";
    for (std::size_t type = 0; type < profile_.sample_types().size(); ++type) {
      if (type != 0) out_ += ',';
      if (Status status = WriteSamples(type); !status.ok()) return status;
    }
    out_ += "]}\n";
    return sink_.Write(out_);
  }

 private:
  // Of each name the first frame tells file and line.
  void WriteFrames() {
    out_ += ",\"shared\":{\"frames\":[";
    std::uint32_t written = 0;
    for (std::uint32_t i = 0; i < profile_.location_count(); ++i) {
      const Location location = profile_.location(LocationId{i});
      const std::span<const Frame> frames = names_.frames(LocationId{i});
      for (std::size_t n = 0; n < frames.size(); ++n) {
        std::uint32_t& number = numbers_[static_cast<std::uint32_t>(frames[n].name)];
        if (number != 0) continue;
        if (written != 0) out_ += ',';
        number = ++written;
        out_ += "{\"name\":" + Quoted(names_.text(frames[n].name));
        if (!location.lines.empty()) WritePlace(location.lines[location.lines.size() - 1 - n]);
        out_ += '}';
      }
    }
    out_ += "]}";
  }

  void WritePlace(const Line& line) {
    const StringId file = profile_.function(line.function).file;
    if (file == StringId{}) return;
    out_ += ",\"file\":" + Quoted(profile_.text(file));
    if (line.line > 0) out_ += ",\"line\":" + std::to_string(line.line);
    if (line.line > 0 && line.column > 0) out_ += ",\"col\":" + std::to_string(line.column);
  }

  Status WriteSamples(std::size_t type) {
    const ValueType& value = profile_.sample_types()[type];
    out_ += R"({"type":"sampled","name":)" + Quoted(value.type + '/' + value.unit);
    out_ += ",\"unit\":\"" + std::string(UnitOf(value.unit)) + '"';
    out_ += ",\"startValue\":0,\"endValue\":" + std::to_string(profile_.Total(type));
    out_ += ",\"samples\":[";
    std::string weights;
    bool first = true;
    for (std::size_t i = 0; i < profile_.sample_count(); ++i) {
      if (profile_.value(i, type) == 0) continue;
      if (!first) {
        out_ += ',';
        weights += ',';
      }
      first = false;
      WriteStack(profile_.sample(i).stack);
      weights += std::to_string(profile_.value(i, type));
      if (out_.size() < kFlushBytes) continue;
      if (Status status = sink_.Write(out_); !status.ok()) return status;
      out_.clear();
    }
    out_ += "],\"weights\":[" + weights + "]}";
    return {};
  }

  void WriteStack(StackId stack) {
    leaf_first_.clear();
    for (; stack != kEmptyStack; stack = profile_.stacks().caller(stack)) {
      leaf_first_.push_back(profile_.stacks().leaf(stack));
    }
    out_ += '[';
    bool first = true;
    for (std::size_t i = leaf_first_.size(); i-- > 0;) {
      for (const Frame& frame : names_.frames(leaf_first_[i])) {
        if (!first) out_ += ',';
        first = false;
        out_ += std::to_string(numbers_[static_cast<std::uint32_t>(frame.name)] - 1);
      }
    }
    out_ += ']';
  }

  const FrameNames& names_;
  const Profile& profile_;
  ByteSink& sink_;
  std::string out_;
  std::vector<std::uint32_t> numbers_;  // By NameId: place among the frames + 1, or 0.
  std::vector<LocationId> leaf_first_;
};

}  // namespace

Status WriteSpeedscope(const FrameNames& names, std::string_view title, ByteSink& sink) {
  return SpeedscopeWriter(names, sink).Write(title);
}

}  // namespace sonde
