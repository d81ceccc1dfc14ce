/* SPDX-License-Identifier: MIT
 *
 * matmul.c - the pattern "tiled-matmul": C = A * B of square row-major matrices. A CTA of tile x
 * tile threads makes a tile of C, a thread an element, from tiles of A and B in shared memory.
 */
#include "traces/synthetic/pattern.h"

#define MOST_TILE 32u
#define AHEAD     8u /* products whose factors are loaded together */

typedef struct matmul {
    uint64_t n, bytes, a, b, c;
    uint32_t tile, pitch; /* pitch: elements from row to row of a tile in shared memory */
    uint32_t b_tile;      /* where B's tile begins there, bytes */
    uint32_t wide;        /* elements of A that one load brings, as a compiler would join them */
    uint32_t read_a, read_b, put_a, put_b, filled, used, write;
    uint32_t get_a[MOST_TILE], get_b[MOST_TILE];
} matmul;

static const gmt_key keys[] = {
    {"n", "512", 1, 1u << 15, NULL, "rows and columns of the matrices; a multiple of tile"},
    {"bytes", "4", 0, 0, "4|8", "size of an element: float or double"},
    {"tile", "16", 1, MOST_TILE, NULL, "rows and columns of a tile, and of the threads of a CTA"},
    {"pad", "0", 0, 32, NULL, "unused elements behind each row of a tile in shared memory"},
    GMT_KEYS_OF_ALL};

/* Registers: R0, R2: thread's x and y; R4, R6: addresses in A and B; R8, R9: places of the row of A
 * and the column of B in shared memory, R10: of the element that the thread fills in; R12: tiles
 * left; R13: number of the element of C; R14, R15: steps; R16: sum; R18 and another: an element of
 * each matrix on its way; then factors. Floats get along with 32 registers, as compiled code does,
 * so that 2048 threads fit an SM. */
static unsigned factor_a(const matmul *m, unsigned i)
{
    return m->bytes == 8 ? 32 + 2 * i : 20 + i;
}

static unsigned factor_b(const matmul *m, unsigned i)
{
    static const unsigned free_for_floats[AHEAD] = {28, 29, 30, 31, 0, 2, 3, 11};
    return m->bytes == 8 ? 48 + 2 * i : free_for_floats[i];
}

static void put_products(gmt_code *c, matmul *m, unsigned first, unsigned count)
{
    const unsigned bytes = (unsigned)m->bytes;
    for (unsigned i = 0; i < count; i++) {
        const unsigned k = first + i;
        if (k % m->wide == 0)
            m->get_a[k] = gmt_code_put(c, "LDS%s R%u, [R8+0x%x]", gmt_width(m->wide * m->bytes),
                                       factor_a(m, i), k * bytes);
        m->get_b[k] = gmt_code_put(c, "LDS%s R%u, [R9+0x%x]", gmt_width(m->bytes), factor_b(m, i),
                                   m->b_tile + k * m->pitch * bytes);
    }
    for (unsigned i = 0; i < count; i++)
        gmt_code_put(c, "%s R16, R%u, R%u, R16", bytes == 8 ? "DFMA" : "FFMA", factor_a(m, i),
                     factor_b(m, i));
}

static void put_code(gmt_code *c, matmul *m)
{
    const char *width = gmt_width(m->bytes);
    const unsigned bytes = (unsigned)m->bytes, other = bytes == 8 ? 20 : 19;
    gmt_code_put(c, "LDC R1, c[0x0][0x28]");
    gmt_code_put(c, "S2R R0, SR_TID.X");
    gmt_code_put(c, "S2R R2, SR_TID.Y");
    gmt_code_put(c, "S2UR UR4, SR_CTAID.X");
    gmt_code_put(c, "S2UR UR5, SR_CTAID.Y");
    gmt_code_put(c, "LDC R14, c[0x0][0x228]");
    gmt_code_put(c, "ULDC.64 UR6, c[0x0][0x208]");
    gmt_code_put(c, "LDC.64 R4, c[0x0][0x210]");
    gmt_code_put(c, "LDC.64 R6, c[0x0][0x218]");
    gmt_code_put(c, "MOV R15, 0x%x", m->tile);
    gmt_code_put(c, "IMAD R26, R15, UR5, R2"); /* row of C */
    gmt_code_put(c, "IMAD R27, R15, UR4, R0"); /* column of C */
    gmt_code_put(c, "IMAD R13, R26, R14, R27");
    gmt_code_put(c, "IMAD R24, R26, R14, R0");
    gmt_code_put(c, "IMAD R25, R2, R14, R27");
    gmt_code_put(c, "IMAD.WIDE.U32 R4, R24, 0x%x, R4", bytes);
    gmt_code_put(c, "IMAD.WIDE.U32 R6, R25, 0x%x, R6", bytes);
    gmt_code_put(c, "IMAD R8, R2, 0x%x, RZ", m->pitch * bytes);
    gmt_code_put(c, "IMAD R9, R0, 0x%x, RZ", bytes);
    gmt_code_put(c, "IADD3 R10, R8, R9, RZ");
    gmt_code_put(c, "MOV R12, 0x%x", (unsigned)(m->n / m->tile));
    gmt_code_put(c, "CS2R R16, SRZ");
    gmt_code_label(c, 0);
    m->read_a = gmt_code_put(c, "LDG.E%s R18, desc[UR6][R4.64]", width);
    m->read_b = gmt_code_put(c, "LDG.E%s R%u, desc[UR6][R6.64]", width, other);
    m->put_a = gmt_code_put(c, "STS%s [R10], R18", width);
    m->put_b = gmt_code_put(c, "STS%s [R10+0x%x], R%u", width, m->b_tile, other);
    m->filled = gmt_code_put(c, "BAR.SYNC.DEFER_BLOCKING 0x0");
    for (unsigned k = 0; k < m->tile; k += AHEAD)
        put_products(c, m, k, m->tile - k < AHEAD ? m->tile - k : AHEAD);
    m->used = gmt_code_put(c, "BAR.SYNC.DEFER_BLOCKING 0x0");
    gmt_code_put(c, "IADD3 R12, R12, -0x1, RZ");
    gmt_code_put(c, "IMAD.WIDE.U32 R4, R15, 0x%x, R4", bytes);
    gmt_code_put(c, "IMAD R11, R14, R15, RZ");
    gmt_code_put(c, "IMAD.WIDE.U32 R6, R11, 0x%x, R6", bytes);
    gmt_code_put(c, "ISETP.NE.AND P0, PT, R12, RZ, PT");
    gmt_code_put(c, "@P0 BRA `(.L_0)");
    gmt_code_put(c, "LDC.64 R4, c[0x0][0x220]");
    gmt_code_put(c, "IMAD.WIDE.U32 R4, R13, 0x%x, R4", bytes);
    m->write = gmt_code_put(c, "STG.E%s desc[UR6][R4.64], R16", width);
    gmt_code_put(c, "EXIT");
}

