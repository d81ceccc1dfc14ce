/* SPDX-License-Identifier: MIT
 *
 * path_unit.c - executed instructions reconstructed from small pieces of code. The expected ways
 * are what the hardware executes, worked out by hand.
 */
#include <glib.h>
#include <string.h>

#include "traces/code/path.h"

#define ALL  UINT32_MAX
#define LOW  0x0000ffffu
#define HIGH 0xffff0000u

/* A line of code: predicate (0: none, 1: P0, -1: !P0), opcode, operands, class, space, target. */
#define CODE(p, op, args, c, sp, t)                                                                \
    {                                                                                              \
        .opcode = op, .operands = args, .op_class = GMTRACE_CLASS_##c,                             \
        .space = GMTRACE_SPACE_##sp, .target = t, .file = GMTRACE_UNKNOWN,                         \
        .predicate = p ? 0 : GMTRACE_NO_REGISTER, .predicate_negated = p < 0, .write_barrier = 7,  \
        .read_barrier = 7, .stall = 2                                                              \
    }
#define NO          GMTRACE_NO_INSTR
#define LDG         CODE(0, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GLOBAL, NO)
#define LDG_IF      CODE(1, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GLOBAL, NO)
#define LDG_NOT     CODE(-1, "LDG.E", "R4, desc[UR4][R6.64]", LOAD, GLOBAL, NO)
#define STG         CODE(0, "STG.E", "desc[UR4][R6.64], R4", STORE, GLOBAL, NO)
#define LDC         CODE(0, "LDC", "R1, c[0x0][0x28]", LOAD, CONSTANT, NO)
#define ADD         CODE(0, "IADD3", "R4, R4, R2, RZ", INT, NONE, NO)
#define FADD        CODE(0, "FADD", "R4, R4, R2", FP32, NONE, NO)
#define BRA(t)      CODE(0, "BRA", "`(.L_x)", BRANCH, NONE, t)
#define BRA_IF(t)   CODE(1, "BRA", "`(.L_x)", BRANCH, NONE, t)
#define BSSY        CODE(0, "BSSY", "B0, `(.L_x)", RECONVERGE, NONE, NO)
#define BSYNC       CODE(0, "BSYNC", "B0", RECONVERGE, NONE, NO)
#define NOP         CODE(0, "NOP", "", OTHER, NONE, NO)
#define EXIT        CODE(0, "EXIT", "", EXIT, NONE, NO)
#define EXIT_IF     CODE(1, "EXIT", "", EXIT, NONE, NO)
#define BEGIN(code) begin(&run, code, G_N_ELEMENTS(code), ALL)
#define PIECES(...) expect(&run, (const gmtrace_path_piece[]){__VA_ARGS__, {NO, 0, 0}})

typedef struct warp_run {
    gmtrace_kernel kernel;
    gmtrace_paths *paths;
    gmtrace_path_warp warp;
    const gmtrace_path *path;
} warp_run;

static void begin_as(warp_run *r, const gmtrace_instr *code, uint32_t count, uint32_t live,
                     gmtrace_detail detail)
{
    memset(r, 0, sizeof *r);
    r->kernel.instr = code;
    r->kernel.instr_count = count;
    r->paths = gmtrace_paths_create(&r->kernel, detail);
    g_assert_nonnull(r->paths);
    gmtrace_path_enter(r->paths, &r->warp, live);
}

static void begin(warp_run *r, const gmtrace_instr *code, uint32_t count, uint32_t live)
{
    begin_as(r, code, count, live, GMTRACE_DETAIL_MEMORY);
}

static void again(warp_run *r)
{
    gmtrace_path_enter(r->paths, &r->warp, ALL);
}

static void record_op(warp_run *r, uint32_t instr, uint32_t mask, gmtrace_op op)
{
    const gmtrace_record record = {.instr = instr, .mask = mask, .op = (uint8_t)op};
    r->path = gmtrace_path_step(r->paths, &r->warp, &record);
    g_assert_nonnull(r->path);
}

static void record(warp_run *r, uint32_t instr, uint32_t mask)
{
    record_op(r, instr, mask, GMTRACE_OP_LOAD);
}

static void end(warp_run *r)
{
    r->path = gmtrace_path_end(r->paths, &r->warp);
}

