# SPDX-License-Identifier: MIT
"""Replays captured random kernels, compares with what ncu measured, and sorts errors by feature.

A folder holds specs.json, measured.csv (as validate/measure writes it) and a trace SEED.trc for each
kernel. Errors are relative to the measurement; those of counts of sectors below SMALL do not enter,
as in gmvalidate's pages, since a launch's own fetches weigh more there; those of rates are points.
"""
import concurrent.futures
import csv
import gzip
import json
import math
import os
import subprocess
import sys

import features
import grammar

HERE = os.path.dirname(os.path.realpath(__file__))
SMALL = 10000
SHORTEST = 10000  # ns: shorter launches are listed by `score`, and not counted
CYCLES = "gpc__cycles_elapsed.max"
MODELLED = {  # metric: what the page calls it
    CYCLES: "cycles",
    "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum": "L1 → L2 reads",
    "lts__t_sectors_srcunit_tex_op_read.sum": "L2 reads",
    "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum": "L1 → L2 writes",
    "lts__t_sectors_srcunit_tex_op_write.sum": "L2 writes",
    "lts__t_sectors_srcunit_tex_op_atom.sum": "L2 atomics",
    "lts__t_sectors_srcunit_tex_op_red.sum": "L2 reductions",
    "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum": "L2 read hits",
    "dram__sectors_read.sum": "DRAM reads",
    "dram__sectors_write.sum": "DRAM writes",
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": "L1 load hit rate",
    "l1tex__t_sector_hit_rate.pct": "L1 hit rate",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy",
}


def is_rate(metric):
    return ".pct" in metric


