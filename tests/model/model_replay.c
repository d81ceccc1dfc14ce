/* SPDX-License-Identifier: MIT
 *
 * model_replay.c - whole launches through the public interface: golden patterns, instructions of
 * every kind, cold and warm caches, what happens to damaged traces.
 */
#include "tests/support/replay_bench.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ golden */

/* 1024 x 1024 floats, tiles of 32 x 32, rows of the tile `pitch` bytes apart. */
static void write_transpose(bench *b, int32_t pitch)
{
    gmtest_launch(&b->trace, 1024, 1024);
    for (uint64_t cta = 0; cta < 1024; cta++) {
        uint64_t x = cta % 32, y = cta / 32;
        for (uint32_t warp = 0; warp < 32; warp++) {
            uint64_t in = BASE + ((y * 32 + warp) * 1024 + x * 32) * 4;
            uint64_t out = BASE + (1u << 24) + ((x * 32 + warp) * 1024 + y * 32) * 4;
            gmtest_affine(&b->trace, cta, warp, GMTEST_LDG, ALL, in, 4);
            gmtest_affine(&b->trace, cta, warp, GMTEST_STS, ALL, warp * (uint64_t)pitch, 4);
            gmtest_barrier(&b->trace, cta, warp);
            gmtest_affine(&b->trace, cta, warp, GMTEST_LDS, ALL, warp * 4u, pitch);
            gmtest_affine(&b->trace, cta, warp, GMTEST_STG, ALL, out, 4);
        }
        gmtest_end_cta(&b->trace, cta);
    }
}

static void test_transpose(gconstpointer data)
{
    int32_t pitch = GPOINTER_TO_INT(data);
    uint32_t ways = pitch == 128 ? 32 : 1;
    bench b;
    bench_begin(&b);
    write_transpose(&b, pitch);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->records, ==, 5 * 32768);
    g_assert_cmpuint(r->barriers, ==, 32768);
    g_assert_cmpuint(r->row[GMSIM_SHARED_LOAD].requests, ==, 32768);
    g_assert_cmpuint(r->row[GMSIM_SHARED_LOAD].wavefronts, ==, 32768u * ways);
    g_assert_cmpuint(r->row[GMSIM_SHARED_LOAD].wavefronts_ideal, ==, 32768);
    g_assert_cmpuint(r->row[GMSIM_SHARED_STORE].wavefronts, ==, 32768);
    g_assert_cmpuint(r->degree[1], ==, ways == 1 ? 65536 : 32768);
    g_assert_cmpuint(r->degree[32], ==, ways == 1 ? 0 : 32768);
    const gmsim_counts *in = &r->row[GMSIM_GLOBAL_LOAD], *out = &r->row[GMSIM_GLOBAL_STORE];
    g_assert_cmpuint(in->instructions, ==, 32768);
    g_assert_cmpuint(in->threads, ==, 1u << 20);
    g_assert_cmpuint(in->bytes, ==, 4u << 20);
    g_assert_cmpuint(in->sectors, ==, 131072);
    g_assert_cmpuint(in->sectors_ideal, ==, 131072);
    g_assert_cmpuint(in->tags, ==, 32768);
    g_assert_cmpuint(in->l1_hit_sectors, ==, 0);
    g_assert_cmpuint(in->xbar_read_sectors, ==, 131072);
    g_assert_cmpuint(out->sectors, ==, 131072);
    g_assert_cmpuint(out->l1_hit_sectors, ==, 0);
    g_assert_cmpuint(out->xbar_write_sectors, ==, 131072);
    /* 4 MiB in, 4 MiB out, all of it new, and none of it has to leave L2. */
    g_assert_cmpuint(r->l2.read_sectors, ==, 131072);
    g_assert_cmpuint(r->l2.read_hit_sectors, ==, 0);
    g_assert_cmpuint(r->l2.dram_read_sectors, ==, 131072);
    g_assert_cmpuint(r->l2.write_sectors, ==, 131072);
    g_assert_cmpuint(r->l2.dram_write_sectors, ==, 0);
    g_assert_cmpuint(r->l2.dirty_sectors, ==, 131072);
    g_assert_false(r->truncated);
    /* 132 SMs, two CTAs of 1024 threads each. */
    g_assert_cmpuint(r->occupancy.blocks, ==, 2);
    g_assert_cmpfloat(r->waves, ==, 1024.0 / 264.0);
    g_assert_cmpuint(r->min_cycles[GMSIM_RESOURCE_SHARED], ==, (32768u * (ways + 1) + 131) / 132);
    g_assert_cmpuint(r->min_cycles[GMSIM_RESOURCE_L1], ==, (65536 + 131) / 132);
    g_assert_cmpuint(r->min_cycles[GMSIM_RESOURCE_L2], ==, (262144u * 32 + 4799) / 4800);
    g_assert_cmpuint(r->min_cycles[GMSIM_RESOURCE_DRAM], ==, (131072u * 32 + 2399) / 2400);
    g_assert_cmpint(r->bound, ==, ways == 1 ? GMSIM_RESOURCE_DRAM : GMSIM_RESOURCE_SHARED);
    /* By instruction, in order of the code, with the worst request of each. */
    static const gmsim_row rows[] = {GMSIM_GLOBAL_LOAD, GMSIM_GLOBAL_STORE, GMSIM_SHARED_LOAD,
                                     GMSIM_SHARED_STORE};
    g_assert_cmpuint(r->instr_count, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(r->instr[i].instr, ==, i);
        g_assert_cmpint(r->instr[i].row, ==, rows[i]);
        g_assert_true(memcmp(&r->instr[i].counts, &r->row[rows[i]], sizeof(gmsim_counts)) == 0);
    }
    const gmsim_worst *worst = &r->instr[2].worst;
    g_assert_cmpuint(worst->work, ==, ways);
    g_assert_cmphex(worst->mask, ==, ALL);
    g_assert_cmpuint(worst->address[31] - worst->address[0], ==, 31u * (uint32_t)pitch);
    bench_end(&b);
}

