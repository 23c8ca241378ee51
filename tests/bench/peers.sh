#!/usr/bin/env bash
# Compares sonde with the tools that do the same job: CPU seconds (best of three), peak memory, ratio.
#
# tests/bench/peers.sh [SONDE]   SONDE is the program to measure, build/release/cli/sonde by default.
#
# A peer that is not installed gets a row that says so. Other rows are added by the files in
# tests/bench/peers.d, each of which calls `row`. Ratios are of CPU time: above 1, sonde is faster.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
sonde="$(realpath "${1:-$here/../../build/release/cli/sonde}")"
[ -x "$sonde" ] || { echo "peers.sh: no program at $sonde: build the release preset" >&2; exit 2; }
scratch="${SONDE_BENCH_FOLDER:-$(mktemp -d)}"
mkdir -p "$scratch"
[ -n "${SONDE_BENCH_FOLDER:-}" ] || trap 'rm -rf "$scratch"' EXIT

# measure COMMAND: "CPU-seconds peak-MB" of a shell command, the best of three runs.
measure() {
  python3 - "$1" <<'PYTHON'
import os, sys
best = None
for _ in range(3):
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp("bash", ["bash", "-c", sys.argv[1]])
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        print("failed -")
        sys.exit()
    cpu = usage.ru_utime + usage.ru_stime
    if best is None or cpu < best[0]:
        best = (cpu, usage.ru_maxrss / 1024)
print(f"{best[0]:.3f} {best[1]:.0f}")
PYTHON
}

# row JOB PEER NEEDS PEER-COMMAND SONDE-COMMAND TARGET: NEEDS is the program the peer needs.
row() {
  local ours theirs ratio="-"
  read -r ours ours_mb <<<"$(measure "$5")"
  if command -v "$3" >/dev/null; then
    read -r theirs theirs_mb <<<"$(measure "$4")"
    ratio="$(awk -v a="$theirs" -v b="$ours" 'BEGIN { if (a > 0 && b > 0) printf "%.1f", a / b; else print "-" }')"
  else
    theirs="not installed" theirs_mb="-"
  fi
  printf '%-34s %-22s %14s %8s %10s %8s %8s %8s\n' "$1" "$2" "$theirs" "$theirs_mb" "$ours" "$ours_mb" "$ratio" "$6"
}

printf '%-34s %-22s %14s %8s %10s %8s %8s %8s\n' job peer "peer CPU s" MB "sonde s" MB ratio target
[ -s "$scratch/million.pb" ] || "$here/make_inputs.py" pprof "$scratch/million.pb"
[ -s "$scratch/million.folded" ] || "$here/make_inputs.py" folded "$scratch/million.folded"

row "pprof top, 1 M samples" "go tool pprof -top" go \
  "go tool pprof -top '$scratch/million.pb'" "'$sonde' top '$scratch/million.pb'" ">= 50"
row "pprof to pprof.gz, 1 M samples" "go tool pprof -proto" go \
  "go tool pprof -proto -output '$scratch/go.pb.gz' '$scratch/million.pb'" \
  "'$sonde' convert '$scratch/million.pb' -o '$scratch/sonde.pb.gz'" ">= 20"
row "folded top, 1 M lines" "(none)" no-such-peer true "'$sonde' top '$scratch/million.folded'" "< 1 s"

for more in "$here"/peers.d/*.sh; do
  # shellcheck source=/dev/null
  [ -e "$more" ] && source "$more"
done
exit 0
