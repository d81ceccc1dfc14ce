/* SPDX-License-Identifier: MIT
 *
 * cache_probe.cu - latency of single accesses in scripted order, one thread, no profiler.
 *
 * One lane plays a script from constant memory (op, offset) and records the clocks each access
 * takes, so that every access tells whether it hit in L1, in L2 or went to DRAM. Settles:
 *   capacity   usable L1 against carve-out, and the replacement above capacity (re-read sweeps)
 *   sector     whether a miss fills one sector or the line
 *   store      what a store leaves in L1, and what it does to a line that is there
 *   operator   which load operators allocate in L1, hit in it, or drop the line
 *   granule    how much a DRAM fetch brings into L2
 * Output: CSV rows  experiment,variant,step,op,offset,clocks  (offset in bytes); the capacity rows
 * are  experiment,carve-out KiB,pass,lines,bytes,hits.
 * It leaves out anything that needs several warps.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum op {
    LD, LD_CA, LD_CG, LD_CS, LD_LU, LD_CV, LD_VOLATILE, LD_NC, LD_EVICT_FIRST, LD_EVICT_LAST,
    LD_NO_ALLOCATE, LD_RELAXED_GPU, ST, ST_WB, ST_CG, ST_CS, ST_WT, ST_BYTE, ATOM_ADD, RED_ADD, OPS
};
static const char *const op_name[OPS] = {
    "ld", "ld.ca", "ld.cg", "ld.cs", "ld.lu", "ld.cv", "ld.volatile", "ld.nc", "ld.L1::evict_first",
    "ld.L1::evict_last", "ld.L1::no_allocate", "ld.relaxed.gpu", "st", "st.wb", "st.cg", "st.cs", "st.wt",
    "st.u8", "atom.add", "red.add"};

#define MAX_STEPS 15000
__constant__ uint32_t script[MAX_STEPS]; /* op in the low 5 bits, offset in words above */

#define LOAD(text)                                                                                 \
    asm volatile("mov.u32 %0, %%clock;\n\t" text " %1, [%2];" : "=r"(t0), "=r"(v) : "l"(p) : "memory")
#define STORE(text) asm volatile("mov.u32 %0, %%clock;\n\t" text : "=r"(t0) : "l"(p) : "memory")

__global__ void play(char *base, uint32_t steps, uint16_t *out)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t s = script[i];
        char *p = base + 4ull * (s >> 5);
        uint32_t t0, t1, v = 0;
        switch (s & 31) {
        case LD: LOAD("ld.global.u32"); break;
        case LD_CA: LOAD("ld.global.ca.u32"); break;
        case LD_CG: LOAD("ld.global.cg.u32"); break;
        case LD_CS: LOAD("ld.global.cs.u32"); break;
        case LD_LU: LOAD("ld.global.lu.u32"); break;
        case LD_CV: LOAD("ld.global.cv.u32"); break;
        case LD_VOLATILE: LOAD("ld.volatile.global.u32"); break;
        case LD_NC: LOAD("ld.global.nc.u32"); break;
        case LD_EVICT_FIRST: LOAD("ld.global.L1::evict_first.u32"); break;
        case LD_EVICT_LAST: LOAD("ld.global.L1::evict_last.u32"); break;
        case LD_NO_ALLOCATE: LOAD("ld.global.L1::no_allocate.u32"); break;
        case LD_RELAXED_GPU: LOAD("ld.relaxed.gpu.global.u32"); break;
        case ST: STORE("st.global.u32 [%1], 0;"); break;
        case ST_WB: STORE("st.global.wb.u32 [%1], 0;"); break;
        case ST_CG: STORE("st.global.cg.u32 [%1], 0;"); break;
        case ST_CS: STORE("st.global.cs.u32 [%1], 0;"); break;
        case ST_WT: STORE("st.global.wt.u32 [%1], 0;"); break;
        case ST_BYTE: STORE("st.global.u8 [%1], 0;"); break;
        case ATOM_ADD: asm volatile("mov.u32 %0, %%clock;\n\tatom.global.add.u32 %1, [%2], 0;"
                                    : "=r"(t0), "=r"(v) : "l"(p) : "memory"); break;
        default: STORE("red.global.add.u32 [%1], 0;"); break;
        }
        if (v == 0xdeadbeef) /* waits for the value: the array never holds it */
            __trap();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(t1)::"memory");
        uint32_t d = t1 - t0;
        __stwt(&out[i], (uint16_t)(d > 65535 ? 65535 : d));
        if ((s & 31) >= ST && (s & 31) != ATOM_ADD) { /* let the store arrive */
            uint32_t w = t1;
            while ((uint32_t)(w - t1) < 3000)
                asm volatile("mov.u32 %0, %%clock;" : "=r"(w)::"memory");
        }
    }
}

