// FlamegraphStyle: folds a recording by the rules of FlameGraph's stackcollapse-perf.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/flamegraph_style/tidy_name.h"
#include "sonde/flamegraph_style.h"
#include "sonde/frame_names.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using flamegraph_style::SplitAtArrows;
using flamegraph_style::TidyName;

constexpr std::uint64_t kKernelHalf = std::uint64_t{1} << 63;
constexpr std::uint32_t kNotNamed = 0;

std::string HexOf(std::uint64_t address) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), address, 16);
  return {digits.data(), end.ptr};
}

bool IsKernel(std::string_view module) {
  return (module.starts_with('[') || module.ends_with("vmlinux")) &&
         module.find("unknown") == std::string_view::npos;
}

// "/tmp/perf-123.map", or the image that a JIT dump became.
bool IsJit(std::string_view module) {
  const std::string_view name = BaseName(module);
  return (name.starts_with("perf-") && name.ends_with(".map")) || name.starts_with("jitted-");
}

// As perf prints it: with the version of the symbol.
std::string_view PrintedName(const Profile& profile, FunctionId id) {
  const std::string_view name = profile.name(id);
  const std::string_view symbol = profile.text(profile.function(id).system_name);
  const bool is_versioned = symbol.starts_with(name) && symbol.substr(name.size()).starts_with('@');
  return is_versioned ? symbol : name;
}

class Folder {
 public:
  Folder(const Profile& profile, std::size_t sample_type, const FlamegraphStyle& style)
      : profile_(profile),
        sample_type_(sample_type),
        style_(style),
        builder_({profile.sample_types()[sample_type]}) {
    for (std::vector<Range>& ranges : named_) ranges.resize(profile.location_count());
  }

  Profile Fold() && {
    for (std::size_t i = 0; i < profile_.sample_count(); ++i) {
      const std::int64_t weight = profile_.value(i, sample_type_);
      if (weight != 0) AddSample(profile_.sample(i), weight, profile_.RecordsOf(sample_type_, i));
    }
    builder_.losses().Add(profile_.losses());
    builder_.SetRecords(profile_.RecordsOf(sample_type_));
    builder_.SetTime(profile_.time_ns());
    builder_.SetDuration(profile_.duration_ns());
    return std::move(builder_).Build();
  }

 private:
  struct Root {
    std::optional<LocationId> frame;
    bool is_java = false;
  };
  struct Range {
    std::uint32_t first = kNotNamed;  // In frames_, plus one.
    std::uint32_t count = 0;
  };

  void AddSample(const Sample& sample, std::int64_t weight, std::optional<std::uint64_t> records);
  const Root& RootOf(LabelSetId labels);
  // The frames of a location, caller first.
  std::span<const LocationId> FramesOf(LocationId location, bool is_java, bool is_call);
  std::string UnknownName(std::string_view module, std::uint64_t address) const;
  std::string_view ModuleOf(LocationId location) const {
    const MappingId mapping = profile_.location(location).mapping;
    if (mapping == kNoMapping) return {};
    return profile_.text(profile_.mapping(mapping).file);
  }

  const Profile& profile_;
  std::size_t sample_type_;
  FlamegraphStyle style_;
  ProfileBuilder builder_;
  std::unordered_map<std::uint32_t, Root> roots_;  // By LabelSetId.
  std::array<std::vector<Range>, 4> named_;        // By location; [is_java * 2 + is_call].
  std::vector<LocationId> frames_;
  std::vector<LocationId> stack_;
};

