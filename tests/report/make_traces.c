/* SPDX-License-Identifier: MIT
 *
 * make_traces.c - writes the small traces that the command-line tests run on, one for each access
 * pattern: `make_traces FOLDER`. Kernels are invented; addresses are those real ones would use.
 * `make_traces FOLDER NAME FILE OPCODE` writes named.trc alone, whose words are these; `make_traces
 * FOLDER LAUNCHES` a program of so many launches, application.trc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/gmtrace.h"

#define WARPS 8u /* a CTA of 256 threads */
#define IN    0x7f0000000000ull
#define OUT   0x7f0040000000ull

enum { LDG, STG, LDS, STS, RED, LDL, STL, BAR, EXIT, CODE_COUNT };

typedef struct pattern {
    const char *name;
    uint32_t ctas, launches, static_shared, local_bytes, registers;
    void (*warp)(uint64_t cta, uint32_t warp);
} pattern;

static char **words; /* kernel, file, opcode of named.trc, its array and call */
static gmtrace_writer *writer;
static gmtrace_error error;

static void check(bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "make_traces: %s\n", error.text);
    exit(1);
}

/* base + lane * stride, 4 bytes a lane */
static void access(uint64_t cta, uint32_t warp, uint32_t instr, uint64_t base, int32_t stride)
{
    static const uint8_t op[] = {
        [LDG] = GMTRACE_OP_LOAD,  [STG] = GMTRACE_OP_STORE,     [LDS] = GMTRACE_OP_LOAD,
        [STS] = GMTRACE_OP_STORE, [RED] = GMTRACE_OP_REDUCTION, [LDL] = GMTRACE_OP_LOAD,
        [STL] = GMTRACE_OP_STORE};
    static const uint8_t space[] = {
        [LDG] = GMTRACE_SPACE_GLOBAL, [STG] = GMTRACE_SPACE_GLOBAL, [LDS] = GMTRACE_SPACE_SHARED,
        [STS] = GMTRACE_SPACE_SHARED, [RED] = GMTRACE_SPACE_GLOBAL, [LDL] = GMTRACE_SPACE_LOCAL,
        [STL] = GMTRACE_SPACE_LOCAL};
    gmtrace_record record = {.kind = GMTRACE_ACCESS,
                             .instr = instr,
                             .mask = UINT32_MAX,
                             .op = op[instr],
                             .space = space[instr],
                             .shape = GMTRACE_AFFINE,
                             .address = base,
                             .stride = stride,
                             .size = 4};

    check(gmtrace_writer_append(writer, cta, warp, &record, NULL, &error));
}

static uint64_t thread(uint64_t cta, uint32_t warp)
{
    return (cta * WARPS + warp) * 32;
}

static void warp_stream(uint64_t cta, uint32_t warp)
{
    access(cta, warp, LDG, IN + thread(cta, warp) * 4, 4);
    access(cta, warp, STG, OUT + thread(cta, warp) * 4, 4);
}

/* Two tiles of 32 x 8 floats a CTA: rows in, columns out. */
static void warp_conflict(uint64_t cta, uint32_t warp)
{
    access(cta, warp, LDG, IN + thread(cta, warp) * 4, 4);
    for (uint32_t i = 0; i < 4; i++) {
        access(cta, warp, STS, warp * 128, 4);
        access(cta, warp, LDS, warp * 4, 128);
    }
    access(cta, warp, STG, OUT + thread(cta, warp) * 4, 4);
}

static void warp_broadcast(uint64_t cta, uint32_t warp)
{
    for (uint32_t i = 0; i < 64; i++)
        access(cta, warp, LDS, i * 4, 0);
}

static void warp_strided(uint64_t cta, uint32_t warp)
{
    access(cta, warp, LDG, IN + thread(cta, warp) * 128, 128);
    access(cta, warp, STG, OUT + thread(cta, warp) * 4, 4);
}

static void warp_atomic(uint64_t cta, uint32_t warp)
{
    access(cta, warp, LDG, IN + thread(cta, warp) * 4, 4);
    access(cta, warp, RED, OUT, 0);
}

static void warp_spill(uint64_t cta, uint32_t warp)
{
    access(cta, warp, LDG, IN + thread(cta, warp) * 4, 4);
    for (uint32_t i = 0; i < 16; i++)
        access(cta, warp, STL, i * 4, 0);
    for (uint32_t i = 0; i < 16; i++)
        access(cta, warp, LDL, i * 4, 0);
}

