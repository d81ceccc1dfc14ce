/* SPDX-License-Identifier: MIT
 *
 * generate.c - runs a pattern: its code and launch into a trace, then CTA by CTA, warp by warp, the
 * records. Everything is made on the way; no more is held than the writer holds.
 */
#include "traces/synthetic/pattern.h"
#include "traces/synthetic/synthetic.h"

#include "config.h"

#include <stdio.h>
#include <unistd.h>

#define STATIC_SHARED (48u << 10) /* more must be asked for at launch */
#define MOST_SHARED   (227u << 10)

/* What a record of the instruction has whatever the lanes do. */
static gmtrace_record record_of(const gmtrace_instr *instr, uint32_t index)
{
    static const uint8_t op[GMTRACE_CLASS_COUNT] = {
        [GMTRACE_CLASS_LOAD] = GMTRACE_OP_LOAD,
        [GMTRACE_CLASS_STORE] = GMTRACE_OP_STORE,
        [GMTRACE_CLASS_ATOMIC] = GMTRACE_OP_ATOMIC,
        [GMTRACE_CLASS_REDUCTION] = GMTRACE_OP_REDUCTION,
    };
    if (instr->op_class == GMTRACE_CLASS_BARRIER)
        return (gmtrace_record){.instr = index, .kind = GMTRACE_BARRIER};
    return (gmtrace_record){.instr = index,
                            .kind = GMTRACE_ACCESS,
                            .op = op[instr->op_class],
                            .space = instr->space,
                            .size = instr->width,
                            .shape = GMTRACE_AFFINE};
}

static bool finish_launch(gmt_synthetic *s, gmtrace_kernel *kernel, gmtrace_error *error)
{
    if (!gmt_code_finish(&s->code))
        return gmt_fail_memory(error);
    const uint32_t needed = gmt_code_registers(&s->code);
    const uint64_t asked = gmt_number(s, "registers");
    if (asked && asked < needed)
        return gmt_impossible(s, error, "registers=%u is too few; the code uses %u",
                              (unsigned)asked, needed);
    const uint64_t more = gmt_number(s, "shared");
    if (s->shared + more > MOST_SHARED)
        return gmt_impossible(s, error, "a CTA needs %llu bytes of shared memory; %u is the most",
                              (unsigned long long)(s->shared + more), MOST_SHARED);
    s->threads = s->launch.block[0] * s->launch.block[1] * s->launch.block[2];
    const bool is_static = s->shared <= STATIC_SHARED;
    s->launch.dynamic_shared = (uint32_t)(more + (is_static ? 0 : s->shared));
    *kernel = (gmtrace_kernel){.mangled = s->pattern->name,
                               .name = s->pattern->name,
                               .registers = asked ? (uint32_t)asked : needed,
                               .static_shared = is_static ? (uint32_t)s->shared : 0,
                               .instr_count = s->code.count,
                               .instr = s->code.instr};
    for (uint32_t i = 0; i < s->code.count; i++)
        if (s->code.instr[i].op_class == GMTRACE_CLASS_BARRIER)
            kernel->barriers = 1;
    s->record = calloc(s->code.count, sizeof *s->record);
    if (!s->record)
        return gmt_fail_memory(error);
    for (uint32_t i = 0; i < s->code.count; i++)
        s->record[i] = record_of(&s->code.instr[i], i);
    return true;
}

static bool write_launch(gmt_synthetic *s, const void *state, uint64_t ordinal,
                         gmtrace_error *error)
{
    s->launch.ordinal = ordinal;
    s->launch.allocation = s->allocation;
    if (!gmtrace_writer_begin_launch(s->writer, &s->launch, error))
        return false;
    const uint64_t ctas = gmt_launch_ctas(&s->launch);
    const uint32_t warps = gmt_launch_warps(&s->launch);
    for (uint64_t cta = 0; cta < ctas; cta++) {
        for (uint32_t warp = 0; warp < warps; warp++)
            if (!s->pattern->warp(s, state, cta, warp, error))
                return false;
        if (!gmtrace_writer_end_cta(s->writer, cta, error))
            return false;
    }
    return gmtrace_writer_end_launch(s->writer, error);
}

/* Into the file `path`, or where that is NULL into the open file `fd`. */
static bool generate(const char *spec, const char *path, int fd, gmtrace_error *error)
{
    gmt_synthetic s = {.launch = {.grid = {1, 1, 1},
                                  .block = {1, 1, 1},
                                  .cluster = {1, 1, 1},
                                  .shared_config = GMTRACE_UNKNOWN,
                                  .carveout_percent = -1}};
    const gmtrace_capture capture = {.source = "gmsim synthetic " PACKAGE_VERSION,
                                     .program = spec,
                                     .gpu = "",
                                     .detail = GMTRACE_DETAIL_MEMORY};
    if (!gmt_spec_parse(spec, &s, error))
        return false;
    gmtrace_kernel kernel;
    void *state = calloc(1, s.pattern->state_size);
    bool done = state ? s.pattern->make(&s, state, error) && finish_launch(&s, &kernel, error)
                      : gmt_fail_memory(error);
    if (done) {
        s.writer = path ? gmtrace_writer_create(path, &capture, NULL, error)
                        : gmt_writer_create_fd(fd, &capture, error);
        done = s.writer && gmtrace_writer_add_kernel(s.writer, &kernel, &s.launch.kernel, error);
    }
    for (uint64_t i = 0; done && i < gmt_number(&s, "launches"); i++)
        done = write_launch(&s, state, i, error);
    if (s.writer)
        done = gmtrace_writer_close(s.writer, done, done ? error : NULL) && done;
    if (state && s.pattern->clear)
        s.pattern->clear(state);
    free(state);
    free(s.record);
    gmt_code_free(&s.code);
    return done;
}

bool gmtrace_synthetic_write(const char *spec, const char *path, gmtrace_error *error)
{
    gmt_clear(error);
    return generate(spec, path, -1, error);
}

gmtrace_reader *gmtrace_synthetic_open(const char *spec, gmtrace_error *error)
{
    gmtrace_error local;
    if (!error)
        error = &local;
    gmt_clear(error);
    FILE *file = tmpfile();
    const int fd = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
    if (fd < 0) {
        gmt_fail_errno(error, "cannot create a temporary file");
        return NULL;
    }
    if (!generate(spec, NULL, fd, error)) {
        close(fd);
        return NULL;
    }
    return gmt_open_fd(fd, NULL, error);
}
