/* SPDX-License-Identifier: MIT
 *
 * fetch.c - when an SM has the code that its warps execute. Rules, as measured on an H200 by
 * micro/cold_wide.cu, cold_code.cu, code_fetch.cu and code_jumps.cu:
 *
 * - An SM's cache holds 32 KB of code, in lines of 128 bytes. One that it lacks comes in 45 clocks
 *   from the 128 KB behind that cache, or from farther off in 255, and the next four behind it, one
 *   after the other. When a line begins to be executed the next four are asked for, too, so that
 *   straight code that is executed more slowly waits for nothing.
 * - Lines that are asked for so come every 20 clocks from the cache behind; from farther off every
 *   47, or every 105 if they have never been there.
 * - What comes to the cache behind does so in blocks of 1 KB.
 * - The first 64 KB of a kernel are in the larger cache when the launch begins.
 * - Warps that come to a line on its way wait until it is there.
 *
 * Left out: which lines of a set leave other than those that came first; what a loop without
 * records takes whose code is larger than the cache; the sub-partitions' own small caches; other
 * kernels' code.
 */
#include "sim/model/time/fetch.h"

#include <stdlib.h>
#include <string.h>

#define LINE_INSTRS (GMSIM_LINE_BYTES / GMSIM_INSTRUCTION_BYTES)
#define AHEAD       4u /* lines that are asked for behind one that is executed */
#define BLOCK_LINES 8u /* that come to the cache behind at once */

struct gmsim_code_line {
    uint64_t there;  /* clock at which it is, or was, */
    uint64_t asked;  /* and at which it was asked for */
    uint32_t near;   /* its number in its set of the cache, as they come, from 1 on; 0: not yet */
    uint32_t clocks; /* that it took to come */
};

/* Lines, or blocks of them, of each of so many sets of a cache of so many bytes; one at least. */
static uint32_t ways_of(uint32_t bytes, uint32_t sets, uint32_t lines)
{
    return MAX(bytes / (GMSIM_LINE_BYTES * lines) / sets, 1u);
}

static uint32_t far_ways(const gmsim_gpu *gpu)
{
    return ways_of(gpu->launch_code_kept, GMSIM_CODE_FAR, BLOCK_LINES);
}

bool gmsim_fetch_begin(gmsim_scheduler *s, const gmtrace_kernel *kernel, bool cold)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    s->code_small = kernel->instr_count <= gpu->sm_code / GMSIM_INSTRUCTION_BYTES;
    if (!s->plan.control_bits || s->plan.functional || (s->code_small && !cold))
        return true;
    const uint32_t lines = s->code_count = kernel->instr_count / LINE_INSTRS + 1u;
    const uint32_t blocks = (lines - 1u) / BLOCK_LINES + 1u;
    const uint32_t there =
        (cold ? gpu->launch_code : gpu->launch_code_kept) / (GMSIM_LINE_BYTES * BLOCK_LINES);
    s->code = calloc(s->plan.sms, sizeof *s->code);
    s->code_lines = calloc((size_t)s->plan.sms * lines, sizeof *s->code_lines);
    s->code_blocks = calloc((size_t)s->plan.sms * blocks, sizeof *s->code_blocks);
    if (!s->code || !s->code_lines || !s->code_blocks)
        return false;
    for (uint32_t i = 0; i < s->plan.sms; i++) {
        struct gmsim_code *code = &s->code[i];
        code->line = s->code_lines + (size_t)i * lines;
        code->block = s->code_blocks + (size_t)i * blocks;
        code->last = UINT32_MAX;
        for (uint32_t n = 0; n < GMSIM_CODE_FAR; n++) /* it was full of others */
            code->far[n] = far_ways(gpu) + 1u;
        for (uint32_t n = 0; n < blocks; n++)
            code->block[n] = n < there ? ++code->far[n % GMSIM_CODE_FAR] : cold ? 0 : 1u;
        code->line[0].near = code->near[0] = 1u; /* the launch has waited for it */
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
            s->code[i].line[n].there = 0;
    }
}

