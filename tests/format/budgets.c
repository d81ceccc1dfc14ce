/* SPDX-License-Identifier: MIT
 *
 * budgets.c - what small files may cost whoever reads or writes them. Work is counted where it can
 * be, as reads of the file; else CPU time is held against that of a harmless input of the same
 * size.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/support/trace_builder.h"
#include "traces/code/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;
static char path[96];

static void check(bool good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++count, what);
}

/* In the libraries' place of the C library's: each chunk that is decoded is read so. */
static uint64_t reads;
ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
    reads++;
    return syscall(SYS_pread64, fd, to, size, offset);
}

static double cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void need(bool good, const gmtrace_error *error)
{
    if (good)
        return;
    printf("Bail out! %s\n", error->text);
    exit(1);
}

/* --------------------------------------------------------------------------------- the writer */

#define OPEN 60000u

/* The inverse of an odd number modulo 2^64. */
static uint64_t inverse(uint64_t of)
{
    uint64_t x = of;
    for (unsigned i = 0; i < 6; i++)
        x *= 2 - of * x;
    return x;
}

/* CPU seconds of a launch of which OPEN CTAs are open at once: consecutive ones, or those that a
 * table whose hash is the number times a constant known to all has in one place. */
static double open_many(bool colliding)
{
    const uint64_t back = inverse(0x9e3779b97f4a7c15ull);
    gmtest_trace trace;
    gmtest_open(&trace, path);
    const gmtrace_launch launch = {.grid = {1u << 31, 1u << 30, 1},
                                   .block = {32, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .shared_config = GMTRACE_UNKNOWN,
                                   .carveout_percent = -1};
    const gmtrace_record record = gmtest_record(GMTEST_BAR, UINT32_MAX);
    gmtest_launch_with(&trace, &launch);
    const double begun = cpu();
    for (uint64_t i = 0, left = OPEN; left; i++) {
        const uint64_t cta = colliding ? i * back : i;
        if (cta >> 61)
            continue;
        gmtest_append(&trace, cta, 0, &record, NULL);
        left--;
    }
    gmtest_close(&trace);
    return cpu() - begun;
}

static uint64_t hash_of(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint64_t hash = 0;
    for (int byte; file && (byte = getc(file)) != EOF;)
        hash = (hash ^ (unsigned)byte) * 0x100000001b3u;
    if (file)
        fclose(file);
    return hash;
}

/* A file whose writer runs short of memory over and over, so that it writes CTAs early. */
static uint64_t relieved(const char *name)
{
    const gmtrace_writer_options options = {.pending_limit = 20000};
    gmtest_trace trace;
    gmtest_open_with(&trace, name, &options);
    gmtest_launch(&trace, 300, 64);
    for (unsigned i = 0; i < 6000; i++)
        gmtest_affine(&trace, i * 37 % 300, i % 2, GMTEST_LDG, UINT32_MAX, 0x1000 * i, 4);
    gmtest_close(&trace);
    return hash_of(name);
}

/* Each process has its own key of the table, which nothing in the file may show. */
static bool same_in_each_process(void)
{
    uint64_t first = 0;
    for (unsigned i = 0; i < 4; i++) {
        int ends[2], status;
        uint64_t hash = 0;
        if (pipe(ends) != 0)
            return false;
        const pid_t child = fork();
        if (child == 0) {
            hash = relieved(path);
            _exit(write(ends[1], &hash, sizeof hash) != sizeof hash);
        }
        if (child < 0 || read(ends[0], &hash, sizeof hash) != sizeof hash ||
            waitpid(child, &status, 0) != child || status != 0)
            return false;
        close(ends[0]);
        close(ends[1]);
        if (i && hash != first)
            return false;
        first = hash;
    }
    return first != 0;
}

/* --------------------------------------------------------------------------------- the reader */

static gmtrace_reader *reopen(void)
{
    gmtrace_error error;
    gmtrace_reader *reader = gmtrace_open(path, &error);
    need(reader != NULL, &error);
    reads = 0;
    return reader;
}

/* All warps of all CTAs of all launches, one after another. */
static void read_all(gmtrace_reader *reader, uint32_t warps)
{
    gmtrace_error error;
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++) {
        uint64_t *cta = NULL;
        size_t ctas = 0;
        need(gmtrace_select_launch(reader, i, &error) &&
                 gmtrace_list_ctas(reader, &cta, &ctas, &error),
             &error);
        for (size_t k = 0; k < ctas * warps; k++) {
            gmtrace_cursor cursor;
            need(gmtrace_cursor_open(reader, &cursor, cta[k / warps], (uint32_t)k % warps, &error),
                 &error);
            while (gmtrace_cursor_refill(reader, &cursor, &error) && cursor.chunk)
                cursor.next = cursor.end;
        }
        free(cta);
    }
}

