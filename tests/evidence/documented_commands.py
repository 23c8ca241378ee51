#!/usr/bin/env python3
"""Runs every command line that the documents of evidence show, as one table. documented_commands.py <sonde>"""

import json
import os
import sys

from evidence_world import Console, World, main_offset

TARGET = ["--authorize-target", "--authorization", "I_EXPLICITLY_AUTHORIZE_TARGET_PROFILING"]
PID = ["--authorize-pid-attach", "--pid-authorization", "I_EXPLICITLY_AUTHORIZE_PID_ATTACH"]


def commands(world):
    """(arguments, exit code, file that is there afterwards)"""
    collect = ["collect-profile", "--executable", world.path("build/app"), "--target-arg=--workload"]
    return [
        (["--version"], 0, None),
        (["mcp", "--version"], 0, None),
        (["--help"], 0, None),
        (["analyze-folded", "--input", "tests/fixtures/folded/normal.folded", "--output", "build/analysis.json"], 0,
         "build/analysis.json"),
        (["analyze-perf-script", "--input", "profile.perf-script", "--output", "build/script.json"], 0,
         "build/script.json"),
        (["analyze-perf-data", "--input", "perf.data", "--output", "build/recording.json"], 0, "build/recording.json"),
        (["analyze", "--input", "perf.data", "--output", "build/any.json", "--max-records", "100", "--top-n", "5"], 0,
         "build/any.json"),
        (["inspect-elf", "--input", "build/app", "--output", "build/elf.json"], 0, "build/elf.json"),
        (["resolve-source", "--binary", "build/app", "--module-offset", main_offset(world), "--output",
          "build/source.json"], 0, "build/source.json"),
        (["source-context", "--file", "src/demo.c", "--line", "2", "--workspace", ".", "--output",
          "build/context.json"], 0, "build/context.json"),
        (["classify", "--analysis", "build/analysis.json", "--output", "build/diagnosis.json"], 0,
         "build/diagnosis.json"),
        (["report", "--analysis", "build/analysis.json", "--problem", "Throughput regression", "--metric",
          "requests/second", "--output", "build/report.md"], 0, "build/report.md"),
        (["analyze-folded", "--input", "profile.folded", "--output", "build/baseline-analysis.json"], 0, None),
        (["analyze-folded", "--input", "profile.folded", "--output", "build/candidate-analysis.json"], 0, None),
        (["compare-profiles", "--baseline", "build/baseline-analysis.json", "--candidate",
          "build/candidate-analysis.json", "--output", "build/profile-comparison.json", "--markdown-output",
          "build/profile-comparison.md"], 0, "build/profile-comparison.md"),
        (["normalize-benchmark", "--input", "benchmark-hyperfine.json", "--output", "build/benchmark.json"], 0,
         "build/benchmark.json"),
        (["compare-benchmarks", "--baseline", "build/baseline-benchmark.json", "--candidate",
          "build/candidate-benchmark.json", "--output", "build/benchmark-comparison.json"], 0,
         "build/benchmark-comparison.json"),
        (collect + ["--mode", "record", "--data-output", "build/profile.data", "--metadata-output",
                    "build/collection.json"] + TARGET, 0, "build/collection.json"),
        (collect + ["--mode", "record", "--data-output", "build/profile.data", "--metadata-output",
                    "build/collection.json"] + TARGET, 5, None),
        (collect + ["--mode", "stat", "--event", "cycles", "--event", "instructions", "--data-output",
                    "build/stat.txt", "--metadata-output", "build/stat.json"] + TARGET, 0, "build/stat.json"),
        (collect + ["--mode", "off_cpu", "--data-output", "build/off.data", "--metadata-output", "build/off.json"], 5,
         None),
        (["collect", "--mode", "sched", "--pid", str(os.getppid()), "--duration-seconds", "0.1", "--data-output",
          "build/sched.data", "--metadata-output", "build/sched.json"] + TARGET + PID, 0, "build/sched.json"),
        (["install-skill", "--project", world.folder], 0,
         ".agents/skills/sonde-performance-analysis/references/evidence-model.md"),
        (["install-skill", "--project", world.folder], 0, ".claude/skills/sonde-performance-analysis/SKILL.md"),
        (["install-skill", "--root", world.path("missing")], 2, None),
        (["codex-config", "--workspace", world.folder], 0, None),
        (["codex-config", "--workspace", world.folder, "--artifact-root", "/tmp"], 5, None),
        (["claude-config", "--workspace", world.folder, "--allow-process-execution"], 0, None),
        # An output that is the input, a limit that is exceeded, an option that does not exist.
        (["analyze-folded", "--input", "profile.folded", "--output", "profile.folded"], 5, None),
        (["analyze-folded", "--input", "profile.folded", "--output", "build/no.json", "--max-records", "1"], 4, None),
        (["analyze-folded", "--input", "profile.folded", "--nothing"], 2, None),
        (["analyze-folded", "--input", "missing.folded", "--output", "build/no.json"], 2, None),
        (["normalize-benchmark", "--input", "perf.data", "--output", "build/no.json"], 2, None),
    ]


