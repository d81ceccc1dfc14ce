/* SPDX-License-Identifier: MIT
 *
 * graph_unit.c - blocks, edges and meeting places of small pieces of code, worked out by hand; and
 * post-dominators of random ones, against their definition.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/graph.h"

#define NONE GMT_NO_BLOCK

/* Instructions of at most one target. */
#define NEXT                                                                                       \
    {                                                                                              \
        .transfer = GMT_GOES_ON                                                                    \
    }
#define JUMP(t)                                                                                    \
    {                                                                                              \
        .first = t, .count = 1, .transfer = GMT_JUMPS                                              \
    }
#define JUMP_IF(t)                                                                                 \
    {                                                                                              \
        .first = t, .count = 1, .transfer = GMT_JUMPS, .may_fall = true                            \
    }
#define LEAVE                                                                                      \
    {                                                                                              \
        .transfer = GMT_LEAVES                                                                     \
    }
#define LEAVE_IF                                                                                   \
    {                                                                                              \
        .transfer = GMT_LEAVES, .may_fall = true                                                   \
    }
#define TRAP                                                                                       \
    {                                                                                              \
        .transfer = GMT_TRAPS                                                                      \
    }

/* Every instruction is its own place in the list of targets. */
static void build(gmt_graph *graph, const gmt_flow *flow, uint32_t count)
{
    g_autofree uint32_t *target = g_new(uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        target[i] = i;
    g_assert_true(gmt_graph_build(graph, flow, count, target));
}

/* Where the ways that part behind each block meet, as `expected` says. */
static void check(const gmt_flow *flow, uint32_t count, const uint32_t *expected, uint32_t blocks)
{
    gmt_graph graph;
    build(&graph, flow, count);
    g_assert_cmpuint(graph.block_count, ==, blocks);
    g_autofree uint32_t *meet = g_new(uint32_t, blocks);
    g_assert_true(gmt_graph_meets(&graph, meet));
    for (uint32_t b = 0; b < blocks; b++)
        g_assert_cmpuint(meet[b], ==, expected[b]);
    gmt_graph_free(&graph);
}

#define CHECK(flow, ...)                                                                           \
    check(flow, G_N_ELEMENTS(flow), (const uint32_t[]){__VA_ARGS__},                               \
          G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})))

static void test_blocks(void)
{
    gmt_flow flow[] = {NEXT, JUMP_IF(4), NEXT, NEXT, NEXT, NEXT, LEAVE_IF, LEAVE};
    gmt_graph g;
    flow[5].alone = true;
    build(&g, flow, G_N_ELEMENTS(flow));
    static const uint32_t first[] = {0, 2, 4, 5, 6, 7}, edges[] = {2, 1, 1, 1, 2, 1};
    g_assert_cmpuint(g.block_count, ==, G_N_ELEMENTS(first));
    for (uint32_t b = 0; b < g.block_count; b++) {
        g_assert_cmpuint(g.block[b].first, ==, first[b]);
        g_assert_cmpuint(g.block[b].edge_count, ==, edges[b]);
        for (uint32_t i = 0; i < g.block[b].count; i++)
            g_assert_cmpuint(g.block_of[first[b] + i], ==, b);
    }
    g_assert_cmpuint(g.edge[g.block[0].edge].to, ==, 2);
    g_assert_cmpuint(g.edge[g.block[0].edge].kind, ==, GMT_JUMPS);
    g_assert_cmpuint(g.edge[g.block[0].edge + 1].to, ==, 1);
    g_assert_cmpuint(g.edge[g.block[0].edge + 1].kind, ==, GMT_GOES_ON);
    g_assert_cmpuint(g.edge[g.block[4].edge].to, ==, GMT_OUT);
    g_assert_cmpuint(g.edge[g.block[4].edge + 1].to, ==, 5);
    gmt_graph_free(&g);
    build(&g, flow, 0);
    g_assert_cmpuint(g.block_count, ==, 0);
    g_assert_true(gmt_graph_meets(&g, NULL));
    gmt_graph_free(&g);
}

static void test_diamonds(void)
{
    const gmt_flow one[] = {JUMP_IF(3), NEXT, JUMP(4), NEXT, LEAVE};
    CHECK(one, 3, 3, 3, NONE);
    /* one in the side of another, and one behind */
    const gmt_flow two[] = {JUMP_IF(4), JUMP_IF(3), NEXT, NEXT, NEXT, JUMP_IF(7), NEXT, LEAVE};
    CHECK(two, 4, 3, 3, 4, 6, 6, NONE);
    /* many sides, as of brx.idx */
    const gmt_flow sides[] = {
        {.first = 1, .count = 3, .transfer = GMT_JUMPS}, JUMP(4), JUMP(4), JUMP(4), LEAVE};
    CHECK(sides, 4, 4, 4, 4, NONE);
}

