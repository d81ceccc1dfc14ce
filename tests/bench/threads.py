#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# threads.py - what a second thread brings the interpreter: a kernel that computes, 64 blocks that
# share nothing, on one thread and on two. Where other programs use the machine, too, its clock says
# little: the processor time of the busiest thread is what a machine of two idle cores would need.
#
#   threads.py PROGRAM        what gmcc made of threads.cu
import os
import subprocess
import sys
import time


def run(threads):
    """Seconds by the clock; processor seconds of each thread, as the kernel counts them."""
    environment = dict(os.environ, GMSIM_RACES="0", GMSIM_THREADS=str(threads))
    start, used = time.monotonic(), {}
    with subprocess.Popen([sys.argv[1]], env=environment, stdout=subprocess.DEVNULL) as program:
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
    return time.monotonic() - start, sorted(used.values(), reverse=True)


print(f"{'threads':8} {'clock s':>8} {'busiest s':>10} {'all s':>8}")
best = {}
for again in range(3):
    for threads in (1, 2):
        clock, used = run(threads)
        row = (used[0], clock, sum(used))
        best[threads] = min(best.get(threads, row), row)
for threads, (busiest, clock, whole) in best.items():
    print(f"{threads:<8} {clock:8.2f} {busiest:10.2f} {whole:8.2f}")
print(f"two threads: {best[1][0] / best[2][0]:.2f} times one by the busiest's time")
