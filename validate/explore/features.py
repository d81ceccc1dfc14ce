# SPDX-License-Identifier: MIT
"""What a specification has in it, as short words that errors can be sorted by."""


def of_index(index):
    kind = index["kind"]
    if kind == "gather":
        return [kind, f"gather.{index['fill']}"] + (["gather.twice"] if index["depth"] > 1 else [])
    if kind == "window":
        return [kind, "window.all" if index["apart"] == "all" else "window.cta"]
    return [kind]


def of_statement(s):
    kind = s["kind"]
    tags = [kind]
    if kind in ("load", "store", "async"):
        tags += [f"{kind}.{tag}" for tag in of_index(s["index"])]
        short = {"load": "ld", "store": "st", "async": "cp"}[kind]
        if s["op"] != "plain":
            tags.append(f"{short}.{s['op']}")
        tags.append(f"{short}.{s['members'][0][1]}B")
        if s["size"] != s["members"][0][1]:
            tags.append(f"{kind}.struct")
        if s["deltas"] != [0]:
            tags.append(f"{kind}.stencil")
        if s.get("zfill"):
            tags.append("async.zfill")
    elif kind == "chain":
        tags.append(f"chain.{s['unit']}")
        if s["length"] * s["ways"] > 128 and s["straight"] > 128:
            tags.append("chain.straight")
    elif kind in ("atomic", "sharedatomic"):
        tags.append(f"{kind}.{s['op']}")
        if kind == "atomic":
            tags += [f"atomic.{s['where']}", "atomic.result" if s["result"] else "atomic.none"]
    elif kind == "shared":
        tags += [f"shared.{s['write']['kind']}", f"shared.{s['read']['kind']}", f"shared.{s['width']}B",
                 f"shared.{s['barrier']}"]
    elif kind in ("constant", "local", "inner"):
        tags.append(f"{kind}.{s['by']}")
    elif kind in ("shuffle", "barrier"):
        tags.append(f"{kind}.{s['form']}")
    elif kind == "update":
        tags.append(f"update.{s['width']}B")
    if s.get("guard"):
        tags += ["guard", f"guard.{s['guard']['kind']}"]
    for inner in ("then", "else", "body"):
        for one in s.get(inner, []):
            tags += of_statement(one)
    return tags


def size_class(bytes_):
    """Of an array: what of an H200 holds it."""
    if bytes_ <= 200 << 10:
        return "l1"
    return "l2half" if bytes_ <= 28 << 20 else "l2" if bytes_ <= 56 << 20 else "dram"


def tags_of(spec):
    """All features of a specification, sorted."""
    launch = spec["launch"]
    threads = launch["block"][0] * launch["block"][1]
    tags = {f"theme.{spec['theme']}", f"launch.{launch['shape']}", f"final.{spec['final']}"}
    tags.add("block.16" if threads < 32 else "block.32" if threads == 32 else "block.small" if threads <= 128
             else "block.large" if threads > 512 else "block.usual")
    if launch["block"][1] > 1:
        tags.add("block.2d")
    if launch["dynamic"]:
        tags.add("dynamic")
    if spec["restrict"]:
        tags.add("restrict")
    if spec["unroll"] > 1:
        tags.add("unrolled")
    for s in spec["head"] + spec["loop"] + spec["tail"]:
        tags.update(of_statement(s))
        if "array" in s:
            tags.add(f"{s['kind']}.in.{size_class(spec['arrays'][s['array']])}")
    if not any(s["kind"] == "store" for s in spec["loop"]):
        tags.add("loop.reads")
    return sorted(tags)