/* Clocks of `count` warps of a CTA that read 32 words of one bank, 64 times each. */
static uint64_t conflict_clocks(uint32_t count)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 256);
    for (uint32_t n = 0; n < 64; n++)
        for (uint32_t warp = 0; warp < count; warp++)
            gmtest_affine(&b.trace, 0, warp, GMTEST_LDS, ALL, 0x400, 128);
    const gmsim_result *r = bench_run(&b);
    uint64_t clocks = r->timing.cycles - r->timing.launch_cycles;
    bench_end(&b);
    return clocks;
}

/* A warp gets a wavefront every second clock; two keep the load-store unit busy. */
static void test_wavefronts(void)
{
    uint64_t one = conflict_clocks(1), two = conflict_clocks(2), four = conflict_clocks(4);
    uint64_t eight = conflict_clocks(8);
    g_assert_cmpuint(one, >=, 64 * 64);
    g_assert_cmpuint(one, <, 64 * 64 + 500);
    g_assert_cmpuint(two, <, one + 200);
    g_assert_cmpuint(four, <, 2 * one + 200);
    g_assert_cmpuint(eight, <, 4 * one + 200);
}

/* Every lane reads cache[0]: a broadcast, not a conflict. */
static void test_broadcast(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 32);
    gmtest_affine(&b.trace, 0, 0, GMTEST_LDS, ALL, 0, 0);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->row[GMSIM_SHARED_LOAD].wavefronts, ==, 1);
    g_assert_cmpuint(r->degree[1], ==, 1);
    bench_end(&b);
}

static void test_local(void)
{
    bench b;
    bench_begin(&b);
    gmtest_launch(&b.trace, 1, 64);
    for (uint32_t warp = 0; warp < 2; warp++)
        for (int i = 0; i < 2; i++)
            gmtest_affine(&b.trace, 0, warp, GMTEST_LDL, ALL, 0xfff00, 0);
    const gmsim_result *r = bench_run(&b);
    const gmsim_counts *c = &r->row[GMSIM_LOCAL_LOAD];
    g_assert_cmpuint(c->requests, ==, 4);
    g_assert_cmpuint(c->sectors, ==, 16);
    g_assert_cmpuint(c->tags, ==, 4);
    g_assert_cmpuint(c->l1_hit_sectors, ==, 8); /* each warp has memory of its own */
    bench_end(&b);
}

/* ------------------------------------------------------------------------- other instructions */

enum { LDGSTS, UBLKCP, BAR_ARV, BAR_SYNC, LDSM, LD, LDG_STRONG, HGMMA, EXTRA_INSTRS };

