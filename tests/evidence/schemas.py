#!/usr/bin/env python3
"""Checks an artifact of every kind against its schema, and that each schema refuses what it should. schemas.py <sonde>"""

import copy
import json
import os
import sys

from evidence_world import SOURCE, Console, World, main_offset

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

GATES = ["--authorize-target", "--authorization", "I_EXPLICITLY_AUTHORIZE_TARGET_PROFILING"]


def artifacts(world):
    """(schema, artifact)"""
    def made(schema, *arguments):
        world.run(*arguments, "--output", "out.json")
        return schema, world.json("out.json")

    def collected(mode, *more):
        target = more or ("--executable", world.path("build/app"))
        world.run("collect", "--mode", mode, "--data-output", mode, "--metadata-output", mode + ".json", *GATES, *target)
        return "collection", world.json(mode + ".json")

    world.run("analyze", "-i", "profile.folded", "-o", "a.json")
    world.write("other.folded", "main;malloc 300\nmain;fresh 200\nbroken\n" * 100)
    world.run("analyze", "-i", "other.folded", "-o", "b.json")
    offset = main_offset(world)
    world.write("batch.txt", f"{offset}\n0x1\nnonsense\n")
    yield "analysis", world.json("a.json")
    yield "analysis", world.json("b.json")
    yield made("analysis", "analyze", "--input", "perf.data")
    yield made("analysis", "analyze", "--input", "profile.perf-script")
    yield made("analysis", "analyze", "--input", os.path.join(SOURCE, "tests/fuzz/corpus/perf_script/t16_multi_event.txt"))
    yield made("diagnosis", "classify", "--analysis", "b.json")
    yield made("profile-comparison", "compare-profiles", "--baseline", "a.json", "--candidate", "b.json",
               "--minimum-delta-percent", "0")
    world.run("analyze", "-i", "other.folded", "-o", "cut.json", "--top-n", "1", "--call-path-limit", "1")
    yield made("profile-comparison", "compare-profiles", "--baseline", "cut.json", "--candidate", "a.json",
               "--minimum-delta-percent", "0")
    yield made("benchmark", "normalize-benchmark", "--input", "benchmark-hyperfine.json")
    yield made("benchmark", "normalize-benchmark", "--input", "build/baseline-benchmark.json")
    yield made("benchmark-comparison", "compare-benchmarks", "--baseline", "build/baseline-benchmark.json",
               "--candidate", "build/candidate-benchmark.json")
    yield made("benchmark-comparison", "compare-benchmarks", "--baseline", "benchmark-hyperfine.json", "--candidate",
               "build/candidate-benchmark.json")
    yield made("elf", "inspect-elf", "--input", "build/app")
    yield made("source-resolution", "resolve-source", "--binary", "build/app", "--module-offset", offset)
    yield made("source-resolution", "resolve-source", "--binary", "build/app", "--batch", "batch.txt")
    yield made("source-context", "source-context", "--file", "src/demo.c", "--line", "2", "--workspace", ".")
    yield collected("record")
    yield collected("stat")
    console = Console()
    try:
        yield collected("attach-console", "--url", console.url, "--duration-seconds", "1")
    finally:
        console.close()
    yield "error", json.loads(world.run("--error-format", "json", "analyze", "--input", "nothing", "--output", "n.json",
                                        code=2).stderr)


def main():
    schemas = {}
    for name in sorted(os.listdir(os.path.join(SOURCE, "docs/schemas"))):
        with open(os.path.join(SOURCE, "docs/schemas", name), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[name.removesuffix(".schema.json")] = jsonschema.Draft202012Validator(schema)
    seen = set()
    world = World(sys.argv[1])
    try:
        for name, artifact in artifacts(world):
            seen.add(name)
            problems = [f"{list(e.absolute_path)}: {e.message[:300]}" for e in schemas[name].iter_errors(artifact)]
            if problems:
                sys.exit(f"{name}: " + "\n  ".join(problems[:5]))
            strange = copy.deepcopy(artifact)
            strange["surprise"] = 1
            missing = copy.deepcopy(artifact)
            del missing["schema_version"]
            if schemas[name].is_valid(strange) or schemas[name].is_valid(missing):
                sys.exit(f"{name}: the schema lets anything through")
    finally:
        world.close()
    if seen != set(schemas):
        sys.exit(f"without an artifact: {set(schemas) - seen}")
    print(f"{len(seen)} schemas")


main()
