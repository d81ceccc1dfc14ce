/* SPDX-License-Identifier: MIT
 *
 * races.c - which CTAs are watched for races, and what is said of them. By default the first
 * accesses of the first few of a kernel's first launches: nearly all that race do so everywhere,
 * and the rest run as fast as ever. GMSIM_RACES=N watches the first N CTAs of every launch,
 * GMSIM_RACES=all all, =0 none.
 */
#include "traces/gmcc/runtime/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTAS     8u
#define ACCESSES 32768u /* of warps, of a CTA */
#define LAUNCHES 2u     /* of a kernel */
#define MAX_TOLD 64u

/* Of what kind each was that has been told, so that it is told once, whatever the number of
 * launches. */
typedef struct told {
    struct {
        const char *kernel;
        uint32_t line[2];
        bool shared;
    } what[MAX_TOLD];
    unsigned int count;
} told;
static told races, strays;

/* False of what was told before, and when enough was. */
static bool is_new(told *list, const char *kernel, uint32_t line, uint32_t other, bool shared)
{
    for (unsigned int i = 0; i < list->count; i++)
        if (list->what[i].kernel == kernel && list->what[i].line[0] == line &&
            list->what[i].line[1] == other && list->what[i].shared == shared)
            return false;
    if (list->count == MAX_TOLD)
        return false;
    list->what[list->count].kernel = kernel;
    list->what[list->count].line[0] = line;
    list->what[list->count].line[1] = other;
    list->what[list->count++].shared = shared;
    return true;
}

uint64_t gmcuda_watched_ctas(gmcuda_function *function, uint32_t *accesses)
{
    *accesses = 0;
    const char *text = getenv("GMSIM_RACES");
    if (gmcuda_checks_any())
        return gmcuda_checks(GMCUDA_CHECK_RACES) ? UINT64_MAX : 0;
    if (text != NULL && strcmp(text, "all") == 0)
        return UINT64_MAX;
    if (text != NULL && text[0] != 0) {
        char *end;
        const unsigned long long n = strtoull(text, &end, 10);
        if (*end == 0 && text[0] != '-')
            return n;
        gmcuda_message("GMSIM_RACES: '%s' is neither a number nor 'all'; ignored", text);
    }
    *accesses = ACCESSES;
    return function->launches++ < LAUNCHES ? CTAS : 0;
}

static const char *place_of(const gmptx_side *side, char text[80])
{
    const char *base = side->file != NULL ? strrchr(side->file, '/') : NULL;
    base = base != NULL ? base + 1 : side->file;
    if (base != NULL && side->line != 0)
        snprintf(text, 80, "%.60s:%u", base, side->line);
    else
        snprintf(text, 80, "line %u of the PTX", side->ptx_line);
    return text;
}

static const char *who(const gmptx_side *side, bool block, char text[120])
{
    int n = 0;
    if (block)
        n = snprintf(text, 120, "block (%u,%u,%u) ", side->block[0], side->block[1],
                     side->block[2]);
    snprintf(text + n, 120 - (size_t)n, "thread (%u,%u,%u)", side->thread[0], side->thread[1],
             side->thread[2]);
    return text;
}

void gmcuda_tell_stray(void *user, const gmptx_finding *f)
{
    const gmcuda_function *function = user;
    char place[80], thread[120], where[192];
    if (!is_new(&strays, function->mangled, f->at.ptx_line, 0, false))
        return;
    gmcuda_describe(f->address, f->bytes, where, sizeof where);
    gmcuda_message(
        "warning: read of %u bytes outside of memory in %s: %s, %s, at 0x%llx: %s; a GPU "
        "answers with whatever lies there, here it reads 0",
        f->bytes, function->readable, place_of(&f->at, place), who(&f->at, true, thread),
        (unsigned long long)f->address, where);
}

static const char *what(const gmptx_side *side)
{
    return side->is_atomic ? "an atomic" : side->is_write ? "a write" : "a read";
}

void gmcuda_tell_race(void *user, const gmptx_race *race)
{
    const gmcuda_function *function = user;
    const gmptx_side *a = &race->side[0], *b = &race->side[1];
    char place[2][80], thread[2][120], more[80] = "";
    const bool blocks = memcmp(a->block, b->block, sizeof a->block) != 0;
    if (gmcuda_checks_any()) {
        gmcuda_found_race(function, race);
        return;
    }
    if (!is_new(&races, function->mangled, a->ptx_line, b->ptx_line, race->shared))
        return;
    if (race->count > 1)
        snprintf(more, sizeof more, " (and %llu more in the CTAs watched)",
                 (unsigned long long)race->count - 1);
    if (race->one_instruction)
        gmcuda_message("warning: race in %s: %s, threads of one warp write different values to one "
                       "word of %s memory, %s and %s%s; which one stays is left to chance",
                       function->readable, place_of(b, place[1]),
                       race->shared ? "shared" : "global", who(a, true, thread[0]),
                       who(b, false, thread[1]), more);
    else
        gmcuda_message("warning: race in %s on %s memory: %s at %s by %s, and %s at %s by %s: "
                       "%s%s; the result depends on who comes first",
                       function->readable, race->shared ? "shared" : "global", what(a),
                       place_of(a, place[0]), who(a, true, thread[0]), what(b),
                       place_of(b, place[1]), who(b, blocks, thread[1]),
                       blocks ? "nothing orders these blocks" : "no barrier between", more);
}
