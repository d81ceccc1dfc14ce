/* SPDX-License-Identifier: MIT
 *
 * stencil.c - the pattern "stencil": each point inside a grid of one, two or three dimensions
 * becomes a sum of itself and its neighbours up to `radius` along each axis, read straight from
 * global memory. Threads on the boundary do nothing.
 */
#include "traces/synthetic/pattern.h"

#include <stdio.h>

#define MOST_RADIUS 8u
#define MOST_READS  (1 + 6 * MOST_RADIUS)
#define AHEAD       8u /* loads under way before their sum is made, as a compiler would order them */

typedef struct stencil {
    uint64_t n, bytes, from, to;
    uint32_t dims, radius, reads, write;
    struct {
        uint32_t instr;
        int64_t offset; /* bytes from the point */
    } read[MOST_READS];
} stencil;

static const gmt_key keys[] = {
    {"n", "1K", 3, UINT64_C(1) << 32, NULL, "points along each axis"},
    {"dims", "2", 0, 0, "1|2|3", "axes"},
    {"radius", "1", 1, MOST_RADIUS, NULL, "neighbours read on each side along each axis"},
    {"bytes", "4", 0, 0, "4|8", "size of a point: float or double"},
    {"block", "256", 32, 1024, NULL, "threads a CTA; with 2 or 3 axes in rows of 32"},
    GMT_KEYS_OF_ALL};

/* R0, R2, R3: the point's x, y, z; R4: address read, R6: written; R8: sum; R18: the
 * array; R10, R12: addresses of neighbours; data from R20. */
static void put_index(gmt_code *c, const stencil *t)
{
    static const char axis[] = "XYZ";
    static const unsigned place[] = {0, 2, 3};
    gmt_code_put(c, "LDC R1, c[0x0][0x28]");
    gmt_code_put(c, "LDC R14, c[0x0][0x220]");
    for (unsigned d = 0; d < t->dims; d++) {
        gmt_code_put(c, "S2R R%u, SR_TID.%c", place[d], axis[d]);
        gmt_code_put(c, "S2UR UR%u, SR_CTAID.%c", 8 + d, axis[d]);
        gmt_code_put(c, "LDC R5, c[0x0][0x%x]", 4 * d);
        gmt_code_put(c, "IMAD R%u, R5, UR%u, R%u", place[d], 8 + d, place[d]);
    }
    /* Inside when, unsigned, x - radius < n - 2 * radius. */
    gmt_code_put(c, "IADD3 R15, R14, -0x%x, RZ", 2 * t->radius);
    for (unsigned d = 0; d < t->dims; d++) {
        gmt_code_put(c, "IADD3 R5, R%u, -0x%x, RZ", place[d], t->radius);
        gmt_code_put(c, "ISETP.GE.U32.%s P0, PT, R5, R15, %s", d ? "OR" : "AND", d ? "P0" : "PT");
    }
    gmt_code_put(c, "@P0 EXIT");
    if (t->dims == 3)
        gmt_code_put(c, "IMAD R2, R3, R14, R2");
    if (t->dims >= 2)
        gmt_code_put(c, "IMAD R0, R2, R14, R0");
}

static void put_sum(gmt_code *c, const stencil *t, unsigned first)
{
    for (unsigned i = first; i < t->reads; i++)
        gmt_code_put(c, "%s R8, R8, R%u", t->bytes == 8 ? "DADD" : "FADD",
                     20 + i % AHEAD * gmt_words(t->bytes));
}

static void put_read(gmt_code *c, stencil *t, const char *from, int64_t offset)
{
    const unsigned data = 20 + t->reads % AHEAD * gmt_words(t->bytes);
    char place[24] = "";
    if (from[1] == '4' && offset)
        snprintf(place, sizeof place, "%s0x%llx", offset < 0 ? "+-" : "+",
                 (unsigned long long)(offset < 0 ? -offset : offset));
    t->read[t->reads].instr =
        gmt_code_put(c, "LDG.E%s R%u, desc[UR4][%s.64%s]", gmt_width(t->bytes), data, from, place);
    t->read[t->reads++].offset = offset;
    if (t->reads % AHEAD == 0)
        put_sum(c, t, t->reads - AHEAD);
}

