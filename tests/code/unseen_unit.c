/* SPDX-License-Identifier: MIT
 *
 * unseen_unit.c - local accesses reconstructed from small pieces of code. The expected lists are
 * what the hardware executes, worked out by hand.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/unseen.h"

#define ALL UINT32_MAX
#define LOW 0x0000ffffu

/* A line of code: predicate, opcode, operands, class, space, width, target. */
#define CODE(p, op, args, c, sp, w, t)                                                             \
    {                                                                                              \
        .opcode = op, .operands = args, .op_class = GMTRACE_CLASS_##c,                             \
        .space = GMTRACE_SPACE_##sp, .width = w, .target = t,                                      \
        .predicate = p ? 0 : GMTRACE_NO_REGISTER                                                   \
    }
#define NO          GMTRACE_NO_INSTR
#define LDL(slot)   CODE(0, "LDL", "R2, [R1+" slot "]", LOAD, LOCAL, 4, NO)
#define STL(slot)   CODE(0, "STL.64", "[R1+" slot "], R2", STORE, LOCAL, 8, NO)
#define LDG         CODE(0, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GLOBAL, 4, NO)
#define LDG_IF      CODE(1, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GLOBAL, 4, NO)
#define STG         CODE(0, "STG.E", "desc[UR4][R6.64], R4", STORE, GLOBAL, 4, NO)
#define ADD         CODE(0, "IADD3", "R4, R4, R2, RZ", INT, NONE, 0, NO)
#define BRA(t)      CODE(0, "BRA", "`(.L_x)", BRANCH, NONE, 0, t)
#define BRA_IF(t)   CODE(1, "BRA", "`(.L_x)", BRANCH, NONE, 0, t)
#define BSSY        CODE(0, "BSSY", "B0, `(.L_x)", RECONVERGE, NONE, 0, NO)
#define BSYNC       CODE(0, "BSYNC", "B0", RECONVERGE, NONE, 0, NO)
#define EXIT        CODE(0, "EXIT", "", EXIT, NONE, 0, NO)
#define EXIT_IF     CODE(1, "EXIT", "", EXIT, NONE, 0, NO)
#define EXPECT(...) expect(&run, (const gmtrace_unseen_access[]){__VA_ARGS__, {NO, 0}})

/* A warp, and all that was reconstructed of it. */
typedef struct warp_run {
    gmtrace_unseen *unseen;
    gmtrace_unseen_warp warp;
    gmtrace_unseen_access list[64];
    size_t count;
} warp_run;

static void keep(warp_run *r, size_t first, size_t last)
{
    for (; first < last; first++) {
        g_assert_cmpuint(r->count, <, G_N_ELEMENTS(r->list));
        r->list[r->count++] = gmtrace_unseen_list(r->unseen)[first];
    }
}

static void begin_as(warp_run *r, const gmtrace_instr *code, uint32_t count, uint32_t live,
                     gmtrace_detail detail)
{
    memset(r, 0, sizeof *r);
    g_assert_true(gmtrace_unseen_create(code, count, detail, &r->unseen));
    g_assert_nonnull(r->unseen);
    keep(r, 0, gmtrace_unseen_enter(r->unseen, &r->warp, live));
}

static void begin(warp_run *r, const gmtrace_instr *code, uint32_t count, uint32_t live)
{
    begin_as(r, code, count, live, GMTRACE_DETAIL_MEMORY);
}

/* A record is kept in the list, too, so that the order shows. */
static void record(warp_run *r, uint32_t instr, uint32_t mask)
{
    size_t before, count = gmtrace_unseen_step(r->unseen, &r->warp, instr, mask, &before);
    keep(r, 0, before);
    r->list[r->count++] = (gmtrace_unseen_access){instr, mask};
    keep(r, before, count);
}

static void end(warp_run *r, uint32_t mask)
{
    keep(r, 0, gmtrace_unseen_end(r->unseen, &r->warp, mask));
}

/* The list ends with an instruction NO. */
static void expect(warp_run *r, const gmtrace_unseen_access *list)
{
    size_t i = 0;
    for (; list[i].instr != NO; i++) {
        g_assert_cmpuint(i, <, r->count);
        g_assert_cmpuint(r->list[i].instr, ==, list[i].instr);
        g_assert_cmphex(r->list[i].mask, ==, list[i].mask);
    }
    g_assert_cmpuint(r->count, ==, i);
}

