#!/usr/bin/env python3
"""Reads legacy profiles with sonde and compares every sample with what pprof made of them.

legacy_corpus.py SONDE FOLDER: for each FOLDER/x with a FOLDER/x.string beside it (the text form
of pprof's own parser), values, addresses or names, and numeric labels must be equal. Exits with
77, which ctest takes for "skipped", when the folder is not there.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile


# pprof takes whatever stands second on 95 % of the stacks for the way into the signal handler,
# twice. In this profile of one hot loop these are two real callers, which sonde keeps.
CALLERS_PPROF_DROPS = {"go.crc32.cpu": 2}


def fields(data):
    """The (field, value) pairs of one protobuf message."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            size = varint()
            yield tag >> 3, data[at:at + size]
            at += size


def numbers(data):
    if isinstance(data, int):
        return [data]
    return [value for _, value in fields(b"".join(b"\x08" + part for part in varints(data)))]


def varints(data):
    start = 0
    for at, byte in enumerate(data):
        if byte < 0x80:
            yield data[start:at + 1]
            start = at + 1


def signed(number):
    return number - (1 << 64) if number >= 1 << 63 else number


def place(address, name, line):
    """A frame as both sides tell it: by its address, or by name and line."""
    return (name, line) if name else address


def read_ours(path):
    texts, samples, locations, functions, types = [], [], {}, {}, []
    message = list(fields(path.read_bytes()))
    for field, value in message:
        if field == 6:
            texts.append(value.decode())
    for field, value in message:
        if field == 1:
            entry = dict(fields(value))
            types.append(texts[entry.get(1, 0)] + "/" + texts[entry.get(2, 0)])
        elif field == 5:
            entry = dict(fields(value))
            functions[entry[1]] = texts[entry.get(2, 0)]
    for field, value in message:
        if field == 4:
            entry = dict(fields(value))
            line = dict(fields(entry[4])) if 4 in entry else {}
            name = functions[line[1]] if line else ""
            locations[entry[1]] = place(entry.get(3, 0), name, line.get(2, 0))
    for field, value in message:
        if field != 2:
            continue
        stack, values, label = [], [], None
        for part, content in fields(value):
            if part == 1:
                stack += [locations[i] for i in numbers(content)]
            elif part == 2:
                values += [signed(n) for n in numbers(content)]
            elif part == 3:
                label = dict(fields(content)).get(3)
        samples.append((tuple(stack), label, values))
    return types, samples


def read_golden(path):
    section, types, samples, locations = "", [], [], {}
    for text in path.read_text().splitlines():
        line = text.strip()
        if line in ("Samples:", "Locations", "Mappings"):
            section = line
        elif section == "Samples:" and not types:
            types = [word.replace("[dflt]", "") for word in line.split()]
        elif section == "Samples:" and line.startswith("bytes:["):
            samples[-1][1] = int(re.match(r"bytes:\[(-?\d+)", line).group(1))
        elif section == "Samples:":
            values, _, stack = line.partition(":")
            samples.append([[int(i) for i in stack.split()], None, [int(v) for v in values.split()]])
        elif section == "Locations":
            number, _, rest = line.partition(":")
            words = [word for word in rest.split() if not word.startswith("M=")]
            name = words[1] if len(words) > 1 and not words[1].startswith(":") else ""
            source = re.search(r":(\d+):\d+", rest)
            locations[int(number)] = place(int(words[0], 16), name, int(source.group(1)) if source else 0)
    return types, [(tuple(locations[i] for i in stack), label, values) for stack, label, values in samples]


def summed(samples):
    total = collections.Counter()
    for stack, label, values in samples:
        for column, value in enumerate(values):
            total[(stack, label, column)] += value
    return {key: value for key, value in total.items() if value != 0}


def main():
    sonde, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not folder.is_dir():
        print("skipped: no", folder)
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for golden in sorted(folder.glob("*.string")):
            out = pathlib.Path(scratch) / "out.pb"
            run = subprocess.run([sonde, "convert", golden.with_suffix(""), "-o", out],
                                 capture_output=True, text=True, timeout=60)
            if run.returncode != 0:
                print(f"FAILED {golden.stem}: {run.stderr.strip()}")
                failures += 1
                continue
            our_types, ours = read_ours(out)
            their_types, theirs = read_golden(golden)
            dropped = CALLERS_PPROF_DROPS.get(golden.stem, 0)
            ours = [(stack[:1] + stack[1 + dropped:], label, values) for stack, label, values in ours]
            ours, theirs = summed(ours), summed(theirs)
            if our_types != their_types or ours != theirs:
                failures += 1
                print(f"FAILED {golden.stem}: {our_types} {their_types}")
                for key in list(ours.keys() | theirs.keys()):
                    if ours.get(key) != theirs.get(key):
                        print("  ", key, "ours", ours.get(key), "pprof", theirs.get(key))
                        break
            else:
                print(f"ok {golden.stem}: {len(ours)} sums")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
