# SPDX-License-Identifier: MIT
"""The launches of a report beside the rows of a microbenchmark's table, one each, in order.

    measured.py REPORT.json TABLE.csv METRIC COLUMN PERCENT KEY=VALUE[,VALUE...]...

Ends with 0 where METRIC is within PERCENT of COLUMN in every row that has the values; each value has one. Says
each on a line of its own. Options:
    --beyond KEY=VALUE,KEY=VALUE/UNITS   what is beyond that row, for each of the row's column UNITS
    --after REPORT.json/CLOCKS           how much more it is than in that report, against CLOCKS
    --less CLOCKS                        without so many, which the table's begin behind
    --each N                             of one of so many that the launch does
    --skip N                             without the first N
    --rows N                             of the table the first N alone
"""
import argparse
import csv
import json
import sys


def launches(report):
    with open(report, encoding="utf-8") as file:
        return [launch["metrics"] for launch in json.load(file)["launches"]]


def main():
    parser = argparse.ArgumentParser()
    for name in ("report", "table", "metric", "column"):
        parser.add_argument(name)
    parser.add_argument("percent", type=float)
    parser.add_argument("wanted", nargs="+")
    parser.add_argument("--beyond")
    parser.add_argument("--after")
    parser.add_argument("--less", type=float, default=0)
    parser.add_argument("--each", type=float, default=1)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--rows", type=int)
    asked = parser.parse_args()
    with open(asked.table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:asked.rows]
    told = [(float(launch[asked.metric]) - asked.less) / asked.each for launch in launches(asked.report)]
    assert len(rows) == len(told), f"{len(rows)} rows, {len(told)} launches"
    both = [(float(row[asked.column]), value) for row, value in zip(rows, told)]
    if asked.after:
        other, clocks = asked.after.rsplit("/", 1)
        both = [(float(clocks), value - launch[asked.metric]) for value, launch in zip(told, launches(other))]
    if asked.beyond:
        keys, units = asked.beyond.split("/")
        keys = dict(key.split("=") for key in keys.split(","))
        base = next(pair for row, pair in zip(rows, both) if keys.items() <= row.items())
        both = [[(value - start) / float(row[units]) for value, start in zip(pair, base)]
                for row, pair in zip(rows, both)]
    wanted = {key: values.split(",") for key, values in (word.split("=") for word in asked.wanted)}
    chosen = [(row, pair) for row, pair in list(zip(rows, both))[asked.skip:]
              if all(row[key] in values for key, values in wanted.items())]
    for key, values in wanted.items():
        missing = set(values) - {row[key] for row, _ in chosen}
        assert not missing, f"no row has {key}={missing}"
    for _, (measured, predicted) in chosen:
        print(f"# {' '.join(asked.wanted)}: measured {measured:g}, predicted {predicted:g}")
    sys.exit(any(abs(predicted - measured) > asked.percent / 100 * measured
                 for _, (measured, predicted) in chosen))


main()
