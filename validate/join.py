#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins what a microbenchmark says it launched with what Nsight Compute measured.

    join.py PATTERNS.csv MEASURED.csv

PATTERNS.csv is the program's own output: a header and one row a launch, in order; lines that begin
with '#' are skipped. A column "launch" may say which launch a row is about, counted from 0; several
rows may then be about one launch. A column "kernel" must agree with the measured kernel's name.
MEASURED.csv comes from tidy.awk. Writes one table to standard output: the pattern's columns, then
the metrics that have a value anywhere. Any disagreement is an error: nothing is joined by guess.
"""
import csv
import re
import sys


def die(text):
    sys.exit(f"join: {text}")


def read_patterns(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#") and line.strip()))
    if len(rows) < 2:
        die(f"{path}: holds no header and rows; did the program fail?")
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]):
            die(f"{path}: row {number} has {len(row)} fields, the header {len(rows[0])}")
    return rows[0], rows[1:]


def read_measured(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if not rows or "Kernel Name" not in rows[0]:
        die(f"{path}: is no table from tidy.awk")
    name = rows[0].index("Kernel Name")
    return rows[0], [row for row in rows[1:] if row[name]]


def base_name(kernel):
    """The function's own name, without parameters, template arguments and name spaces."""
    kernel = re.sub(r"\(anonymous namespace\)::", "", kernel)
    found = re.match(r"(?:.*[\s:])?([A-Za-z_]\w*)(?:<.*)?$", re.split(r"[(<]", kernel)[0].strip())
    return found.group(1) if found else kernel


def launch_of(row, column, index, launches, path):
    if column < 0:
        return index
    if not row[column].isdigit() or int(row[column]) >= launches:
        die(f"{path}: row {index + 1}: launch '{row[column]}' is none of the {launches} measured")
    return int(row[column])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    head, patterns = read_patterns(sys.argv[1])
    measured_head, measured = read_measured(sys.argv[2])
    launch = head.index("launch") if "launch" in head else -1
    kernel = head.index("kernel") if "kernel" in head else -1
    if launch < 0 and len(patterns) != len(measured):
        die(f"{sys.argv[1]}: {len(patterns)} rows, but {len(measured)} launches were measured")
    name = measured_head.index("Kernel Name")
    metrics = [i for i, title in enumerate(measured_head)
               if "__" in title and any(row[i] not in ("", "n/a") for row in measured)]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(head + [measured_head[i] for i in metrics])
    for index, row in enumerate(patterns):
        which = measured[launch_of(row, launch, index, len(measured), sys.argv[1])]
        if kernel >= 0 and base_name(row[kernel]) != base_name(which[name]):
            die(f"{sys.argv[1]}: row {index + 1} is about {row[kernel]}, measured was {which[name]}")
        out.writerow(row + [which[i] for i in metrics])


if __name__ == "__main__":
    main()
