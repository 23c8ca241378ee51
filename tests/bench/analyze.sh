#!/usr/bin/env bash
# analyze.sh [--program SONDE] [--records N...] [--repetitions R]: how fast `sonde analyze` reads folded stacks.
#
# Prints one JSON object: for each number of records (1000, 100000 and 1000000 when none is given) the median of R
# runs (5) of the whole program, from its start to its end, and the environment. The shape of the input is
# 100 functions below 3 shared callers, 27.9 bytes a record. Times of a loaded machine say little: see "load".
set -euo pipefail
exec python3 - "$0" "$@" <<'PY'
import argparse, json, os, platform, resource, shutil, statistics, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.abspath(sys.argv[1]))
parser = argparse.ArgumentParser(prog="analyze.sh")
parser.add_argument("--program", default=os.path.join(here, "../../build/release/cli/sonde"))
parser.add_argument("--records", type=int, nargs="+", default=[1000, 100000, 1000000])
parser.add_argument("--repetitions", type=int, default=5)
options = parser.parse_args(sys.argv[2:])
if not os.access(options.program, os.X_OK):
    sys.exit(f"analyze.sh: no program {options.program}; give --program")


def run(arguments):
    """Wall and CPU seconds of one run, and its peak of memory in MiB."""
    before = time.perf_counter()
    pid = os.posix_spawn(arguments[0], arguments, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - before
    if status != 0:
        sys.exit(f"analyze.sh: {' '.join(arguments)} failed")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median_of(arguments):
    run(arguments)  # Warms the page cache.
    return [statistics.median(column) for column in zip(*(run(arguments) for _ in range(options.repetitions)))]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


folder = tempfile.mkdtemp(prefix="sonde-bench-")
try:
    start = median_of([options.program, "--version"])
    rows = []
    for records in options.records:
        source = os.path.join(folder, "in.folded")
        with open(source, "w", encoding="ascii") as file:
            for first in range(0, records, 100):
                file.write("".join(f"main;worker;parse;leaf_{(first + i) * 37 % 100} {i % 9 + 1}\n"
                                   for i in range(min(100, records - first))))
        wall, cpu, memory = median_of([options.program, "analyze", "-i", source, "-o", os.path.join(folder, "out.json")])
        rows.append({"records": records, "input_bytes": os.path.getsize(source), "wall_s": round(wall, 4),
                     "cpu_s": round(cpu, 4), "records_per_s": round(records / wall),
                     "records_per_cpu_s": round(records / max(cpu, 1e-4)),
                     "mib_per_s": round(os.path.getsize(source) / wall / 2**20, 1), "peak_rss_mib": round(memory, 1)})
        os.remove(source)
    print(json.dumps({"program": subprocess.run([options.program, "--version"], text=True, capture_output=True,
                                                check=True).stdout.strip(),
                      "repetitions": options.repetitions,
                      "start": {"wall_ms": round(start[0] * 1000, 2), "cpu_ms": round(start[1] * 1000, 2)},
                      "runs": rows,
                      "environment": {"cpu": processor(), "cpus": os.cpu_count(), "kernel": platform.release(),
                                      "system": platform.machine(), "load": round(os.getloadavg()[0], 2)}}, indent=2))
finally:
    shutil.rmtree(folder)
PY
