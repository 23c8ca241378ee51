#!/usr/bin/env python3
"""Where names come from: a program is stripped in every usual way, and a recording of it still has its names.

usage: symbol_sources.py SONDE
Compiles a program, takes its symbols away with binutils, and writes recordings with samples at known
places: of the file as it is, with a debug file found by link or by build id, with the compressed table of
.gnu_debugdata, of code made at run time (JIT dump), and with last-branch call stacks. Skipped (exit
code 77) where there is no compiler or no binutils.
"""
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
SOURCE = """
#include <stdio.h>
static __attribute__((noinline)) long inner_work(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += i ^ n;
  return sum;
}
long outer_work(long n) { return inner_work(n) + 1; }
int main(int argc, char** argv) { printf("%s %ld\\n", argv[0], outer_work(argc)); }
"""
IDENTIFIER, IP, TID, TIME, CHAIN, BRANCHES = 1 << 16, 1, 2, 4, 1 << 5, 1 << 11
CALL_STACK, USER_CONTEXT = 1 << 11, (1 << 64) - 512
START = 0x5555_0000_0000
PID = 4711


def record(kind, payload, misc=2):
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def padded(text):
    raw = text.encode()
    return raw + bytes(8 - len(raw) % 8)


def recording(path, maps, samples, sample_type=IP | TID | TIME | CHAIN, branches=0):
    """maps: (start, size, offset, file, build id or None); samples: (time, chain, branch sources)."""
    data = record(3, struct.pack("<II", PID, PID) + padded("app"))
    for start, size, offset, file, build_id in maps:
        where = struct.pack("<IIQQQ", PID, PID, start, size, offset)
        if build_id:
            raw = bytes.fromhex(build_id)
            data += record(10, where + struct.pack("<BBH", len(raw), 0, 0) + raw.ljust(20, b"\0") +
                           struct.pack("<II", 5, 2) + padded(file), misc=2 | 1 << 14)
        else:
            data += record(10, where + struct.pack("<IIQQ", 8, 1, 99, 0) + struct.pack("<II", 5, 2) +
                           padded(file))
    for time, chain, sources in samples:
        body = struct.pack("<QIIQ", chain[0] if chain else sources[0], PID, PID, time)
        words = [USER_CONTEXT] + chain
        body += struct.pack(f"<Q{len(words)}Q", len(words), *words)
        if sample_type & BRANCHES:
            body += struct.pack("<Q", len(sources))
            for source in sources:
                body += struct.pack("<QQQ", source, source, 0)
        data += record(9, body)
    attribute = struct.pack("<IIQQQQQ", 1, 136, 0, 1, sample_type, 0, 0)
    attribute += struct.pack("<IIQQQ", 0, 0, 0, 0, branches)
    attribute = attribute.ljust(136, b"\0")
    attributes = 104
    header = b"PERFILE2" + struct.pack("<QQ", 104, 136 + 16)
    header += struct.pack("<QQQQ", attributes, 136 + 16, attributes + 136 + 16, len(data))
    header = header.ljust(104, b"\0")
    with open(path, "wb") as file:
        file.write(header + attribute + struct.pack("<QQ", 0, 0) + data)


def jit_dump(path, functions):
    """functions: (time, start, size, name, index); a name of None moves the code of that index."""
    out = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, PID, 0, 0)
    for time, start, size, name, index in functions:
        if name is None:
            body = struct.pack("<IIQQQQQ", PID, PID, start, 0, start, size, index)
            out += struct.pack("<IIQ", 1, 16 + len(body), time) + body
        else:
            body = struct.pack("<IIQQQQ", PID, PID, start, start, size, index)
            body += name.encode() + b"\0" + bytes(size)
            out += struct.pack("<IIQ", 0, 16 + len(body), time) + body
    with open(path, "wb") as file:
        file.write(out)


class World:
    def __init__(self, sonde, folder):
        self.sonde, self.folder = sonde, folder
        self.failed = 0
        source = os.path.join(folder, "app.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        self.whole = os.path.join(folder, "whole")
        self.tool("cc", "-O1", "-g", "-fno-inline", "-Wl,--build-id=sha1", "-o", self.whole, source)
        names = self.tool("nm", self.whole).splitlines()
        addresses = {line.split()[2]: int(line.split()[0], 16) for line in names if len(line.split()) == 3}
        self.inner, self.outer = addresses["inner_work"] + 4, addresses["outer_work"] + 4
        self.load = self.executable_segment()
        notes = self.tool("readelf", "-n", self.whole)
        self.build_id = next(line.split()[-1] for line in notes.splitlines() if "Build ID:" in line)

    def tool(self, *command):
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=self.folder,
                              timeout=60).stdout

    def executable_segment(self):
        """(offset, address, size) of the part of the file that is run."""
        for line in self.tool("readelf", "-lW", self.whole).splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[6:-1]:
                return int(words[1], 16), int(words[2], 16), int(words[4], 16)
        raise AssertionError("no executable segment")

    def path(self, name):
        return os.path.join(self.folder, name)

    def fold(self, file, *arguments):
        home = dict(os.environ, HOME=self.path("home"))
        done = subprocess.run([self.sonde, "convert", file, "--to", "folded", "-o", "-", *arguments],
                              capture_output=True, text=True, env=home, timeout=60, check=True)
        return done.stdout.splitlines()

    def sample_of(self, file, build_id=None, name="x.data"):
        """A recording with one stack of the program that lies at `file`."""
        offset, address, size = self.load
        at = [START + place - address for place in (self.inner, self.outer)]
        # A caller's address is the one behind its call.
        recording(self.path(name), [(START, size, offset, file, build_id)], [(10, at, [])])
        return self.path(name)

    def check(self, what, have, want):
        if have == want:
            print("ok", what)
        else:
            self.failed += 1
            print(f"FAILED {what}: have {have}, want {want}")