/* The pieces of the latest way; the list ends with an instruction NO. */
static void expect(warp_run *r, const gmtrace_path_piece *list)
{
    uint64_t instructions = 0;
    uint32_t i = 0;
    for (; list[i].first != NO; i++) {
        g_assert_cmpuint(i, <, r->path->piece_count);
        g_assert_cmpuint(r->path->piece[i].first, ==, list[i].first);
        g_assert_cmpuint(r->path->piece[i].count, ==, list[i].count);
        g_assert_cmpuint(r->path->piece[i].times, ==, list[i].times);
        instructions += (uint64_t)list[i].count * list[i].times;
    }
    g_assert_cmpuint(r->path->piece_count, ==, i);
    g_assert_cmpuint(r->path->instructions, ==, instructions);
}

static void nothing(warp_run *r)
{
    g_assert_cmpuint(r->path->piece_count, ==, 0);
}

static gmtrace_path_counts finish(warp_run *r)
{
    g_assert_false(gmtrace_paths_failed(r->paths));
    const gmtrace_path_counts counts = gmtrace_path_get_counts(r->paths);
    gmtrace_paths_free(r->paths);
    return counts;
}

static void test_straight(void)
{
    const gmtrace_instr code[] = {LDC, ADD, LDG, FADD, FADD, STG, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 2, ALL);
    PIECES({0, 2, 1});
    g_assert_cmpuint(run.path->by_class[GMTRACE_CLASS_LOAD], ==, 1);
    record(&run, 5, ALL);
    PIECES({3, 2, 1});
    g_assert_cmpuint(run.path->by_class[GMTRACE_CLASS_FP32], ==, 2);
    g_assert_cmpuint(run.path->slots, ==, 4);
    record(&run, 6, ALL);
    nothing(&run);
    end(&run);
    PIECES({7, 1, 1});
    const gmtrace_path_counts counts = finish(&run);
    g_assert_cmpuint(counts.instructions, ==, 8);
    g_assert_cmpuint(counts.steps, ==, 3);
    g_assert_cmpuint(counts.ambiguous + counts.lost + counts.estimated, ==, 0);
}

static void test_scoreboards(void)
{
    gmtrace_instr code[] = {LDG, ADD, ADD, FADD, LDC, STG, EXIT};
    code[1].stall = 4;
    code[2].wait_mask = 1u << 3;
    code[3].stall = 0;
    code[3].wait_mask = 1u << 3 | 1u << 0;
    code[4].write_barrier = 2;
    code[5].wait_mask = 1u << 2; /* the record's own wait is not the way's */
    warp_run run;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 5, ALL);
    PIECES({1, 4, 1});
    g_assert_cmpuint(run.path->slots, ==, 4 + 2 + 1 + 2);
    g_assert_cmpuint(run.path->wait_mask, ==, 1u << 3 | 1u << 0);
    g_assert_cmpuint(run.path->wait_at[3], ==, 4);
    g_assert_cmpuint(run.path->wait_at[0], ==, 6);
    g_assert_cmpuint(run.path->wait_at[2], ==, GMTRACE_PATH_NEVER);
    g_assert_cmpuint(run.path->set_by[2], ==, 4);
    g_assert_cmpuint(run.path->set_by[3], ==, NO);
    finish(&run);
}

static void test_loop(void)
{
    const gmtrace_instr code[] = {ADD, LDG, ADD, BRA_IF(1), ADD, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 1, ALL);
    PIECES({0, 1, 1});
    record(&run, 1, ALL);
    PIECES({2, 2, 1});
    record(&run, 1, ALL);
    PIECES({2, 2, 1});
    record(&run, 5, ALL);
    PIECES({2, 3, 1});
    end(&run);
    g_assert_cmpuint(finish(&run).instructions, ==, 1 + 3 * 3 + 2 + 1);
}

/* Both sides of a divergent branch are executed, what is before and behind them once. Both parts
 * execute BSYNC. */
