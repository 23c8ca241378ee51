#!/usr/bin/python3
"""Stands in for the engines that profiles are pushed to, and for the scrapers that fetch them.

push_engines.py INGESTD SONDE: INGESTD is examples/daemon, SONDE the program. Every request is
looked at field by field. Exits with 77 where openssl, which makes the certificate, is missing.
"""
import base64
import email.parser
import email.policy
import gzip
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

INGESTD, SONDE = sys.argv[1], sys.argv[2]


class Engine:
    """Keeps what it is sent; answers with the next of `statuses`, the last again and again."""

    def __init__(self, statuses=(200,), certificate=None):
        self.requests = []
        engine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = statuses[min(len(engine.requests), len(statuses) - 1)]
                engine.requests.append((self.path, dict(self.headers), body))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            scheme = "https"
        self.url = f"{scheme}://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def daemon(folder, seconds, **push):
    """Runs the daemon to its end; its messages."""
    settings = {f"SONDE_PUSH_{key.upper()}": value for key, value in push.items()}
    environment = {**os.environ, **settings, "SONDE_PUSH_INTERVAL_SECONDS": "1",
                   "SONDE_CONSOLE_PORT": "0", "SONDE_CONSOLE_HTTP_PORT": "0"}
    run = subprocess.run([INGESTD, "--seconds", str(seconds), "--directory", folder],
                         env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stderr


def check_profile(data):
    """A gzip-compressed pprof with samples; their sum in nanoseconds of CPU time."""
    assert data[:2] == b"\x1f\x8b" and len(gzip.decompress(data)) > 100
    folded = subprocess.run([SONDE, "convert", "-", "--to", "folded", "-o", "-"], input=data,
                            capture_output=True, timeout=60, check=True).stdout.decode()
    # The first second of a busy machine may go by with making the batches.
    assert any(name in folded for name in ("MakeBatch", "ParseBatch", "HashBatch")), folded[:500]
    return sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())


def check_pyroscope(path, headers, body, labels, started):
    target = urllib.parse.urlsplit(path)
    assert target.path == "/ingest", path
    fields = {key: values for key, values in urllib.parse.parse_qs(target.query).items()}
    assert all(len(values) == 1 for values in fields.values()), "a field that is sent twice"
    fields = {key: values[0] for key, values in fields.items()}
    assert set(fields) == {"name", "from", "until", "format", "spyName", "sampleRate"}, fields
    assert fields["name"] == "ingestd" + labels, fields["name"]
    assert fields["format"] == "pprof" and fields["sampleRate"] == "99"
    begin, end = int(fields["from"]), int(fields["until"])
    assert started - 1 <= begin < end <= time.time() + 2 and end - begin <= 5, fields
    kind = headers["content-type"]
    assert kind.startswith("multipart/form-data; boundary=")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"content-type: " + kind.encode() + b"\r\n\r\n" + body)
    parts = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
             for part in message.iter_parts()}
    assert set(parts) == {"profile", "sample_type_config"}, parts.keys()
    types = json.loads(parts["sample_type_config"])
    assert types["cpu"] == {"units": "nanoseconds", "display-name": "cpu", "aggregation": "sum",
                            "sampled": True}, types
    assert types["samples"]["units"] == "count"
    return check_profile(parts["profile"])


def check_parca(path, headers, body, labels):
    assert path == "/profiles/writeraw" and headers["content-type"] == "application/json"
    message = json.loads(body)
    assert set(message) == {"series", "normalized"} and message["normalized"] is False
    (series,) = message["series"]
    assert set(series) == {"labels", "samples"}
    pairs = [(label["name"], label["value"]) for label in series["labels"]["labels"]]
    assert pairs == [("__name__", "process_cpu"), ("job", "ingestd"), *labels], pairs
    (sample,) = series["samples"]
    return check_profile(base64.b64decode(sample["raw_profile"], validate=True))


