/* SPDX-License-Identifier: MIT
 *
 * compare.c - the numbers of `gmsim compare`: quantities of two launches, the predicted speed-up,
 * and which instruction of one is which of the other. Leaves out why: a changed count is stated
 * beside a changed time, not made its cause.
 */
#include "sim/analysis/compare.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/pattern.h"

static uint64_t sum_work(const gmsim_result *result, bool (*belongs)(gmsim_row), bool excess)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        gmsim_row row = (gmsim_row)i;

        if (belongs(row))
            sum +=
                excess ? gmsim_work_excess(row, &result->row[i]) : gmsim_work(row, &result->row[i]);
    }
    return sum;
}

static uint64_t sum_requests(const gmsim_result *result, bool (*belongs)(gmsim_row))
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++) {
        if (belongs((gmsim_row)i))
            sum += result->row[i].requests;
    }
    return sum;
}

static bool put_ratio(uint64_t part, uint64_t whole, double *value)
{
    *value = whole > 0 ? (double)part / (double)whole : 0;
    return whole > 0;
}

typedef bool (*getter)(const gmsim_result *result, double *value);

static bool instructions(const gmsim_result *result, double *value)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < GMSIM_ROWS; i++)
        sum += i == GMSIM_SHARED_COPY ? 0 : result->row[i].instructions;
    *value = (double)sum;
    return true;
}

static bool shared_wavefronts(const gmsim_result *result, double *value)
{
    *value = (double)sum_work(result, gmsim_row_is_shared, false);
    return true;
}

static bool shared_excess(const gmsim_result *result, double *value)
{
    *value = (double)sum_work(result, gmsim_row_is_shared, true);
    return true;
}

static bool shared_per_request(const gmsim_result *result, double *value)
{
    return put_ratio(sum_work(result, gmsim_row_is_shared, false),
                     sum_requests(result, gmsim_row_is_shared), value);
}

static bool global_sectors(const gmsim_result *result, double *value)
{
    *value = (double)sum_work(result, gmsim_row_is_global, false);
    return true;
}

static bool global_per_request(const gmsim_result *result, double *value)
{
    return put_ratio(sum_work(result, gmsim_row_is_global, false),
                     sum_requests(result, gmsim_row_is_global), value);
}

static bool local_sectors(const gmsim_result *result, double *value)
{
    *value = (double)sum_work(result, gmsim_row_is_local, false);
    return true;
}

static bool atomics(const gmsim_result *result, double *value)
{
    *value = (double)(result->l2.atomic_sectors + result->l2.reduction_sectors);
    return true;
}

static bool l2_read(const gmsim_result *result, double *value)
{
    *value = (double)result->l2.read_sectors * GMSIM_SECTOR_BYTES;
    return true;
}

static bool l2_written(const gmsim_result *result, double *value)
{
    *value = (double)result->l2.write_sectors * GMSIM_SECTOR_BYTES;
    return true;
}

static bool dram_read(const gmsim_result *result, double *value)
{
    *value = (double)result->l2.dram_read_sectors * GMSIM_SECTOR_BYTES;
    return true;
}

static bool dram_written(const gmsim_result *result, double *value)
{
    *value = (double)result->l2.dram_write_sectors * GMSIM_SECTOR_BYTES;
    return true;
}

static bool load_latency(const gmsim_result *result, double *value)
{
    return result->timed && put_ratio(result->timing.load_cycles, result->timing.loads, value);
}

static bool shared_per_block(const gmsim_result *result, double *value)
{
    *value = (double)result->occupancy.shared_per_block;
    return true;
}