static void test_if_else(void)
{
    const gmtrace_instr code[] = {ADD,  BSSY, BRA_IF(6), ADD, LDG, BRA(8),
                                  FADD, LDG,  BSYNC,     ADD, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 4, LOW);
    PIECES({0, 4, 1});
    record(&run, 7, HIGH);
    PIECES({6, 1, 1});
    record(&run, 10, ALL);
    PIECES({5, 1, 1}, {8, 1, 1}, {8, 2, 1});
    end(&run);
    PIECES({11, 1, 1});
    /* All lanes on one side. */
    again(&run);
    record(&run, 7, ALL);
    PIECES({0, 3, 1}, {6, 1, 1});
    record(&run, 10, ALL);
    PIECES({8, 2, 1});
    end(&run);
    g_assert_cmpuint(finish(&run).lost, ==, 0);
}

/* Lanes that leave a loop early wait at its BSYNC, those of each round apart. */
static void test_loop_divides(void)
{
    const gmtrace_instr code[] = {BSSY, LDG, BRA_IF(1), ADD, BSYNC, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 1, ALL);
    record(&run, 1, LOW);
    PIECES({2, 1, 1});
    record(&run, 1, LOW & ~1u);
    PIECES({2, 1, 1});
    record(&run, 5, ALL);
    PIECES({3, 2, 1}, {3, 2, 1}, {2, 3, 1});
    end(&run);
    PIECES({6, 1, 1});
    finish(&run);
}

/* Lanes that skip code with a record wait for the others behind it and go on with them, even if
 * another record of those others alone comes before anything tells of the waiting ones. */
static void test_meets_unseen(void)
{
    const gmtrace_instr code[] = {BSSY, BRA_IF(3), LDG, BSYNC, ADD, ADD, EXIT_IF, ADD, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 2, LOW);
    PIECES({0, 2, 1});
    record(&run, 8, LOW);
    PIECES({3, 5, 1});
    end(&run); /* the others: BSYNC and nothing else of their own */
    PIECES({3, 1, 1}, {9, 1, 1});
    finish(&run);
}

static void test_early_exit(void)
{
    const gmtrace_instr code[] = {ADD, EXIT_IF, LDG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 2, LOW);
    PIECES({0, 2, 1});
    end(&run); /* the lanes that ended at the first EXIT did so with those who went on */
    PIECES({3, 1, 1});
    again(&run);
    end(&run);
    PIECES({0, 2, 1});
    /* No reconvergence: each part ends by itself. */
    const gmtrace_instr apart[] = {BRA_IF(3), LDG, EXIT, ADD, LDG, EXIT};
    finish(&run);
    BEGIN(apart);
    record(&run, 1, LOW);
    PIECES({0, 1, 1});
    record(&run, 4, HIGH);
    PIECES({3, 1, 1});
    end(&run);
    PIECES({2, 1, 1}, {5, 1, 1});
    finish(&run);
}

/* A guarded instruction's mask says who was active, not who came by; and one that was not recorded
 * had a false predicate, which branches behind it show. */
static void test_guarded(void)
{
    const gmtrace_instr code[] = {ADD, LDG_IF, ADD, BRA_IF(6), ADD, LDG_NOT, ADD, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 1, LOW);
    PIECES({0, 1, 1});
    record(&run, 7, ALL);
    PIECES({2, 2, 1}, {6, 1, 1});
    again(&run);
    record(&run, 1, ALL); /* P0: the branch is taken */
    record(&run, 7, ALL);
    PIECES({2, 2, 1}, {6, 1, 1});
    g_assert_false(run.path->ambiguous);
    again(&run);
    record(&run, 5, ALL); /* !P0: the load before was off for all */
    PIECES({0, 5, 1});
    record(&run, 7, ALL);
    PIECES({6, 1, 1});
    finish(&run);
}

