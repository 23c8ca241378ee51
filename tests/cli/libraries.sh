#!/usr/bin/env bash
# What few jobs need is loaded by those alone: libraries.sh <sonde>
set -euo pipefail
needed="$(readelf -d "$1" | grep NEEDED)"
for library in libssl libcrypto; do
  if grep -q "$library" <<<"$needed"; then
    echo "the program links $library: is a function missing in cli/openssl_on_demand.cc?" >&2
    exit 1
  fi
done
# What is hashed is hashed all the same.
error="$("$1" --error-format json top /nonexistent 2>&1 || true)"
grep -q '"error_id":"err-[0-9a-f]\{16\}"' <<<"$error"
