/* SPDX-License-Identifier: MIT
 *
 * shared_patterns.cu - one warp executes one shared-memory instruction a launch, with the lanes'
 * addresses and the active mask of a pattern. Settles: wavefronts of 8- to 128-bit loads and
 * stores (which lanes make up a pass of a 64- or 128-bit access, when passes merge, what partial
 * masks do), broadcast, sub-word accesses, atomics, ldmatrix/stmatrix, and the shared-memory side
 * of cp.async. Run the whole of it under one profiler process:
 *
 *   ncu --csv --page raw --metrics smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum,\
 *       smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal.sum,\
 *       l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,\
 *       l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum \
 *       shared_patterns --csv patterns.csv >measured.csv
 *
 * The "ID" that ncu gives a launch is the column `launch` of patterns.csv. In each kernel the
 * tested instruction is the only one that touches memory (offsets come from constant memory, and
 * nothing is stored), but for cp.async, which reads 512 consecutive bytes of global memory. Lanes
 * outside the mask are predicated off, not branched around, so that an empty mask still executes
 * the instruction; only atomics the compiler insists on branching around. ldmatrix and stmatrix
 * need all lanes. What the pool holds is never read as data.
 */
#include "validate/micro/patterns.h"
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#pragma nv_diag_suppress 177 /* not every kernel needs all that SHARED_KERNEL declares */

#define POOL 32768

/* Never true: it keeps the compiler from dropping what is loaded. */
#define KEEP                                                                                       \
    if (sink)                                                                                      \
        *sink = f + (float)(a ^ b ^ c ^ d ^ x ^ y);

/* Declares lane, at (shared-window address), a few registers, and `on`, the lane's predicate. */
#define SHARED_KERNEL(NAME, BODY)                                                                  \
    __global__ void NAME(const __grid_constant__ lane_offsets offsets, unsigned mask,              \
                         const uint4 *source, float *sink)                                         \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[POOL];                                       \
        unsigned lane = threadIdx.x, on = mask >> lane & 1;                                        \
        unsigned at = (unsigned)__cvta_generic_to_shared(pool) + offsets.at[lane];                 \
        unsigned a = lane, b = lane + 1, c = lane + 2, d = lane + 3;                               \
        unsigned long long x = lane, y = lane + 1;                                                 \
        float f = (float)lane;                                                                     \
        BODY KEEP                                                                                  \
    }

/* One instruction under the lane's predicate. */
#define WHEN_ON(TEXT, ...)                                                                         \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p " TEXT "; }" __VA_ARGS__)

SHARED_KERNEL(shared_ld8, WHEN_ON("ld.shared.u8 %1, [%2]",
                                  : "+r"(on), "+r"(a)
                                  : "r"(at)
                                  : "memory");)
SHARED_KERNEL(shared_ld16, WHEN_ON("ld.shared.u16 %1, [%2]",
                                   : "+r"(on), "+r"(a)
                                   : "r"(at)
                                   : "memory");)
SHARED_KERNEL(shared_ld32, WHEN_ON("ld.shared.u32 %1, [%2]",
                                   : "+r"(on), "+r"(a)
                                   : "r"(at)
                                   : "memory");)
SHARED_KERNEL(shared_ld64, WHEN_ON("ld.shared.v2.u32 {%1, %2}, [%3]",
                                   : "+r"(on), "+r"(a), "+r"(b)
                                   : "r"(at)
                                   : "memory");)
SHARED_KERNEL(shared_ld128, WHEN_ON("ld.shared.v4.u32 {%1, %2, %3, %4}, [%5]",
                                    : "+r"(on), "+r"(a), "+r"(b), "+r"(c), "+r"(d)
                                    : "r"(at)
                                    : "memory");)
SHARED_KERNEL(shared_st8, WHEN_ON("st.shared.u8 [%2], %1",
                                  : "+r"(on)
                                  : "r"(a), "r"(at)
                                  : "memory");)
SHARED_KERNEL(shared_st16, WHEN_ON("st.shared.u16 [%2], %1",
                                   : "+r"(on)
                                   : "r"(a), "r"(at)
                                   : "memory");)
SHARED_KERNEL(shared_st32, WHEN_ON("st.shared.u32 [%2], %1",
                                   : "+r"(on)
                                   : "r"(a), "r"(at)
                                   : "memory");)
SHARED_KERNEL(shared_st64, WHEN_ON("st.shared.v2.u32 [%3], {%1, %2}",
                                   : "+r"(on)
                                   : "r"(a), "r"(b), "r"(at)
                                   : "memory");)
SHARED_KERNEL(shared_st128, WHEN_ON("st.shared.v4.u32 [%5], {%1, %2, %3, %4}",
                                    : "+r"(on)
                                    : "r"(a), "r"(b), "r"(c), "r"(d), "r"(at)
                                    : "memory");)
