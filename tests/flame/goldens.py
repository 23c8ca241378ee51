#!/usr/bin/env python3
"""Compares the flame graphs that the program writes with files named by what was asked for.

usage: goldens.py SONDE GOLDEN_FOLDER
Style and scripts are left out: they are the same in every picture, and have tests of their own.
SONDE_UPDATE_GOLDEN=1 writes the expected files anew.
"""
import os
import re
import subprocess
import sys
import tempfile

STACKS = {
    "now.folded": "main;parse;read_[k] 30\nmain;parse;<init>_[j] 12\nmain;parse 8\nmain;draw;blit_[i] 40\n"
                  "main;draw 5\nidle 4\nmain;rare 1\n",
    "base.folded": "main;parse;read_[k] 60\nmain;parse 8\nmain;gone;far 20\nidle 4\n",
}
# flame.LAYOUT.ORDER.COLORS.DIRECTION, or a difference.
PICTURES = {
    "icicle.name.module.callees": ["flame", "now.folded"],
    "icicle.weight.kind.callees": ["flame", "now.folded", "--order", "weight", "--colors", "kind"],
    "flame.name.kind.callees": ["flame", "now.folded", "--layout", "flame", "--colors", "kind"],
    "icicle.name.module.callers": ["flame", "now.folded", "--callers"],
    "icicle.name.module.narrow": ["flame", "now.folded", "--width", "300", "--min-width", "9"],
    "icicle.name.difference": ["diff", "base.folded", "now.folded"],
    "icicle.name.difference.normalized": ["diff", "base.folded", "now.folded", "--normalize"],
}


def without_code(picture):
    picture = re.sub(r"<style>.*?</style>\n", "", picture, flags=re.S)
    return re.sub(r"<script><!\[CDATA\[.*?</script>\n", "", picture, flags=re.S)


def main():
    sonde, goldens = os.path.abspath(sys.argv[1]), sys.argv[2]
    differing = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in STACKS.items():
            with open(os.path.join(scratch, name), "w", encoding="utf-8") as file:
                file.write(text)
        for axes, arguments in PICTURES.items():
            subprocess.run([sonde, *arguments, "-o", "out.svg"], cwd=scratch, check=True, timeout=60)
            with open(os.path.join(scratch, "out.svg"), encoding="utf-8") as file:
                actual = without_code(file.read())
            golden = os.path.join(goldens, f"flame.{axes}.svg")
            if os.environ.get("SONDE_UPDATE_GOLDEN"):
                with open(golden, "w", encoding="utf-8") as file:
                    file.write(actual)
            with open(golden, encoding="utf-8") as file:
                if actual != file.read():
                    differing.append(golden)
    for golden in differing:
        print(f"{golden} differs; SONDE_UPDATE_GOLDEN=1 writes it anew", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
