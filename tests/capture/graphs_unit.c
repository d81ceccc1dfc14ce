/* SPDX-License-Identifier: MIT
 *
 * graphs_unit.c - kernels of a CUDA graph, which run as the card likes: which launch each record
 * belongs to, and when a launch is over.
 */
#include "tests/capture/card.h"

static const gmtrace_instr table[] = {
    INSTR(0, "LDG.E", GMTRACE_CLASS_LOAD),
    INSTR(16, "REDG.E", GMTRACE_CLASS_REDUCTION),
    INSTR(32, "LDS", GMTRACE_CLASS_LOAD),
};
static const gmc_range range = {0, G_N_ELEMENTS(table), 0};
static const gmc_code code = {table, G_N_ELEMENTS(table), &range, 1};

enum { NODES = 5 }; /* two stretches: kernels 0, 2, 4 and 1; 3 is never run */

static struct {
    gmtrace_writer *writer;
    gmc_graph_kernel kernel[NODES];
    gmc_result result[NODES];
    uint32_t dynamic_shared[NODES], opened[NODES], count;
} graph;

static gmc_graph_kernel *graph_kernel(uint32_t number)
{
    return number < NODES ? &graph.kernel[number] : NULL;
}

static bool open_graph_launch(uint32_t number, uint32_t dynamic_shared, gmc_job *job)
{
    const gmtrace_launch launch = {.grid = {number + 1, 1, 1},
                                   .block = {32, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .carveout_percent = -1,
                                   .ordinal = number};
    gmtrace_error error = {0};
    graph.opened[graph.count++] = number;
    graph.dynamic_shared[number] = dynamic_shared;
    *job = (gmc_job){.writer = graph.writer, .code = &code, .threads = 32};
    return gmtrace_writer_begin_launch(graph.writer, &launch, &error);
}

static void close_graph_launch(uint32_t number, const gmc_result *result)
{
    gmtrace_error error = {0};
    graph.result[number] = *result;
    g_assert_true(gmtrace_writer_end_launch(graph.writer, &error));
}

/* One report of a kernel in its stretch; the pc counts from the graph's first kernel. */
static void graph_put(card *at, unsigned stretch, uint32_t number, uint32_t event, uint32_t cta)
{
    gmc_cell cell = {.cta = cta,
                     .pc = (uint32_t)graph.kernel[number].entry,
                     .mask = UINT32_MAX,
                     .mark = GMC_MARK(event, GMC_AFFINE, 0) | stretch << 16};
    if (event == GMC_ENTER) {
        cell.address = graph.kernel[number].shape;
        cell.aux = 100 * number;
    } else if (event == GMC_GLOBAL) {
        cell.aux = 4 | 1 << 8;
    }
    card_put(at, cell, NULL, 0);
}

static void graph_run(card *at, unsigned stretch, uint32_t number)
{
    graph_put(at, stretch, number, GMC_GLOBAL, 0); /* CTA 0 may tell late */
    graph_put(at, stretch, number, GMC_ENTER, 0);
    for (uint32_t cta = 0; cta <= number; cta++) {
        graph_put(at, stretch, number, GMC_GLOBAL, cta);
        graph_put(at, stretch, number, GMC_EXIT, cta);
    }
}

/* Kernels 0 and 2 are one function's, with other grids. Kernel 1 runs beside 0, ends after 2 has
 * begun and before it ends; 4 is not captured. */
static void test_graph(void)
{
    const gmc_turn_calls calls = {graph_kernel, open_graph_launch, close_graph_launch, 1 << 20};
    memset(&graph, 0, sizeof graph);
    for (uint32_t i = 0; i < NODES; i++)
        graph.kernel[i] = (gmc_graph_kernel){.entry = i == 2 ? 0 : -1000 * (int32_t)i,
                                             .length = 3,
                                             .shape = GMC_SHAPE(i + 1, 1, 1, 32, 1, 1),
                                             .threads = 32,
                                             .ctas = i + 1,
                                             .captured = i != 4};
    card *at = card_open(table, G_N_ELEMENTS(table));
    graph.writer = at->writer;
    g_assert_true(gmc_consumer_start_graph(at->consumer, &calls));
    graph_put(at, 1, 1, GMC_ENTER, 0);
    graph_put(at, 1, 1, GMC_GLOBAL, 1);
    graph_run(at, 4, 0);
    graph_run(at, 4, 2);
    graph_put(at, 1, 1, GMC_EXIT, 1);
    graph_put(at, 1, 1, GMC_EXIT, 0);
    graph_run(at, 4, 4);
    graph_put(at, 3, 0, GMC_GLOBAL, 0); /* of a kernel that has run */
    g_assert_cmpuint(card_finish(at).odd, ==, 1);

    const uint32_t order[] = {1, 0, 2}, records[] = {2, 1, 4};
    g_assert_cmpuint(graph.count, ==, G_N_ELEMENTS(order));
    g_assert_false(graph.kernel[3].begun);
    gmtrace_reader *reader = card_read(at);
    for (uint32_t i = 0; i < graph.count; i++) {
        const gmtrace_launch *launch = gmtrace_get_launch(reader, i);
        g_assert_cmpuint(launch->ordinal, ==, order[i]);
        g_assert_true(launch->complete);
        g_assert_cmpuint(launch->records, ==, records[order[i]]);
        g_assert_true(graph.result[order[i]].sound);
        g_assert_cmpuint(graph.result[order[i]].unknown_pc, ==, 0);
        g_assert_cmpuint(graph.dynamic_shared[order[i]], ==, 100 * order[i]);
    }
    card_close(at);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/capture/graph", test_graph);
    return g_test_run();
}