static bool make(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    matmul *m = state;
    m->n = gmt_number(s, "n");
    m->bytes = gmt_number(s, "bytes");
    m->tile = (uint32_t)gmt_number(s, "tile");
    m->pitch = m->tile + (uint32_t)gmt_number(s, "pad");
    if (m->n % m->tile)
        return gmt_impossible(s, error, "n=%llu is no multiple of tile=%u",
                              (unsigned long long)m->n, m->tile);
    /* 16 or 8 bytes at once where every row allows it. */
    m->wide = 16 / (uint32_t)m->bytes;
    while (m->tile % m->wide || m->pitch % m->wide)
        m->wide /= 2;
    m->b_tile = m->tile * m->pitch * (uint32_t)m->bytes;
    s->shared = 2 * (uint64_t)m->b_tile;
    s->launch.grid[0] = s->launch.grid[1] = (uint32_t)(m->n / m->tile);
    s->launch.block[0] = s->launch.block[1] = m->tile;
    const uint64_t size = m->n * m->n * m->bytes;
    if (!gmt_allocate(s, size, &m->a, error) || !gmt_allocate(s, size, &m->b, error) ||
        !gmt_allocate(s, size, &m->c, error))
        return false;
    put_code(&s->code, m);
    return true;
}

static bool access(gmt_synthetic *s, const matmul *m, uint64_t cta, uint32_t w, uint32_t instr,
                   uint64_t base, uint64_t right, uint64_t down, gmtrace_error *error)
{
    return gmt_plane(s, cta, w, instr, gmt_live(s, w), base, m->tile, right, down, error);
}

static bool warp(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t w,
                 gmtrace_error *error)
{
    const matmul *m = state;
    const uint64_t bytes = m->bytes, row = m->n * bytes; /* of a matrix */
    const uint64_t pitch = m->pitch * bytes;
    const uint64_t left = cta % s->launch.grid[0] * m->tile * bytes;
    const uint64_t top = cta / s->launch.grid[0] * m->tile * row;
    for (uint64_t k = 0; k < m->n / m->tile; k++) {
        const uint64_t a = m->a + top + k * m->tile * bytes, b = m->b + left + k * m->tile * row;
        if (!access(s, m, cta, w, m->read_a, a, bytes, row, error) ||
            !access(s, m, cta, w, m->read_b, b, bytes, row, error) ||
            !access(s, m, cta, w, m->put_a, 0, bytes, pitch, error) ||
            !access(s, m, cta, w, m->put_b, m->b_tile, bytes, pitch, error) ||
            !gmt_barrier(s, cta, w, m->filled, error))
            return false;
        for (unsigned i = 0; i < m->tile; i++)
            if ((i % m->wide == 0 &&
                 !access(s, m, cta, w, m->get_a[i], i * bytes, 0, pitch, error)) ||
                !access(s, m, cta, w, m->get_b[i], m->b_tile + i * pitch, bytes, 0, error))
                return false;
        if (!gmt_barrier(s, cta, w, m->used, error))
            return false;
    }
    return access(s, m, cta, w, m->write, m->c + top + left, bytes, row, error);
}

const gmt_pattern gmt_pattern_matmul = {
    .name = "tiled-matmul",
    .meaning = "C = A * B from tiles of A and B in shared memory, an element a thread",
    .keys = keys,
    .state_size = sizeof(matmul),
    .make = make,
    .warp = warp};
