# SPDX-License-Identifier: MIT
"""Cuts a kernel down while one metric's error stays, in rounds.

Each round proposes kernels with something less: a statement, a guard, a cache operator, width. They
are measured on the card (explore measure), and the smallest that keeps at least two thirds of the
error, with its sign, is where the next round begins. When none does, what is left is the mechanism.
"""
import copy
import json
import os
import sys

import grammar
import score

KEEPS = 2.0 / 3.0
LISTS = ("head", "loop", "tail")


def size_of(spec):
    """How much there is to a kernel."""
    def weight(s):
        total = 4 + len(s.get("members", [])) + len(s.get("deltas", []))
        total += (2 if s.get("guard") else 0) + (1 if s.get("op", "plain") != "plain" else 0)
        total += 1 if s.get("index", {}).get("kind", "linear") != "linear" else 0
        return total + sum(weight(one) for inner in ("then", "else", "body") for one in s.get(inner, []))
    total = sum(weight(s) for part in LISTS for s in spec[part])
    return total + (1 if spec["unroll"] > 1 else 0) + (1 if spec["launch"]["dynamic"] else 0)


def simpler(statement):
    """Statements with something less."""
    def changed(**values):
        return {**copy.deepcopy(statement), **values}
    if statement.get("guard") and statement["kind"] != "branch":
        yield [changed(guard=None)]
    for inner in ("then", "else", "body"):
        if statement.get(inner):
            yield copy.deepcopy(statement[inner])
    if len(statement.get("members", [])) > 1:
        for keep in (1, len(statement["members"]) // 2):
            yield [changed(members=statement["members"][:keep])]
    if len(statement.get("deltas", [])) > 1:
        yield [changed(deltas=[0])]
    if statement.get("op", "plain") != "plain" and statement["kind"] in ("load", "store"):
        yield [changed(op="plain")]
    if statement.get("index", {}).get("kind", "linear") != "linear":
        yield [changed(index={"kind": "linear"})]
    if statement["kind"] in ("load", "store") and (statement["size"], statement["members"]) != (4, [[0, 4]]):
        yield [changed(size=4, members=[[0, 4]])]


def reductions(spec):
    """Specifications with less in them, no two the same."""
    seen = {json.dumps(spec, sort_keys=True)}
    count = sum(len(spec[part]) for part in LISTS)

    def propose(**values):
        one = {**copy.deepcopy(spec), **values}
        text = json.dumps(one, sort_keys=True)
        if text not in seen and any(one[part] for part in LISTS):
            seen.add(text)
            yield one
    for part in LISTS:
        for n, statement in enumerate(spec[part]):
            if count > 2:
                yield from propose(**{other: [] for other in LISTS if other != part}, **{part: [copy.deepcopy(statement)]})
            yield from propose(**{part: spec[part][:n] + spec[part][n + 1:]})
            for less in simpler(statement):
                yield from propose(**{part: spec[part][:n] + less + spec[part][n + 1:]})
    if spec["unroll"] > 1:
        yield from propose(unroll=1)
    if spec["restrict"]:
        yield from propose(restrict=False)
    if spec["final"] != "never":
        yield from propose(final="never")
    launch = spec["launch"]
    if launch["dynamic"] or launch["blocks"]:
        yield from propose(launch={**launch, "dynamic": 0, "blocks": 0})
    if launch["block"][1] > 1 or launch["grid"][1] > 1:
        yield from propose(launch={**launch, "block": [launch["block"][0] * launch["block"][1], 1],
                                   "grid": [launch["grid"][0] * launch["grid"][1], 1]})


def judge(folder, gmsim, metric, wanted):
    """The smallest measured kernel of a round that keeps the error, and all errors."""
    cases, missing = score.load([folder], gmsim, os.cpu_count(), {}, shortest=0)
    errors = {case.name: case.errors.get(metric) for case in cases}
    kept = [case for case in cases if case.errors.get(metric) is not None and case.errors[metric] * wanted > 0
            and abs(case.errors[metric]) >= KEEPS * abs(wanted)]
    kept.sort(key=lambda case: (size_of(case.spec), case.name))
    return (kept[0].spec if kept else None), errors, missing


def run(seed, metric, out, gmsim, write_programs, first=None):
    """One round: judges what was measured, proposes what to measure next. `first`: the
    specification to begin with, where it is not what the seed gives today."""
    path = f"{out}/shrink.json"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
    else:
        spec = grammar.draw(int(seed)) if first is None else first
        state = {"seed": int(seed), "metric": metric, "round": 0, "spec": spec, "error": None, "history": []}
    if state["metric"] != metric or state["seed"] != int(seed):
        sys.exit(f"explore: {out}: belongs to seed {state['seed']} and {state['metric']}; choose another folder")
    folder = f"{out}/round{state['round']}"
    if os.path.exists(f"{folder}/measured.csv"):
        if state["error"] is None:
            _, errors, missing = judge(folder, gmsim, metric, 1)
            state["error"] = errors.get(state["spec"]["name"])
            if not state["error"]:
                sys.exit(f"explore: seed {seed}: has no error of {metric}: {'; '.join(missing)}")
        best, errors, missing = judge(folder, gmsim, metric, state["error"])
        state["history"].append({"round": state["round"], "errors": errors, "missing": missing})
        if best is None or size_of(best) >= size_of(state["spec"]):
            print(f"seed {seed}: nothing smaller keeps {state['error']:+.1f}: {json.dumps(state['spec'])}")
            return
        print(f"seed {seed}: {size_of(state['spec'])} -> {size_of(best)}, {errors[best['name']]:+.1f}")
        state["spec"], state["round"] = best, state["round"] + 1
    elif state["round"] or os.path.exists(f"{folder}/specs.json"):
        sys.exit(f"explore: {folder}: not measured yet; run explore build and explore measure on it")
    stem = f"seed_{seed}_r{state['round']}"
    proposed = [{**spec, "name": f"{stem}_{number}"} for number, spec in enumerate(reductions(state["spec"]))]
    if state["round"] == 0:
        proposed.insert(0, state["spec"])
    write_programs(f"{out}/round{state['round']}", proposed)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(state, file)
    print(f"seed {seed}: {len(proposed)} kernels to measure in {out}/round{state['round']}")
