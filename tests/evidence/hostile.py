#!/usr/bin/env python3
"""Hostile inputs and paths: an error with its code, and nothing written. hostile.py <sonde>"""

import json
import os
import subprocess
import sys

from evidence_world import World

GIBIBYTE = 1 << 30


def error_of(world, *arguments):
    """The code of the refusal, after which no file is other than before."""
    before = listing(world.folder)
    done = subprocess.run([world.program, "--error-format", "json", *arguments], cwd=world.folder, text=True,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode in (2, 3, 4, 5, 6), (arguments, done.returncode, done.stdout, done.stderr)
    assert not done.stdout, (arguments, done.stdout)
    assert listing(world.folder) == before, arguments
    error = json.loads(done.stderr)["error"]
    assert error["message"] and error["stage"], error
    return error["code"]


def listing(folder):
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            found[path] = (os.lstat(path).st_ino, os.lstat(path).st_size, os.lstat(path).st_mtime_ns)
    return found


def check_outputs(world):
    """No output goes where an input, a folder or another output is, by whatever name."""
    os.symlink("profile.folded", world.path("symbolic"))
    os.link(world.path("profile.folded"), world.path("hard"))
    os.makedirs(world.path("folder"))
    os.symlink("folder", world.path("to-folder"))
    for output in ("profile.folded", "./profile.folded", "build/../profile.folded", "symbolic", "hard", "folder",
                   "to-folder", world.path("profile.folded"), ""):
        assert error_of(world, "analyze", "-i", "profile.folded", "-o", output) == "PATH_SAFETY_VIOLATION", output
    world.run("analyze", "-i", "profile.folded", "-o", "a.json")
    for output, markdown in (("x.json", "x.json"), ("x.json", "./x.json"), ("a.json", "x.md"), ("x.json", "a.json"),
                             ("x.json", "")):
        assert error_of(world, "compare-profiles", "--baseline", "a.json", "--candidate", "a.json", "--output", output,
                        "--markdown-output", markdown) == "PATH_SAFETY_VIOLATION", (output, markdown)
    for command in (("convert", "profile.folded"), ("flame", "profile.folded"), ("report", "--analysis", "a.json"),
                    ("diff", "profile.folded", "profile.folded")):
        assert error_of(world, *command, "-o", "") == "PATH_SAFETY_VIOLATION", command
    assert error_of(world, "analyze", "-i", "profile.folded", "-o", "profile.folded/x") == "OUTPUT_WRITE_FAILED"
    assert error_of(world, "analyze", "-i", "profile.folded", "-o", "x.json", "--max-output-bytes", "100") == \
        "RESOURCE_LIMIT_EXCEEDED"


def check_inputs(world):
    """What is no regular file is refused at once, not waited for."""
    os.mkfifo(world.path("fifo"))
    os.symlink("loop", world.path("loop"))
    for path in ("fifo", "folder", "/dev/zero", "loop", "missing"):
        assert error_of(world, "analyze", "-i", path, "-o", "x.json") == "INVALID_INPUT", path
        assert error_of(world, "classify", "--analysis", path, "--output", "x.json") == "INVALID_INPUT", path
        assert error_of(world, "normalize-benchmark", "-i", path, "-o", "x.json") == "INVALID_INPUT", path
    for path in ("../../etc/passwd", "/etc/passwd", "outside"):
        if path == "outside":
            os.symlink("/etc/passwd", world.path("outside"))
        assert error_of(world, "source-context", "--file", path, "--line", "1", "--workspace", "src", "--output",
                        "x.json") in ("PATH_SAFETY_VIOLATION", "INVALID_INPUT"), path
    world.write("src/binary.c", "int main\0\n")
    assert error_of(world, "source-context", "--file", "binary.c", "--line", "1", "--workspace", "src", "--output",
                    "x.json") == "INVALID_INPUT"
    assert error_of(world, "inspect-elf", "-i", "profile.folded", "-o", "x.json") == "PROFILE_PARSE_FAILED"
    with open(world.path("build/app"), "rb") as app, open(world.path("cut"), "wb") as cut:
        cut.write(app.read(3000))
    assert error_of(world, "inspect-elf", "-i", "cut", "-o", "x.json") == "PROFILE_PARSE_FAILED"
    assert error_of(world, "resolve-source", "--binary", "cut", "--module-offset", "0x1", "-o", "x.json") == \
        "PROFILE_PARSE_FAILED"
    world.run("analyze", "-i", "profile.folded", "-o", "told.json")
    assert error_of(world, "report", "--analysis", "told.json", "-o", "x.pdf") == "INVALID_INPUT"


def check_numbers(world):
    """No number that is none, or that does not fit, gets through."""
    world.run("analyze", "-i", "profile.folded", "-o", "b.json")
    with open(world.path("b.json"), encoding="utf-8") as file:
        good = file.read()
    for bad in ("18446744073709551616", "NaN", "1e400", "-1", "471.5", '"471"', "null", "[471]"):
        world.write("bad.json", good.replace('"sample_count": 3', f'"sample_count": {bad}', 1))
        assert error_of(world, "classify", "--analysis", "bad.json", "--output", "x.json") == "INVALID_INPUT", bad
        values = json.dumps({"results": [{"command": "c", "times": [1.0, "@", 1.0]}]}).replace('"@"', bad)
        world.write("bad.json", values)
        if bad not in ("471.5", "18446744073709551616", "-1"):
            assert error_of(world, "normalize-benchmark", "-i", "bad.json", "-o", "x.json") == "INVALID_INPUT", bad
    world.write("bad.json", good.replace('"status"', '"status": "complete", "status"', 1))
    assert error_of(world, "report", "--analysis", "bad.json", "--output", "x.md") == "INVALID_INPUT"
    world.write("deep.json", "[" * 100_000)
    assert error_of(world, "report", "--analysis", "deep.json", "--output", "x.md") == "INVALID_INPUT"
    world.write("huge.folded", "a;b 9223372036854775807\na;b 9223372036854775807\na;c 18446744073709551616\n")
    world.run("analyze-folded", "-i", "huge.folded", "-o", "huge.json")
    huge = world.json("huge.json")
    assert huge["status"] == "partial" and huge["hotspots"][0]["self_weight"] == (1 << 63) - 1, huge["hotspots"]
    for rules in ('[[rule]]\nid = "x"\nversion = nan\n', '[[rule]]\nid = "x"\nversion = 18446744073709551616\n', "[" * 5000):
        world.write("rules.toml", rules)
        assert error_of(world, "classify", "--analysis", "a.json", "--rules", "rules.toml", "--output", "x.json") == \
            "INVALID_INPUT", rules[:40]
    for option in ("--max-records=18446744073709551616", "--max-records=-1", "--max-records=nan", "--top-n=0"):
        assert error_of(world, "analyze", "-i", "profile.folded", "-o", "x.json", option) == "INVALID_INPUT", option


def check_sizes(world):
    """Files of a gibibyte without a line end; sparse, so that they cost no disk."""
    with open(world.path("line"), "wb") as file:
        file.truncate(GIBIBYTE + 1)
    for arguments in (("analyze", "-i", "line", "-o", "x.json"), ("analyze-folded", "-i", "line", "-o", "x.json"),
                      ("analyze-perf-script", "-i", "line", "-o", "x.json"),
                      ("classify", "--analysis", "line", "-o", "x.json"),
                      ("normalize-benchmark", "-i", "line", "-o", "x.json")):
        assert error_of(world, *arguments) == "RESOURCE_LIMIT_EXCEEDED", arguments
    with open(world.path("line"), "wb") as file:
        file.truncate(64 << 20)
    assert error_of(world, "analyze", "-i", "line", "-o", "x.json") == "UNSUPPORTED_FORMAT"
    # A record that is too long is skipped and counted, and nothing else of the file is lost.
    with open(world.path("line"), "wb") as file:
        file.write(b"x" * (64 << 20) + b"\nmain;leaf 2\n")
    world.run("analyze-folded", "-i", "line", "-o", "long.json")
    long = world.json("long.json")
    assert long["status"] == "partial" and long["metadata"]["total_weight"] == 2, long["metadata"]
    assert long["metadata"]["parse_statistics"]["malformed_records"] == 1, long["metadata"]
    # A message of 17 MiB to the server: an answer that says so, and the next message is heard.
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = subprocess.run([world.program, "mcp", "--allowed-root", world.folder, "--artifact-root", world.folder],
                          input=b"x" * (17 << 20) + b"\n" + ping, capture_output=True, timeout=60, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["error"]["code"] == -32600 and answers[1]["result"] == {}, answers


def check_batches(world):
    """One bad address takes nothing from the others, and is named by its line."""
    world.write("batch.txt", "0x1\nnonsense\n\n0xffffffffffff\n")
    world.run("resolve-source", "--binary", "build/app", "--batch", "batch.txt", "-o", "batch.json")
    batch = world.json("batch.json")
    assert len(batch["results"]) == 1, batch
    assert [failure["line"] for failure in batch["failures"]] == [2, 4], batch["failures"]
    world.write("batch.txt", "nonsense\n")
    assert error_of(world, "resolve-source", "--binary", "build/app", "--batch", "batch.txt", "-o",
                    "x.json") == "INVALID_INPUT"


def main():
    world = World(sys.argv[1])
    try:
        for check in (check_outputs, check_inputs, check_numbers, check_batches, check_sizes):
            check(world)
            print("ok", check.__doc__)
    finally:
        world.close()


main()