/* Quantities in report order; those with `metric` are ncu's, those with `get` gmsim's own. */
static const struct quantity {
    const char *key, *name, *metric;
    getter get;
    gmsim_unit unit;
    int better;
    bool only_nonzero; /* left out where both sides have 0 */
} quantities[] = {
    {"cycles", "cycles", "gpc__cycles_elapsed.max", NULL, GMSIM_UNIT_COUNT, -1, false},
    {"time", "time", "gpu__time_duration.sum", NULL, GMSIM_UNIT_NANOSECONDS, -1, false},
    {"load.latency", "clocks a load waits", NULL, load_latency, GMSIM_UNIT_RATIO, -1, true},
    {"shared.wavefronts", "shared wavefronts", NULL, shared_wavefronts, GMSIM_UNIT_COUNT, -1, true},
    {"shared.per_request", "  per request", NULL, shared_per_request, GMSIM_UNIT_RATIO, -1, true},
    {"shared.excess", "  of bank conflicts", NULL, shared_excess, GMSIM_UNIT_COUNT, -1, true},
    {"global.sectors", "global sectors", NULL, global_sectors, GMSIM_UNIT_COUNT, -1, true},
    {"global.per_request", "  per request", NULL, global_per_request, GMSIM_UNIT_RATIO, -1, true},
    {"local.sectors", "local sectors", NULL, local_sectors, GMSIM_UNIT_COUNT, -1, true},
    {"atomic.sectors", "updates in L2", NULL, atomics, GMSIM_UNIT_COUNT, -1, true},
    {"l1.hit_rate", "L1 hit rate", "l1tex__t_sector_hit_rate.pct", NULL, GMSIM_UNIT_PERCENT, 0,
     false},
    {"l2.read", "L2 -> L1 bytes", NULL, l2_read, GMSIM_UNIT_BYTES, -1, true},
    {"l2.written", "L1 -> L2 bytes", NULL, l2_written, GMSIM_UNIT_BYTES, -1, true},
    {"l2.hit_rate", "L2 hit rate", "lts__t_sector_hit_rate.pct", NULL, GMSIM_UNIT_PERCENT, 0,
     false},
    {"dram.read", "DRAM -> L2 bytes", NULL, dram_read, GMSIM_UNIT_BYTES, -1, true},
    {"dram.written", "L2 -> DRAM bytes", NULL, dram_written, GMSIM_UNIT_BYTES, -1, true},
    {"instructions", "memory instructions", NULL, instructions, GMSIM_UNIT_COUNT, -1, true},
    {"registers", "registers a thread", "launch__registers_per_thread", NULL, GMSIM_UNIT_COUNT, 0,
     true},
    {"shared.per_block", "shared memory a block", NULL, shared_per_block, GMSIM_UNIT_BYTES, 0,
     true},
    {"occupancy", "occupancy, theoretical", "sm__maximum_warps_per_active_cycle_pct", NULL,
     GMSIM_UNIT_PERCENT, 0, false},
    {"occupancy.achieved", "  achieved", "sm__warps_active.avg.pct_of_peak_sustained_active", NULL,
     GMSIM_UNIT_PERCENT, 0, false},
};
G_STATIC_ASSERT(G_N_ELEMENTS(quantities) <= GMSIM_COMPARE_QUANTITIES);

static bool metric_of(const gmsim_result *result, const char *name, double *value)
{
    int metric = gmsim_metric_find(name);

    return metric >= 0 && gmsim_metric_value(result, (unsigned)metric, value) && isfinite(*value);
}

static bool value_of(const struct quantity *q, const gmsim_result *result, double *value)
{
    return q->metric != NULL ? metric_of(result, q->metric, value) : q->get(result, value);
}

static void make_quantities(gmsim_comparison_of_two *c)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(quantities); i++) {
        const struct quantity *q = &quantities[i];
        gmsim_quantity_pair pair = {
            .key = q->key, .name = q->name, .unit = q->unit, .better = q->better};

        for (unsigned s = 0; s < 2; s++)
            pair.has[s] = value_of(q, c->side[s].result, &pair.value[s]);
        if (!pair.has[0] && !pair.has[1])
            continue;
        if (q->only_nonzero && !(pair.value[0] > 0) && !(pair.value[1] > 0))
            continue;
        c->quantity[c->count++] = pair;
    }
}

static void make_speedup(gmsim_comparison_of_two *c)
{
    const gmsim_result *a = c->side[0].result, *b = c->side[1].result;
    double from, to;
    const char *metric;

    c->by_time = a->timing.clock_mhz != b->timing.clock_mhz;
    metric = c->by_time ? "gpu__time_duration.sum" : "gpc__cycles_elapsed.max";
    c->has_speedup =
        a->timed && b->timed && metric_of(a, metric, &from) && metric_of(b, metric, &to) && to > 0;
    c->speedup = c->has_speedup ? from / to : 0;
}

/* ---------------------------------------------------------------------------------- instructions
 */

static const gmtrace_instr *code_of(const gmsim_result *result, const gmsim_instr_counts *instr)
{
    return instr->instr < result->kernel->instr_count ? &result->kernel->instr[instr->instr] : NULL;
}

