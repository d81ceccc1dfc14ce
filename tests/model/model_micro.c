/* SPDX-License-Identifier: MIT
 *
 * model_micro.c - the model's rules against what microbenchmarks measured on an H200: every pattern
 * of validate/micro/shared_patterns.cu and every launch of validate/micro/carveout.cu and
 * carveout_barriers.cu that is committed under validate/measured/h200. Known misses are counted to
 * the number: fewer or more both fail, so that banks.c and its comment stay true.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/count/banks.h"
#include "sim/model/count/coalesce.h"
#include "sim/model/count/lanes.h"
#include "sim/model/carveout.h"
#include "tests/support/measured.h"

static uint32_t predict(const char *op, uint32_t width, uint32_t mask, const uint64_t *address)
{
    gmtrace_chunk chunk = {.address64 = address};
    gmtrace_record record = {.mask = mask, .shape = GMTRACE_FULL, .size = (uint8_t)width};
    if (g_str_has_prefix(op, "ldsm_x") || g_str_has_prefix(op, "stsm_x"))
        return gmsim_banks(&chunk, &record, GMSIM_BANK_MATRIX, (uint32_t)(op[6] - '0')).actual;
    if (!strcmp(op, "copy")) {
        gmsim_copy_source source; /* the benchmark reads 16 bytes apart, a line each 8 lanes */
        uint64_t read[GMTRACE_WARP_LANES];
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            read[i] = 16u * i;
        gmtrace_chunk from = {.address64 = read};
        gmsim_copy_lines(&source, &from, &record);
        return gmsim_banks_copy(&chunk, &record, &source, false).actual;
    }
    gmsim_bank_use use = !strcmp(op, "ld")         ? GMSIM_BANK_LOAD
                         : !strcmp(op, "st")       ? GMSIM_BANK_STORE
                         : !strcmp(op, "red_inc")  ? GMSIM_BANK_STORE
                         : !strcmp(op, "atom_cas") ? GMSIM_BANK_CAS
                                                   : GMSIM_BANK_ATOMIC;
    return gmsim_banks(&chunk, &record, use, 0).actual;
}

static void test_shared_patterns(void)
{
    static const struct {
        const char *op;
        uint32_t width, misses;
    } known[] = {{"ld", 16, 19}, {"copy", 4, 5}, {"copy", 8, 4}};
    uint32_t misses[G_N_ELEMENTS(known)] = {0};
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-shared_patterns.csv", 37);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        uint32_t width = (uint32_t)strtoul(cell[1], NULL, 10);
        uint32_t mask = (uint32_t)strtoul(cell[3], NULL, 16);
        uint32_t measured = (uint32_t)strtoul(cell[36], NULL, 10);
        uint64_t address[GMTRACE_WARP_LANES];
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++)
            address[i] = strtoull(cell[4 + i], NULL, 10);
        uint32_t predicted = mask ? predict(cell[0], width, mask, address) : 0;
        if (predicted == measured)
            continue;
        bool excused = false;
        for (unsigned k = 0; k < G_N_ELEMENTS(known); k++)
            if (!strcmp(known[k].op, cell[0]) && known[k].width == width) {
                misses[k]++;
                excused = true;
            }
        if (!excused)
            g_test_message("%s %u %s: predicted %u, measured %u", cell[0], width, cell[2],
                           predicted, measured);
        g_assert_true(excused);
    }
    for (unsigned k = 0; k < G_N_ELEMENTS(known); k++)
        g_assert_cmpuint(misses[k], ==, known[k].misses);
}

/* Copies of what other lanes read, too, one behind the other in the target: a bank gives its word
 * to one lane after another (random kernels that an H200 measured: validate/explore, seeds 7358,
 * 6141, 5971, 6141 again). */
static void test_copy_one_source(void)
{
    static const struct {
        uint32_t width, lanes, wavefronts; /* lanes that read the same */
    } known[] = {{4, 32, 32}, {8, 32, 32}, {8, 2, 4}, {16, 2, 8}, {16, 1, 4}};
    for (unsigned k = 0; k < G_N_ELEMENTS(known); k++) {
        uint64_t read[GMTRACE_WARP_LANES], write[GMTRACE_WARP_LANES];
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
            read[i] = i / known[k].lanes * known[k].width;
            write[i] = i * known[k].width;
        }
        gmtrace_chunk from = {.address64 = read}, to = {.address64 = write};
        gmtrace_record record = {
            .mask = UINT32_MAX, .shape = GMTRACE_FULL, .size = (uint8_t)known[k].width};
        gmsim_copy_source source;
        gmsim_copy_lines(&source, &from, &record);
        g_assert_cmpuint(gmsim_banks_copy(&to, &record, &source, false).actual, ==,
                         known[k].wavefronts);
    }
}