static void test_loops(void)
{
    const gmt_flow plain[] = {NEXT, NEXT, JUMP_IF(1), LEAVE};
    CHECK(plain, 1, 2, NONE);
    /* a branch in the body; `continue` */
    const gmt_flow body[] = {NEXT, JUMP_IF(3), JUMP_IF(1), NEXT, JUMP_IF(1), LEAVE};
    CHECK(body, 1, 3, 3, 4, NONE);
}

/* Lanes that leave are not waited for: those who stay meet as if there were no others. */
static void test_early_leave(void)
{
    const gmt_flow returns[] = {JUMP_IF(2), LEAVE, JUMP_IF(4), NEXT, LEAVE};
    CHECK(returns, 2, NONE, 4, 4, NONE);
    const gmt_flow guarded[] = {JUMP_IF(3), LEAVE_IF, NEXT, LEAVE};
    CHECK(guarded, 3, 2, 3, NONE);
    const gmt_flow traps[] = {JUMP_IF(2), TRAP, JUMP_IF(4), NEXT, LEAVE};
    CHECK(traps, 2, NONE, 4, 4, NONE);
}

/* for (;;) { if (p) return; if (q) x; }: the loop's only exit is a guarded one. */
static void test_loop_left_by_guard(void)
{
    const gmt_flow top[] = {NEXT, LEAVE_IF, JUMP_IF(4), NEXT, JUMP(1)};
    CHECK(top, 1, NONE, 4, 4, 1);
    const gmt_flow two[] = {NEXT, LEAVE_IF, JUMP_IF(4), NEXT, LEAVE_IF, JUMP(1)};
    CHECK(two, 1, 2, 4, 4, NONE, 1);
    const gmt_flow trap[] = {
        NEXT, {.transfer = GMT_TRAPS, .may_fall = true}, JUMP_IF(4), NEXT, JUMP(1)};
    CHECK(trap, 1, NONE, 4, 4, 1);
}

static void test_endless(void)
{
    const gmt_flow self[] = {JUMP(0)};
    CHECK(self, 0);
    /* lanes that part at the head, or before the loop, meet at the head */
    const gmt_flow head[] = {JUMP_IF(2), NEXT, NEXT, JUMP_IF(5), JUMP(3), JUMP(3)};
    CHECK(head, 2, 2, 3, 3, 3, 3);
    const gmt_flow inner[] = {NEXT, NEXT, JUMP_IF(1), JUMP(0)};
    CHECK(inner, 1, 2, 0);
    /* beside a way out */
    const gmt_flow beside[] = {JUMP_IF(3), JUMP_IF(5), LEAVE, JUMP_IF(3), JUMP(3), NEXT, LEAVE};
    CHECK(beside, 1, 5, NONE, 3, 3, NONE);
    const gmt_flow stops[] = {JUMP_IF(2), NEXT, NEXT}; /* the code ends without an exit */
    CHECK(stops, 2, 2, NONE);
}

static void test_irreducible(void)
{
    /* two blocks that lead to each other, entered at both */
    const gmt_flow both[] = {JUMP_IF(3), NEXT, JUMP_IF(5), NEXT, JUMP(1), LEAVE};
    CHECK(both, 1, 3, 1, NONE);
    const gmt_flow cross[] = {JUMP_IF(2), JUMP_IF(3), JUMP_IF(1), LEAVE};
    CHECK(cross, 3, 3, 3, NONE);
}

static void test_unreachable(void)
{
    const gmt_flow dead[] = {JUMP(3), JUMP_IF(1), NEXT, LEAVE, JUMP(4)};
    CHECK(dead, 3, 2, 3, NONE, 4);
}

static bool reaches(const gmt_graph *g, uint32_t from, uint32_t to, uint32_t without, bool *seen)
{
    if (from == to)
        return true;
    if (from == without || seen[from])
        return false;
    seen[from] = true;
    for (uint32_t e = 0; e < g->block[from].edge_count; e++) {
        const uint32_t next = g->edge[g->block[from].edge + e].to;
        if (next != GMT_OUT && reaches(g, next, to, without, seen))
            return true;
    }
    return false;
}

static bool always_passes(const gmt_graph *g, uint32_t from, uint32_t by, uint32_t end)
{
    g_autofree bool *seen = g_new0(bool, g->block_count);
    return from != by && !reaches(g, from, end, by == end ? NONE : by, seen);
}