def exact_metrics():
    with open(f"{HERE}/../metrics/exact.txt", encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def is_equal(predicted, measured):
    """ncu prints counts as they are, and fractions with two digits behind the point."""
    return abs(predicted - measured) <= (1e-9 if float(predicted).is_integer() else 0.00501)


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def opened(path, mode="rt"):
    """A text file, packed where its name says so or where only the packed one is there."""
    if not path.endswith(".gz") and "r" in mode and not os.path.exists(path):
        path += ".gz"
    return gzip.open(path, mode, encoding="utf-8") if path.endswith(".gz") else open(path, mode, encoding="utf-8")


def read_specs(folder, measured):
    """Specifications as they were; or, of kernels measured with today's grammar, as their seeds give."""
    if os.path.exists(f"{folder}/specs.json"):
        with opened(f"{folder}/specs.json") as file:
            return json.load(file)
    return [grammar.draw(seed) for seed in sorted(int(name[5:]) for name in measured)]


def read_measured(path):
    """Kernel's plain name -> metric -> value."""
    table = {}
    with opened(path) as file:
        for row in csv.DictReader(file):
            name = row["Kernel Name"].split("(")[0]
            if name:
                table[name] = {metric: number(value) for metric, value in row.items()}
    return table


def predict(gmsim, trace):
    """metric -> value of a trace's first launch, or None and why."""
    done = subprocess.run([gmsim, "--trace", trace, "--threads", "1", "--flush", "--format", "json"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip()
    return json.loads(done.stdout)["launches"][0]["metrics"], ""


def error(metric, predicted, measured):
    """Signed error, or None where there is none to speak of."""
    if predicted is None or measured is None:
        return None
    if is_rate(metric):
        return predicted - measured
    if "sectors" in metric and max(predicted, measured) < SMALL:
        return None
    if measured == 0:
        return None if predicted == 0 else math.inf
    return 100.0 * (predicted - measured) / measured


def comparable(predicted, measured):
    """Metrics of the exact family that both have. Of a kernel with more shared memory, static and
    dynamic, than one may have unasked, this ncu says an occupancy of 0 and infinite waves."""
    unknown = measured.get("launch__waves_per_multiprocessor") == math.inf
    return [metric for metric in exact_metrics() if metric in predicted and measured.get(metric) is not None
            and not (unknown and metric.startswith(("launch__occupancy", "launch__waves", "sm__maximum")))]


class Case:
    """One kernel: its specification, features, prediction, measurement, errors."""

    def __init__(self, spec, measured, predicted):
        self.name, self.spec = spec["name"], spec
        self.tags = features.tags_of(spec)
        self.measured, self.predicted = measured, predicted
        self.errors = {}
        for metric in MODELLED:
            found = error(metric, predicted.get(metric), measured.get(metric))
            if found is not None:
                self.errors[metric] = found
        both = comparable(predicted, measured)
        self.exact = len(both)
        self.unequal = [metric for metric in both if not is_equal(predicted[metric], measured[metric])]


def load(folders, gmsim, jobs, known, shortest=SHORTEST):
    """Cases of folders, and what is missing of them as lines of text."""
    cases, missing, work = [], [], []
    for folder in folders:
        measured = read_measured(f"{folder}/measured.csv")
        for spec in read_specs(folder, measured):
            name, trace = spec["name"], f"{folder}/{spec['name']}.trc"
            if name not in measured:
                missing.append(f"{name}: not measured")
            elif measured[name].get("gpu__time_duration.sum", 0) < shortest:
                missing.append(f"{name}: shorter than {shortest / 1000:g} us")
            elif name not in known and not os.path.exists(trace):
                missing.append(f"{name}: no trace")
            else:
                work.append((spec, measured[name], trace))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def one(item):
            name = item[0]["name"]
            return (known[name], "") if name in known else predict(gmsim, item[2])
        for (spec, values, _), (predicted, why) in zip(work, pool.map(one, work)):
            if predicted is None:
                missing.append(f"{spec['name']}: {why}")
            else:
                known[spec["name"]] = predicted
                cases.append(Case(spec, values, predicted))
    return cases, missing


def finite(errors):
    return [min(abs(e), 1000.0) for e in errors]


def mean(values):
    return sum(values) / len(values) if values else 0.0


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0


def median(values):
    values = sorted(values)
    half = len(values) // 2
    if not values:
        return 0.0
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def by_feature(cases, metric, least=5):
    """Features whose kernels are worse than the others: (excess, tag, kernels, with, without, sign)."""
    with_error = [case for case in cases if metric in case.errors]
    rows = []
    for tag in sorted({tag for case in with_error for tag in case.tags}):
        inside = [c.errors[metric] for c in with_error if tag in c.tags]
        outside = [c.errors[metric] for c in with_error if tag not in c.tags]
        if len(inside) < least or not outside:
            continue
        has, others = mean(finite(inside)), mean(finite(outside))
        signed = mean([max(-1000.0, min(1000.0, e)) for e in inside])
        rows.append(((has - others) * math.sqrt(len(inside)), tag, len(inside), has, others, signed))
    return sorted(rows, reverse=True)


def percent(value):
    return f"{value:.1f}"


def table(head, rows, right=1):
    """A Markdown table; columns from `right` on are numbers."""
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join("---" if n < right else "---:" for n in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def page(cases, missing, worst=12):
    """The page of a batch, as Markdown."""
    out = []
    exact = sum(case.exact for case in cases)
    unequal = sum(len(case.unequal) for case in cases)
    out.append(f"{len(cases)} kernels. Exact family: {exact - unequal:,} of {exact:,} values equal.\n")
    rows = []
    for metric, title in MODELLED.items():
        errors = [c.errors[metric] for c in cases if metric in c.errors]
        if not errors:
            continue
        size = finite(errors)
        top = max((c for c in cases if metric in c.errors), key=lambda c: abs(c.errors[metric]))
        rows.append([title, f"`{metric}`", len(size), percent(mean(size)), percent(median(size)), percent(quantile(size, 0.9)),
                     percent(mean([max(-1000.0, min(1000.0, e)) for e in errors])), f"{top.name} {top.errors[metric]:+.0f}"])
    out.append("Errors in %, of rates in points; those of more than 1,000 % count as 1,000 in the means.\n")
    out.append(table(["what", "metric", "kernels", "mean", "median", "90 of 100 within", "mean, signed", "worst"], rows, 2))
    cycles = [abs(c.errors[CYCLES]) for c in cases if CYCLES in c.errors]
    if cycles:
        out.append(f"Cycles: {100 * sum(e <= 10 for e in cycles) / len(cycles):.0f} % of kernels within 10 %, "
                   f"{100 * sum(e <= 18 for e in cycles) / len(cycles):.0f} % within 18 %.\n")
    out.append("## Features and errors\n\nMean error of kernels that have a feature, and of those that have it not; "
               "worst first (difference times the root of their number).\n")
    for metric, title in MODELLED.items():
        rows = [[tag, count, percent(has), percent(others), f"{signed:+.1f}"]
                for excess, tag, count, has, others, signed in by_feature(cases, metric)[:10] if excess > 0]
        if rows:
            out.append(f"### {title}\n\n" + table(["feature", "kernels", "with it", "without", "signed"], rows))
    out.append("## Worst kernels\n")
    for metric, title in MODELLED.items():
        ranked = sorted((c for c in cases if metric in c.errors), key=lambda c: -abs(c.errors[metric]))[:worst]
        rows = [[c.name, f"{c.predicted[metric]:,.0f}", f"{c.measured[metric]:,.0f}", f"{c.errors[metric]:+.1f}",
                 " ".join(tag for tag in c.tags if tag.count(".") <= 1)[:160]] for c in ranked]
        if rows:
            out.append(f"### {title}\n\n" + table(["kernel", "predicted", "measured", "error", "features"], rows))
    if unequal:
        out.append("## Exact family: what differs\n")
        out.append(table(["kernel", "metric", "predicted", "measured"],
                         [[c.name, f"`{m}`", f"{c.predicted[m]:,.6g}", f"{c.measured[m]:,.6g}"]
                          for c in cases for m in c.unequal]))
    if missing:
        out.append("## Not counted\n\n" + "\n".join(f"- {line}" for line in missing) + "\n")
    return "\n".join(out)


def run(chosen):
    """The command."""
    known = {}
    if chosen.predicted and os.path.exists(chosen.predicted):
        with opened(chosen.predicted) as file:
            known = json.load(file)
    cases, missing = load(chosen.folders, chosen.gmsim, chosen.jobs, known)
    if not cases:
        sys.exit("explore: nothing to score: " + "; ".join(missing[:3]))
    if chosen.predicted:
        with opened(chosen.predicted, "wt") as file:
            json.dump(known, file)
    text = page(cases, missing)
    if chosen.page:
        with open(f"{HERE}/page.md", encoding="utf-8") as file:
            head = file.read()
        with open(chosen.page, "w", encoding="utf-8") as file:
            file.write(head + "\n" + text)
    else:
        print(text)