/* What a branch that lanes decide one by one skips, is executed by the warp. */
static void test_doubt(void)
{
    const gmtrace_operand loaded[] = {{GMTRACE_REG_GENERAL, 4, 1, 1}};
    const gmtrace_operand compared[] = {{GMTRACE_REG_PREDICATE, 0, 1, 1},
                                        {GMTRACE_REG_GENERAL, 4, 1, 0}};
    gmtrace_instr code[] = {LDG,
                            CODE(0, "ISETP.GE.AND", "P0, PT, R4, RZ, PT", INT, NONE, NO),
                            BRA_IF(6),
                            ADD,
                            CODE(0, "CALL.REL.NOINC", "`(f)", CALL, NONE, 8),
                            FADD,
                            STG,
                            EXIT,
                            ADD,
                            CODE(0, "RET.REL.NODEC", "R20 `(k)", RETURN, NONE, NO)};
    memcpy(code[0].operand, loaded, sizeof loaded);
    code[0].operand_count = 1;
    memcpy(code[1].operand, compared, sizeof compared);
    code[1].operand_count = 2;
    warp_run run;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 6, ALL); /* a rare case is not called */
    PIECES({1, 2, 1});
    g_assert_true(run.path->ambiguous);
    finish(&run);
    code[4] = (gmtrace_instr)ADD;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 6, ALL);
    PIECES({1, 5, 1});
    finish(&run);
    code[1].opcode = "FSETP.GE.AND";
    code[1].operands = "P0, PT, |R4|, 105615, PT"; /* large numbers are rare */
    code[2].predicate_negated = 1;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 6, ALL);
    PIECES({1, 2, 1});
    finish(&run);
    code[1].operands = "P0, PT, R4, RZ, PT";
    code[0] = (gmtrace_instr)LDC; /* all lanes agree */
    BEGIN(code);
    record(&run, 6, ALL);
    PIECES({0, 3, 1});
    finish(&run);
}

static void test_call(void)
{
    const gmtrace_instr code[] = {LDG,
                                  CODE(0, "CALL.REL.NOINC", "`(f)", CALL, NONE, 8),
                                  ADD,
                                  STG,
                                  CODE(0, "CALL.REL.NOINC", "`(f)", CALL, NONE, 8),
                                  FADD,
                                  STG,
                                  EXIT,
                                  ADD,
                                  LDG_IF,
                                  CODE(0, "RET.REL.NODEC", "R20 `(k)", RETURN, NONE, NO)};
    warp_run run;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 3, ALL);
    PIECES({1, 1, 1}, {8, 3, 1}, {2, 1, 1});
    record(&run, 9, ALL);
    PIECES({4, 1, 1}, {8, 1, 1});
    record(&run, 6, ALL); /* back behind the call that it came by */
    PIECES({10, 1, 1}, {5, 1, 1});
    end(&run);
    g_assert_cmpuint(finish(&run).lost, ==, 0);
}

/* Where calls are recorded, one that is not was none, and lanes that make one come back to the
 * others. */
static void test_recorded_call(void)
{
    const gmtrace_instr code[] = {
        LDG,  BRA_IF(4), CODE(0, "CALL.REL.NOINC", "`(f)", CALL, NONE, 7),      ADD, FADD, STG,
        EXIT, ADD,       CODE(0, "RET.REL.NODEC", "R20 `(k)", RETURN, NONE, NO)};
    warp_run run;
    begin_as(&run, code, G_N_ELEMENTS(code), ALL, GMTRACE_DETAIL_CALLS);
    record(&run, 0, ALL);
    record(&run, 5, ALL);
    PIECES({1, 1, 1}, {4, 1, 1});
    g_assert_false(run.path->ambiguous);
    again(&run);
    record(&run, 0, ALL);
    record(&run, 2, ALL);
    PIECES({1, 1, 1});
    record(&run, 5, ALL);
    PIECES({7, 2, 1}, {3, 2, 1});
    g_assert_false(run.path->ambiguous);
    g_assert_cmpuint(finish(&run).lost, ==, 0);
    begin(&run, code, G_N_ELEMENTS(code), ALL); /* where they are not, nobody knows */
    record(&run, 0, ALL);
    record(&run, 5, ALL);
    PIECES({1, 1, 1}, {4, 1, 1});
    g_assert_true(run.path->ambiguous);
    finish(&run);
}

/* Loops without records: rounds from constants, whether the way sets them or the code above it;
 * once where the end is not known. */
#define MOV(r, n) CODE(0, "IMAD.MOV.U32", r ", RZ, RZ, " n, INT, NONE, NO)
#define INC(r, n) CODE(0, "VIADD", r ", " r ", " n, INT, NONE, NO)
#define CMP(a)    CODE(0, "ISETP.NE.AND", "P0, PT, " a ", PT", INT, NONE, NO)

