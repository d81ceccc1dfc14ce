/* SPDX-License-Identifier: MIT
 *
 * application.c - the sums of application.h. Keeps a few kilobytes a kernel and nothing a launch.
 */
#include "sim/analysis/application.h"

#include <math.h>
#include <string.h>

struct gmsim_application {
    const gmsim_gpu *gpu;
    GPtrArray *kernel;     /* gmsim_kernel_total * */
    GHashTable *by_kernel; /* gmtrace_kernel * of the trace -> gmsim_kernel_total * */
    GHashTable *by_code;   /* ... by its contents */
    GHashTable *kinds;     /* first launch of a kind -> sampled_kind *, of kinds left out in part */
    gmsim_kernel_total total;
};

/* Launches of which some were not captured. */
typedef struct sampled_kind {
    const gmsim_kernel_total *kernel;
    uint64_t captured, left_out, clocks, least, most; /* clocks of those left out */
} sampled_kind;

const char *const gmsim_kernel_metrics[] = {
    "cycles",
    "time",
    "dram.read",
    "dram.written",
    "dram.rate",
    "dram.peak",
    "l2.read",
    "l2.written",
    "l2.rate",
    "l2.peak",
    "l2.hit_rate",
    "l1.rate",
    "l1.peak",
    "l1.hit_rate",
    "shared.rate",
    "shared.peak",
    "shared.excess",
    "global.sectors",
    "atomic.sectors",
    "useful.rate",
    "useful.peak",
    "instructions",
    "threads.active",
    "load.latency",
    "occupancy.achieved",
    "executed",
    "ipc",
    NULL,
};

/* --------------------------------------------------------------------------------- same kernels */

static guint hash_kernel(gconstpointer key)
{
    const gmtrace_kernel *k = key;
    guint hash = g_str_hash(k->mangled) ^ k->instr_count;

    for (uint32_t i = 0; i < k->instr_count; i++)
        hash = hash * 31u + (guint)(k->instr[i].encoding[0] ^ k->instr[i].encoding[1] >> 32);
    return hash;
}

static gboolean same_kernel(gconstpointer left, gconstpointer right)
{
    const gmtrace_kernel *a = left, *b = right;

    if (strcmp(a->mangled, b->mangled) != 0 || strcmp(a->name, b->name) != 0 ||
        a->instr_count != b->instr_count || a->registers != b->registers ||
        a->static_shared != b->static_shared)
        return FALSE;
    for (uint32_t i = 0; i < a->instr_count; i++) {
        const gmtrace_instr *x = &a->instr[i], *y = &b->instr[i];

        if (x->pc != y->pc || x->encoding[0] != y->encoding[0] ||
            x->encoding[1] != y->encoding[1] || strcmp(x->opcode, y->opcode) != 0)
            return FALSE;
    }
    return TRUE;
}

static gmsim_kernel_total *kernel_of(gmsim_application *a, const gmtrace_kernel *kernel)
{
    gmsim_kernel_total *total = g_hash_table_lookup(a->by_kernel, kernel);

    if (total != NULL)
        return total;
    total = g_hash_table_lookup(a->by_code, kernel);
    if (total == NULL) {
        total = g_new0(gmsim_kernel_total, 1);
        total->number = a->kernel->len;
        g_ptr_array_add(a->kernel, total);
        g_hash_table_insert(a->by_code, (gpointer)kernel, total);
    }
    g_hash_table_insert(a->by_kernel, (gpointer)kernel, total);
    return total;
}

/* ----------------------------------------------------------------------------------------- sums */

/* Adds `count` 64-bit counters, so many times. */
static void add_counters(void *sum, const void *part, size_t count, uint64_t times)
{
    uint64_t *to = sum;
    const uint64_t *from = part;

    for (size_t i = 0; i < count; i++)
        to[i] += times * from[i];
}

G_STATIC_ASSERT(sizeof(gmsim_counts) % sizeof(uint64_t) == 0);
G_STATIC_ASSERT(sizeof(gmsim_l2_counts) % sizeof(uint64_t) == 0);

static void add_timing(gmsim_timing *sum, const gmsim_timing *part, uint64_t times)
{
    sum->cycles += times * part->cycles;
    sum->launch_cycles += times * part->launch_cycles;
    sum->sm_active += times * part->sm_active;
    sum->warp_active += times * part->warp_active;
    add_counters(sum->stall, part->stall, GMSIM_STALLS, times);
    sum->loads += times * part->loads;
    sum->load_cycles += times * part->load_cycles;
}