static const gmtrace_instr extra[EXTRA_INSTRS] = {
    [LDGSTS] = {.pc = 0,
                .opcode = "LDGSTS.E.BYPASS.128",
                .operands = "",
                .op_class = GMTRACE_CLASS_COPY_ASYNC,
                .space = GMTRACE_SPACE_GLOBAL,
                .width = 16,
                .bypass_l1 = 1},
    [UBLKCP] = {.pc = 16, .opcode = "UBLKCP.S.G", .operands = "", .op_class = GMTRACE_CLASS_BULK},
    [BAR_ARV] = {.pc = 32, .opcode = "BAR.ARV", .operands = "", .op_class = GMTRACE_CLASS_BARRIER},
    [BAR_SYNC] = {.pc = 48,
                  .opcode = "BAR.SYNC",
                  .operands = "",
                  .op_class = GMTRACE_CLASS_BARRIER},
    [LDSM] = {.pc = 64,
              .opcode = "LDSM.16.M88.2",
              .operands = "",
              .op_class = GMTRACE_CLASS_LOAD,
              .space = GMTRACE_SPACE_SHARED,
              .width = 8,
              .matrices = 2},
    [LD] = {.pc = 80,
            .opcode = "LD.E",
            .operands = "",
            .op_class = GMTRACE_CLASS_LOAD,
            .space = GMTRACE_SPACE_GENERIC,
            .width = 4},
    [LDG_STRONG] = {.pc = 96,
                    .opcode = "LDG.E.STRONG.GPU",
                    .operands = "",
                    .op_class = GMTRACE_CLASS_LOAD,
                    .space = GMTRACE_SPACE_GLOBAL,
                    .width = 4,
                    .cache = GMTRACE_CACHE_STRONG_GPU},
    [HGMMA] = {.pc = 112,
               .opcode = "HGMMA.64x8x16.F32.BF16",
               .operands = "R24, gdesc[UR4], R24",
               .op_class = GMTRACE_CLASS_TENSOR},
};

static void use_extra(bench *b)
{
    gmtrace_instr instr[EXTRA_INSTRS];
    memcpy(instr, extra, sizeof instr);
    for (uint32_t i = 0; i < EXTRA_INSTRS; i++) {
        instr[i].file = GMTRACE_UNKNOWN;
        instr[i].target = GMTRACE_NO_INSTR;
        instr[i].predicate = GMTRACE_NO_REGISTER;
        instr[i].write_barrier = instr[i].read_barrier = 7;
    }
    gmtrace_kernel kernel = *gmtest_kernel();
    kernel.instr = instr;
    kernel.instr_count = EXTRA_INSTRS;
    gmtest_use_kernel(&b->trace, &kernel);
}

static void access(bench *b, uint32_t instr, gmtrace_op op, gmtrace_space space, uint8_t size,
                   uint64_t address, int32_t stride)
{
    gmtrace_record record = {.instr = instr,
                             .mask = ALL,
                             .op = (uint8_t)op,
                             .space = (uint8_t)space,
                             .size = size,
                             .address = address,
                             .stride = stride};
    gmtest_append(&b->trace, 0, 0, &record, NULL);
}

/* Bytes written one by one cannot be read from L1, a word can; L2 reads nothing to complete what
 * has become whole. */
static void test_local_bytes(void)
{
    bench b;
    bench_begin(&b);
    use_extra(&b);
    gmtest_launch(&b.trace, 1, 32);
    for (uint64_t k = 0; k < 4; k++)
        access(&b, LD, GMTRACE_OP_STORE, GMTRACE_SPACE_LOCAL, 1, k, 0);
    access(&b, LD, GMTRACE_OP_STORE, GMTRACE_SPACE_LOCAL, 4, 4, 0);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_LOCAL, 4, 0, 0);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_LOCAL, 4, 4, 0);
    const gmsim_result *r = bench_run(&b);
    const gmsim_counts *c = &r->row[GMSIM_LOCAL_LOAD];
    g_assert_cmpuint(c->l1_miss_sectors, ==, 4);
    g_assert_cmpuint(c->l1_hit_sectors, ==, 4);
    g_assert_cmpuint(r->l2.dram_read_sectors, ==, 0);
    bench_end(&b);
}

