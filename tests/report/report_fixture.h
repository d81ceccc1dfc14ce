/* SPDX-License-Identifier: MIT
 *
 * report_fixture.h - results filled by hand, one for each thing a verdict can say. The numbers of
 * the transpose are those of a 1024 x 1024 float matrix, 32 x 32 tile and block.
 */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include <string.h>

#include "sim/model/model.h"

#define FIXTURE_INSTRUCTIONS 4u

typedef struct fixture {
    gmsim_gpu gpu;
    gmtrace_capture capture;
    gmtrace_launch launch;
    gmtrace_kernel kernel;
    gmtrace_instr code[FIXTURE_INSTRUCTIONS];
    gmsim_instr_counts counts[FIXTURE_INSTRUCTIONS];
    gmsim_result result;
} fixture;

static const char *const fixture_files[] = {"project/kernels/example.cu"};

/* A GPU of round numbers, a kernel of 1024 CTAs of 1024 threads, nothing counted. */
static inline void fixture_init(fixture *f)
{
    memset(f, 0, sizeof *f);
    g_strlcpy(f->gpu.name, "round", sizeof f->gpu.name);
    g_strlcpy(f->gpu.title, "Round GPU", sizeof f->gpu.title);
    f->gpu.gpu_cc_major = 9;
    f->gpu.gpu_sm_count = 100;
    f->gpu.occupancy_warps_per_sm = 64;
    f->gpu.occupancy_registers_per_thread = 255;
    f->gpu.occupancy_blocks_per_sm = 32;
    f->gpu.l1_size = 256 * 1024;
    f->gpu.l2_size = 50 * 1024 * 1024;
    f->gpu.l2_bytes_per_clock = 4096;
    f->gpu.dram_bytes_per_clock = 2048;
    f->gpu.shared_reserved = 1024;
    f->capture = (gmtrace_capture){.source = "fixture", .program = "", .gpu = ""};
    f->kernel = (gmtrace_kernel){.mangled = "_Z7examplePf",
                                 .name = "example(float *)",
                                 .registers = 16,
                                 .instr = f->code,
                                 .instr_count = FIXTURE_INSTRUCTIONS,
                                 .file = fixture_files,
                                 .file_count = 1};
    f->launch = (gmtrace_launch){.grid = {32, 32, 1},
                                 .block = {32, 32, 1},
                                 .cluster = {1, 1, 1},
                                 .shared_config = GMTRACE_UNKNOWN,
                                 .carveout_percent = -1,
                                 .complete = true};
    f->result.launch = &f->launch;
    f->result.kernel = &f->kernel;
    f->result.instr = f->counts;
    f->result.waves = 5.12;
    f->result.occupancy = (gmsim_occupancy){.limit_warps = 2,
                                            .limit_blocks = 32,
                                            .limit_registers = 4,
                                            .limit_shared = UINT32_MAX,
                                            .limit_barriers = UINT32_MAX,
                                            .blocks = 2,
                                            .limiters = GMSIM_LIMIT_WARPS,
                                            .warps_per_block = 32,
                                            .warps = 64,
                                            .theoretical_pct = 100,
                                            .shared_per_block = 1024,
                                            .l1_bytes = 200 * 1024};
    for (unsigned i = 0; i < FIXTURE_INSTRUCTIONS; i++)
        f->code[i] = (gmtrace_instr){
            .pc = 0x100 + 0x10 * i, .opcode = "NOP", .operands = "", .file = GMTRACE_UNKNOWN};
}

/* The next instruction, at line `line`, of `requests` requests whose lanes are `stride` bytes apart
 * (from `base` on) and of `work` sectors or wavefronts each against `ideal`. */
static inline gmsim_instr_counts *fixture_add(fixture *f, const char *opcode, gmsim_row row,
                                              uint32_t line, uint64_t requests, int64_t stride,
                                              uint64_t base, uint32_t work, uint32_t ideal)
{
    uint32_t index = f->result.instr_count++;
    gmsim_instr_counts *instr = &f->counts[index];
    gmsim_counts *counts = &instr->counts, *sum = &f->result.row[row];
    bool shared = row == GMSIM_SHARED_LOAD || row == GMSIM_SHARED_STORE;

    g_assert_cmpuint(index, <, FIXTURE_INSTRUCTIONS);
    f->code[index].opcode = opcode;
    f->code[index].file = 0;
    f->code[index].line = line;
    instr->instr = index;
    instr->row = row;
    counts->instructions = counts->requests = requests;
    counts->threads = requests * 32;
    counts->bytes = requests * 128;
    *(shared ? &counts->wavefronts : &counts->sectors) = requests * work;
    *(shared ? &counts->wavefronts_ideal : &counts->sectors_ideal) = requests * ideal;
    if (!shared)
        counts->l1_miss_sectors = counts->sectors;
    instr->worst = (gmsim_worst){.cta = 33, .warp = 1, .mask = UINT32_MAX, .work = work, .size = 4};
    for (unsigned i = 0; i < 32; i++)
        instr->worst.address[i] = base + (uint64_t)(stride * (int64_t)i);
    sum->instructions += counts->instructions;
    sum->requests += counts->requests;
    sum->threads += counts->threads;
    sum->bytes += counts->bytes;
    sum->sectors += counts->sectors;
    sum->sectors_ideal += counts->sectors_ideal;
    sum->wavefronts += counts->wavefronts;
    sum->wavefronts_ideal += counts->wavefronts_ideal;
    sum->l1_miss_sectors += counts->l1_miss_sectors;
    if (shared)
        f->result.degree[work > 32 ? 32 : work] += requests;
    return instr;
}

