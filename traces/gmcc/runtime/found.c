/* SPDX-License-Identifier: MIT
 *
 * found.c - what the interpreter finds in kernels, and what the program leaves behind, in the words
 * of the list of mistakes.
 */
#include "traces/gmcc/runtime/check.h"

#include <stdlib.h>
#include <string.h>

static void set_side(gmcuda_mistake *m, unsigned i, const gmptx_side *side, const char *role)
{
    m->file[i] = side->file != NULL ? strdup(side->file) : NULL;
    m->line[i] = side->line;
    m->ptx_line[i] = side->ptx_line;
    memcpy(m->block[i], side->block, sizeof m->block[i]);
    memcpy(m->thread[i], side->thread, sizeof m->thread[i]);
    m->role[i] = strdup(role);
    m->sides = i + 1;
}

static const char *space_name(gmtrace_space space)
{
    return space == GMTRACE_SPACE_SHARED     ? "shared"
           : space == GMTRACE_SPACE_LOCAL    ? "local"
           : space == GMTRACE_SPACE_CONSTANT ? "constant"
                                             : "global";
}

/* What lies at a finding's address, in words; NULL where there is nothing to say. */
static char *describe(const gmptx_finding *f, gmt_frames *origin)
{
    char where[160];
    if (f->variable[0] != 0) {
        char *name = strncmp(f->variable, "_Z", 2) == 0 ? gmcuda_demangle(f->variable) : NULL;
        char *text;
        const char *called = name != NULL ? name : f->variable;
        if (f->offset >= f->size)
            text = gmcuda_text_of("%llu bytes after the end of %s, which has %llu",
                                  (unsigned long long)(f->offset - f->size), called,
                                  (unsigned long long)f->size);
        else if (f->offset + f->bytes > f->size)
            text = gmcuda_text_of("it runs over the end of %s, which has %llu bytes", called,
                                  (unsigned long long)f->size);
        else
            text = gmcuda_text_of("byte %llu of %s, which has %llu", (unsigned long long)f->offset,
                                  called, (unsigned long long)f->size);
        free(name);
        return text;
    }
    if (f->space != GMTRACE_SPACE_GLOBAL)
        return gmcuda_text_of("at 0x%llx of %s memory", (unsigned long long)f->address,
                              space_name(f->space));
    gmcuda_describe(f->address, f->bytes, where, sizeof where);
    gmcuda_origin(f->address, origin);
    return gmcuda_text_of("at 0x%llx: %s", (unsigned long long)f->address, where);
}

void gmcuda_found(void *user, const gmptx_finding *f)
{
    const gmcuda_function *function = user;
    gmcuda_mistake m = {.kernel = strdup(function->readable), .count = f->count};
    const char *verb = f->is_write ? "write" : "read", *space = space_name(f->space);
    switch (f->kind) {
    case GMPTX_FOUND_OUTSIDE:
        m.title = gmcuda_text_of("%s of %u bytes outside of %s memory", verb, f->bytes, space);
        break;
    case GMPTX_FOUND_MISALIGNED:
        m.title = gmcuda_text_of("misaligned %s of %u bytes of %s memory", verb, f->bytes, space);
        break;
    case GMPTX_FOUND_UNWRITTEN:
        m.what = GMCUDA_CHECK_UNWRITTEN;
        m.title = gmcuda_text_of("read of %s memory that nobody wrote", space);
        break;
    }
    set_side(&m, 0, &f->at, verb);
    m.detail = describe(f, &m.origin);
    gmcuda_here(&m.frames);
    if (m.what == GMCUDA_CHECK_MEMORY && gmcuda_sticky() == cudaSuccess)
        gmcuda_set_sticky(f->kind == GMPTX_FOUND_MISALIGNED ? cudaErrorMisalignedAddress
                                                            : cudaErrorIllegalAddress);
    gmcuda_add_mistake(&m);
}

void gmcuda_found_race(const gmcuda_function *function, const gmptx_race *race)
{
    gmcuda_mistake m = {
        .what = GMCUDA_CHECK_RACES,
        .kernel = strdup(function->readable),
        .count = race->count,
        .title = gmcuda_text_of("race on %s memory", race->shared ? "shared" : "global")};
    const bool blocks =
        memcmp(race->side[0].block, race->side[1].block, sizeof race->side[0].block) != 0;
    for (unsigned i = 0; i < 2; i++) {
        const gmptx_side *s = &race->side[i];
        set_side(&m, i, s, s->is_atomic ? "atomic" : s->is_write ? "write" : "read");
    }
    m.detail =
        strdup(race->one_instruction ? "threads of one warp write different values to one word"
               : blocks              ? "nothing orders these blocks"
                                     : "no barrier between");
    gmcuda_here(&m.frames);
    gmcuda_add_mistake(&m);
}

void gmcuda_found_fault(const gmcuda_function *function, const gmptx_fault *fault)
{
    const gmptx_side side = {.file = fault->file,
                             .line = fault->line,
                             .ptx_line = fault->ptx_line,
                             .block = {fault->block[0], fault->block[1], fault->block[2]},
                             .thread = {fault->thread[0], fault->thread[1], fault->thread[2]}};
    gmcuda_mistake m = {
        .what = GMCUDA_CHECK_BARRIERS, .kernel = strdup(function->readable), .count = 1};
    switch (fault->kind) {
    case GMPTX_FAULT_BARRIER:
        m.title = strdup("barrier that not all threads reach, or with different counts");
        break;
    case GMPTX_FAULT_LIMIT:
        m.title = strdup("the kernel does not end");
        break;
    case GMPTX_FAULT_INSTRUCTION:
        m.title = strdup("mask, or number of threads, that does not fit those who come");
        break;
    case GMPTX_FAULT_FREE:
        m.what = GMCUDA_CHECK_MEMORY;
        m.title = strdup("free() of what malloc() did not give");
        break;
    case GMPTX_FAULT_TRAP:
        m.title = strdup("failed assertion, or trap");
        break;
    default:
        free(m.kernel);
        return;
    }
    set_side(&m, 0, &side, "at");
    gmcuda_here(&m.frames);
    gmcuda_add_mistake(&m);
}

__attribute__((destructor)) static void at_end(void)
{
    if (gmcuda_checks_any()) {
        gmcuda_find_leaks();
        gmcuda_save_mistakes();
    }
}
