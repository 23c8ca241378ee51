#!/usr/bin/env python3
"""Faults that tools for profiles have had, each as an input of a few lines and what is right for it.

usage: bug_cases.py SONDE [CASES]
Runs the program on the files of bug_inputs and on inputs written here. Cases are named by letter:
A text of perf script, B folded stacks and pictures, C pprof, D gperftools, E recordings. Those
that need recordings are left out when CASES, the folder of corpora, is not there.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bug_inputs")
SVG = "{http://www.w3.org/2000/svg}"
CASES = {}


def case(name):
    def keep(function):
        assert name not in CASES
        CASES[name] = function
        return function
    return keep


class Run:
    def __init__(self, program, scratch, corpora):
        self.program, self.scratch, self.corpora = program, scratch, corpora

    def sonde(self, *arguments, code=0):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              errors="replace", timeout=60, check=False)
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done

    def path(self, name):
        """Of an input of ours; anything else is a path already."""
        ours = os.path.join(INPUTS, name)
        return ours if os.path.exists(ours) else name

    def new(self, name, content):
        path = os.path.join(self.scratch, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def fold(self, name, *arguments, style=True):
        """The folded lines; with FlameGraph's roots and marks unless told otherwise."""
        marks = ["--style", "flamegraph", "--kernel", "--jit"] if style else []
        return self.sonde("convert", self.path(name), *marks, "--to", "folded", "-o", "-",
                          *arguments).stdout.splitlines()

    def notes(self, name, *arguments):
        return self.sonde("convert", self.path(name), "--to", "folded", "-o", "-",
                          *arguments).stderr

    def table(self, name, *arguments):
        done = self.sonde("convert", self.path(name), "--to", "json", "-o", "-", *arguments)
        return json.loads(done.stdout)

    def refused(self, name, code, *arguments):
        done = self.sonde("top", self.path(name), *arguments, code=code)
        assert done.stdout == "" and done.stderr.count("\n") == 1, done
        return done.stderr

    def picture(self, name, *arguments, kind="svg"):
        out = os.path.join(self.scratch, "picture." + kind)
        self.sonde("flame", self.path(name), "-o", out, *arguments)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        return text

    def titles(self, name, *arguments):
        root = xml.etree.ElementTree.fromstring(self.picture(name, *arguments).encode())
        return [title.text for title in root.iter(SVG + "title")]


def equal(have, want):
    assert have == want, f"have {have!r}, want {want!r}"