static void set_written(gmtrace_instr *code, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        gmtrace_instr *in = &code[i];
        if (in->op_class != GMTRACE_CLASS_INT)
            continue;
        const bool predicate = in->operands[0] == 'P';
        const int number = in->operands[1] - '0';
        in->operand[in->operand_count++] = (gmtrace_operand){
            predicate ? GMTRACE_REG_PREDICATE : GMTRACE_REG_GENERAL, (uint8_t)number, 1, 1};
        const bool reads =
            strcmp(in->opcode, "VIADD") == 0 || strcmp(in->opcode, "SHF.R.U32.HI") == 0;
        if (reads)
            in->operand[in->operand_count++] =
                (gmtrace_operand){GMTRACE_REG_GENERAL, (uint8_t)number, 1, 0};
    }
}

static void test_constant_loop(void)
{
    gmtrace_instr code[] = {MOV("R3", "0x7"),
                            LDG,
                            INC("R3", "0x3"),
                            FADD,
                            CMP("R3, 0x3d"),
                            BRA_IF(2),
                            MOV("R4", "0x40"),
                            CODE(0, "SHF.R.U32.HI", "R4, RZ, 0x1, R4", INT, NONE, NO),
                            CMP("R4, RZ"),
                            BRA_IF(7),
                            STG,
                            EXIT};
    set_written(code, G_N_ELEMENTS(code));
    warp_run run;
    BEGIN(code);
    record(&run, 1, ALL);
    record(&run, 10, ALL); /* 7, 10 ... 61: 18 rounds; 64, 32 ... 0: 7 rounds */
    PIECES({2, 4, 18}, {6, 1, 1}, {7, 3, 7});
    g_assert_true(run.path->estimated);
    g_assert_cmpuint(run.path->by_class[GMTRACE_CLASS_FP32], ==, 18);
    g_assert_cmpuint(run.path->slots, ==, 2 * (4 * 18 + 1 + 3 * 7));
    finish(&run);
}

static void test_nested_loop(void)
{
    gmtrace_instr code[] = {
        LDG,       MOV("R3", "0x0"), MOV("R4", "0x0"), INC("R4", "0x1"), CMP("R4, 0x5"),
        BRA_IF(3), INC("R3", "0x1"), CMP("R3, 0x4"),   BRA_IF(2),        STG,
        EXIT};
    set_written(code, G_N_ELEMENTS(code));
    warp_run run;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 9, ALL);
    PIECES({1, 1, 1}, {2, 1, 4}, {3, 3, 20}, {6, 3, 4});
    finish(&run);
}

/* Lanes that skip a record in every round of a counted loop wait at its BSYNC each time: the rounds
 * are the warp's, not counted again for them. */
static void test_meets_each_round(void)
{
    gmtrace_instr code[] = {MOV("R3", "0x0"), BSSY,           BRA_IF(5), LDG, FADD, BSYNC,
                            INC("R3", "0x1"), CMP("R3, 0x4"), BRA_IF(1), STG, EXIT};
    code[2].predicate = 1; /* not the loop's own */
    set_written(code, G_N_ELEMENTS(code));
    warp_run run;
    BEGIN(code);
    record(&run, 3, LOW);
    PIECES({0, 3, 1});
    for (unsigned round = 1; round < 4; round++) {
        record(&run, 3, LOW);
        PIECES({4, 5, 1}, {1, 2, 1});
    }
    record(&run, 9, ALL);
    PIECES({4, 5, 1});
    end(&run);
    PIECES({10, 1, 1});
    finish(&run);
}

/* A loop that is left from its middle: what leads there is executed once more than the rest. */
static void test_left_loop(void)
{
    gmtrace_instr code[] = {MOV("R3", "0x0"),
                            LDG,
                            FADD,
                            CMP("R3, 0xc"),
                            CODE(-1, "BRA", "`(.L_x)", BRANCH, NONE, 8),
                            INC("R3", "0x4"),
                            FADD,
                            BRA(2),
                            STG,
                            EXIT};
    set_written(code, G_N_ELEMENTS(code));
    warp_run run;
    BEGIN(code);
    record(&run, 1, ALL);
    record(&run, 8, ALL); /* 0, 4, 8, 12 */
    PIECES({2, 3, 1}, {5, 3, 3}, {2, 3, 3});
    g_assert_true(run.path->estimated);
    finish(&run);
    code[5] = (gmtrace_instr)INC("R4", "0x4"); /* nobody knows when it ends */
    set_written(&code[5], 1);
    BEGIN(code);
    record(&run, 1, ALL);
    record(&run, 8, ALL);
    PIECES({2, 3, 1});
    finish(&run);
    code[6] = (gmtrace_instr)LDG; /* each round would be in the trace */
    code[5] = (gmtrace_instr)INC("R3", "0x4");
    set_written(&code[5], 1);
    BEGIN(code);
    record(&run, 1, ALL);
    record(&run, 8, ALL);
    PIECES({2, 3, 1});
    finish(&run);
}

