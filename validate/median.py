#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""median.py RUN.csv... - one table of several runs over the same launches: for each launch and metric
the median of the runs that measured it. Rows come in the first run's order, columns as they are met."""
import collections
import csv
import statistics
import sys

FIXED = 5  # columns before the metrics: case, kernel, grid, block, compute capability


def read(path):
    """Metrics with their units, and the rows by case, kernel and number among its launches."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if len(rows) < 2:
        sys.exit(f"median.py: {path}: holds no launches")
    seen, launches = collections.Counter(), {}
    for row in rows[2:]:
        key = tuple(row[:2])
        launches[key + (seen[key],)] = row
        seen[key] += 1
    return rows[0][:FIXED], dict(zip(rows[0][FIXED:], rows[1][FIXED:])), launches


def middle(values):
    """The median as written in one of the runs, or between two of them."""
    try:
        numbers = sorted((float(value), value) for value in values)
    except ValueError:
        return values[0]
    half = len(numbers) // 2
    if len(numbers) % 2:
        return numbers[half][1]
    return repr(statistics.median(number for number, _ in numbers))


def main(paths):
    if not paths:
        sys.exit("usage: median.py RUN.csv...")
    runs = [read(path) for path in paths]
    fixed, _, first = runs[0]
    units = {}
    for path, (_, names, launches) in zip(paths, runs):
        if launches.keys() != first.keys():
            sys.exit(f"median.py: {path}: other launches than {paths[0]}")
        units.update({name: unit for name, unit in names.items() if name not in units})
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(fixed + list(units))
    out.writerow([""] * FIXED + list(units.values()))
    places = [(list(names), launches) for _, names, launches in runs]
    for launch, row in first.items():
        out.writerow(row[:FIXED] + [
            middle([launches[launch][FIXED + names.index(metric)] for names, launches in places if metric in names])
            for metric in units])


main(sys.argv[1:])
