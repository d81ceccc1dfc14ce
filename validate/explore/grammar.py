# SPDX-License-Identifier: MIT
"""From a seed to a kernel's specification: a dictionary of plain values that says everything.

A specification has a launch, arrays, and three lists of statements (before, in and after a loop).
Everything random happens here; source.py only writes down, cost.py only estimates. What a kernel
does must not depend on what its stores wrote: addresses come from the launch, the loop's turn and
arrays nobody writes, so that counts are the same in every run.
"""
import random

import cost
import index

WIDTHS = (1, 2, 4, 8, 16)
LOADS = ("plain", "ca", "cg", "cs", "cv", "lu", "ldg", "volatile", "noalloc", "evict_first",
         "evict_last", "l2_64", "l2_128", "l2_256")
STORES = ("plain", "wb", "cg", "cs", "wt", "volatile", "noalloc")
STRUCTS = ((8, 4), (12, 4), (16, 4), (16, 8), (20, 4), (24, 4), (24, 8), (32, 8), (32, 16), (48, 16),
           (64, 16), (6, 2), (3, 1))
# What a seed's kernel is mostly about; the rest of its statements are drawn from all.
THEMES = ("stream", "reuse", "struct", "stencil", "stores", "shared", "local", "constant", "atomics",
          "async", "chain", "reduce", "gather", "hints", "barrier", "tiny", "mixed")


def some(rng, table):
    """One of a dictionary's keys, by weight."""
    return rng.choices(list(table), list(table.values()))[0]


