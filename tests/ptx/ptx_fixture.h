/* SPDX-License-Identifier: MIT
 *
 * ptx_fixture.h - runs a few lines of PTX over lanes of values.
 */
#ifndef PTX_FIXTURE_H
#define PTX_FIXTURE_H

#include "traces/ptx/ptx.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define LANES 32

typedef struct ptx_case {
    gmptx_module *module;
    const gmptx_kernel *kernel;
    gmtrace_error error;
    gmptx_result result;
} ptx_case;

static inline void case_open(ptx_case *c, const char *text, const char *kernel)
{
    memset(c, 0, sizeof *c);
    c->module = gmptx_parse(text, strlen(text), "test", &c->error);
    if (!c->module)
        g_error("%s\n%s", c->error.text, text);
    c->kernel = gmptx_find_kernel(c->module, kernel, &c->error);
    if (!c->kernel)
        g_error("%s\n%s", c->error.text, text);
}

static inline bool case_run(ptx_case *c, uint32_t grid, uint32_t block, uint32_t shared,
                            void *const *args)
{
    const gmptx_launch launch = {.kernel = c->kernel,
                                 .grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .dynamic_shared = shared,
                                 .args = args,
                                 .instruction_limit = 1 << 20};
    return gmptx_run(&launch, &c->result, &c->error);
}

static inline void case_close(ptx_case *c)
{
    gmptx_free(c->module);
}

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* One instruction over d, a, b, c with registers of so many bytes. Only the first `threads` lanes
 * execute it; the others must keep their results. */
static inline void run_instruction(const char *instruction, void *d, unsigned db, const void *a,
                                   unsigned ab, const void *b, unsigned bb, const void *c,
                                   unsigned cb, unsigned threads)
{
    g_autofree char *text = g_strdup_printf(
        PTX_HEAD
        ".visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc,"
        " .param .u32 pn)\n"
        "{ .reg .b%u %%d; .reg .b%u %%a; .reg .b%u %%b; .reg .b%u %%c; .reg .b64 %%x<5>;\n"
        "  .reg .b32 %%t<4>; .reg .pred %%p<4>; .reg .b64 %%y<2>;\n"
        "  mov.u32 %%t0, %%tid.x;\n"
        "  mul.wide.u32 %%x0, %%t0, %u; ld.param.u64 %%x1, [pd]; add.u64 %%x1, %%x1, %%x0;\n"
        "  mul.wide.u32 %%x0, %%t0, %u; ld.param.u64 %%x2, [pa]; add.u64 %%x2, %%x2, %%x0;\n"
        "  mul.wide.u32 %%x0, %%t0, %u; ld.param.u64 %%x3, [pb]; add.u64 %%x3, %%x3, %%x0;\n"
        "  mul.wide.u32 %%x0, %%t0, %u; ld.param.u64 %%x4, [pc]; add.u64 %%x4, %%x4, %%x0;\n"
        "  ld.global.b%u %%d, [%%x1]; ld.global.b%u %%a, [%%x2];\n"
        "  ld.global.b%u %%b, [%%x3]; ld.global.b%u %%c, [%%x4];\n"
        "  ld.param.u32 %%t1, [pn]; setp.ge.u32 %%p0, %%t0, %%t1;\n"
        "  setp.ne.u32 %%p1, %%t0, 3;\n"
        "  @%%p0 bra DONE;\n"
        "  %s;\n"
        "DONE: st.global.b%u [%%x1], %%d; ret; }\n",
        db * 8, ab * 8, bb * 8, cb * 8, db, ab, bb, cb, db * 8, ab * 8, bb * 8, cb * 8, instruction,
        db * 8);
    ptx_case k;
    case_open(&k, text, "k");
    void *args[] = {&d, &a, &b, &c, &threads};
    if (!case_run(&k, 1, LANES, 0, args))
        g_error("%s: %s", instruction, k.error.text);
    case_close(&k);
}

/* Values that find mistakes: small, extreme, and any. kind: 'i', 'f', 'd' */
static inline uint64_t value_of(char kind, unsigned bytes, unsigned at, GRand *rand)
{
    static const uint64_t ints[] = {
        0,  1,  UINT64_MAX, 0x8000000080008000u, 0x7fffffff7fff7fffu, 2, 31, 32,
        33, 64, 0xff,       UINT64_MAX - 1};
    static const double reals[] = {0.0,       -0.0, 1.0,     -1.0,  0.5,          1.5,
                                   2.5,       -2.5, 3e38,    -3e38, 1e-40,        INFINITY,
                                   -INFINITY, NAN,  65504.0, 1e-7,  2147483648.0, 0.1};
    uint64_t bits = 0;
    if (kind == 'i') {
        if (at % 3 && at < 24)
            bits = ints[(at * 7 + bytes) % G_N_ELEMENTS(ints)];
        else
            bits = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
        return bits;
    }
    double v = at < G_N_ELEMENTS(reals) ? reals[at] : g_rand_double_range(rand, -1000, 1000);
    if (kind == 'f') {
        const float f = (float)v;
        memcpy(&bits, &f, sizeof f);
    } else {
        memcpy(&bits, &v, sizeof v);
    }
    return bits;
}