/* `dirty` is what the last launch leaves, not a sum. */
static void add_result(gmsim_result *sum, const gmsim_result *part, uint64_t times)
{
    sum->records += times * part->records;
    sum->barriers += times * part->barriers;
    add_counters(sum->row, part->row, GMSIM_ROWS * (sizeof *sum->row / sizeof(uint64_t)), times);
    add_counters(sum->degree, part->degree, GMSIM_DEGREE_BINS, times);
    add_counters(&sum->l2, &part->l2, sizeof sum->l2 / sizeof(uint64_t), times);
    sum->l2.dirty_sectors = part->l2.dirty_sectors;
    add_counters(sum->min_cycles, part->min_cycles, GMSIM_RESOURCES, times);
    for (unsigned i = 0; i < GMSIM_RESOURCES; i++) {
        if (sum->min_cycles[i] > sum->min_cycles[sum->bound])
            sum->bound = (gmsim_resource)i;
    }
    add_timing(&sum->timing, &part->timing, times);
    add_counters(&sum->executed, &part->executed, sizeof sum->executed / sizeof(uint64_t), times);
    sum->timed = sum->timed && part->timed;
    sum->unseen |= part->unseen;
    sum->truncated = sum->truncated || part->truncated;
}

uint64_t gmsim_launch_clocks(const gmsim_result *result)
{
    return result->timed                           ? result->timing.cycles
           : result->unseen & GMSIM_UNSEEN_TRAFFIC ? 0
                                                   : result->min_cycles[result->bound];
}

static uint32_t stands_for(const gmtrace_launch *launch)
{
    return (uint32_t)MAX(launch->stands_for, 1);
}

/* known: launches that are not have no place in the sum. */
static void add_launch(gmsim_kernel_total *total, uint32_t index, const gmsim_result *result,
                       gmsim_finding_kind kind, bool known)
{
    const uint64_t clocks = gmsim_launch_clocks(result);
    const uint32_t times = stands_for(result->launch);
    const bool unseen = (result->unseen & GMSIM_UNSEEN_TRAFFIC) != 0;

    if (total->sum.kernel == NULL && !(known && unseen)) {
        total->sum = *result;
        total->sum.instr = NULL;
        total->sum.instr_count = 0;
        total->sum.unsteady = 0; /* it is told of a launch's instructions */
        total->sum.unsteady_instr = NULL;
        add_result(&total->sum, result, times - 1);
    } else if (!(known && unseen)) {
        add_result(&total->sum, result, times);
    }
    total->launches += times;
    total->captured++;
    total->unknown += unseen ? times : 0;
    if (total->captured == 1 || clocks > total->longest_clocks) {
        total->longest = index;
        total->longest_clocks = clocks;
    }
    total->clocks += times * clocks;
    total->starts[result->start]++;
    total->starts[GMSIM_START_UNKNOWN] += times - 1;
    total->finding[kind].launches += times;
    total->finding[kind].clocks += times * clocks;
}

gmsim_application *gmsim_application_new(const gmsim_gpu *gpu)
{
    gmsim_application *a = g_new0(gmsim_application, 1);

    a->gpu = gpu;
    a->kernel = g_ptr_array_new_with_free_func(g_free);
    a->by_kernel = g_hash_table_new(g_direct_hash, g_direct_equal);
    a->by_code = g_hash_table_new(hash_kernel, same_kernel);
    a->kinds = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    return a;
}

void gmsim_application_free(gmsim_application *a)
{
    if (a == NULL)
        return;
    g_hash_table_unref(a->by_kernel);
    g_hash_table_unref(a->by_code);
    g_hash_table_unref(a->kinds);
    g_ptr_array_unref(a->kernel);
    g_free(a);
}

static void add_sampled(gmsim_application *a, const gmsim_kernel_total *kernel,
                        const gmsim_result *result)
{
    const uint64_t clocks = gmsim_launch_clocks(result);
    const uint32_t more = stands_for(result->launch) - 1;
    gpointer key = GUINT_TO_POINTER(result->launch->like + 1);
    sampled_kind *kind = g_hash_table_lookup(a->kinds, key);

    if (kind == NULL && more == 0 && result->launch->captured <= 1)
        return;
    if (kind == NULL) {
        kind = g_new0(sampled_kind, 1);
        *kind = (sampled_kind){.kernel = kernel, .least = clocks, .most = clocks};
        g_hash_table_insert(a->kinds, key, kind);
    }
    kind->captured++;
    kind->left_out += more;
    kind->clocks += more * clocks;
    kind->least = MIN(kind->least, clocks);
    kind->most = MAX(kind->most, clocks);
}

