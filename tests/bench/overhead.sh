#!/usr/bin/env bash
# overhead.sh BUILD_DIR [PAIRS]: what the sampler costs, beside an empty handler and gperftools in the same
# program. Use a release build, with SONDE_BUILD_BENCH on, on a quiet machine. Prints one line a figure.
set -euo pipefail
overhead=${1:?usage: overhead.sh BUILD_DIR [PAIRS]}/tests/bench/bench.overhead
pairs=${2:-300}
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

for hz in 99 999; do
  for profiler in empty own gperftools; do
    timeout --signal=KILL 1200 "$overhead" pairs "$profiler" "$hz" "$pairs" || true
  done
done

for depth in 10 50 200; do
  if command -v valgrind >/dev/null; then
    frames=$(valgrind --quiet --tool=callgrind --callgrind-out-file="$scratch/out" \
      --toggle-collect='*MeasuredSamples*' "$overhead" instructions "$depth" 2>/dev/null |
      sed -n 's/.* of \([0-9]*\) frames/\1/p')
    total=$(sed -n 's/^summary: \([0-9]*\).*/\1/p' "$scratch/out")
    printf 'instructions: depth %s, %s frames: %s a sample (at most %s)\n' "$depth" "$frames" \
      "$((total / 1000))" "$((150 * frames + 1000))"
  fi
done

"$overhead" latency 50 "$((pairs / 30 + 1))"

if command -v strace >/dev/null; then
  strace --follow-forks --output="$scratch/trace" "$overhead" steady 6
  tid=$(awk '/getpriority/ {print $1; exit}' "$scratch/trace")
  awk -v tid="$tid" '$1 == tid' "$scratch/trace" |
    awk '/getpriority/ {++marks; next} marks == 1 && /^[0-9]+ +[a-z_0-9]+\(/ {sub(/\(.*/, "", $2); ++calls[$2]}
         marks == 1 && /SIGPROF/ {++signals}
         END {printf "system calls of a warm thread during %d signals:", signals
              for (call in calls) printf " %s %d", call, calls[call]
              print ""}'
fi
