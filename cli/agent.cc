// sonde agent: what coding agents did, as profiles.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "cli/agent_options.h"
#include "cli/agent_output.h"
#include "cli/agent_status.h"
#include "cli/agent_tagging.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/suggest_rules.h"
#include "sonde/combine.h"
#include "sonde/formats.h"
#include "sonde/frame_names.h"
#include "sonde/profile_builder.h"

namespace sonde::cli {
namespace {

using Json = nlohmann::json;

Error Invalid(std::string message) {
  return {.code = ErrorCode::kInvalid, .message = std::move(message)};
}

// The weight of each stack alone, under the name `type`: what two profiles from different
// sources have in common.
Profile StacksOf(const Profile& profile, std::size_t index, const ValueType& type) {
  const FrameNames names(profile);
  ProfileBuilder builder({type});
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    StackId stack = kEmptyStack;
    for (const LocationId location : profile.stacks().Frames(sample.stack)) {
      for (const Frame& frame : names.frames(location)) {
        stack = builder.Extend(stack, builder.FrameNamed(names.text(frame.name)));
      }
    }
    builder.AddSample(stack, kNoLabels, {sample.values[index]}, profile.records(i));
  }
  builder.SetTime(profile.time_ns());
  builder.SetDuration(profile.duration_ns());
  builder.losses().Add(profile.losses());
  return std::move(builder).Build();
}

// What may be subtracted from `type`: its own kind; or, of text that names no kind, the one there
// is.
std::optional<std::size_t> SampleTypeLike(const Profile& base, const ValueType& type) {
  const std::span<const ValueType> types = base.sample_types();
  const auto same = std::find(types.begin(), types.end(), type);
  if (same != types.end()) return static_cast<std::size_t>(same - types.begin());
  const bool names_none = types.size() == 1 && types[0] == ValueType{"samples", "count"};
  return names_none ? std::optional<std::size_t>(0) : std::nullopt;
}

// "tokens (count), cost (nanodollars)".
std::string TypesOf(const Profile& profile) {
  std::string list;
  for (const ValueType& type : profile.sample_types()) {
    list += (list.empty() ? "" : ", ") + type.type + " (" + type.unit + ')';
  }
  return list;
}

class AgentRun {
 public:
  explicit AgentRun(const AgentOptions& options) : options_(options) {}

  Result<int> Run();

 private:
  Status CheckArguments();
  // The files that are read, beside the cache of tags.
  std::vector<std::string> Inputs() const;
  Status CheckFiles() const;
  Result<AgentHistory> Read();
  Result<Json> WriteOne(AgentProjection& projection, const AgentHistory& history);
  Result<Json> WriteAll(AgentProjection& projection, const AgentHistory& history);
  Result<Json> WriteDifference(const Profile& now);

  const AgentOptions& options_;
  AgentLogFiles logs_;
  AgentFormat format_ = AgentFormat::kPprof;
  std::optional<Profile> base_;
  SessionSpill spill_;
  std::vector<std::string> warnings_;
};

Status AgentRun::CheckArguments() {
  if (options_.output.empty() == options_.all.empty()) {
    return Error{.code = ErrorCode::kUsage, .message = "give either -o FILE or --all FOLDER"};
  }
  if (!options_.all.empty()) {
    if (!options_.diff_base.empty()) {
      return Error{.code = ErrorCode::kUsage, .message = "--diff-base is for a single view"};
    }
    std::error_code error;
    if (std::filesystem::exists(options_.all, error) &&
        !std::filesystem::is_directory(options_.all, error)) {
      return Error{
          .code = ErrorCode::kPathSafety, .message = "is not a folder", .file = options_.all};
    }
    return {};
  }
  const std::optional<AgentFormat> by_name = FormatOfName(options_.output);
  std::optional<AgentFormat> by_option;
  for (const AgentFormat format :
       {AgentFormat::kPprof, AgentFormat::kFolded, AgentFormat::kSvg, AgentFormat::kJson}) {
    if (options_.format == NameOf(format)) by_option = format;
  }
  format_ = by_name.value_or(by_option.value_or(AgentFormat::kPprof));
  if (by_name && by_option && *by_name != *by_option) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "the output's extension says " + std::string(NameOf(*by_name)) +
                            ", --format says " + options_.format,
                 .file = options_.output};
  }
  if (!options_.diff_base.empty() && format_ == AgentFormat::kJson) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "a difference is written as pprof, folded or svg"};
  }
  return {};
}

std::vector<std::string> AgentRun::Inputs() const {
  std::vector<std::string> inputs = logs_.named;
  for (const auto& files : {logs_.found.files, options_.tag_rule_files, options_.op_map_files,
                            std::vector<std::string>{options_.diff_base, options_.prices}}) {
    std::copy_if(files.begin(), files.end(), std::back_inserter(inputs),
                 [](const std::string& file) { return !file.empty(); });
  }
  return inputs;
}

