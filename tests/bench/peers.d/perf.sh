# Rows of peers.sh: recordings of perf and the text that perf script makes of them.
# A million samples with frame pointers. Records the program itself, so it needs perf and the right to use it. shellcheck shell=bash

# record NAME TIMES OPTIONS...: keeps $scratch/NAME.data, of one process that reads folded stacks that often.
record() {
  local name="$1" inputs=()
  [ -s "$scratch/$name.data" ] && return 0
  for ((i = 0; i < $2; ++i)); do inputs+=("$scratch/million.folded"); done
  shift 2
  perf record -q -o "$scratch/$name.data" "$@" -- \
    "$sonde" merge "${inputs[@]}" --to folded -o /dev/null >/dev/null 2>&1
}

# Debian keeps it out of the path.
perfparser="$(command -v hotspot-perfparser || echo /usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser)"

# record_short NAME: keeps $scratch/NAME.data, of sixty processes that all have their code elsewhere.
record_short() {
  [ -s "$scratch/$1.data" ] && return 0
  head -n 100000 "$scratch/million.folded" >"$scratch/short.folded"
  perf record -q -o "$scratch/$1.data" -F 20000 -g -- \
    bash -c "for i in {1..60}; do '$sonde' top '$scratch/short.folded'; done" >/dev/null 2>&1
}

if command -v perf >/dev/null && record fp 30 -F 30000 -g && record dwarf 3 -F 2000 --call-graph dwarf,16384; then
  if [ ! -s "$scratch/fp.script" ]; then
    perf script --no-inline -i "$scratch/fp.data" >"$scratch/one.script" 2>/dev/null
    while [ "$(stat -c %s "$scratch/fp.script" 2>/dev/null || echo 0)" -lt 300000000 ]; do
      cat "$scratch/one.script" >>"$scratch/fp.script"
    done
  fi
  fold="convert --style flamegraph --to folded -o -"

  row "perf text to folded, one thread" "inferno -n1" inferno-collapse-perf \
    "inferno-collapse-perf -n1 '$scratch/fp.script'" \
    "taskset -c 0 '$sonde' $fold '$scratch/fp.script'" ">= 3"
  row "perf text to folded, wall" "inferno -n2" inferno-collapse-perf \
    "inferno-collapse-perf -n2 '$scratch/fp.script'" "'$sonde' $fold '$scratch/fp.script'" ">= 4" wall
  row "perf text to folded" "stackcollapse-perf.pl" stackcollapse-perf.pl \
    "stackcollapse-perf.pl '$scratch/fp.script'" "'$sonde' $fold '$scratch/fp.script'" ">= 20"
  row "perf.data (fp) to folded" "perf script alone" perf \
    "perf script --no-inline -i '$scratch/fp.data'" "'$sonde' $fold '$scratch/fp.data'" ">= 6"
  row "perf.data (fp) to folded" "perf script | inferno" inferno-collapse-perf \
    "perf script --no-inline -i '$scratch/fp.data' | inferno-collapse-perf -n1" \
    "'$sonde' $fold '$scratch/fp.data'" ">= 15"
  # The same stacks, but with other addresses in each process, as of a server that forks.
  if [ ! -s "$scratch/thirty.script" ]; then
    "$here/make_inputs.py" processes "$scratch/thirty.script" "$scratch/fp.script"
  fi
  row "text of thirty processes to folded" "inferno -n1" inferno-collapse-perf \
    "inferno-collapse-perf -n1 '$scratch/thirty.script'" \
    "taskset -c 0 '$sonde' $fold '$scratch/thirty.script'" ">= 3"
  row "text of thirty processes, wall" "inferno -n2" inferno-collapse-perf \
    "inferno-collapse-perf -n2 '$scratch/thirty.script'" "'$sonde' $fold '$scratch/thirty.script'" ">= 4" wall
  record_short sixty
  [ -s "$scratch/sixty.script" ] ||
    perf script --no-inline -i "$scratch/sixty.data" >"$scratch/sixty.script" 2>/dev/null
  row "text of sixty processes to folded" "inferno -n1" inferno-collapse-perf \
    "inferno-collapse-perf -n1 '$scratch/sixty.script'" \
    "taskset -c 0 '$sonde' $fold '$scratch/sixty.script'" ">= 3"
  row "text of sixty processes, wall" "inferno -n2" inferno-collapse-perf \
    "inferno-collapse-perf -n2 '$scratch/sixty.script'" "'$sonde' $fold '$scratch/sixty.script'" ">= 4" wall
  row "perf.data of sixty processes" "perf script alone" perf \
    "perf script --no-inline -i '$scratch/sixty.data'" "'$sonde' $fold '$scratch/sixty.data'" ">= 6"
  row "perf.data of sixty processes" "perf script | inferno" inferno-collapse-perf \
    "perf script --no-inline -i '$scratch/sixty.data' | inferno-collapse-perf -n1" \
    "'$sonde' $fold '$scratch/sixty.data'" ">= 15"
  row "perf.data, lines and inlined calls" "hotspot-perfparser" "$perfparser" \
    "QT_QPA_PLATFORM=offscreen $perfparser --input '$scratch/fp.data' --output /dev/null" \
    "'$sonde' $fold --source-lines '$scratch/fp.data'" ">= 8"
  # Minutes: on request only.
  [ -z "${SONDE_BENCH_SLOW:-}" ] || row "perf.data, lines and inlined calls" "perf script, srcline" perf \
    "perf script -F +srcline -i '$scratch/fp.data'" "'$sonde' $fold --source-lines '$scratch/fp.data'" ">= 200"
  row "perf.data (dwarf) to folded, lines" "hotspot-perfparser" "$perfparser" \
    "QT_QPA_PLATFORM=offscreen $perfparser --input '$scratch/dwarf.data' --output /dev/null" \
    "'$sonde' $fold --source-lines '$scratch/dwarf.data'" ">= 1"
  row "perf.data (dwarf) to folded" "perf script" perf \
    "perf script --no-inline -i '$scratch/dwarf.data'" "'$sonde' $fold '$scratch/dwarf.data'" ">= 1"
else
  printf '%-36s %s\n' "perf text and recordings" "perf cannot record here"
fi
