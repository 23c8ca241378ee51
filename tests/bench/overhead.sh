#!/usr/bin/env bash
# overhead.sh BUILD_DIR [PAIRS]: what the sampler costs, beside an empty handler and gperftools in the same
# program, and what it must not cost. Use a release build, with SONDE_BUILD_BENCH on, on a quiet machine.
# Each figure is a line, each bound a line "good", "MISSED" or "not judged", which times are while
# others keep the machine busy. Exits 0 when no bound was missed.
set -euo pipefail
build=${1:?usage: overhead.sh BUILD_DIR [PAIRS]}
overhead=$build/tests/bench/bench.overhead
timers=$build/tests/torture/torture.timers
pairs=${2:-300}
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

missed=0
# What others use of all cores, in percent, over two seconds in which this script does nothing.
used_by_others() {
  local before after
  before=$(head --lines=1 /proc/stat)
  sleep 2
  after=$(head --lines=1 /proc/stat)
  printf '%s\n%s\n' "$before" "$after" |
    awk '{all = 0; for (i = 2; i <= 9; ++i) all += $i; idle = $5 + $6}
         NR == 1 {all_before = all; idle_before = idle}
         END {printf "%.0f", 100 - 100 * (idle - idle_before) / (all - all_before)}'
}

# judge WHAT CONDITION: the condition is awk's. Counts do not depend on the machine's load.
judge() {
  if awk "BEGIN {exit !($2)}"; then
    echo "  good        $1"
  else
    echo "  MISSED      $1"
    missed=1
  fi
}
judge_time() {
  if [ "$quiet" = yes ]; then judge "$@"; else echo "  not judged  $1 (others used $others % before)"; fi
}
begin() {
  others=$(used_by_others)
  if [ "$others" -le 10 ]; then quiet=yes; else quiet=no; fi
  echo "$1; others use $others % of the cores, load $(cut -d' ' -f1 /proc/loadavg)"
}

# Of the line that "pairs" prints.
median() { sed -n 's/.*overhead +*\(-*[0-9.]*\)%.*/\1/p' "$1"; }
low() { sed -n 's/.*\[+*\(-*[0-9.]*\) \.\..*/\1/p' "$1"; }
high() { sed -n 's/.*\.\. +*\(-*[0-9.]*\)\].*/\1/p' "$1"; }

for hz in 99 999; do
  begin "overhead at $hz Hz, $pairs pairs"
  for profiler in empty own gperftools; do
    timeout --signal=KILL 1200 "$overhead" pairs "$profiler" "$hz" "$pairs" >"$scratch/$profiler" ||
      : >"$scratch/$profiler"
    cat "$scratch/$profiler"
  done
  own=$(median "$scratch/own") empty=$(median "$scratch/empty") peer=$(median "$scratch/gperftools")
  if [ "$hz" = 99 ]; then
    judge_time "median at most 0.25 %" "$own <= 0.25"
    judge_time "at most 0.15 points above the empty handler" "$own <= $empty + 0.15"
    [ -z "$peer" ] || judge_time "interval below a third of gperftools'" \
      "$(high "$scratch/own") < $(low "$scratch/gperftools") / 3"
  else
    judge_time "median at most 0.4 %" "$own <= 0.4"
    [ -z "$peer" ] || judge_time "at most an eighth of gperftools'" "$own <= $peer / 8"
  fi
done

if command -v valgrind >/dev/null; then
  begin "instructions of a warm sample"
  for depth in 10 50 200; do
    frames=$(valgrind --quiet --tool=callgrind --callgrind-out-file="$scratch/out" \
      --toggle-collect='*MeasuredSamples*' "$overhead" instructions "$depth" 2>/dev/null |
      sed -n 's/.* of \([0-9]*\) frames/\1/p')
    total=$(sed -n 's/^summary: \([0-9]*\).*/\1/p' "$scratch/out")
    judge "depth $depth, $frames frames: $((total / 1000)), at most $((150 * frames + 1000))" \
      "$total / 1000 <= 150 * $frames + 1000"
  done
fi

if command -v strace >/dev/null; then
  begin "system calls of a warm thread"
  strace --follow-forks --output="$scratch/trace" "$overhead" steady 6
  tid=$(awk '/getpriority/ {print $1; exit}' "$scratch/trace")
  # A call that another thread's lines cut in two begins once.
  awk -v tid="$tid" '$1 == tid && !/ resumed>/' "$scratch/trace" |
    awk '/getpriority/ {++marks; next} marks == 1 && /^[0-9]+ +[a-z_0-9]+\(/ {sub(/\(.*/, "", $2); ++calls[$2]}
         marks == 1 && /SIGPROF/ {++signals}
         END {printf "%d signals:", signals
              for (call in calls) {printf " %s %d", call, calls[call]; others += call != "rt_sigreturn"}
              printf "\n%d\n", others}' >"$scratch/calls"
  head --lines=1 "$scratch/calls"
  judge "none but rt_sigreturn" "$(tail --lines=1 "$scratch/calls") == 0"
fi

begin "the handler's time"
"$overhead" latency 50 "$((pairs / 30 + 1))" | tee "$scratch/latency"
judge_time "p50 at most 1.5 us, p99 at most 30" "$(
  sed -n 's/.*p50 \([0-9.]*\) us, p99 \([0-9.]*\) us.*/\1 <= 1.5 \&\& \2 <= 30/p' "$scratch/latency"
)"

begin "exceptions of the host"
if "$build/tests/bench/bench.exceptions" "$((pairs / 3 + 1))"; then
  judge_time "as fast as without a sampler" 1
else
  judge_time "as fast as without a sampler" 0
fi

for case in collector weight fairness; do
  begin "$case"
  if timeout --signal=KILL 120 "$timers" "$case"; then judge_time "$case" 1; else judge_time "$case" 0; fi
done

begin "a snapshot, and its encoding beside libprotobuf"
if "$build/tests/bench/bench.snapshot" 1000 100000; then
  judge "at least as fast, a quarter of the memory" 1
else
  judge_time "at least as fast, a quarter of the memory" 0
fi
exit "$missed"
