#!/usr/bin/env python3
"""Waits for locks of the kernel, recorded by the genuine perf and added up by sonde and by perf. lock_waits.py <sonde>

Exits with 77 where the kernel does not let us record contention, or where none came about.
"""

import re
import shutil
import subprocess
import sys

from evidence_world import World

GATES = ["--authorize-target", "--authorization", "I_EXPLICITLY_AUTHORIZE_TARGET_PROFILING"]
# Both ends of a pipe take its mutex.
TARGET = "for i in 1 2 3; do (cat /dev/zero | head -c 100000000 >/dev/null) & done; wait"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def waited_by_perf(path):
    """The sum over all callers, in nanoseconds; None where this perf cannot tell."""
    done = subprocess.run(["perf", "lock", "contention", "-i", path], text=True, capture_output=True, timeout=60, check=False)
    rows = re.findall(r"^\s*\d+\s+([\d.]+) (ns|us|ms|s)\s", done.stdout + done.stderr, re.MULTILINE)
    return sum(float(value) * UNITS[unit] for value, unit in rows) if done.returncode == 0 and rows else None


def main():
    if shutil.which("perf") is None:
        skip("no perf")
    world = World(sys.argv[1])
    try:
        done = subprocess.run(
            [world.program, "collect", "--mode", "lock", "--call-graph", "fp", "--executable", "/bin/sh",
             "--target-arg=-c", f"--target-arg={TARGET}", "--data-output", "lock", "--metadata-output", "lock.json",
             *GATES], cwd=world.folder, text=True, capture_output=True, timeout=100, check=False)
        if done.returncode == 6:
            skip(done.stderr.strip()[:300])
        assert done.returncode == 0, done.stderr
        world.run("analyze", "-i", "lock", "-o", "analysis.json")
        analysis = world.json("analysis.json")
        figures = analysis["metadata"]
        if figures["event"] != "lock-wait":
            skip("nobody waited")
        assert (figures["weight_unit"], figures["weight_source"]) == ("nanoseconds", "contention_interval"), figures
        # Six processes may wait at once.
        longest = 6 * world.json("lock.json")["duration_seconds"] * 1e9
        assert 0 < figures["total_weight"] <= longest, (figures["total_weight"], longest)
        events = {e["event"] for e in analysis["other_events"]}
        assert {"lock:contention_begin", "lock:contention_end"} <= events, events
        # Every wait is of a kind of lock, and the kinds add up.
        mutex = world.run("top", "lock", "--sample-type", "lock-wait", "--filter", "lock=nothing").stderr
        kinds = re.search(r"there are: (.*)", mutex).group(1).split(", ")
        parts = 0
        for kind in kinds:
            world.run("convert", "lock", "--filter", f"lock={kind}", "-o", "kind.folded", "--sample-type", "lock-wait")
            with open(world.path("kind.folded"), encoding="utf-8") as file:
                parts += sum(int(line.rsplit(" ", 1)[1]) for line in file)
        assert parts == figures["total_weight"], (parts, figures["total_weight"])
        by_perf = waited_by_perf(world.path("lock"))
        if by_perf:
            # perf rounds, and counts a wait within a wait in both.
            assert figures["total_weight"] <= 1.01 * by_perf + 1000, (figures["total_weight"], by_perf)
            assert figures["total_weight"] >= 0.5 * by_perf, (figures["total_weight"], by_perf)
        print(f"{figures['total_weight'] / 1e6:.2f} ms for {', '.join(kinds)}; perf: {by_perf}")
    finally:
        world.close()


main()
