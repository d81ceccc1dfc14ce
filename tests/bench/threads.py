#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# threads.py - what a second thread brings the interpreter: a kernel that computes, 64 blocks that
# share nothing, on one thread and on two, by the clock, by processor time, and by host instructions
# where valgrind is installed. Where other programs use the machine, too, its clock says little: the
# processor time of the busiest thread is what a machine of two idle cores would need, and its
# instructions are the same on any.
#
#   threads.py PROGRAM        what gmcc made of threads.cu
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

FEW = "2000"  # rounds of the kernel's loop, under valgrind


def settings(threads):
    return dict(os.environ, GMSIM_RACES="0", GMSIM_THREADS=str(threads))


def run(threads):
    """Seconds by the clock; processor seconds of each thread, as the kernel counts them."""
    start, used = time.monotonic(), {}
    with subprocess.Popen([sys.argv[1]], env=settings(threads), stdout=subprocess.DEVNULL) as program:
        tasks = f"/proc/{program.pid}/task"
        while program.poll() is None:
            try:
                for task in os.listdir(tasks):
                    with open(f"{tasks}/{task}/stat") as file:
                        fields = file.read().rsplit(")", 1)[1].split()
                    used[task] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            except OSError:
                pass  # a thread that has just ended
            time.sleep(0.02)
    if program.returncode:
        sys.exit(f"threads.py: {sys.argv[1]} failed")
    return time.monotonic() - start, max(used.values()), sum(used.values())


def instructions(threads):
    """Of the busiest thread, in millions."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--separate-threads=yes", "--fair-sched=try",
                        f"--callgrind-out-file={folder}/out", sys.argv[1], FEW], env=settings(threads),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return max(int(found[1]) for path in pathlib.Path(folder).iterdir()
                   for found in [re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.M)] if found) / 1e6


print(f"{'threads':8} {'clock s':>8} {'busiest s':>10} {'all s':>8}")
best = {}
for again in range(3):
    for threads in (1, 2):
        now = run(threads)
        best[threads] = tuple(map(min, best.get(threads, now), now))
for threads, (clock, busiest, whole) in best.items():
    print(f"{threads:<8} {clock:8.2f} {busiest:10.2f} {whole:8.2f}")
print(f"two threads: {best[1][0] / best[2][0]:.2f} times one by the clock, {best[1][1] / best[2][1]:.2f} times by the"
      " busiest's processor time")
if shutil.which("valgrind"):
    one, two = instructions(1), instructions(2)
    print(f"             {one / two:.2f} times by the busiest's instructions: {one:.0f} and {two:.0f} million")
