#!/usr/bin/env bash
# tui.sh <build folder>: the example of a terminal program is profiled from its conversation on.
set -euo pipefail
build=$1
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
tui() { SONDE_CONSOLE_PORT=0 SONDE_CONSOLE_HTTP_PORT=0 "$build/examples/tui/tui" "$1"; }

# Who leaves at the welcome has no profile.
tui "$run/none" </dev/null >/dev/null
[ ! -e "$run/none/profiling" ] || fail "a session that never began left files"

printf '\nwhy\nwho\n\n' | tui "$run/talk" >"$run/out.txt"
grep -q 'the answer to "who" is' "$run/out.txt" || fail "no answer"
mapfile -t files < <(cd "$run/talk/profiling" && ls -- *.pb.gz)
[ "${#files[@]}" -eq 1 ] || fail "${#files[@]} snapshots: ${files[*]}"
[[ ${files[0]} == tui-profile-* ]] || fail "called ${files[0]}"
"$build/cli/sonde" top --filter task=answer --filter screen=conversation \
  "$run/talk/profiling/${files[0]}" >"$run/top.txt"
grep -q Ponder "$run/top.txt" || { cat "$run/top.txt"; fail "the work is not under its task and label"; }

# In a terminal the screen is given back before the last snapshot.
command -v tmux >/dev/null || { echo "no tmux: the terminal was not looked at"; exit 0; }
server=sonde-tui-$$
trap 'tmux -L "$server" kill-server 2>/dev/null || true; rm -rf "$run"' EXIT
tmux -L "$server" new-session -d -x 80 -y 24 "bash --norc"
tmux -L "$server" send-keys "cd '$run'; SONDE_CONSOLE_PORT=0 SONDE_CONSOLE_HTTP_PORT=0 '$build/examples/tui/tui' screen; echo ended with \$?" Enter
shows() {
  for _ in $(seq 100); do
    tmux -L "$server" capture-pane -p | grep -q "$1" && return
    sleep 0.1
  done
  tmux -L "$server" capture-pane -p; fail "the screen does not show $1"
}
shows 'Enter begins'
tmux -L "$server" send-keys Enter
shows 'Ask\.'
tmux -L "$server" send-keys why Enter
shows 'the answer to'
tmux -L "$server" send-keys Enter
shows 'ended with 0'
tmux -L "$server" capture-pane -p | grep -q 'the answer to' && fail "the screen was not given back"
ls "$run"/screen/profiling/tui-profile-*.pb.gz >/dev/null || fail "no last snapshot"
echo "the terminal program: idle until its conversation, one snapshot after the screen was given back"
