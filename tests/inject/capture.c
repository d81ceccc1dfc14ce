/* SPDX-License-Identifier: MIT
 *
 * capture.c - gmcapture's way to the file, without a GPU: what the patched kernels would write goes
 * into a ring; the consumer's thread, the decoding of records, the reconstruction of spills and the
 * writer are gmcapture's own. What is done with their failures is what traces/capture/launch.c
 * does, which needs CUDA, done again here. Leaves out the cubins and the Sanitizer's callbacks.
 *
 *   capture OUTPUT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/capture/consumer.h"

enum { CELLS = 8192, CTAS = 10, WARPS = 2, THREADS = 56, LAUNCHES = 2 };

static const char *output;
static char lost[400];
static bool broken;

static bool check(bool good, const char *problem)
{
    if (!good && !broken)
        fprintf(stderr, "capture: %s: %s\n", output, problem);
    broken |= !good;
    return good;
}

/* The launch alone is marked, and the file stays. */
static void lose(gmtrace_writer *writer, unsigned launch, const char *why)
{
    gmtrace_error error = {0};
    snprintf(lost, sizeof lost, "launch %u: records are missing: %s", launch, why);
    check(gmtrace_writer_lose(writer, why, &error), error.text);
}

/* ----------------------------------------------------------------------------------- the kernel */

#define CODE(at, name, text, kind, where, bytes)                                                   \
    {                                                                                              \
        .pc = at, .opcode = name, .operands = text, .op_class = GMTRACE_CLASS_##kind,              \
        .space = GMTRACE_SPACE_##where, .width = bytes, .file = GMTRACE_UNKNOWN,                   \
        .target = GMTRACE_NO_INSTR, .predicate = GMTRACE_NO_REGISTER                               \
    }
static const gmtrace_instr code[] = {
    CODE(0, "STL", "[R1+0x4], R2", STORE, LOCAL, 4), CODE(16, "LDG.E", "", LOAD, GLOBAL, 4),
    CODE(32, "LDL", "R2, [R1+0x4]", LOAD, LOCAL, 4), CODE(48, "STG.E", "", STORE, GLOBAL, 4),
    CODE(64, "EXIT", "", EXIT, NONE, 0)};
enum { INSTRS = sizeof code / sizeof *code };
static const gmc_range all = {0, INSTRS, 0};
static const gmc_code its_code = {code, INSTRS, &all, 1};

static gmc_cell ring[CELLS];
static uint64_t tail, head;

static void put(gmc_cell cell, uint32_t event, uint32_t shape, uint32_t warp, const void *payload,
                size_t bytes)
{
    const uint64_t at = head;
    head += 1 + (bytes + sizeof cell - 1) / sizeof cell;
    for (size_t i = 0; i < bytes; i += sizeof cell)
        memcpy(&ring[(at + 1 + i / sizeof cell) % CELLS], (const char *)payload + i,
               bytes - i < sizeof cell ? bytes - i : sizeof cell);
    ring[at % CELLS] = cell;
    __atomic_store_n(&ring[at % CELLS].mark, GMC_MARK(event, shape, warp), __ATOMIC_RELEASE);
}

/* A load and a store of each warp, their addresses of all three shapes in turn. */
static void play(void)
{
    for (uint32_t cta = 0; cta < CTAS; cta++)
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            const unsigned lanes = warp ? THREADS - 32 : 32;
            gmc_cell cell = {.address = 0x10000,
                             .cta = cta,
                             .pc = 1,
                             .stride = 4,
                             .aux = 4 | 1 << 8,
                             .mask = (uint32_t)((1ull << lanes) - 1)};
            int32_t near[32];
            uint64_t far[32];
            for (unsigned i = 0; i < 32; i++) {
                near[i] = (int32_t)(i * i * 4);
                far[i] = (uint64_t)(i * i) << 34 | cta << 8 | warp;
            }
            if (cta % 2)
                put(cell, GMC_GLOBAL, GMC_NEAR, warp, near, 4 * lanes);
            else
                put(cell, GMC_GLOBAL, GMC_AFFINE, warp, NULL, 0);
            cell.pc = 3;
            cell.aux = 4 | 2 << 8;
            put(cell, GMC_GLOBAL, GMC_FAR, warp, far, 8 * lanes);
            put(cell, GMC_EXIT, GMC_AFFINE, warp, NULL, 0);
        }
}

/* ------------------------------------------------------------------------------------- launches */

static void run_launch(gmtrace_writer *writer, gmc_consumer *consumer, const gmc_job *job,
                       unsigned number)
{
    const gmtrace_launch launch = {.grid = {CTAS, 1, 1},
                                   .block = {THREADS, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .shared_config = GMTRACE_UNKNOWN,
                                   .carveout_percent = -1,
                                   .ordinal = number};
    gmtrace_error error = {0};
    gmc_result taken;
    if (!check(gmtrace_writer_begin_launch(writer, &launch, &error), error.text))
        return;
    gmc_consumer_start(consumer, job);
    play();
    gmc_consumer_finish(consumer, head, &taken);
    if (taken.error.status == GMTRACE_USAGE || taken.odd)
        lose(writer, number, taken.error.status == GMTRACE_USAGE ? taken.error.text : "odd");
    else if (taken.error.status != GMTRACE_OK)
        check(false, taken.error.text);
    else if (!taken.sound)
        lose(writer, number, "it ended with an error");
    check(gmtrace_writer_end_launch(writer, &error), error.text);
}

static void capture(gmtrace_writer *writer, gmtrace_unseen *slots)
{
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = INSTRS, .instr = code};
    const gmc_job job = {.writer = writer, .code = &its_code, .threads = THREADS, .slots = slots};
    gmtrace_error error = {0};
    uint32_t index;
    gmc_consumer *consumer = gmc_consumer_create(ring, CELLS, &tail);
    if (check(consumer != NULL, "no memory or thread") &&
        check(gmtrace_writer_add_kernel(writer, &kernel, &index, &error), error.text))
        for (unsigned i = 0; i < LAUNCHES && !broken; i++)
            run_launch(writer, consumer, &job, i);
    gmc_consumer_destroy(consumer);
}

int main(int argc, char **argv)
{
    const gmtrace_capture about = {
        .source = "capture", .program = "", .gpu = "", .detail = GMTRACE_DETAIL_MEMORY};
    const gmtrace_writer_options options = {.pending_limit = 16384};
    gmtrace_error error = {0};
    gmtrace_unseen *slots = NULL;
    if (argc != 2)
        return 2;
    output = argv[1];
    gmtrace_writer *writer = gmtrace_writer_create(output, &about, &options, &error);
    if (check(writer != NULL, error.text) &&
        check(gmtrace_unseen_create(code, INSTRS, GMTRACE_DETAIL_MEMORY, &slots), "out of memory"))
        capture(writer, slots);
    const bool keep = !broken;
    error.text[0] = '\0';
    check(gmtrace_writer_close(writer, keep, &error), error.text);
    gmtrace_unseen_free(slots);
    if (lost[0] && !broken)
        fprintf(stderr, "capture: %s\n", lost);
    return broken || lost[0];
}
