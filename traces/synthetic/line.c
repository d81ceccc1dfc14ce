/* SPDX-License-Identifier: MIT
 *
 * line.c - the patterns "stride" and "random": threads in one row, each of which accesses an
 * element of an array in global memory, again and again where the grid is smaller than the row or
 * several passes are asked for. Both are one kernel; they differ in how the element's number
 * follows from the thread's.
 */
#include "traces/synthetic/pattern.h"

enum { LINE_LOAD, LINE_STORE, LINE_ATOMIC, LINE_RED, LINE_COPY };

typedef struct line {
    uint64_t n, threads, passes;
    uint64_t base, copy_base;
    unsigned op;
    uint32_t access, copy; /* instructions */
    uint64_t bytes;
    uint64_t stride, offset; /* stride: in elements */
    uint64_t elements, seed; /* random: how many there are */
} line;

static const gmt_key stride_keys[] = {
    {"n", "1M", 1, UINT64_C(1) << 32, NULL, "elements accessed"},
    {"bytes", "4", 0, 0, "1|2|4|8|16", "size of an element"},
    {"stride", "1", 0, 1u << 20, NULL, "elements from one thread's to the next one's"},
    {"offset", "0", 0, 1u << 20, NULL, "elements before the first one: alignment"},
    {"op", "load", 0, 0, "load|store|atomic|red|copy", "what is done with an element"},
    {"passes", "1", 1, 1u << 20, NULL, "times that everything is done again"},
    {"block", "256", 1, 1024, NULL, "threads a CTA"},
    {"grid", "0", 0, INT32_MAX, NULL,
     "CTAs, which go round until all is done; 0: a thread for each"},
    GMT_KEYS_OF_ALL};

static const gmt_key random_keys[] = {
    {"n", "1M", 1, UINT64_C(1) << 32, NULL, "accesses"},
    {"bytes", "4", 0, 0, "1|2|4|8|16", "size of an element"},
    {"footprint", "64M", 1, UINT64_C(1) << 40, NULL, "bytes of the array"},
    {"seed", "1", 0, UINT64_MAX, NULL, "another number, another choice of elements"},
    {"op", "load", 0, 0, "load|store|atomic|red", "what is done with an element"},
    {"passes", "1", 1, 1u << 20, NULL, "times that the same elements are accessed again"},
    {"block", "256", 1, 1024, NULL, "threads a CTA"},
    {"grid", "0", 0, INT32_MAX, NULL,
     "CTAs, which go round until all is done; 0: a thread for each"},
    GMT_KEYS_OF_ALL};

/* R2: array, R4: the copy, R6 and R8: an element of each, R12: its number, R13: the thread's item,
 * R14: passes left, R15: threads of the grid, R16 to R19: data. */
static void put_access(gmt_code *c, line *l)
{
    const char *width = gmt_width(l->bytes);
    const unsigned size = (unsigned)l->bytes;
    gmt_code_put(c, "IMAD.WIDE.U32 R6, R12, 0x%x, R2", size);
    switch (l->op) {
    case LINE_LOAD:
        l->access = gmt_code_put(c, "LDG.E%s R16, desc[UR4][R6.64]", width);
        break;
    case LINE_STORE:
        l->access = gmt_code_put(c, "STG.E%s desc[UR4][R6.64], R16", width);
        break;
    case LINE_ATOMIC:
        l->access =
            gmt_code_put(c, "ATOMG.E.ADD%s.STRONG.GPU PT, R16, desc[UR4][R6.64], R10", width);
        break;
    case LINE_RED:
        l->access = gmt_code_put(c, "REDG.E.ADD%s.STRONG.GPU desc[UR4][R6.64], R10", width);
        break;
    default:
        l->access = gmt_code_put(c, "LDG.E%s R16, desc[UR4][R6.64]", width);
        gmt_code_put(c, "IMAD.WIDE.U32 R8, R12, 0x%x, R4", size);
        l->copy = gmt_code_put(c, "STG.E%s desc[UR4][R8.64], R16", width);
    }
}