static bool decodes_once(void)
{
    gmtest_trace trace;
    gmtest_open(&trace, path);
    gmtest_launch(&trace, 400, 256);
    for (unsigned i = 0; i < 400 * 8; i++)
        gmtest_affine(&trace, i / 8, i % 8, GMTEST_LDG, UINT32_MAX, 0x1000 * i, 4);
    gmtest_close(&trace);
    gmtrace_reader *reader = reopen();
    const uint64_t chunks = gmtrace_chunk_count(reader);
    read_all(reader, 8);
    printf("# %llu reads for %llu chunks\n", (unsigned long long)reads, (unsigned long long)chunks);
    gmtrace_close(reader);
    return reads <= 2 * chunks + 4;
}

/* Warps of large CTAs side by side, each far ahead of the next. */
static bool decodes_once_for_all(void)
{
    enum { CTAS = 4, WARPS = 8, STEPS = 128 };
    gmtest_trace trace;
    gmtrace_error error;
    gmtrace_cursor cursor[CTAS * WARPS];
    uint64_t address[32], chance = 1;
    gmtest_open(&trace, path);
    gmtest_launch(&trace, CTAS, 32 * WARPS);
    for (unsigned i = 0; i < CTAS * WARPS * STEPS; i++) {
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = (chance = chance * 0x5851f42d4c957f2du + 1) >> 44 & ~UINT64_C(3);
        gmtest_lanes(&trace, i / STEPS / WARPS, i / STEPS % WARPS, GMTEST_LDG, UINT32_MAX, address);
    }
    gmtest_close(&trace);
    gmtrace_reader *reader = reopen();
    const uint64_t chunks = gmtrace_chunk_count(reader);
    need(gmtrace_select_launch(reader, 0, &error), &error);
    for (unsigned i = 0; i < CTAS * WARPS; i++)
        need(gmtrace_cursor_open(reader, &cursor[i], i % CTAS, i / CTAS, &error), &error);
    for (unsigned i = 0; i < CTAS * WARPS; i++)
        do
            cursor[i].next = cursor[i].end;
        while (gmtrace_cursor_refill(reader, &cursor[i], &error));
    printf("# %llu reads for %llu chunks\n", (unsigned long long)reads, (unsigned long long)chunks);
    gmtrace_close(reader);
    return chunks > CTAS && reads <= chunks + 4;
}

static bool each_launch_alone(void)
{
    gmtest_trace trace;
    gmtest_open(&trace, path);
    for (unsigned i = 0; i < 1000; i++) {
        gmtest_launch(&trace, 1, 32);
        gmtest_affine(&trace, 0, 0, GMTEST_LDG, UINT32_MAX, 0x1000, 4);
    }
    gmtest_close(&trace);
    gmtrace_reader *reader = reopen();
    read_all(reader, 1);
    printf("# %llu reads for 1000 launches\n", (unsigned long long)reads);
    gmtrace_close(reader);
    return reads <= 4 * 1000;
}

/* Launches of one kernel that is set up anew for each, a few bytes a launch. */
static bool claims_are_bounded(bool trusted)
{
    const uint32_t size = 200000;
    gmtrace_instr *instr = calloc(size, sizeof *instr);
    gmtrace_kernel kernel = {.mangled = "k", .name = "k", .instr_count = size, .instr = instr};
    const gmtrace_reader_options options = {.memory_limit = trusted ? UINT64_MAX : 0};
    gmtrace_error error = {.text = "no memory"};
    gmtest_trace trace;
    need(instr != NULL, &error);
    for (uint32_t i = 0; i < size; i++)
        instr[i] = gmtest_instr(i, "MOV");
    gmtest_open(&trace, path);
    gmtest_use_kernel(&trace, &kernel);
    for (unsigned i = 0; i < 1000; i++) {
        gmtrace_record record = gmtest_record(GMTEST_BAR, UINT32_MAX);
        record.instr = GMTRACE_NO_INSTR;
        gmtest_launch(&trace, 1, 32);
        gmtest_append(&trace, 0, 0, &record, NULL);
    }
    gmtest_close(&trace);
    free(instr);
    gmtrace_reader *reader = gmtrace_open_with(path, &options, &error);
    need(reader != NULL, &error);
    bool first = gmtrace_check_claims(reader, 0, &error);
    bool last = gmtrace_check_claims(reader, 999, &error);
    printf("# %llu bytes: %s\n", (unsigned long long)gmtrace_file_size(reader), error.text);
    gmtrace_close(reader);
    return first && last == trusted;
}

