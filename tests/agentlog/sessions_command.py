#!/usr/bin/env python3
"""sonde sessions, from outside: sessions_command.py PROGRAM

Every folder of cases/ holds logs and what their totals must say. Also: the table, the exit codes,
standard input, the filters, and that no output tells a working folder or a prompt.
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
SCRATCH_FOLDER = tempfile.TemporaryDirectory()
SCRATCH = SCRATCH_FOLDER.name
ENVIRONMENT = {**os.environ, "HOME": SCRATCH, "XDG_CACHE_HOME": SCRATCH + "/cache"}
failures = []


def run(*arguments, **more):
    return subprocess.run([PROGRAM, "sessions", *arguments], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=60, **more)


def expect(label, found, wanted):
    if found != wanted:
        failures.append(f"{label}: wanted {wanted}, found {found}")


def totals_of(*arguments, **more):
    done = run("--json", *arguments, **more)
    if done.returncode != 0:
        failures.append(f"{arguments}: exit {done.returncode}: {done.stderr}")
        return {}
    return json.loads(done.stdout)["totals"]


def case(folder, name):
    return os.path.join(CASES, folder, name)


for folder in sorted(os.listdir(CASES)):
    with open(case(folder, "expected.json")) as file:
        wanted = json.load(file)
    totals = totals_of(*[case(folder, name) for name in wanted["files"]])
    for key, value in wanted["expect"].items():
        found = totals.get(key)
        if key == "models":
            value, found = sorted(value), sorted(found or [])
        if key == "tokens":
            found = {kind: (found or {}).get(kind) for kind in value}
        expect(f"{folder} {key}", found, value)

agents = os.path.join(CASES, "a12-subagent-file")
whole = json.loads(run("--json", agents).stdout)
expect("a sub-agent stands under its parent", whole["sessions"][0]["subagents"][0]["agent_id"], "b")
expect("sums agree", sum(part["tokens"]["output"] for part in
                         [whole["sessions"][0], whole["sessions"][0]["subagents"][0]]),
       whole["totals"]["tokens"]["output"])

table = run(agents)
expect("the table has a line a session", len(table.stdout.splitlines()), 4)
expect("no usage is shown as not known", " ? " in run(os.path.join(CASES, "c32-no-usage-at-all")).stdout,
       True)

broken = run("--json", case("a19-broken-lines", "a.jsonl"))
expect("losses are in the JSON", [warning["count"] for warning in json.loads(broken.stdout)["warnings"]],
       [3, 1, 1])
expect("and on standard error", broken.stderr.count("a.jsonl:"), 5)

with open(case("a01-streamed-output-grows", "a.jsonl")) as log:
    expect("standard input", totals_of("-", stdin=log).get("llm_calls"), 1)
expect("a missing file", run("/nowhere.jsonl").returncode, 2)
expect("a time that is none", run("--since", "yesterday").returncode, 2)
expect("no logs at all", totals_of().get("sessions"), 0)
expect("and said", "no session was found" in run().stderr, True)
expect("the filter is named", "--session-id none" in run("--session-id", "none", CASES).stderr, True)
expect("a span turned round", run("--since", "2026-02-01", "--until", "2026-01-01").returncode, 2)
expect("a negative number", run("--max-sessions", "-1", CASES).returncode, 2)
expect("two words on the cache", run("--parse-cache", SCRATCH, "--no-parse-cache", CASES).returncode, 2)
expect("a cache that cannot be", run("--parse-cache", "/dev/null/x", CASES).returncode, 5)
expect("--session-model", totals_of("--session-model", "gpt-b", CASES).get("sessions"), 1)
expect("--until", totals_of("--until", "2020-01-01", CASES).get("llm_calls"), 0)
expect("--project-root", totals_of("--project-root", "/elsewhere", CASES).get("sessions"), 0)
expect("--session-file", totals_of("--session-file", case("c02-info-null", "a.jsonl")).get("llm_calls"), 1)

secret = os.path.join(SCRATCH, "secret.jsonl")
with open(secret, "w") as log:
    log.write('{"type":"user","sessionId":"S","cwd":"/home/someone/place","uuid":"1",'
              '"message":{"role":"user","content":"hunter2"}}\n')
for arguments in ([secret], ["--json", secret]):
    done = run(*arguments)
    for word in ("someone", "hunter2"):
        expect(f"{word} in {arguments[0]}", word in done.stdout + done.stderr, False)

# What a log calls itself does not steer the terminal.
wild = os.path.join(SCRATCH, "wi\x1b[31mld.jsonl")
with open(wild, "w") as log:
    log.write(json.dumps({"type": "assistant", "sessionId": "S\u001b]0;x\u0007\n\u009b2J" + "s" * 500, "uuid": "1",
                          "timestamp": "2026-01-01T00:00:00Z", "version": "1",
                          "message": {"id": "m", "role": "assistant", "model": "m\u001b[2J\r" + "m" * 5000,
                                      "usage": {"output_tokens": -5}}}) + "\n{broken\n")
shown = run(wild)
for stream in (shown.stdout, shown.stderr):
    expect("control characters", [c for c in stream if c != "\n" and (c < " " or "\x7f" <= c < "\xa0")], [])
expect("a line a session", len(shown.stdout.splitlines()), 3)
expect("a cell is bounded", max(map(len, shown.stdout.splitlines())) < 300, True)

# A name of a log may be a key or somebody's address.
for name in ("ghp_1234567890abcdefghijABCDEFGHIJ123456.jsonl", "bob@corp.example.jsonl"):
    path = os.path.join(SCRATCH, name)
    with open(path, "w") as log:
        log.write(json.dumps({"type": "user", "sessionId": "S", "uuid": "1", "timestamp": "2026-01-01T00:00:00Z",
                              "message": {"role": "user", "content": "x"}}) + "\n{broken\n")
    done = run("--json", path)
    expect("the log of a session", json.loads(done.stdout)["sessions"][0]["files"], ["redacted"])
    expect("its name", name.split(".")[0] in done.stdout + done.stderr, False)

for arguments in ([], ["--json"], [CASES], ["--help"]):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "sessions", *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT, timeout=60)
    expect(f"{arguments} into a full disk", done.returncode, 5)

print("\n".join(failures) or "all as expected")
sys.exit(1 if failures else 0)
