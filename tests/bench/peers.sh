#!/usr/bin/env bash
# Compares sonde with the tools that do the same job: seconds of CPU time (best of three), memory, ratio.
#
# tests/bench/peers.sh [SONDE]   SONDE is the program to measure, build/release/cli/sonde by default.
#
# A peer that is not installed gets a row that says so. Other rows are added by the files in
# tests/bench/peers.d, each of which calls `row`. Above a ratio of 1, sonde is faster.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
sonde="$(realpath "${1:-$here/../../build/release/cli/sonde}")"
[ -x "$sonde" ] || { echo "peers.sh: no program at $sonde: build the release preset" >&2; exit 2; }
scratch="${SONDE_BENCH_FOLDER:-$(mktemp -d)}"
mkdir -p "$scratch"
[ -n "${SONDE_BENCH_FOLDER:-}" ] || trap 'rm -rf "$scratch"' EXIT

# measure COMMAND: "CPU-seconds wall-seconds anonymous-MB" of a shell command, the best of three runs. Memory
# is what a run holds of its own at its peak (RssAnon), without the pages of mapped files.
measure() {
  python3 - "$1" <<'PYTHON'
import os, subprocess, sys, time

def family(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [pid] + [one for child in file.read().split() for one in family(int(child))]

def anonymous_kb(pid):
    with open(f"/proc/{pid}/status") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("RssAnon")), 0)

runs = []
for _ in range(3):
    before, start, peak_kb = os.times(), time.monotonic(), 0
    child = subprocess.Popen(["bash", "-c", sys.argv[1]], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while child.poll() is None:
        try:
            peak_kb = max(peak_kb, sum(anonymous_kb(pid) for pid in family(child.pid)))
        except OSError:
            pass  # It has just ended.
        time.sleep(0.002)
    wall, after = time.monotonic() - start, os.times()
    if child.returncode != 0:
        print("failed - -")
        sys.exit()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    runs.append((cpu, wall, peak_kb / 1024))
print(f"{min(cpu for cpu, _, _ in runs):.3f} {min(wall for _, wall, _ in runs):.3f} "
      f"{max(peak for _, _, peak in runs):.1f}")
PYTHON
}

# row JOB PEER NEEDS PEER-COMMAND SONDE-COMMAND TARGET [wall]: NEEDS is the program the peer needs. The
# ratio is of CPU time, or of wall time where that is said.
row() {
  local cpu wall our_mb ours theirs="not installed" their_mb="-" ratio="-"
  read -r cpu wall our_mb <<<"$(measure "$5")"
  ours="$cpu"
  [ "${7:-cpu}" = cpu ] || ours="$wall"
  if command -v "$3" >/dev/null; then
    read -r cpu wall their_mb <<<"$(measure "$4")"
    theirs="$cpu"
    [ "${7:-cpu}" = cpu ] || theirs="$wall"
    ratio="$(awk -v a="$theirs" -v b="$ours" 'BEGIN { if (a > 0 && b > 0) printf "%.1f", a / b; else print "-" }')"
  fi
  printf '%-36s %-22s %14s %8s %10s %8s %8s %9s\n' "$1" "$2" "$theirs" "$their_mb" "$ours" "$our_mb" "$ratio" "$6"
}

printf '%-36s %-22s %14s %8s %10s %8s %8s %9s\n' job peer "peer s" MB "sonde s" MB ratio target
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
