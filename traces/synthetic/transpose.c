/* SPDX-License-Identifier: MIT
 *
 * transpose.c - the pattern "transpose": a matrix is transposed tile by tile through shared memory,
 * or straight from global to global memory. A CTA of tile x rows threads moves a tile of tile x
 * tile elements; where the matrix ends inside a tile, lanes beyond it are off.
 */
#include "traces/synthetic/pattern.h"

enum { VIA_SHARED, VIA_GLOBAL };
enum { SWIZZLE_NONE, SWIZZLE_XOR };

#define MOST_STEPS 32u /* tile / rows: instructions of each kind */

typedef struct transpose {
    uint64_t n, bytes, from, to;
    uint32_t tile, rows, steps, pitch; /* pitch: elements from a row of the tile to the next */
    bool shared, swizzled;
    uint32_t read[MOST_STEPS], put[MOST_STEPS], get[MOST_STEPS], write[MOST_STEPS], barrier;
} transpose;

static const gmt_key keys[] = {
    {"n", "1K", 1, 1u << 17, NULL, "rows and columns of the matrix"},
    {"bytes", "4", 0, 0, "1|2|4|8|16", "size of an element"},
    {"tile", "32", 1, 64, NULL, "rows and columns of a tile"},
    {"rows", "8", 1, 64, NULL, "rows of threads; each thread moves tile / rows elements"},
    {"pad", "0", 0, 64, NULL, "unused elements behind each row of the tile in shared memory"},
    {"swizzle", "none", 0, 0, "none|xor", "xor: element (y, x) of the tile lies in column x ^ y"},
    {"via", "shared", 0, 0, "shared|global", "global: straight, with uncoalesced stores"},
    GMT_KEYS_OF_ALL};

/* ---------------------------------------------------------------------------------------- code */

/* R0, R2: thread's x and y; R3, R4: column and row in the matrix; R6: the matrix read, R8:
 * the one written; R10 and R12: places in the tile; R16: an address; data from R20. */
static void put_start(gmt_code *c, const transpose *t)
{
    gmt_code_put(c, "LDC R1, c[0x0][0x28]");
    gmt_code_put(c, "S2R R0, SR_TID.X");
    gmt_code_put(c, "S2R R2, SR_TID.Y");
    gmt_code_put(c, "S2UR UR4, SR_CTAID.X");
    gmt_code_put(c, "S2UR UR5, SR_CTAID.Y");
    gmt_code_put(c, "LDC R14, c[0x0][0x220]");
    gmt_code_put(c, "ULDC.64 UR6, c[0x0][0x208]");
    gmt_code_put(c, "LDC.64 R6, c[0x0][0x218]");
    gmt_code_put(c, "LDC.64 R8, c[0x0][0x210]");
    gmt_code_put(c, "MOV R15, 0x%x", t->tile);
    gmt_code_put(c, "IMAD R3, R15, UR4, R0");
    gmt_code_put(c, "IMAD R4, R15, UR5, R2");
}

/* "@!P0 " where lanes may lie outside the matrix, after the comparison that says so. */
static const char *put_guard(gmt_code *c, const transpose *t, const char *row, const char *column)
{
    if (t->n % t->tile == 0)
        return "";
    gmt_code_put(c, "VIMNMX.S32 R13, %s, %s, !PT", row, column);
    gmt_code_put(c, "ISETP.GE.AND P0, PT, R13, R14, PT");
    return "@!P0 ";
}

static void put_global(gmt_code *c, transpose *t)
{
    const unsigned bytes = (unsigned)t->bytes;
    for (unsigned j = 0; j < t->steps; j++) {
        const char *guard = put_guard(c, t, "R4", "R3");
        gmt_code_put(c, "IMAD R5, R4, R14, R3");
        gmt_code_put(c, "IMAD.WIDE.U32 R10, R5, 0x%x, R6", bytes);
        t->read[j] =
            gmt_code_put(c, "%sLDG.E%s R16, desc[UR6][R10.64]", guard, gmt_width(t->bytes));
        gmt_code_put(c, "IMAD R5, R3, R14, R4");
        gmt_code_put(c, "IMAD.WIDE.U32 R10, R5, 0x%x, R8", bytes);
        t->write[j] =
            gmt_code_put(c, "%sSTG.E%s desc[UR6][R10.64], R16", guard, gmt_width(t->bytes));
        if (j + 1 < t->steps)
            gmt_code_put(c, "IADD3 R4, R4, 0x%x, RZ", t->rows);
    }
    gmt_code_put(c, "EXIT");
}

