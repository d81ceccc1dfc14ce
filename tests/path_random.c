/* SPDX-License-Identifier: MIT
 *
 * path_random.c - random structured programs run by a small model of a warp: lanes that diverge are
 * executed apart from the branch to the BSYNC, where they wait for each other. What the model
 * records is given to gmtrace_path_step(), whose count is compared with what the model executed.
 * Every side of a branch and every loop has a load, so that the records decide the way.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "traces/path.h"

#define MAX_CODE  400u
#define MAX_DEPTH 4
#define LANES     GMTRACE_WARP_LANES

typedef struct program {
    gmtrace_instr code[MAX_CODE];
    uint32_t count;
    uint32_t barrier[MAX_CODE]; /* of BSSY and BSYNC */
    uint32_t barriers;
    GRand *random;
} program;

typedef enum shape { SHAPE_ALU, SHAPE_LOAD, SHAPE_IF, SHAPE_IF_ELSE, SHAPE_LOOP, SHAPES } shape;

static uint32_t emit(program *p, const char *opcode, gmtrace_class op_class, gmtrace_space space)
{
    g_assert_cmpuint(p->count, <, MAX_CODE);
    p->code[p->count] = (gmtrace_instr){.opcode = opcode,
                                        .operands = "",
                                        .op_class = (uint8_t)op_class,
                                        .space = (uint8_t)space,
                                        .width = space == GMTRACE_SPACE_NONE ? 0 : 4,
                                        .target = GMTRACE_NO_INSTR,
                                        .predicate = GMTRACE_NO_REGISTER,
                                        .stall = 1,
                                        .write_barrier = 7,
                                        .read_barrier = 7};
    return p->count++;
}

static void emit_load(program *p)
{
    emit(p, "LDG.E", GMTRACE_CLASS_LOAD, GMTRACE_SPACE_GLOBAL);
}

static void emit_alu(program *p)
{
    for (int n = g_rand_int_range(p->random, 0, 3); n >= 0; n--)
        emit(p, "IADD3", GMTRACE_CLASS_INT, GMTRACE_SPACE_NONE);
}

static uint32_t emit_branch(program *p, bool conditional)
{
    if (conditional) { /* a comparison, so that nothing is known of the predicate */
        const uint32_t at = emit(p, "FSETP.GT.AND", GMTRACE_CLASS_FP32, GMTRACE_SPACE_NONE);
        p->code[at].operand[0] = (gmtrace_operand){GMTRACE_REG_PREDICATE, 0, 1, 1};
        p->code[at].operand_count = 1;
    }
    const uint32_t at = emit(p, "BRA", GMTRACE_CLASS_BRANCH, GMTRACE_SPACE_NONE);
    if (conditional)
        p->code[at].predicate = 0;
    return at;
}

static void emit_list(program *p, int depth, bool needs_load);

static void emit_one(program *p, int depth)
{
    const bool flat = depth >= MAX_DEPTH || p->count > MAX_CODE / 3;
    const shape what = (shape)g_rand_int_range(p->random, 0, flat ? SHAPE_IF : SHAPES);
    if (what == SHAPE_ALU)
        emit_alu(p);
    if (what == SHAPE_LOAD)
        emit_load(p);
    if (what < SHAPE_IF)
        return;
    const uint32_t barrier = p->barriers++;
    p->barrier[emit(p, "BSSY", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE)] = barrier;
    if (what == SHAPE_LOOP) {
        const uint32_t top = p->count;
        emit_list(p, depth + 1, true);
        p->code[emit_branch(p, true)].target = top;
    } else {
        const uint32_t branch = emit_branch(p, true);
        emit_list(p, depth + 1, true);
        if (what == SHAPE_IF_ELSE) {
            const uint32_t jump = emit_branch(p, false);
            p->code[branch].target = p->count;
            emit_list(p, depth + 1, true);
            p->code[jump].target = p->count;
        } else {
            p->code[branch].target = p->count;
        }
    }
    p->barrier[emit(p, "BSYNC", GMTRACE_CLASS_RECONVERGE, GMTRACE_SPACE_NONE)] = barrier;
}

static void emit_list(program *p, int depth, bool needs_load)
{
    emit_alu(p);
    const int load_at = g_rand_int_range(p->random, 0, 3);
    for (int i = 0; i < 3; i++) {
        if (i == load_at && needs_load)
            emit_load(p);
        emit_one(p, depth);
    }
}

/* -------------------------------------------------------------------------------------- a warp */

typedef struct group {
    uint32_t at, mask;
} group;