static gmtrace_unseen_counts finish(warp_run *r)
{
    const gmtrace_unseen_counts counts = gmtrace_unseen_take_counts(r->unseen);
    gmtrace_unseen_free(r->unseen);
    return counts;
}

static void test_straight(void)
{
    const gmtrace_instr code[] = {ADD, STL("0x8"), LDG, LDL("0x10"), STG, LDL("-0x8"), EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 2, ALL);
    record(&run, 4, ALL);
    end(&run, ALL);
    EXPECT({1, ALL}, {2, ALL}, {3, ALL}, {4, ALL}, {5, ALL});
    gmtrace_record made;
    gmtrace_unseen_record(run.unseen, &(gmtrace_unseen_access){1, LOW}, &made);
    g_assert_cmpuint(made.address, ==, 8);
    g_assert_cmpuint(made.size, ==, 8);
    g_assert_cmpuint(made.op, ==, GMTRACE_OP_STORE);
    g_assert_cmpuint(made.space, ==, GMTRACE_SPACE_LOCAL);
    g_assert_cmphex(made.mask, ==, LOW);
    const gmtrace_unseen_counts counts = finish(&run);
    g_assert_cmpuint(counts.accesses, ==, 3);
    g_assert_cmpuint(counts.ambiguous + counts.lost + counts.predicated, ==, 0);
}

/* Two lanes leave the loop an iteration earlier than the others. */
static void test_loop(void)
{
    const gmtrace_instr code[] = {STL("0x0"), LDG, LDL("0x0"), BRA_IF(1), LDL("0x8"), STG, EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 1, ALL);
    record(&run, 1, ALL);
    record(&run, 1, ALL & ~3u);
    record(&run, 5, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {1, ALL}, {2, ALL}, {1, ALL}, {2, ALL}, {1, ALL & ~3u}, {2, ALL & ~3u},
           {4, ALL}, {5, ALL});
    g_assert_cmpuint(finish(&run).lost, ==, 0);
}

static void test_if_else(void)
{
    const gmtrace_instr code[] = {STL("0x0"),  BSSY,       BRA_IF(6), LDL("0x0"), LDG,
                                  BRA(8),      LDL("0x8"), LDG,       BSYNC,      STL("0x10"),
                                  LDL("0x18"), STG,        EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 4, LOW);
    record(&run, 7, ~LOW);
    record(&run, 11, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {3, LOW}, {4, LOW}, {6, ~LOW}, {7, ~LOW}, {9, ALL}, {10, ALL}, {11, ALL});
    g_assert_cmpuint(finish(&run).ambiguous, ==, 0);
    /* All lanes on one side, and the sides in the other order. */
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 7, ALL);
    record(&run, 11, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {6, ALL}, {7, ALL}, {9, ALL}, {10, ALL}, {11, ALL});
    finish(&run);
}

/* Lanes without any record: those past the end of the data, and those that are no threads. */
static void test_early_exit(void)
{
    const gmtrace_instr code[] = {STL("0x0"), EXIT_IF, LDL("0x0"), LDG, LDL("0x8"), EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), 0x00ffffffu);
    end(&run, 0x00ff0000u);
    record(&run, 3, LOW);
    end(&run, LOW);
    EXPECT({0, 0x00ffffffu}, {2, LOW}, {3, LOW}, {4, LOW});
    finish(&run);
    /* As a stored trace tells it: all ends come last. */
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 3, LOW);
    end(&run, ALL);
    EXPECT({0, ALL}, {2, LOW}, {3, LOW}, {4, LOW});
    g_assert_cmphex(run.warp.live, ==, 0);
    finish(&run);
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    end(&run, ALL);
    EXPECT({0, ALL});
    finish(&run);
}

/* The mask of a guarded record says who was active in it, not who came by. */
static void test_guarded_record(void)
{
    const gmtrace_instr code[] = {STL("0x0"), LDG_IF, LDL("0x0"), BRA_IF(0), STG, EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 1, LOW);
    record(&run, 1, 1);
    record(&run, 4, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {1, LOW}, {2, ALL}, {0, ALL}, {1, 1}, {2, ALL}, {4, ALL});
    finish(&run);
}

