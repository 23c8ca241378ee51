#!/usr/bin/env python3
"""Folds FlameGraph's example texts with every switch and compares with FlameGraph's own results.

usage: check_collapse.py SONDE CASES
CASES holds formats/flamegraph/NAME.txt and results/NAME-collapsed-SWITCH.txt; without it the test
is skipped (exit code 77). Differences that are meant are listed in collapse_accepted.txt.
"""
import collections
import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


def plain(name):
    return name


def without_rust_hash(name):
    name = re.sub(r"::h[0-9a-f]{16}", "", name)
    for escape, text in (("$LT$", "<"), ("$GT$", ">"), ("$C$", ","), ("$RF$", "&"), ("$BP$", "*"),
                         ("$u20$", " "), ("$u27$", ""), ("$u7b$", "{"), ("$u7d$", "}"),
                         ("$u5b$", "["), ("$u5d$", "]"), ("$LP$", "("), ("$RP$", ")")):
        name = name.replace(escape, text)
    # An underscore stood before a part that begins with an escape; arguments are cut at the end.
    name = re.sub(r"(^|;|::)_(?=[<&{\[*(])", r"\1", name.replace("..", "::"))
    return ";".join(frame.split("(")[0] for frame in name.split(";"))


def with_blank_names(name):
    return re.sub(r";(\[libc-2\.15\.so[^;\]]*\]| )$", ";[libc]", name)


RULES = {"": plain, "rust-names": without_rust_hash, "blank-names": with_blank_names}


def accepted():
    with open(os.path.join(HERE, "collapse_accepted.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                pattern, arguments, rule, reason = (part.strip() for part in line.split("|"))
                assert reason
                yield pattern, arguments.split(), RULES[rule]


def weights(text, rule):
    sums = collections.Counter()
    for line in text.replace("'", "").replace('"', "").splitlines():
        name, weight = line.rsplit(" ", 1)
        sums[rule(name)] += int(weight)
    return sums


def main():
    sonde, cases = sys.argv[1:]
    root = os.path.join(cases, "formats", "flamegraph")
    if not os.path.isdir(root):
        print(f"skipped: no {root}")
        return SKIPPED
    exceptions = list(accepted())
    good, meant, bad = 0, 0, 0
    for result in sorted(os.listdir(os.path.join(root, "results"))):
        name, switch = re.match(r"(.*)-collapsed-(\w+)\.txt$", result).groups()
        with open(os.path.join(root, "results", result), encoding="utf-8", errors="replace") as file:
            want = file.read()

        def fold(arguments):
            return subprocess.run(
                [sonde, "convert", os.path.join(root, name + ".txt"), "--from", "perf-script",
                 "--style", "flamegraph", "--" + switch, "--to", "folded", "-o", "-"] + arguments,
                check=True, capture_output=True, text=True, errors="replace", timeout=60).stdout

        if weights(fold([]), plain) == weights(want, plain):
            good += 1
            continue
        for pattern, arguments, rule in exceptions:
            if fnmatch.fnmatch(result, pattern):
                have, wanted = weights(fold(arguments), rule), weights(want, rule)
                if have == wanted:
                    meant += 1
                    break
        else:
            bad += 1
            print(f"DIFFERS {result}")
    print(f"{good} equal, {meant} differ as listed, {bad} differ")
    return 1 if bad or good + meant == 0 else 0


sys.exit(main())
