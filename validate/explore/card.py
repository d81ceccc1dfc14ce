# SPDX-License-Identifier: MIT
"""Compiles programs of random kernels, measures them under ncu, captures them with gmcapture."""
import concurrent.futures
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
# One process of ncu each: the counters of exact patch the program, whose launches may take longer then;
# those of one_pass would be others where the launch is repeated for more of them.
APART = "one_pass"
RUNS = (("exact",), ("modelled", "timing"), (APART,))


def fail(text):
    sys.exit(f"explore: {text}")


def programs(folder):
    found = sorted(glob.glob(f"{folder}/x*.cu"))
    if not found:
        fail(f"{folder}: holds no programs; make them with explore generate")
    return [name[:-3] for name in found]


def in_parallel(jobs, function, items):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))


def build(folder, jobs):
    """Every program of a folder, with nvcc for an H100 or H200."""
    def one(name):
        command = [os.environ.get("NVCC", "nvcc"), "-std=c++17", "-O3", "-w", "-arch=sm_90", "-I" + HERE,
                   "-o", name, name + ".cu"]
        return subprocess.run(command, check=False).returncode
    if any(in_parallel(jobs, one, programs(folder))):
        fail("nvcc failed; see above")


def metrics(families):
    """The metrics of some families."""
    names = []
    for family in families:
        with open(f"{HERE}/../metrics/{family}.txt", encoding="utf-8") as file:
            names += [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return names


def tidy(folder, wanted, logs, name):
    """What ncu wrote becomes one table, as validate/measure makes them."""
    names = f"{folder}/metrics.txt"
    with open(names, "w", encoding="utf-8") as file:
        file.write("\n".join(wanted) + "\n")
    with open(name, "w", encoding="utf-8") as file:
        subprocess.run(["awk", "-v", f"list={names}", "-f", f"{HERE}/../csv.awk", "-f", f"{HERE}/../tidy.awk"] + logs,
                       check=True, stdout=file, env={**os.environ, "LC_ALL": "C"})


def profile(name, wanted, log):
    """All kernels of a program in one process of ncu."""
    status = subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "all", "--replay-mode", "kernel",
                             "--csv", "--page", "raw", "--print-units", "base", "-k", "regex:seed_",
                             "--metrics", ",".join(wanted), "--log-file", log, os.path.abspath(name), "run", "all"],
                            check=False, stdout=subprocess.DEVNULL).returncode
    if status:
        print(f"explore: {name}: ncu ended with {status}", file=sys.stderr)


def measure(folder, jobs, gmcapture):
    """All that is measured, nothing beside it on the card; then traces, several at a time."""
    cases, tables = [], []
    for name in programs(folder):
        listed = subprocess.run([os.path.abspath(name), "list"], check=False, capture_output=True, text=True)
        if listed.returncode:
            fail(f"{name}: cannot be run; compile it with explore build")
        cases += [(name, case) for case in listed.stdout.split()]
    apart = metrics((APART,))
    for number, families in enumerate(RUNS):
        wanted = metrics(families)
        if APART not in families:
            wanted = [metric for metric in wanted if metric not in apart]
        logs = []
        for name in programs(folder):
            logs.append(f"{name}.ncu{number}.csv")
            profile(name, wanted, logs[-1])
        tables.append(f"{folder}/run{number}.csv")
        tidy(folder, wanted, logs, tables[-1])
    with open(f"{folder}/measured.csv", "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, f"{HERE}/../median.py"] + tables, check=True, stdout=file)

    def capture(case):
        name, kernel = case
        return subprocess.run([gmcapture, "-o", f"{folder}/{kernel}.trc", "-k", "seed_", "--", os.path.abspath(name),
                               "run", kernel], check=False, capture_output=True).returncode
    failed = sum(status != 0 for status in in_parallel(jobs, capture, cases))
    if failed:
        fail(f"{failed} of {len(cases)} kernels were not captured")
