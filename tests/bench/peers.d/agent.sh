# Rows of peers.sh: a history of coding agents to its sums. shellcheck shell=bash
# ccusage is the npm package, agentpprof the crate; both read the history from the homes of the agents.

history="$scratch/history"
if [ ! -d "$history/.claude" ]; then
  "$here/make_agent_history.py" "$history/logs" >/dev/null
  mkdir -p "$history/.codex/sessions/2026/01/01" "$history/.claude/projects/-home-dev-app"
  mv "$history"/logs/rollout-* "$history/.codex/sessions/2026/01/01"
  mv "$history"/logs/*.jsonl "$history/.claude/projects/-home-dev-app"
fi
home="env HOME='$history' CODEX_HOME='$history/.codex' CLAUDE_CONFIG_DIR='$history/.claude' XDG_CACHE_HOME='$history/cache'"

row "agent logs, 2 GB, to sums" "ccusage daily" ccusage "$home ccusage daily --json --offline" \
  "$home '$sonde' sessions --json --no-parse-cache" ">= 8" wall
row "agent logs, 2 GB, to tokens" "agentpprof" agentpprof \
  "$home agentpprof --project-root /home/dev/app --view tokens -o '$scratch/peer.pb.gz'" \
  "$home '$sonde' agent --project-root /home/dev/app --view tokens --no-parse-cache -o '$scratch/agent.pb.gz'" ">= 5" wall