SHARED_KERNEL(shared_atom_add32, WHEN_ON("atom.shared.add.u32 %1, [%2], %3",
                                         : "+r"(on), "+r"(a)
                                         : "r"(at), "r"(b)
                                         : "memory");)
SHARED_KERNEL(shared_red_add32, WHEN_ON("red.shared.add.u32 [%1], %2",
                                        : "+r"(on)
                                        : "r"(at), "r"(b)
                                        : "memory");)
/* ATOMS.POPC.INC, which ptxas makes of adding one where nobody asks for the result. */
SHARED_KERNEL(shared_red_inc32, WHEN_ON("red.shared.add.u32 [%1], 1",
                                        : "+r"(on)
                                        : "r"(at)
                                        : "memory");)
SHARED_KERNEL(shared_atom_exch32, WHEN_ON("atom.shared.exch.b32 %1, [%2], %3",
                                          : "+r"(on), "+r"(a)
                                          : "r"(at), "r"(b)
                                          : "memory");)
SHARED_KERNEL(shared_atom_exch64, WHEN_ON("atom.shared.exch.b64 %1, [%2], %3",
                                          : "+r"(on), "+l"(x)
                                          : "r"(at), "l"(y)
                                          : "memory");)
SHARED_KERNEL(shared_atom_cas32, WHEN_ON("atom.shared.cas.b32 %1, [%2], %3, %4",
                                         : "+r"(on), "+r"(a)
                                         : "r"(at), "r"(b), "r"(c)
                                         : "memory");)
SHARED_KERNEL(shared_atom_cas64, WHEN_ON("atom.shared.cas.b64 %1, [%2], %3, %4",
                                         : "+r"(on), "+l"(x)
                                         : "r"(at), "l"(y), "l"(x + 2)
                                         : "memory");)
/* Compiles to a loop of loads and compare-and-swaps: the number of turns follows from the lanes
 * that share an address. */
SHARED_KERNEL(shared_atom_addf32, WHEN_ON("atom.shared.add.f32 %1, [%2], %3",
                                          : "+r"(on), "+f"(f)
                                          : "r"(at), "f"(1.0f)
                                          : "memory");)

#define LDMATRIX(NAME, KIND, COUNT, ...)                                                           \
    SHARED_KERNEL(NAME,                                                                            \
                  asm volatile("ldmatrix.sync.aligned.m8n8." COUNT KIND ".shared.b16 " __VA_ARGS__ \
                               : "+r"(a), "+r"(b), "+r"(c), "+r"(d)                                \
                               : "r"(at)                                                           \
                               : "memory");)
LDMATRIX(shared_ldsm_x1, "", "x1", "{%0}, [%4];")
LDMATRIX(shared_ldsm_x2, "", "x2", "{%0, %1}, [%4];")
LDMATRIX(shared_ldsm_x4, "", "x4", "{%0, %1, %2, %3}, [%4];")
LDMATRIX(shared_ldsm_x1_trans, ".trans", "x1", "{%0}, [%4];")
LDMATRIX(shared_ldsm_x2_trans, ".trans", "x2", "{%0, %1}, [%4];")
LDMATRIX(shared_ldsm_x4_trans, ".trans", "x4", "{%0, %1, %2, %3}, [%4];")

#define STMATRIX(NAME, KIND, COUNT, ...)                                                           \
    SHARED_KERNEL(NAME,                                                                            \
                  asm volatile("stmatrix.sync.aligned.m8n8." COUNT KIND ".shared.b16 " __VA_ARGS__ \
                               :                                                                   \
                               : "r"(a), "r"(b), "r"(c), "r"(d), "r"(at)                           \
                               : "memory");)
STMATRIX(shared_stsm_x1, "", "x1", "[%4], {%0};")
STMATRIX(shared_stsm_x2, "", "x2", "[%4], {%0, %1};")
STMATRIX(shared_stsm_x4, "", "x4", "[%4], {%0, %1, %2, %3};")
STMATRIX(shared_stsm_x4_trans, ".trans", "x4", "[%4], {%0, %1, %2, %3};")

#define COPY_ASYNC(NAME, KIND, BYTES)                                                              \
    SHARED_KERNEL(NAME, {                                                                          \
        WHEN_ON("cp.async." KIND ".shared.global [%1], [%2], " BYTES,                              \
                : "+r"(on)                                                                         \
                : "r"(at), "l"(source + lane)                                                      \
                : "memory");                                                                       \
        asm volatile("cp.async.wait_all;" ::: "memory");                                           \
    })
COPY_ASYNC(shared_copy32, "ca", "4")
COPY_ASYNC(shared_copy64, "ca", "8")
COPY_ASYNC(shared_copy128, "ca", "16")
COPY_ASYNC(shared_copy128_bypass, "cg", "16")