static void test_unknown_loop(void)
{
    gmtrace_instr code[] = {LDG, INC("R3", "0x1"), CMP("R3, 0x64"), BRA_IF(1), STG, EXIT};
    set_written(code, G_N_ELEMENTS(code));
    warp_run run;
    BEGIN(code);
    record(&run, 0, ALL);
    record(&run, 4, ALL);
    PIECES({1, 3, 1});
    g_assert_true(run.path->estimated);
    finish(&run);
    /* A counter that a loop around writes is not the constant above that loop. */
    gmtrace_instr outer[] = {MOV("R3", "0x0"), LDG,       INC("R3", "0x1"),
                             CMP("R3, 0x64"),  BRA_IF(2), MOV("R5", "0x1"),
                             BRA_IF(1),        STG,       EXIT};
    set_written(outer, G_N_ELEMENTS(outer));
    BEGIN(outer);
    record(&run, 1, ALL);
    record(&run, 7, ALL);
    PIECES({2, 3, 100}, {5, 2, 1});
    finish(&run);
    outer[5] = (gmtrace_instr)INC("R3", "0x7");
    set_written(&outer[5], 1);
    BEGIN(outer);
    record(&run, 1, ALL);
    record(&run, 7, ALL);
    PIECES({2, 5, 1});
    finish(&run);
}

/* What the code does not allow is counted as lost; an unknown instruction is no step at all. */
static void test_lost(void)
{
    const gmtrace_instr code[] = {LDG, ADD, LDG, ADD, STG, EXIT};
    warp_run run;
    BEGIN(code);
    record(&run, 4, ALL); /* two loads are missing */
    PIECES({0, 4, 1});
    g_assert_true(run.path->lost);
    record(&run, 0, ALL); /* no way back */
    nothing(&run);
    g_assert_true(run.path->lost);
    record(&run, NO, ALL);
    nothing(&run);
    end(&run);
    const gmtrace_path_counts counts = finish(&run);
    g_assert_cmpuint(counts.lost, ==, 3);
    g_assert_cmpuint(counts.steps, ==, 2);
    gmtrace_kernel none = {.instr_count = 0};
    gmtrace_paths *empty = gmtrace_paths_create(&none, GMTRACE_DETAIL_MEMORY);
    gmtrace_path_enter(empty, &run.warp, ALL);
    g_assert_cmpuint(gmtrace_path_end(empty, &run.warp)->instructions, ==, 0);
    gmtrace_paths_free(empty);
}

/* The two records of an asynchronous copy are one instruction. */
static void test_copy(void)
{
    const gmtrace_instr code[] = {
        ADD, CODE(0, "LDGSTS.E", "[R4], desc[UR4][R6.64]", COPY_ASYNC, GLOBAL, NO), ADD, BRA_IF(1),
        EXIT};
    warp_run run;
    BEGIN(code);
    record_op(&run, 1, ALL, GMTRACE_OP_COPY_READ);
    PIECES({0, 1, 1});
    record_op(&run, 1, ALL, GMTRACE_OP_COPY_WRITE);
    nothing(&run);
    record_op(&run, 1, ALL, GMTRACE_OP_COPY_READ);
    PIECES({2, 2, 1});
    record_op(&run, 1, ALL, GMTRACE_OP_COPY_WRITE);
    end(&run);
    PIECES({2, 3, 1});
    g_assert_cmpuint(finish(&run).instructions, ==, 8);
}

/* Lanes' numbers decide a branch: those from 8 on execute what is between. Each group of lanes
 * comes to the BSYNC by itself. */
