# SPDX-License-Identifier: MIT
"""Rough cost of a specification: clocks on an H200, and bytes of its trace.

Good to a factor of two or three: it only sizes the loop so that kernels take tens of microseconds
and leave small traces. Nothing here is used when predictions are scored.
"""
import random

import index
import source

SMS = 132
SHORTEST, LONGEST = 32e3, 300e3  # clocks
TRACE = 140e3  # bytes a trace may take by estimate, on the whole


def touched(access, spec, shape, entries):
    """(sectors, lines, bytes of trace) of a warp's access, over sampled warps and turns."""
    code = index.compiled(source.element(access, spec, shape))
    warps = max(1, shape["T"] // 32)
    sectors = lines = trace = count = 0
    for w in sorted({0, 1, warps // 2, warps * 3 // 4, warps - 1} & set(range(warps))):
        for i in (0, 1, 5):
            at = []
            for lane in range(min(32, shape["B"])):
                g = w * 32 + lane
                # CTAs of less than a warp: a warp of the hardware is one CTA.
                if shape["B"] < 32:
                    g = w * shape["B"] + lane
                values = {"g": g, "t": g % shape["B"], "b": g // shape["B"], "w": g >> 5, "lane": lane, "i": i,
                          "x": entries}
                at.append(eval(code, values) * access["size"])
            steps = {y - x for x, y in zip(at, at[1:])}
            sectors += len({a // 32 for a in at})
            lines += len({a // 128 for a in at})
            trace += 0.45 if len(steps) <= 1 else 4 if len(steps) <= 3 or access["index"]["kind"] in ("xor", "swizzled") else 97
            count += 1
    return sectors / count, lines / count, trace / count


class Entries:
    """Stands for the index array: values as random as its fill."""

    def __init__(self, fill):
        self.fill = fill

    def __getitem__(self, at):
        if self.fill == "clustered":
            return at // 8 * 2654435761 % 2 ** 31 // 8 * 8 + at % 8
        if self.fill == "sorted":
            return at * 7 + random.Random(at).randrange(7)
        if self.fill == "permuted":
            return at // 32 * 40503 * 32 % 2 ** 31 + at * 7 % 32
        return random.Random(at).randrange(2 ** 31)


class Sum:
    """What a list of statements costs a warp, once through."""

    def __init__(self):
        self.slots = self.lsu = self.l2 = self.latency = self.trace = self.atomics = 0.0
        self.footprint, self.dram = {}, 0.0

    def add(self, other, times):
        for name in ("slots", "lsu", "l2", "latency", "trace", "atomics", "dram"):
            setattr(self, name, getattr(self, name) + getattr(other, name) * times)


def of_statement(s, spec, shape):
    total, kind = Sum(), s["kind"]
    B = shape["B"]
    if kind in ("load", "store", "async"):
        sectors, lines, trace = touched(s, spec, shape, Entries(spec["fill"]))
        near = s["index"]["kind"] in ("window", "broadcast", "shared") and kind != "store"
        far = spec["arrays"][s["array"]] > 40e6 and not near
        for _ in s["deltas"]:
            for number, _ in enumerate(s["members"]):
                total.slots += 6
                total.lsu += max(1, lines)
                first = number == 0 and _ is not None
                total.l2 += sectors * (0.25 if near else 1) * (1 if first or kind == "store" else 0.3)
                total.dram += sectors * (1 if far else 0.2) * (1 if first else 0)
                total.trace += trace
        total.slots += 12
        total.latency += {"load": 700 if not near else 250, "store": 20, "async": 900}[kind]
        if s["index"]["kind"] == "gather":
            total.latency += 600 * s["index"]["depth"]
            total.lsu += 2 if s["index"]["depth"] == 1 else 20
            total.trace += 1 if s["index"]["depth"] == 1 else 98
    elif kind == "update":
        total.slots, total.lsu, total.l2, total.dram, total.latency, total.trace = 15, 2, 8, 4, 700, 1
    elif kind == "chain":
        per = {"fma": 4, "fp64": 8, "exp": 24, "rsqrt": 40, "sin": 30, "imad": 5, "shift": 14, "popc": 14,
               "divide": 100, "half": 5}[s["unit"]]
        cost = {"fma": 1, "fp64": 2, "exp": 8, "rsqrt": 10, "sin": 8, "imad": 2, "shift": 4, "popc": 8,
                "divide": 14, "half": 1}[s["unit"]]
        total.latency, total.slots = per * s["length"], cost * s["length"] * s["ways"]
    elif kind == "shuffle":
        total.slots, total.lsu, total.latency = 5, 4, 60
    elif kind == "shared":
        conflict = 4 if s["write"]["kind"] in ("stride", "column") else 2
        total.slots, total.lsu = 10 + 5 * s["reads"], conflict * (1 + s["reads"])
        total.latency = 60 + 35 * s["reads"] + B // 16
        total.trace = 0.6 * (1 + s["reads"]) * (8 if "hashed" in (s["write"]["kind"], s["read"]["kind"]) else 1)
    elif kind == "sharedatomic":
        total.slots, total.lsu, total.latency, total.trace = 8, 8, 60, 1
    elif kind == "atomic":
        worst = s["where"] in ("one", "few", "lanes")
        total.slots, total.lsu, total.latency = 8, 8, 1200
        # Lanes and warps that meet in one address pass one after the other.
        places = {"one": 1, "few": s["lines"], "lanes": 32}.get(s["where"], 4096)
        total.atomics = 90 * 32 / min(places, 90 * 4) if worst else 8
        total.atomics *= 2 if s["op"] in ("addf", "addd", "cas", "exch") else 1
        total.trace = 97 if s["where"] == "random" else 1
    elif kind == "constant":
        total.slots, total.lsu, total.latency = 6 * s["count"], 4, 60 * s["count"]
        total.slots += 30 * s["count"] if s["by"] == "lane" else 0
    elif kind == "local":
        total.slots, total.lsu, total.latency = 20 * s["count"], 4 * s["count"], 200 * s["count"]
        total.trace, total.l2 = 10 * s["count"], 8
    elif kind == "tree":
        steps = B.bit_length()
        total.slots, total.lsu, total.latency, total.trace = 6 * steps, 3 * steps, 90 * steps, steps
    elif kind == "barrier":
        total.slots, total.latency, total.trace = 2 * s["times"], 40 * s["times"], 0.3 * s["times"]
        if s["form"] == "fence":
            total.latency += 800 * s["times"]
    elif kind == "branch":
        total.add(of_list(s["then"], spec, shape), 1)
        total.add(of_list(s["else"], spec, shape), 1)
    elif kind == "inner":
        total.add(of_list(s["body"], spec, shape), s["turns"])
        total.latency *= 0.7
    return total


def of_list(statements, spec, shape):
    total = Sum()
    total.slots += 6
    for s in statements:
        total.add(of_statement(s, spec, shape), 1)
    return total


def estimate(spec):
    """(clocks, bytes of trace) of a specification."""
    shape = source.shape_of(spec)
    warps = -(-shape["B"] // 32) * shape["ctas"]
    total = Sum()
    total.slots, total.latency = 30, 100
    total.add(of_list(spec["head"], spec, shape), 1)
    total.add(of_list(spec["tail"], spec, shape), 1)
    loop = of_list(spec["loop"], spec, shape)
    loop.latency /= min(2, spec["unroll"])
    total.add(loop, spec["trips"])
    sms = min(SMS, shape["ctas"])
    per_sm = 2048 // max(32, shape["B"])
    if spec["launch"]["dynamic"]:
        per_sm = max(1, min(per_sm, 220 * 1024 // (spec["launch"]["dynamic"] + 1024)))
    per_sm = min(per_sm, 32)
    waves = -(-shape["ctas"] // (sms * per_sm))
    clocks = max(warps * total.slots / (sms * 4 * 0.8), warps * total.lsu / sms, warps * total.l2 / 80,
                 warps * total.dram / 55, warps * total.atomics / 90, waves * total.latency)
    return 3000 + clocks + warps * 2 / sms, warps * (total.trace + 0.5) + shape["ctas"] * 8 + 5000


def accesses(statements):
    for s in statements:
        if "members" in s:
            yield s
        for inner in ("then", "else", "body"):
            yield from accesses(s.get(inner, []))


def fit(spec, rng):
    """Chooses turns, and shrinks grids, until clocks and trace are in bounds."""
    spec["trips"] = 1
    every = spec["head"] + spec["loop"] + spec["tail"]
    found = [one["index"] for one in accesses(every) if one["index"]["kind"] == "gather"]
    entries = 1 << rng.randint(10, 18)
    for one in found:
        one["entries"] = entries
        one["fill"] = found[0]["fill"]
    spec["fill"] = found[0]["fill"] if found else "random"
    spec["arrays"]["x"] = entries * 4
    spec["arrays"]["p"] = 0
    for one in accesses(every):
        least = one["size"] * (2 * max(abs(delta) for delta in one["deltas"]) + 4096)
        spec["arrays"][one["array"]] = max(spec["arrays"][one["array"]], -(-least // 4096) * 4096)
    spec["arrays"]["m"] = 4096 * 32 * 8
    wanted = SHORTEST * 1.3 * 8 ** rng.random()
    budget = TRACE * rng.choice([0.5, 1, 1.6, 2.4])
    grid = spec["launch"]["grid"]
    while True:
        clocks, trace = estimate(spec)
        if (clocks <= LONGEST and trace <= budget) or grid[0] <= 16:
            break
        grid[0] = max(16, grid[0] * 2 // 3)
    lengthen(spec, wanted, budget)
    if estimate(spec)[0] < SHORTEST:
        # Dependent arithmetic takes time and no room in a trace.
        chain = {"kind": "chain", "unit": rng.choice(["fma", "imad", "exp", "fp64", "divide"]), "ways": 1,
                 "follows": True, "length": 4, "straight": rng.choice([4, 16, 64, 512])}
        spec["loop"].append(chain)
        while estimate(spec)[0] < SHORTEST * 1.1 and chain["length"] < 512:
            chain["length"] *= 2
    spec["arrays"]["p"] = -(-source.shape_of(spec)["T"] * 16 // 4096) * 4096 * rng.choice([1, 1, 2])


def lengthen(spec, wanted, budget):
    """Turns of the loop until its time is as wanted, or its trace too large."""
    while spec["trips"] < 4096:
        clocks, _ = estimate(spec)
        if clocks >= wanted:
            break
        before = spec["trips"]
        spec["trips"] += max(1, min(before, int(before * (wanted / clocks - 1))))
        if estimate(spec)[1] > budget:
            spec["trips"] = before
            break