__global__ void sweep_l2(const uint32_t *p, size_t words, uint32_t *sink)
{
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
         i += (size_t)gridDim.x * blockDim.x)
        sum += __ldcg(&p[i]);
    if (sum == 0x12345)
        *sink = sum;
}

static char *array, *flush;
static const size_t array_bytes = 64u << 20, flush_bytes = 512u << 20;
static uint16_t *out_device;
static uint32_t *sink;
static FILE *csv;

struct step { op o; uint32_t offset; };

/* Plays twice and returns the second play's clocks: instruction and constant caches and the TLB are
 * warm by then. */
static std::vector<uint16_t> play_script(const std::vector<step> &steps, int carveout_percent,
                                         bool flush_l2)
{
    std::vector<uint32_t> code;
    for (const step &s : steps)
        code.push_back((uint32_t)s.o | (s.offset / 4 << 5));
    if (code.size() > MAX_STEPS) {
        fprintf(stderr, "cache_probe: a script has too many steps\n");
        exit(1);
    }
    MICRO_CUDA(cudaMemcpyToSymbol(script, code.data(), code.size() * 4));
    MICRO_CUDA(cudaFuncSetAttribute(play, cudaFuncAttributePreferredSharedMemoryCarveout, carveout_percent));
    play<<<1, 1>>>(array, (uint32_t)code.size(), out_device);
    if (flush_l2)
        sweep_l2<<<264, 512>>>((const uint32_t *)flush, flush_bytes / 4, sink);
    play<<<1, 1>>>(array, (uint32_t)code.size(), out_device);
    MICRO_CUDA(cudaGetLastError());
    std::vector<uint16_t> clocks(code.size());
    MICRO_CUDA(cudaMemcpy(clocks.data(), out_device, clocks.size() * 2, cudaMemcpyDeviceToHost));
    return clocks;
}

static void run(const char *experiment, const char *variant, const std::vector<step> &steps, bool flush_l2)
{
    std::vector<uint16_t> clocks = play_script(steps, 0, flush_l2);
    for (size_t i = 0; i < steps.size(); i++)
        fprintf(csv, "%s,%s,%zu,%s,%u,%u\n", experiment, variant, i, op_name[steps[i].o],
                steps[i].offset, clocks[i]);
}

static void run_capacity(int percent, int kib, uint32_t lines, bool shuffled)
{
    std::vector<uint32_t> order(lines);
    for (uint32_t i = 0; i < lines; i++)
        order[i] = i;
    uint64_t x = 88172645463325252ull;
    for (uint32_t i = lines - 1; shuffled && i > 0; i--) {
        x ^= x << 13; x ^= x >> 7; x ^= x << 17;
        std::swap(order[i], order[x % (i + 1)]);
    }
    uint32_t passes = std::min<uint32_t>(5, MAX_STEPS / lines);
    std::vector<step> steps;
    for (uint32_t p = 0; p < passes; p++)
        for (uint32_t i = 0; i < lines; i++)
            steps.push_back({LD, order[i] * 128});
    std::vector<uint16_t> clocks = play_script(steps, percent, false);
    const char *kind = shuffled ? "shuffled" : "cyclic";
    for (uint32_t p = 0; p < passes; p++) {
        uint32_t hits = 0;
        for (uint32_t i = 0; i < lines; i++)
            hits += clocks[(size_t)p * lines + i] < 120;
        fprintf(csv, "capacity-%s,%d,%u,%u,%u,%u\n", kind, kib, p, lines, lines * 128, hits);
    }
    /* The hit map of every pass at a few sizes shows which lines the replacement kept. */
    if (kib == 0 && lines >= 1600 && lines % 256 == 0)
        for (size_t i = 0; i < steps.size(); i++)
            fprintf(csv, "hitmap-%s,%u,%zu,ld.ca,%u,%u\n", kind, lines, i, steps[i].offset, clocks[i]);
}