/* What cannot be decided is counted: a path with an access and one without, a guarded access. */
static void test_doubt(void)
{
    const gmtrace_instr code[] = {
        LDG, BRA_IF(3), LDL("0x0"), ADD, STG, CODE(1, "LDL", "R2, [R1+0x8]", LOAD, LOCAL, 4, NO),
        EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 0, ALL);
    record(&run, 4, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {4, ALL}, {5, ALL});
    gmtrace_unseen_counts counts = finish(&run);
    g_assert_cmpuint(counts.ambiguous, ==, 1);
    g_assert_cmpuint(counts.predicated, ==, 1);
    g_assert_cmpuint(counts.lost, ==, 0);
    /* A record that the code cannot lead to. */
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 4, ALL);
    record(&run, 0, ALL);
    end(&run, ALL);
    counts = finish(&run);
    g_assert_cmpuint(counts.lost, ==, 1);
}

static void test_call(void)
{
    const gmtrace_instr code[] = {
        LDG,        CODE(0, "CALL.REL.NOINC", "`(f)", CALL, NONE, 0, 5),
        LDL("0x0"), STG,
        EXIT,       STL("0x8"),
        LDG,        CODE(0, "RET.REL.NODEC", "R20 `(k)", RETURN, NONE, 0, NO)};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 0, ALL);
    record(&run, 6, ALL);
    record(&run, 3, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {5, ALL}, {6, ALL}, {2, ALL}, {3, ALL});
    finish(&run);
}

/* Where calls are recorded, one without a record was none: the way past it is the longer one. */
static void test_recorded_call(void)
{
    const gmtrace_instr code[] = {
        LDG,  BRA_IF(4), CODE(0, "CALL.REL.NOINC", "`(f)", CALL, NONE, 0, 7), LDL("0x0"),
        ADD,  STG,       EXIT,
        STL("0x8"),      CODE(0, "RET.REL.NODEC", "R20 `(k)", RETURN, NONE, 0, NO)};
    warp_run run;
    begin_as(&run, code, G_N_ELEMENTS(code), ALL, GMTRACE_DETAIL_CALLS);
    record(&run, 0, ALL);
    record(&run, 5, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {5, ALL});
    finish(&run);
    begin_as(&run, code, G_N_ELEMENTS(code), ALL, GMTRACE_DETAIL_CALLS);
    record(&run, 0, ALL);
    record(&run, 2, 0xf); /* four lanes */
    record(&run, 5, ALL);
    end(&run, ALL);
    EXPECT({0, ALL}, {2, 0xf}, {7, 0xf}, {3, 0xf}, {5, ALL});
    finish(&run);
}

/* An instruction that the capture reports is listed, so that its place among others shows, and can be
 * taken back; indexed ones never are. */
static void test_seen(void)
{
    const gmtrace_instr code[] = {LDG, LDL("0x0"), BRA_IF(0), EXIT};
    warp_run run;
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 0, ALL);
    record(&run, 1, ALL);
    record(&run, 0, ALL);
    EXPECT({0, ALL}, {1, ALL}, {1, ALL}, {0, ALL}, {1, ALL});
    const gmtrace_unseen_access early = {.instr = 1, .mask = ALL};
    g_assert_true(gmtrace_unseen_retract(run.unseen, &early));
    finish(&run);
    begin(&run, code, G_N_ELEMENTS(code), ALL);
    record(&run, 0, ALL);
    g_assert_false(gmtrace_unseen_retract(run.unseen, &early));
    finish(&run);

    const gmtrace_instr indexed[] = {CODE(0, "LDL", "R2, [R3+0x10]", LOAD, LOCAL, 4, NO),
                                     CODE(0, "LDL", "R2, [R1+UR4]", LOAD, LOCAL, 4, NO),
                                     CODE(0, "LDL", "R2, [R10]", LOAD, LOCAL, 4, NO),
                                     CODE(0, "LDG.E", "R2, [R1]", LOAD, GLOBAL, 4, NO), EXIT};
    gmtrace_unseen *none;
    g_assert_true(gmtrace_unseen_create(indexed, G_N_ELEMENTS(indexed), GMTRACE_DETAIL_MEMORY, &none));
    g_assert_null(none);
    g_assert_true(gmtrace_unseen_create(NULL, 0, GMTRACE_DETAIL_MEMORY, &none));
    g_assert_null(none);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/unseen/straight", test_straight);
    g_test_add_func("/unseen/loop", test_loop);
    g_test_add_func("/unseen/if-else", test_if_else);
    g_test_add_func("/unseen/early-exit", test_early_exit);
    g_test_add_func("/unseen/guarded-record", test_guarded_record);
    g_test_add_func("/unseen/doubt", test_doubt);
    g_test_add_func("/unseen/call", test_call);
    g_test_add_func("/unseen/recorded-call", test_recorded_call);
    g_test_add_func("/unseen/seen", test_seen);
    return g_test_run();
}
