#!/usr/bin/env python3
"""Time away from the CPU, recorded by the genuine perf, of a target whose times are known. off_cpu.py <sonde>

Exits with 77 where the kernel does not let us record switches.
"""

import shutil
import subprocess
import sys

from evidence_world import World

GATES = ["--authorize-target", "--authorization", "I_EXPLICITLY_AUTHORIZE_TARGET_PROFILING"]
SLEEP_NS = 300_000_000


def recorded(world, mode):
    """Records a shell that waits for a sleep; the path of the recording."""
    done = subprocess.run(
        [world.program, "collect", "--mode", mode, "--call-graph", "fp", "--executable", "/bin/sh", "--target-arg=-c",
         f"--target-arg=sleep {SLEEP_NS / 1e9}; exit 3", "--data-output", mode, "--metadata-output", mode + ".json", *GATES],
        cwd=world.folder, text=True, capture_output=True, timeout=60, check=False)
    if done.returncode == 6:
        print("skipped:", done.stderr.strip()[:300])
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    facts = world.json(mode + ".json")
    assert facts["target_exit_status"] == 3, facts
    return facts


def main():
    if shutil.which("perf") is None:
        print("skipped: no perf")
        sys.exit(77)
    world = World(sys.argv[1])
    try:
        facts = recorded(world, "off_cpu")
        world.run("analyze", "-i", "off_cpu", "-o", "analysis.json")
        analysis = world.json("analysis.json")
        figures = analysis["metadata"]
        assert (figures["event"], figures["weight_unit"], figures["weight_source"]) == (
            "off-cpu", "nanoseconds", "switch_interval"), figures
        # The sleep, and the wait of its parent; neither was away for longer than the recording lasted.
        longest = facts["duration_seconds"] * 1e9
        assert 2 * SLEEP_NS <= figures["total_weight"] <= 2 * longest, (figures["total_weight"], longest)
        # Where the kernel tells its names, the sleep is seen by itself.
        asleep = [p["weight"] for p in analysis["call_paths"] if any("nanosleep" in f["symbol"] for f in p["frames"])]
        assert not asleep or SLEEP_NS <= max(asleep) <= longest, asleep
        # Nobody but the target was recorded.
        names = subprocess.run(["perf", "script", "-i", world.path("off_cpu"), "-F", "comm"], text=True, capture_output=True,
                               check=True).stdout.split()
        assert names and set(names) <= {"sh", "sleep", "perf", "perf-exec"}, set(names)

        recorded(world, "sched")
        world.run("analyze", "-i", "sched", "-o", "sched.analysis.json")
        events = world.json("sched.analysis.json")
        assert any(e["event"] == "sched:sched_switch" for e in events["other_events"]), events["other_events"]
        print(f"{figures['total_weight'] / 1e6:.1f} ms away from the CPU")
    finally:
        world.close()


main()
