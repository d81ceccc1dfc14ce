/* SPDX-License-Identifier: MIT
 *
 * fetch.c - when an SM has the code that its warps execute. Rules, as measured on an H100 by
 * micro/cold_wide.cu, and on an H200 by micro/cold_code.cu and micro/code_fetch.cu:
 *
 * - An SM's cache holds 32 KB of code. What it lacks comes a line of 128 bytes after the other:
 *   each is asked for when the one before it begins to be executed, or has come, so that straight
 *   code that is executed more slowly waits for nothing.
 * - A line comes in 20 clocks from the 128 KB behind that cache; from farther off in 47, or in 105
 *   if it has never been there.
 * - The first 64 KB of a kernel are in the larger cache when the launch begins.
 * - Warps that come to a line on its way wait until it is there.
 *
 * Left out: which lines leave other than those that came first; what a loop without records takes
 * whose code is larger than the cache; the sub-partitions' own small caches; other kernels' code.
 */
#include "sim/model/time/fetch.h"

#include <stdlib.h>
#include <string.h>

#define LINE_INSTRS (GMSIM_LINE_BYTES / GMSIM_INSTRUCTION_BYTES)

struct gmsim_code_line {
    uint64_t there;     /* clock at which it is, or was */
    uint64_t used;      /* clock at which it was first executed since, and one more; 0: not yet */
    uint32_t near, far; /* its number in the cache, and in the one behind, as they come, from 1 on;
                         * 0: not yet */
    uint32_t clocks;    /* that it took to come */
};

bool gmsim_fetch_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, bool cold)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    s->code_small = kernel->instr_count <= gpu->sm_code / GMSIM_INSTRUCTION_BYTES;
    if (!s->plan.control_bits || s->plan.functional || (s->code_small && !cold))
        return true;
    const uint32_t lines = s->code_count = kernel->instr_count / LINE_INSTRS + 1u;
    const uint32_t near = (cold ? gpu->launch_code : gpu->launch_code_kept) / GMSIM_LINE_BYTES;
    s->code = calloc(s->plan.sms, sizeof *s->code);
    s->code_lines = calloc((size_t)s->plan.sms * lines, sizeof *s->code_lines);
    if (!s->code || !s->code_lines)
        return false;
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        struct gmsim_code *code = &s->code[i];
        code->line = s->code_lines + (size_t)i * lines;
        code->far = MIN(near, lines);
        for (uint32_t n = 0; n < lines; n++)
            code->line[n].far = n < near ? n + 1u : cold ? 0 : 1u;
        code->line[0].near = code->near = 1u; /* the launch has waited for it */
    }
    return true;
}

/* Of SMs that have all the code that they need: each way is looked at for its constants. */
static struct gmsim_code constants_alone = {.constants = true};

void gmsim_fetch_forget(const gmsim_scheduler *s, gmsim_sm *sm)
{
    sm->code = s->constants ? &constants_alone : NULL;
}

void gmsim_fetch_restart(gmsim_scheduler *s)
{
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        if (!s->code) {
            gmsim_fetch_forget(s, &s->sm[i]);
            continue;
        }
        s->sm[i].code = &s->code[i];
        s->code[i].constants = s->constants != NULL;
        s->code[i].free = s->code[i].asked = 0;
        if (!s->code_small) /* of small code nothing ever leaves */
            memset(s->code[i].came, 0, sizeof s->code[i].came);
        for (uint32_t n = 0; n < s->code_count; n++)
            s->code[i].line[n].there = s->code[i].line[n].used = 0;
    }
}

void gmsim_fetch_end(gmsim_scheduler *s)
{
    free(s->code);
    free(s->code_lines);
    s->code = NULL;
    s->code_lines = NULL;
}

/* Has the line left the SM's cache by `now`? A warp goes a long way at once, and another after it,
 * which is at its beginning when the first is: what has come since does not matter, but when. */
static bool has_left(const gmsim_gpu *gpu, const struct gmsim_code *code,
                     const struct gmsim_code_line *line, uint64_t now)
{
    const uint32_t room = gpu->sm_code / GMSIM_LINE_BYTES, since = code->near - line->near;
    if (!line->near)
        return true;
    if (since < room)
        return false;
    return since - room >= GMSIM_CODE_CAME ||
           code->came[(line->near + room) % GMSIM_CODE_CAME] <= now;
}

/* A warp comes to a line at `now`: the clock at which the SM has it. */
static uint64_t line_there(const gmsim_gpu *gpu, struct gmsim_code *code, uint32_t number,
                           uint64_t now)
{
    struct gmsim_code_line *line = &code->line[number];
    const uint64_t before = number ? code->line[number - 1u].used : 0;
    const uint64_t asked = before ? MIN(before - 1u, now) : now;
    if (!has_left(gpu, code, line, now)) {
        /* Who went before may come to it only later. */
        line->there = MIN(line->there, asked + line->clocks);
        line->used = line->used ? line->used : MAX(now, line->there) + 1u;
        return line->there;
    }
    uint32_t clocks = gpu->sm_code_line;
    if (!line->far || code->far - line->far >= gpu->launch_code_kept / GMSIM_LINE_BYTES) {
        clocks = line->far ? gpu->launch_code_again : gpu->launch_code_line;
        line->far = ++code->far;
    }
    line->near = ++code->near;
    line->clocks = clocks;
    if (asked < code->asked) { /* of a warp that is behind what others did at once */
        line->there = asked + clocks;
    } else {
        line->there = code->free = MAX(code->free, asked) + clocks;
        code->asked = asked;
    }
    code->came[line->near % GMSIM_CODE_CAME] = line->there;
    line->used = MAX(now, line->there) + 1u;
    return line->there;
}

uint64_t gmsim_fetch_way(gmsim_scheduler *s, gmsim_sm *sm, const gmtrace_path *way, uint64_t begin,
                         uint32_t clocks)
{
    struct gmsim_code *code = sm->code;
    if (!code->line || gmsim_fetch_done(code, way))
        return 0;
    const bool marked = s->code_small && way->number < GMSIM_CODE_WAYS;
    uint64_t late = 0, last = 0, before = 0;
    for (uint32_t i = 0; i < way->piece_count; i++) {
        const gmtrace_path_piece *piece = &way->piece[i];
        for (uint32_t n = piece->first; n < piece->first + piece->count;
             n = (n / LINE_INSTRS + 1u) * LINE_INSTRS) {
            const uint64_t needed =
                begin + late + (before + n - piece->first) * clocks / MAX(way->instructions, 1u);
            const uint64_t there = line_there(s->plan.gpu, code, n / LINE_INSTRS, needed);
            late += there > needed ? there - needed : 0;
            last = MAX(last, there);
        }
        before += (uint64_t)piece->count * piece->times;
    }
    if (marked && last <= begin)
        code->done[way->number / 64u] |= 1ull << way->number % 64u;
    return late;
}

uint64_t gmsim_fetch_instruction(gmsim_scheduler *s, const gmsim_sm *sm, uint32_t instr,
                                 uint64_t begin)
{
    struct gmsim_code *code = sm->code;
    if (!code->line || instr >= s->replay->tally.kernel->instr_count)
        return 0;
    const uint64_t there = line_there(s->plan.gpu, code, instr / LINE_INSTRS, begin);
    return there > begin ? there - begin : 0;
}
