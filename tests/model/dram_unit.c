/* SPDX-License-Identifier: MIT
 *
 * dram_unit.c - how long accesses wait for refreshes does not depend on the distance from one to
 * the next: a walk by equal steps, each as long as an access takes, meets as many as random
 * accesses do.
 */
#include "sim/model/cache/dram.h"

#include <glib.h>

static void test_refresh_steps(void)
{
    static gmsim_dram dram;
    gmsim_gpu gpu;
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    gmsim_dram_begin(&dram, &gpu);
    const double period = gpu.dram_refresh_period, clocks = gpu.dram_refresh_clocks;
    const double expected = clocks * clocks / (2 * period);
    for (uint64_t step = gpu.dram_refresh_lines; step <= 1u << 14; step *= 2) {
        for (uint64_t latency = 600; latency <= 1000; latency += 50) {
            uint64_t waited = 0, accesses = 0;
            for (uint64_t walk = 0; walk < 32; walk++) {
                uint64_t now = 4096, line = walk * 977;
                for (unsigned turn = 0; turn < 256; turn++, line += step, accesses++) {
                    uint64_t wait = gmsim_dram_refresh_wait(&dram, line, now);
                    waited += wait;
                    now += latency + wait;
                }
            }
            double mean = (double)waited / (double)accesses;
            if (mean < 0.7 * expected || mean > 1.4 * expected)
                g_error(
                    "steps of %u lines, %u clocks each: wait %.0f clocks for refreshes, not %.0f",
                    (unsigned)step, (unsigned)latency, mean, expected);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dram/refresh-steps", test_refresh_steps);
    return g_test_run();
}
