/* SPDX-License-Identifier: MIT
 *
 * banks.c - the pattern "banks": each lane accesses shared memory, `stride` elements from its
 * neighbour's. All warps and all rounds do the same.
 */
#include "traces/synthetic/pattern.h"

enum { BANKS_LOAD, BANKS_STORE, BANKS_ATOMIC };

typedef struct banks {
    uint64_t rounds, offset;
    int32_t stride; /* bytes */
    uint32_t access;
} banks;

static const gmt_key keys[] = {
    {"stride", "1", 0, 1u << 16, NULL,
     "elements from one lane's to the next one's; 0: all the same"},
    {"bytes", "4", 0, 0, "1|2|4|8|16", "size of an element"},
    {"offset", "0", 0, 1u << 16, NULL, "elements before lane 0's"},
    {"op", "load", 0, 0, "load|store|atomic", "what is done with an element"},
    {"rounds", "1K", 1, 1u << 30, NULL, "accesses a thread"},
    {"block", "1K", 1, 1024, NULL, "threads a CTA; with few, latency hides conflicts"},
    {"grid", "1", 1, INT32_MAX, NULL, "CTAs"},
    GMT_KEYS_OF_ALL};

static bool make(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    banks *b = state;
    const uint64_t bytes = gmt_number(s, "bytes"), stride = gmt_number(s, "stride");
    const unsigned op = gmt_get(s, "op").choice;
    if (op == BANKS_ATOMIC && bytes != 4)
        return gmt_impossible(s, error, "shared atomics are of 4 bytes");
    b->rounds = gmt_number(s, "rounds");
    b->stride = (int32_t)(stride * bytes);
    b->offset = gmt_number(s, "offset") * bytes;
    s->shared = b->offset + (GMTRACE_WARP_LANES - 1) * stride * bytes + bytes;
    s->launch.block[0] = (uint32_t)gmt_number(s, "block");
    s->launch.grid[0] = (uint32_t)gmt_number(s, "grid");

    gmt_code *c = &s->code;
    const char *width = gmt_width(bytes);
    gmt_code_put(c, "LDC R1, c[0x0][0x28]");
    gmt_code_put(c, "S2R R0, SR_TID.X");
    gmt_code_put(c, "LOP3.LUT R0, R0, 0x1f, RZ, 0xc0, !PT");
    gmt_code_put(c, "IMAD R2, R0, 0x%x, RZ", (unsigned)b->stride);
    gmt_code_put(c, "MOV R3, 0x%x", (unsigned)b->rounds);
    gmt_code_put(c, "MOV R8, RZ");
    for (unsigned i = 0; op == BANKS_STORE && i < gmt_words(bytes); i++)
        gmt_code_put(c, "MOV R%u, R0", 4 + i);
    gmt_code_label(c, 0);
    if (op == BANKS_STORE) {
        b->access = gmt_code_put(c, "STS%s [R2+0x%x], R4", width, (unsigned)b->offset);
    } else {
        if (op == BANKS_LOAD)
            b->access = gmt_code_put(c, "LDS%s R4, [R2+0x%x]", width, (unsigned)b->offset);
        else
            b->access = gmt_code_put(c, "ATOMS.ADD R4, [R2+0x%x], R0", (unsigned)b->offset);
        gmt_code_put(c, "IADD3 R8, R8, R4, RZ");
    }
    gmt_code_put(c, "IADD3 R3, R3, -0x1, RZ");
    gmt_code_put(c, "ISETP.NE.AND P0, PT, R3, RZ, PT");
    gmt_code_put(c, "@P0 BRA `(.L_0)");
    if (op != BANKS_STORE) { /* what was loaded must be used; this never stores */
        gmt_code_put(c, "ISETP.NE.AND P0, PT, R8, 0x12345678, PT");
        gmt_code_put(c, "@P0 EXIT");
        gmt_code_put(c, "ULDC.64 UR4, c[0x0][0x208]");
        gmt_code_put(c, "LDC.64 R6, c[0x0][0x210]");
        gmt_code_put(c, "STG.E desc[UR4][R6.64], R8");
    }
    gmt_code_put(c, "EXIT");
    return true;
}

static bool warp(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t w,
                 gmtrace_error *error)
{
    const banks *b = state;
    const uint32_t mask = gmt_live(s, w);
    for (uint64_t round = 0; round < b->rounds; round++)
        if (!gmt_affine(s, cta, w, b->access, mask, b->offset, b->stride, error))
            return false;
    return true;
}

const gmt_pattern gmt_pattern_banks = {
    .name = "banks",
    .meaning = "lane i accesses element i * stride of shared memory: bank conflicts",
    .keys = keys,
    .state_size = sizeof(banks),
    .make = make,
    .warp = warp};