Status AgentRun::CheckFiles() const {
  std::vector<std::string> inputs = Inputs();
  if (const std::string cache = TagCacheOf(options_); !cache.empty()) {
    const Status added_to = options_.no_cache ? Status() : CheckNoInput(cache, inputs);
    if (!added_to.ok()) return added_to;
    inputs.push_back(cache);
  }
  const std::vector<std::string> outputs = options_.all.empty()
                                               ? std::vector<std::string>{options_.output}
                                               : AllAgentFiles(options_.all);
  return CheckOutputs(outputs, inputs, MissingFolder::kMade);
}

Result<AgentHistory> AgentRun::Read() {
  AgentInput input = options_.input;
  // Named files are taken whole; what is looked for must have worked in the project.
  input.project_root = input.is_named() ? std::string() : ProjectRootOf(options_);
  Result<AgentHistory> history = ReadHistory(input, std::move(logs_));
  if (!history.ok()) return history.error();
  if (history.value().sessions().empty()) return Invalid(WhyNoSession(input));
  return history;
}

Result<int> AgentRun::Run() {
  // Everything that can be wrong about the arguments is found before anything is read.
  if (Status checked = CheckArguments(); !checked.ok()) return checked.error();
  logs_ = FindLogs(options_.input);
  if (Status checked = CheckFiles(); !checked.ok()) return checked.error();
  Result<ProjectionOptions> asked = ProjectionOptionsOf(options_);
  if (!asked.ok()) return asked.error();
  ProjectionOptions& projecting = asked.value();
  std::optional<PriceTable> prices;
  if (!options_.prices.empty()) {
    Result<std::string> text = ReadTextFile(options_.prices);
    if (!text.ok()) return text.error();
    const Result<PriceTable> own = PriceTable::FromToml(text.value());
    if (!own.ok()) return InFile(own.error(), options_.prices);
    prices = PriceTable::Shipped().After(own.value());
    projecting.prices = &*prices;
  }
  Result<AgentTagging> tagging = AgentTagging::Create(options_);
  if (!tagging.ok()) return tagging.error();
  projecting.tagger = &tagging.value().tagger();
  projecting.task_tagger = tagging.value().task_tagger();
  const bool wants_sessions = !options_.all.empty() || format_ == AgentFormat::kJson;
  if (wants_sessions) {
    projecting.sessions_sink = [this](std::string_view line) { return spill_.Add(line); };
  }
  Result<AgentProjection> created = AgentProjection::Create(std::move(projecting));
  if (!created.ok()) return created.error();
  AgentProjection& projection = created.value();
  if (!options_.diff_base.empty()) {
    Result<Profile> base = ReadProfileFile(options_.diff_base);
    if (!base.ok()) return base.error();
    base_ = std::move(base).value();
  }

  Result<AgentHistory> history = Read();
  if (!history.ok()) return history.error();
  if (Status done = ProjectHistory(history.value(), projection); !done.ok()) return done.error();
  if (projection.counts().sessions + projection.counts().subagents == 0) {
    const std::string session_tag =
        options_.session_tag.empty() ? "" : "--session-tag " + options_.session_tag;
    const std::string prompt_tag =
        options_.prompt_tag.empty() ? "" : "--prompt-tag " + options_.prompt_tag;
    return Invalid("no session is left by " + session_tag +
                   (session_tag.empty() || prompt_tag.empty() ? "" : " and ") + prompt_tag);
  }
  Result<Json> written = options_.all.empty() ? WriteOne(projection, history.value())
                                              : WriteAll(projection, history.value());
  if (!written.ok()) return written.error();

  for (auto& more : {tagging.value().Warnings(), projection.Warnings()}) {
    warnings_.insert(warnings_.end(), more.begin(), more.end());
  }
  if (options_.include_previews) {
    warnings_.push_back("--include-previews: text of prompts, answers and commands is shown");
  }
  Json status = std::move(written).value();
  status["status"] = "ok";
  status["sessions"] = projection.counts().sessions;
  status["subagents"] = projection.counts().subagents;
  status["prompts"] = projection.counts().prompts;
  status["tools"] = projection.counts().tools;
  status["llm_calls"] = projection.counts().llm_calls;
  status["warnings"] = warnings_;
  status["losses"] = LossesAsJson(WithoutFolders(history.value().losses()));
  status["tagging"] = TaggingAsJson(projection.tags());
  // Standard output may be taken by the profile.
  if (options_.output != "-") {
    std::cout << status.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  PrintTagging(projection.tags());
  PrintWarnings(warnings_);
  PrintLosses(history.value().losses());
  return 0;
}

Result<Json> AgentRun::WriteDifference(const Profile& now) {
  const ValueType type = now.sample_types()[0];
  const std::optional<std::size_t> base_type = SampleTypeLike(*base_, type);
  if (!base_type) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "--diff-base has no weights in " + type.type + " (" + type.unit +
                            ") of the view " + options_.view + "; it holds " + TypesOf(*base_),
                 .file = options_.diff_base};
  }
  const Profile base_stacks = StacksOf(*base_, *base_type, type);
  const Profile now_stacks = StacksOf(now, 0, type);
  Result<Profile> difference = Subtract(now_stacks, base_stacks);
  if (!difference.ok()) return difference.error();
  const AgentView view = *AgentViewNamed(options_.view);
  const bool is_picture = format_ == AgentFormat::kSvg;
  const AgentPicture picture{.project = "sonde agent",
                             .width_px = options_.svg_width,
                             .base = is_picture ? &base_stacks : nullptr};
  if (Status written = WriteAgentFile(options_.output, format_, view,
                                      is_picture ? now_stacks : difference.value(), picture);
      !written.ok()) {
    return written.error();
  }
  Json status = WeightsAsJson(difference.value());
  status.update(DifferenceAsJson(difference.value()));
  return status;
}

