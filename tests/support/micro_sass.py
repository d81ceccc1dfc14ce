#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""micro_sass.py [LIST SASS PERCENT]...: are the loops of a microbenchmark made of what it says they are?

LIST is what the program prints with --list (number,name,instructions,units of a block), SASS what
cuobjdump -sass prints of it. Kernels are repeat<number, chains[, block]>; their longest loop must
hold each named instruction (A+B: both; A|B: either) and not more than PERCENT others. Speaks TAP.
"""
import re
import sys



def kernels_of(path):
    """Code of each kernel: {(number, chains, block or None): [(address, text)]}."""
    kernels, code = dict(), []
    for line in open(path):
        header = re.search(r"Function : \S*6repeatILi(\d+)ELi(\d+)E(?:Li(\d+)E)?", line)
        instr = re.search(r"/\*([0-9a-f]{4,})\*/\s+(.*?);", line)
        if "Function :" in line:
            code = kernels.setdefault(header.groups(), []) if header else []
        elif instr:
            code.append((int(instr.group(1), 16), re.sub(r"^@\S+ ", "", instr.group(2))))
    return kernels


def loop(code):
    """Opcodes of the loop with the most instructions."""
    best = []
    for at, text in code:
        to = re.search(r"^BRA.* (0x[0-9a-f]+)", text)
        if to and int(to.group(1), 16) < at:
            body = [t.split()[0] for a, t in code if int(to.group(1), 16) <= a <= at]
            best = max(best, body, key=len)
    return best


def wrong(sass, block, body, beside):
    """Says what is wrong with a loop, or nothing."""
    left, named = list(body), 0
    for part in sass.split("+"):
        mine = [op for op in left if re.match(rf"(?:{part})(?:\.|$)", op)]
        if len(mine) < block // 2:
            return f"{len(mine)} of {part} in {block} units"
        left = [op for op in left if op not in mine]
        named += len(mine)
    other = [op for op in left if op != "NOP"]
    if named < block:
        return f"{named} of {sass} in {block} units"
    if len(other) > 4 + block * beside // 100:
        return f"{len(other)} instructions beside {sass}: {' '.join(sorted(set(other)))}"
    return ""


tests = 0
for at in range(1, len(sys.argv), 3):
    kernels = kernels_of(sys.argv[at + 1])
    for line in open(sys.argv[at]):
        number, name, sass, block = line.strip().split(",")
        mine = {k: v for k, v in kernels.items() if k[0] == number}
        told = [f"chains {k[1]}: {w}" for k, v in mine.items()
                if (w := wrong(sass, int(k[2] or block), loop(v), int(sys.argv[at + 2])))]
        if not mine:
            told = ["no such kernel"]
        tests += 1
        print(f"{'not ok' if told else 'ok'} {tests} - {name}: {sass}" + "".join(f"\n# {t}" for t in told))
print(f"1..{tests}")