/* Sectors that L2 is asked for: of a line up to four requests one after the other for the same are
 * one (cache/lrc.h). */
static uint32_t from_l2(const gmsim_footprint *footprint, const gmsim_copy_source *source,
                        const gmsim_copy_moves *moves)
{
    uint8_t last[GMTRACE_WARP_LANES], readers[GMTRACE_WARP_LANES];
    uint32_t sectors = footprint->sectors;
    for (uint32_t i = 0; i < footprint->lines; i++) {
        g_assert_cmpuint(footprint->line[i], ==, source->number[i]);
        last[i] = footprint->touched[i];
        readers[i] = 1;
    }
    for (uint32_t i = 0; i < moves->requests; i++) {
        uint32_t line = moves->line[i];
        if (last[line] == moves->touched[i] && readers[line] < 4u) {
            readers[line]++;
            continue;
        }
        last[line] = moves->touched[i];
        readers[line] = 1;
        sectors += gmsim_sector_count(moves->touched[i]);
    }
    return sectors;
}

/* Copies past L1: wavefronts; sectors that L1 counts, and those that come from L2, of lanes left
 * out by a predicate none; of the others, with addresses as they come and, where both sides are
 * runs, as captures write those. ncu's sass counter has those that come from L2 where no predicate
 * is. */
static void test_copy_async(void)
{
    enum {
        FIRST = 5,
        WAVEFRONTS = FIRST + 2 * GMTRACE_WARP_LANES + 1,
        SECTORS,
        SASS,
        XBAR,
        L2,
        COLUMNS
    };
    uint32_t misses = 0, runs = 0, shifted = 0, longer = 0, with_zeros = 0;
    uint32_t moved = 0, sass = 0, joined = 0, more = 0;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-copy_async.csv", COLUMNS);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        g_assert_cmpuint(g_strv_length(cell), ==, COLUMNS);
        uint64_t from[GMTRACE_WARP_LANES], to[GMTRACE_WARP_LANES];
        uint32_t mask = (uint32_t)strtoul(cell[3], NULL, 16), size = (uint32_t)atoi(cell[1]);
        uint32_t zeros = (uint32_t)strtoul(cell[4], NULL, 16);
        uint32_t measured = (uint32_t)atoi(cell[SECTORS]);
        if (!atoi(cell[0]) || mask == 0)
            continue;
        bool run = mask == UINT32_MAX && !zeros;
        for (unsigned i = 0; i < GMTRACE_WARP_LANES; i++) {
            from[i] = strtoull(cell[FIRST + i], NULL, 10);
            to[i] = strtoull(cell[FIRST + GMTRACE_WARP_LANES + i], NULL, 10);
            run = run && from[i] == from[0] + (uint64_t)i * size &&
                  to[i] == to[0] + (uint64_t)i * size;
        }
        gmtrace_chunk source = {.address64 = from}, target = {.address64 = to};
        gmtrace_record read = {.mask = mask, .shape = GMTRACE_FULL, .size = (uint8_t)size};
        gmtrace_record write = read;
        gmsim_copy_source lines;
        gmsim_footprint footprint;
        gmsim_copy_lines(&lines, &source, &read);
        if (mask == UINT32_MAX) { /* of the addresses, whether lanes read there or not */
            uint32_t all = gmsim_banks_copy(&target, &write, &lines, true).actual;
            if (g_str_has_prefix(cell[2], "part ")) /* with zeros behind the data */
                all += gmsim_banks_copy(&target, &write, &lines, false).actual;
            longer += all != (uint32_t)atoi(cell[WAVEFRONTS]);
            with_zeros += zeros != 0;
        }
        read.mask &= ~zeros;
        if (!read.mask)
            continue;
        gmsim_coalesce(&footprint, &source, &read);
        gmsim_copy_lines(&lines, &source, &read);
        uint32_t got = gmsim_copy_sectors(&target, &write, &lines, footprint.sectors);
        misses += got != measured;
        gmsim_copy_moves moves;
        gmsim_copy_past(&moves, &target, &write, &lines, footprint.sectors);
        moved += moves.sectors != (uint32_t)atoi(cell[XBAR]);
        sass += mask == UINT32_MAX && moves.sectors != (uint32_t)atoi(cell[SASS]);
        more += moves.sectors > footprint.sectors;
        joined += from_l2(&footprint, &lines, &moves) != (uint32_t)atoi(cell[L2]);
        shifted += measured != footprint.sectors;
        if (!run)
            continue;
        read.shape = write.shape = GMTRACE_AFFINE;
        read.stride = write.stride = (int32_t)size;
        read.address = from[0];
        write.address = to[0];
        gmsim_copy_lines(&lines, &source, &read);
        g_assert_cmpuint(gmsim_copy_sectors(&target, &write, &lines, footprint.sectors), ==,
                         measured);
        gmsim_copy_past(&moves, &target, &write, &lines, footprint.sectors);
        g_assert_cmpuint(moves.sectors, ==, (uint32_t)atoi(cell[XBAR]));
        runs++;
    }
    g_assert_cmpuint(misses, ==, 1); /* lanes that write one place, between others */
    /* fours that read the same, random addresses; rows of 144 bytes with zeros behind the data */
    g_assert_cmpuint(longer, ==, 11);
    g_assert_cmpuint(moved, ==, 0);
    g_assert_cmpuint(sass, ==, 1);    /* random addresses */
    g_assert_cmpuint(joined, ==, 29); /* random addresses; fours that read the same */
    g_assert_cmpuint(more, >=, 70);
    g_assert_cmpuint(with_zeros, ==, 84);
    g_assert_cmpuint(runs, >=, 20);
    g_assert_cmpuint(shifted, >=, 30);
}

