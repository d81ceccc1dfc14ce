/* SPDX-License-Identifier: MIT
 *
 * occupancy_unit.c - occupancy against NVIDIA's cuda_occupancy.h, against an H200 where a sweep of
 * it is at hand, and at the edges.
 */
#include <stdio.h>
#include <string.h>

#include "sim/model/occupancy.h"

/* One row of a table: numbers by column name, "-" as UINT32_MAX. */
typedef struct row {
    char **name;
    char **value;
    unsigned line;
} row;

static int64_t column(const row *r, const char *name)
{
    for (unsigned i = 0; r->name[i] && r->value[i]; i++)
        if (!strcmp(r->name[i], name)) {
            gint64 value;
            if (!strcmp(r->value[i], "-"))
                return UINT32_MAX;
            if (!g_ascii_string_to_signed(r->value[i], 10, -1, UINT32_MAX, &value, NULL))
                g_error("line %u: %s: '%s' is not a number", r->line, name, r->value[i]);
            return value;
        }
    g_error("line %u: no column %s", r->line, name);
}

static uint32_t number(const row *r, const char *name)
{
    return (uint32_t)column(r, name);
}

/* Calls visit for each row; returns false where there is no such file. */
static bool each_row(const char *path, void (*visit)(const row *, gpointer), gpointer data)
{
    g_autofree char *full = g_build_filename(g_getenv("GMSIM_SRCDIR"), path, NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(full, &text, NULL, NULL))
        return false;
    g_auto(GStrv) line = g_strsplit(g_strchomp(text), "\n", -1);
    g_auto(GStrv) name = NULL;
    for (unsigned i = 0; line[i]; i++) {
        if (*line[i] == '#')
            continue;
        g_auto(GStrv) value = g_strsplit(line[i], ",", -1);
        if (name) {
            const row r = {name, value, i + 1};
            visit(&r, data);
        } else {
            name = g_steal_pointer(&value);
        }
    }
    return true;
}

static gmsim_demand demand_of(const row *r)
{
    return (gmsim_demand){.threads = number(r, "block"),
                          .registers = number(r, "registers"),
                          .shared_config = UINT32_MAX,
                          .carveout_percent = (int32_t)column(r, "carveout_percent")};
}

/* Says which row it was before g_assert stops everything. */
#define SAME(r, what, ours, theirs)                                                                \
    do {                                                                                           \
        if ((ours) != (theirs))                                                                    \
            g_test_message("line %u: " what, (r)->line);                                           \
        g_assert_cmpuint(ours, ==, theirs);                                                        \
    } while (0)

/* ------------------------------------------------------------------- against cuda_occupancy.h */

typedef struct comparison {
    gmsim_gpu gpu;
    unsigned rows;
} comparison;

static void compare_with_header(const row *r, gpointer data)
{
    comparison *c = data;
    if (number(r, "cc") != c->gpu.gpu_cc_major * 10 + c->gpu.gpu_cc_minor)
        return;
    c->rows++;
    gmsim_demand demand = demand_of(r);
    gmsim_occupancy ours;
    demand.static_shared = number(r, "static");
    demand.dynamic_shared = number(r, "dynamic");
    demand.barriers = number(r, "barriers");
    gmsim_occupancy_compute(&c->gpu, &demand, &ours);
    SAME(r, "blocks", ours.blocks, number(r, "blocks"));
    SAME(r, "limit_warps", ours.limit_warps, number(r, "limit_warps"));
    SAME(r, "limit_registers", ours.limit_registers, number(r, "limit_registers"));
    SAME(r, "limit_barriers", ours.limit_barriers, number(r, "limit_barriers"));
    SAME(r, "registers_per_block", ours.registers_per_block, number(r, "registers_per_block"));
    SAME(r, "shared_per_block", ours.shared_per_block, number(r, "shared_per_block"));

    uint32_t limiters = 0, blocks = number(r, "blocks");
    limiters |= number(r, "limit_warps") == blocks ? GMSIM_LIMIT_WARPS : 0u;
    limiters |= c->gpu.occupancy_blocks_per_sm == blocks ? GMSIM_LIMIT_BLOCKS : 0u;
    limiters |= number(r, "limit_registers") == blocks ? GMSIM_LIMIT_REGISTERS : 0u;
    limiters |= number(r, "limit_shared") == blocks ? GMSIM_LIMIT_SHARED : 0u;
    limiters |= number(r, "limit_barriers") == blocks ? GMSIM_LIMIT_BARRIERS : 0u;
    SAME(r, "limiters", ours.limiters, limiters);

    /* The header divides the carve-out that can be had, gmsim the one that was chosen. They are one
     * when the largest is chosen; with a preference the driver may choose more (carveout.c), which
     * adds no CTA. */
    if (demand.carveout_percent < 0) {
        demand.shared_config = c->gpu.shared_per_sm;
        gmsim_occupancy_compute(&c->gpu, &demand, &ours);
        SAME(r, "limit_shared", ours.limit_shared, number(r, "limit_shared"));
        SAME(r, "blocks with the largest carve-out", ours.blocks, blocks);
    } else {
        g_assert_cmpuint(ours.limit_shared, >=, number(r, "limit_shared"));
    }
}