static bool make(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    stencil *t = state;
    t->n = gmt_number(s, "n");
    t->bytes = gmt_number(s, "bytes");
    t->dims = (uint32_t)gmt_number(s, "dims");
    t->radius = (uint32_t)gmt_number(s, "radius");
    if (t->n <= 2 * t->radius)
        return gmt_impossible(s, error, "n=%llu leaves no points inside radius=%u",
                              (unsigned long long)t->n, t->radius);
    const uint32_t block = (uint32_t)gmt_number(s, "block");
    if (t->dims > 1 && block % GMTRACE_WARP_LANES)
        return gmt_impossible(s, error, "block must be a multiple of 32 with 2 or 3 axes");
    s->launch.block[0] = t->dims > 1 ? GMTRACE_WARP_LANES : block;
    s->launch.block[1] = t->dims > 1 ? block / GMTRACE_WARP_LANES : 1;
    uint64_t size = t->bytes;
    for (unsigned d = 0; d < t->dims; d++) {
        const uint64_t ctas = (t->n + s->launch.block[d] - 1) / s->launch.block[d];
        if (ctas > (d ? 65535 : INT32_MAX) || __builtin_mul_overflow(size, t->n, &size))
            return gmt_impossible(s, error, "n=%llu is more than a grid can have",
                                  (unsigned long long)t->n);
        s->launch.grid[d] = (uint32_t)ctas;
    }
    if (!gmt_allocate(s, size, &t->to, error) || !gmt_allocate(s, size, &t->from, error))
        return false;

    gmt_code *c = &s->code;
    const unsigned bytes = (unsigned)t->bytes;
    put_index(c, t);
    gmt_code_put(c, "ULDC.64 UR4, c[0x0][0x208]");
    gmt_code_put(c, "LDC.64 R18, c[0x0][0x218]");
    gmt_code_put(c, "LDC.64 R6, c[0x0][0x210]");
    gmt_code_put(c, "IMAD.WIDE.U32 R4, R0, 0x%x, R18", bytes);
    gmt_code_put(c, "CS2R R8, SRZ");
    put_read(c, t, "R4", 0);
    uint64_t step = t->bytes;
    for (unsigned d = 0; d < t->dims; d++, step *= t->n)
        for (unsigned r = 1; r <= t->radius; r++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const int64_t offset = sign * (int64_t)(r * step);
                const char *from = !d ? "R4" : sign < 0 ? "R10" : "R12";
                if (d) { /* too far for an immediate offset */
                    gmt_code_put(c, "IADD3 R14, R0, %s0x%x, RZ", sign < 0 ? "-" : "",
                                 (unsigned)(r * step / bytes & INT32_MAX));
                    gmt_code_put(c, "IMAD.WIDE.U32 %s, R14, 0x%x, R18", from, bytes);
                }
                put_read(c, t, from, offset);
            }
    put_sum(c, t, t->reads / AHEAD * AHEAD);
    gmt_code_put(c, "IMAD.WIDE.U32 R6, R0, 0x%x, R6", bytes);
    t->write = gmt_code_put(c, "STG.E%s desc[UR4][R6.64], R8", gmt_width(t->bytes));
    gmt_code_put(c, "EXIT");
    return true;
}

static bool is_inside(const stencil *t, uint64_t at)
{
    return at >= t->radius && at + t->radius < t->n;
}

static bool warp(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t w,
                 gmtrace_error *error)
{
    const stencil *t = state;
    const uint32_t *grid = s->launch.grid;
    const uint64_t cta_x = cta % grid[0], cta_y = cta / grid[0] % grid[1];
    const uint64_t z = cta / grid[0] / grid[1];
    /* A warp is 32 points of one row. */
    const uint64_t x = cta_x * s->launch.block[0] + (t->dims > 1 ? 0 : w * GMTRACE_WARP_LANES);
    const uint64_t y = t->dims > 1 ? cta_y * s->launch.block[1] + w : 0;
    if ((t->dims > 1 && !is_inside(t, y)) || (t->dims > 2 && !is_inside(t, z)))
        return true;
    uint32_t mask = 0;
    for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
        mask |= (uint32_t)is_inside(t, x + i) << i;
    mask &= gmt_live(s, w);
    const uint64_t point = ((z * t->n + y) * t->n + x) * t->bytes;
    const int32_t stride = (int32_t)t->bytes;
    for (unsigned i = 0; i < t->reads; i++)
        if (!gmt_affine(s, cta, w, t->read[i].instr, mask,
                        t->from + point + (uint64_t)t->read[i].offset, stride, error))
            return false;
    return gmt_affine(s, cta, w, t->write, mask, t->to + point, stride, error);
}

const gmt_pattern gmt_pattern_stencil = {
    .name = "stencil",
    .meaning = "each point of a grid becomes a sum of its neighbours along the axes",
    .keys = keys,
    .state_size = sizeof(stencil),
    .make = make,
    .warp = warp};
