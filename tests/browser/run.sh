#!/usr/bin/env bash
# run.sh <sonde program> <work folder> [browser.served_stacks [example daemon]]: the browser tests. Exits 77 when
# they cannot run here.
# run.sh <sonde program> <work folder> --heap [minutes]: whether the page's memory stays flat (10 minutes).
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
work=$2
stacks=${3:-}
daemon=${4:-}

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
SONDE_CHROMIUM=$(command -v chromium || true)
[ -n "$SONDE_CHROMIUM" ] || { echo "skipped: no chromium"; exit 77; }

mkdir -p "$work"
cp "$source"/*.mjs "$source"/package*.json "$source"/.npmrc "$work/"
cd "$work"
if [ ! -d node_modules/playwright-core ] || [ package-lock.json -nt node_modules ]; then
  npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { echo "skipped: npm cannot install"; exit 77; }
  touch node_modules
fi
[ "$stacks" = --heap ] && heap=${4:-10} && stacks= && daemon=
export SONDE_CHROMIUM SONDE_PROGRAM=$program SONDE_STACKS=$stacks SONDE_DAEMON=$daemon SONDE_SOURCE="$source/../.."
[ -z "${heap:-}" ] || exec node "$work/heap.mjs" "$heap"
exec node --test --test-concurrency=1 "$work"/*.test.mjs