int main(int argc, char **argv)
{
    csv = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!csv) {
        perror(argv[1]);
        return 1;
    }
    MICRO_CUDA(cudaMalloc(&array, array_bytes));
    MICRO_CUDA(cudaMemset(array, 0, array_bytes));
    MICRO_CUDA(cudaMalloc(&flush, flush_bytes));
    MICRO_CUDA(cudaMemset(flush, 0, flush_bytes));
    MICRO_CUDA(cudaMalloc(&out_device, MAX_STEPS * 2));
    MICRO_CUDA(cudaMalloc(&sink, 4));
    fprintf(csv, "experiment,variant,step,op,offset,clocks\n");

    static const int config[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    for (int kib : config) {
        int percent = (kib * 100 + 227) / 228;
        for (int shuffled = 0; shuffled < 2; shuffled++)
            for (uint32_t lines = 128; lines <= 3000; lines += lines < 1500 ? 64 : 128)
                run_capacity(percent, kib, lines, shuffled);
    }
    uint32_t line = 0;
    auto fresh = [&](uint32_t apart) { return (line += apart) % (48u << 20) / 128 * 128; };
    std::vector<step> s;
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t l = fresh(4096 + 128);
            s.push_back({LD, l + a * 32});
            s.push_back({LD, l + b * 32 + 4});
        }
    run("sector", "cold", s, true);

    for (int store = ST; store < OPS; store++) {
        s.clear();
        op o = (op)store;
        for (int rep = 0; rep < 3; rep++) {
            uint32_t l = fresh(4096 + 128); /* store, load the same sector */
            s.insert(s.end(), {{o, l}, {LD, l}, {LD, l}});
            l = fresh(4096 + 128); /* store, load another sector of the line */
            s.insert(s.end(), {{o, l}, {LD, l + 64}, {LD, l}});
            l = fresh(4096 + 128); /* load, store, load: is the sector still there */
            s.insert(s.end(), {{LD, l}, {o, l}, {LD, l}, {LD, l + 4}});
            l = fresh(4096 + 128); /* load one sector, store another, load that one */
            s.insert(s.end(), {{LD, l}, {o, l + 64}, {LD, l + 64}, {LD, l}});
        }
        run("store", op_name[store], s, false);
    }
    for (int load = LD; load <= LD_RELAXED_GPU; load++) {
        s.clear();
        op o = (op)load;
        for (int rep = 0; rep < 3; rep++) {
            uint32_t l = fresh(4096 + 128);
            s.insert(s.end(), {{o, l}, {LD, l}});
            l = fresh(4096 + 128);
            s.insert(s.end(), {{LD, l}, {o, l}, {LD, l}});
            l = fresh(4096 + 128);
            s.insert(s.end(), {{o, l}, {o, l}, {o, l + 4}});
        }
        run("operator", op_name[load], s, false);
    }
    /* One cold sector read, then one sector near it at L2: low latency if it came along. Each probe
     * has its own block so that probes do not disturb one another. */
    for (uint32_t first = 0; first < 8; first++) {
        s.clear();
        for (uint32_t probe = 0; probe < 16; probe++) {
            uint32_t block = fresh(8192) / 8192 * 8192;
            s.insert(s.end(), {{LD_CG, block + first * 32}, {LD_CG, block + probe * 32}});
        }
        char v[16];
        snprintf(v, sizeof v, "sector%u", first);
        run("granule", v, s, true);
    }
    s.clear(); /* a partial store first: does it fetch, and how much */
    for (uint32_t probe = 0; probe < 16; probe++) {
        uint32_t block = fresh(8192) / 8192 * 8192;
        s.insert(s.end(), {{ST, block}, {LD_CG, block + probe * 32}});
    }
    run("granule", "store", s, true);
    return fclose(csv) ? 1 : 0;
}
