// ProjectHistory: from logs to profiles.

#include "sonde/agent_projection.h"

namespace sonde {

Status ProjectHistory(const AgentHistory& history, AgentProjection& projection, unsigned threads) {
  SessionVisitors& visitors = projection.visitors(history.files());
  if (Status visited = VisitSessions(history, visitors, threads); !visited.ok()) return visited;
  return projection.Finish();
}

}  // namespace sonde