static void test_rows(void)
{
    bench b;
    bench_begin(&b);
    use_extra(&b);
    gmtest_launch(&b.trace, 1, 32);
    for (int i = 0; i < 2; i++) {
        access(&b, LDGSTS, GMTRACE_OP_COPY_READ, GMTRACE_SPACE_GLOBAL, 16, BASE, 16);
        access(&b, LDGSTS, GMTRACE_OP_COPY_WRITE, GMTRACE_SPACE_SHARED, 16, 0, 16);
    }
    gmtrace_record bulk = {.kind = GMTRACE_BULK,
                           .op = GMTRACE_OP_BULK_LOAD,
                           .space = GMTRACE_SPACE_GLOBAL,
                           .instr = UBLKCP,
                           .mask = 1,
                           .address = BASE + 0x10010,
                           .aux = 16384};
    gmtest_append(&b.trace, 0, 0, &bulk, NULL);
    access(&b, LDSM, GMTRACE_OP_LOAD, GMTRACE_SPACE_SHARED, 16, 0, 128);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_GLOBAL, 4, BASE + 0x20000, 4);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_SHARED, 4, 0, 8);
    access(&b, LDG_STRONG, GMTRACE_OP_LOAD, GMTRACE_SPACE_GLOBAL, 4, BASE + 0x20000, 4);
    access(&b, GMTRACE_NO_INSTR, GMTRACE_OP_STORE, GMTRACE_SPACE_GLOBAL, 4, BASE, 4);
    const gmsim_result *r = bench_run(&b);
    const gmsim_counts *copy = &r->row[GMSIM_GLOBAL_COPY];
    g_assert_cmpuint(copy->instructions, ==, 2);
    g_assert_cmpuint(copy->copies_bypass, ==, 2);
    g_assert_cmpuint(copy->sectors, ==, 32);
    g_assert_cmpuint(copy->l1_hit_sectors, ==, 0); /* past L1 both times */
    g_assert_cmpuint(r->row[GMSIM_SHARED_COPY].wavefronts, ==, 8);
    g_assert_cmpuint(r->row[GMSIM_SHARED_COPY].copies_bypass, ==, 2);
    const gmsim_counts *tma = &r->row[GMSIM_BULK_LOAD];
    g_assert_cmpuint(tma->instructions, ==, 1);
    g_assert_cmpuint(tma->requests, ==, 0);
    g_assert_cmpuint(tma->bytes, ==, 16384);
    g_assert_cmpuint(tma->sectors, ==, 513); /* half a sector off */
    g_assert_cmpuint(tma->xbar_read_sectors, ==, 513);
    g_assert_cmpuint(r->row[GMSIM_SHARED_LDSM].wavefronts, ==, 16); /* two matrices, 8-way */
    g_assert_cmpuint(r->row[GMSIM_SHARED_LDSM].wavefronts_ideal, ==, 2);
    g_assert_cmpuint(r->row[GMSIM_SHARED_LOAD].wavefronts, ==, 2);
    g_assert_cmpuint(r->degree[2], ==, 1); /* LDSM and copies are not in the histogram */
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].instructions, ==, 2);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 0);
    g_assert_cmpuint(r->l2.read_sectors, ==, 16 + 513 + 8); /* the second copy joins the first */
    g_assert_cmpuint(r->l2.read_hit_sectors, ==, 4);
    /* The generic load fell into two rows; the store without instruction comes last. */
    g_assert_cmpuint(r->instr_count, ==, 8);
    static const uint32_t instr[] = {LDGSTS, LDGSTS, UBLKCP,     LDSM,
                                     LD,     LD,     LDG_STRONG, GMTRACE_NO_INSTR};
    for (uint32_t i = 0; i < G_N_ELEMENTS(instr); i++)
        g_assert_cmpuint(r->instr[i].instr, ==, instr[i]);
    g_assert_cmpint(r->instr[7].row, ==, GMSIM_GLOBAL_STORE);
    bench_end(&b);
}

/* A copy past L1 drops the line of its source. Where all lanes read the same, each half of a target
 * sector has it brought; L2 sees one of four such requests. */
