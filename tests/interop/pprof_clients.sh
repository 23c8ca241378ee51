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

port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
SONDE_CONSOLE_PORT=0 SONDE_CONSOLE_HTTP_PORT=$port "$ingestd" --seconds 60 --directory "$run/session" >/dev/null &
pid=$!
base=http://127.0.0.1:$port
for _ in $(seq 100); do curl -fs "$base/metrics" >/dev/null && break; sleep 0.1; done

expect() {  # expect NAME FILE: the phases of the daemon are in it.
  for function in HashBatch CompressBatch ParseBatch; do
    grep -q "$function" "$2" || { echo "$1: no $function in"; cat "$2"; exit 1; }
  done
  echo "$1: names the phases"
}
if command -v google-pprof >/dev/null; then
  google-pprof --seconds=3 --text --cum "$base/pprof/profile" >"$run/google.txt" 2>"$run/google.err" ||
    { cat "$run/google.err"; exit 1; }
  expect google-pprof "$run/google.txt"
fi
if command -v go >/dev/null; then
  go tool pprof -top -cum "$base/debug/pprof/profile?seconds=3" >"$run/go.txt" 2>"$run/go.err" ||
    { cat "$run/go.err"; exit 1; }
  expect "go tool pprof" "$run/go.txt"
fi