NAMED = ["outer_work;inner_work 1"]


def check_symbols(world):
    world.check("a file with its symbols", world.fold(world.sample_of(world.whole)), NAMED)
    bare = world.path("bare")
    world.tool("strip", "-o", bare, world.whole)
    nameless = ["[bare];[bare] 1"]
    world.check("a stripped file", world.fold(world.sample_of(bare)), nameless)

    debug = world.path("bare.debug")
    world.tool("objcopy", "--only-keep-debug", world.whole, debug)
    linked = world.path("linked")
    world.tool("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", world.whole, linked)
    world.check("a debug link", world.fold(world.sample_of(linked)), NAMED)
    lines = world.fold(world.sample_of(linked), "--source-lines", "--by", "lines")
    world.check("lines by debug link", [part.rsplit("/", 1)[-1].split(":")[0] for part in lines[0].split(";")],
                ["app.c", "app.c"])
    with open(debug, "ab") as file:
        file.write(b"x")
    world.check("a debug link whose checksum differs", world.fold(world.sample_of(linked)),
                ["[linked];[linked] 1"])
    os.remove(debug)
    world.check("a debug link to nothing", world.fold(world.sample_of(linked)),
                ["[linked];[linked] 1"])


def check_mini_debug_info(world):
    table = world.path("mini.debug")
    world.tool("objcopy", "--strip-debug", "--remove-section", ".comment", world.whole, table)
    with open(table, "rb") as file:
        packed = lzma.compress(file.read(), format=lzma.FORMAT_XZ)
    with open(world.path("mini.xz"), "wb") as file:
        file.write(packed)
    mini = world.path("mini")
    world.tool("objcopy", "--strip-all", "--add-section", ".gnu_debugdata=mini.xz", world.whole, mini)
    world.check("MiniDebugInfo", world.fold(world.sample_of(mini)), NAMED)
    with open(world.path("mini.xz"), "wb") as file:
        file.write(packed[:len(packed) // 2])
    world.tool("objcopy", "--strip-all", "--add-section", ".gnu_debugdata=mini.xz", world.whole, mini)
    world.check("MiniDebugInfo that is cut off", world.fold(world.sample_of(mini)), ["[mini];[mini] 1"])


def check_build_ids(world):
    stored = os.path.join(world.path("home"), ".debug", ".build-id", world.build_id[:2], world.build_id[2:])
    gone = world.path("gone")
    world.check("a file that is gone", world.fold(world.sample_of(gone, world.build_id)),
                ["[gone];[gone] 1"])
    os.makedirs(stored)
    shutil.copy(world.whole, os.path.join(stored, "elf"))
    world.check("perf's store", world.fold(world.sample_of(gone, world.build_id)), NAMED)
    # Another program was put in its place since.
    shutil.copy("/bin/true", gone)
    world.check("another build at the path", world.fold(world.sample_of(gone, world.build_id)), NAMED)
    shutil.rmtree(world.path("home"))
    world.check("another build and no store", world.fold(world.sample_of(gone, world.build_id)),
                ["[gone];[gone] 1"])


def check_code_made_at_run_time(world):
    code, dump = 0x7F00_0000_0000, world.path(f"jit-{PID}.dump")
    jit_dump(dump, [(100, code, 64, "first_function", 1), (150, code + 64, 64, "second_function", 2),
                    (300, code, 64, "third_function", 3), (400, code + 128, 64, None, 1)])
    maps = [(code, 4096, 0, "//anon", None), (code + 8192, 4096, 0, dump, None)]
    recording(world.path("jit.data"), maps,
              [(200, [code + 8, code + 70], []), (350, [code + 8], []), (450, [code + 130], [])])
    world.check("JIT dump, by time", world.fold(world.path("jit.data")),
                ["first_function 1", "second_function;first_function 1", "third_function 1"])
    with open(dump, "rb") as file:
        content = file.read()
    with open(dump, "wb") as file:
        file.write(content[:len(content) - 20])
    world.check("JIT dump that is cut off", world.fold(world.path("jit.data"))[1:],
                ["second_function;first_function 1", "third_function 1"])


def check_last_branches(world):
    offset, address, size = world.load
    inner, outer = (START + place - address for place in (world.inner, world.outer))
    maps = [(START, size, offset, world.whole, None)]
    recording(world.path("lbr.data"), maps, [(10, [inner], [outer])],
              sample_type=IP | TID | TIME | CHAIN | BRANCHES, branches=CALL_STACK | 1)
    world.check("last-branch call stack", world.fold(world.path("lbr.data")), NAMED)
    # Branches that are no call stack are no frames.
    recording(world.path("any.data"), maps, [(10, [inner], [outer])],
              sample_type=IP | TID | TIME | CHAIN | BRANCHES, branches=1 << 3 | 1)
    world.check("branches of any kind", world.fold(world.path("any.data")), ["inner_work 1"])


def main():
    for program in ("cc", "nm", "objcopy", "strip", "readelf"):
        if shutil.which(program) is None:
            print("skipped: no", program)
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        world = World(os.path.abspath(sys.argv[1]), folder)
        for check in (check_symbols, check_mini_debug_info, check_build_ids,
                      check_code_made_at_run_time, check_last_branches):
            check(world)
    return 1 if world.failed else 0


if __name__ == "__main__":
    sys.exit(main())
