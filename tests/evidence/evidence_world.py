"""A folder with profiles, benchmarks, a program and a stand-in for perf, and sonde run in it."""

import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

FAKE_PERF = """#!/bin/sh
stat=no
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  [ "$1" = -o ] && out=$2
  [ "$1" = stat ] && stat=yes
  shift
done
if [ $stat = yes ]; then
  printf '1000000;;cycles;5;100.00;;\\n2000000;;instructions;5;100.00;;\\n' > "$out"
else
  cp "${0%/*}/perf.data" "$out"
fi
"""

FOLDED = "main;worker;parse;malloc 182\nmain;worker;compute 271\nmain;worker;parse;malloc 18\n"

PERF_SCRIPT = """app 101/102 [003] 100.123456789:         50 cycles:u:
\t          7f1009 do_work(int)+0x19 (/opt/app)
  /src/demo.cc:45
\t          7f2000 main (/opt/app)
  ??:0

"""


def pyperf(values):
    return {"version": "1.0", "metadata": {"name": "parse", "unit": "second", "cpu_count": 8},
            "benchmarks": [{"runs": [{"values": values[:3]}, {"values": values[3:]}]}]}


class World:
    """Made in a temporary folder that `close` removes."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="sonde-evidence-"))
        self.write("tests/fixtures/folded/normal.folded", FOLDED)
        self.write("profile.folded", FOLDED)
        self.write("profile.perf-script", PERF_SCRIPT)
        self.write("benchmark-hyperfine.json", json.dumps(
            {"results": [{"command": "./app", "times": [0.9, 1.0, 1.1], "exit_codes": [0, 0, 0]}]}))
        self.write("build/baseline-benchmark.json", json.dumps(pyperf([1.0, 1.1, 0.9, 1.0, 1.0])))
        self.write("build/candidate-benchmark.json", json.dumps(pyperf([0.5, 0.6, 0.4, 0.5, 0.5])))
        self.write("src/demo.c", "int work(int n) {\n  return n * 2;\n}\nint main(void) {\n  return work(0);\n}\n")
        shutil.copy(os.path.join(SOURCE, "tests/fuzz/corpus/perf_data/file-plain"), self.path("perf.data"))
        # Debug information is read from whatever compiler is there; without one, sonde itself will do.
        compiled = shutil.which("cc") and subprocess.run(
            ["cc", "-g", "-O0", "-o", self.path("build/app"), self.path("src/demo.c")], check=False).returncode == 0
        if not compiled:
            shutil.copy(self.program, self.path("build/app"))
        self.write("bin/perf", FAKE_PERF)
        os.chmod(self.path("bin/perf"), 0o700)
        shutil.copy(self.path("perf.data"), self.path("bin/perf.data"))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def run(self, *arguments, code=0):
        environment = dict(os.environ, PATH=self.path("bin") + os.pathsep + os.environ["PATH"])
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env=environment, text=True,
                              capture_output=True, timeout=60, check=False)
        if done.returncode != code:
            sys.exit(f"sonde {' '.join(arguments)}: exit {done.returncode}, not {code}\n{done.stderr}")
        return done


class Console:
    """Stands in for a program with sonde inside: answers every question with a profile, and keeps what was asked."""

    def __init__(self):
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = FOLDED.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def main_offset(world):
    """The address of main in build/app, from its symbol table."""
    for tool in ("nm", "llvm-nm"):
        if shutil.which(tool):
            names = subprocess.run([tool, world.path("build/app")], text=True, capture_output=True, check=False)
            for line in names.stdout.splitlines():
                if line.endswith(" T main"):
                    return hex(int(line.split()[0], 16))
    return "0x1000"
