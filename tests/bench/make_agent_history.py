#!/usr/bin/env python3
"""Writes a synthetic history of coding agents, shaped like measured ones.

usage: make_agent_history.py FOLDER [--bytes N] [--files N] [--seed N]
       make_agent_history.py FOLDER --one-file BYTES [--line BYTES]
       make_agent_history.py FOLDER --calls N

Of the bytes of a Claude Code log 60 % are tool results, 18 % answers and 21 % progress records;
half of the lines are under 1 kB, one in a hundred is over 50 kB, and responses are written once a
content block. One log in five is a Codex log: reasoning 36 %, outputs 30 %, token counts 8 %.
--one-file writes a single log whose bytes are progress records of --line bytes each. --calls writes
two logs, one an agent, of so many short calls each.
Prints what a reader must find, as JSON.
"""
import argparse
import json
import os
import random

WORDS = ("the build failed because of a missing include so read the file again and run the tests "
         "with the new flag then write what was found into the report for review ").split()


class Text:
    """Slices of one long text: cheap to cut, different enough to read."""

    def __init__(self, rng):
        self.rng = rng
        words = [rng.choice(WORDS) for _ in range(400_000)]
        self.text = " ".join(words).replace(" report", "\\nreport")

    def cut(self, size):
        start = self.rng.randrange(max(1, len(self.text) - size))
        piece = self.text[start:start + size]
        while len(piece) < size:
            piece += " " + self.text[:size - len(piece)]
        # Not in the middle of an escape.
        return piece.rstrip("\\")


def line_size(rng):
    """About 1 kB in the middle, 6 kB at the ninth tenth, 50 kB at the last hundredth."""
    return int(min(300_000, max(120, rng.lognormvariate(6.9, 1.35))))


class Claude:
    def __init__(self, rng, text, number):
        self.rng, self.text = rng, text
        self.session = f"{number:08x}-0000-4000-8000-{rng.getrandbits(48):012x}"
        self.now = 1_760_000_000 + number * 900
        self.lines = 0

    def head(self, kind):
        self.now += self.rng.randrange(1, 20)
        self.lines += 1
        uuid = f"{self.rng.getrandbits(64):016x}-{self.lines:08x}"
        return (f'{{"parentUuid":"p","isSidechain":false,"userType":"external","cwd":"/home/dev/app",'
                f'"sessionId":"{self.session}","version":"2.1.39","gitBranch":"main","type":"{kind}"', uuid)

    def tail(self, uuid):
        seconds = self.now % 86400
        return (f'"uuid":"{uuid}","timestamp":"2026-01-{1 + self.now // 86400 % 28:02d}T'
                f'{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.123Z"}}\n')

    def write(self, out, size, found):
        written = 0

        def put(line):
            nonlocal written
            out.write(line)
            written += len(line)

        while written < size:
            head, uuid = self.head("user")
            put(f'{head},"message":{{"role":"user","content":"{self.text.cut(200)}"}},{self.tail(uuid)}')
            found["user_prompts"] += 1
            for _ in range(self.rng.randrange(4, 16)):
                self.response(put, found)
                if written >= size:
                    break

    def response(self, put, found):
        rng = self.rng
        message = f"msg_01{rng.getrandbits(96):024x}"
        tool = f"toolu_01{rng.getrandbits(96):024x}"
        output = rng.randrange(50, 2000)
        blocks = ['{"type":"thinking","thinking":"%s","signature":"x"}' % self.text.cut(300),
                  '{"type":"text","text":"%s"}' % self.text.cut(rng.randrange(40, 500)),
                  '{"type":"tool_use","id":"%s","name":"%s","input":{"command":"%s"}}'
                  % (tool, rng.choice(["Bash", "Read", "Edit", "Grep"]), self.text.cut(rng.randrange(20, 400)))]
        for i, block in enumerate(blocks):
            head, uuid = self.head("assistant")
            tokens = output if i == 2 else 1
            put(f'{head},"message":{{"id":"{message}","type":"message","role":"assistant","model":"claude-opus-4-6",'
                f'"content":[{block}],"stop_reason":null,"usage":{{"input_tokens":3,"cache_creation_input_tokens":120,'
                f'"cache_read_input_tokens":24000,"cache_creation":{{"ephemeral_5m_input_tokens":120,'
                f'"ephemeral_1h_input_tokens":0}},"output_tokens":{tokens},"service_tier":"standard"}}}},'
                f'"requestId":"req_{rng.getrandbits(64):016x}",{self.tail(uuid)}')
        for _ in range(rng.randrange(0, 5)):
            head, uuid = self.head("progress")
            put(f'{head},"data":{{"type":"bash_progress","output":"{self.text.cut(400)}","fullOutput":'
                f'"{self.text.cut(line_size(rng) // 3)}","elapsedTimeSeconds":2,"totalLines":10}},'
                f'"toolUseID":"{tool}","parentToolUseID":"{tool}",{self.tail(uuid)}')
        head, uuid = self.head("user")
        result = self.text.cut(int(line_size(rng) * 1.6))
        put(f'{head},"message":{{"role":"user","content":[{{"tool_use_id":"{tool}","type":"tool_result",'
            f'"content":"{result}","is_error":false}}]}},"toolUseResult":{{"stdout":"{self.text.cut(len(result) // 2)}",'
            f'"interrupted":false}},{self.tail(uuid)}')
        found["llm_calls"] += 1
        found["output"] += output
        found["tool_calls_total"] += 1


