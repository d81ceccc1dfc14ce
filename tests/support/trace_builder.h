/* SPDX-License-Identifier: MIT
 *
 * trace_builder.h - small synthetic traces for tests, through libgmtrace's public writer. Any
 * failure ends the test program with a message: a test that cannot build its input has failed.
 *
 *     gmtest_trace trace;
 *     gmtest_open(&trace, path);
 *     gmtest_launch(&trace, 2, 64);                      2 CTAs of 64 threads
 *     gmtest_affine(&trace, 0, 0, GMTEST_LDG, ~0u, 0x7000, 4);
 *     gmtest_close(&trace);
 */
#ifndef GMTEST_TRACE_BUILDER_H
#define GMTEST_TRACE_BUILDER_H

#include "traces/gmtrace.h"

/* Instructions of the test kernel, in table order; each access moves 4 bytes a lane. */
enum {
    GMTEST_LDG = 0, /* global load */
    GMTEST_STG,     /* global store */
    GMTEST_LDS,     /* shared load */
    GMTEST_STS,     /* shared store */
    GMTEST_LDL,     /* local load */
    GMTEST_ATOMG,   /* global atomic */
    GMTEST_RED,     /* global reduction */
    GMTEST_BAR,     /* CTA barrier */
    GMTEST_EXIT,
    GMTEST_INSTRS
};

/* Instruction number `index` of a kernel, which waits for nothing and that nothing waits for,
 * without operands, source or target: what a test is about is set upon it. For programs that do not
 * link the builder as well. */
static inline gmtrace_instr gmtest_instr(uint32_t index, const char *opcode)
{
    return (gmtrace_instr){.pc = 16 * (uint64_t)index,
                           .opcode = opcode,
                           .operands = "",
                           .file = GMTRACE_UNKNOWN,
                           .target = GMTRACE_NO_INSTR,
                           .predicate = GMTRACE_NO_REGISTER,
                           .write_barrier = 7,
                           .read_barrier = 7};
}

/* Likewise, with the clocks until the next: a load of a word from shared memory, a jump. */
static inline gmtrace_instr gmtest_lds(uint32_t index, uint8_t stall)
{
    gmtrace_instr instr = gmtest_instr(index, "LDS");
    instr.op_class = GMTRACE_CLASS_LOAD;
    instr.space = GMTRACE_SPACE_SHARED;
    instr.width = 4;
    instr.stall = stall;
    return instr;
}

static inline gmtrace_instr gmtest_jump(uint32_t index, uint32_t target, uint8_t stall)
{
    gmtrace_instr instr = gmtest_instr(index, "BRA");
    instr.op_class = GMTRACE_CLASS_BRANCH;
    instr.predicate = 0;
    instr.target = target;
    instr.stall = stall;
    return instr;
}

/* Likewise, the end. */
static inline gmtrace_instr gmtest_exit(uint32_t index)
{
    gmtrace_instr instr = gmtest_instr(index, "EXIT");
    instr.op_class = GMTRACE_CLASS_EXIT;
    instr.stall = 5;
    return instr;
}

typedef struct gmtest_trace {
    gmtrace_writer *writer;
    uint32_t kernel;
    int open; /* a launch is */
    uint32_t block;
} gmtest_trace;

/* The path of a new, empty file; the caller frees the text and removes the file. */
char *gmtest_new_path(void);

/* The test kernel "test_kernel(float *)" of GMTEST_INSTRS instructions, source lines in test.cu. */
const gmtrace_kernel *gmtest_kernel(void);
const gmtrace_capture *gmtest_capture(void);

void gmtest_open(gmtest_trace *trace, const char *path);
/* With writer options, e.g. a small pending limit. */
void gmtest_open_with(gmtest_trace *trace, const char *path, const gmtrace_writer_options *options);
/* Adds a kernel of the caller's and makes it the one that launches use. */
void gmtest_use_kernel(gmtest_trace *trace, const gmtrace_kernel *kernel);
/* Begins a launch of `ctas` CTAs of `threads` threads, one-dimensional; ends the one before. */
void gmtest_launch(gmtest_trace *trace, uint32_t ctas, uint32_t threads);
/* The same with everything the caller's; `kernel` is replaced. */
void gmtest_launch_with(gmtest_trace *trace, const gmtrace_launch *launch);

/* The record that instruction `instr` of the test kernel makes, without addresses. */
gmtrace_record gmtest_record(uint32_t instr, uint32_t mask);
void gmtest_append(gmtest_trace *trace, uint64_t cta, uint32_t warp, const gmtrace_record *record,
                   const uint64_t *address);
/* Lane i accesses base + i * stride. */
void gmtest_affine(gmtest_trace *trace, uint64_t cta, uint32_t warp, uint32_t instr, uint32_t mask,
                   uint64_t base, int32_t stride);
/* Each lane its own address. */
void gmtest_lanes(gmtest_trace *trace, uint64_t cta, uint32_t warp, uint32_t instr, uint32_t mask,
                  const uint64_t address[GMTRACE_WARP_LANES]);
/* A CTA barrier of the whole block. */
void gmtest_barrier(gmtest_trace *trace, uint64_t cta, uint32_t warp);
void gmtest_end_cta(gmtest_trace *trace, uint64_t cta);
/* Ends the open launch, if any, and closes the trace. */
void gmtest_close(gmtest_trace *trace);

#endif