def pushes(folder):
    engine = Engine((503, 200))
    started = time.time()
    daemon(folder + "/a", 3, url=engine.url, labels="zone=eu-1,host=a.b", tenant="team",
           user="me", password="secret")
    assert len(engine.requests) >= 3, "an engine that was away once gets the profile again"
    assert engine.requests[0] == engine.requests[1]
    cpu = 0
    for path, headers, body in engine.requests[1:]:
        headers = {key.lower(): value for key, value in headers.items()}
        assert headers["x-scope-orgid"] == "team"
        assert headers["authorization"] == "Basic " + base64.b64encode(b"me:secret").decode()
        cpu += check_pyroscope(path, headers, body, "{zone=eu-1,host=a.b}", started)
    assert cpu > 1e8, "three seconds of work, and hardly a sample"
    engine.close()

    engine = Engine()
    daemon(folder + "/b", 2, url=engine.url, engine="parca", labels="zone=eu-1", token="secret")
    assert engine.requests
    for path, headers, body in engine.requests:
        headers = {key.lower(): value for key, value in headers.items()}
        assert headers["authorization"] == "Bearer secret"
        check_parca(path, headers, body, [("zone", "eu-1")])
    engine.close()
    print("pushed to Pyroscope and Parca: every field as it should be")


def over_tls(folder):
    certificate = folder + "/engine.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=engine", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", certificate, "-out", folder + "/ca.pem"],
                   check=True, capture_output=True)
    with open(certificate, "a", encoding="ascii") as whole:
        whole.write(pathlib.Path(folder + "/ca.pem").read_text(encoding="ascii"))
    engine = Engine(certificate=certificate)
    messages = daemon(folder + "/c", 2, url=engine.url)
    assert "certificate does not hold" in messages, messages
    assert not engine.requests, "a profile went to a server that nobody vouches for"
    assert not daemon(folder + "/d", 2, url=engine.url, ca_file=folder + "/ca.pem")
    assert engine.requests
    profile = folder + "/offline.folded"
    pathlib.Path(profile).write_text("main;ParseBatch 3\nmain;HashBatch 4\n", encoding="ascii")
    before = len(engine.requests)
    command = [SONDE, "push", profile, "--to", engine.url, "--application", "batch", "--tries", "1"]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 5
    said = subprocess.run([*command, "--ca-file", folder + "/ca.pem"], capture_output=True,
                          text=True, timeout=60)
    assert said.returncode == 0 and "bytes pushed" in said.stdout, said
    path = engine.requests[before][0]
    assert path.startswith("/ingest?name=batch%7B%7D&from="), path
    engine.close()
    print("over TLS: only to a server with a certificate; sonde push as well")


def scraped(folder):
    """What Alloy, Parca and the Collector's receiver ask for, and what they insist on."""
    port = free_port()
    environment = {**os.environ, "SONDE_CONSOLE_PORT": "0", "SONDE_CONSOLE_HTTP_PORT": str(port)}
    program = subprocess.Popen([INGESTD, "--seconds", "30", "--directory", folder + "/e"],
                               env=environment, stdout=subprocess.DEVNULL)
    try:
        base = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                urllib.request.urlopen(base + "/metrics", timeout=5).close()
                break
            except OSError:
                time.sleep(0.05)
        answers = {}

        def fetch(agent, path):
            request = urllib.request.Request(base + path, headers={"User-Agent": agent})
            with urllib.request.urlopen(request, timeout=20) as answer:
                answers[agent] = (answer.status, dict(answer.headers), answer.read())

        scrapers = [threading.Thread(target=fetch, args=pair) for pair in (
            ("Alloy/v1", "/debug/pprof/profile?seconds=2"),
            ("conprof/1.0", "/debug/pprof/profile?seconds=2"),
            ("otelcol", "/debug/pprof/profile?seconds=1"))]
        for scraper in scrapers:
            scraper.start()
        for scraper in scrapers:
            scraper.join()
        totals = {}
        for agent, (status, headers, body) in answers.items():
            headers = {key.lower(): value for key, value in headers.items()}
            assert status == 200 and headers["content-type"] == "application/octet-stream"
            assert headers["content-disposition"] == 'attachment; filename="profile"'
            assert headers["x-content-type-options"] == "nosniff"
            totals[agent] = check_profile(body)
        assert len(totals) == 3 and all(total > 0 for total in totals.values()), totals
        metrics = urllib.request.urlopen(base + "/metrics", timeout=5).read().decode()
        assert re.search(r'sonde_profiles_served_total\{endpoint="profile",code="200"\} 3\n', metrics)
        assert metrics.endswith("\n")
    finally:
        program.terminate()
        program.wait()
    print("scraped by three at a time: each got its own window")


def main():
    if shutil.which("openssl") is None:
        print("skipped: no openssl")
        return 77
    with tempfile.TemporaryDirectory(prefix="sonde-push-") as folder:
        pushes(folder)
        over_tls(folder)
        scraped(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
