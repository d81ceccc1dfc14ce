/* SPDX-License-Identifier: MIT
 *
 * validate_occupancy.c - occupancy against every measured launch: from what ncu says a launch asked
 * for, the limits and the theoretical occupancy that ncu says it had. Needs no trace. The limit by
 * shared memory depends on the carve-out that the driver chose, and is compared where that was
 * measured.
 *
 * Without arguments, reads the tables of validate/measured/h200.
 */
#include "sim/model/occupancy.h"
#include "sim/measured/measured.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *metric;
    size_t offset; /* in gmsim_occupancy */
} limits[] = {
    {"launch__occupancy_limit_warps", G_STRUCT_OFFSET(gmsim_occupancy, limit_warps)},
    {"launch__occupancy_limit_blocks", G_STRUCT_OFFSET(gmsim_occupancy, limit_blocks)},
    {"launch__occupancy_limit_registers", G_STRUCT_OFFSET(gmsim_occupancy, limit_registers)},
    {"launch__occupancy_limit_shared_mem", G_STRUCT_OFFSET(gmsim_occupancy, limit_shared)},
    {"launch__shared_mem_per_block_allocated", G_STRUCT_OFFSET(gmsim_occupancy, shared_per_block)},
};

static const char *const tables[] = {"exact.csv", "modelled.csv", "samples.csv"};

static gmsim_cell cell(const gmsim_measured *measured, const gmsim_measured_row *row,
                       const char *metric)
{
    return gmsim_measured_cell(row, gmsim_measured_column(measured, metric));
}

static bool number(const gmsim_measured *measured, const gmsim_measured_row *row,
                   const char *metric, uint32_t *value)
{
    gmsim_cell found = cell(measured, row, metric);

    if (found.state != GMSIM_CELL_NUMBER)
        return false;
    *value = (uint32_t)found.value;
    return true;
}

/* Compares one launch; returns how many values were compared, and counts those that differ. */
static unsigned compare(const gmsim_gpu *gpu, const gmsim_measured *measured,
                        const gmsim_measured_row *row, unsigned *differ)
{
    gmsim_demand demand = {
        .barriers = 1, .shared_config = UINT32_MAX, .carveout_percent = -1, .threads = 0};
    gmsim_occupancy occupancy;
    gmsim_cell theoretical = cell(measured, row, "sm__maximum_warps_per_active_cycle_pct");
    unsigned compared = 0;

    if (!number(measured, row, "launch__block_size", &demand.threads) ||
        !number(measured, row, "launch__registers_per_thread", &demand.registers) ||
        !number(measured, row, "launch__shared_mem_per_block_static", &demand.static_shared) ||
        !number(measured, row, "launch__shared_mem_per_block_dynamic", &demand.dynamic_shared))
        return 0;
    number(measured, row, "launch__shared_mem_config_size", &demand.shared_config);
    gmsim_occupancy_compute(gpu, &demand, &occupancy);
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        uint32_t want, got = G_STRUCT_MEMBER(uint32_t, &occupancy, limits[i].offset);

        if (!number(measured, row, limits[i].metric, &want))
            continue;
        if (limits[i].offset == G_STRUCT_OFFSET(gmsim_occupancy, limit_shared) &&
            demand.shared_config == UINT32_MAX)
            continue;
        compared++;
        if (got == want)
            continue;
        (*differ)++;
        printf("# %s:%" G_GUINT64_FORMAT ": %s: %s: predicted %u, measured %u\n", row->path,
               row->line, row->label != NULL ? row->label : row->kernel, limits[i].metric, got,
               want);
    }
    if (theoretical.state == GMSIM_CELL_NUMBER) {
        compared++;
        if (fabs(occupancy.theoretical_pct - theoretical.value) > 0.005 + 1e-9) {
            (*differ)++;
            printf("# %s:%" G_GUINT64_FORMAT ": %s: theoretical occupancy: predicted %.4f, "
                   "measured %.4f\n",
                   row->path, row->line, row->label != NULL ? row->label : row->kernel,
                   occupancy.theoretical_pct, theoretical.value);
        }
    }
    return compared;
}

int main(int argc, char **argv)
{
    const char *top = g_getenv("GMSIM_SRCDIR");
    gmsim_measured *measured = gmsim_measured_new();
    GError *error = NULL;
    gmsim_gpu gpu;
    unsigned files = 0, launches = 0, compared = 0, differ = 0;

    puts("1..1");
    if (!gmsim_gpu_load(&gpu, "h200", &error)) {
        printf("Bail out! %s\n", error->message);
        return 1;
    }
    for (size_t i = 0; i < (argc > 1 ? (size_t)argc - 1 : G_N_ELEMENTS(tables)); i++) {
        char *path = argc > 1 ? g_strdup(argv[i + 1])
                              : g_build_filename(top != NULL ? top : ".", "validate", "measured",
                                                 "h200", tables[i], NULL);

        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            if (!gmsim_measured_read(measured, path, &error)) {
                printf("Bail out! %s\n", error->message);
                return 1;
            }
            files++;
        }
        g_free(path);
    }
    for (unsigned i = 0; i < measured->rows->len; i++) {
        unsigned values = compare(&gpu, measured, measured->rows->pdata[i], &differ);

        launches += values > 0;
        compared += values;
    }
    if (files == 0)
        puts("ok 1 - occupancy as measured # SKIP nothing is measured");
    else
        printf("%s 1 - occupancy as measured: %u values of %u launches, %u differ\n",
               compared > 0 && differ == 0 ? "ok" : "not ok", compared, launches, differ);
    gmsim_measured_free(measured);
    return 0;
}