typedef void shared_kernel(const lane_offsets, unsigned, const uint4 *, float *);

static const struct instruction {
    const char *op;
    unsigned width; /* bytes a lane; for matrices the bytes of a row */
    int rows;       /* matrices: rows whose addresses count; 0 otherwise */
    const char *name;
    shared_kernel *kernel;
    pattern_depth depth;
} table[] = {
#define ROW(op, width, rows, kernel, depth)                                                        \
    {                                                                                              \
        op, width, rows, #kernel, kernel, depth                                                    \
    }
    ROW("ld", 4, 0, shared_ld32, THOROUGH),
    ROW("ld", 8, 0, shared_ld64, THOROUGH),
    ROW("ld", 16, 0, shared_ld128, THOROUGH),
    ROW("ld", 1, 0, shared_ld8, BRIEF),
    ROW("ld", 2, 0, shared_ld16, BRIEF),
    ROW("st", 4, 0, shared_st32, THOROUGH),
    ROW("st", 8, 0, shared_st64, THOROUGH),
    ROW("st", 16, 0, shared_st128, THOROUGH),
    ROW("st", 1, 0, shared_st8, BRIEF),
    ROW("st", 2, 0, shared_st16, BRIEF),
    ROW("atom_add", 4, 0, shared_atom_add32, BRIEF),
    ROW("red_add", 4, 0, shared_red_add32, BRIEF),
    ROW("red_inc", 4, 0, shared_red_inc32, BRIEF),
    ROW("atom_exch", 4, 0, shared_atom_exch32, BRIEF),
    ROW("atom_exch", 8, 0, shared_atom_exch64, BRIEF),
    ROW("atom_cas", 4, 0, shared_atom_cas32, BRIEF),
    ROW("atom_cas", 8, 0, shared_atom_cas64, BRIEF),
    ROW("atom_addf", 4, 0, shared_atom_addf32, BRIEF),
    ROW("ldsm_x1", 16, 8, shared_ldsm_x1, BRIEF),
    ROW("ldsm_x2", 16, 16, shared_ldsm_x2, BRIEF),
    ROW("ldsm_x4", 16, 32, shared_ldsm_x4, BRIEF),
    ROW("ldsm_x1_trans", 16, 8, shared_ldsm_x1_trans, BRIEF),
    ROW("ldsm_x2_trans", 16, 16, shared_ldsm_x2_trans, BRIEF),
    ROW("ldsm_x4_trans", 16, 32, shared_ldsm_x4_trans, BRIEF),
    ROW("stsm_x1", 16, 8, shared_stsm_x1, BRIEF),
    ROW("stsm_x2", 16, 16, shared_stsm_x2, BRIEF),
    ROW("stsm_x4", 16, 32, shared_stsm_x4, BRIEF),
    ROW("stsm_x4_trans", 16, 32, shared_stsm_x4_trans, BRIEF),
    ROW("copy", 4, 0, shared_copy32, BRIEF),
    ROW("copy", 8, 0, shared_copy64, BRIEF),
    ROW("copy", 16, 0, shared_copy128, BRIEF),
    ROW("copy_bypass", 16, 0, shared_copy128_bypass, BRIEF),
};
static const int instructions = sizeof table / sizeof table[0];

int main(int argc, char **argv)
{
    const char *ops[instructions];
    for (int i = 0; i < instructions; i++)
        ops[i] = table[i].op;
    micro_options o = micro_parse(
        argc, argv, "Executes one shared-memory instruction a launch, pattern by pattern.", ops,
        instructions);
    FILE *csv = micro_csv_open(o);
    uint4 *source = nullptr;
    if (!o.dry_run)
        MICRO_CUDA(cudaMalloc((void **)&source, LANES * sizeof *source));
    int launch = 0;
    for (const instruction &i : table) {
        if ((o.op && strcmp(o.op, i.op) != 0) || (o.width && o.width != i.width))
            continue;
        int random = i.depth == THOROUGH ? o.random : (o.random + 2) / 3;
        pattern_list list = i.rows ? matrix_patterns(i.rows, random, o.seed)
                                   : shared_memory_patterns(i.width, i.depth, random, o.seed);
        for (const pattern &p : list) {
            micro_csv_row(csv, launch++, i.name, i.op, i.width, p);
            if (o.dry_run)
                continue;
            i.kernel<<<1, LANES>>>(p.offsets, p.mask, source, nullptr);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaDeviceSynchronize());
        }
    }
    micro_csv_close(csv, o);
    cudaFree(source);
    fprintf(stderr, "%s: %d launches%s\n", o.program, launch, o.dry_run ? " (not made)" : "");
    return 0;
}