void gmsim_fetch_end(gmsim_scheduler *s)
{
    free(s->code);
    free(s->code_lines);
    free(s->code_blocks);
    s->code = NULL;
    s->code_lines = NULL;
    s->code_blocks = NULL;
}

/* Has the line left the SM's cache by `now`? A warp goes a long way at once, and another after it,
 * which is at its beginning when the first is: what has come since does not matter, but when. */
static bool has_left(const gmsim_gpu *gpu, const struct gmsim_code *code, uint32_t number,
                     uint64_t now)
{
    const struct gmsim_code_line *line = &code->line[number];
    const uint32_t room = ways_of(gpu->sm_code, GMSIM_CODE_SETS, 1u);
    const uint32_t set = number % GMSIM_CODE_SETS, since = code->near[set] - line->near;
    if (!line->near)
        return true;
    if (since < room)
        return false;
    return since - room >= GMSIM_CODE_CAME ||
           code->came[set][(line->near + room) % GMSIM_CODE_CAME] <= now;
}

/* Clocks from one line to the next where that comes from, of a line that the cache lacks. The block
 * comes to the cache behind. */
static uint32_t clocks_of(const gmsim_gpu *gpu, struct gmsim_code *code, uint32_t number)
{
    const uint32_t block = number / BLOCK_LINES, set = block % GMSIM_CODE_FAR;
    const uint32_t came = code->block[block];
    if (block == code->last) /* its lines are on their way, one after the other */
        return code->last_clocks;
    if (came && code->far[set] - came < far_ways(gpu))
        return gpu->sm_code_line;
    code->block[block] = ++code->far[set];
    code->last = block;
    code->last_clocks = came ? gpu->launch_code_again : gpu->launch_code_line;
    return code->last_clocks;
}

/* The line comes to the SM's cache. */
static void bring(struct gmsim_code *code, uint32_t number, uint32_t clocks, uint64_t asked,
                  uint64_t there)
{
    struct gmsim_code_line *line = &code->line[number];
    const uint32_t set = number % GMSIM_CODE_SETS;
    line->near = ++code->near[set];
    line->clocks = clocks;
    line->asked = asked;
    line->there = there;
    code->came[set][line->near % GMSIM_CODE_CAME] = there;
}

/* A warp comes to a line at `now`: the clock at which the SM has it. */
static uint64_t line_there(const gmsim_scheduler *s, struct gmsim_code *code, uint32_t number,
                           uint64_t now)
{
    const gmsim_gpu *gpu = s->plan.gpu;
    struct gmsim_code_line *line = &code->line[number];
    if (has_left(gpu, code, number, now)) {
        const uint32_t clocks = clocks_of(gpu, code, number);
        const bool near = clocks == gpu->sm_code_line;
        bring(code, number, clocks, now, now + (near ? gpu->sm_code_jump : gpu->launch_code_jump));
    } else if (now < line->asked) { /* who went before came to it only later */
        line->asked = now;
        line->there = MIN(line->there, now + line->clocks);
    }
    const uint64_t begins = MAX(now, line->there);
    const bool behind = begins < code->asked; /* what other warps did at once */
    uint64_t free = behind ? begins : MAX(code->free, begins);
    for (uint32_t n = number + 1u; n <= number + AHEAD && n < s->code_count; n++) {
        if (!has_left(gpu, code, n, begins))
            continue;
        const uint32_t clocks = clocks_of(gpu, code, n);
        free += clocks;
        bring(code, n, clocks, begins, free);
    }
    if (!behind) {
        code->free = free;
        code->asked = begins;
    }
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
            const uint64_t there = line_there(s, code, n / LINE_INSTRS, needed);
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
    const uint64_t there = line_there(s, code, instr / LINE_INSTRS, begin);
    return there > begin ? there - begin : 0;
}
