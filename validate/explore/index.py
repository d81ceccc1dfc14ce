# SPDX-License-Identifier: MIT
"""Index expressions: which element of an array a thread touches in which turn of a loop.

An index is a dictionary {"kind": ..., parameters}. text() writes it in C, for a thread that knows
t (its number in the CTA), b (the CTA's), g (b * B + t), w (g / 32), lane, and i (the turn);
the same text evaluated here (value()) tells what a warp touches, for estimates of cost.
"""
import re

KINDS = ("linear", "chunk", "rows", "stride", "offset", "tile", "transposed", "xor", "warprow",
         "scatter", "gather", "shared", "broadcast", "partial", "reverse", "window", "swizzled")


def draw(rng, shape, weights=None):
    """A random index. shape: threads a CTA `B`, threads of the grid `T`, turns are unknown yet."""
    kind = rng.choices(KINDS, weights or [8, 4, 3, 4, 3, 3, 1, 3, 3, 2, 2, 3, 1, 2, 1, 6, 1])[0]
    index = {"kind": kind}
    if kind == "rows":
        index["row"] = rng.choice([2, 3, 4, 5, 7, 8, 12, 16, 33, 64])
    elif kind == "stride":
        index["stride"] = rng.choice([2, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 32, 33, 64, 128])
    elif kind == "offset":
        index["offset"] = rng.choice([1, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 33])
    elif kind in ("tile", "transposed"):
        index["columns"] = rng.choice([8, 16, 16, 32, 32, 64])
        index["pitch"] = rng.choice([256, 512, 1000, 1024, 2048, 2050, 4096])
    elif kind == "xor":
        index["mask"] = rng.choice([1, 2, 3, 4, 5, 8, 12, 16, 21, 31, 32, 64, 85, 96, 1024, 4095])
    elif kind == "warprow":
        index["step"] = rng.choice([1, 977, 40503])
    elif kind == "scatter":
        index["factor"] = rng.choice([17, 37, 101, 1021, 4099, 40503, 65537, 1048583])
    elif kind == "gather":
        index["fill"] = rng.choice(["random", "random", "clustered", "sorted", "hot", "permuted"])
        index["depth"] = rng.choice([1, 1, 1, 2])
    elif kind == "shared":
        index["groups"] = rng.choice([1, 1, 2, 4, 8, 16, 33])
    elif kind == "broadcast":
        index["by"] = rng.choice(["turn", "cta", "warp"])
    elif kind == "partial":
        index["shift"] = rng.choice([1, 2, 3, 4])
    elif kind == "window":
        index["turns"] = rng.choice([1, 2, 2, 3, 4, 6, 8, 12, 16, 24, 32])
        index["apart"] = rng.choice(["cta", "cta", "cta", "all"])
    return index


def raw(index, shape):
    """The element before it is wrapped into the array."""
    kind, B, T = index["kind"], shape["B"], shape["T"]
    linear = f"g + i * {T}u"
    if kind == "linear":
        return linear
    if kind == "chunk":
        return f"b * {B * shape['trips']}u + i * {B}u + t"
    if kind == "rows":
        return f"g * {index['row']}u + i"
    if kind == "stride":
        return f"({linear}) * {index['stride']}u"
    if kind == "offset":
        return f"{linear} + {index['offset']}u"
    if kind in ("tile", "transposed"):
        columns, pitch = index["columns"], index["pitch"]
        across = pitch // columns
        rows = max(1, B // columns)
        x = f"(b % {across}u) * {columns}u + t % {columns}u"
        y = f"b / {across}u * {rows}u + t / {columns}u + i * {rows * max(1, shape['ctas'] // across)}u"
        if kind == "tile":
            return f"({y}) * {pitch}u + {x}"
        return f"({x}) * {pitch}u + {y}"
    if kind == "xor":
        return f"({linear}) ^ {index['mask']}u"
    if kind == "warprow":
        return f"((w + i * {index['step']}u) * 2654435761u >> 9) * 32u + lane"
    if kind == "scatter":
        return f"({linear}) * {index['factor']}u"
    if kind == "gather":
        found = f"x[({linear}) % {index['entries']}u]"
        return found if index["depth"] == 1 else f"x[{found} % {index['entries']}u]"
    if kind == "shared":
        return f"b % {index['groups']}u * {B * shape['trips']}u + i * {B}u + t"
    if kind == "broadcast":
        return {"turn": "i * 3u", "cta": "b * 5u + i", "warp": "w * 3u + i"}[index["by"]]
    if kind == "partial":
        return f"(g >> {index['shift']}) + i * {max(1, T >> index['shift'])}u"
    if kind == "reverse":
        return f"0u - 1u - ({linear})"
    if kind == "window":
        start = f"b * {B * index['turns']}u + " if index["apart"] == "cta" else ""
        return f"{start}i % {index['turns']}u * {B}u + t"
    if kind == "swizzled":
        return f"(w + i * {max(1, T // 32)}u) * 32u + (lane ^ w & 31u)"
    raise ValueError(kind)


def wrapped(text, n):
    """An expression brought into 0 .. n - 1."""
    return f"({text}) & {n - 1}u" if n & (n - 1) == 0 else f"({text}) % {n}u"


def text(index, shape, n):
    return wrapped(raw(index, shape), n)


def compiled(c):
    """The C expression as a function of Python's; numbers do not wrap at 32 bits on the way."""
    return compile(re.sub(r"(\d)u\b", r"\1", c).replace("/", "//"), "index", "eval")
