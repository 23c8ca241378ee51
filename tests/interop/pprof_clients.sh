#!/usr/bin/env bash
# pprof_clients.sh INGESTD: the two pprof tools against the running example daemon. Exits with 77
# when neither is on PATH.
set -euo pipefail
ingestd=$1
run=$(mktemp -d)
trap 'kill "${pid:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$run"' EXIT
export PPROF_TMPDIR=$run
command -v google-pprof >/dev/null || command -v go >/dev/null ||
  { echo "skipped: neither google-pprof nor go on PATH"; exit 77; }

# What share of its CPU time each function takes, by the daemon's own clocks.
SONDE_CONSOLE_PORT=0 SONDE_CONSOLE_HTTP_PORT=0 \
  "$ingestd" --seconds 3 --directory "$run/clocked" --report "$run/report.json" >/dev/null

port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
SONDE_CONSOLE_PORT=0 SONDE_CONSOLE_HTTP_PORT=$port "$ingestd" --seconds 0 --directory "$run/session" >/dev/null &
pid=$!
base=http://127.0.0.1:$port
for _ in $(seq 600); do curl -fs "$base/metrics" >/dev/null && break; sleep 0.1; done
curl -fsS "$base/metrics" >/dev/null || { echo "the daemon does not answer"; exit 1; }

# A function with the share p of n samples is not seen once in exp(n p) times. For so many samples that the
# rarest is missed once in a thousand million times: the seconds that the daemon needs at its present pace.
functions="ParseBatch CompressBatch HashBatch"
seconds=$(/usr/bin/python3 - "$run/report.json" "$base/api/status" $functions <<'PYTHON'
import json, math, sys, time, urllib.request
report = json.load(open(sys.argv[1]))
sampler = lambda: json.load(urllib.request.urlopen(sys.argv[2]))["sampler"]
share = min(phase["cpu_ns"] for phase in report["phases"] if phase["function"].split("::")[-1] in sys.argv[3:])
share /= report["process_cpu_ns"]
before = sampler()["taken"]
time.sleep(2)
pace = (sampler()["taken"] - before) / 2
print(math.ceil(math.log(1e9) / share / max(pace, 1)))
PYTHON
)
echo "profiles of $seconds seconds"

expect() {  # expect NAME FILE: the phases of the daemon are in it.
  for function in $functions; do
    grep -q "$function" "$2" || { echo "$1: no $function in"; cat "$2"; exit 1; }
  done
  echo "$1: names the phases"
}
if command -v google-pprof >/dev/null; then
  google-pprof --seconds="$seconds" --text --cum --nodefraction=0 "$base/pprof/profile" \
    >"$run/google.txt" 2>"$run/google.err" || { cat "$run/google.err"; exit 1; }
  expect google-pprof "$run/google.txt"
fi
if command -v go >/dev/null; then
  # Its own limit is half as long again as the profile, whatever else the machine does.
  go tool pprof -top -cum -nodefraction=0 -timeout "$((seconds + 60))" "$base/debug/pprof/profile?seconds=$seconds" \
    >"$run/go.txt" 2>"$run/go.err" || { cat "$run/go.err"; exit 1; }
  expect "go tool pprof" "$run/go.txt"
fi
