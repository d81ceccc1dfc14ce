#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What another size of a cache would do to a kernel: a table, and a plot of it.

    sweep.py TRACE                                     L2 from 1/16 of its size to all of it
    sweep.py TRACE --key l1.latency --values 20,40,80  any number that `gmsim gpus h200` lists
    sweep.py TRACE -o sweep.png                        a plot too; needs matplotlib

Values are simulated side by side, one thread each for as many cores as there are.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import List, Tuple

import gmsim

COLUMNS = (
    ("L1 hit rate [%]", "l1tex__t_sector_hit_rate.pct", 1.0),
    ("L2 hit rate [%]", "lts__t_sector_hit_rate.pct", 1.0),
    ("DRAM reads [MB]", "dram__sectors_read.sum", 32e-6),
    ("cycles", "gpc__cycles_elapsed.max", 1.0),
)

Row = Tuple[str, List[float]]


def default_values(gpu: str, key: str) -> List[str]:
    """The key's own size and its halves, in KiB."""
    size = str(gmsim.gpu(gpu)["parameters"][key]["value"])
    kib = int(size.rstrip("KMG")) * {"K": 1, "M": 1 << 10, "G": 1 << 20}[size[-1]]
    return [f"{kib // part}K" for part in (16, 8, 4, 2, 1)]


def measure(trace: str, gpu: str, key: str, value: str) -> Row:
    metrics = gmsim.simulate(trace, gpu=gpu, set={key: value}, launch=0)["launches"][0]["metrics"]
    known = [metrics.get(name) for _, name, _ in COLUMNS]
    return value, [
        float("nan") if number is None else number * unit
        for number, (_, _, unit) in zip(known, COLUMNS)
    ]


def draw(rows: List[Row], key: str, title: str, path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(COLUMNS), 1, sharex=True, figsize=(6, 8), layout="constrained")
    for column, axis in enumerate(axes):
        axis.plot([value for value, _ in rows], [numbers[column] for _, numbers in rows], "o-")
        axis.set_ylabel(COLUMNS[column][0])
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    axes[0].set_title(title)
    axes[-1].set_xlabel(key)
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--key", default="l2.size")
    parser.add_argument("--values", help="separated by commas")
    parser.add_argument("-o", "--output", metavar="PLOT", help="picture to draw")
    given = parser.parse_args()
    try:
        if given.values is None and given.key != "l2.size":
            parser.error("--key needs --values")
        values = given.values.split(",") if given.values else default_values(given.gpu, given.key)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = list(
                pool.map(lambda value: measure(given.trace, given.gpu, given.key, value), values)
            )
    except gmsim.Error as error:
        print(f"sweep.py: {error}", file=sys.stderr)
        return 1
    print(f"{given.key:>12}" + "".join(f" {name:>16}" for name, _, _ in COLUMNS))
    for value, numbers in rows:
        print(f"{value:>12}" + "".join(f" {number:>16.2f}" for number in numbers))
    if given.output:
        try:
            draw(rows, given.key, os.path.basename(given.trace), given.output)
        except ImportError:
            print("sweep.py: no plot: matplotlib is not installed", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
