#!/usr/bin/env bash
# Installs what is missing (Debian packages), builds the dev preset and runs every test.
# Arguments go to ctest: tests/run.sh -L unit -R sampler
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake/install-debian.sh build test
cmake --preset dev >/dev/null
cmake --build --preset dev
ctest --preset dev --parallel "$(nproc)" "$@"
