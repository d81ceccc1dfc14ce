# SPDX-License-Identifier: MIT
"""Kernels of one thing each, in the same words as random ones: what a step of it costs a warp alone
and an SM full of warps. What an H200 said stands in validate/measured/h200/explore-probes.csv."""


def chain(unit, length=64, straight=4):
    return {"kind": "chain", "unit": unit, "length": length, "ways": 1, "straight": straight, "follows": True}


def spec(number, tag, block, loop, trips):
    """One CTA an SM; `tag` says what it is about."""
    return {"name": f"seed_9{number:04d}", "tag": tag, "theme": "probe",
            "launch": {"shape": "probe", "dynamic": 0, "blocks": 0, "block": [block, 1], "grid": [132, 1]},
            "restrict": False, "unroll": 1, "head": [], "loop": loop, "tail": [], "final": "store", "trips": trips,
            "fill": "random", "arrays": {"a": 1 << 20, "b": 1 << 20, "o": 1 << 22, "x": 4096, "p": 132 * block * 16,
                                         "m": 1 << 20}}


def all_probes():
    """Specifications, each with its tag."""
    made = []

    def add(tag, block, loop, trips):
        made.append(spec(len(made), tag, block, loop, trips))

    def constant(by, words, step):
        return [{"kind": "constant", "by": by, "words": words, "step": step, "count": 1}]
    for by in ("turn", "cta", "lane", "lanes4", "equal"):
        for words in (256, 2048, 8192):
            for step in (1, 16):
                add(f"const.{by}.{words}.s{step}.c1", 128, constant(by, words, step), 400)
    for block in (32, 1024):
        for words in (256, 2048, 8192):
            for step in (4, 16):
                add(f"const.turn.{words}.s{step}.b{block}", block, constant("turn", words, step), 400)
    for unit in ("divide", "exp", "rsqrt", "sin", "popc", "shift", "imad", "fp64", "half", "fma"):
        for block in (32, 256, 1024):
            add(f"chain.{unit}.b{block}", block, [chain(unit)], 40)
    for op in ("add", "addf", "addd", "exch"):
        for where in ("one", "lanes", "linear", "random"):
            for result in (False, True):
                add(f"atomic.{op}.{where}.{'res' if result else 'red'}", 256,
                    [{"kind": "atomic", "op": op, "where": where, "lines": 32, "result": result, "guard": None}],
                    8 if where != "random" else 4)
    for form in ("xor", "down", "idx", "reduce", "vote", "redux"):
        for block in (32, 1024):
            add(f"shuffle.{form}.b{block}", block, [{"kind": "shuffle", "form": form}], 400)
    for chains in (1, 2, 4, 8, 16):
        for block in (32, 256):
            add(f"straight.{chains}x8KB.b{block}", block, [chain("fma", 512, 512)] * chains, 8)
    return made