class Codex:
    def __init__(self, rng, text, number):
        self.rng, self.text = rng, text
        self.thread = f"019b{number:04x}-0000-7000-8000-{rng.getrandbits(48):012x}"
        self.now = 1_760_000_000 + number * 900

    def stamp(self):
        self.now += self.rng.randrange(1, 9)
        seconds = self.now % 86400
        return (f'2026-01-{1 + self.now // 86400 % 28:02d}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:'
                f'{seconds % 60:02d}.{self.rng.randrange(1000):03d}Z')

    def write(self, out, size, found):
        rng = self.rng
        written = 0
        total = [0, 0, 0]

        def put(kind, payload):
            nonlocal written
            line = f'{{"timestamp":"{self.stamp()}","type":"{kind}","payload":{payload}}}\n'
            out.write(line)
            written += len(line)

        put("session_meta", f'{{"id":"{self.thread}","timestamp":"{self.stamp()}","cwd":"/home/dev/app",'
            '"originator":"codex_cli_rs","cli_version":"0.104.0","source":"cli"}')
        while written < size:
            put("event_msg", f'{{"type":"user_message","message":"{self.text.cut(150)}","images":[]}}')
            put("turn_context", f'{{"turn_id":"{rng.getrandbits(64):016x}","cwd":"/home/dev/app","model":"gpt-5.3-codex","effort":"high"}}')
            found["user_prompts"] += 1
            for _ in range(rng.randrange(3, 12)):
                call = f"call_{rng.getrandbits(96):024x}"
                put("response_item", f'{{"type":"reasoning","summary":[],"encrypted_content":"{rng.getrandbits(4000):x}"}}')
                put("event_msg", f'{{"type":"agent_reasoning","text":"{self.text.cut(300)}"}}')
                put("response_item", f'{{"type":"function_call","name":"shell","arguments":"{{\\"command\\":[\\"bash\\",\\"-lc\\",\\"make\\"]}}","call_id":"{call}"}}')
                put("response_item", f'{{"type":"function_call_output","call_id":"{call}","output":"Exit code: 0\\nWall time: 0.2 seconds\\nOutput:\\n{self.text.cut(line_size(rng))}"}}')
                last = (rng.randrange(9000, 30000), rng.randrange(0, 9000), rng.randrange(20, 900))
                total = [a + b for a, b in zip(total, last)]
                usage = [f'{{"input_tokens":{v[0]},"cached_input_tokens":{v[1]},"output_tokens":{v[2]},'
                         f'"reasoning_output_tokens":0,"total_tokens":{v[0] + v[2]}}}' for v in (last, total)]
                count = (f'{{"type":"token_count","info":{{"last_token_usage":{usage[0]},"total_token_usage":{usage[1]},'
                         '"model_context_window":272000},"rate_limits":null}')
                for _ in range(rng.randrange(1, 3)):
                    put("event_msg", count)
                found["llm_calls"] += 1
                found["output"] += last[2]
                found["tool_calls_total"] += 1


def one_file(folder, size, line, rng, text):
    path = os.path.join(folder, "one.jsonl")
    found = {"user_prompts": 0, "llm_calls": 0, "tool_calls_total": 0, "output": 0}
    session = Claude(rng, text, 1)
    filler = text.cut(line)
    with open(path, "w") as out:
        while out.tell() < size:
            session.write(out, 60_000, found)
            for _ in range(40):
                head, uuid = session.head("progress")
                out.write(f'{head},"data":{{"type":"mcp_progress","output":"{filler}"}},"toolUseID":"x",{session.tail(uuid)}')
    return found


def many_calls(folder, count):
    found = {"user_prompts": 0, "llm_calls": 2 * count, "tool_calls_total": 0, "output": 2 * count}
    with open(os.path.join(folder, "claude.jsonl"), "w") as out:
        for i in range(count):
            out.write('{"type":"assistant","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"id":"msg_01%022d",'
                      '"model":"m","usage":{"output_tokens":1}}}\n' % i)
    with open(os.path.join(folder, "codex.jsonl"), "w") as out:
        out.write('{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"c"}}\n')
        for i in range(count):
            out.write('{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{'
                      '"last_token_usage":{"output_tokens":1},"total_token_usage":{"output_tokens":%d}}}}\n' % (i + 1))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--one-file", type=int, default=0)
    parser.add_argument("--line", type=int, default=3_000_000)
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    text = Text(rng)
    os.makedirs(args.folder, exist_ok=True)
    if args.one_file:
        print(json.dumps(one_file(args.folder, args.one_file, args.line, rng, text)))
        return
    if args.calls:
        print(json.dumps(many_calls(args.folder, args.calls)))
        return
    found = {"user_prompts": 0, "llm_calls": 0, "tool_calls_total": 0, "output": 0}
    weights = [rng.lognormvariate(0, 1.0) for _ in range(args.files)]
    scale = args.bytes / sum(weights)
    for number, weight in enumerate(weights):
        writer = (Codex if number % 5 == 0 else Claude)(rng, text, number)
        name = f"rollout-2026-01-01T00-00-00-{writer.thread}.jsonl" if number % 5 == 0 else f"{writer.session}.jsonl"
        with open(os.path.join(args.folder, name), "w") as out:
            writer.write(out, weight * scale, found)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