/* Least cycles from the rows: no cache helps, DRAM reads and writes nothing twice. */
static inline void fixture_finish(fixture *f)
{
    gmsim_result *result = &f->result;
    uint64_t waves =
        result->row[GMSIM_SHARED_LOAD].wavefronts + result->row[GMSIM_SHARED_STORE].wavefronts;
    uint64_t sectors;

    result->l2.read_sectors =
        result->row[GMSIM_GLOBAL_LOAD].sectors + result->row[GMSIM_LOCAL_LOAD].sectors;
    result->l2.write_sectors =
        result->row[GMSIM_GLOBAL_STORE].sectors + result->row[GMSIM_LOCAL_STORE].sectors;
    result->l2.write_hit_sectors = result->l2.write_sectors;
    result->l2.reduction_sectors = result->row[GMSIM_GLOBAL_REDUCTION].sectors;
    result->l2.dram_read_sectors = result->l2.read_sectors;
    result->l2.dirty_sectors += result->l2.write_sectors;
    sectors = result->l2.read_sectors + result->l2.write_sectors + result->l2.reduction_sectors;
    for (unsigned i = GMSIM_GLOBAL_LOAD; i <= GMSIM_LOCAL_STORE; i++) {
        bool load = i == GMSIM_GLOBAL_LOAD || i == GMSIM_GLOBAL_COPY || i == GMSIM_LOCAL_LOAD;
        gmsim_counts *row = &result->row[i];

        *(load ? &row->xbar_read_sectors : &row->xbar_write_sectors) = row->sectors;
    }
    result->min_cycles[GMSIM_RESOURCE_SHARED] = waves / f->gpu.gpu_sm_count;
    result->min_cycles[GMSIM_RESOURCE_L1] = sectors / 4 / f->gpu.gpu_sm_count;
    result->min_cycles[GMSIM_RESOURCE_L2] = sectors * 32 / f->gpu.l2_bytes_per_clock;
    result->min_cycles[GMSIM_RESOURCE_DRAM] =
        result->l2.dram_read_sectors * 32 / f->gpu.dram_bytes_per_clock;
    for (unsigned i = 1; i < GMSIM_RESOURCES; i++) {
        if (result->min_cycles[i] > result->min_cycles[result->bound])
            result->bound = (gmsim_resource)i;
    }
}

static inline void fixture_transpose(fixture *f, bool padded)
{
    fixture_init(f);
    f->kernel.static_shared = padded ? 4224 : 4096;
    fixture_add(f, "LDG.E", GMSIM_GLOBAL_LOAD, 6, 32768, 4, 0x7f0000000000, 4, 4);
    fixture_add(f, "STS", GMSIM_SHARED_STORE, 6, 32768, 4, 0, 1, 1);
    fixture_add(f, "LDS", GMSIM_SHARED_LOAD, 8, 32768, padded ? 132 : 128, 0, padded ? 1 : 32, 1);
    fixture_add(f, "STG.E", GMSIM_GLOBAL_STORE, 8, 32768, 4, 0x7f0000400000, 4, 4);
    fixture_finish(f);
}

/* A launch of `cycles` whose warps' clocks go where `percent` says; what is left is issue. */
static inline void fixture_time(fixture *f, uint64_t cycles, const unsigned percent[GMSIM_STALLS])
{
    gmsim_timing *timing = &f->result.timing;
    unsigned left = 100;

    f->result.timed = true;
    timing->cycles = cycles;
    timing->launch_cycles = 3000;
    timing->warp_active = 100000;
    for (unsigned i = 0; i < GMSIM_STALLS; i++) {
        timing->stall[i] = percent[i] * 1000u;
        left -= percent[i];
    }
    timing->stall[GMSIM_STALL_ISSUE] += left * 1000u;
}

#endif