/* Puts or gets step j's element: along a row of the tile, or down a column. */
static uint32_t put_tile(gmt_code *c, const transpose *t, unsigned j, bool store, unsigned data)
{
    const unsigned bytes = (unsigned)t->bytes;
    const unsigned place = store ? 10 : 12;
    unsigned step = j * t->rows * bytes * (store ? t->pitch : 1);
    if (t->swizzled) {
        gmt_code_put(c, "IADD3 R11, R2, 0x%x, RZ", j * t->rows);
        gmt_code_put(c, "LOP3.LUT R13, R11, R0, RZ, 0x3c, !PT");
        gmt_code_put(c, "IMAD R%u, %s, 0x%x, R13", place, store ? "R11" : "R0", t->pitch);
        if (bytes > 1)
            gmt_code_put(c, "IMAD R%u, R%u, 0x%x, RZ", place, place, bytes);
        step = 0;
    }
    if (store)
        return gmt_code_put(c, "STS%s [R10+0x%x], R%u", gmt_width(t->bytes), step, data);
    return gmt_code_put(c, "LDS%s R%u, [R12+0x%x]", gmt_width(t->bytes), data, step);
}

static void put_shared(gmt_code *c, transpose *t)
{
    const unsigned words = gmt_words(t->bytes), bytes = (unsigned)t->bytes;
    if (!t->swizzled) {
        gmt_code_put(c, "IMAD R10, R2, 0x%x, RZ", t->pitch * bytes);
        gmt_code_put(c, "IMAD R10, R0, 0x%x, R10", bytes);
        gmt_code_put(c, "IMAD R12, R0, 0x%x, RZ", t->pitch * bytes);
        gmt_code_put(c, "IMAD R12, R2, 0x%x, R12", bytes);
    }
    /* Loads in flight together, as many as there are registers for. */
    const unsigned group = t->steps * words <= 128 ? t->steps : 128 / words;
    for (unsigned first = 0; first < t->steps; first += group) {
        const unsigned end = first + group < t->steps ? first + group : t->steps;
        for (unsigned j = first; j < end; j++) {
            const char *guard = put_guard(c, t, "R4", "R3");
            gmt_code_put(c, "IMAD R5, R4, R14, R3");
            gmt_code_put(c, "IMAD.WIDE.U32 R16, R5, 0x%x, R6", bytes);
            t->read[j] = gmt_code_put(c, "%sLDG.E%s R%u, desc[UR6][R16.64]", guard,
                                      gmt_width(t->bytes), 20 + (j - first) * words);
            gmt_code_put(c, "IADD3 R4, R4, 0x%x, RZ", t->rows);
        }
        for (unsigned j = first; j < end; j++)
            t->put[j] = put_tile(c, t, j, true, 20 + (j - first) * words);
    }
    t->barrier = gmt_code_put(c, "BAR.SYNC.DEFER_BLOCKING 0x0");
    gmt_code_put(c, "IMAD R3, R15, UR5, R0");
    gmt_code_put(c, "IMAD R4, R15, UR4, R2");
    for (unsigned j = 0; j < t->steps; j++) {
        t->get[j] = put_tile(c, t, j, false, 20);
        const char *guard = put_guard(c, t, "R4", "R3");
        gmt_code_put(c, "IMAD R5, R4, R14, R3");
        gmt_code_put(c, "IMAD.WIDE.U32 R16, R5, 0x%x, R8", bytes);
        t->write[j] =
            gmt_code_put(c, "%sSTG.E%s desc[UR6][R16.64], R20", guard, gmt_width(t->bytes));
        if (j + 1 < t->steps)
            gmt_code_put(c, "IADD3 R4, R4, 0x%x, RZ", t->rows);
    }
    gmt_code_put(c, "EXIT");
}

static bool make(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    transpose *t = state;
    t->n = gmt_number(s, "n");
    t->bytes = gmt_number(s, "bytes");
    t->tile = (uint32_t)gmt_number(s, "tile");
    t->rows = (uint32_t)gmt_number(s, "rows");
    t->pitch = t->tile + (uint32_t)gmt_number(s, "pad");
    t->shared = gmt_get(s, "via").choice == VIA_SHARED;
    t->swizzled = gmt_get(s, "swizzle").choice == SWIZZLE_XOR;
    if (t->tile % t->rows || t->tile / t->rows > MOST_STEPS)
        return gmt_impossible(s, error, "rows=%u must divide tile=%u, at most %u times", t->rows,
                              t->tile, MOST_STEPS);
    if (t->tile * t->rows > 1024)
        return gmt_impossible(s, error, "tile=%u times rows=%u is more than 1024 threads", t->tile,
                              t->rows);
    if (t->swizzled && (t->tile & (t->tile - 1)))
        return gmt_impossible(s, error, "swizzle=xor needs a tile that is a power of two");
    t->steps = t->tile / t->rows;
    const uint32_t across = (uint32_t)((t->n + t->tile - 1) / t->tile);
    s->launch.grid[0] = s->launch.grid[1] = across;
    s->launch.block[0] = t->tile;
    s->launch.block[1] = t->rows;
    const uint64_t size = t->n * t->n * t->bytes;
    if (!gmt_allocate(s, size, &t->to, error) || !gmt_allocate(s, size, &t->from, error))
        return false;
    put_start(&s->code, t);
    if (t->shared) {
        s->shared = (uint64_t)t->tile * t->pitch * t->bytes;
        put_shared(&s->code, t);
    } else {
        put_global(&s->code, t);
    }
    return true;
}

