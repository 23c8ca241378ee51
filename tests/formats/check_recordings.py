#!/usr/bin/env python3
"""Reads every recording of the corpora and compares the records with what other readers found.

usage: check_recordings.py SONDE RECORDING_DUMP CASES
CASES holds formats/perf_data_converter and formats/linux-perf-data; without them the test is
skipped (exit code 77). Checked: all recordings convert, records and build ids equal the goldens,
hostile files are refused within bounds of time and memory.
"""
import collections
import glob
import gzip
import os
import re
import resource
import subprocess
import sys

SKIPPED = 77
MEMORY = 2 << 30
# Cut off by design: its only sample has no size.
REFUSED = {"perf.data.piped.corrupted.zero_size_sample-3.2"}
FIELDS = {
    "sample_event": {"ip": "ip", "pid": "pid", "tid": "tid", "sample_time_ns": "time", "cpu": "cpu",
                     "period": "period", "callchain": "chain"},
    "mmap_event": {"pid": "pid", "tid": "tid", "start": "start", "len": "len", "pgoff": "pgoff",
                   "filename": "filename"},
    "comm_event": {"pid": "pid", "tid": "tid", "comm": "comm"},
    "fork_event": {"pid": "pid", "ppid": "ppid", "tid": "tid", "ptid": "ptid"},
    "exit_event": {"pid": "pid", "ppid": "ppid", "tid": "tid", "ptid": "ptid"},
    "lost_event": {"id": "id", "lost": "lost"},
}


def golden_records(path):
    """The records of a text-format golden as the dump prints them."""
    records, stack, kind, fields = [], [], None, None
    with gzip.open(path, "rt", errors="replace") as text:
        for line in text:
            line = line.strip()
            if line.endswith("{"):
                stack.append(line[:-2])
                if stack == ["events"]:
                    kind, fields = None, []
            elif line == "}":
                if stack == ["events"] and kind is not None and kind < 64:
                    records.append((kind, tuple(sorted(fields))))
                stack.pop()
            elif stack[:1] == ["events"]:
                key, value = line.split(": ", 1)
                if stack == ["events", "header"] and key == "type":
                    kind = int(value)
                elif len(stack) == 2 and key in FIELDS.get(stack[1], {}):
                    fields.append((FIELDS[stack[1]][key], comparable(key, unquoted(value))))
                elif stack == ["events", "sample_event", "branch_stack"] and key == "from_ip":
                    fields.append(("branch", value))
    return records


def unquoted(value):
    if not value.startswith('"'):
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1])


def comparable(key, value):
    """The goldens' reader marks addresses that it found no map for with the highest bit."""
    return str(int(value) & ~(1 << 63)) if key in ("chain", "callchain") else value


def dumped(text):
    records, build_ids = [], []
    for line in text.splitlines():
        if line.startswith("build-id "):
            build_ids.append(tuple(line.split(" ", 2)[1:]))
            continue
        kind, _, rest = line.partition(" ")
        fields = re.findall(r"(filename|comm)=(.*)$|(\w+)=(\S+)", rest)
        records.append((int(kind), tuple(sorted(
            (a or c, comparable(a or c, b or d)) for a, b, c, d in fields))))
    return records, build_ids


def with_whole_maps(records):
    """Joins what the goldens join: maps of one file side by side, and anonymous memory behind a
    map, for parts of a program that were moved to huge pages are recorded as that."""
    joined = []
    for kind, fields in records:
        last = dict(fields)
        first = dict(joined[-1][1]) if joined and joined[-1][0] == kind == 1 else None
        if first is not None and first["filename"].startswith("/"):
            is_next = (first["pid"] == last["pid"] and
                       int(first["start"]) + int(first["len"]) == int(last["start"]))
            is_same = (first["filename"] == last["filename"] and
                       int(first["pgoff"]) + int(first["len"]) == int(last["pgoff"]))
            if is_next and (is_same or last["filename"] == "//anon"):
                first["len"] = str(int(first["len"]) + int(last["len"]))
                joined[-1] = (1, tuple(sorted(first.items())))
                continue
        joined.append((kind, fields))
    return joined


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60,
                          preexec_fn=limited, check=False)


def main():
    sonde, dump, cases = sys.argv[1:]
    corpus = os.path.join(cases, "formats", "perf_data_converter")
    quipper = os.path.join(corpus, "quipper")
    if not os.path.isdir(quipper):
        print(f"skipped: no {quipper}")
        return SKIPPED
    faults, count = [], collections.Counter()
    recordings = [path for path in sorted(glob.glob(os.path.join(quipper, "perf.data*")))
                  if not path.endswith((".pb_text.gz", ".buildids"))]
    recordings += glob.glob(os.path.join(corpus, "testdata", "*.perf.data.gz"))
    recordings += glob.glob(os.path.join(cases, "formats", "linux-perf-data", "*.data"))
    for path in recordings:
        name = os.path.basename(path)
        converted = run(sonde, "convert", path, "--no-symbols", "--to", "folded", "-o", "-")
        if (converted.returncode != 0) != (name in REFUSED):
            faults.append(f"{name}: convert ended with {converted.returncode}: {converted.stderr}")
        count["recordings"] += 1
        stem = path.removesuffix(".gz")
        records, build_ids = dumped(run(dump, path).stdout)
        golden = stem + ".pb_text.gz"
        if os.path.exists(golden):
            count["goldens"] += 1
            want = collections.Counter(golden_records(golden))
            have = collections.Counter(records)
            if want != have:
                have = collections.Counter(with_whole_maps(records))
            if want != have:
                faults.append(f"{name}: {sum(want.values())} records wanted, {sum(have.values())} "
                              f"read; only wanted: {list((want - have).items())[:1]}; "
                              f"only read: {list((have - want).items())[:1]}")
        if os.path.exists(stem + ".buildids"):
            count["build id lists"] += 1
            with open(stem + ".buildids", encoding="utf-8") as file:
                # Some lists name files without a build id too.
                wanted = {tuple(line.split(" ", 1)) for line in file.read().splitlines()
                          if not line.startswith(" ")}
            if wanted != set(build_ids):
                faults.append(f"{name}: build ids differ: {list(wanted ^ set(build_ids))[:2]}")
    for path in glob.glob(os.path.join(corpus, "fuzz", "*")):
        count["hostile files"] += 1
        refused = run(sonde, "convert", path, "--from", "perf-data", "--no-symbols", "--to",
                      "folded", "-o", "-")
        if refused.returncode not in (2, 3) or refused.stdout:
            faults.append(f"{os.path.basename(path)}: ended with {refused.returncode}")
    print(", ".join(f"{number} {what}" for what, number in count.items()))
    for fault in faults:
        print("FAULT", fault[:400])
    return 1 if faults or count["goldens"] == 0 else 0


sys.exit(main())