static void test_header(gconstpointer name)
{
    GError *error = NULL;
    comparison c = {.rows = 0};
    gmsim_gpu_load(&c.gpu, name, &error);
    g_assert_no_error(error);
    g_assert_true(each_row("tests/data/occupancy-header.csv", compare_with_header, &c));
    g_assert_cmpuint(c.rows, >=, 600);
}

/* ---------------------------------------------------------------------------- against an H200 */

static void compare_with_h200(const row *r, gpointer data)
{
    comparison *c = data;
    c->rows++;
    gmsim_demand demand = demand_of(r);
    gmsim_occupancy ours;
    demand.static_shared = number(r, "static_shared");
    demand.dynamic_shared = number(r, "dynamic_shared");
    gmsim_occupancy_compute(&c->gpu, &demand, &ours);
    SAME(r, "blocks_per_sm", ours.blocks, number(r, "blocks_per_sm"));
}

static void test_h200(void)
{
    GError *error = NULL;
    comparison c = {.rows = 0};
    gmsim_gpu_load(&c.gpu, "h200", &error);
    g_assert_no_error(error);
    if (each_row("validate/measured/h200/occupancy.csv", compare_with_h200, &c))
        g_assert_cmpuint(c.rows, >=, 500);
    else
        g_test_skip("validate/measured/h200/occupancy.csv is not there");
}

/* ------------------------------------------------------------------------------- by hand, edges */

static gmsim_occupancy h200(uint32_t threads, uint32_t registers, uint32_t shared, uint32_t config)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    gmsim_occupancy result;
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    const gmsim_demand demand = {.threads = threads,
                                 .registers = registers,
                                 .static_shared = shared,
                                 .barriers = 1,
                                 .shared_config = config,
                                 .carveout_percent = -1};
    gmsim_occupancy_compute(&gpu, &demand, &result);
    return result;
}

/* 168 registers are 5,376 a warp: three warps in each of four sub-partitions, not 12.19 in all. */
static void test_registers(void)
{
    gmsim_occupancy o = h200(32, 168, 0, UINT32_MAX);
    g_assert_cmpuint(o.blocks, ==, 12);
    g_assert_cmpuint(o.limiters, ==, GMSIM_LIMIT_REGISTERS);
    g_assert_cmpfloat(o.theoretical_pct, ==, 18.75);
}

