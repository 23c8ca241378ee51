// AgentOutput: the profile of a view as a file, in the format that its name says.

#include "cli/agent_output.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/agent_input.h"
#include "cli/output.h"
#include "sonde/call_tree.h"
#include "sonde/flame_graph.h"
#include "sonde/folded.h"
#include "sonde/frame_names.h"
#include "sonde/hotspots.h"
#include "sonde/pprof.h"

namespace sonde::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kTopStacks = 20;
constexpr std::size_t kTopFrames = 50;
constexpr std::array kEnds = {kPprofEnd, kFoldedEnd, kSvgEnd, kTopEnd};

std::string JoinedWith(const std::string& folder, std::string_view name) {
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

Result<std::unique_ptr<ByteSink>> OpenWithFolder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return Error{.code = ErrorCode::kOutput,
                 .message = "cannot make the folder: " + error.message(),
                 .file = folder.string()};
  }
  return OpenOutput(path);
}

Status WriteSvg(AgentView view, const Profile& profile, const AgentPicture& picture,
                ByteSink& sink) {
  const FrameNames names(profile);
  const CallTree tree(names, 0);
  const FlameShape shape{.type = profile.sample_types()[0]};
  FlameStyle style{.title = picture.project + ": " + std::string(NameOf(view)),
                   .subtitle = DescribeForFlame(profile, 0),
                   .layout = FlameLayout::kFlame,
                   .width_px = picture.width_px};
  if (picture.base == nullptr) {
    const Result<FlameGraph> graph = FlameGraph::Make(tree, shape);
    return graph.ok() ? graph.value().WriteSvg(style, sink) : Status(graph.error());
  }
  style.title += " (difference)";
  const FrameNames base_names(*picture.base);
  const CallTree base(base_names, 0);
  const Result<FlameGraph> graph = FlameGraph::MakeDifference(base, tree, shape);
  return graph.ok() ? graph.value().WriteSvg(style, sink) : Status(graph.error());
}

std::string Text(const char* format, auto... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

Json ProfileAsJson(AgentView view, const Profile& profile) {
  const FrameNames names(profile);
  std::map<std::string, std::int64_t> stacks;
  std::map<StackId, std::uint64_t> uses;
  std::uint64_t max_reuse = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    max_reuse = std::max(max_reuse, ++uses[sample.stack]);
    if (sample.values[0] == 0) continue;
    std::string stack;
    for (const LocationId location : profile.stacks().Frames(sample.stack)) {
      if (!stack.empty()) stack += ';';
      stack += names.text(names.frames(location).front().name);
    }
    std::int64_t& weight = stacks[stack];
    weight = SaturatingAdd(weight, sample.values[0]);
  }
  std::vector<std::pair<std::string, std::int64_t>> heaviest(stacks.begin(), stacks.end());
  std::stable_sort(heaviest.begin(), heaviest.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  heaviest.resize(std::min(heaviest.size(), kTopStacks));
  Json top = Json::array();
  for (const auto& [stack, weight] : heaviest) {
    top.push_back({{"stack", stack}, {"weight", weight}});
  }
  const double ratio = stacks.empty() ? 0
                                      : static_cast<double>(profile.records().value_or(0)) /
                                            static_cast<double>(stacks.size());
  const ValueType& type = profile.sample_types()[0];
  return {{"view", NameOf(view)},
          {"sample_type", type.type},
          {"unit", type.unit},
          {"summary",
           {{"total_weight", profile.Total(0)},
            {"unique_stacks", stacks.size()},
            {"compression_ratio", ratio},
            {"max_stack_reuse", max_reuse},
            {"top", std::move(top)}}},
          {"stacks", std::move(stacks)}};
}

}  // namespace

std::string_view NameOf(AgentFormat format) noexcept {
  switch (format) {
    case AgentFormat::kPprof:
      return "pprof";
    case AgentFormat::kFolded:
      return "folded";
    case AgentFormat::kSvg:
      return "svg";
    case AgentFormat::kJson:
      break;
  }
  return "json";
}

std::optional<AgentFormat> FormatOfName(std::string_view path) {
  if (path.ends_with(".pb") || path.ends_with(".pb.gz")) return AgentFormat::kPprof;
  if (path.ends_with(".folded")) return AgentFormat::kFolded;
  if (path.ends_with(".svg")) return AgentFormat::kSvg;
  if (path.ends_with(".json")) return AgentFormat::kJson;
  return std::nullopt;
}

std::string StemIn(const std::string& folder, AgentView view) {
  return JoinedWith(folder, NameOf(view));
}

std::string JsonIn(const std::string& folder) { return JoinedWith(folder, "agent.json"); }

std::vector<std::string> AllAgentFiles(const std::string& folder) {
  std::vector<std::string> files = {JsonIn(folder)};
  for (const AgentView view : AllAgentViews()) {
    for (const std::string_view end : kEnds) files.push_back(StemIn(folder, view).append(end));
  }
  return files;
}

SessionSpill::SessionSpill() : file_(std::tmpfile()) {}

Status SessionSpill::Add(std::string_view line) {
  const std::string_view before = is_empty_ ? "\n" : ",\n";
  is_empty_ = false;
  if (file_ == nullptr ||
      std::fwrite(before.data(), 1, before.size(), file_.get()) != before.size() ||
      std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) {
    return Error{.code = ErrorCode::kSystem, .message = "no room for the sessions of JSON output"};
  }
  return {};
}

