#!/usr/bin/env bash
# serving.sh BUILD_DIR [PAIRS [SECONDS]]: what 500 requests a second on the page and the endpoints cost the
# latency of the program that answers them. Pairs of runs with and without h2load; use a release build
# with SONDE_BUILD_BENCH on, on a quiet machine. Ends with 1 when the median 99th percentile moved by
# more than the spread of the runs without plus 5 %, or the memory of the last run exceeds that of the first.
set -euo pipefail
host=${1:?usage: serving.sh BUILD_DIR [PAIRS [SECONDS]]}/tests/bench/bench.served_host
pairs=${2:-5}
seconds=${3:-20}
command -v h2load >/dev/null || { echo "skipped: no h2load (Debian: nghttp2-client)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run() {  # run LOADED: one line of bench.served_host.
  local port
  port=$(shuf -i 20000-50000 -n 1)
  "$host" "$port" "$seconds" "$scratch/session" >"$scratch/out" &
  local pid=$!
  sleep 0.5
  if [ "$1" = loaded ]; then
    printf '%s\n' "http://127.0.0.1:$port"/{,api/status,api/tasks,api/flame?window=10,metrics,assets/page.js} >"$scratch/urls"
    timeout "$seconds" h2load --h1 --rps=50 -c10 -D "$((seconds - 1))" -i "$scratch/urls" >"$scratch/h2load.txt" 2>&1 || true
  fi
  wait "$pid"
  cat "$scratch/out"
}

echo "load $(cut -d' ' -f1 /proc/loadavg), $pairs pairs of $seconds seconds: p50 us, p99 us, resident MiB"
for ((i = 0; i < pairs; ++i)); do
  alone=$(run alone)
  loaded=$(run loaded)
  echo "alone $alone   loaded $loaded   $(grep -m1 -E '^(finished|requests)' "$scratch/h2load.txt")"
  echo "$alone" >>"$scratch/alone"
  echo "$loaded" >>"$scratch/loaded"
done
python3 - "$scratch" <<'PYTHON'
import statistics, sys
alone, loaded = ([list(map(float, line.split())) for line in open(f"{sys.argv[1]}/{name}")] for name in ("alone", "loaded"))
p99 = [row[1] for row in alone]
middle, spread = statistics.median(p99), max(p99) - min(p99)
moved = statistics.median(row[1] for row in loaded) - middle
allowed = spread + 0.05 * middle
memory = [row[2] for row in loaded]
print(f"p99 alone {middle:.0f} us (spread {spread:.0f}); under requests it moves by {moved:.0f} us (at most {allowed:.0f})")
print(f"resident under requests: {memory[0]:.1f} MiB in the first run, {memory[-1]:.1f} in the last")
sys.exit(moved > allowed or memory[-1] > memory[0] * 1.1 + 1)
PYTHON
