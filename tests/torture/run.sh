#!/usr/bin/env bash
# run.sh BUILD_DIR [SECONDS]: the long form of the torture tests, 60 seconds by default, and the same
# torture for gperftools' libprofiler beside it. Prints one line a figure; exits 0 when all hold.
set -uo pipefail
build=${1:?usage: run.sh BUILD_DIR [SECONDS]}/tests/torture
seconds=${2:-60}

failed=()
run() {
  local name=$1
  shift
  timeout --signal=KILL "$((seconds + 600))" "$@" || failed+=("$name")
}

run step "$build/torture.step"
run torture "$build/torture" --seconds "$seconds"
# libunwind walks some thousand stacks a second: what comes faster is dropped, and counted.
run deferred "$build/torture" --seconds "$seconds" --unwinder deferred --hz 400
run whole "$build/torture.whole" "$seconds"
run faults "$build/torture.faults"
run memory "$build/torture.memory" 100
run labels "$build/torture.labels" 10000000
for case in collector weight fairness churn kernel eintr wall exec plugin mix startstop; do
  run "$case" "$build/torture.timers" "$case"
done
for case in weight fairness churn eintr exec plugin mix startstop; do
  SONDE_UNWINDER=deferred run "deferred $case" "$build/torture.timers" "$case"
done
for library in libprofiler.so.0; do
  timeout --signal=KILL "$((seconds + 120))" \
    "$build/torture" --seconds "$seconds" --hz 100 --peer "$library" || true
done

[ "${#failed[@]}" -eq 0 ] || printf 'FAILED: %s\n' "${failed[@]}"
[ "${#failed[@]}" -eq 0 ]
