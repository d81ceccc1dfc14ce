#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""median.py RUN1.csv RUN2.csv ... - one table of several runs of `measure`: for each launch and
metric the median. The runs must hold the same launches; their order may differ."""
import collections
import csv
import statistics
import sys


def read(path):
    """Header, units, and the rows by case and number among the case's launches."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    seen, launches = collections.Counter(), {}
    for row in rows[2:]:
        launches[row[0], seen[row[0]]] = row
        seen[row[0]] += 1
    return rows[0], rows[1], launches


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
    if len(paths) < 2:
        sys.exit("usage: median.py RUN1.csv RUN2.csv ...")
    runs = [read(path) for path in paths]
    header, units, first = runs[0]
    for path, run in zip(paths, runs):
        if run[0] != header or run[2].keys() != first.keys():
            sys.exit(f"median.py: {path}: other metrics or launches than {paths[0]}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(header)
    out.writerow(units)
    for launch, row in first.items():
        out.writerow(row[:5] + [middle([run[2][launch][i] for run in runs]) for i in range(5, len(row))])


main(sys.argv[1:])
