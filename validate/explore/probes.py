# SPDX-License-Identifier: MIT
"""Kernels of one thing each, in the same words as random ones: what a step of it costs a warp alone
and an SM full of warps. What an H200 said stands in validate/measured/h200/explore-probes.csv."""


def chain(unit, length=64, straight=4, ways=1):
    return {"kind": "chain", "unit": unit, "length": length, "ways": ways, "straight": straight, "follows": True}


def access(kind, size, index, array="o", members=None):
    """A load or store without a guard."""
    return {"kind": kind, "op": "plain", "guard": None, "size": size, "members": members or [[0, size]],
            "index": index, "array": array, "deltas": [0]}


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
    for unit in ("divide", "exp", "rsqrt", "sin", "popc", "shift", "imad", "fp64", "half", "fma"):
        for straight in (4, 16, 64):
            for ways in (1, 4):
                add(f"unroll.{unit}.{straight}x{ways}.b256", 256, [chain(unit, 64, straight, ways)], 40)
    for unit in ("divide", "imad", "fp64", "fma"):
        for block in (64, 128, 512):
            add(f"unroll.{unit}.4x1.b{block}", block, [chain(unit)], 40)
    places = [("linear", {"kind": "linear"}), ("chunk", {"kind": "chunk"}), ("offset", {"kind": "offset", "offset": 1}),
              ("tile", {"kind": "tile", "columns": 16, "pitch": 1024}),
              ("transposed", {"kind": "transposed", "columns": 32, "pitch": 1024}),
              ("scatter", {"kind": "scatter", "factor": 1021}), ("partial", {"kind": "partial", "shift": 2}),
              ("warprow", {"kind": "warprow", "step": 977})]
    places += [(f"rows{row}", {"kind": "rows", "row": row}) for row in (4, 33)]
    places += [(f"stride{stride}", {"kind": "stride", "stride": stride}) for stride in (2, 8, 33)]
    places += [(f"window{turns}{apart}", {"kind": "window", "turns": turns, "apart": apart})
               for turns in (1, 4, 32) for apart in ("cta", "all")]
    for name, index in places:
        for size in (4, 16):
            add(f"store.{name}.{size}B", 256, [access("store", size, index)], 40)
            add(f"load.{name}.{size}B", 256, [access("load", size, index, "a")], 40)
    for size, width in ((12, 4), (24, 8), (64, 16)):
        members = [[m, width] for m in range(0, size, width)]
        add(f"store.struct{size}", 256, [access("store", size, {"kind": "linear"}, members=members)], 40)
        add(f"load.struct{size}", 256, [access("load", size, {"kind": "linear"}, "a", members)], 40)
    for name in ("linear", "window4cta", "window4all", "rows4"):
        index = dict(places)[name]
        add(f"store.{name}.1B", 256, [access("store", 1, index)], 40)
        add(f"store.{name}.4B.b1024", 1024, [access("store", 4, index)], 40)
    for by in ("same", "lane", "warp", "hashed"):
        for words in (16, 128):
            add(f"local.{by}.{words}", 256, [{"kind": "local", "words": words, "by": by, "step": 3, "count": 1,
                                             "write": True}], 40)
    for form in ("cta", "warp", "named", "count", "fence"):
        add(f"barrier.{form}", 256, [{"kind": "barrier", "form": form, "times": 1}], 100)
    for width in (1, 2, 4, 8, 16):
        add(f"update.{width}B", 256, [{"kind": "update", "width": width, "guard": None}], 40)
    add("tree", 256, [{"kind": "tree", "last": 0}], 40)
    return made