def draw_launch(rng, theme):
    """Grid, block and what limits occupancy."""
    shape = some(rng, {"full": 8, "waves": 4, "few": 3, "onewarp": 2, "tiny": 1, "limited": 3})
    if theme == "tiny":
        shape = "tiny"
    elif theme == "chain":
        shape = some(rng, {"few": 3, "onewarp": 5, "full": 2, "limited": 2})
    launch = {"shape": shape, "dynamic": 0, "blocks": 0}
    block = rng.choice([64, 96, 128, 128, 128, 192, 256, 256, 256, 256, 384, 512, 512, 1024])
    if shape == "full":
        ctas = rng.choice([132, 264, 264, 528, 528, 1056, 256, 512, 1024])
    elif shape == "waves":
        ctas = int(rng.uniform(1.1, 12) * 132 * max(1, 1024 // block))
    elif shape == "few":
        ctas = rng.choice([1, 2, 4, 8, 16, 33, 64, 100, 131, 133, 200])
    elif shape == "onewarp":
        block, ctas = 32, rng.choice([64, 132, 132, 264, 528, 1056, 2112])
    elif shape == "tiny":
        block, ctas = rng.choice([16, 32, 32]), int(rng.uniform(4000, 40000))
    else:
        ctas = rng.choice([132, 264, 396, 528, 1000])
        if rng.random() < 0.6:
            launch["dynamic"] = rng.choice([8, 16, 24, 32, 48, 64, 100, 160, 200]) * 1024
        else:
            launch["blocks"] = max(1, 2048 // block // 2)
    launch["block"] = [block, 1]
    launch["grid"] = [ctas, 1]
    if block % 32 == 0 and rng.random() < 0.2:
        launch["block"] = [32, block // 32]
    if ctas % 4 == 0 and rng.random() < 0.2:
        launch["grid"] = [ctas // 4, 4]
    return launch


def draw_guard(rng):
    """Which threads take part; None: all."""
    if rng.random() < 0.8:
        return None
    kind = rng.choice(["lanes", "below", "warps", "ctas", "turns", "third", "upto"])
    return {"kind": kind, "mask": rng.choice([1, 2, 3, 4, 7, 16]), "count": rng.choice([1, 8, 20, 31])}


def draw_access(rng, theme, launch, store=False):
    """A load or store of one or more elements or members."""
    width = rng.choices(WIDTHS, [1, 1, 8, 3, 4])[0]
    access = {"kind": "store" if store else "load", "op": "plain", "guard": draw_guard(rng)}
    size, members = width, [[0, width]]
    if theme == "struct" and rng.random() < 0.8 or rng.random() < 0.08:
        size, width = rng.choice(STRUCTS)
        count = size // width
        chosen = sorted(rng.sample(range(count), rng.randint(1, count)))
        members = [[m * width, width] for m in chosen]
    access["size"], access["members"] = size, members
    hinted = 0.8 if theme == "hints" else 0.15
    if rng.random() < hinted:
        access["op"] = rng.choice(STORES if store else LOADS)
    weights = None
    if theme == "reuse":
        weights = [2, 1, 4, 2, 2, 2, 1, 1, 2, 1, 1, 5, 1, 3, 1, 14, 1]
    elif theme == "gather":
        weights = [2, 1, 1, 1, 1, 1, 1, 1, 5, 4, 14, 1, 1, 1, 1, 1, 1]
    elif store:
        weights = [9, 4, 4, 4, 3, 3, 2, 3, 3, 3, 1, 0, 0, 2, 1, 3, 1]
    access["index"] = index.draw(rng, launch, weights)
    access["array"] = "o" if store else rng.choice("aaab")
    access["deltas"] = [0]
    if theme == "stencil" and rng.random() < 0.8 or rng.random() < 0.04:
        pitch = rng.choice([64, 256, 1000, 1024, 2048])
        access["deltas"] = rng.choice([[-1, 0, 1], [-2, -1, 0, 1, 2], [-pitch, -1, 0, 1, pitch],
                                       [0, 1], [-pitch, 0, pitch], [0, pitch, 2 * pitch, 3 * pitch],
                                       [-pitch - 1, -pitch, -pitch + 1, -1, 0, 1, pitch - 1, pitch,
                                        pitch + 1]])
        if store:
            access["deltas"] = rng.choice([[0, 1], [0, 32], [0, pitch]])
    return access


def draw_shared(rng, launch, words):
    """Writes to shared memory, a barrier, reads of it, a barrier."""
    def pattern():
        kind = rng.choice(["straight", "straight", "stride", "padded", "column", "swizzle", "few",
                           "reverse", "hashed", "turn"])
        return {"kind": kind, "by": rng.choice([2, 3, 4, 5, 8, 16, 17, 31, 32, 33]),
                "pad": rng.choice([0, 0, 1, 1, 2, 4])}
    return {"kind": "shared", "width": rng.choices([1, 2, 4, 8, 16], [1, 1, 8, 3, 3])[0],
            "write": pattern(), "read": pattern(), "reads": rng.choice([1, 1, 2, 4, 8]),
            "barrier": rng.choice(["cta", "cta", "cta", "warp"])}


def draw_statement(rng, theme, launch):
    """One statement of a kernel about `theme`."""
    block = launch["block"][0] * launch["block"][1]
    common = {"load": 10, "store": 3, "update": 1, "chain": 2, "shuffle": 1, "shared": 1.5,
              "atomic": 0.7, "constant": 0.6, "local": 0.4, "async": 0.6, "tree": 0.3,
              "barrier": 0.4, "branch": 0.8, "inner": 0.5, "sharedatomic": 0.3}
    more = {"stores": {"store": 12, "update": 4}, "shared": {"shared": 16, "sharedatomic": 2},
            "local": {"local": 16}, "constant": {"constant": 16}, "atomics": {"atomic": 12, "sharedatomic": 4},
            "async": {"async": 16}, "chain": {"chain": 16}, "reduce": {"tree": 8, "shuffle": 8},
            "barrier": {"barrier": 10, "shared": 6, "tree": 3}, "hints": {"store": 6},
            "struct": {"store": 6}, "stencil": {"store": 3}}
    table = dict(common)
    for kind, weight in more.get(theme, {}).items():
        table[kind] += weight
    if block % 32 != 0:
        for kind in ("shuffle", "tree", "shared", "async", "barrier", "sharedatomic"):
            table[kind] = 0
    if block & (block - 1) != 0:
        table["tree"] = 0
    kind = some(rng, table)
    if kind == "load":
        return draw_access(rng, theme, launch)
    if kind == "store":
        return draw_access(rng, theme, launch, store=True)
    if kind == "update":
        return {"kind": "update", "width": rng.choice([1, 2, 4, 4, 8, 16]), "guard": draw_guard(rng)}
    if kind == "chain":
        return {"kind": "chain", "unit": rng.choice(["fma", "fma", "fp64", "exp", "rsqrt", "sin", "imad",
                                                     "shift", "popc", "divide", "half"]),
                "length": rng.choice([2, 4, 8, 16, 32, 64]), "ways": rng.choice([1, 1, 1, 2, 4]),
                "straight": rng.choice([4, 16, 64, 512]),
                "follows": rng.random() < 0.7}
    if kind == "shuffle":
        return {"kind": "shuffle", "form": rng.choice(["xor", "down", "idx", "reduce", "vote", "redux"])}
    if kind == "shared":
        return draw_shared(rng, launch, 0)
    if kind == "sharedatomic":
        return {"kind": "sharedatomic", "op": rng.choice(["add", "max", "exch", "inc"]),
                "by": rng.choice([0, 1, 2, 7, 32, 33]), "bins": rng.choice([1, 16, 64, 256, 1024]),
                "guard": draw_guard(rng)}
    if kind == "atomic":
        return {"kind": "atomic", "op": rng.choice(["add", "add", "max", "exch", "cas", "addf", "add64",
                                                    "addd", "and"]),
                "result": rng.random() < 0.5, "where": rng.choice(["one", "few", "lanes", "random", "warp",
                                                                   "linear", "strided"]),
                "lines": rng.choice([1, 4, 32, 256, 4096]), "guard": draw_guard(rng)}
    if kind == "constant":
        return {"kind": "constant", "by": rng.choice(["turn", "turn", "cta", "lane", "equal", "lanes4"]),
                "words": rng.choice([16, 256, 512, 1024, 4096, 8192]), "step": rng.choice([1, 4, 16, 17]),
                "count": rng.choice([1, 2, 4])}
    if kind == "local":
        return {"kind": "local", "words": rng.choice([8, 16, 32, 64, 128]),
                "by": rng.choice(["same", "same", "lane", "warp", "hashed"]), "step": rng.choice([1, 3, 5]),
                "count": rng.choice([1, 2, 4]), "write": rng.random() < 0.7}
    if kind == "async":
        access = draw_access(rng, "", launch)
        width = rng.choice([4, 4, 8, 16, 16])
        access.update({"kind": "async", "size": width, "members": [[0, width]], "deltas": [0],
                       "op": "cg" if width == 16 and rng.random() < 0.6 else "ca",
                       "ahead": rng.choice([0, 0, 1]), "zfill": rng.random() < 0.1})
        return access
    if kind == "tree":
        return {"kind": "tree", "last": rng.choice([0, 0, 32])}
    if kind == "barrier":
        return {"kind": "barrier", "form": rng.choice(["cta", "cta", "warp", "named", "count", "fence"]),
                "times": rng.choice([1, 2, 4])}
    if kind == "branch":
        inner = {k: v for k, v in table.items() if k in ("load", "store", "chain", "atomic", "constant")}
        def arm():
            return [draw_plain(rng, theme, launch, inner) for _ in range(rng.randint(1, 2))]
        return {"kind": "branch", "guard": {"kind": rng.choice(["lanes", "below", "warps", "third", "turns"]),
                                            "mask": rng.choice([1, 2, 4, 16]), "count": rng.choice([4, 16, 31])},
                "then": arm(), "else": arm() if rng.random() < 0.5 else []}
    if kind == "inner":
        inner = {"load": 6, "store": 1, "chain": 2, "constant": 1}
        return {"kind": "inner", "turns": rng.choice([2, 3, 4, 8]), "by": rng.choice(["all", "all", "lane", "warp"]),
                "body": [draw_plain(rng, theme, launch, inner) for _ in range(rng.randint(1, 2))]}
    raise ValueError(kind)


def draw_plain(rng, theme, launch, table):
    """A statement of one of the kinds of `table`, which hold no barrier."""
    wanted = some(rng, table)
    while True:
        statement = draw_statement(rng, theme, launch)
        if statement["kind"] == wanted:
            statement.pop("guard", None)
            return statement
        if rng.random() < 0.02:
            access = draw_access(rng, theme, launch)
            access["guard"] = None
            return access


def draw(seed):
    """The specification of a seed's kernel."""
    rng = random.Random(f"gmsim explore {seed}")
    theme = rng.choice(THEMES)
    launch = draw_launch(rng, theme)
    spec = {"name": f"seed_{seed}", "theme": theme, "launch": launch,
            "restrict": rng.random() < 0.5, "unroll": rng.choice([1, 1, 1, 2, 4]),
            "arrays": {name: int(2 ** rng.uniform(15, 27.6)) & ~4095 for name in "abo"}}
    for name in "abo":
        if rng.random() < 0.5:
            spec["arrays"][name] = 1 << (spec["arrays"][name].bit_length() - 1)
    def statements(low, high):
        return [draw_statement(rng, theme, launch) for _ in range(rng.randint(low, high))]
    spec["head"] = statements(0, 1)
    spec["loop"] = statements(1, 5)
    spec["tail"] = statements(0, 1)
    spec["final"] = rng.choice(["store", "store", "store", "never", "first"])
    cost.fit(spec, rng)
    return spec