static void test_values(void)
{
    gmtrace_instr code[] = {CODE(0, "S2R", "R3, SR_TID.X", INT, NONE, NO),
                            LDG,
                            CODE(0, "BSSY", "B0, `(.L_x)", RECONVERGE, NONE, 8),
                            CODE(0, "ISETP.GE.U32.AND", "P0, PT, R3, 0x8, PT", INT, NONE, NO),
                            CODE(-1, "BRA", "`(.L_x)", BRANCH, NONE, 7),
                            FADD,
                            FADD,
                            BSYNC,
                            STG,
                            EXIT};
    set_written(code, G_N_ELEMENTS(code));
    const gmtrace_launch launch = {.grid = {1, 1, 1}, .block = {128, 1, 1}};
    warp_run run;
    BEGIN(code);
    gmtrace_paths_know(run.paths, &launch);
    gmtrace_path_enter_as(run.paths, &run.warp, ALL, 0, 0);
    record(&run, 1, ALL);
    record(&run, 8, ALL); /* lanes part */
    PIECES({2, 5, 1}, {7, 1, 2});
    g_assert_false(run.path->ambiguous);
    gmtrace_path_enter_as(run.paths, &run.warp, ALL, 0, 1);
    record(&run, 1, ALL);
    record(&run, 8, ALL); /* all of the second warp's go there */
    PIECES({2, 6, 1});
    finish(&run);
    code[3] = (gmtrace_instr)CODE(0, "ISETP.GE.U32.AND", "P0, PT, R3, 0x40, PT", INT, NONE, NO);
    set_written(&code[3], 1);
    BEGIN(code);
    gmtrace_paths_know(run.paths, &launch);
    gmtrace_path_enter_as(run.paths, &run.warp, ALL, 0, 1);
    record(&run, 1, ALL);
    record(&run, 8, ALL); /* and none of it here */
    PIECES({2, 3, 1}, {7, 1, 1});
    finish(&run);
}

/* __syncwarp() is a NOP, recorded or not; it is executed once. */
static void test_syncwarp(void)
{
    static const gmtrace_instr code[] = {NOP, ADD, NOP, ADD, EXIT};
    warp_run run;
    for (uint32_t recorded = 0; recorded < 2; recorded++) {
        BEGIN(code);
        if (recorded) {
            record_op(&run, 0, ALL, GMTRACE_OP_NONE);
            record_op(&run, 2, ALL, GMTRACE_OP_NONE);
            PIECES({1, 1, 1});
        }
        end(&run);
        g_assert_cmpuint(gmtrace_path_get_counts(run.paths).instructions, ==, 5);
        gmtrace_paths_free(run.paths);
    }
}

/* What paths have spent is added to what others have; little is not much. */
static void test_order(void)
{
    static const gmtrace_instr code[] = {ADD, LDG, ADD, EXIT};
    gmtrace_path_order one = {0}, two = {0};
    warp_run run;
    BEGIN(code);
    gmtrace_paths_add_order(run.paths, &one);
    for (uint32_t state = 0; state < 4000u; state++) { /* warps that part in a way of their own */
        again(&run);
        record(&run, 1, 1u << state % 32u);
    }
    gmtrace_paths_add_order(run.paths, &two);
    g_assert_cmpuint(two.states, >=, one.states);
    g_assert_false(gmtrace_paths_ordered(&two));
    gmtrace_paths_free(run.paths);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/straight", test_straight);
    g_test_add_func("/path/order", test_order);
    g_test_add_func("/path/scoreboards", test_scoreboards);
    g_test_add_func("/path/loop", test_loop);
    g_test_add_func("/path/if-else", test_if_else);
    g_test_add_func("/path/loop-divides", test_loop_divides);
    g_test_add_func("/path/meets-unseen", test_meets_unseen);
    g_test_add_func("/path/early-exit", test_early_exit);
    g_test_add_func("/path/guarded", test_guarded);
    g_test_add_func("/path/doubt", test_doubt);
    g_test_add_func("/path/call", test_call);
    g_test_add_func("/path/recorded-call", test_recorded_call);
    g_test_add_func("/path/constant-loop", test_constant_loop);
    g_test_add_func("/path/nested-loop", test_nested_loop);
    g_test_add_func("/path/meets-each-round", test_meets_each_round);
    g_test_add_func("/path/left-loop", test_left_loop);
    g_test_add_func("/path/unknown-loop", test_unknown_loop);
    g_test_add_func("/path/lost", test_lost);
    g_test_add_func("/path/copy", test_copy);
    g_test_add_func("/path/values", test_values);
    g_test_add_func("/path/syncwarp", test_syncwarp);
    return g_test_run();
}
