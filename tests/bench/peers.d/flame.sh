# Rows of peers.sh: folded stacks to a flame graph, and the difference of two. shellcheck shell=bash

# Stacks of a program that was sampled long: few are frequent, most are rare.
if [ ! -s "$scratch/skewed.folded" ]; then
  python3 - "$scratch/skewed.folded" <<'PYTHON'
import random, sys
source = random.Random(7)
names = [f"app::Part{i % 40}::Step{i}" for i in range(3000)]
stacks = []
for _ in range(45_000):
    stack = ["main"]
    if stacks and source.random() < 0.9:
        known = source.choice(stacks)
        stack = known[:source.randint(1, len(known))]
    while len(stack) < source.randint(3, 9):
        stack = stack + [source.choice(names)]
    stacks.append(stack)
weights = [source.paretovariate(1.1) for _ in stacks]
with open(sys.argv[1], "w") as out:
    for stack in source.choices(stacks, weights=weights, k=1_000_000):
        out.write(";".join(stack) + f" {source.randint(1, 9)}\n")
PYTHON
fi
head -n 500000 "$scratch/skewed.folded" >"$scratch/skewed-half.folded"

for input in skewed million; do
  for peer in inferno-flamegraph flamegraph.pl; do
    row "folded to SVG, $input" "$peer" "$peer" "$peer '$scratch/$input.folded'" \
      "'$sonde' flame '$scratch/$input.folded' -o '$scratch/flame.svg'" ">= 4"
  done
done
row "difference of folded stacks" "inferno-diff-folded" inferno-diff-folded \
  "inferno-diff-folded '$scratch/skewed-half.folded' '$scratch/skewed.folded'" \
  "'$sonde' diff '$scratch/skewed-half.folded' '$scratch/skewed.folded'" ">= 1.5"
