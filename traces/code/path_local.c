/* SPDX-License-Identifier: MIT
 *
 * path_local.c - a warp's local memory in pieces of 64 bytes a lane. Only pieces that something
 * known was stored to are kept, so many at most; what is stored elsewhere is not known. Left out:
 * accesses by generic addresses.
 */
#include "traces/code/path_local.h"
#include "traces/code/path_step.h"

#include <stdlib.h>

#define PIECE  64u /* bytes of a lane */
#define PIECES 32u /* of a warp, at most */

typedef struct piece {
    uint64_t number;                               /* address / PIECE */
    uint32_t known[PIECE];                         /* of each byte: in which lanes */
    uint32_t word[PIECE / 4u][GMTRACE_WARP_LANES]; /* as the lanes have them */
} piece;

struct path_local {
    uint32_t count;
    piece *piece[PIECES];
};

path_local *path_local_create(void)
{
    return calloc(1, sizeof(path_local));
}

void path_local_free(path_local *local)
{
    for (uint32_t i = 0; local && i < local->count; i++)
        free(local->piece[i]);
    free(local);
}

static piece *find(const path_local *local, uint64_t number)
{
    for (uint32_t i = 0; local && i < local->count; i++)
        if (local->piece[i]->number == number)
            return local->piece[i];
    return NULL;
}

static piece *find_or_make(path_local *local, uint64_t number)
{
    piece *found = find(local, number);
    if (found || !local || local->count == PIECES || !(found = calloc(1, sizeof *found)))
        return found;
    found->number = number;
    return local->piece[local->count++] = found;
}

/* A lane's access lies in one piece: it is aligned. */
static bool is_aligned(uint64_t address, uint32_t size)
{
    return address % size == 0;
}

/* Of `size` bytes of a word, the first at `byte`. */
static void put(piece *p, uint32_t byte, uint32_t size, uint32_t lane, uint32_t value, bool known)
{
    uint32_t *word = &p->word[byte / 4u][lane];
    const uint32_t bits = (size < 4 ? (1u << 8u * size) - 1u : UINT32_MAX) << byte % 4u * 8u;
    *word = (*word & ~bits) | (value << byte % 4u * 8u & bits);
    for (uint32_t b = byte; b < byte + size; b++)
        p->known[b] = (p->known[b] & ~(1u << lane)) | (uint32_t)known << lane;
}

void path_local_store(path_local *local, const path_step *step, const path_lanes *lanes,
                      uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES])
{
    const uint32_t size = step->mode, each = size < 4 ? size : 4;
    uint32_t known[PATH_SOURCES] = {0}, any = 0;
    for (unsigned i = 0; i < step->sources; i++)
        any |= known[i] = path_step_known(&step->source[i], lanes);
    piece *p = NULL; /* mostly the same for all */
    for (uint32_t left = mask; left; left &= left - 1u) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), byte = address[lane] % PIECE;
        const uint64_t number = address[lane] / PIECE;
        if (!is_aligned(address[lane], size)) {
            path_local_forget(local, 1u << lane, address, size);
            continue;
        }
        if (!p || p->number != number)
            p = any >> lane & 1u ? find_or_make(local, number) : find(local, number);
        for (unsigned i = 0; i < step->sources && p; i++)
            put(p, byte + 4u * i, each, lane, path_step_value(&step->source[i], lanes, lane),
                known[i] >> lane & 1u);
    }
}

void path_local_forget(path_local *local, uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES],
                       uint32_t size)
{
    for (uint32_t left = mask; left; left &= left - 1u) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint64_t at = address[lane]; at < address[lane] + size; at++) {
            piece *p = find(local, at / PIECE);
            if (p)
                p->known[at % PIECE] &= ~(1u << lane);
        }
    }
}

void path_local_load(const path_local *local, const path_step *step, path_lanes *lanes,
                     uint32_t mask, const uint64_t address[GMTRACE_WARP_LANES])
{
    const uint32_t size = step->mode;
    path_made made;
    uint32_t known = 0;
    const piece *p = NULL;
    memset(made, 0, step->targets * sizeof *made);
    for (uint32_t left = mask; left; left &= left - 1u) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), byte = address[lane] % PIECE;
        const uint64_t number = address[lane] / PIECE;
        if (!p || p->number != number)
            p = find(local, number);
        uint32_t all = p && is_aligned(address[lane], size) ? 1u << lane : 0;
        for (uint32_t b = byte; b < byte + size && all; b++)
            all &= p->known[b];
        known |= all;
        for (unsigned n = 0; n < step->targets && all; n++)
            made[n][lane] = p->word[byte / 4u + n][lane] >> byte % 4u * 8u;
    }
    path_step_take(step, lanes, mask, made, known);
}