static void put_code(gmt_code *c, line *l, bool random)
{
    const bool around = l->n > l->threads, again = l->passes > 1;
    gmt_code_put(c, "LDC R1, c[0x0][0x28]");
    gmt_code_put(c, "S2R R13, SR_TID.X");
    gmt_code_put(c, "S2UR UR4, SR_CTAID.X");
    gmt_code_put(c, "LDC R0, c[0x0][0x0]");
    gmt_code_put(c, "IMAD R0, R0, UR4, R13");
    gmt_code_put(c, "ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x220], PT");
    gmt_code_put(c, "@P0 EXIT");
    gmt_code_put(c, "ULDC.64 UR4, c[0x0][0x208]");
    gmt_code_put(c, "LDC.64 R2, c[0x0][0x210]");
    if (l->op == LINE_COPY)
        gmt_code_put(c, "LDC.64 R4, c[0x0][0x218]");
    if (around)
        gmt_code_put(c, "LDC R15, c[0x0][0x224]");
    if (l->op == LINE_ATOMIC || l->op == LINE_RED)
        gmt_code_put(c, "CS2R R10, SRZ");
    else if (l->op == LINE_STORE)
        for (unsigned i = 0; i < gmt_words(l->bytes); i++)
            gmt_code_put(c, "MOV R%u, RZ", 16 + i);
    if (again)
        gmt_code_put(c, "MOV R14, 0x%x", (unsigned)l->passes);
    gmt_code_label(c, 0);
    gmt_code_put(c, "MOV R13, R0");
    if (around)
        gmt_code_put(c, "BSSY B0, `(.L_2)");
    gmt_code_label(c, 1);
    if (random) {
        gmt_code_put(c, "IMAD R12, R13, 0x%x, RZ", 0x9e3779b1u);
        gmt_code_put(c, "SHF.R.U32.HI R11, RZ, 0xf, R12");
        gmt_code_put(c, "LOP3.LUT R12, R12, R11, RZ, 0x3c, !PT");
        gmt_code_put(c, "IMAD.HI.U32 R12, R12, 0x%x, RZ", (unsigned)l->elements);
    } else {
        gmt_code_put(c, "IMAD R12, R13, 0x%x, RZ", (unsigned)l->stride);
        if (l->offset)
            gmt_code_put(c, "IADD3 R12, R12, 0x%x, RZ", (unsigned)l->offset);
    }
    put_access(c, l);
    if (around) {
        gmt_code_put(c, "IADD3 R13, R13, R15, RZ");
        gmt_code_put(c, "ISETP.GE.U32.AND P0, PT, R13, c[0x0][0x220], PT");
        gmt_code_put(c, "@!P0 BRA `(.L_1)");
        gmt_code_label(c, 2);
        gmt_code_put(c, "BSYNC B0");
    }
    if (again) {
        gmt_code_put(c, "IADD3 R14, R14, -0x1, RZ");
        gmt_code_put(c, "ISETP.NE.AND P1, PT, R14, RZ, PT");
        gmt_code_put(c, "@P1 BRA `(.L_0)");
    }
    /* What was loaded must be used, or a compiler would leave the load out. This never stores. */
    if (l->op == LINE_LOAD || l->op == LINE_ATOMIC) {
        gmt_code_put(c, "ISETP.NE.AND P0, PT, R16, 0x12345678, PT");
        gmt_code_put(c, "@P0 EXIT");
        gmt_code_put(c, "STG.E desc[UR4][R2.64], R16");
    }
    gmt_code_put(c, "EXIT");
}