const Folder::Root& Folder::RootOf(LabelSetId labels) {
  const auto [known, is_new] = roots_.try_emplace(static_cast<std::uint32_t>(labels));
  Root& root = known->second;
  if (!is_new) return root;
  std::string name;
  std::string pid = "?";
  std::string tid = "?";
  bool has_comm = false;
  for (const Label& label : profile_.labels(labels)) {
    const std::string_view key = profile_.text(label.key);
    if (key == "comm") {
      name = profile_.text(label.text);
      has_comm = true;
    }
    if (key == "pid") pid = std::to_string(label.number);
    if (key == "tid") tid = std::to_string(label.number);
  }
  if (!has_comm) return root;
  if (style_.tid) {
    name += '-' + pid + '/' + tid;
  } else if (style_.pid) {
    name += '-' + pid;
  }
  root.is_java = name == "java";
  std::ranges::replace(name, ' ', '_');
  root.frame = builder_.FrameNamed(name);
  return root;
}

std::string Folder::UnknownName(std::string_view module, std::uint64_t address) const {
  std::string name(module.empty() || module == "[unknown]" ? "unknown" : BaseName(module));
  if (style_.addrs) name += " <" + HexOf(address) + '>';
  return '[' + name + ']';
}

std::span<const LocationId> Folder::FramesOf(LocationId id, bool is_java, bool is_call) {
  Range& range = named_[(is_java ? 2U : 0U) + (is_call ? 1U : 0U)][static_cast<std::uint32_t>(id)];
  if (range.first == kNotNamed) {
    const Location location = profile_.location(id);
    const std::string_view module = ModuleOf(id);
    const bool is_jit = IsJit(module);
    std::vector<std::string> names;
    const auto add = [&](std::string name, bool inlined_by_jit) {
      if (inlined_by_jit) {
        if (name.find("_[i]") == std::string::npos) name += "_[i]";
      } else if (style_.kernel && IsKernel(module)) {
        name += "_[k]";
      } else if (style_.jit && is_jit && name.find("_[j]") == std::string::npos) {
        name += "_[j]";
      }
      names.push_back(std::move(name));
    };
    // Lines run from the innermost inlined function outwards.
    for (std::size_t n = location.lines.size(); n-- > 0;) {
      const std::string_view function = PrintedName(profile_, location.lines[n].function);
      if (function.empty()) continue;
      for (const std::string_view part : SplitAtArrows(function)) {
        const bool is_callee =
            part.data() != function.data() || (is_jit && n + 1 < location.lines.size());
        add(TidyName(part, is_java), is_callee);
      }
    }
    if (names.empty()) {
      const std::uint64_t printed = location.address + (is_call && location.address > 0 ? 1 : 0);
      add(UnknownName(module, printed), false);
    }
    range.first = static_cast<std::uint32_t>(frames_.size()) + 1;
    range.count = static_cast<std::uint32_t>(names.size());
    for (const std::string& name : names) frames_.push_back(builder_.FrameNamed(name));
  }
  return std::span(frames_).subspan(range.first - 1, range.count);
}

void Folder::AddSample(const Sample& sample, std::int64_t weight,
                       std::optional<std::uint64_t> records) {
  const Root& root = RootOf(sample.labels);
  stack_.clear();
  std::uint64_t callee_address = 0;
  for (StackId at = sample.stack; at != kEmptyStack; at = profile_.stacks().caller(at)) {
    const LocationId location = profile_.stacks().leaf(at);
    const std::uint64_t address = profile_.location(location).address;
    // What the kernel interrupted is no call.
    const bool left_kernel = callee_address >= kKernelHalf && address < kKernelHalf;
    const bool is_call = at != sample.stack && !left_kernel;
    callee_address = address;
    const std::span<const LocationId> frames = FramesOf(location, root.is_java, is_call);
    stack_.insert(stack_.end(), frames.rbegin(), frames.rend());
  }
  if (root.frame.has_value()) stack_.push_back(*root.frame);
  std::ranges::reverse(stack_);
  builder_.AddSample(builder_.AddStack(stack_), kNoLabels, {weight}, records);
}

}  // namespace

Profile FoldLikeFlamegraph(const Profile& profile, std::size_t sample_type,
                           const FlamegraphStyle& style) {
  return Folder(profile, sample_type, style).Fold();
}

}  // namespace sonde