Status SessionSpill::CopyTo(ByteSink& sink) const {
  if (file_ == nullptr) return {};
  std::rewind(file_.get());
  std::vector<char> block(std::size_t{64} << 10);
  while (true) {
    const std::size_t got = std::fread(block.data(), 1, block.size(), file_.get());
    if (got == 0) break;
    if (Status written = sink.Write({block.data(), got}); !written.ok()) return written;
  }
  if (std::ferror(file_.get()) == 0) return {};
  return Error{.code = ErrorCode::kSystem, .message = "the sessions of JSON output were lost"};
}

Status WriteAgentFile(const std::string& path, AgentFormat format, AgentView view,
                      const Profile& profile, const AgentPicture& picture) {
  Result<std::unique_ptr<ByteSink>> file = OpenWithFolder(path);
  if (!file.ok()) return InFile(file.error(), path);
  ByteSink& sink = *file.value();
  const auto write = [&]() -> Status {
    switch (format) {
      case AgentFormat::kPprof: {
        if (!path.ends_with(".gz")) {
          if (Status written = WritePprof(profile, sink); !written.ok()) return written;
          return sink.Close();
        }
        GzipSink packed(sink);
        if (Status written = WritePprof(profile, packed); !written.ok()) return written;
        return packed.Close();
      }
      case AgentFormat::kFolded:
        if (Status written = WriteFolded(FrameNames(profile), 0, sink); !written.ok()) {
          return written;
        }
        return sink.Close();
      case AgentFormat::kSvg:
        if (Status written = WriteSvg(view, profile, picture, sink); !written.ok()) return written;
        return sink.Close();
      case AgentFormat::kJson:
        break;
    }
    return Error{.code = ErrorCode::kInternal, .message = "JSON is written with its sessions"};
  };
  const Status written = write();
  return written.ok() ? written : Status(InFile(written.error(), path));
}

Status WriteAgentJson(const std::string& path,
                      const std::vector<std::pair<AgentView, const Profile*>>& profiles,
                      const SessionSpill& sessions) {
  Json head = Json::object();
  std::int64_t end_ns = 0;
  for (const auto& [view, profile] : profiles) {
    head["views"][std::string(NameOf(view))] = ProfileAsJson(view, *profile);
    end_ns = std::max(end_ns, profile->time_ns() + profile->duration_ns());
  }
  if (profiles.size() == 1) {
    head["profile"] = std::move(head["views"][std::string(NameOf(profiles.front().first))]);
    head.erase("views");
  }
  if (!profiles.empty()) head["losses"] = LossesAsJson(profiles.front().second->losses());
  head["schema_version"] = 1;
  // The end of what was profiled rather than now: equal input gives equal bytes.
  head["generated_at"] = TimeText(end_ns);
  std::string text = head.dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind('\n'));

  Result<std::unique_ptr<ByteSink>> file = OpenWithFolder(path);
  if (!file.ok()) return InFile(file.error(), path);
  ByteSink& sink = *file.value();
  const auto write = [&]() -> Status {
    if (Status done = sink.Write(text + ",\n  \"sessions\": ["); !done.ok()) return done;
    if (Status done = sessions.CopyTo(sink); !done.ok()) return done;
    if (Status done = sink.Write("\n  ]\n}\n"); !done.ok()) return done;
    return sink.Close();
  };
  const Status written = write();
  return written.ok() ? written : Status(InFile(written.error(), path));
}

Status RemoveAgentFiles(const std::string& stem) {
  for (const std::string_view end : kEnds) {
    const std::string path = stem + std::string(end);
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) continue;
    if (!std::filesystem::remove(path, error) && error) {
      return Error{.code = ErrorCode::kOutput,
                   .message = "is of an earlier run and cannot be removed: " + error.message(),
                   .file = path};
    }
  }
  return {};
}

Status WriteTop(const std::string& path, const Profile& profile) {
  const FrameNames names(profile);
  const std::vector<Hotspot> hotspots = FindHotspots(names, 0);
  const std::int64_t total = profile.Total(0);
  const auto percent = [&](std::int64_t part) {
    return total == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(total);
  };
  const ValueType& type = profile.sample_types()[0];
  std::string rows;
  std::int64_t sum = 0;
  std::size_t shown = 0;
  for (const Hotspot& hotspot : hotspots) {
    if (shown == kTopFrames) break;
    ++shown;
    sum = SaturatingAdd(sum, hotspot.self);
    rows +=
        Text("%15" PRId64 " %6.2f%% %6.2f%% %15" PRId64 " %6.2f%%  ", hotspot.self,
             percent(hotspot.self), percent(sum), hotspot.inclusive, percent(hotspot.inclusive));
    rows.append(names.text(hotspot.name)).push_back('\n');
  }
  std::string text = "Type: " + type.type + " (" + type.unit + ")\n";
  text += "Time: " + TimeText(profile.time_ns()) + '\n';
  text += "Duration: " + DurationText(profile.duration_ns()) +
          ", Total samples = " + std::to_string(total) + '\n';
  text += Text("Showing %zu of %zu nodes accounting for %" PRId64 ", %.2f%% of %" PRId64 " total\n",
               shown, hotspots.size(), sum, percent(sum), total);
  text += Text("%15s %7s %7s %15s %7s\n", "flat", "flat%", "sum%", "cum", "cum%");
  Result<std::unique_ptr<ByteSink>> file = OpenWithFolder(path);
  if (!file.ok()) return InFile(file.error(), path);
  Status written = file.value()->Write(text + rows);
  if (written.ok()) written = file.value()->Close();
  return written.ok() ? written : Status(InFile(written.error(), path));
}

}  // namespace sonde::cli
