// AgentView: names, weights and stack shapes of the views.

#include <array>

#include "sonde/agent_projection.h"

namespace sonde {
namespace {

constexpr std::array<AgentView, kAgentViews> kViews = {
    AgentView::kOperations, AgentView::kTokens, AgentView::kFiles, AgentView::kNetwork,
    AgentView::kTime,       AgentView::kTools,  AgentView::kCost};

constexpr std::string_view kTaskFirst = "task,skill,phase,action,object,repeat,result,outcome";
constexpr std::string_view kSessionFirst = "project,agent,session,prompt,";

std::string TaskFirst(AgentView view) {
  const bool is_tokens = view == AgentView::kTokens || view == AgentView::kCost;
  std::string stack(kTaskFirst);
  if (view == AgentView::kTools) return "task,skill,category,tool,cmd,object,result";
  if (view == AgentView::kCost) return "task,skill,phase,model,token";
  return is_tokens ? stack + ",token" : stack;
}

std::string Wide(AgentView view) {
  constexpr std::string_view kTool = "phase,op,tool,cmd,process,";
  const std::string start(kSessionFirst);
  switch (view) {
    case AgentView::kOperations:
    case AgentView::kTools:
      return "project,agent,task,session,prompt,phase,op,tool,action,cmd,process,path,domain,"
             "status";
    case AgentView::kTokens:
    case AgentView::kCost:
      return start + "phase,op,call,model,token";
    case AgentView::kFiles:
      return start + std::string(kTool) + "path,effect,status";
    case AgentView::kNetwork:
      return start + std::string(kTool) + "domain,status";
    case AgentView::kTime:
      break;
  }
  return start + std::string(kTool) + "call,model";
}

std::string CallFirst(AgentView view) {
  constexpr std::string_view kTool = "call,tool,process,effect,";
  const std::string start(kSessionFirst);
  switch (view) {
    case AgentView::kTokens:
    case AgentView::kCost:
      return start + "call,model,token";
    case AgentView::kFiles:
      return start + std::string(kTool) + "status,file";
    case AgentView::kNetwork:
      return start + std::string(kTool) + "status,domain";
    case AgentView::kOperations:
    case AgentView::kTime:
    case AgentView::kTools:
      break;
  }
  return start + std::string(kTool) + "target,status";
}

std::string KindFirst(AgentView view) {
  const std::string start(kSessionFirst);
  switch (view) {
    case AgentView::kTokens:
    case AgentView::kCost:
      return "project,agent,model,kind,session,prompt,call";
    case AgentView::kFiles:
      return start + "path,effect,status";
    case AgentView::kNetwork:
      return start + "domain,process,status";
    case AgentView::kTools:
      return start + "call,process,effect,target,status";
    case AgentView::kOperations:
    case AgentView::kTime:
      break;
  }
  return start + "kind,call,model,effect,status";
}

}  // namespace

std::string_view NameOf(AgentView view) noexcept {
  constexpr std::array<std::string_view, kAgentViews> kNames = {
      "operations", "tokens", "files", "network", "time", "tools", "cost"};
  return kNames[static_cast<std::size_t>(view)];
}

std::optional<AgentView> AgentViewNamed(std::string_view name) noexcept {
  for (const AgentView view : kViews) {
    if (NameOf(view) == name) return view;
  }
  return std::nullopt;
}

std::span<const AgentView> AllAgentViews() noexcept { return kViews; }

ValueType WeightOf(AgentView view) {
  switch (view) {
    case AgentView::kOperations:
      return {"operations", "count"};
    case AgentView::kTokens:
      return {"tokens", "count"};
    case AgentView::kFiles:
      return {"file_events", "count"};
    case AgentView::kNetwork:
      return {"network_events", "count"};
    case AgentView::kTime:
      return {"duration", "nanoseconds"};
    case AgentView::kTools:
      return {"tool_calls", "count"};
    case AgentView::kCost:
      break;
  }
  return {"cost", "nanodollars"};
}

std::optional<std::string> PresetStack(std::string_view preset, AgentView view) {
  if (preset == "G4") return TaskFirst(view);
  if (preset == "G3") return Wide(view);
  if (preset == "G2" || preset == "G0") return CallFirst(view);
  if (preset == "G1") return KindFirst(view);
  return std::nullopt;
}

}  // namespace sonde
