#!/usr/bin/env python3
"""Profiles of agent logs in the readers of others: run.py SONDE SOURCE_DIR WORK_DIR

Every view of the example logs must add up to the same weight in flamegraph.pl, inferno-flamegraph,
go tool pprof (-raw, -top, -tags) and speedscope as in the folded file. A reader that is not here is
named; with none of them the exit code is 77.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SONDE, SOURCE, WORK = (os.path.abspath(path) for path in sys.argv[1:4])
HERE = os.path.dirname(os.path.abspath(__file__))
VIEWS = ["operations", "tokens", "files", "network", "time", "tools", "cost"]
failures, read_by, missing = [], [], []


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=200, **more)


def expect(reader, view, found, wanted):
    if found != wanted:
        failures.append(f"{reader}, {view}: {found}, not {wanted}")


def flame_graphs(folder, weights):
    for program in ("flamegraph.pl", "inferno-flamegraph"):
        if shutil.which(program) is None:
            missing.append(program)
            continue
        for view, weight in weights.items():
            done = run(program, os.path.join(folder, view + ".folded"))
            found = re.search(r"all \(([\d,]+) ", done.stdout)
            expect(program, view, int(found.group(1).replace(",", "")) if found else done.stderr, weight)
        read_by.append(program)


def go_pprof(folder, weights):
    if shutil.which("go") is None:
        return missing.append("go tool pprof")
    environment = {**os.environ, "PPROF_TMPDIR": folder}
    for view, weight in weights.items():
        path = os.path.join(folder, view + ".pb.gz")
        raw = run("go", "tool", "pprof", "-raw", path, env=environment).stdout
        samples = raw[raw.index("Samples:"):raw.index("Locations")]
        expect("go -raw", view, sum(int(n) for n in re.findall(r"^ +(-?\d+)[ \d-]*:", samples, re.M)), weight)
        for report, part in (("-top", "flat%"), ("-tags", "source_session")):
            done = run("go", "tool", "pprof", report, path, env=environment)
            expect(f"go {report}", view, part in done.stdout, True)
    read_by.append("go tool pprof")


def speedscope(folder, weights):
    chromium = shutil.which("chromium")
    if chromium is None or shutil.which("npm") is None:
        return missing.append("speedscope")
    os.makedirs(WORK, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "speedscope.mjs"):
        shutil.copy(os.path.join(HERE, name), WORK)
    if not os.path.isdir(os.path.join(WORK, "node_modules", "speedscope")):
        if run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=WORK).returncode != 0:
            return missing.append("speedscope")
    done = run("node", "speedscope.mjs", folder, *weights, cwd=WORK,
               env={**os.environ, "SONDE_CHROMIUM": chromium})
    if done.returncode != 0:
        return failures.append("speedscope: " + done.stderr[-600:])
    for name, own in json.loads(done.stdout).items():
        view = name.split(".")[0]
        if isinstance(own, str):
            failures.append(f"speedscope, {name}: {own}")
        elif name == "time.pb.gz":
            expect("speedscope", name, len(own) > 0, True)  # Rounded to minutes and seconds.
        else:
            expect("speedscope", name, sum(int(n.replace(",", "")) for n in own), weights[view])
    read_by.append("speedscope")


with tempfile.TemporaryDirectory() as folder:
    logs = os.path.join(SOURCE, "examples", "agentlog")
    made = run(SONDE, "agent", "--all", folder, "--session-file", os.path.join(logs, "codex"), "--session-file",
               os.path.join(logs, "claude"), "--project-root", "/home/dev/orders", "--tag-rules",
               os.path.join(logs, "rules.toml"), "--no-parse-cache")
    if made.returncode != 0:
        sys.exit(made.stderr)
    weights = {}
    for view in VIEWS:
        with open(os.path.join(folder, view + ".folded"), encoding="utf-8") as file:
            weights[view] = sum(int(line.rsplit(" ", 1)[1]) for line in file)
    for reader in (flame_graphs, go_pprof, speedscope):
        reader(folder, weights)
print("read by", ", ".join(read_by) or "nobody", *(["; not here:", ", ".join(missing)] if missing else []))
print("\n".join(failures))
sys.exit(1 if failures else 0 if read_by else 77)
