/* SPDX-License-Identifier: MIT
 *
 * shadow.c - which bytes of global memory were written: a bit each, in a flat array.
 */
#include "traces/ptx/ptx.h"

#include <string.h>

/* The part of [address, address + *bytes) that has a shadow, from its start on. */
static bool clip(const gmptx_shadow *s, uint64_t address, uint64_t *bytes, uint64_t *at)
{
    *at = address - s->start;
    if (!s->written || *at >= s->bytes)
        return false;
    *bytes = *bytes < s->bytes - *at ? *bytes : s->bytes - *at;
    return true;
}

static bool is_written(const gmptx_shadow *s, uint64_t at)
{
    return s->written[at / 8] >> at % 8 & 1;
}

void gmptx_shadow_mark(const gmptx_shadow *s, uint64_t address, uint64_t bytes, bool written)
{
    uint64_t at;
    if (!clip(s, address, &bytes, &at))
        return;
    for (; bytes && (at % 8 || bytes < 8); at++, bytes--) {
        const uint8_t bit = (uint8_t)(1u << at % 8);
        s->written[at / 8] =
            (uint8_t)(written ? s->written[at / 8] | bit : s->written[at / 8] & ~bit);
    }
    memset(s->written + at / 8, written ? 0xff : 0, bytes / 8);
    if (bytes % 8)
        gmptx_shadow_mark(s, s->start + at + bytes / 8 * 8, bytes % 8, written);
}

uint64_t gmptx_shadow_unwritten(const gmptx_shadow *s, uint64_t address, uint64_t bytes)
{
    uint64_t at, missing = 0;
    if (!clip(s, address, &bytes, &at))
        return 0;
    while (bytes)
        if (at % 8 == 0 && bytes >= 8) {
            missing += 8u - (unsigned)__builtin_popcount(s->written[at / 8]);
            at += 8;
            bytes -= 8;
        } else {
            missing += !is_written(s, at);
            at++;
            bytes--;
        }
    return missing;
}

void gmptx_shadow_copy(const gmptx_shadow *s, uint64_t to, uint64_t from, uint64_t bytes)
{
    uint64_t at;
    if (!clip(s, from, &bytes, &at)) {
        gmptx_shadow_mark(s, to, bytes, true);
        return;
    }
    uint64_t there, room = bytes;
    if (from % 8 == 0 && to % 8 == 0 && s->start % 8 == 0 && clip(s, to, &room, &there) &&
        room == bytes) {
        memmove(s->written + there / 8, s->written + at / 8, bytes / 8);
        to += bytes & ~UINT64_C(7);
        at += bytes & ~UINT64_C(7);
        bytes %= 8;
    }
    const bool backwards = to > from;
    for (uint64_t n = 0; n < bytes; n++) {
        const uint64_t i = backwards ? bytes - 1 - n : n;
        gmptx_shadow_mark(s, to + i, 1, is_written(s, at + i));
    }
}