static void warp_nothing(uint64_t cta, uint32_t warp)
{
    gmtrace_record record = {
        .kind = GMTRACE_BARRIER, .instr = BAR, .mask = UINT32_MAX, .aux = WARPS * 32};

    check(gmtrace_writer_append(writer, cta, warp, &record, NULL, &error));
}

static const pattern patterns[] = {
    {"stream", 1056, 1, 0, 0, 16, warp_stream},
    {"conflict", 1056, 1, 4096, 0, 16, warp_conflict},
    {"broadcast", 1056, 1, 1024, 0, 16, warp_broadcast},
    {"strided", 1056, 1, 0, 0, 16, warp_strided},
    {"atomic", 1056, 1, 0, 0, 16, warp_atomic},
    {"spill", 1056, 1, 0, 64, 255, warp_spill},
    {"nothing", 1056, 1, 0, 0, 16, warp_nothing},
    {"small", 4, 1, 0, 0, 16, warp_stream},
    {"many", 792, 6, 0, 0, 16, warp_stream},
};

static uint32_t add_kernel(const pattern *p)
{
    static const char *const opcodes[CODE_COUNT] = {
        "LDG.E", "STG.E", "LDS", "STS", "RED.E.ADD", "LDL", "STL", "BAR.SYNC", "EXIT"};
    static const uint8_t classes[CODE_COUNT] = {
        GMTRACE_CLASS_LOAD,  GMTRACE_CLASS_STORE,     GMTRACE_CLASS_LOAD,
        GMTRACE_CLASS_STORE, GMTRACE_CLASS_REDUCTION, GMTRACE_CLASS_LOAD,
        GMTRACE_CLASS_STORE, GMTRACE_CLASS_BARRIER,   GMTRACE_CLASS_EXIT};
    static const uint8_t spaces[CODE_COUNT] = {
        GMTRACE_SPACE_GLOBAL, GMTRACE_SPACE_GLOBAL, GMTRACE_SPACE_SHARED,
        GMTRACE_SPACE_SHARED, GMTRACE_SPACE_GLOBAL, GMTRACE_SPACE_LOCAL,
        GMTRACE_SPACE_LOCAL,  GMTRACE_SPACE_NONE,   GMTRACE_SPACE_NONE};
    const char *const files[] = {words ? words[1] : "/nowhere/patterns.cu"};
    gmtrace_instr code[CODE_COUNT];
    char mangled[64], readable[64];
    gmtrace_kernel kernel = {.mangled = words ? words[0] : mangled,
                             .name = words ? words[0] : readable,
                             .registers = p->registers,
                             .static_shared = p->static_shared,
                             .local_bytes = p->local_bytes,
                             .barriers = 1,
                             .instr_count = CODE_COUNT,
                             .instr = code,
                             .file_count = 1,
                             .file = files};
    uint32_t index;

    snprintf(mangled, sizeof mangled, "_Z%zu%sPf", strlen(p->name), p->name);
    snprintf(readable, sizeof readable, "%s(float *)", p->name);
    for (uint32_t i = 0; i < CODE_COUNT; i++) {
        bool memory = i < BAR;

        code[i] = (gmtrace_instr){.pc = 16 * i,
                                  .opcode = words && i == LDG ? words[2] : opcodes[i],
                                  .operands = "",
                                  .file = 0,
                                  .line = 10 + i,
                                  .target = GMTRACE_NO_INSTR,
                                  .op_class = classes[i],
                                  .space = spaces[i],
                                  .width = memory ? 4 : 0,
                                  .predicate = GMTRACE_NO_REGISTER,
                                  .write_barrier = 7,
                                  .read_barrier = 7};
    }
    check(gmtrace_writer_add_kernel(writer, &kernel, &index, &error));
    return index;
}

static void begin_trace(const char *folder, const char *name)
{
    const gmtrace_capture capture = {.source = "make_traces",
                                     .program = "patterns",
                                     .gpu = "NVIDIA H200",
                                     .cc_major = 9,
                                     .sm_count = 132,
                                     .detail = GMTRACE_DETAIL_MEMORY,
                                     .unseen = GMTRACE_UNSEEN_CONSTANT | GMTRACE_UNSEEN_TEXTURE};
    char path[4096];

    if ((size_t)snprintf(path, sizeof path, "%s/%s.trc", folder, name) >= sizeof path)
        exit(1);
    writer = gmtrace_writer_create(path, &capture, NULL, &error);
    check(writer != NULL);
}

