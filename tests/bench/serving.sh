#!/usr/bin/env bash
# serving.sh BUILD_DIR [ROUNDS [SECONDS]]: what 500 requests a second on the page and the endpoints cost the
# latency of the program that answers them. Two equal programs run side by side in every run, so that what
# the machine pays, which h2load shares with both, is told from what the program pays: it shows in both.
# Rounds of a run without h2load and one in which it asks one of them, each in turn; use a release build
# with SONDE_BUILD_BENCH on, on a quiet machine. Ends with 1 when the median 99th percentile of the one that
# is asked exceeds that of the other by more than the spread of the runs without plus 5 %, or the memory of
# the last run exceeds that of the first.
set -euo pipefail
host=${1:?usage: serving.sh BUILD_DIR [ROUNDS [SECONDS]]}/tests/bench/bench.served_host
rounds=${2:-5}
seconds=${3:-20}
command -v h2load >/dev/null || { echo "skipped: no h2load (Debian: nghttp2-client)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run() {  # run ASKED: a line of bench.served_host from each program; ASKED is 0, 1 or none.
  local ports pids=() i
  mapfile -t ports < <(shuf -i 20000-50000 -n 2)
  for i in 0 1; do
    "$host" "${ports[$i]}" "$seconds" "$scratch/session$i" >"$scratch/out$i" &
    pids+=($!)
  done
  sleep 0.5
  if [ "$1" != none ]; then
    printf '%s\n' "http://127.0.0.1:${ports[$1]}"/{,api/status,api/tasks,api/flame?window=10,metrics,assets/page.js} >"$scratch/urls"
    timeout "$seconds" h2load --h1 --rps=50 -c10 -D "$((seconds - 1))" -i "$scratch/urls" >"$scratch/h2load.txt" 2>&1 || true
  fi
  wait "${pids[@]}"
}

echo "load $(cut -d' ' -f1 /proc/loadavg), $rounds rounds of two runs of $seconds seconds: p50 us, p99 us, p99 of CPU us, waits, resident MiB"
for ((round = 0; round < rounds; ++round)); do
  run none
  cat "$scratch"/out[01] >>"$scratch/alone"
  echo "alone $(cat "$scratch/out0")   and $(cat "$scratch/out1")"
  asked=$((round % 2))
  run "$asked"
  cat "$scratch/out$asked" >>"$scratch/asked"
  cat "$scratch/out$((1 - asked))" >>"$scratch/other"
  echo "asked $(cat "$scratch/out$asked")   other $(cat "$scratch/out$((1 - asked))")   $(grep -m1 -E '^(finished|requests)' "$scratch/h2load.txt")"
done
python3 - "$scratch" <<'PYTHON'
import statistics, sys
alone, asked, other = ([list(map(float, line.split())) for line in open(f"{sys.argv[1]}/{name}")]
                       for name in ("alone", "asked", "other"))
p99 = [row[1] for row in alone]
middle, spread = statistics.median(p99), max(p99) - min(p99)
moved = statistics.median(a[1] - b[1] for a, b in zip(asked, other))
allowed = spread + 0.05 * middle
memory = [row[4] for row in asked]
print(f"p99 alone {middle:.0f} us (spread {spread:.0f}); asked {statistics.median(row[1] for row in asked):.0f} us, "
      f"not asked on the same machine {statistics.median(row[1] for row in other):.0f} us: "
      f"being asked costs {moved:.0f} us (at most {allowed:.0f})")
middles = [statistics.median(row[column] for row in rows) for column in (2, 3) for rows in (alone, asked, other)]
print("p99 of a request's CPU time alone {:.0f}, asked {:.0f}, not asked {:.0f} us; waits {:.0f}, {:.0f}, {:.0f}".format(*middles))
print(f"resident while asked: {memory[0]:.1f} MiB in the first run, {memory[-1]:.1f} in the last")
sys.exit(moved > allowed or memory[-1] > memory[0] * 1.1 + 1)
PYTHON
