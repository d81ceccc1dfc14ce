/* SPDX-License-Identifier: MIT
 *
 * fetch.c - code that an SM executes for the first time in a launch. The first 64 KB of a kernel
 * are there when it begins, though nobody has executed them; of what comes behind, each line of 128
 * bytes holds the first warp that comes to it up (micro/cold_code.cu). Other warps find the line
 * there.
 *
 * Left out: warps that wait for a line which is on its way; code that does not fit the caches of
 * instructions, 128 KB, and is fetched each time; loops of more than 32 KB; other kernels' code.
 */
#include "sim/model/time/fetch.h"

#include <stdlib.h>

#define LINE (GMSIM_LINE_BYTES / GMSIM_INSTRUCTION_BYTES) /* instructions */

bool gmsim_fetch_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel)
{
    const uint32_t near = s->paces->near;
    if (kernel->instr_count <= near || !s->plan.control_bits || s->plan.functional)
        return true;
    s->fetched_words = (kernel->instr_count - near) / LINE / 64u + 1u;
    s->fetched = calloc((size_t)s->plan.sms * s->fetched_words, sizeof *s->fetched);
    return s->fetched != NULL;
}

void gmsim_fetch_end(gmsim_scheduler *s)
{
    free(s->fetched);
    s->fetched = NULL;
}

uint32_t gmsim_fetch(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t first, uint32_t count)
{
    const uint32_t near = s->paces->near;
    if (!s->fetched || !count || first + count <= near)
        return 0;
    uint64_t *fetched = &s->fetched[(size_t)(sm - s->sm) * s->fetched_words];
    uint32_t clocks = 0;
    for (uint32_t line = (first > near ? first - near : 0) / LINE;
         line <= (first + count - 1u - near) / LINE && line / 64u < s->fetched_words; line++) {
        const uint64_t bit = 1ull << line % 64u;
        clocks += fetched[line / 64u] & bit ? 0 : s->plan.gpu->launch_code_line;
        fetched[line / 64u] |= bit;
    }
    return clocks;
}

uint64_t gmsim_fetch_way(gmsim_scheduler *s, const gmsim_sm *sm, const gmtrace_path *way)
{
    uint64_t clocks = 0;
    for (uint32_t i = 0; i < way->piece_count; i++)
        clocks += gmsim_fetch(s, sm, way->piece[i].first, way->piece[i].count);
    return clocks;
}
