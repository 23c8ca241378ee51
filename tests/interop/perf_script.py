#!/usr/bin/env python3
"""Records a program in every way that perf knows here; sonde's reading has to equal `perf script --no-inline`.

usage: perf_script.py SONDE
Samples, weights and every frame of every stack. Two things are put right in perf's text before, by what nm
tells. The return address behind a call that ends a function belongs to that function, not to the one that
happens to follow. And an address behind the end of a function is not in it, and one in the linkage table
in none. What differs then is shown; more than one stack in thirty, or any weight, fails: where code has no
call frame information the two unwinders guess differently. Skipped (exit code 77) without perf, the right to record or binutils.
"""
import bisect
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FRAME = re.compile(r"^(\s+)([0-9a-f]+) (.+)\+0x([0-9a-f]+) \((.*)\)$")
RECORDINGS = {
    "fp": ["-F", "5000", "-g"],
    "dwarf": ["-F", "999", "--call-graph", "dwarf,32768"],
    "zstd": ["-F", "5000", "-z", "-g"],
    "pipe": ["-F", "5000", "-g"],
    "group": ["-F", "5000", "-g", "-e", "{cpu-clock,page-faults}:S"],
    "group-pipe": ["-F", "5000", "-g", "-z", "-e", "{cpu-clock,page-faults,context-switches}:S"],
    "events": ["-F", "5000", "-g", "-e", "page-faults,cpu-clock"],
}


SYMBOL = re.compile(r"^([0-9a-f]+) (?:([0-9a-f]{8,}) )?(\w) (.+)$")
STUB = "stub@plt"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120,
                          check=False, **options)


def plain(name):
    """Without the version of the symbol."""
    return re.sub(r"@+[A-Z]+[A-Z_]*_[A-Z0-9_.]+$", "", name)


def debug_file_of(path):
    found = re.search(r"Build ID: ([0-9a-f]{2})([0-9a-f]+)", run("readelf", "-n", path).stdout)
    debug = f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug" if found else ""
    return debug if os.path.isfile(debug) else None


class Names:
    """The symbols of the files that a recording has: which are at one place, and what is before a place."""

    def __init__(self):
        self.files = {}
        self.stubs = {}

    def table(self, path):
        if path not in self.files:
            places = collections.defaultdict(list)
            sizes = {}
            lines = [line for file in (path, debug_file_of(path)) if file
                     for switch in ([], ["-D"]) for line in run("nm", "-S", *switch, file).stdout.splitlines()]
            for line in run("c++filt", "--no-params", input="\n".join(lines)).stdout.splitlines():
                symbol = SYMBOL.match(line)
                if symbol is None or symbol[3] not in "tTwWiVvu":
                    continue
                start, name = int(symbol[1], 16), plain(symbol[4])
                sizes[start] = max(sizes.get(start, 0), int(symbol[2] or "0", 16))
                if name not in places[start]:
                    places[start].append(name)
            self.files[path] = (sorted(places), places, sizes)
        return self.files[path]

    def is_stub(self, path, address):
        """In the linkage table: perf names few of these places."""
        if path not in self.stubs:
            self.stubs[path] = [(int(start, 16), int(start, 16) + int(size, 16)) for start, size in
                                re.findall(r" \.plt\S*\s+PROGBITS\s+(\w+) \w+ (\w+)", run("readelf", "-SW", path).stdout)]
        return any(start <= address < end for start, end in self.stubs[path])

    def at(self, path, address):
        """The names of the function that holds the byte at `address`; none when it is in no function."""
        starts, places, sizes = self.table(path)
        index = bisect.bisect_right(starts, address)
        if index == 0:
            return []
        start = starts[index - 1]
        return places[start] if sizes[start] == 0 or address < start + sizes[start] else []


def put_right(text, names):
    """perf's text with one name for each place, and callers where they are."""
    out, was_kernel, is_first = [], False, True
    for line in text.splitlines():
        frame = FRAME.match(line)
        if frame is None:
            out.append(line)
            was_kernel, is_first = False, True
            continue
        indent, address, name, offset, path = frame.groups()
        name, is_kernel = plain(name), path == "[kernel.kallsyms]"
        if os.path.isfile(path):
            # Interrupted there, or called from the instruction before.
            is_exact = is_first or (was_kernel and not is_kernel)
            place = int(address, 16) - (0 if is_exact else 1)
            real = [STUB] if names.is_stub(path, place) else names.at(path, place)
            if real == [STUB]:
                name = STUB
            elif name not in real and (int(offset, 16) == 0 or not real):
                name = real[0] if real else "[unknown]"
        was_kernel, is_first = is_kernel, False
        shown = name if name in ("[unknown]", STUB) else f"{name}+0x{offset}"
        out.append(f"{indent}{address} {shown} ({path})")
    return "\n".join(out) + "\n"


def fold(sonde, path, event):
    done = run(sonde, "convert", path, "--event", event, "--style", "flamegraph", "--tid", "--to", "folded",
               "-o", "-")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def sums_of(lines):
    sums = collections.Counter()
    for line in lines:
        stack, weight = line.rsplit(" ", 1)
        root, *frames = [STUB if frame.endswith("@plt") else plain(frame)
                         for frame in stack.split(";") if frame != "[truncated]"]
        # Where a frame is unknown, the chain of frame pointers was none: callers are what lay there.
        for i in range(len(frames) - 1, -1, -1):
            if frames[i] == "[unknown]":
                del frames[:i]
                break
        sums[";".join([root, *frames])] += int(weight)
    return sums


def main():
    sonde = os.path.abspath(sys.argv[1])
    for program in ("perf", "nm", "c++filt", "readelf"):
        if shutil.which(program) is None:
            print("skipped: no", program)
            return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("input.folded", "w", encoding="utf-8") as file:
            file.writelines(f"main;f{i % 97};g{i % 1009} {i}\n" for i in range(200_000))
        for name, options in RECORDINGS.items():
            data = name + ".data"
            work = ["--", sonde, "top", "input.folded"]
            if name.endswith("pipe"):
                with open(data, "wb") as out:
                    done = subprocess.run(["perf", "record", "-q", *options, "-o", "-", *work], stdout=out,
                                          stderr=subprocess.DEVNULL, timeout=120, check=False)
            else:
                done = run("perf", "record", "-q", *options, "-o", data, *work)
            if done.returncode != 0:
                print("skipped: perf cannot record")
                return SKIPPED
            names = Names()
            text = run("perf", "script", "--no-inline", "-F",
                       "comm,pid,tid,time,period,event,ip,sym,symoff,dso", "-i", data).stdout
            with open("text", "w", encoding="utf-8") as file:
                file.write(put_right(text, names))
            events = sorted(set(re.findall(r"^\S.* (\S+): *$", text, re.M)))
            for event in events:
                theirs = sums_of(fold(sonde, "text", event))
                ours = sums_of(fold(sonde, data, event))
                print(f"{name} {event}: {sum(theirs.values())} in {len(theirs)} stacks, "
                      f"{len((theirs - ours) + (ours - theirs))} differ")
                if sum(theirs.values()) != sum(ours.values()) or not theirs:
                    failed += 1
                    print(f"  weights differ: {sum(theirs.values())} and {sum(ours.values())}")
                failed += len(theirs - ours) * 30 > len(theirs)
                for side, only in (("perf ", theirs - ours), ("sonde", ours - theirs)):
                    for stack, weight in only.most_common(5):
                        print(f"  only {side}: {stack[-600:]} {weight}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