static void test_carveout(void)
{
    gmsim_gpu gpu;
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-carveout.csv", 8);
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        long n[8];
        for (unsigned i = 0; i < 8; i++)
            n[i] = strtol(cell[i], NULL, 10);
        gmsim_demand demand = {.threads = (uint32_t)n[3],
                               .registers = gmsim_registers_granted((uint32_t)n[0]),
                               .static_shared = (uint32_t)n[1],
                               .dynamic_shared = (uint32_t)n[2],
                               .shared_config = UINT32_MAX,
                               .carveout_percent = (int32_t)n[5]};
        gmsim_occupancy got;
        gmsim_occupancy_compute(&gpu, &demand, &got);
        if (got.shared_config != (uint32_t)n[7] || got.blocks != (uint32_t)n[6])
            g_test_message("row %u: %ld registers, %ld + %ld bytes, %ld threads, preference %ld: "
                           "predicted %u and %u blocks, measured %ld and %ld",
                           r + 2, n[0], n[1], n[2], n[3], n[5], got.shared_config, got.blocks, n[7],
                           n[6]);
        g_assert_cmpuint(got.shared_config, ==, (uint32_t)n[7]);
        g_assert_cmpuint(got.blocks, ==, (uint32_t)n[6]);
    }
}

/* With named barriers. The static shared memory of the rows is none: the compiler dropped it. */
static void test_carveout_barriers(void)
{
    enum { BARRIERS, STATIC, DYNAMIC, BLOCK, REGISTERS, CONFIG, HOLDS = 9, MOST, PERCENT, COLUMNS };
    gmsim_gpu gpu;
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) rows = gmtest_measured("micro-carveout_barriers.csv", COLUMNS);
    gmsim_gpu_load(&gpu, "h200", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(rows->len, ==, 336);
    for (guint r = 0; r < rows->len; r++) {
        char **cell = g_ptr_array_index(rows, r);
        uint32_t n[PERCENT];
        for (unsigned i = 0; i < PERCENT; i++)
            n[i] = (uint32_t)strtoul(cell[i], NULL, 10);
        gmsim_demand demand = {.threads = n[BLOCK],
                               .registers = n[REGISTERS],
                               .dynamic_shared = n[DYNAMIC],
                               .barriers = n[BARRIERS] ? n[BARRIERS] : 16,
                               .shared_config = UINT32_MAX,
                               .carveout_percent = -1};
        gmsim_occupancy got;
        gmsim_occupancy_compute(&gpu, &demand, &got);
        if (got.shared_config != n[CONFIG])
            g_test_message("row %u: predicted %u, measured %u", r + 2, got.shared_config,
                           n[CONFIG]);
        g_assert_cmpuint(got.shared_config, ==, n[CONFIG]);
        g_assert_cmpuint(got.limit_shared, ==, n[HOLDS]);
        g_assert_cmpuint(MIN(got.limit_barriers, got.limit_blocks), ==, n[MOST]);
        g_assert_cmpfloat_with_epsilon(got.theoretical_pct, g_ascii_strtod(cell[PERCENT], NULL),
                                       0.006);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/micro/shared-patterns", test_shared_patterns);
    g_test_add_func("/micro/copy-one-source", test_copy_one_source);
    g_test_add_func("/micro/copy-async", test_copy_async);
    g_test_add_func("/micro/carveout", test_carveout);
    g_test_add_func("/micro/carveout-barriers", test_carveout_barriers);
    return g_test_run();
}
