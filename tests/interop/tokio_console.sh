#!/usr/bin/env bash
# tokio_console.sh PROGRAM [OUT]: drives the genuine tokio-console client in a terminal against
# PROGRAM (examples/tasks, started as `PROGRAM SECONDS PORT`) and looks at its screens, which are
# kept in OUT. Exits with 77 when tokio-console or tmux is not on PATH.
set -euo pipefail

program=$1
out=${2:-$(mktemp -d)}
for tool in tokio-console tmux; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool on PATH"; exit 77; }
done
mkdir -p "$out"
server="sonde-interop-$$"
trap 'tmux -L "$server" kill-server 2>/dev/null || true; kill "${pid:-}" 2>/dev/null || true' EXIT

start() {  # start PORT: runs the program and waits until it listens.
  : >"$out/program.log"
  "$program" 120 "$1" >"$out/program.log" 2>&1 &
  pid=$!
  for _ in $(seq 100); do
    port=$(sed -n 's/.*:\([0-9]*\)$/\1/p' "$out/program.log" | head -1)
    [ -n "$port" ] && return
    sleep 0.1
  done
  echo "the program does not listen"; exit 1
}
screen() {  # screen NAME PATTERN: waits until the screen shows PATTERN.
  for _ in $(seq 100); do
    tmux -L "$server" capture-pane -p >"$out/$1.txt"
    grep -qE "$2" "$out/$1.txt" && { echo "$1: ok"; return; }
    sleep 0.2
  done
  echo "$1: does not show /$2/:"; cat "$out/$1.txt"; exit 1
}
press() { tmux -L "$server" send-keys "$@"; sleep 0.4; }

start "$(shuf -i 20000-50000 -n 1)"
tmux -L "$server" new-session -d -x 170 -y 45 "tokio-console http://127.0.0.1:$port 2>$out/client.log"
screen tasks 'CONNECTED.*'
screen producer 'produce jobs'
screen jobs 'send mail'
sleep 3
tmux -L "$server" capture-pane -p >"$out/no-warnings.txt"
! grep -q 'lost' "$out/no-warnings.txt" || { echo "an idle task is said to have lost its waker"; exit 1; }
press j
press Enter
screen details 'Poll Times Histogram'
screen histogram 'p99: [0-9]'
press Escape
press r
screen resources 'job queue'
press j
press Enter
screen operations 'wait for room'
press Escape
press t
press Space
screen paused 'PAUSED'
press Space
screen resumed 'CONNECTED\) *$'

# A restart on the same port: the client comes back, rows of the first run are no ghosts.
kill "$pid"; wait "$pid" 2>/dev/null || true
sleep 1
start "$port"
screen reconnected 'produce jobs +[0-9]s'
sleep 8
tmux -L "$server" capture-pane -p >"$out/after.txt"
rows=$(grep -c 'produce jobs' "$out/after.txt")
[ "$rows" -eq 1 ] || { echo "$rows rows of one task: ghosts of the first run"; cat "$out/after.txt"; exit 1; }
press q
echo "tokio-console: all screens as they should be; kept in $out"