static inline void fill_lanes(uint8_t *to, char kind, unsigned bytes, GRand *rand, unsigned turn)
{
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t v = value_of(kind, bytes, (i + turn) % LANES, rand);
        memcpy(to + i * bytes, &v, bytes);
    }
}

#define KIND(T) _Generic((T)0, float : 'f', double : 'd', default : 'i')

/* A lane is right when its bits are, or when both are NaN. */
static inline bool lane_equal(char kind, unsigned bytes, const uint8_t *a, const uint8_t *b)
{
    float fa, fb;
    double da, db;
    if (memcmp(a, b, bytes) == 0)
        return true;
    if (kind == 'f') {
        memcpy(&fa, a, sizeof fa);
        memcpy(&fb, b, sizeof fb);
        return isnan(fa) && isnan(fb);
    }
    if (kind == 'd') {
        memcpy(&da, a, sizeof da);
        memcpy(&db, b, sizeof db);
        return isnan(da) && isnan(db);
    }
    return false;
}

/* An instruction under test, d of a, b and c: eight turns of other values, in every second one by
 * the first 13 lanes alone. Functions, not a macro: hundreds of uses are compiled in every build.
 */
enum { TRIAL_D, TRIAL_A, TRIAL_B, TRIAL_C, TRIAL_VALUES };

typedef struct trial {
    const char *text;
    const char kind[TRIAL_VALUES];
    const uint8_t size[TRIAL_VALUES];
    unsigned turn, lane, threads; /* turns begun; the lane to look at; how many execute */
    _Alignas(8) uint8_t value[TRIAL_VALUES][LANES * 8];
} trial;

/* The next lane of the next turn, executed; false: there was no more. */
static G_GNUC_UNUSED bool trial_next(trial *t)
{
    if (t->turn > 0 && ++t->lane < LANES)
        return true;
    if (t->turn == 8)
        return false;
    GRand *rand = g_rand_new_with_seed(t->turn + 17);
    t->threads = t->turn % 2 ? 13 : LANES;
    fill_lanes(t->value[TRIAL_A], t->kind[TRIAL_A], t->size[TRIAL_A], rand, 0);
    fill_lanes(t->value[TRIAL_B], t->kind[TRIAL_B], t->size[TRIAL_B], rand, t->turn * 5);
    fill_lanes(t->value[TRIAL_C], t->kind[TRIAL_C], t->size[TRIAL_C], rand, t->turn * 11);
    memset(t->value[TRIAL_D], 0x5a, sizeof t->value[TRIAL_D]);
    run_instruction(t->text, t->value[TRIAL_D], t->size[TRIAL_D], t->value[TRIAL_A],
                    t->size[TRIAL_A], t->value[TRIAL_B], t->size[TRIAL_B], t->value[TRIAL_C],
                    t->size[TRIAL_C], t->threads);
    g_rand_free(rand);
    t->turn++;
    t->lane = 0;
    return true;
}

static G_GNUC_UNUSED void trial_get(const trial *t, unsigned which, void *value)
{
    memcpy(value, t->value[which] + t->lane * t->size[which], t->size[which]);
}

/* The lane's d must be what is expected. */
static G_GNUC_UNUSED void trial_expect(const trial *t, const void *expected)
{
    uint64_t shown[TRIAL_VALUES] = {0}, wanted = 0;
    const uint8_t *d = t->value[TRIAL_D] + t->lane * t->size[TRIAL_D];
    if (lane_equal(t->kind[TRIAL_D], t->size[TRIAL_D], d, expected))
        return;
    for (unsigned which = 0; which < TRIAL_VALUES; which++)
        trial_get(t, which, &shown[which]);
    memcpy(&wanted, expected, t->size[TRIAL_D]);
    g_error("%s: lane %u of %u: a=%" G_GINT64_MODIFIER "x b=%" G_GINT64_MODIFIER
            "x c=%" G_GINT64_MODIFIER "x: %" G_GINT64_MODIFIER "x, expected %" G_GINT64_MODIFIER
            "x",
            t->text, t->lane, t->threads, shown[TRIAL_A], shown[TRIAL_B], shown[TRIAL_C],
            shown[TRIAL_D], wanted);
}

/* TEXT computes %d of type D from %a %b %c of types A B C; EXPR says what it must be, with a, b, c
 * and the lane i. */
#define CHECK(TEXT, D, A, B, C, EXPR)                                                              \
    for (trial t_ = {.text = TEXT,                                                                 \
                    .kind = {KIND(D), KIND(A), KIND(B), KIND(C)},                                  \
                    .size = {sizeof(D), sizeof(A), sizeof(B), sizeof(C)}};                         \
         trial_next(&t_);) {                                                                       \
        const unsigned i = t_.lane;                                                                \
        A a;                                                                                       \
        B b;                                                                                       \
        C c;                                                                                       \
        D d;                                                                                       \
        trial_get(&t_, TRIAL_A, &a);                                                               \
        trial_get(&t_, TRIAL_B, &b);                                                               \
        trial_get(&t_, TRIAL_C, &c);                                                               \
        memset(&d, 0x5a, sizeof d);                                                                \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        if (i < t_.threads)                                                                        \
            d = (D)(EXPR);                                                                         \
        trial_expect(&t_, &d);                                                                     \
    }

#endif