/* --------------------------------------------------------------------------------------- lanes */

/* Where a CTA's threads stand: (left, top) in the matrix is that of thread (0, 0). */
typedef struct corner {
    uint64_t left, top;
} corner;

/* The lanes of the warp, `below` rows further down, that lie in the matrix. */
static uint32_t inside(const gmt_synthetic *s, const transpose *t, uint32_t w, corner at,
                       uint32_t below)
{
    uint32_t mask = gmt_live(s, w);
    if (t->n % t->tile == 0)
        return mask;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        const uint32_t thread = w * GMTRACE_WARP_LANES + i;
        if (at.left + thread % t->tile >= t->n || at.top + thread / t->tile + below >= t->n)
            mask &= ~(1u << i);
    }
    return mask;
}

/* One instruction's access to a matrix, `below` rows further down; `turned` exchanges row and
 * column. */
static bool global(gmt_synthetic *s, const transpose *t, uint64_t cta, uint32_t w, uint32_t instr,
                   uint64_t base, corner at, uint32_t below, bool turned, gmtrace_error *error)
{
    const uint64_t along = turned ? t->n * t->bytes : t->bytes;
    const uint64_t across = turned ? t->bytes : t->n * t->bytes;
    base += at.left * along + (at.top + below) * across;
    return gmt_plane(s, cta, w, instr, inside(s, t, w, at, below), base, t->tile, along, across,
                     error);
}

/* The same in the tile. Swizzled, element (y, x) lies in column x ^ y. */
static bool shared(gmt_synthetic *s, const transpose *t, uint64_t cta, uint32_t w, uint32_t instr,
                   uint32_t below, bool turned, gmtrace_error *error)
{
    const uint64_t row = t->pitch * t->bytes;
    const uint32_t mask = gmt_live(s, w);
    if (!t->swizzled)
        return gmt_plane(s, cta, w, instr, mask, below * (turned ? t->bytes : row), t->tile,
                         turned ? row : t->bytes, turned ? t->bytes : row, error);
    uint64_t address[GMTRACE_WARP_LANES];
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
        const uint32_t thread = w * GMTRACE_WARP_LANES + i;
        const uint32_t x = thread % t->tile, y = thread / t->tile + below;
        address[i] = (turned ? x : y) * row + (x ^ y) * t->bytes;
    }
    return gmt_lanes(s, cta, w, instr, mask, address, error);
}

static bool warp(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t w,
                 gmtrace_error *error)
{
    const transpose *t = state;
    const uint64_t column = cta % s->launch.grid[0] * t->tile;
    const uint64_t row = cta / s->launch.grid[0] * t->tile;
    const corner from = {.left = column, .top = row}, to = {.left = row, .top = column};
    if (!t->shared) {
        for (unsigned j = 0; j < t->steps; j++)
            if (!global(s, t, cta, w, t->read[j], t->from, from, j * t->rows, false, error) ||
                !global(s, t, cta, w, t->write[j], t->to, from, j * t->rows, true, error))
                return false;
        return true;
    }
    /* In the order of the code: groups of loads, then the stores of what they brought. */
    for (unsigned j = 0, stored = 0; j < t->steps; j++) {
        if (!global(s, t, cta, w, t->read[j], t->from, from, j * t->rows, false, error))
            return false;
        if (j + 1 < t->steps && t->read[j + 1] < t->put[j])
            continue;
        for (; stored <= j; stored++)
            if (!shared(s, t, cta, w, t->put[stored], stored * t->rows, false, error))
                return false;
    }
    if (!gmt_barrier(s, cta, w, t->barrier, error))
        return false;
    for (unsigned j = 0; j < t->steps; j++)
        if (!shared(s, t, cta, w, t->get[j], j * t->rows, true, error) ||
            !global(s, t, cta, w, t->write[j], t->to, to, j * t->rows, false, error))
            return false;
    return true;
}

const gmt_pattern gmt_pattern_transpose = {
    .name = "transpose",
    .meaning = "a matrix is transposed through tiles in shared memory",
    .keys = keys,
    .state_size = sizeof(transpose),
    .make = make,
    .warp = warp};
