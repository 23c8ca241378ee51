#!/usr/bin/env python3
"""Runs `sonde agent`, `sonde sessions` and `sonde install-skill` as people do, on the example logs.

usage: agent_commands.py SONDE SOURCE_DIR [TEST...]

The logs of examples/agentlog are copied into a home folder of their own, with the project moved
into a temporary folder. SONDE_UPDATE_GOLDEN=1 writes the expected files anew.
"""
import glob
import gzip
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import planted_secrets

SONDE, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
EXAMPLES = os.path.join(SOURCE, "examples", "agentlog")
GOLDEN = os.path.join(SOURCE, "tests", "golden")
VIEWS = ["operations", "tokens", "files", "network", "time", "tools", "cost"]
# What stands in the logs and must be in no output: secrets, words of prompts, answers and commands.
PLANTED = ["hunter2", "not-a-real-token", "coupon and a gift card", "ada", "Pull request 7", "proxies=",
           "ORD-7", "不要删除", "Authorization", "test_coupon_and_card"]


FIELDS = ("access,action,agent,call,category,cmd,domain,effect,file,kind,llm,model,object,op,outcome,path,phase,"
          "process,project,prompt,prompt_hash,repeat,response_phase,result,session,skill,source_kind,"
          "source_session,status,subagent,target,task,token,tool")


