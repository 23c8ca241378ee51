#!/usr/bin/env bash
# reproducible.sh [WORK_FOLDER]: builds what an installation holds from the last commit twice, in two
# folders of different names, and compares every file. Takes two whole builds; exits 0 when all
# files are equal to the byte.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=${1:-$(mktemp --directory)}
mkdir -p "$work"
export CCACHE_DISABLE=1

for folder in first/tree second/another-tree; do
  tree=$work/$folder
  rm -rf "$tree" "$tree.installed"
  mkdir -p "$tree"
  git -C "$source" archive HEAD | tar --extract --directory="$tree"
  (cd "$tree" &&
    cmake --preset release -DSONDE_BUILD_TESTS=OFF -DSONDE_BUILD_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/usr >/dev/null &&
    cmake --build --preset release >"$tree.log" &&
    DESTDIR=$tree.installed cmake --install build/release >/dev/null)
done

list() { (cd "$1" && find . -type f -print0 | sort --zero-terminated | xargs --null sha256sum); }
list "$work/first/tree.installed" >"$work/first.sums"
list "$work/second/another-tree.installed" >"$work/second.sums"
if diff "$work/first.sums" "$work/second.sums"; then
  echo "reproducible: $(wc -l <"$work/first.sums") files, all equal"
else
  echo "reproducible: the files above differ" >&2
  exit 1
fi