static void write_launch(const pattern *p, uint32_t kernel, uint32_t ctas, uint32_t ordinal)
{
    char name[4097] = ""; /* no longer one is written */
    if (words)
        snprintf(name, sizeof name, "%s", words[0]);
    const gmtrace_origin origin = {.name = name,
                                   .call = words ? words[2] : "",
                                   .file = words ? words[1] : "",
                                   .line = 10,
                                   .number = 1};
    const gmtrace_allocation allocations[] = {
        {.base = IN, .size = 1u << 22, .origin = words ? &origin : NULL},
        {.base = OUT, .size = 1u << 22}};
    const gmtrace_launch launch = {.kernel = kernel,
                                   .grid = {ctas, 1, 1},
                                   .block = {WARPS * 32, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .shared_config = 65536,
                                   .carveout_percent = -1,
                                   .ordinal = ordinal,
                                   .allocation_count = 2,
                                   .allocation = allocations};

    check(gmtrace_writer_begin_launch(writer, &launch, &error));
    for (uint64_t cta = 0; cta < ctas; cta++) {
        for (uint32_t warp = 0; warp < WARPS; warp++)
            p->warp(cta, warp);
        check(gmtrace_writer_end_cta(writer, cta, &error));
    }
    check(gmtrace_writer_end_launch(writer, &error));
}

static void write_pattern(const char *folder, const pattern *p)
{
    begin_trace(folder, p->name);
    for (uint32_t i = 0; i < p->launches; i++)
        write_launch(p, add_kernel(p), p->ctas, i);
    check(gmtrace_writer_close(writer, true, &error));
}

/* application.trc: launches of 40 kernels whose names are as long and as much alike as those of a
 * library of operators; the last two have one name and other code. */
static void write_application(const char *folder, uint32_t launches)
{
    static char *const functor[] = {"AddFunctor",   "MulFunctor",   "ReluFunctor", "TanhFunctor",
                                    "GeluFunctor",  "SiluFunctor",  "CopyFunctor", "FillFunctor",
                                    "ClampFunctor", "SqrtFunctor",  "ExpFunctor",  "LogFunctor",
                                    "PowFunctor",   "WhereFunctor", "MaskFunctor", "SignFunctor",
                                    "AbsFunctor",   "NegFunctor",   "SinFunctor",  "CosFunctor"};
    enum { KERNELS = 40 };
    uint32_t kernel[KERNELS];
    char name[KERNELS][200];

    begin_trace(folder, "application");
    for (uint32_t i = 0; i < KERNELS; i++) {
        char *of[] = {name[i], "operators.cu", i + 1 < KERNELS ? "LDG.E" : "LDG.E.CONSTANT"};

        if (i + 2 < KERNELS)
            snprintf(name[i], sizeof name[i],
                     "void at::native::vectorized_elementwise_kernel<4, at::native::%s<%s>, "
                     "std::array<char *, 2ul> >(int, at::native::%s<%s>, std::array<char *, 2ul>)",
                     functor[i % 20], i < 20 ? "float" : "c10::Half", functor[i % 20],
                     i < 20 ? "float" : "c10::Half");
        else
            snprintf(name[i], sizeof name[i], "triton_poi_fused_add_relu_0(float *)");
        words = of;
        kernel[i] = add_kernel(&patterns[i % 6]);
    }
    words = NULL;
    for (uint32_t i = 0; i < launches; i++) {
        const uint32_t which = i * 7 % KERNELS;

        write_launch(&patterns[which % 6], kernel[which], 16 + which % 16, i);
    }
    check(gmtrace_writer_close(writer, true, &error));
}

int main(int argc, char **argv)
{
    static const pattern named = {"named", 4, 1, 0, 0, 16, warp_strided};

    if (argc == 3) {
        write_application(argv[1], (uint32_t)strtoul(argv[2], NULL, 10));
        return 0;
    }
    if (argc != 2 && argc != 5) {
        fputs("make_traces: usage: make_traces FOLDER [NAME FILE OPCODE | LAUNCHES]\n", stderr);
        return 2;
    }
    if (argc == 5) {
        words = argv + 2;
        write_pattern(argv[1], &named);
        return 0;
    }
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        write_pattern(argv[1], &patterns[i]);
    return 0;
}