static bool make(gmt_synthetic *s, line *l, uint64_t array, bool random, gmtrace_error *error)
{
    l->n = gmt_number(s, "n");
    l->passes = gmt_number(s, "passes");
    l->op = gmt_get(s, "op").choice;
    if ((l->op == LINE_ATOMIC || l->op == LINE_RED) && l->bytes != 4 && l->bytes != 8)
        return gmt_impossible(s, error, "atomics and reductions are of 4 or 8 bytes");
    if (!gmt_line_grid(s, l->n, error) || !gmt_allocate(s, array, &l->base, error) ||
        (l->op == LINE_COPY && !gmt_allocate(s, array, &l->copy_base, error)))
        return false;
    l->threads = (uint64_t)s->launch.grid[0] * s->launch.block[0];
    put_code(&s->code, l, random);
    return true;
}

static bool make_stride(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    line *l = state;
    l->bytes = gmt_number(s, "bytes");
    l->stride = gmt_number(s, "stride");
    l->offset = gmt_number(s, "offset");
    const uint64_t last = (gmt_number(s, "n") - 1) * l->stride + l->offset;
    return make(s, l, (last + 1) * l->bytes, false, error);
}

static bool make_random(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    line *l = state;
    l->bytes = gmt_number(s, "bytes");
    l->seed = gmt_number(s, "seed");
    l->elements = gmt_number(s, "footprint") / l->bytes;
    if (!l->elements)
        return gmt_impossible(s, error, "footprint is smaller than one element");
    return make(s, l, l->elements * l->bytes, true, error);
}

static bool warp_stride(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t warp,
                        gmtrace_error *error)
{
    const line *l = state;
    const uint64_t first = cta * s->threads + warp * GMTRACE_WARP_LANES;
    const int32_t stride = (int32_t)(l->stride * l->bytes);
    for (uint64_t pass = 0; pass < l->passes; pass++)
        for (uint64_t i = first; i < l->n; i += l->threads) {
            const uint32_t mask = gmt_live(s, warp) & gmt_lowest(l->n - i);
            const uint64_t at = (i * l->stride + l->offset) * l->bytes;
            if (!gmt_affine(s, cta, warp, l->access, mask, l->base + at, stride, error))
                return false;
            if (l->op == LINE_COPY &&
                !gmt_affine(s, cta, warp, l->copy, mask, l->copy_base + at, stride, error))
                return false;
        }
    return true;
}

/* SplitMix64 (Steele, Lea, Flood 2014): the number of step i of the sequence that begins at seed.
 */
static uint64_t splitmix(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below `limit`: its share of that is the share of 2^64 that `random` is. */
static uint64_t below(uint64_t limit, uint64_t random)
{
    return (uint64_t)((unsigned __int128)limit * random >> 64);
}

static bool warp_random(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t warp,
                        gmtrace_error *error)
{
    const line *l = state;
    const uint64_t first = cta * s->threads + warp * GMTRACE_WARP_LANES;
    for (uint64_t pass = 0; pass < l->passes; pass++)
        for (uint64_t i = first; i < l->n; i += l->threads) {
            uint64_t address[GMTRACE_WARP_LANES];
            for (unsigned lane = 0; lane < GMTRACE_WARP_LANES; lane++) {
                const uint64_t element = below(l->elements, splitmix(l->seed, i + lane));
                address[lane] = l->base + element * l->bytes;
            }
            const uint32_t mask = gmt_live(s, warp) & gmt_lowest(l->n - i);
            if (!gmt_lanes(s, cta, warp, l->access, mask, address, error))
                return false;
        }
    return true;
}

const gmt_pattern gmt_pattern_stride = {
    .name = "stride",
    .meaning = "thread i accesses element i * stride of an array in global memory",
    .keys = stride_keys,
    .state_size = sizeof(line),
    .make = make_stride,
    .warp = warp_stride};

const gmt_pattern gmt_pattern_random = {
    .name = "random",
    .meaning = "each thread accesses an element of a global array chosen at random",
    .keys = random_keys,
    .state_size = sizeof(line),
    .make = make_random,
    .warp = warp_random};
