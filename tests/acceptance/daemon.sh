#!/usr/bin/env bash
# Runs the example daemon and holds its snapshots against its own clocks and against each other.
#
#   daemon.sh <build folder> [<CPU seconds> [<interval>]]     (15 seconds, a snapshot every 0.1)
#
# The daemon runs until it has used that much CPU time, so that a busy machine gives as many samples.
#
# Checks: the samples of all intervals are those taken, with no gap in time or in CPU time; SIGTERM
# gives a final snapshot; the catalog lists exactly the files; only the newest eight stay when nothing
# else is asked for; go tool pprof reads all of it and names the phases with their shares.
set -euo pipefail
build=$1
seconds=${2:-15}
interval=${3:-0.1}
sonde=$build/cli/sonde
ingestd=$build/examples/daemon/ingestd
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
export PPROF_TMPDIR=$run

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# CPU time of a process, in clock ticks.
ticks_of() {
  sed 's/.*) //' "/proc/$1/stat" | awk '{print $12 + $13}'
}

# The daemon is ended by SIGTERM, as a service manager would.
run_daemon() {
  local folder=$1
  shift
  env "$@" "$ingestd" --seconds 0 --interval "$interval" --directory "$folder" \
    --report "$folder.json" >/dev/null &
  local pid=$!
  local enough
  enough=$(awk -v s="$seconds" -v hz="$(getconf CLK_TCK)" 'BEGIN {print int(s * hz)}')
  for ((tenth = 0; tenth < 6000; ++tenth)); do
    [ "$(ticks_of "$pid")" -lt "$enough" ] || break
    sleep 0.1
  done
  kill -TERM "$pid"
  wait "$pid" || fail "the daemon ended with $?"
}

listed_equals_there() {
  diff <(jq -r '.snapshots[].name' "$1/profiling/catalog.json" | sort) \
       <(cd "$1/profiling" && ls -- *.pb.gz | sort) ||
    fail "catalog.json and the folder differ"
}

run_daemon "$run/all" SONDE_SNAPSHOTS_KEEP=10000
listed_equals_there "$run/all"
python3 - "$run/all" <<'PYTHON'
import glob, gzip, json, re, sys
folder = sys.argv[1]

def strings_of(message):
    """The string table: field 6, of the fields of a pprof message."""
    at, strings = 0, []
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        key = varint()
        size = varint()
        if key & 7 == 2:
            if key >> 3 == 6:
                strings.append(message[at:at + size].decode())
            at += size
    return strings

snapshots = []
for path in glob.glob(folder + "/profiling/*.pb.gz"):
    text = " ".join(s for s in strings_of(gzip.open(path).read()) if s.startswith("sonde "))
    snapshots.append({k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)\b", text)})
snapshots.sort(key=lambda s: s["sequence"])
total = lambda key: sum(s[key] for s in snapshots)
listed = json.load(open(folder + "/profiling/catalog.json"))["snapshots"]
assert [s["sequence"] for s in snapshots] == list(range(1, len(snapshots) + 1)), "a number is missing"
assert total("taken") == total("written") + total("dropped"), "taken is not written + dropped"
assert total("samples") == total("written") == sum(s["samples"] for s in listed), "a sample is missing"
for before, after in zip(snapshots, snapshots[1:]):
    gap = after["start_ns"] - before["start_ns"] - before["duration_ns"]
    assert abs(gap) < 2_000_000, f"a gap of {gap} ns in time"
process, unexplained = total("process_ns"), total("unexplained_ns")
# Each thread may hold back one period.
slack = 0.02 * process + total("seen") * 10_101_010
assert abs(unexplained) <= slack, f"{unexplained} of {process} ns are unexplained"
print(f"{len(snapshots)} snapshots, {total('taken')} taken, {total('written')} written, "
      f"{total('dropped')} dropped, CPU {process / 1e9:.2f} s, unexplained {100 * unexplained / process:.2f} %")
PYTHON

run_daemon "$run/newest"
listed_equals_there "$run/newest"
count=$(ls "$run"/newest/profiling/*.pb.gz | wc -l)
[ "$count" -eq 8 ] || fail "$count snapshots are kept, not 8"
[ "$("$sonde" snapshots --json "$run/newest")" = "$(cat "$run/newest/profiling/catalog.json")" ] ||
  fail "sonde snapshots and catalog.json differ"

if ! command -v go >/dev/null; then
  echo "go is not installed: pprof was not asked"
  exit 0
fi
go tool pprof -raw "$run"/all/profiling/*.pb.gz >"$run/raw" 2>/dev/null
grep -Eq '^[0-9]+: 0x[0-9a-f]+/0x[0-9a-f]+/0x[0-9a-f]+ .*/ingestd [0-9a-f]{40} ' "$run/raw" ||
  fail "no mapping of the program with its build id"
grep -q 'thread:\[worker-1\]' "$run/raw" || fail "no thread label"
go tool pprof -top -cum -nodecount=500 -sample_index=samples "$run"/all/profiling/*.pb.gz \
  >"$run/top" 2>/dev/null
python3 - "$run/top" "$run/all.json" <<'PYTHON'
import json, math, re, sys
top, truth = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))

def cumulative(function):
    line = r"^\s*\d+\s+\S+\s+\S+\s+(\d+)\s+\S+%\s+" + re.escape(function) + r"\b"
    return sum(int(m.group(1)) for m in re.finditer(line, top, re.M))

phases = [(p["phase"], p["cpu_ns"], cumulative(p["function"])) for p in truth["phases"]]
clock, samples = sum(p[1] for p in phases), sum(p[2] for p in phases)
print(f"of {clock / 1e9:.2f} s by the clocks, {samples} samples:")
for name, cpu_ns, seen in phases:
    share = cpu_ns / clock
    # Samples of one thread are not quite independent, so five standard errors instead of three.
    bound = 5 * math.sqrt(share * (1 - share) / max(samples, 1)) + 0.005
    apart = seen / max(samples, 1) - share
    print(f"{name:10} clock {100 * share:5.1f} %  samples {100 * (share + apart):5.1f} %")
    assert abs(apart) <= bound, f"{name}: more than {100 * bound:.1f} points apart"
PYTHON
