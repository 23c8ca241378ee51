#!/usr/bin/env bash
# completion.sh <sonde>: what bash, fish and zsh propose, and manual pages that groff reads without a complaint.
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
expect record console rec
expect --seconds console record --sec

# Shells that are not here are not asked.
"$sonde" completion fish >"$work/sonde.fish"
proposed_by_fish() {  # wanted, line
  fish --no-config -c "source $work/sonde.fish; complete -C '$2'" | cut -f1 | grep -qx -- "$1" ||
    { echo "FAILED: fish does not propose $1 after: $2" >&2; exit 1; }
}
if command -v fish >/dev/null; then
  proposed_by_fish analyze 'sonde anal'
  proposed_by_fish --max-records 'sonde analyze --max-r'
  proposed_by_fish off_cpu 'sonde collect --mode o'
  proposed_by_fish json 'sonde --error-format j'
  proposed_by_fish parca 'sonde push --engine p'
  proposed_by_fish --error-format 'sonde analyze --err'
  proposed_by_fish record 'sonde console rec'
  proposed_by_fish --seconds 'sonde console record --sec'
else
  echo "no fish"
fi
mkdir "$work/zsh"
"$sonde" completion zsh >"$work/zsh/_sonde"
if command -v zsh >/dev/null && command -v python3 >/dev/null; then
  python3 "$(dirname "${BASH_SOURCE[0]}")/zsh_completion.py" "$work/zsh"
else
  echo "no zsh"
fi

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