/* ----------------------------------------------------------------------------------- the code */

#define LOOPS 300u

/* Loops to 2^31 in which nothing is recorded, one after another, before a load that is. */
static bool loops_are_bounded(void)
{
    static gmtrace_instr instr[4 * LOOPS + 2];
    const gmtrace_operand writes_r0 = {.file = GMTRACE_REG_GENERAL, .count = 1, .write = 1};
    const gmtrace_operand writes_p0 = {.file = GMTRACE_REG_PREDICATE, .count = 1, .write = 1};
    const gmtrace_kernel kernel = {
        .mangled = "k", .name = "k", .instr_count = 4 * LOOPS + 2, .instr = instr};
    for (uint32_t i = 0; i < kernel.instr_count; i++) {
        instr[i] = gmtest_instr(i, (const char *[]){"MOV", "IADD3", "ISETP.LT.AND", "BRA"}[i % 4]);
        instr[i].stall = 1;
        instr[i].op_class = i % 4 == 3 ? GMTRACE_CLASS_BRANCH : GMTRACE_CLASS_INT;
        instr[i].operands =
            (const char *[]){"R0, 0x0", "R0, R0, 0x1, RZ", "P0, PT, R0, 0x7fffffff, PT", ""}[i % 4];
        instr[i].operand_count = i % 4 < 3;
        instr[i].operand[0] = i % 4 == 2 ? writes_p0 : writes_r0;
        if (i % 4 == 3) {
            instr[i].target = i - 2;
            instr[i].predicate = 0;
        }
    }
    for (uint32_t i = 4 * LOOPS; i < kernel.instr_count; i++) {
        instr[i] = gmtest_instr(i, i == 4 * LOOPS ? "LDG.E" : "EXIT");
        instr[i].stall = 1;
    }
    instr[4 * LOOPS].op_class = GMTRACE_CLASS_LOAD;
    instr[4 * LOOPS].space = GMTRACE_SPACE_GLOBAL;
    instr[4 * LOOPS].width = 4;
    instr[4 * LOOPS + 1].op_class = GMTRACE_CLASS_EXIT;
    const gmtrace_record record = {.instr = 4 * LOOPS,
                                   .kind = GMTRACE_ACCESS,
                                   .op = GMTRACE_OP_LOAD,
                                   .space = GMTRACE_SPACE_GLOBAL,
                                   .size = 4,
                                   .mask = UINT32_MAX};
    const double begun = cpu();
    gmtrace_paths *paths = gmtrace_paths_create(&kernel, GMTRACE_DETAIL_MEMORY);
    gmtrace_path_warp warp;
    const gmtrace_error error = {.text = "no memory"};
    need(paths != NULL, &error);
    gmtrace_path_enter(paths, &warp, UINT32_MAX);
    const gmtrace_path *way = gmtrace_path_step(paths, &warp, &record);
    const bool estimated = way->estimated && !way->lost;
    gmtrace_paths_free(paths);
    printf("# %.1f s for %u loops\n", cpu() - begun, LOOPS);
    return estimated && cpu() - begun < 8;
}

int main(void)
{
    snprintf(path, sizeof path, "%s/gmsim-budgets-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    const int fd = mkstemp(path);
    if (fd < 0)
        return 99;
    close(fd);
    check(same_in_each_process(), "a writer short of memory writes the same in each process");
    const double plain = open_many(false), colliding = open_many(true);
    printf("# %.2f s for consecutive CTAs, %.2f s for chosen ones\n", plain, colliding);
    check(colliding < 6 * plain + 0.5, "no CTA numbers are slow to write");
    check(decodes_once(), "a chunk is decoded once for all its warps in turn");
    check(decodes_once_for_all(), "... and for warps that run side by side");
    check(each_launch_alone(), "a launch is read without those before it");
    check(claims_are_bounded(false), "launches cannot set up endless code");
    check(claims_are_bounded(true), "... but in a trusted file");
    check(loops_are_bounded(), "a kernel's loops are run in bounded time");
    printf("1..%d\n", count);
    unlink(path);
    return 0;
}
