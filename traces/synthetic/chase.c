/* SPDX-License-Identifier: MIT
 *
 * chase.c - the pattern "chase": a linked list in global memory, one node every `stride` bytes,
 * followed from node to node. Each load needs the one before, so that its time is a latency: of L1,
 * L2 or DRAM, by the footprint.
 */
#include "traces/synthetic/pattern.h"

typedef struct chase {
    uint64_t base, stride, hops, threads;
    uint32_t nodes, load;
    uint32_t *next; /* of each node */
} chase;

#define MOST_NODES (1u << 24)

static const gmt_key keys[] = {
    {"footprint", "1M", 8, UINT64_C(1) << 40, NULL,
     "bytes from the first node to the last one's end"},
    {"stride", "128", 8, 1u << 30, NULL, "bytes from node to node in memory"},
    {"order", "random", 0, 0, "random|linear", "in which order the list goes through memory"},
    {"laps", "2", 1, 1u << 16, NULL, "times that a thread goes round the whole list"},
    {"seed", "1", 0, UINT64_MAX, NULL, "another number, another random order"},
    {"block", "1", 1, 1024, NULL, "threads a CTA; they begin at nodes evenly spaced in memory"},
    {"grid", "1", 1, INT32_MAX, NULL, "CTAs"},
    GMT_KEYS_OF_ALL};

/* Sattolo's shuffle: of all orders that are one cycle through all nodes, each is as likely. */
static void shuffle(uint32_t *next, uint32_t nodes, uint64_t seed)
{
    for (uint32_t i = 0; i < nodes; i++)
        next[i] = i;
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (uint32_t i = nodes - 1; i > 0; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t k = (uint32_t)((state >> 32) * i >> 32); /* below i */
        const uint32_t other = next[k];
        next[k] = next[i];
        next[i] = other;
    }
}

static bool make(gmt_synthetic *s, void *state, gmtrace_error *error)
{
    chase *c = state;
    const uint64_t footprint = gmt_number(s, "footprint");
    c->stride = gmt_number(s, "stride");
    if (c->stride % 8)
        return gmt_impossible(s, error, "stride must be a multiple of a pointer's 8 bytes");
    const uint64_t nodes = footprint / c->stride;
    if (nodes < 1 || nodes > MOST_NODES)
        return gmt_impossible(s, error, "footprint / stride is %llu nodes; 1 to %u are possible",
                              (unsigned long long)nodes, MOST_NODES);
    c->nodes = (uint32_t)nodes;
    c->hops = gmt_number(s, "laps") * nodes;
    s->launch.block[0] = (uint32_t)gmt_number(s, "block");
    s->launch.grid[0] = (uint32_t)gmt_number(s, "grid");
    c->threads = (uint64_t)s->launch.block[0] * s->launch.grid[0];
    if (!gmt_allocate(s, footprint, &c->base, error))
        return false;
    c->next = malloc(nodes * sizeof *c->next);
    if (!c->next)
        return gmt_fail_memory(error);
    if (gmt_get(s, "order").choice == 0)
        shuffle(c->next, c->nodes, gmt_number(s, "seed"));
    else
        for (uint32_t i = 0; i < c->nodes; i++)
            c->next[i] = (i + 1) % c->nodes;

    gmt_code *code = &s->code;
    gmt_code_put(code, "LDC R1, c[0x0][0x28]");
    gmt_code_put(code, "S2R R0, SR_TID.X");
    gmt_code_put(code, "S2UR UR4, SR_CTAID.X");
    gmt_code_put(code, "LDC R5, c[0x0][0x0]");
    gmt_code_put(code, "IMAD R0, R5, UR4, R0");
    gmt_code_put(code, "LDC R5, c[0x0][0x218]");
    gmt_code_put(code, "IMAD R0, R0, R5, RZ");
    gmt_code_put(code, "ULDC.64 UR4, c[0x0][0x208]");
    gmt_code_put(code, "LDC.64 R2, c[0x0][0x210]");
    gmt_code_put(code, "IMAD.WIDE.U32 R2, R0, 0x%x, R2", (unsigned)c->stride);
    gmt_code_put(code, "LDC R4, c[0x0][0x21c]");
    gmt_code_label(code, 0);
    c->load = gmt_code_put(code, "LDG.E.64 R2, desc[UR4][R2.64]");
    gmt_code_put(code, "IADD3 R4, R4, -0x1, RZ");
    gmt_code_put(code, "ISETP.NE.AND P0, PT, R4, RZ, PT");
    gmt_code_put(code, "@P0 BRA `(.L_0)");
    /* The last pointer must be used. It is never null. */
    gmt_code_put(code, "ISETP.NE.U32.AND P0, PT, R2, RZ, PT");
    gmt_code_put(code, "@P0 EXIT");
    gmt_code_put(code, "LDC.64 R6, c[0x0][0x210]");
    gmt_code_put(code, "STG.E.64 desc[UR4][R6.64], R2");
    gmt_code_put(code, "EXIT");
    return true;
}

static void clear(void *state)
{
    free(((chase *)state)->next);
}

static bool warp(gmt_synthetic *s, const void *state, uint64_t cta, uint32_t w,
                 gmtrace_error *error)
{
    const chase *c = state;
    const uint64_t first = cta * s->threads + w * GMTRACE_WARP_LANES;
    const uint32_t mask = gmt_live(s, w);
    uint32_t node[GMTRACE_WARP_LANES];
    unsigned lanes = 0;
    for (; lanes < GMTRACE_WARP_LANES && mask >> lanes & 1; lanes++)
        node[lanes] = (uint32_t)((first + lanes) * c->nodes / c->threads);
    for (uint64_t hop = 0; hop < c->hops; hop++) {
        uint64_t address[GMTRACE_WARP_LANES] = {0};
        for (unsigned i = 0; i < lanes; i++) {
            address[i] = c->base + node[i] * c->stride;
            node[i] = c->next[node[i]];
        }
        if (!(lanes == 1 ? gmt_affine(s, cta, w, c->load, mask, address[0], 0, error)
                         : gmt_lanes(s, cta, w, c->load, mask, address, error)))
            return false;
    }
    return true;
}

const gmt_pattern gmt_pattern_chase = {.name = "chase",
                                       .meaning =
                                           "threads follow a linked list in global memory: latency",
                                       .keys = keys,
                                       .state_size = sizeof(chase),
                                       .make = make,
                                       .warp = warp,
                                       .clear = clear};
