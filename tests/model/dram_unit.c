/* SPDX-License-Identifier: MIT
 *
 * dram_unit.c - how long accesses wait for refreshes does not depend on the distance from one to
 * the next: a walk by equal steps, each as long as an access takes, meets as many as random
 * accesses do. Lines of rows that are not in use take DRAM as long as on an H200.
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

/* Bytes' time of an access to a row of its own. */
static double taken(const gmsim_gpu *gpu, gmsim_l2_cost cost)
{
    static gmsim_dram dram;
    enum { ACCESSES = 10000 };
    gmsim_dram_begin(&dram, gpu);
    gmsim_dram_take(&dram, cost, 0, 0, 0);
    gmsim_dram_step(&dram, 1); /* it learns that nothing is read beside, or nothing written */
    const uint64_t before = dram.queue.work;
    for (uint64_t i = 1; i <= ACCESSES; i++)
        gmsim_dram_take(&dram, cost, i * gpu->dram_row_lines, 0, 0);
    return (double)(dram.queue.work - before) / ACCESSES;
}

/* Measured bytes a clock: micro-dram_rows.csv, 256 rows. */
static void test_rows(void)
{
    gmsim_gpu gpu;
    g_assert_true(gmsim_gpu_load(&gpu, "h200", NULL));
    const double rate = gpu.dram_bytes_per_clock;
    const struct {
        gmsim_l2_cost cost;
        double measured, least, most;
    } row[] = {
        {{.read = 4}, 128 * rate / 2139, 0.9, 1.05},
        {{.written = 4}, 128 * rate / 1826, 0.95, 1.1},
        {{.written = 1}, 32 * rate / 522, 0.9, 1.1},
        {{.read = 1}, 32 * rate / 601, 0.75, 1.05},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
        const double part = taken(&gpu, row[i].cost) / row[i].measured;
        if (part < row[i].least || part > row[i].most)
            g_error("row %u: %.2f of the time measured", (unsigned)i, part);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dram/refresh-steps", test_refresh_steps);
    g_test_add_func("/dram/rows", test_rows);
    return g_test_run();
}
