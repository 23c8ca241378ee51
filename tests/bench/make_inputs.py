#!/usr/bin/env python3
"""Writes inputs for benchmarks, the same ones on every run.

make_inputs.py pprof FILE [SAMPLES]    a pprof message: stacks from a call graph, labels, two types
make_inputs.py folded FILE [LINES]     folded stacks of the same call graph
make_inputs.py processes FILE SCRIPT [PROCESSES]   the text of perf script, of one process, as that of several
                                                  that all have their code elsewhere
"""
import random
import re
import sys

FUNCTIONS = 6000
STACKS = 60000


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def tagged(field, value):
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    return varint(field << 3 | 2) + varint(len(value)) + value


def name_of(number):
    return (f"acme::storage::Engine{number % 37}::Shard<std::map<int, Record{number % 11}>, "
            f"Policy{number % 5}>::step{number}(int, char const*)")


def stacks(source):
    """Root first. Callees of a function are few, so that stacks share their beginnings."""
    made = []
    for _ in range(STACKS):
        at, stack = source.randrange(4), []
        for _ in range(source.randrange(3, 16)):
            stack.append(at)
            at = (at * 7 + source.choice((1, 1, 1, 2, 3, 5, 11))) % FUNCTIONS
        made.append(stack)
    return made


def write_pprof(path, samples):
    source = random.Random(1)
    texts = ["", "samples", "count", "cpu", "nanoseconds", "thread", "request", "app.cc", "/bin/app"]
    texts += [f"worker {i}" for i in range(64)]
    first_name = len(texts)
    texts += [name_of(i) for i in range(FUNCTIONS)]
    encoded = [b"".join(varint(i + 1) for i in reversed(stack)) for stack in stacks(source)]
    labels = [tagged(3, tagged(1, 5) + tagged(2, 9 + i)) for i in range(64)]
    with open(path, "wb") as out:
        out.write(tagged(1, tagged(1, 1) + tagged(2, 2)) + tagged(1, tagged(1, 3) + tagged(2, 4)))
        for number in range(samples):
            count = source.randrange(1, 4)
            values = tagged(2, varint(count) + varint(count * 10101010))
            body = tagged(1, encoded[source.randrange(STACKS)]) + values + labels[number & 63]
            if number % 4 == 0:
                body += tagged(3, tagged(1, 6) + tagged(3, number + 1))
            out.write(tagged(2, body))
        out.write(tagged(3, tagged(1, 1) + tagged(2, 0x400000) + tagged(3, 0x4000000) + tagged(5, 8) + tagged(7, 1)))
        for i in range(FUNCTIONS):
            line = tagged(4, tagged(1, i + 1) + tagged(2, i % 900 + 1))
            out.write(tagged(4, tagged(1, i + 1) + tagged(2, 1) + tagged(3, 0x400000 + i * 64) + line))
            out.write(tagged(5, tagged(1, i + 1) + tagged(2, first_name + i) + tagged(3, first_name + i) + tagged(4, 7)))
        for text in texts:
            out.write(tagged(6, text.encode()))
        out.write(tagged(9, 1700000000 * 10**9) + tagged(10, 60 * 10**9))
        out.write(tagged(11, tagged(1, 3) + tagged(2, 4)) + tagged(12, 10101010))


def write_folded(path, lines):
    source = random.Random(2)
    texts = [";".join(name_of(i) for i in stack) for stack in stacks(source)]
    with open(path, "w") as out:
        for _ in range(lines):
            out.write(f"{texts[source.randrange(STACKS)]} {source.randrange(1, 100)}\n")


def write_processes(path, script, processes):
    with open(script) as file:
        samples = file.read().split("\n\n")
    user_address = re.compile(r"^(\s+)([0-9a-f]{1,12}) ", re.MULTILINE)
    with open(path, "w") as out:
        for number in range(processes):
            def moved(match):
                return f"{match[1]}{int(match[2], 16) + (number << 28):x} "
            for sample in samples[number::processes]:
                out.write(user_address.sub(moved, sample) + "\n\n")


if __name__ == "__main__":
    if sys.argv[1] == "processes":
        write_processes(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 30)
    else:
        {"pprof": write_pprof, "folded": write_folded}[sys.argv[1]](
            sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000)
