#!/usr/bin/env bash
# Builds sonde and a daemon that is profiled while it works, runs it for about ten seconds with
# a snapshot every two, and shows where its CPU time went. Fails unless samples were found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake/install-debian.sh build
echo "building (preset release) ..."
cmake --preset release -DSONDE_BUILD_TESTS=OFF >/dev/null   # tests need more packages
cmake --build --preset release --target sonde_program ingestd ingest_score |
  { grep -E "error:|FAILED" || true; }

run=$PWD/build/demo
rm -rf "$run"
mkdir -p "$run"
echo "running a daemon for 11 seconds ..."
build/release/examples/daemon/ingestd --seconds 11 --interval 2 --directory "$run" \
  --report "$run/truth.json"

sonde=build/release/cli/sonde
newest=$(find "$run/profiling" -name 'daemon-profile-*.pb.gz' | sort | tail -n 1)
if [ -z "$newest" ]; then
  echo "demo: no snapshot was written" >&2
  exit 1
fi
echo
echo "sonde top ${newest#"$PWD"/}"
"$sonde" top "$newest" | sed -n 1,25p
echo
"$sonde" snapshots "$run"
echo
echo "snapshots: ${run}/profiling  (go tool pprof -top FILE, sonde top FILE)"
echo "live:      ${PWD}/build/release/examples/daemon/ingestd --seconds 0, then http://127.0.0.1:6060/ in a browser"
echo "truth:     ${run}/truth.json  (the daemon's own CPU clocks by phase)"

"$sonde" snapshots --json "$run" | grep -Eq '"samples": [1-9]' ||
  { echo "demo: the snapshots hold no samples" >&2; exit 1; }