/* Of all blocks that each way to the exit passes the nearest: that which all others lie behind. */
static void test_definition(void)
{
    enum { COUNT = 24 };
    for (int round = 0; round < 400; round++) {
        gmt_flow flow[COUNT] = {0};
        for (int i = 0; i + 1 < COUNT; i++) {
            const bool jumps = g_test_rand_int_range(0, 3) > 0;
            flow[i] = (gmt_flow){.first = (uint32_t)g_test_rand_int_range(0, COUNT),
                                 .count = jumps,
                                 .transfer = jumps ? GMT_JUMPS : GMT_GOES_ON,
                                 .may_fall = g_test_rand_int_range(0, 4) > 0,
                                 .alone = true};
        }
        flow[COUNT - 1] = (gmt_flow)LEAVE;
        gmt_graph g;
        uint32_t meet[COUNT];
        build(&g, flow, COUNT);
        g_assert_true(gmt_graph_meets(&g, meet));
        for (uint32_t b = 0; b + 1 < COUNT; b++) {
            bool seen[COUNT] = {false};
            if (!reaches(&g, b, COUNT - 1, NONE, seen))
                continue;
            g_assert_cmpuint(meet[b], <, COUNT);
            g_assert_true(meet[b] == COUNT - 1 || always_passes(&g, b, meet[b], COUNT - 1));
            for (uint32_t m = 0; m < COUNT; m++)
                if (m != meet[b] && m != COUNT - 1 && always_passes(&g, b, m, COUNT - 1))
                    g_assert_true(always_passes(&g, meet[b], m, COUNT - 1));
        }
        gmt_graph_free(&g);
    }
}

/* Branches back to one head, and out of a deep nest: what is quadratic takes minutes. */
static void test_large(void)
{
    const uint32_t count = 300000;
    g_autofree gmt_flow *flow = g_new0(gmt_flow, count);
    g_autofree uint32_t *meet = g_new(uint32_t, count);
    for (uint32_t i = 0; i + 1 < count; i++)
        flow[i] = (gmt_flow){.first = i % 2 ? 0 : count - 1 - i / 2,
                             .count = 1,
                             .transfer = GMT_JUMPS,
                             .may_fall = true};
    flow[count - 1] = (gmt_flow)LEAVE;
    gmt_graph g;
    build(&g, flow, count);
    g_assert_true(gmt_graph_meets(&g, meet));
    g_assert_cmpuint(meet[g.block_count - 1], ==, NONE);
    g_assert_cmpuint(meet[0], ==, g.block_count - 1);
    gmt_graph_free(&g);
}

#define CODE(p, c, t, args)                                                                        \
    {                                                                                              \
        .opcode = "", .operands = args, .op_class = GMTRACE_CLASS_##c, .target = t, .predicate = p \
    }
#define ALWAYS GMTRACE_NO_REGISTER
#define NO     GMTRACE_NO_INSTR

/* What a table of SASS does: calls and returns, a jump to where nothing else leads, @!PT. */
static void test_code(void)
{
    gmtrace_instr code[] = {CODE(ALWAYS, CALL, 5, ""),    CODE(7, BRANCH, 0, ""),
                            CODE(ALWAYS, BRANCH, NO, ""), CODE(ALWAYS, INT, NO, ""),
                            CODE(ALWAYS, EXIT, NO, ""),   CODE(0, BRANCH, 5, ""),
                            CODE(ALWAYS, RETURN, NO, ""), CODE(ALWAYS, BRANCH, 3, "UP0, "),
                            CODE(ALWAYS, EXIT, NO, "")};
    code[1].predicate_negated = true;
    const bool alone[G_N_ELEMENTS(code)] = {false};
    static const struct {
        uint32_t from, to;
        gmt_transfer kind;
    } expected[] = {{0, 5, GMT_CALLS}, {2, 7, GMT_JUMPS},   {4, GMT_OUT, GMT_LEAVES},
                    {5, 5, GMT_JUMPS}, {5, 6, GMT_GOES_ON}, {6, 1, GMT_RETURNS},
                    {7, 3, GMT_JUMPS}, {7, 8, GMT_GOES_ON}, {8, GMT_OUT, GMT_LEAVES}};
    gmt_graph g;
    g_assert_true(gmt_graph_of_code(&g, code, G_N_ELEMENTS(code), alone));
    g_assert_cmpuint(g.edge_count, ==, G_N_ELEMENTS(expected));
    for (uint32_t b = 0, e = 0; b < g.block_count; b++)
        for (uint32_t i = 0; i < g.block[b].edge_count; i++, e++) {
            const gmt_edge *edge = &g.edge[g.block[b].edge + i];
            g_assert_cmpuint(g.block[b].first + g.block[b].count - 1, ==, expected[e].from);
            g_assert_cmpuint(edge->kind, ==, expected[e].kind);
            g_assert_cmpuint(edge->to == GMT_OUT ? GMT_OUT : g.block[edge->to].first, ==,
                             expected[e].to);
        }
    gmt_graph_free(&g);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/graph/blocks", test_blocks);
    g_test_add_func("/graph/diamonds", test_diamonds);
    g_test_add_func("/graph/loops", test_loops);
    g_test_add_func("/graph/early-leave", test_early_leave);
    g_test_add_func("/graph/loop-left-by-guard", test_loop_left_by_guard);
    g_test_add_func("/graph/endless", test_endless);
    g_test_add_func("/graph/irreducible", test_irreducible);
    g_test_add_func("/graph/unreachable", test_unreachable);
    g_test_add_func("/graph/definition", test_definition);
    g_test_add_func("/graph/large", test_large);
    g_test_add_func("/graph/code", test_code);
    return g_test_run();
}