static void test_copy_past(void)
{
    bench b;
    bench_begin(&b);
    use_extra(&b);
    gmtest_launch(&b.trace, 1, 32);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_GLOBAL, 4, BASE, 4);
    access(&b, LDGSTS, GMTRACE_OP_COPY_READ, GMTRACE_SPACE_GLOBAL, 16, BASE + 0x1000, 0);
    access(&b, LDGSTS, GMTRACE_OP_COPY_WRITE, GMTRACE_SPACE_SHARED, 16, 0, 16);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_GLOBAL, 4, BASE, 4);
    access(&b, LDGSTS, GMTRACE_OP_COPY_READ, GMTRACE_SPACE_GLOBAL, 16, BASE, 16);
    access(&b, LDGSTS, GMTRACE_OP_COPY_WRITE, GMTRACE_SPACE_SHARED, 16, 0, 16);
    access(&b, LD, GMTRACE_OP_LOAD, GMTRACE_SPACE_GLOBAL, 4, BASE, 4);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 4);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].l1_miss_sectors, ==, 8);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_COPY].sectors, ==, 1 + 16);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_COPY].l1_miss_sectors, ==, 1 + 16);
    g_assert_cmpuint(r->row[GMSIM_GLOBAL_COPY].xbar_read_sectors, ==, 32 + 16);
    g_assert_cmpuint(r->row[GMSIM_SHARED_COPY].copies_moved, ==, 31);
    bench_end(&b);
}

/* A warpgroup's operands, 64 x 16 and 16 x 8 halves, are a wavefront each 128 bytes; each of its
 * four warps tells of both. */
static void test_products(void)
{
    bench b;
    bench_begin(&b);
    use_extra(&b);
    gmtest_launch(&b.trace, 1, 128);
    for (uint32_t warp = 0; warp < 4; warp++) {
        gmtrace_record product = {.kind = GMTRACE_WGMMA, .instr = HGMMA, .mask = ALL};
        product.aux = 2048 | 256u << 16;
        gmtest_append(&b.trace, 0, warp, &product, NULL);
    }
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->product_wavefronts, ==, (2048 + 256) / 128);
    bench_end(&b);
}

/* A producer that only arrives goes on; were it to wait, nobody could. */
static void test_arrive(void)
{
    bench b;
    bench_begin(&b);
    use_extra(&b);
    gmtest_launch(&b.trace, 1, 64);
    gmtrace_record arrive = {.kind = GMTRACE_BARRIER, .instr = BAR_ARV, .mask = ALL, .aux = 64};
    gmtrace_record sync = {.kind = GMTRACE_BARRIER, .instr = BAR_SYNC, .mask = ALL, .aux = 64};
    arrive.address = 1;
    sync.address = 2;
    gmtest_append(&b.trace, 0, 0, &arrive, NULL);
    gmtest_append(&b.trace, 0, 0, &sync, NULL);
    gmtest_append(&b.trace, 0, 1, &sync, NULL);
    sync.address = 1;
    gmtest_append(&b.trace, 0, 1, &sync, NULL);
    const gmsim_result *r = bench_run(&b);
    g_assert_cmpuint(r->barriers, ==, 4);
    bench_end(&b);
}

/* ----------------------------------------------------------------------------- caches, damage */