def check_outputs(world):
    normal = world.json("build/analysis.json")
    spots = [(s["symbol"], s["self_weight"], s["inclusive_weight"], s["sample_count"]) for s in normal["hotspots"]]
    assert spots == [("compute", 271, 271, 1), ("malloc", 200, 200, 2), ("main", 0, 471, 3), ("worker", 0, 471, 3),
                     ("parse", 0, 200, 2)], spots
    assert normal["metadata"]["parse_statistics"]["bytes_read"] == 81, normal["metadata"]
    metrics = {m["event"]: m for m in world.json("build/stat.json")["metrics"]}
    assert metrics["instructions-per-cycle"]["value"] == 2.0 and metrics["instructions-per-cycle"]["derived"], metrics
    assert not os.path.exists(world.path("build/no.json")), "a failure left an output"
    assert not os.path.exists(world.path("missing")), "a folder was made for skills"
    config = world.run("codex-config", "--workspace", world.folder).stdout
    assert config.startswith("[mcp_servers.sonde]\ncommand = ") and "active-collection" not in config, config
    claude = json.loads(world.run("claude-config", "--workspace", world.folder).stdout)
    assert claude["mcpServers"]["sonde"]["args"][0] == "mcp", claude
    error = json.loads(world.run("--error-format", "json", "classify", "--analysis", "profile.folded", "--output",
                                 "build/no.json", code=2).stderr)
    assert set(error["error"]) == {"code", "details", "error_id", "message", "recoverable", "retryable", "stage",
                                   "suggested_actions"}, error
    # A skill of somebody else's is never touched, and no link leads out of the project.
    os.makedirs(world.path("linked"))
    os.symlink("/tmp", world.path("linked/.agents"))
    world.run("install-skill", "--project", world.path("linked"), "--for", "agents", code=5)


def check_exit_codes(world):
    """2 for documents that are wrong, 3 for profiles and programs that are, and for formats that nobody knows."""
    analysis = world.json("build/analysis.json")
    documents = {"broken.json": "{", "list.json": "[]", "empty.json": "{}", "text.json": "profile",
                 "false.json": json.dumps(dict(analysis, status="failed")),
                 "extra.json": json.dumps(dict(analysis, surprise=1))}
    for name, text in documents.items():
        world.write(name, text)
        for arguments in (("classify", "--analysis", name), ("report", "--analysis", name),
                          ("compare-profiles", "--baseline", "build/analysis.json", "--candidate", name)):
            world.run(*arguments, "--output", "build/no.json", code=2)
    for name in ("broken.json", "list.json", "text.json"):
        world.run("normalize-benchmark", "--input", name, "--output", "build/no.json", code=2)
        world.run("compare-benchmarks", "--baseline", "benchmark-hyperfine.json", "--candidate", name, "--output",
                  "build/no.json", code=2)
    world.run("normalize-benchmark", "--input", "empty.json", "--output", "build/no.json", code=3)
    world.write("future.json", json.dumps(dict(analysis, schema_version="2.0")))
    world.run("classify", "--analysis", "future.json", "--output", "build/no.json", code=3)
    for name, rules in (("a.toml", "[[rule]]"), ("b.toml", "= ="), ("a.yaml", "- id: ["), ("b.yaml", "- id: x")):
        world.write(name, rules)
        world.run("classify", "--analysis", "build/analysis.json", "--rules", name, "--output", "build/no.json", code=2)
    world.write("cut.data", "PERFILE2")
    for arguments in (("analyze-perf-data", "--input", "cut.data"), ("analyze", "--input", "cut.data"),
                      ("inspect-elf", "--input", "profile.folded"), ("analyze", "--input", "src/demo.c"),
                      ("resolve-source", "--binary", "profile.folded", "--module-offset", "1")):
        world.run(*arguments, "--output", "build/no.json", code=3)
    world.run("resolve-source", "--binary", "build/app", "--runtime-address", "0x1", "--mapping",
              "1000-2000@fffffffffffff001", "--output", "build/no.json", code=2)
    assert not os.path.exists(world.path("build/no.json")), "a failure left an output"


def check_console(world):
    """A program with sonde inside is asked once the gate is open, and not before."""
    console = Console()
    try:
        outputs = ["--data-output", "build/live.pb.gz", "--metadata-output", "build/live.json"]
        attach = ["collect", "--mode", "attach-console", console.url, "--duration-seconds", "1", *outputs]
        world.run(*attach, code=5)
        assert not console.asked and not os.path.exists(world.path("build/live.json")), console.asked
        world.run(*attach, *TARGET)
        assert console.asked == ["/debug/pprof/profile?seconds=1"], console.asked
        facts = world.json("build/live.json")
        assert (facts["mode"], facts["target_url"], facts["output_bytes"]) == ("attach_console", console.url, 81), facts
        world.run(*attach, *TARGET, code=5)
        world.run("collect", "--mode", "attach-console", "--data-output", "build/no", "--metadata-output",
                  "build/no.json", *TARGET, code=2)
    finally:
        console.close()


def main():
    world = World(sys.argv[1])
    try:
        table = commands(world)
        for arguments, code, output in table:
            world.run(*arguments, code=code)
            if output and not os.path.getsize(world.path(output)):
                sys.exit(f"sonde {' '.join(arguments)}: {output} is empty")
        check_outputs(world)
        check_exit_codes(world)
        check_console(world)
        print(f"{len(table)} command lines")
    finally:
        world.close()


main()