gmsim_sampled gmsim_application_sampled(const gmsim_application *a,
                                        const gmsim_kernel_total *kernel)
{
    gmsim_sampled sum = {0};
    GHashTableIter at;
    gpointer value;

    g_hash_table_iter_init(&at, a->kinds);
    while (g_hash_table_iter_next(&at, NULL, &value)) {
        const sampled_kind *kind = value;

        if (kind->left_out == 0 || (kernel != NULL && kind->kernel != kernel))
            continue;
        sum.launches += kind->left_out;
        sum.clocks += kind->clocks;
        sum.least += kind->left_out * kind->least;
        sum.most += kind->left_out * kind->most;
        sum.alone += kind->captured == 1 ? kind->left_out : 0;
        sum.alone_kinds += kind->captured == 1;
    }
    return sum;
}

const gmsim_kernel_total *gmsim_application_add(gmsim_application *a, uint32_t index,
                                                const gmsim_result *result)
{
    gmsim_kernel_total *kernel = kernel_of(a, result->kernel);
    gmsim_verdict verdict;

    gmsim_verdict_make(a->gpu, result, &verdict);
    add_launch(kernel, index, result, verdict.finding[0].kind, false);
    add_launch(&a->total, index, result, verdict.finding[0].kind, true);
    add_sampled(a, kernel, result);
    return kernel;
}

unsigned gmsim_application_kernels(const gmsim_application *a)
{
    return a->kernel->len;
}

const gmsim_kernel_total *gmsim_application_kernel(const gmsim_application *a, unsigned number)
{
    return a->kernel->pdata[number];
}

const gmsim_kernel_total *gmsim_application_total(const gmsim_application *a)
{
    return &a->total;
}

/* ---------------------------------------------------------------------------------------- order */

bool gmsim_sort_key(const char *name, int *key)
{
    *key = GMSIM_BY_CLOCKS;
    if (name == NULL || strcmp(name, "cycles") == 0)
        return true;
    *key = strcmp(name, "launches") == 0 ? GMSIM_BY_LAUNCHES : gmsim_metric_find(name);
    return *key == GMSIM_BY_LAUNCHES || *key >= 0;
}

double gmsim_sort_value(int key, const gmsim_result *result)
{
    double value;

    if (key < 0)
        return (double)gmsim_launch_clocks(result);
    return gmsim_metric_value(result, (unsigned)key, &value) && isfinite(value) ? value : -1;
}

typedef struct ordering {
    const gmsim_application *application;
    int key;
} ordering;

static int by_value(double a, double b)
{
    return (a < b) - (a > b);
}

static gint compare_kernels(gconstpointer left, gconstpointer right, gpointer data)
{
    const ordering *order = data;
    const gmsim_kernel_total *a = order->application->kernel->pdata[*(const unsigned *)left];
    const gmsim_kernel_total *b = order->application->kernel->pdata[*(const unsigned *)right];
    int by = 0;

    if (order->key == GMSIM_BY_LAUNCHES)
        by = by_value(a->launches, b->launches);
    else if (order->key >= 0)
        by = by_value(gmsim_sort_value(order->key, &a->sum), gmsim_sort_value(order->key, &b->sum));
    if (by == 0)
        by = by_value((double)a->clocks, (double)b->clocks);
    return by != 0 ? by : (a->number > b->number) - (a->number < b->number);
}

unsigned *gmsim_application_order(const gmsim_application *a, int key)
{
    const ordering order = {.application = a, .key = key};
    unsigned *number = g_new(unsigned, a->kernel->len + 1);

    for (unsigned i = 0; i < a->kernel->len; i++)
        number[i] = i;
    g_qsort_with_data(number, (gint)a->kernel->len, sizeof *number, compare_kernels,
                      (gpointer)&order);
    return number;
}

gmsim_finding_kind gmsim_kernel_finding(const gmsim_kernel_total *kernel)
{
    unsigned most = 0;

    for (unsigned i = 1; i < GMSIM_FINDING_COUNT; i++) {
        if (kernel->finding[i].clocks > kernel->finding[most].clocks ||
            (kernel->finding[i].clocks == kernel->finding[most].clocks &&
             kernel->finding[i].launches > kernel->finding[most].launches))
            most = i;
    }
    return (gmsim_finding_kind)most;
}
