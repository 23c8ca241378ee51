#!/usr/bin/env bash
# Speed and memory of reading agent logs: agent_history.sh PROGRAM [BYTES] [FILES] [ONE_FILE_BYTES] [CALLS]
#
# Makes a history, checks that the account is what was written, and prints seconds and megabytes.
# Exits with 77 where the disk has no room for it.
set -euo pipefail

program=$1
bytes=${2:-2000000000}
files=${3:-2000}
one_file=${4:-0}
calls=${5:-0}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

free=$(df --output=avail --block-size=1 "$folder" | tail -1)
[ "$free" -gt $((2 * (bytes + one_file + 400 * calls))) ] || { echo "no room for $bytes bytes"; exit 77; }

measure() {  # label command...
  local label=$1
  shift
  python3 - "$label" "$@" <<'PYTHON'
import resource, subprocess, sys, time
start = time.monotonic()
done = subprocess.run(sys.argv[2:], stdout=open("/dev/null", "w"), check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]:<28} wall {time.monotonic() - start:6.2f} s   CPU {use.ru_utime + use.ru_stime:6.2f} s   "
      f"resident {use.ru_maxrss / 1024:6.0f} MB")
PYTHON
}

check() {  # what was written, as JSON
  "$program" sessions --json --no-parse-cache "$folder/logs" | python3 -c '
import json, sys
wanted, totals = json.loads(sys.argv[1]), json.load(sys.stdin)["totals"]
found = {k: totals["tokens"][k] if k == "output" else totals[k] for k in wanted}
sys.exit(0 if found == wanted else f"written {wanted}, read {found}")' "$1"
}

written=$(python3 "$here/make_agent_history.py" "$folder/logs" --bytes "$bytes" --files "$files")
cat "$folder"/logs/* >/dev/null
check "$written"
echo "$(du -sm "$folder/logs" | cut -f1) MB in $(ls "$folder/logs" | wc -l) files"
measure "cold, no cache" "$program" sessions --json --no-parse-cache "$folder/logs"
measure "cold, writes the cache" "$program" sessions --json --parse-cache "$folder/cache" "$folder/logs"
measure "unchanged, from the cache" "$program" sessions --json --parse-cache "$folder/cache" "$folder/logs"

if [ "$one_file" -gt 0 ]; then
  rm -rf "$folder/logs"
  written=$(python3 "$here/make_agent_history.py" "$folder/logs" --one-file "$one_file")
  check "$written"
  measure "one file, lines of 3 MB" "$program" sessions --json --no-parse-cache "$folder/logs"
fi

if [ "$calls" -gt 0 ]; then
  for agent in claude codex; do
    rm -rf "$folder/logs"
    python3 "$here/make_agent_history.py" "$folder/logs" --calls "$calls" >/dev/null
    measure "$calls calls of $agent" "$program" sessions --json --no-parse-cache "$folder/logs/$agent.jsonl"
  done
fi