Result<Json> AgentRun::WriteOne(AgentProjection& projection, const AgentHistory& history) {
  const AgentView view = *AgentViewNamed(options_.view);
  Result<Profile> profile = projection.Take(view, history.losses());
  if (!profile.ok()) return profile.error();
  Json status;
  if (base_) {
    Result<Json> difference = WriteDifference(profile.value());
    if (!difference.ok()) return difference.error();
    status = std::move(difference).value();
  } else {
    const AgentPicture picture{.project = projection.project_name(),
                               .width_px = options_.svg_width};
    const Status written =
        format_ == AgentFormat::kJson
            ? WriteAgentJson(options_.output, {{view, &profile.value()}}, spill_)
            : WriteAgentFile(options_.output, format_, view, profile.value(), picture);
    if (!written.ok()) return written.error();
    status = WeightsAsJson(profile.value());
  }
  status["output"] = options_.output;
  status["format"] = NameOf(format_);
  status["view"] = options_.view;
  return status;
}

Result<Json> AgentRun::WriteAll(AgentProjection& projection, const AgentHistory& history) {
  const AgentPicture picture{.project = projection.project_name(), .width_px = options_.svg_width};
  std::vector<std::pair<AgentView, Profile>> profiles;
  std::vector<std::string> stale;
  Json views = Json::object();
  for (const AgentView view : AllAgentViews()) {
    Result<Profile> profile = projection.Take(view, history.losses());
    const std::string stem = StemIn(options_.all, view);
    if (!profile.ok()) {
      warnings_.push_back(profile.error().message);
      stale.push_back(stem);
      continue;
    }
    for (const auto& [end, format] :
         {std::pair{kPprofEnd, AgentFormat::kPprof}, std::pair{kFoldedEnd, AgentFormat::kFolded},
          std::pair{kSvgEnd, AgentFormat::kSvg}}) {
      if (Status written =
              WriteAgentFile(stem + std::string(end), format, view, profile.value(), picture);
          !written.ok()) {
        return written.error();
      }
    }
    if (Status written = WriteTop(stem + std::string(kTopEnd), profile.value()); !written.ok()) {
      return written.error();
    }
    views[std::string(NameOf(view))] = WeightsAsJson(profile.value());
    profiles.emplace_back(view, std::move(profile).value());
  }
  if (profiles.empty()) return Invalid("no view has a sample in the sessions chosen");
  std::vector<std::pair<AgentView, const Profile*>> tables;
  for (const auto& [view, profile] : profiles) tables.emplace_back(view, &profile);
  if (Status written = WriteAgentJson(JsonIn(options_.all), tables, spill_); !written.ok()) {
    return written.error();
  }
  for (const std::string& stem : stale) {
    if (Status removed = RemoveAgentFiles(stem); !removed.ok()) return removed.error();
  }
  return Json{{"output", options_.all}, {"views", std::move(views)}};
}

}  // namespace

void AddAgent(Program& program) {
  const auto options = std::make_shared<AgentOptions>();
  const auto suggesting = std::make_shared<SuggestRules>();
  CLI::App* const command =
      program.Command("agent", "Turn the logs of coding agents into profiles of what they did",
                      [options, suggesting]() -> Result<int> {
                        if (suggesting->is_asked()) return suggesting->Run(*options);
                        return AgentRun(*options).Run();
                      });
  AddAgentOptions(*command, *options);
  suggesting->AddTo(*command);
}

}  // namespace sonde::cli