typedef struct warp {
    group ready[LANES];
    uint32_t ready_count;
    uint32_t member[MAX_CODE], arrived[MAX_CODE]; /* by barrier */
    uint64_t executed;
} warp;

/* Which of the lanes take the branch: often all or none. */
static uint32_t decide(program *p, uint32_t mask)
{
    switch (g_rand_int_range(p->random, 0, 4)) {
    case 0:
        return mask;
    case 1:
        return 0;
    default:
        return mask & g_rand_int(p->random) &
               (g_rand_boolean(p->random) ? g_rand_int(p->random) : UINT32_MAX);
    }
}

/* Runs until the group has nothing more to do; parts of it are put aside. */
static void run_group(program *p, warp *w, group g, gmtrace_paths *paths, gmtrace_path_warp *told)
{
    for (;;) {
        const gmtrace_instr *in = &p->code[g.at];
        w->executed++;
        if (in->op_class == GMTRACE_CLASS_EXIT)
            return;
        if (in->op_class == GMTRACE_CLASS_LOAD) {
            const gmtrace_record record = {.instr = g.at, .mask = g.mask, .op = GMTRACE_OP_LOAD};
            gmtrace_path_step(paths, told, &record);
        }
        if (strcmp(in->opcode, "BSSY") == 0) {
            w->member[p->barrier[g.at]] = g.mask;
            w->arrived[p->barrier[g.at]] = 0;
        }
        if (strcmp(in->opcode, "BSYNC") == 0) {
            w->arrived[p->barrier[g.at]] |= g.mask;
            if (w->arrived[p->barrier[g.at]] != w->member[p->barrier[g.at]])
                return;
            g.mask = w->member[p->barrier[g.at]];
        }
        if (in->op_class != GMTRACE_CLASS_BRANCH) {
            g.at++;
            continue;
        }
        const uint32_t taken = in->predicate == 0 ? decide(p, g.mask) : g.mask;
        if (taken == g.mask || taken == 0) {
            g.at = taken ? in->target : g.at + 1;
            continue;
        }
        group later = {in->target, taken};
        group now = {g.at + 1, g.mask & ~taken};
        if (g_rand_boolean(p->random)) {
            const group other = later;
            later = now;
            now = other;
        }
        w->ready[w->ready_count++] = later;
        g = now;
    }
}

/* The error of one program's count over a few warps, in percent. */
static double run_program(uint32_t seed, bool verbose)
{
    static program p;
    memset(&p, 0, sizeof p);
    p.random = g_rand_new_with_seed(seed);
    emit_list(&p, 0, false);
    emit_list(&p, 0, false);
    emit(&p, "EXIT", GMTRACE_CLASS_EXIT, GMTRACE_SPACE_NONE);
    const gmtrace_kernel kernel = {.instr = p.code, .instr_count = p.count};
    gmtrace_paths *paths = gmtrace_paths_create(&kernel, GMTRACE_DETAIL_MEMORY);
    uint64_t executed = 0;
    for (int i = 0; i < 8; i++) {
        static warp w;
        gmtrace_path_warp told;
        memset(&w, 0, sizeof w);
        gmtrace_path_enter(paths, &told, UINT32_MAX);
        w.ready[w.ready_count++] = (group){0, UINT32_MAX};
        while (w.ready_count) {
            const group next = w.ready[--w.ready_count];
            run_group(&p, &w, next, paths, &told);
        }
        gmtrace_path_end(paths, &told);
        executed += w.executed;
    }
    const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
    g_assert_false(gmtrace_paths_failed(paths));
    gmtrace_paths_free(paths);
    g_rand_free(p.random);
    const double error = ((double)counts.instructions / (double)executed - 1) * 100;
    if (verbose)
        g_test_message("seed %u: %u instructions of code, executed %" G_GUINT64_FORMAT
                       ", counted %" G_GUINT64_FORMAT " (%+.2f %%), lost %" G_GUINT64_FORMAT,
                       seed, p.count, executed, counts.instructions, error, counts.lost);
    g_assert_cmpuint(counts.lost, ==, 0);
    return error;
}

static void test_random(void)
{
    double sum = 0, worst = 0;
    const uint32_t programs = 1000;
    for (uint32_t seed = 1; seed <= programs; seed++) {
        const double error = run_program(seed, false), size = error < 0 ? -error : error;
        sum += size;
        if (size > worst) {
            worst = size;
            run_program(seed, true);
        }
    }
    g_test_message("mean error %.3f %%, worst %.3f %%", sum / programs, worst);
    g_assert_cmpfloat(sum / programs, <=, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/path/random", test_random);
    return g_test_run();
}