static const char *tail(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool same_line(const gmsim_side side[2], const gmsim_instr_counts *a,
                      const gmsim_instr_counts *b)
{
    const gmtrace_kernel *ka = side[0].result->kernel, *kb = side[1].result->kernel;
    const gmtrace_instr *ca = code_of(side[0].result, a), *cb = code_of(side[1].result, b);

    return a->row == b->row && ca != NULL && cb != NULL && ca->line > 0 && ca->line == cb->line &&
           ca->file < ka->file_count && cb->file < kb->file_count &&
           strcmp(tail(ka->file[ca->file]), tail(kb->file[cb->file])) == 0;
}

static bool same_opcode(const gmsim_side side[2], const gmsim_instr_counts *a,
                        const gmsim_instr_counts *b)
{
    const gmtrace_instr *ca = code_of(side[0].result, a), *cb = code_of(side[1].result, b);

    return a->row == b->row && (ca == NULL || cb == NULL || g_strcmp0(ca->opcode, cb->opcode) == 0);
}

static bool same_kind(const gmsim_side side[2], const gmsim_instr_counts *a,
                      const gmsim_instr_counts *b)
{
    (void)side;
    return a->row == b->row;
}

typedef bool (*matcher)(const gmsim_side side[2], const gmsim_instr_counts *a,
                        const gmsim_instr_counts *b);

static void match_instructions(const gmsim_side side[2], matcher same, uint32_t *of_a,
                               uint8_t *b_taken)
{
    const gmsim_result *a = side[0].result, *b = side[1].result;

    for (uint32_t i = 0; i < a->instr_count; i++) {
        for (uint32_t j = 0; of_a[i] == UINT32_MAX && j < b->instr_count; j++) {
            if (!b_taken[j] && same(side, &a->instr[i], &b->instr[j])) {
                of_a[i] = j;
                b_taken[j] = 1;
            }
        }
    }
}

static int64_t work_of(const gmsim_instr_counts *instr)
{
    return instr != NULL ? (int64_t)gmsim_work(instr->row, &instr->counts) : 0;
}

static gint by_change(gconstpointer left, gconstpointer right)
{
    const gmsim_instr_pair *a = left, *b = right;
    int64_t da = ABS(a->delta), db = ABS(b->delta);
    const gmsim_instr_counts *ia = a->side[0] != NULL ? a->side[0] : a->side[1];
    const gmsim_instr_counts *ib = b->side[0] != NULL ? b->side[0] : b->side[1];

    if (da != db)
        return da < db ? 1 : -1;
    if (ia->instr != ib->instr)
        return ia->instr < ib->instr ? -1 : 1;
    return (int)ia->row - (int)ib->row;
}

static void make_instructions(gmsim_comparison_of_two *c)
{
    const gmsim_result *a = c->side[0].result, *b = c->side[1].result;
    uint32_t *of_a = g_new(uint32_t, a->instr_count + 1);
    uint8_t *b_taken = g_new0(uint8_t, b->instr_count + 1);
    static const matcher matchers[] = {same_line, same_opcode, same_kind};

    memset(of_a, 0xff, sizeof *of_a * (a->instr_count + 1));
    for (unsigned i = 0; i < G_N_ELEMENTS(matchers); i++)
        match_instructions(c->side, matchers[i], of_a, b_taken);
    c->instr = g_array_new(FALSE, FALSE, sizeof(gmsim_instr_pair));
    for (uint32_t i = 0; i < a->instr_count; i++) {
        gmsim_instr_pair pair = {.side = {&a->instr[i], NULL}};

        if (of_a[i] != UINT32_MAX)
            pair.side[1] = &b->instr[of_a[i]];
        pair.delta = work_of(pair.side[1]) - work_of(pair.side[0]);
        g_array_append_val(c->instr, pair);
    }
    for (uint32_t j = 0; j < b->instr_count; j++) {
        gmsim_instr_pair pair = {.side = {NULL, &b->instr[j]}, .delta = work_of(&b->instr[j])};

        if (!b_taken[j])
            g_array_append_val(c->instr, pair);
    }
    g_array_sort(c->instr, by_change);
    g_free(of_a);
    g_free(b_taken);
}

void gmsim_compare_make(gmsim_comparison_of_two *compare, const gmsim_side *a, const gmsim_side *b)
{
    memset(compare, 0, sizeof *compare);
    compare->side[0] = *a;
    compare->side[1] = *b;
    make_quantities(compare);
    make_speedup(compare);
    make_instructions(compare);
}

void gmsim_compare_clear(gmsim_comparison_of_two *compare)
{
    g_array_free(compare->instr, TRUE);
}

bool gmsim_compare_value(const gmsim_comparison_of_two *compare, unsigned side, const char *key,
                         double *value)
{
    if (strcmp(key, "speedup") == 0) {
        *value = compare->speedup;
        return compare->has_speedup;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(quantities); i++) {
        if (strcmp(quantities[i].key, key) == 0)
            return value_of(&quantities[i], compare->side[side].result, value);
    }
    return metric_of(compare->side[side].result, key, value);
}

const char *gmsim_compare_word(const gmsim_quantity_pair *quantity)
{
    if (!quantity->has[0] || !quantity->has[1])
        return "";
    if (!(quantity->value[0] < quantity->value[1]) && !(quantity->value[0] > quantity->value[1]))
        return "=";
    if (quantity->better == 0)
        return "";
    return (quantity->value[1] > quantity->value[0]) == (quantity->better > 0) ? "better" : "worse";
}

const char *gmsim_compare_wait(const gmsim_result *result)
{
    unsigned most = 0;

    if (!result->timed)
        return NULL;
    for (unsigned i = 1; i < GMSIM_STALLS; i++) {
        if (result->timing.stall[i] > result->timing.stall[most])
            most = i;
    }
    return result->timing.stall[most] > 0 ? gmsim_stall_name((gmsim_stall)most) : NULL;
}

const gmsim_compare_format *gmsim_compare_find(const char *name)
{
    static const gmsim_compare_format *const formats[] = {&gmsim_compare_text, &gmsim_compare_json,
                                                          &gmsim_compare_csv};

    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    }
    return NULL;
}