class ChatServer:
    """An OpenAI-compatible server that answers with one word."""

    def __init__(self, words):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = body["messages"][-1]["content"].lower()
                word = next((w for k, w in words.items() if k in text), "other")
                if "grammar" in body and '"debug"' in body["grammar"]:
                    word = "debug"
                reply = json.dumps({"choices": [{"message": {"content": word}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class World:
    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="sonde-agent-")
        self.home = os.path.join(self.root, "home", "ada")
        self.project = os.path.join(self.home, "orders")
        os.makedirs(self.project)
        self.files = []
        for agent, folder in (("codex", ".codex"), ("claude", ".claude")):
            source = os.path.join(EXAMPLES, agent)
            for path in sorted(glob.glob(source + "/**/*.jsonl", recursive=True)):
                target = os.path.join(self.home, folder, os.path.relpath(path, source))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(path, encoding="utf-8") as log, open(target, "w", encoding="utf-8") as out:
                    out.write(log.read().replace("/home/dev/orders", self.project)
                              .replace("/home/dev/", self.home + "/"))
                self.files.append(target)

    def run(self, *args, code=0, cwd=None, unprivileged=False):
        env = {"HOME": self.home, "PATH": os.environ["PATH"], "TMPDIR": self.root}
        # Nothing is closed to a process that has the rights of root.
        without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if unprivileged and os.geteuid() == 0 else []
        done = subprocess.run([*without, SONDE, *args], cwd=cwd or self.project, env=env, text=True,
                              capture_output=True, timeout=60)
        check(done.returncode == code, f"exit {done.returncode}, not {code}: {args}\n{done.stderr}")
        return done

    def status(self, *args):
        return json.loads(self.run("agent", *args).stdout)

    def read(self, name):
        with open(os.path.join(self.project, name), "rb") as file:
            data = file.read()
        return gzip.decompress(data) if name.endswith(".gz") else data

    def folded(self, name):
        """Total and stacks of a file in any format, read back through folded text."""
        if not name.endswith(".folded"):
            self.run("convert", name, "-o", name + ".folded")
            name += ".folded"
        stacks = {}
        for line in self.read(name).decode().splitlines():
            stack, weight = line.rsplit(" ", 1)
            stacks[stack] = int(weight)
        return stacks


failed = []


def check(condition, message):
    if not condition:
        raise AssertionError(message)


# Every command line of the two guides to the tool whose options these are, one a row: what must be
# in the output, or a function that looks at it.
def command_lines(world, url):
    rules = ["--tag-rule", "prompt:review=(?i)review|审核|check", "--tag-rule",
             "prompt:debug=(?i)fix|bug|error|broken", "--tag-rule",
             "prompt:git=(?i)commit|push|pull|git"]
    one = ["--session-file", world.files[0]]
    two = one + ["--session-file", world.files[-1]]
    common = []
    for rule in ["prompt:paper=(?i)paper|arxiv|latex|abstract|intro|section",
                 "prompt:review=(?i)review|审核|check|diff|pr",
                 "prompt:git=(?i)commit|push|pull|git|merge|rebase",
                 "prompt:debug=(?i)fix|bug|error|broken|为啥|failed",
                 "prompt:test=(?i)test|cargo test|pytest|verify",
                 "prompt:format=(?i)格式|style|format|font|图",
                 "prompt:confirm=(?i)^嗯$|^是$|^好$|^ok$",
                 "prompt:context=(?i)session is being continued",
                 "prompt:delegate=(?i)subagent|task-notification"]:
        common += ["--tag-rule", rule]
    rows = [
        ["-o", "a/tokens.pb.gz", "--view", "tokens"],
        ["--project-root", ".", "--project-name", "sonde-public-fixture", *one, "--tagger", "regex",
         "--no-cache", "--view", "tokens", "-o", "fixture.pb.gz"],
        ["--project-root", ".", "-o", "b.pb.gz", "--view", "tokens"],
        ["-o", "files.pb.gz", "--view", "files"],
        ["-o", "network.pb.gz", "--view", "network"],
        ["-o", "time.pb.gz", "--view", "time"],
        ["-o", "tokens.folded", "--view", "tokens"],
        ["-o", "tokens.svg", "--view", "tokens"],
        ["-o", "files.json", "--view", "files"],
        ["-o", "c.pb.gz", "--tagger", "regex"],
        ["-o", "d.svg", "--tagger", "regex", "--tag-rule", "prompt:review=(?i)review|diff|regression",
         "--tag-rule", "prompt:test=(?i)cargo test|pytest|unit test"],
        ["-o", "e.pb.gz", "--tagger", "llm", "--llama-url", url],
        ["-o", "f.pb.gz", *one],
        ["-o", "g.pb.gz", "--agent", "codex"],
        ["-o", "h.pb.gz", "--session-id", "01985c"],
        ["-o", "i.pb.gz", "--session-tag", "profile", "--tag-rule", "session:profile=(?i)profile"],
        ["-o", "j.pb.gz", "--prompt-tag", "review", "--tag-rule", "prompt:review=(?i)review"],
        ["--project-root", ".", "--all", "latest", "--max-sessions", "12"],
        ["--project-root", world.project, "--view", "tokens", "-o", "initial.json", "--format", "json",
         "--include-previews"],
        ["--project-root", world.project, *rules, "--view", "tokens", "-o", "iter1.folded"],
        ["--project-root", ".", "-o", "out.json", "--format", "json"],
        ["--project-root", world.project, "--op-map", "task:verify=(?i)cmd=pytest|effect=test",
         "--where", "task=verify", "--stack", "task,action,result,object", "--stack-rule",
         "action:run_tests=(?i)cmd=pytest", "--view", "operations", "-o", "verify.folded", "--format",
         "folded"],
        ["--project-root", world.project, "--tagger", "llm", "--llama-url", url, "--task-choice",
         "debug=fix bugs and test failures", "--task-choice", "review=code review and diffs", "-o",
         "declared.pb.gz"],
        [*two, "--project-name", "my-project", *rules, "--view", "tokens", "-o", "output.svg"],
        [*common, "-o", "common.json"],
    ]
    for view in ["tokens", "files", "network", "time", "operations"]:
        rows.append(["--project-root", world.project, *rules, "--view", view, "--svg-width", "1200",
                     "-o", f"project-{view}.svg"])
    return rows


def test_command_lines(world):
    server = ChatServer({"bug": "debug", "review": "review", "document": "docs"})
    for row in command_lines(world, server.url):
        status = world.status(*row)
        check(status["status"] == "ok", row)
        if "--all" in row:
            for view in VIEWS:
                for end in (".pb.gz", ".folded", ".flame.svg", ".top.txt"):
                    check(os.path.getsize(os.path.join(world.project, "latest", view + end)) > 0, view)
            check(os.path.exists(os.path.join(world.project, "latest", "agent.json")), "agent.json")
            continue
        output = row[row.index("-o") + 1]
        check(status["output"] == output and status["samples"] > 0, row)
        check(len(world.read(output)) > 0, row)
        check(status["format"] == {"gz": "pprof"}.get(output.split(".")[-1], output.split(".")[-1]), row)
    check(set(world.folded("verify.folded")) and
          all(s.startswith("task:verify;action:run_tests") or s.startswith("task:verify;action:")
              for s in world.folded("verify.folded")), "verify.folded")
    frames = {f for s in world.folded("declared.pb.gz") for f in s.split(";")}
    check("task:debug" in frames and "task:review" not in frames, frames)
    check(all("task:review" in s for s in world.folded("j.pb.gz")), "--prompt-tag")
    check(os.path.exists(os.path.join(world.home, ".cache", "sonde", "tags.jsonl")), "tag cache")


def test_totals_agree(world):
    """pprof = folded = svg = json = sonde sessions."""
    totals = json.loads(world.run("sessions", "--json", *world.files).stdout)["totals"]
    status = world.status("--all", "all")
    expected = {
        "tokens": totals["tokens"]["total"],
        "tools": totals["tool_calls_total"],
        "operations": totals["llm_calls"] + totals["tool_calls_total"] + totals["nested_tool_calls"] +
        sum(totals[k] for k in ("user_prompts", "agent_prompts", "slash_commands", "bash_inputs",
                                "interruptions")),
    }
    tables = json.loads(world.read("all/agent.json"))
    for view in VIEWS:
        weight = status["views"][view]["samples"]
        check(weight == expected.get(view, weight), f"{view}: {weight}, sessions say {expected.get(view)}")
        check(sum(world.folded(f"all/{view}.folded").values()) == weight, f"{view}.folded")
        check(sum(world.folded(f"all/{view}.pb.gz").values()) == weight, f"{view}.pb.gz")
        check(world.folded(f"all/{view}.pb.gz") == world.folded(f"all/{view}.folded"), view)
        check(sum(tables["views"][view]["stacks"].values()) == weight, f"{view} in agent.json")
        check(tables["views"][view]["summary"]["total_weight"] == weight, view)
        check(f"Total samples = {weight}\n" in world.read(f"all/{view}.top.txt").decode(), f"{view}.top.txt")
        svg = re.sub(r"[,\s]", "", world.read(f"all/{view}.flame.svg").decode())
        shown = (str(weight), f"{round(weight / 1e9)}s", f"${weight / 1e9:.4f}")
        check(any(text in svg for text in shown), f"{view}.flame.svg does not say {weight}")
    by_session = tables["sessions"]
    check(sum(s["tokens"]["total"] for s in by_session) == expected["tokens"], "sessions in agent.json")
    check(status["sessions"] == totals["sessions"] and status["subagents"] == totals["subagents"], "sessions")
    prompts = totals["user_prompts"] + totals["agent_prompts"]
    world.run("agent", "-o", "kinds.folded", "--view", "operations", "--stack", "source_kind")
    kinds = world.folded("kinds.folded")
    for found in (status["prompts"], status["tagging"]["total_prompts"], kinds["source_kind:prompt"],
                  sum(s["prompt_count"] for s in by_session)):
        check(found == prompts, f"{found} prompts, sessions say {prompts}")
    for kind, name in (("slash_command", "slash_commands"), ("bash_input", "bash_inputs"),
                       ("interruption", "interruptions")):
        check(kinds.get("source_kind:" + kind, 0) == totals[name], f"{kind}: {kinds}")


def test_nothing_private_is_shown(world):
    """A grep over every output of every view, and over the streams."""
    texts = {}
    done = world.run("agent", "--all", "private", "--preset", "--event-labels")
    texts["stdout"], texts["stderr"] = done.stdout, done.stderr
    for preset in ("G0", "G1", "G2", "G3", "G4"):
        for view in VIEWS:
            for end in ("pb", "folded", "svg", "json"):
                name = f"p-{preset}-{view}.{end}"
                done = world.run("agent", "-o", name, "--view", view, "--stack-preset", preset)
                texts[name] = world.read(name).decode("utf-8", "replace") + done.stdout + done.stderr
    for path in glob.glob(world.project + "/private/*"):
        name = os.path.relpath(path, world.project)
        texts[name] = world.read(name).decode("utf-8", "replace")
    done = world.run("agent", "suggest-rules", "--at-least", "1", "-n", "500")
    suggestions = done.stdout
    for secret in ("hunter2", "real-token", "ada", world.home):
        check(secret not in suggestions, f"suggest-rules shows {secret}")
    for name, text in texts.items():
        for secret in [*PLANTED, world.home, world.root, "/home/"]:
            found = re.search(r"(?<![A-Za-z0-9])" + re.escape(secret) + r"(?![A-Za-z0-9])", text)
            check(not found, f"{name} shows {secret!r}: {text[max(0, (found.start() if found else 0) - 80):][:200]!r}")
    previews = world.run("agent", "-o", "previews.json", "--include-previews")
    check("coupon and a gift card" in world.read("previews.json").decode(), "previews")
    check("--include-previews" in previews.stderr, "previews are warned about")
    world.run("agent", "-o", "previews.svg", "--include-previews")
    check("coupon and" not in world.read("previews.svg").decode(), "previews are for JSON alone")


def test_planted_secrets_stay_hidden(world):
    """Secrets of every kind in every place of a log, and as much shown of it as can be."""
    planted_secrets.write(world.home, world.project)
    shown = ["--path-depth", "9", "--event-labels", "--preset", "--stack", FIELDS]
    texts = {}

    def keep(name, done):
        texts[name + ", stdout"], texts[name + ", stderr"] = done.stdout, done.stderr

    keep("all", world.run("agent", "--all", "all", *shown))
    previews = world.run("agent", "--all", "previews", "--include-previews", *shown)
    check("--include-previews" in previews.stderr, "previews are warned about")
    for path in glob.glob(world.project + "/all/*") + glob.glob(world.project + "/previews/*"):
        name = os.path.relpath(path, world.project)
        texts[name] = world.read(name).decode("utf-8", "replace")
    check(planted_secrets.LEAK.search(texts.pop("previews/agent.json")), "the logs hold the secrets")
    keep("sessions", world.run("sessions"))
    keep("sessions --json", world.run("sessions", "--json"))
    keep("suggest-rules", world.run("agent", "suggest-rules", "--at-least", "1", "-n", "10000"))
    found = {}
    for name, text in texts.items():
        for leak in planted_secrets.LEAK.finditer(text):
            found.setdefault(leak.group().lower(), (name, text[max(0, leak.start() - 90):leak.end() + 40]))
    check(not found, "\n".join(f"{leak} in {name}: {text!r}" for leak, (name, text) in found.items()))


def test_equal_input_gives_equal_bytes(world):
    for run in ("one", "two"):
        world.run("agent", "--all", run, "--preset")
    for path in sorted(os.listdir(os.path.join(world.project, "one"))):
        with open(os.path.join(world.project, "one", path), "rb") as one, \
             open(os.path.join(world.project, "two", path), "rb") as two:
            check(one.read() == two.read(), f"{path} differs from run to run")


def test_goldens(world):
    rules = ["--tag-rules", os.path.join(EXAMPLES, "rules.toml")]
    stacks = {"tokens": "task,model,token", "files": "task,access,path", "network": "task,cmd,domain",
              "time": "task,phase", "tools": "tool,cmd,status", "cost": "task,model,token",
              "operations": "task,action,object,repeat,result,outcome"}
    for view in VIEWS:
        world.run("agent", "-o", "golden.folded", *rules, "--view", view, "--stack", stacks[view])
        golden = os.path.join(GOLDEN, f"agent.examples.{view}.folded")
        actual = world.read("golden.folded")
        if os.environ.get("SONDE_UPDATE_GOLDEN"):
            os.makedirs(GOLDEN, exist_ok=True)
            with open(golden, "wb") as file:
                file.write(actual)
        with open(golden, "rb") as file:
            check(actual == file.read(), f"{golden} differs; SONDE_UPDATE_GOLDEN=1 writes it anew")


def test_rules_of_the_example_cover_it(world):
    status = world.status("-o", "rules.json", "--tag-rules", os.path.join(EXAMPLES, "rules.toml"))
    tagging = status["tagging"]
    for kind in ("sessions", "prompts", "llm_calls"):
        check(tagging[kind]["unmatched"] * 20 < tagging[kind]["total"], f"{kind}: {tagging[kind]}")
        check(tagging["total_" + kind] == tagging[kind]["total"], kind)
        check(tagging["unmatched_" + kind] == tagging[kind]["unmatched"], kind)
    check(tagging["coverage_pct"] >= 95, tagging)
    check(not any("matched nothing" in w for w in status["warnings"]), status["warnings"])


def test_tagging_of_the_status(world):
    status = world.status("-o", "t.json")
    tagging = status["tagging"]
    check(tagging["tag_counts"]["prompt:unmatched"] == tagging["total_prompts"], tagging)
    check(0 < len(tagging["unmatched_samples"]) <= 20 and "hint" in tagging, tagging)
    for sample in tagging["unmatched_samples"]:
        check(set(sample) == {"kind", "session_id", "bytes"}, sample)
    stderr = world.run("agent", "-o", "t.json", "--preset", "--tag-rule", "prompt:misc=.", "--tag-rule",
                       "llm:never=zzz", "--where", "task=zzz|misc", "--op-map", "task:x=zzz").stderr
    for part in ("vague", "catch-all", "prompt:misc dominates", "'llm:never=zzz' matched nothing",
                 "--op-map 'task:x=zzz' matched nothing", "Distribution (1 prompt tags"):
        check(part in stderr, f"no {part!r} in {stderr}")


def test_errors(world):
    def refused(code, part, *args):
        done = world.run("agent", *args, code=code)
        check(part in done.stderr and not done.stdout, f"{args}: {done.stderr}")

    refused(2, "either -o FILE or --all", "--view", "tokens")
    refused(2, "--view", "-o", "x.pb", "--view", "nonsense")
    refused(2, "--stack 'taks'", "-o", "x.pb", "--stack", "taks")
    refused(2, "tag rule 'x'", "-o", "x.pb", "--tag-rule", "x")
    refused(2, "--task-choice needs --tagger llm", "-o", "x.pb", "--task-choice", "debug=x")
    refused(2, "are for --tagger regex", "-o", "x.pb", "--tagger", "llm", "--preset")
    refused(2, "not on this machine", "-o", "x.pb", "--tagger", "llm", "--llama-url", "http://example.com")
    refused(2, "no session", "-o", "x.pb", "--project-root", "/nowhere")
    refused(2, "no session is left by --session-tag absent", "-o", "x.pb", "--session-tag", "absent")
    refused(2, "no session is left by --session-tag a and --prompt-tag b", "-o", "x.pb", "--session-tag", "a",
            "--prompt-tag", "b")
    refused(2, "left by --session-id none", "-o", "x.pb", "--session-id", "none", "--session-file", world.files[0])
    refused(2, "left by --session-id none", "suggest-rules", "--session-id", "none")
    refused(2, "--since", "-o", "x.pb", "--since", "2026-02-01", "--until", "2026-01-01")
    refused(2, "excludes", "-o", "x.pb", "--stack", "task", "--stack-preset", "G1")
    refused(2, "excludes", "--all", "x", "--view", "tokens")
    refused(2, "excludes", "--all", "x", "--format", "folded")
    refused(2, "excludes", "--all", "x", "-o", "x.pb")
    refused(2, "have no use", "suggest-rules", "-o", "x.pb")
    refused(2, "--tagger llm", "-o", "x.pb", "--llama-url", "http://127.0.0.1:1")
    refused(2, "names no field", "-o", "x.pb", "--stack", "")
    refused(2, "a part of it names no field", "-o", "x.pb", "--stack", "task,,phase")
    refused(2, "no field 'modle'", "-o", "x.pb", "--stack-rule", "modle:x=y")
    refused(2, "--format says folded", "-o", "x.svg", "--format", "folded")
    for text, part in (("rules = 'x'", "'rules' is not a list of texts"), ("rule = ['x']", "'rule' is not a table"),
                       ("x = 1", "unknown key 'x'")):
        with open(os.path.join(world.project, "bad.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        refused(3, part, "-o", "x.pb", "--tag-rules", "bad.toml")
    refused(2, "missing.jsonl", "-o", "x.pb", "--session-file", "missing.jsonl")
    refused(2, "has no samples", "-o", "x.pb", "--where", "task=absent")
    refused(5, "", "-o", world.files[0], "--session-file", world.files[0])
    check(not os.path.exists(os.path.join(world.project, "x.pb")), "a refused run writes nothing")
    summary = os.path.join(world.root, "summary.jsonl")
    with open(summary, "w", encoding="utf-8") as file:
        file.write('{"type":"summary","summary":"x","leafUuid":"y"}\n')
    refused(2, "no session", "-o", "x.pb", "--session-file", summary)


def test_inputs_are_never_outputs(world):
    """Whatever a run reads is refused as what it writes, by whichever way it is read."""
    def text(name, content):
        path = os.path.join(world.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    rules = text("rules.toml", "rules = ['prompt:review=review']\n")
    prices = text("prices.toml", "[[model]]\nname = 'm'\ninput = 1\noutput = 1\n")
    maps = text("maps.txt", "task:x=y\n")
    log = world.files[0]
    folder = os.path.dirname(log)
    os.link(log, os.path.join(world.project, "linked.jsonl"))
    used = os.path.join(world.project, "used")
    os.mkdir(used)
    shutil.copy(prices, os.path.join(used, "cost.top.txt"))
    llm = ["--tagger", "llm", "--llama-url", "http://127.0.0.1:1"]
    for args in (["--tag-rules", rules, "-o", rules], ["--prices", prices, "-o", prices],
                 ["--op-map-file", maps, "-o", maps], [folder, "-o", log], ["--session-file", folder, "-o", log],
                 ["-o", log], ["-o", "linked.jsonl"], ["--scan-files", "1", "-o", log],
                 ["--codex-root", folder, "-o", log], ["--agent", "claude", "-o", log],
                 ["--prices", "used/cost.top.txt", "--all", "used"], [*llm, "-o", "x.pb", "--cache", log],
                 [*llm, folder, "-o", "x.pb", "--cache", log], [*llm, "-o", "tags.pb", "--cache", "tags.pb"]):
        before = {path: open(path, "rb").read() for path in (rules, prices, maps, log)}
        done = world.run("agent", *args, code=5)
        check("would overwrite the input" in done.stderr, f"{args}: {done.stderr}")
        for path, content in before.items():
            check(open(path, "rb").read() == content, f"{args} changed {path}")
    world.run("agent", "-o", "new/x.pb")
    analysis = world.run("analyze", "-i", "new/x.pb", "-o", "analysis.json").stdout.strip()
    own = text("own.toml", "")
    for command in ("classify", "report"):
        world.run(command, "-i", analysis, "--rules", own, "-o", own, *(["--format", "html"] if command == "report"
                                                                       else []), code=5)


def test_what_cannot_be_read_is_counted(world):
    """A folder or file that is closed is a loss wherever it was found, an error where it was named."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return

    def sessions(*args, code=0):
        done = world.run("sessions", "--json", "--no-parse-cache", *args, code=code, unprivileged=True)
        return [] if code else [f"{w['count']} {w['cause']}: {' '.join(w['places'])}".replace(folder, "logs")
                                for w in json.loads(done.stdout)["warnings"]]

    folder = os.path.join(world.root, "logs")
    closed = os.path.join(folder, "closed")
    os.makedirs(closed)
    shutil.copy(world.files[0], os.path.join(closed, "inner.jsonl"))
    shutil.copy(world.files[0], os.path.join(folder, "open.jsonl"))
    shutil.copy(world.files[0], os.path.join(folder, "shut.jsonl"))
    for path in (world.root, world.home):
        os.chmod(path, 0o755)
    os.chmod(os.path.join(folder, "shut.jsonl"), 0)
    os.chmod(closed, 0)
    lost_folder = "1 folder that cannot be read: logs/closed/"
    both = [lost_folder, "1 file that cannot be read: shut.jsonl"]
    try:
        check(sessions(folder) == both, sessions(folder))
        check(sessions("--codex-root", folder, "--claude-root", "/nowhere") == both, "--codex-root")
        check(sessions(closed) == [lost_folder], sessions(closed))
        sessions(os.path.join(folder, "shut.jsonl"), code=2)
        sessions(os.path.join(closed, "inner.jsonl"), code=2)
        status = world.run("agent", folder, "-o", "-", "--format", "folded", unprivileged=True)
        check(closed in status.stderr and "shut.jsonl" in status.stderr, status.stderr)
    finally:
        os.chmod(closed, 0o755)


def test_where_the_project_is(world):
    """Sessions are chosen by their own folder, never by the name of the folder of the log."""
    other = world.project + "2"
    os.makedirs(other)
    done = world.run("agent", "-o", "x.pb", code=2, cwd=other)
    check("no session of the project" in done.stderr, done.stderr)
    tokens = world.status("-o", "x.pb")["samples"]
    check(world.status("-o", "x.pb", "--project-root", world.home)["samples"] == tokens, "above the project")


def test_difference(world):
    world.run("agent", "-o", "base.pb.gz", "--agent", "codex", "--stack", "agent,token")
    same = world.status("-o", "same.pb.gz", "--agent", "codex", "--stack", "agent,token", "--diff-base", "base.pb.gz")
    check(same["difference_unique_stacks"] == 0 and len(world.read("same.pb.gz")) > 0, same)
    more = world.status("-o", "more.folded", "--stack", "agent,token", "--diff-base", "base.pb.gz")
    check(more["positive_difference"] > 0 and more["negative_difference"] == 0, more)
    check(all(s.startswith("agent:claude") for s in world.folded("more.folded")), "more.folded")
    less = world.status("-o", "less.svg", "--agent", "claude", "--stack", "agent,token", "--diff-base", "base.pb.gz")
    check(less["negative_difference"] < 0 and less["comparison"] == "candidate-minus-base", less)
    world.run("agent", "-o", "no.json", "--diff-base", "base.pb.gz", code=2)
    other = world.run("agent", "-o", "no.pb.gz", "--view", "time", "--diff-base", "base.pb.gz", code=2)
    check("has no weights in" in other.stderr and "tokens (count)" in other.stderr, other.stderr)
    world.run("agent", "-o", "base.folded", "--agent", "codex", "--stack", "agent,token")
    text = world.status("-o", "text.pb.gz", "--agent", "codex", "--stack", "agent,token", "--diff-base", "base.folded")
    check(text["difference_unique_stacks"] == 0, text)


def test_standard_output(world):
    world.run("agent", "-o", "file.folded")
    done = world.run("agent", "-o", "-", "--format", "folded")
    check(done.stdout.encode() == world.read("file.folded"), done.stdout[:200])
    check(not os.path.exists(os.path.join(world.project, "-")), "no file is called -")
    named = world.run("agent", world.files[0], "-o", "a.folded")
    world.run("agent", "--session-file", world.files[0], "-o", "b.folded")
    check(json.loads(named.stdout)["samples"] > 0 and world.read("a.folded") == world.read("b.folded"), "files by themselves")


def test_a_used_folder_holds_no_old_view(world):
    world.run("agent", "--all", "used")
    files = os.path.join(world.project, "used")
    with open(os.path.join(files, "network.notes.txt"), "w", encoding="utf-8") as file:
        file.write("mine\n")
    status = world.status("--all", "used", "--where", "source_kind=llm")
    check("network" not in status["views"] and "tokens" in status["views"], status["views"])
    left = sorted(name for name in os.listdir(files) if name.startswith("network."))
    check(left == ["network.notes.txt"], left)
    check(os.path.exists(os.path.join(files, "tokens.folded")), "tokens")


def test_go_reads_what_is_written(world):
    go = shutil.which("go")
    if go is None:
        return
    for view in VIEWS:
        world.run("agent", "-o", "go.pb.gz", "--view", view)
        for report in ("-top", "-tags"):
            done = subprocess.run([go, "tool", "pprof", report, os.path.join(world.project, "go.pb.gz")],
                                  text=True, capture_output=True, timeout=120,
                                  env={**os.environ, "PPROF_TMPDIR": world.root})
            check(done.returncode == 0, done.stderr)
            part = "flat%" if report == "-top" else "orders"
            check(part in done.stdout, f"{view} {report}: {done.stdout[:300]}")


def test_losses_are_the_same_everywhere(world):
    usage = {"input_tokens": -5, "output_tokens": 1}
    with open(os.path.join(world.project, "damaged.jsonl"), "w", encoding="utf-8") as file:
        for number in "123":
            file.write(json.dumps({"type": "assistant", "sessionId": "S", "uuid": number, "cwd": world.project,
                                   "timestamp": "2026-01-01T00:00:0%sZ" % number,
                                   "message": {"id": "m" + number, "role": "assistant", "model": "x",
                                               "usage": usage}}) + "\n")
    wanted = {"cause": "token count that is no count", "count": 3, "unit": "lines",
              "places": ["damaged.jsonl:%d" % line for line in (1, 2, 3)]}
    done = world.run("agent", "damaged.jsonl", "-o", "x.json")
    sessions = world.run("sessions", "--json", "damaged.jsonl")
    check(json.loads(done.stdout)["losses"] == [wanted], done.stdout)
    check(json.loads(world.read("x.json"))["losses"] == [wanted], "losses in JSON")
    check(json.loads(sessions.stdout)["warnings"] == [wanted], sessions.stdout)
    check(sessions.stderr in done.stderr, done.stderr)


def test_suggest_rules(world):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([SONDE, "agent", "suggest-rules", *world.files], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=60)
    check(done.returncode == 5, done.stderr)
    found = json.loads(world.run("agent", "suggest-rules", "--json", "--at-least", "1").stdout)
    words = {s["word"] for s in found["suggestions"]}
    check(found["unmatched_prompts"] > 0 and "review" in words | {"review"} and words, found)
    for suggestion in found["suggestions"]:
        check(suggestion["rule"].startswith("prompt:"), suggestion)


def test_install_skill(world):
    out = world.run("install-skill").stdout
    skill = os.path.join(world.project, ".claude", "skills", "sonde-agent", "SKILL.md")
    check(os.path.exists(skill) and out.count("installed") >= 2, out)
    check("unchanged" in world.run("install-skill").stdout, "twice")
    with open(skill, "a", encoding="utf-8") as file:
        file.write("mine\n")
    done = world.run("install-skill", code=5)
    check("not overwritten" in done.stderr, done.stderr)
    with open(skill, encoding="utf-8") as file:
        check(file.read().endswith("mine\n"), "kept")
    check("no such folder" in world.run("install-skill", "--root", "elsewhere", code=2).stderr, "a mistyped root")
    os.mkdir(os.path.join(world.project, "elsewhere"))
    world.run("install-skill", "--root", "elsewhere", "--for", "agents")
    check(not os.path.exists(os.path.join(world.project, "elsewhere", ".claude")), "--for")


def main():
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    chosen = sys.argv[3:] or list(tests)
    for name in chosen:
        world = World()
        try:
            tests[name](world)
            print("ok", name)
        except Exception as problem:  # noqa: BLE001
            failed.append(name)
            print("FAIL", name, type(problem).__name__, str(problem)[:4000])
        finally:
            shutil.rmtree(world.root, ignore_errors=True)
    sys.exit(1 if failed else 0)


main()
