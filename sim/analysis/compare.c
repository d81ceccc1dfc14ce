/* SPDX-License-Identifier: MIT
 *
 * compare.c - the numbers of `gmsim compare`: quantities of two launches, the predicted speed-up,
 * and which instruction of one is which of the other. Leaves out why: a changed count is stated
 * beside a changed time, not made its cause.
 */
#include "sim/analysis/compare.h"

#include <math.h>
#include <string.h>

#include "sim/analysis/rows.h"

/* In report order. */
static const char *const keys[] = {
    "cycles",
    "time",
    "load.latency",
    "shared.wavefronts",
    "shared.per_request",
    "shared.excess",
    "global.sectors",
    "global.per_request",
    "local.sectors",
    "atomic.sectors",
    "l1.hit_rate",
    "l2.read",
    "l2.written",
    "l2.hit_rate",
    "dram.read",
    "dram.written",
    "instructions",
    "executed",
    "ipc",
    "registers",
    "shared.per_block",
    "occupancy",
    "occupancy.achieved",
};

static double value_of(const gmsim_result *result, const char *name)
{
    double value;

    return gmsim_metric_named(result, name, &value) && isfinite(value) ? value : (double)NAN;
}

/* Counts that are 0 on both sides are of nothing that the kernels do. */
static bool says_something(const gmsim_quantity_pair *q)
{
    if (q->metric->unit == GMSIM_UNIT_PERCENT)
        return !isnan(q->value[0]) || !isnan(q->value[1]);
    return q->value[0] > 0 || q->value[1] > 0;
}

static void make_quantities(gmsim_comparison_of_two *c)
{
    c->quantity = g_array_new(FALSE, FALSE, sizeof(gmsim_quantity_pair));
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++) {
        gmsim_quantity_pair pair = {.metric = &gmsim_metrics[gmsim_metric_find(keys[i])]};

        for (unsigned s = 0; s < 2; s++)
            pair.value[s] = value_of(c->side[s].result, keys[i]);
        pair.delta = pair.value[1] - pair.value[0];
        pair.ratio = pair.value[0] > 0 ? pair.value[1] / pair.value[0] : (double)NAN;
        if (says_something(&pair))
            g_array_append_val(c->quantity, pair);
    }
}

static void make_speedup(gmsim_comparison_of_two *c)
{
    const gmsim_result *a = c->side[0].result, *b = c->side[1].result;
    const char *what;
    double to;

    c->by_time = a->timing.clock_mhz != b->timing.clock_mhz;
    what = c->by_time ? "time" : "cycles";
    to = value_of(b, what);
    c->speedup = to > 0 ? value_of(a, what) / to : (double)NAN;
}

/* --------------------------------------------------------------------------------- instructions */

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
    g_array_free(compare->quantity, TRUE);
    g_array_free(compare->instr, TRUE);
}

bool gmsim_compare_value(const gmsim_comparison_of_two *compare, unsigned side, const char *key,
                         double *value)
{
    *value =
        strcmp(key, "speedup") == 0 ? compare->speedup : value_of(compare->side[side].result, key);
    return !isnan(*value);
}

const gmsim_quantity_pair *gmsim_compare_find(const gmsim_comparison_of_two *compare,
                                              const char *key)
{
    for (unsigned i = 0; i < compare->quantity->len; i++) {
        const gmsim_quantity_pair *q = &g_array_index(compare->quantity, gmsim_quantity_pair, i);

        if (strcmp(q->metric->key, key) == 0)
            return q;
    }
    return NULL;
}

const char *gmsim_compare_word(const gmsim_quantity_pair *quantity)
{
    if (isnan(quantity->delta))
        return "";
    if (!(quantity->delta < 0) && !(quantity->delta > 0))
        return "=";
    if (quantity->metric->better == 0)
        return "";
    return (quantity->delta > 0) == (quantity->metric->better > 0) ? "better" : "worse";
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