def contains(text, *parts):
    for part in parts:
        assert part in text, f"no {part!r} in {text!r}"


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, value):
    """One field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def difference(stacks):
    """A pprof message of (names from leaf to root, weight, is of the base)."""
    texts = ["", "samples", "count", "pprof::base", "true"]
    texts += sorted({name for stack, _, _ in stacks for name in stack})
    out = field(1, field(1, 1) + field(2, 2))
    for stack, weight, of_base in stacks:
        ids = b"".join(varint(texts.index(name)) for name in stack)
        label = field(3, field(1, 3) + field(2, 4)) if of_base else b""
        out += field(2, field(1, ids) + field(2, varint(weight)) + label)
    for number in range(5, len(texts)):
        out += field(4, field(1, number) + field(4, field(1, number)))
        out += field(5, field(1, number) + field(2, number))
    return out + b"".join(field(6, text.encode()) for text in texts)


@case("A1 comm with blanks")
def _(run):
    equal(run.fold("t01_comm_spaces.txt"),
          ["CUPSManager_cup;main;native_safe_halt_[k] 1008373", "DOM_Worker;main 100"])


@case("A2 comm with brackets")
def _(run):
    equal(run.fold("t02_comm_brackets.txt"), ["foobar_[worker];my_func 7"])


@case("A3 comm that ends in digits")
def _(run):
    equal(run.fold("t03_comm_digits.txt"), ["worker_12;run 5"])
    equal(run.fold("t03_comm_digits.txt", "--filter", "pid=3456", "--filter", "tid=3460"),
          ["worker_12;run 5"])


@case("A5 comm of one letter")
def _(run):
    equal(run.fold("t10_last_no_blank.txt"), ["a;f 2"])
    equal(run.fold("t16_multi_event.txt"), ["a;f 10"])
    # A period of 0 and one that is missing weigh 1.
    equal(run.fold("t23_period_zero.txt"), ["a;f 2"])


@case("A6 payload of a tracepoint")
def _(run):
    equal(run.fold("t05_tracepoint.txt"), ["zonesvr;main;brk 2"])
    equal([kind["type"] for kind in run.table("t05_tracepoint.txt")["sample_types"]],
          ["syscalls:sys_enter_brk"])


@case("A9 parentheses in template arguments")
def _(run):
    equal(run.fold("t07_cpp_parens.txt"),
          ["vg;void exec<void (*)()>;foo<(some_enum)0>::bar;std::_Function_handler<void "
           "(vg::Alignment&), main_gaffe(int, char**)::{lambda()#1}::operator()() const::"
           "{lambda(vg::Alignment&)#1}>::_M_invoke 30776523"])


@case("A10 operators and the anonymous namespace")
def _(run):
    stack = ("app;ns::(anonymous namespace)::helper;(anonymous namespace)::helper;Ptr::operator->;"
             "operator<;Cmp::operator();Vec::operator")
    equal(run.fold("t08_operator_call.txt"), [stack + "+ 1"])
    with open(run.path("t08_operator_call.txt"), encoding="utf-8") as file:
        text = file.read().replace("operator++0x1f", "operator+++0x1f")
    equal(run.fold(run.new("plusplus.txt", text)), [stack + "++ 1"])


@case("A11 angle brackets survive")
def _(run):
    name = "std::vector<int, std::allocator<int> >::push_back"
    text = run.new("angles.txt", f"app 1 1.0: 7 cycles: \n\t100 {name}+0x1 (/bin/app)\n\n")
    equal(run.fold(text), [f"app;{name} 7"])
    out = os.path.join(run.scratch, "angles.pb.gz")
    run.sonde("convert", text, "-o", out)
    equal(run.fold(out, style=False), [f"{name} 7"])
    assert any(title.startswith(name) for title in run.titles(text))


@case("A12 methods of Go")
def _(run):
    equal(run.fold("t09_go.txt"),
          ["etcd;github.com/x/y.(*T).m.func1;net/http.(*Client).Do 1"])


@case("A13 last sample without a blank line")
def _(run):
    equal(run.fold("t10_last_no_blank.txt"), ["a;f 2"])


@case("A14 samples without a stack")
def _(run):
    equal(run.fold("t11_no_stack.txt"), ["false;[unknown] 34467", "false;_start 10"])


@case("A15 the period is the weight")
def _(run):
    equal(run.fold("t03_comm_digits.txt", "--count", "samples"), ["worker_12;run 1"])


@case("A16 several events")
def _(run):
    done = run.sonde("convert", run.path("t16_multi_event.txt"), "--style", "flamegraph", "--to",
                     "folded", "-o", "-")
    equal(done.stdout, "a;f 10\n")
    contains(done.stderr, "instructions", "99")
    equal(run.fold("t16_multi_event.txt", "--event", "instructions"), ["a;f 99"])
    out = os.path.join(run.scratch, "events.pb")
    run.sonde("convert", run.path("t16_multi_event.txt"), "-o", out)
    equal([kind["type"] for kind in run.table(out)["sample_types"]], ["cycles", "instructions"])


@case("A18 calls inlined by a Java agent")
def _(run):
    equal(run.fold("t13_java_inline.txt"),
          ["java;org/mozilla/javascript/MemberBox:.<init>_[j];java/io/PrintStream:::print_[j];"
           "java/io/PrintStream:::write_[i] 1"])


@case("A20 perf's own warnings in the text")
def _(run):
    equal(run.fold("t15_headers_warn.txt"), ["a;f 1"])
    contains(run.notes("t15_headers_warn.txt"), "1 lines: unknown line (line 4)")


@case("A21 no cpu field needed")
def _(run):
    text = "app 12/13 10.5: 5 cycles: \n\t100 main (/bin/app)\n\n"
    equal(run.fold(run.new("no_cpu.txt", text)), ["app;main 5"])
    equal(run.fold(run.new("cpu.txt", text.replace("10.5", "[003] 10.5"))), ["app;main 5"])


@case("A22 source lines between frames")
def _(run):
    equal(run.fold("t18_srcline.txt"), ["a;main;f 1"])
    equal(run.notes("t18_srcline.txt"), "")
    out = os.path.join(run.scratch, "lines.pb")
    run.sonde("convert", run.path("t18_srcline.txt"), "-o", out)
    equal(run.fold(out, "--by", "lines", style=False), ["main (main.cpp:3);f (a.cpp:12) 1"])


@case("A24 carriage returns")
def _(run):
    equal(run.fold("t20_crlf.txt"), ["a;f 1"])
    equal(run.notes("t20_crlf.txt"), "")


@case("A27 text without times, with offsets, of one field list or another")
def _(run):
    equal(run.fold("t21_no_time.txt"), ["a;f 1"])
    for header in ("a 1/1 [000] 1.000000000: cycles: ", "a 1 1.0: 1 cycles:u: ",
                   "a 1 cycles: ", "a 1 1.0: cycles: "):
        equal(run.fold(run.new("header.txt", header + "\n\t100 f+0x1 (/bin/a)\n\n")), ["a;f 1"])


@case("B1 control characters")
def _(run):
    contains("\n".join(run.titles("f01_ctrl.folded")), "b\ufffd[0m")


@case("B2 markup in names")
def _(run):
    name = 'operator<(A const&, "x");</script><b>;]]>;c'
    for layout in ("icicle", "flame"):
        titles = run.titles("f02_escape.folded", "--layout", layout)
        for frame in ('operator<(A const&, "x")', "</script><b>", "]]>"):
            assert any(title.startswith(frame + " ") or title.startswith(frame + "\n")
                       for title in titles), (name, titles)
    page = run.picture("f02_escape.folded", kind="html")
    equal(page.count("</script><b>"), 0)


@case("B4 a text is cut before it is escaped")
def _(run):
    text = run.picture("f07_long.folded", "--min-width", "0", "--width", "4000")
    root = xml.etree.ElementTree.fromstring(text.encode())
    for label in root.iter(SVG + "text"):
        assert not re.search(r"&(?!x\d)", label.text or ""), label.text
    assert not re.search(r"&(?!(amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)",
                         re.sub(r"<!\[CDATA\[.*?\]\]>", "", text, flags=re.S)), text


@case("B8 the title has its place in every layout")
def _(run):
    def highest(*arguments):
        root = xml.etree.ElementTree.fromstring(
            run.picture("t16_multi_event.txt", "--title", "T", *arguments).encode())
        heads = [float(t.get("y")) for t in root.iter(SVG + "text")
                 if t.get("y") and (t.text or "").startswith("T")]
        frames = [float(r.get("y")) for r in root.iter(SVG + "rect")
                  if r.get("y") and (r.get("class") or "") != "back"]
        return heads, frames
    for arguments in ([], ["--callers"], ["--layout", "flame"],
                      ["--layout", "flame", "--callers"]):
        heads, frames = highest(*arguments)
        assert heads and frames, (heads, frames)


@case("B9 drawn at its width inside a page")
def _(run):
    head = run.picture("t16_multi_event.txt")[:600]
    contains(head, 'width="', "viewBox=")


@case("B10 a frame that is not drawn is told")
def _(run):
    wide = "".join(f"main;f{i} 1\n" for i in range(20000))
    text = run.picture(run.new("wide.folded", wide), "--min-width", "0.5")
    contains(text, "too narrow")
    small = run.picture(run.new("wide.folded", wide), "--max-nodes", "100")
    assert len(small) < len(text) / 2, (len(small), len(text))


@case("B11 three thousand frames deep")
def _(run):
    deep = ";".join(f"f{i}" for i in range(3000)) + " 1\n"
    titles = run.titles(run.new("deep.folded", deep), "--min-width", "0")
    assert any(title.startswith("f2999") for title in titles)


@case("B14 bad lines of folded stacks")
def _(run):
    done = run.sonde("top", run.path("f04_bad.folded"))
    for number in (1, 2, 4, 5):
        contains(done.stdout, f"line {number}")
    shares = [float(share) for share in re.findall(r"([0-9.]+)%", done.stdout)]
    assert shares and max(shares) <= 100, done.stdout
    contains(done.stdout, "Total: 8")  # Line 3 takes 3 off the stack of line 8.


@case("B15 negative weights")
def _(run):
    equal(run.fold("f05_neg.folded", style=False), ["process 1234;alloc 512"])
    contains(run.notes("f05_neg.folded"), "negative weight", "line 1")
    netted = run.new("netted.folded", "a;b -3\na;b 5\n")
    equal(run.fold(netted, style=False), ["a;b 2"])
    equal(run.notes(netted), "")


@case("B17 a difference keeps what vanished, and divides by nothing")
def _(run):
    base, now = run.new("base.folded", "main;gone 4\n"), run.new("now.folded", "main;came 4\n")
    out = os.path.join(run.scratch, "diff.svg")
    run.sonde("diff", base, now, "-o", out)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    contains(text, "gone", "came")
    table = run.sonde("diff", base, now).stdout
    contains(table, "gone", "new")
    empty = run.new("empty.folded", "main;none 0\n")
    for left, right in ((empty, now), (base, empty), (empty, empty)):
        for output in ("-", os.path.join(run.scratch, "d.json"), out):
            run.sonde("diff", left, right, "-o", output)
            if output != "-":
                with open(output, encoding="utf-8") as file:
                    drawn = re.sub(r"<script.*?</script>", "", file.read(), flags=re.S)
                    assert "NaN" not in drawn and "inf" not in drawn.split("<![CDATA[")[0].lower()


@case("B18 equal input, equal bytes")
def _(run):
    for name in ("t01_comm_spaces.txt", "f02_escape.folded", "p_base.pb"):
        equal(run.picture(name), run.picture(name))


@case("C1 concatenated profiles")
def _(run):
    for name in ("p01_concat_gz.pb.gz", "p01b_concat.pb"):
        contains(run.refused(name, 3), "concatenated profiles")
        out = os.path.join(run.scratch, "part.pb.gz")
        run.sonde("convert", run.path(name), "--split", "-o", out)
        for number in (1, 2):
            part = out.replace("part.", f"part.{number}.")
            equal(run.fold(part, style=False), run.fold("p_base.pb", style=False))
        assert not os.path.exists(out) and not os.path.exists(out.replace("part.", "part.3."))
    run.sonde("convert", run.path("p01b_concat.pb"), "--split", "--to", "pprof", "-o", "-", code=2)


@case("C2 broken gzip")
def _(run):
    contains(run.refused("p03_truncated.pb.gz", 3), "gzip: unexpected end of data")
    contains(run.refused("p10_bad_gzip.pb.gz", 3), "gzip")
    equal(run.fold("p11_double_gzip.pb.gz", style=False), run.fold("p_base.pb", style=False))


@case("C3 empty inputs")
def _(run):
    contains(run.refused("p02_empty.pb", 2), "empty profile")
    contains(run.sonde("top", run.path("p06_no_samples.pb")).stdout, "Showing 0 of 0")


@case("C5 no mappings")
def _(run):
    contains(run.sonde("top", run.path("p04_no_mapping.pb")).stdout, "work", "main")


@case("C6 negative values, and shares of the base")
def _(run):
    shown = run.sonde("top", run.path("p05_negative.pb")).stdout
    contains(shown, "negative values")
    shares = [abs(float(share)) for share in re.findall(r"(-?[0-9.]+)%", shown)]
    assert shares and max(shares) <= 100, shown
    base, now = run.new("b.folded", "m;a 60\nm;b 40\n"), run.new("n.folded", "m;a 90\nm;c 20\n")
    out = os.path.join(run.scratch, "d.json")
    run.sonde("diff", base, now, "-o", out)
    with open(out, encoding="utf-8") as file:
        changes = {f["name"]: f["self"] for f in json.load(file)["functions"]}
    equal(changes["a"]["change_of_base_total"], 0.3)
    equal(changes["b"]["change_of_base_total"], -0.4)
    equal(changes["c"]["change_of_base_total"], 0.2)
    # pprof marks the samples that were subtracted.
    signed = run.new("signed.pb", difference([(["a", "main"], 90, False), (["a", "main"], -60, True),
                                              (["b", "main"], -40, True)]))
    shown = " ".join(run.sonde("top", signed).stdout.split())
    contains(shown, "percentages are of the base's total, 100", "30 30.00%", "-40 -40.00%")
    drawn = "\n".join(run.titles(signed))
    contains(drawn, "60", "90", "40")
    run.titles("p05_negative.pb")


@case("C7 profiles of unlike types")
def _(run):
    heap = run.path("h_v1.heap")
    out = os.path.join(run.scratch, "sum.pb")
    message = run.sonde("merge", run.path("p_base.pb"), heap, "-o", out, code=2).stderr
    contains(message, "{samples/count, cpu/nanoseconds}", "inuse_space/bytes")
    growth = run.path("h_growth.heap")
    run.sonde("merge", growth, heap, "-o", out, code=2)
    run.sonde("merge", growth, heap, "--common", "-o", out)
    equal({kind["type"]: kind["total"] for kind in run.table(out)["sample_types"]},
          {"objects": 4, "space": 1048576 + 1536})


@case("C9 types, period, time and duration of profiles")
def _(run):
    out = os.path.join(run.scratch, "back.pb.gz")
    run.sonde("convert", run.path("p_base.pb.gz"), "-o", out)
    shown = run.sonde("top", out).stdout
    contains(shown, "Time: 2023-11-14 22:13:20 UTC", "Duration: 1s", "Build ID: 605edb7a6fd07cee")
    equal([(kind["type"], kind["unit"]) for kind in run.table(out)["sample_types"]],
          [("samples", "count"), ("cpu", "nanoseconds")])


@case("C10 how much of a name is shown")
def _(run):
    text = run.new("mangled.folded", "main;_ZN3app4WorkIiE3runEi;_ZN3app4stepEv@plt 1\n")
    for style, names in (("none", "main;_ZN3app4WorkIiE3runEi;_ZN3app4stepEv@plt"),
                         ("templates", "main;app::Work<int>::run;app::step@plt"),
                         ("full", "main;app::Work<int>::run(int);app::step()@plt")):
        equal(run.fold(text, "--demangle", style, style=False), [names + " 1"])
        out = os.path.join(run.scratch, "named.pb")
        run.sonde("convert", text, "--demangle", style, "-o", out)
        equal(run.fold(out, "--demangle", "none", style=False),
              ["main;_ZN3app4WorkIiE3runEi;_ZN3app4stepEv@plt 1"])


@case("C11 long names of C++")
def _(run):
    name = "(anonymous namespace)::Bar::Foo<" + "std::map<int, Long>, " * 200 + "int>::run"
    contains(run.sonde("top", run.new("long.folded", f"main;{name} 3\n")).stdout, name)


@case("C12 gzip is recognised anywhere")
def _(run):
    with open(run.path("t01_comm_spaces.txt"), "rb") as file:
        content = file.read()
    zipped = run.new("zipped.txt", gzip.compress(content))
    equal(run.fold(zipped), run.fold("t01_comm_spaces.txt"))
    with open(zipped, "rb") as file:
        piped = subprocess.run([run.program, "convert", "-", "--to", "folded", "-o", "-"],
                               stdin=file, capture_output=True, text=True, timeout=60, check=True)
    equal(piped.stdout.splitlines(), run.fold("t01_comm_spaces.txt", style=False))


def stacks_by_address(run, name):
    return run.fold(name, "--by", "addresses", "--sample-type", "samples", style=False)


@case("D1 D2 word sizes and byte orders of CPU profiles")
def _(run):
    want = stacks_by_address(run, "l_le64.prof")
    equal(sorted(int(line.rsplit(" ", 1)[1]) for line in want), [1, 7])
    joined = "\n".join(want)
    contains(joined, "0x4011ff", "0x4010ff", "0x401000", "0x401500")
    for name in ("l_be64.prof", "l_be32.prof", "l_le32.prof"):
        equal(stacks_by_address(run, name), want)


@case("D4 heap texts")
def _(run):
    def totals(name):
        return {kind["type"]: kind["total"] for kind in run.table(name)["sample_types"]}
    equal(totals("h_v1.heap"), {"inuse_objects": 3, "inuse_space": 1536, "alloc_objects": 10,
                                "alloc_space": 5120})
    sampled = {"inuse_objects": 3073, "inuse_space": 1573632, "alloc_objects": 10245,
               "alloc_space": 5245440}
    equal(totals("h_sampled.heap"), sampled)
    equal(totals("h_growth.heap"), {"objects": 1, "space": 1048576})
    equal(totals("h_v2.heap"), sampled)


@case("D6 a profile without its end")
def _(run):
    done = run.sonde("convert", run.path("l_notrailer.prof"), "--to", "folded", "-o", "-",
                     "--sample-type", "samples")
    equal(sum(int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines()), 8)
    contains(done.stderr, "no trailer")
    contains(run.refused("l_notrailer.prof", 3, "--strict"), "trailer")
    run.sonde("top", run.path("l_empty.prof"), code=2)


@case("D7 a difference by address keeps every address")
def _(run):
    out = os.path.join(run.scratch, "d.json")
    run.sonde("diff", run.path("l_le64.prof"), run.path("l_be32.prof"), "--by", "addresses",
              "-o", out)
    with open(out, encoding="utf-8") as file:
        functions = json.load(file)["functions"]
    equal(len(functions), 4)
    assert all(f["self"]["change"] == 0 and f["inclusive"]["change"] == 0 for f in functions)


@case("legacy contention and thread texts")
def _(run):
    totals = {kind["type"]: kind["total"] for kind in run.table("c_contention.txt")["sample_types"]}
    equal(totals, {"contentions": 2800, "delay": 974553600})
    contains(run.sonde("top", run.path("th_threadz.txt")).stdout, "2 records")
    contains(run.refused("p12_text.txt", 3), "unrecognized profile format")


def recording(run, *parts):
    path = os.path.join(run.corpora, "formats", *parts)
    return path if os.path.exists(path) else None


def records_of(run, path):
    return run.table(path, "--no-symbols")["records"]


@case("E1 attributes of a newer kernel, E2 compressed records")
def _(run):
    plain = recording(run, "linux-perf-data", "sleep.data")
    if plain is None:
        return "no corpus"
    for name, samples in (("sleep.data", 7), ("sleep.compressed.data", 8),
                          ("sleep.compressed2.data", 7), ("sleep.compressed.pipe.data", 8),
                          ("sleep.compressed2.pipe.data", 7), ("fibo.compressed2.pipe.data", 547)):
        equal(records_of(run, recording(run, "linux-perf-data", name)), samples)
    return None


@case("E4 headers of perf 6.12 in a pipe")
def _(run):
    path = recording(run, "perf_data_converter", "quipper",
                     "perf.data.piped.header_features_aligned-6.12")
    if path is None:
        return "no corpus"
    assert records_of(run, path) > 0
    return None


@case("E9 a recording becomes pprof and speedscope")
def _(run):
    path = recording(run, "linux-perf-data", "sleep.data")
    if path is None:
        return "no corpus"
    total = run.table(path, "--no-symbols")["sample_types"][0]["total"]
    for name in ("e9.pb.gz", "e9.speedscope.json"):
        out = os.path.join(run.scratch, name)
        run.sonde("convert", path, "--no-symbols", "-o", out)
        equal(run.table(out)["sample_types"][0]["total"], total)
    return None


def main():
    corpora = sys.argv[2] if len(sys.argv) > 2 else ""
    failed, left_out = [], []
    for name, check in CASES.items():
        with tempfile.TemporaryDirectory() as scratch:
            try:
                reason = check(Run(sys.argv[1], scratch, corpora))
                if reason:
                    left_out.append(f"{name}: {reason}")
            except Exception as fault:  # Each case tells its own.
                failed.append(name)
                print(f"FAILED {name}: {type(fault).__name__}: {str(fault)[:1500]}")
    for text in left_out:
        print("left out", text)
    print(f"{len(CASES) - len(failed) - len(left_out)} hold, {len(failed)} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
