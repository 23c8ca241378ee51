#!/usr/bin/env bash
# run.sh PROGRAM WORK_FOLDER: @grpc/grpc-js against PROGRAM (examples/tasks). Exits with 77 where node
# or npm is missing or npm cannot install.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
work=$2
for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
mkdir -p "$work"
cp "$source"/client.mjs "$source"/package*.json "$source"/.npmrc "$work/"
cd "$work"
if [ ! -d node_modules/@grpc/grpc-js ] || [ package-lock.json -nt node_modules ]; then
  npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { echo "skipped: npm cannot install"; exit 77; }
  touch node_modules
fi
: >program.log
"$program" 40 "$(shuf -i 20000-50000 -n 1)" >program.log 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  port=$(sed -n 's/.*:\([0-9]*\)$/\1/p' program.log | head -1)
  [ -n "$port" ] && break
  sleep 0.1
done
sleep 1.2
timeout 30 node client.mjs "$source/../instrument.proto" "$port"
