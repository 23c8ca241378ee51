#!/usr/bin/env bash
# run.sh <sonde program> <work folder> [example daemon]: `sonde mcp` and the protocol's own client.
# Exits with 77 where that cannot be installed.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
work=$2
daemon=${3:-}

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
mkdir -p "$work"
cp "$source"/*.mjs "$source"/package*.json "$source"/.npmrc "$work/"
cd "$work"
if [ ! -d node_modules/@modelcontextprotocol ] || [ package-lock.json -nt node_modules ]; then
  npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { echo "skipped: npm cannot install"; exit 77; }
  touch node_modules
fi
export SONDE_PROGRAM=$program SONDE_DAEMON=$daemon
exec node --test --test-concurrency=1 "$work"/mcp.test.mjs
