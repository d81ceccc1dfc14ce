#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which lines and branches the test suite ran, by room and file, from gcov's data.

  coverage.py BUILD SOURCE [PAGE]

BUILD was compiled with --coverage and its tests were run. Prints a line a room, writes the files of
each into PAGE, and fails where a room of HELD has less than its share of lines. A file that is
compiled into several programs counts as run where any of them ran it. Branches are those the compiler
made: a loop's, a condition's parts, both sides of each."""
import json
import os
import subprocess
import sys

HELD = {"traces/format": 85, "sim/model": 85}
ROOMS = ["traces/format", "traces/code", "traces/import", "traces/synthetic", "traces/ptx",
         "traces/gmcc", "traces/capture", "traces/command", "sim/device", "sim/policy", "sim/model",
         "sim/analysis", "sim/report", "sim/api", "sim/cli", "validate", "plots"]


def data_files(build):
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith(".gcno"):
                yield os.path.relpath(os.path.join(folder, name), build)


def gcov(build, source):
    """{file: ({line: runs}, {line: [runs of each branch]})}"""
    files = sorted(data_files(build))
    found = {}
    for first in range(0, len(files), 40):
        command = ["gcov", "--json-format", "--stdout", "--branch-probabilities"]
        out = subprocess.run(command + files[first:first + 40], cwd=build, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for text in out.decode().splitlines():
            unit = json.loads(text)
            for each in unit["files"]:
                path = os.path.join(unit["current_working_directory"], each["file"])
                name = os.path.relpath(os.path.realpath(path), source)
                if not name.startswith(".."):
                    add(found.setdefault(name, ({}, {})), each["lines"])
    return found


def add(into, lines):
    runs, branches = into
    for line in lines:
        number = line["line_number"]
        runs[number] = runs.get(number, 0) + line["count"]
        new = [branch["count"] for branch in line["branches"] if not branch["throw"]]
        old = branches.get(number, [])
        if len(new) == len(old):
            branches[number] = [a + b for a, b in zip(new, old)]
        elif sum(map(bool, new)) > sum(map(bool, old)):  # compiled otherwise: the fuller one
            branches[number] = new


def tally(files):
    """lines, lines run, branches, branches taken"""
    total = [0, 0, 0, 0]
    for runs, branches in files:
        sides = [side for each in branches.values() for side in each]
        for i, part in enumerate((len(runs), sum(map(bool, runs.values())), len(sides),
                                  sum(map(bool, sides)))):
            total[i] += part
    return total


def share(done, of):
    return f"{100 * done / of:.1f}" if of else "-"


def row(name, total):
    lines, run, branches, taken = total
    return f"| {name} | {lines} | {share(run, lines)} | {branches} | {share(taken, branches)} |"


HEAD = "| {} | lines | % run | branches | % taken |\n|---|---:|---:|---:|---:|"


def not_built(source, found):
    """Sources in C of the rooms that this build left out."""
    return sorted(os.path.join(folder, name)[len(source) + 1:]
                  for room in ROOMS for folder, _, names in os.walk(os.path.join(source, room))
                  for name in names if name.endswith(".c")
                  and os.path.join(folder, name)[len(source) + 1:] not in found)


def page(rooms, missing):
    out = ["# What the tests run", "",
           "Lines and branches of each room that `make check` runs, from gcov; `make coverage` makes this",
           "page. A branch is one side of a condition as compiled with -O1: each part of a condition",
           "counts, and so does what the compiler adds. What the walks of `tests/inject` reach counts",
           "where the program ends by itself.", "", HEAD.format("room")]
    out += [row(name, tally(files.values())) for name, files in rooms.items()]
    for name, files in rooms.items():
        out += ["", f"## {name}", "", HEAD.format("file")]
        out += [row(os.path.relpath(path, name), tally([files[path]])) for path in sorted(files)]
    if missing:
        out += ["", "## Not built here", "",
                "Without CUDA and its Compute Sanitizer, or for want of something to compile:", ""]
        out += [f"- {path}" for path in missing]
    return "\n".join(out) + "\n"


def main():
    build, source = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    found = gcov(build, source)
    rooms = {}
    for room in ROOMS:
        files = {path: lines for path, lines in found.items() if path.startswith(room + "/")}
        if files:
            rooms[room] = files
    print(f"{'room':18} {'lines':>7} {'% run':>7} {'branches':>9} {'% taken':>8}")
    short = []
    for room, files in rooms.items():
        lines, run, branches, taken = tally(files.values())
        print(f"{room:18} {lines:7} {share(run, lines):>7} {branches:9} {share(taken, branches):>8}")
        if 100 * run < HELD.get(room, 0) * lines:
            short.append(f"{room}: {share(run, lines)} % of its lines are run; {HELD[room]} % should")
    if len(sys.argv) > 3:
        built = {path for path, (runs, _) in found.items() if runs}
        with open(sys.argv[3], "w", encoding="utf-8") as out:
            out.write(page(rooms, [path for path in not_built(source, built)]))
    for line in short:
        print(f"coverage: {line}", file=sys.stderr)
    return bool(short)


if __name__ == "__main__":
    sys.exit(main())
