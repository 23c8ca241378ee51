#!/usr/bin/env python3
"""What an interactive zsh makes of a line when Tab is pressed. zsh_completion.py <folder of _sonde>"""

import os
import pty
import re
import select
import sys
import time

SECONDS = 20

# What is typed before Tab, and what the line is then.
LINES = {
    "anal": "analyze",
    "analyze --max-r": "analyze --max-records",
    "collect --mode o": "collect --mode off_cpu",
    "--error-format j": "--error-format json",
    "push --engine pa": "push --engine parca",
    "analyze --err": "analyze --error-format",
    "console rec": "console record",
    "console record --sec": "console record --seconds",
}


def heard(terminal, pattern):
    """What the shell says until it says that."""
    said = b""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and not re.search(pattern, said):
        if select.select([terminal], [], [], 0.1)[0]:
            said += os.read(terminal, 65536)
    return said


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "dumb"
        os.execvp("zsh", ["zsh", "-f", "-i"])
    # Each program is a function here that says what it was called with.
    for line in ("unsetopt zle_bracketed_paste; unset zle_bracketed_paste; setopt NO_BEEP NO_LIST_AMBIGUOUS",
                 f"fpath=({sys.argv[1]} $fpath); autoload -Uz compinit; compinit -u -D",
                 "sonde() { print -r -- \"<$*>\" }", "PS1='READ''Y> '"):
        os.write(terminal, line.encode() + b"\n")
    heard(terminal, rb"READY> ")
    for typed, wanted in LINES.items():
        os.write(terminal, f"sonde {typed}\t".encode())
        # The line is shown as it is completed; only then is it run.
        heard(terminal, re.escape(f"{wanted}".encode()))
        os.write(terminal, b"\n")
        said = heard(terminal, rb"\n<[^>]*>")
        found = re.search(rb"\n<([^>]*)>", said)
        if found is None or found.group(1).decode().strip() != wanted:
            sys.exit(f"FAILED: zsh makes {found and found.group(1)} of: {typed}\n{said!r}")
    os.write(terminal, b"exit\n")


main()