static void test_carveout(void)
{
    /* The driver's, where the trace has it: what Nsight Compute divides. */
    gmsim_occupancy o = h200(1024, 16, 0, 8192);
    g_assert_cmpuint(o.limit_shared, ==, 8);
    g_assert_cmpuint(o.blocks, ==, 2);
    g_assert_cmpuint(o.limiters, ==, GMSIM_LIMIT_WARPS);
    g_assert_cmpuint(o.l1_bytes, ==, 240 * 1024); /* 8 KiB serve neither */
    /* It holds exactly the CTAs that warps admit: shared memory could be had, and limits nothing.
     */
    o = h200(256, 16, 0, 8192);
    g_assert_cmpuint(o.limit_shared, ==, 8);
    g_assert_cmpuint(o.limiters, ==, GMSIM_LIMIT_WARPS);
    /* It holds fewer: then it does. */
    o = h200(128, 16, 0, 8192);
    g_assert_cmpuint(o.blocks, ==, 8);
    g_assert_cmpuint(o.limiters, ==, GMSIM_LIMIT_SHARED);
    /* One that cannot be: too small for a CTA, or another GPU's. The rule takes over. */
    o = h200(128, 16, 40 * 1024, 8192);
    g_assert_cmpuint(o.blocks, ==, 5);
    g_assert_cmpuint(o.shared_config, ==, 228 * 1024);
    g_assert_cmpuint(o.l1_bytes, ==, 20 * 1024);
    o = h200(1024, 16, 0, 300 * 1024);
    g_assert_cmpuint(o.shared_config, ==, 8 * 1024);
    /* The rule never costs a CTA. */
    for (uint32_t shared = 0; shared < 48 * 1024; shared += 640)
        for (uint32_t threads = 32; threads <= 1024; threads += 96) {
            gmsim_occupancy ruled = h200(threads, 24, shared, UINT32_MAX);
            gmsim_occupancy most = h200(threads, 24, shared, 228 * 1024);
            g_assert_cmpuint(ruled.blocks, ==, most.blocks);
            g_assert_cmpuint(ruled.limiters, ==, most.limiters);
            g_assert_cmpuint(ruled.shared_config, <=, most.shared_config);
        }
}

/* Demands that only a damaged or foreign trace makes: no CTA fits, and nothing overflows. */
static void test_absurd(void)
{
    g_assert_cmpuint(h200(1025, 16, 0, UINT32_MAX).blocks, ==, 0);
    g_assert_cmpuint(h200(UINT32_MAX, 16, 0, UINT32_MAX).blocks, ==, 0);
    g_assert_cmpuint(h200(32, 257, 0, UINT32_MAX).limiters, ==, GMSIM_LIMIT_REGISTERS);
    g_assert_cmpuint(h200(32, UINT32_MAX, 0, UINT32_MAX).blocks, ==, 0);
    g_assert_cmpuint(h200(32, 0x08000001, 0, UINT32_MAX).blocks, ==, 0);
    g_assert_cmpuint(h200(32, 16, 227 * 1024, UINT32_MAX).blocks, ==, 1);
    gmsim_occupancy o = h200(32, 16, 227 * 1024 + 1, UINT32_MAX);
    g_assert_cmpuint(o.limit_shared, ==, 0);
    g_assert_cmpuint(o.limiters, ==, GMSIM_LIMIT_SHARED);
    o = h200(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
    g_assert_cmpuint(o.blocks, ==, 0);
    g_assert_cmpuint(o.warps, ==, 0);
    g_assert_cmpuint(o.limiters, ==,
                     GMSIM_LIMIT_WARPS | GMSIM_LIMIT_REGISTERS | GMSIM_LIMIT_SHARED);
    g_assert_cmpuint(h200(0, 0, 0, UINT32_MAX).warps_per_block, ==, 1);
}

int main(int argc, char **argv)
{
    static const char *const gpus[] = {"h200", "h100", "a100", "rtx4090", "rtx3090", "v100"};
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(gpus); i++) {
        g_autofree char *path = g_strconcat("/occupancy/header/", gpus[i], NULL);
        g_test_add_data_func(path, gpus[i], test_header);
    }
    g_test_add_func("/occupancy/h200", test_h200);
    g_test_add_func("/occupancy/registers", test_registers);
    g_test_add_func("/occupancy/carveout", test_carveout);
    g_test_add_func("/occupancy/absurd", test_absurd);
    return g_test_run();
}
