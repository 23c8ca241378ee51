#!/usr/bin/env bash
# completion.sh <sonde>: what bash proposes, and manual pages that groff reads without a complaint.
set -euo pipefail
sonde=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$sonde" completion bash >"$work/sonde.bash"
source "$work/sonde.bash"
proposed() {  # words so far, the last being completed
  COMP_WORDS=(sonde "$@") COMP_CWORD=$#
  _sonde
  printf '%s\n' "${COMPREPLY[@]}"
}
expect() {  # wanted, words...
  local wanted=$1
  shift
  proposed "$@" | grep -qx -- "$wanted" || { echo "FAILED: no $wanted after: $*" >&2; exit 1; }
}
expect analyze anal
expect --max-records analyze --max-r
expect off_cpu collect --mode o
expect json --error-format j
expect parca push --engine p
expect --error-format analyze --err
expect --rules --error-format json classify --ru

for shell in zsh fish; do
  "$sonde" completion $shell >"$work/sonde.$shell"
  if command -v $shell >/dev/null; then $shell -n "$work/sonde.$shell"; fi
done

"$sonde" manual "$work/man"
[ -s "$work/man/sonde-analyze.1" ] && [ -s "$work/man/sonde.1" ]
if command -v groff >/dev/null; then
  for page in "$work"/man/*.1; do
    said=$(groff -man -ww -Tascii -z "$page" 2>&1)
    [ -z "$said" ] || { echo "FAILED: $page: $said" >&2; exit 1; }
  done
fi
"$sonde" completion tcsh 2>/dev/null && { echo "FAILED: a shell that nobody wrote a script for" >&2; exit 1; }
echo "$(ls "$work/man" | wc -l) manual pages"