static void test_warm_and_repeat(void)
{
    bench b;
    GError *error = NULL;
    bench_begin(&b);
    write_transpose(&b, 132);
    gmsim_result first = *bench_run(&b);
    g_assert_cmpuint(first.l2.dram_read_sectors, ==, 131072);
    g_assert_cmpint(first.start, ==, GMSIM_START_FLUSHED);
    const gmsim_result *again = gmsim_model_run(b.model, b.reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(memcmp(first.row, again->row, sizeof first.row) == 0);
    g_assert_true(memcmp(&first.l2, &again->l2, sizeof first.l2) == 0);
    g_assert_cmpint(again->start, ==, GMSIM_START_FLUSHED);
    bench_close(&b);
    /* Without a flush the second launch finds in L2 what the first one read. */
    bench_open(&b, (gmsim_options){.flush = false});
    again = gmsim_model_run(b.model, b.reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(again->l2.dram_read_sectors, ==, 131072);
    g_assert_cmpint(again->start, ==, GMSIM_START_COLD);
    again = gmsim_model_run(b.model, b.reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(again->l2.dram_read_sectors, ==, 0);
    g_assert_cmpint(again->start, ==, GMSIM_START_WARM);
    g_assert_cmpuint(again->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 0);
    bench_close(&b);
    bench_open(&b, (gmsim_options){.caches = GMSIM_CACHES_WARM});
    const gmsim_result *warm = gmsim_model_run(b.model, b.reader, 0, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(warm->records, ==, first.records);
    g_assert_cmpint(warm->start, ==, GMSIM_START_WARM);
    g_assert_cmpuint(warm->l2.read_hit_sectors, ==, 131072);
    g_assert_cmpuint(warm->l2.dram_read_sectors, ==, 0);
    g_assert_cmpuint(warm->row[GMSIM_GLOBAL_LOAD].l1_hit_sectors, ==, 0); /* L1 starts empty */
    bench_end(&b);
}

/* Warps that differ in length, lanes that reach a barrier apart, lines that are used again: what
 * follows from addresses must not depend on whether the instructions between are in the trace. */
static void write_mixed(bench *b, bool executed)
{
    const gmtrace_record exec = gmtest_record(GMTEST_EXIT, ALL);
    uint32_t state = 1;
    gmtest_launch(&b->trace, 600, 128);
    for (uint64_t cta = 0; cta < 600; cta++)
        for (uint32_t warp = 0; warp < 4; warp++)
            for (uint32_t i = 0; i < 20u + warp; i++) {
                for (uint32_t n = 0; executed && n < (cta + i * warp) % 7u; n++)
                    gmtest_append(&b->trace, cta, warp, &exec, NULL);
                state = state * 1664525u + 1013904223u;
                bench_load(b, cta, warp, BASE + (state >> 8) % 65536u * 32u);
                if (i % 10u == 9u) {
                    bench_barrier(b, cta, warp, 0xffffu, 0, 128);
                    if (executed)
                        gmtest_append(&b->trace, cta, warp, &exec, NULL);
                    bench_barrier(b, cta, warp, 0xffff0000u, 0, 128);
                }
            }
}

/* SMs ask both partitions of L2, also where nobody knows which SMs lie together: 16 MiB read twice
 * fit 40 MiB with the copies that the partitions keep of each other's lines, and one partition
 * keeps none. */
static void test_partitions(void)
{
    bench b;
    uint64_t again[2], fabric[2];
    bench_begin(&b);
    for (int launch = 0; launch < 2; launch++) {
        gmtest_launch(&b.trace, 1024, 1024);
        for (uint64_t cta = 0; cta < 1024; cta++) {
            for (uint32_t warp = 0; warp < 32; warp++)
                for (uint32_t i = 0; i < 4; i++)
                    bench_load(&b, cta, warp, BASE + (((cta * 32 + warp) * 4 + i) << 7));
            gmtest_end_cta(&b.trace, cta);
        }
    }
    gmtest_close(&b.trace);
    for (int partitions = 1; partitions <= 2; partitions++) {
        g_autofree char *set = g_strdup_printf("l2.partitions=%d", partitions);
        bench_open_of(&b, "a100", set, (gmsim_options){.flush = false});
        const gmsim_result *r = gmsim_model_run(b.model, b.reader, 0, NULL, NULL, NULL);
        g_assert_nonnull(r);
        fabric[partitions - 1] = r->l2.fabric_read_sectors;
        r = gmsim_model_run(b.model, b.reader, 1, NULL, NULL, NULL);
        g_assert_nonnull(r);
        again[partitions - 1] = r->l2.dram_read_sectors;
        bench_close(&b);
    }
    g_test_message("read again: %u, %u sectors; fabric: %u", (unsigned)again[0], (unsigned)again[1],
                   (unsigned)fabric[1]);
    g_assert_cmpuint(again[0], <, 16u << 20 >> 5 >> 5); /* a 32nd of what is read */
    g_assert_cmpuint(again[1], <, 16u << 20 >> 5 >> 5);
    g_assert_cmpuint(fabric[0], ==, 0);
    g_assert_cmpuint(fabric[1], >, 0);
    bench_end(&b);
}

static void test_executed(void)
{
    gmsim_counts row[2][GMSIM_ROWS];
    uint64_t records[2];
    for (unsigned executed = 0; executed < 2; executed++) {
        bench b;
        bench_begin(&b);
        write_mixed(&b, executed);
        const gmsim_result *result = bench_run(&b);
        memcpy(row[executed], result->row, sizeof row[executed]);
        records[executed] = result->records;
        bench_end(&b);
    }
    g_assert_cmpuint(row[0][GMSIM_GLOBAL_LOAD].l1_hit_sectors, >, 0);
    g_assert_cmpuint(row[0][GMSIM_GLOBAL_LOAD].l1_miss_sectors, >, 0);
    /* Instructions take time, and time decides who comes first: hits may differ, a little. */
    double hits[2];
    for (unsigned i = 0; i < 2; i++) {
        gmsim_counts *loads = &row[i][GMSIM_GLOBAL_LOAD];
        hits[i] = (double)loads->l1_hit_sectors;
        loads->l1_hit_sectors = loads->l1_miss_sectors = loads->xbar_read_sectors = 0;
    }
    g_assert_cmpfloat(hits[1], >, 0.9 * hits[0]);
    g_assert_cmpfloat(hits[1], <, 1.1 * hits[0]);
    g_assert_cmpint(memcmp(row[0], row[1], sizeof row[0]), ==, 0);
    g_assert_cmpuint(records[0], <, records[1]);
}

/* A trace cut short anywhere past its header gives what could be read and says so. Its barriers may
 * wait for warps that were lost; that does not stop it. */
static void test_truncated(void)
{
    bench b;
    bench_begin(&b);
    gmtrace_writer_options options = {.pending_limit = 1u << 16};
    gmtest_close(&b.trace);
    gmtest_open_with(&b.trace, b.path, &options);
    gmtest_launch(&b.trace, 64, 128);
    for (uint64_t cta = 0; cta < 64; cta++) {
        for (uint32_t i = 0; i < 400; i++) {
            uint64_t address[32];
            for (uint32_t lane = 0; lane < 32; lane++)
                address[lane] = BASE + (uint64_t)g_test_rand_int_range(0, 1 << 28) * 4;
            gmtest_lanes(&b.trace, cta, i % 4, GMTEST_LDG, ALL, address);
            if (i % 16 < 4)
                bench_barrier(&b, cta, i % 4, ALL, i % 8 < 4 ? 0 : 1, 128);
        }
        gmtest_end_cta(&b.trace, cta);
    }
    const gmsim_result *whole = bench_run(&b);
    uint64_t records = whole->records, sectors = whole->row[GMSIM_GLOBAL_LOAD].sectors;
    g_assert_false(whole->truncated);
    bench_close(&b);
    char *bytes;
    gsize length;
    g_assert_true(g_file_get_contents(b.path, &bytes, &length, NULL));
    uint32_t opened = 0;
    for (uint32_t eighth = 1; eighth < 8; eighth++) {
        GError *error = NULL;
        g_assert_true(g_file_set_contents(b.path, bytes, (gssize)(length * eighth / 8), NULL));
        bench_open(&b, (gmsim_options){.flush = true});
        if (gmtrace_launch_count(b.reader)) {
            const gmsim_result *r = gmsim_model_run(b.model, b.reader, 0, NULL, NULL, &error);
            g_assert_no_error(error);
            g_assert_true(r->truncated);
            g_assert_cmpuint(r->records, <, records);
            g_assert_cmpuint(r->row[GMSIM_GLOBAL_LOAD].sectors, <, sectors);
            opened += r->records != 0;
        }
        bench_close(&b);
    }
    g_assert_cmpuint(opened, >, 3);
    g_free(bytes);
    bench_end(&b);
}

static void test_too_large(void)
{
    bench b;
    bench_begin(&b);
    gmtrace_launch launch = {.grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .cluster = {1, 1, 1},
                             .dynamic_shared = 1u << 20,
                             .shared_config = GMTRACE_UNKNOWN,
                             .carveout_percent = -1};
    gmtest_launch_with(&b.trace, &launch);
    bench_load(&b, 0, 0, BASE);
    gmtest_close(&b.trace);
    bench_open(&b, (gmsim_options){.flush = true});
    bench_expect_error(&b, 0, GMSIM_ERROR_USAGE, "--gpu");
    bench_end(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/replay/transpose/nopad", GINT_TO_POINTER(128), test_transpose);
    g_test_add_data_func("/replay/transpose/pad", GINT_TO_POINTER(132), test_transpose);
    g_test_add_func("/replay/wavefronts", test_wavefronts);
    g_test_add_func("/replay/broadcast", test_broadcast);
    g_test_add_func("/replay/local", test_local);
    g_test_add_func("/replay/local/bytes", test_local_bytes);
    g_test_add_func("/replay/rows", test_rows);
    g_test_add_func("/replay/copy-past", test_copy_past);
    g_test_add_func("/replay/products", test_products);
    g_test_add_func("/replay/barrier/arrive", test_arrive);
    g_test_add_func("/replay/caches/warm", test_warm_and_repeat);
    g_test_add_func("/replay/caches/partitions", test_partitions);
    g_test_add_func("/replay/executed", test_executed);
    g_test_add_func("/replay/damage/truncated", test_truncated);
    g_test_add_func("/replay/damage/too-large", test_too_large);
    return g_test_run();
}
