#!/usr/bin/env bash
# Records a program in every way that perf knows here, and compares what sonde makes of each
# recording with what it makes of the text of `perf script`: samples, weights, every frame.
#
# usage: compare_with_perf.sh SONDE
#
# Needs perf and the right to record. Names that perf chooses otherwise among those of one function
# (aliases) and the function that perf sees behind a call that ends a function are shown, not judged:
# a run fails when more than one line in five differs.
set -euo pipefail
sonde="$(realpath "$1")"
command -v perf >/dev/null || { echo "skipped: no perf"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
seq 1 200000 | awk '{ print "main;f" $1 % 97 ";g" $1 % 1009 " " $1 }' >input.folded
work=("$sonde" top input.folded)

perf record -q -F 5000 -g -o fp.data -- "${work[@]}" >/dev/null 2>&1 || { echo "skipped: perf cannot record"; exit 77; }
perf record -q -F 999 --call-graph dwarf,16384 -o dwarf.data -- "${work[@]}" >/dev/null 2>&1
perf record -q -F 5000 -z -g -o zstd.data -- "${work[@]}" >/dev/null 2>&1
perf record -q -F 5000 -g -o - -- "${work[@]}" 2>/dev/null >pipe.data
perf record -q -F 5000 -g -e page-faults,cpu-clock -o events.data -- "${work[@]}" >/dev/null 2>&1

fold() { "$sonde" convert "$1" --event "$2" --style flamegraph --all --tid --to folded -o - 2>/dev/null; }

failed=0
for recording in fp dwarf zstd pipe events; do
  perf script --no-inline -F comm,pid,tid,time,period,event,ip,sym,dso -i "$recording.data" >"$recording.txt" 2>/dev/null
  event="$(awk '/^[^ \t#]/ { sub(/:$/, "", $NF); print $NF; exit }' "$recording.txt")"
  fold "$recording.txt" "$event" | sed 's/@@*GLIBC[A-Z]*_[0-9.]*//g' | sort >text
  fold "$recording.data" "$event" | sort >native
  same_weight="$(paste <(awk '{ s += $NF } END { print s }' text) <(awk '{ s += $NF } END { print s }' native) | awk '{ print ($1 == $2) ? "equal" : "DIFFERENT" }')"
  different="$(comm -3 text native | wc -l)"
  total="$(cat text native | wc -l)"
  echo "$recording ($event): weights $same_weight; $different of $total lines differ"
  [ "$same_weight" = equal ] && [ $((different * 5)) -le "$total" ] || failed=1
done
exit "$failed"
