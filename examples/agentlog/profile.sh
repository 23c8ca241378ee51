#!/usr/bin/env bash
# Every view of the example logs in every format, under a complete rule set.
#
#   examples/agentlog/profile.sh [FOLDER]      writes to FOLDER (default: agent-profiles)
#
# SONDE names the program (default: sonde). For a history of your own, leave the --session-file
# arguments out, give --project-root, and write rules of your own (docs/skill/SKILL.md tells how).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-agent-profiles}
sonde=${SONDE:-sonde}

logs=()
while IFS= read -r log; do
  logs+=(--session-file "$log")
done < <(find "$here/codex" "$here/claude" -name '*.jsonl' | sort)

common=(--project-root /home/dev/orders --project-name orders --tag-rules "$here/rules.toml" "${logs[@]}")

# Everything at once: VIEW.pb.gz, VIEW.folded, VIEW.flame.svg, VIEW.top.txt and agent.json.
"$sonde" agent --all "$out" "${common[@]}" > "$out.status.json"

# Questions of one's own: what failing commands cost, and where tests spend their time.
"$sonde" agent "${common[@]}" --view tools --where 'status=fail|rejected' --stack task,cmd,object,status \
  -o "$out/failures.svg" > /dev/null
"$sonde" agent "${common[@]}" --view time --op-map 'task:verify=effect=test' --where 'task=verify' \
  --stack task,cmd,process,result -o "$out/tests.svg" > /dev/null
# By session and prompt rather than by task.
"$sonde" agent "${common[@]}" --view cost --stack-preset G2 -o "$out/cost-by-session.svg" > /dev/null

echo "profiles are in $out"
