/* SPDX-License-Identifier: MIT
 *
 * global_patterns.cu - one warp executes one global, local or generic memory instruction a launch,
 * with the lanes' addresses and the active mask of a pattern. Settles: requests, sectors and tags
 * of 8- to 128-bit loads and stores; how atomics, reductions and cp.async are counted; what a
 * warp with no active lane costs; how local memory is interleaved; generic accesses that turn out
 * to be global, shared, or both. Run the whole of it under one profiler process:
 *
 *   ncu --csv --page raw --metrics smsp__sass_sectors_mem_global.sum,\
 *       smsp__sass_l1tex_tags_mem_global.sum,smsp__sass_inst_executed_op_global_ld.sum,...\
 *       global_patterns --csv patterns.csv >measured.csv
 *
 * The "ID" that ncu gives a launch is the column `launch` of patterns.csv. In each kernel the
 * tested instruction is the only one that touches memory. Stores, 128-bit loads and copies are
 * predicated off in lanes outside the mask, so that an empty mask still executes them; around the
 * others the compiler branches. Offsets are from a pointer that is a multiple of 1 MB; for local
 * memory, from the start of a 1 KB array of the thread.
 */
#include "validate/micro/patterns.h"
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#pragma nv_diag_suppress 177 /* not every kernel needs all that REGISTERS declares */

#define SPAN  (1u << 20)
#define POOL  32768
#define STACK 1024

#define REGISTERS                                                                                  \
    unsigned lane = threadIdx.x, on = mask >> lane & 1;                                            \
    unsigned a = lane, b = lane + 1, c = lane + 2, d = lane + 3;                                   \
    unsigned long long x = lane, y = lane + 1;                                                     \
    float f = (float)lane;                                                                         \
    double g = (double)lane;

/* Never true: it keeps the compiler from dropping what is loaded. */
#define KEEP                                                                                       \
    if (sink)                                                                                      \
        *sink = f + (float)g + (float)(a ^ b ^ c ^ d ^ x ^ y);

#define ARGUMENTS                                                                                  \
    const __grid_constant__ lane_offsets offsets, unsigned mask, unsigned shared_mask,             \
        unsigned char *data, float *sink

#define GLOBAL_KERNEL(NAME, BODY)                                                                  \
    __global__ void NAME(ARGUMENTS)                                                                \
    {                                                                                              \
        REGISTERS                                                                                  \
        size_t at = __cvta_generic_to_global(data) + offsets.at[lane];                             \
        BODY KEEP                                                                                  \
    }

/* A generic pointer whose kind only the lane's bit of shared_mask decides. */
#define GENERIC_KERNEL(NAME, BODY)                                                                 \
    __global__ void NAME(ARGUMENTS)                                                                \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[POOL];                                       \
        REGISTERS                                                                                  \
        unsigned char *at = (shared_mask >> lane & 1 ? pool : data) + offsets.at[lane];            \
        BODY KEEP                                                                                  \
    }

#define LOCAL_KERNEL(NAME, BODY)                                                                   \
    __global__ void NAME(ARGUMENTS)                                                                \
    {                                                                                              \
        __align__(16) unsigned char stack[STACK];                                                  \
        REGISTERS                                                                                  \
        size_t at = __cvta_generic_to_local(stack) + offsets.at[lane];                             \
        BODY KEEP                                                                                  \
    }

/* One instruction under the lane's predicate. */
#define WHEN_ON(TEXT, ...)                                                                         \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p " TEXT "; }" __VA_ARGS__)

#define LOAD8(SPACE)  WHEN_ON("ld" SPACE ".u8 %1, [%2]", : "+r"(on), "+r"(a) : "l"(at) : "memory");
#define LOAD16(SPACE) WHEN_ON("ld" SPACE ".u16 %1, [%2]", : "+r"(on), "+r"(a) : "l"(at) : "memory");
#define LOAD32(SPACE) WHEN_ON("ld" SPACE ".u32 %1, [%2]", : "+r"(on), "+r"(a) : "l"(at) : "memory");
#define LOAD64(SPACE)                                                                              \
    WHEN_ON("ld" SPACE ".v2.u32 {%1, %2}, [%3]", : "+r"(on), "+r"(a), "+r"(b) : "l"(at) : "memor"  \
                                                                                          "y");
#define LOAD128(SPACE)                                                                             \
    WHEN_ON("ld" SPACE ".v4.u32 {%1, %2, %3, %4}, [%5]",                                           \
            : "+r"(on), "+r"(a), "+r"(b), "+r"(c), "+r"(d)                                         \
            : "l"(at)                                                                              \
            : "memory");
#define STORE8(SPACE)  WHEN_ON("st" SPACE ".u8 [%2], %1", : "+r"(on) : "r"(a), "l"(at) : "memory");
#define STORE16(SPACE) WHEN_ON("st" SPACE ".u16 [%2], %1", : "+r"(on) : "r"(a), "l"(at) : "memory");
#define STORE32(SPACE) WHEN_ON("st" SPACE ".u32 [%2], %1", : "+r"(on) : "r"(a), "l"(at) : "memory");
#define STORE64(SPACE)                                                                             \
    WHEN_ON("st" SPACE ".v2.u32 [%3], {%1, %2}", : "+r"(on) : "r"(a), "r"(b), "l"(at) : "memory");
#define STORE128(SPACE)                                                                            \
    WHEN_ON("st" SPACE ".v4.u32 [%5], {%1, %2, %3, %4}",                                           \
            : "+r"(on)                                                                             \
            : "r"(a), "r"(b), "r"(c), "r"(d), "l"(at)                                              \
            : "memory");

GLOBAL_KERNEL(global_ld8, LOAD8(".global"))
GLOBAL_KERNEL(global_ld16, LOAD16(".global"))
GLOBAL_KERNEL(global_ld32, LOAD32(".global"))
GLOBAL_KERNEL(global_ld64, LOAD64(".global"))
GLOBAL_KERNEL(global_ld128, LOAD128(".global"))
GLOBAL_KERNEL(global_ldnc32, LOAD32(".global.nc"))
GLOBAL_KERNEL(global_ldcg32, LOAD32(".global.cg"))
GLOBAL_KERNEL(global_st8, STORE8(".global"))
GLOBAL_KERNEL(global_st16, STORE16(".global"))
GLOBAL_KERNEL(global_st32, STORE32(".global"))
GLOBAL_KERNEL(global_st64, STORE64(".global"))
GLOBAL_KERNEL(global_st128, STORE128(".global"))

#define ATOMIC(NAME, OP, OLD, NEW, CONSTRAINT)                                                     \
    GLOBAL_KERNEL(NAME, WHEN_ON("atom.global." OP " %1, [%2], %3",                                 \
                                : "+r"(on), "+" CONSTRAINT(OLD)                                    \
                                : "l"(at), CONSTRAINT(NEW)                                         \
                                : "memory");)
#define REDUCTION(NAME, OP, VALUE, CONSTRAINT)                                                     \
    GLOBAL_KERNEL(NAME, WHEN_ON("red.global." OP " [%1], %2",                                      \
                                : "+r"(on)                                                         \
                                : "l"(at), CONSTRAINT(VALUE)                                       \
                                : "memory");)
ATOMIC(global_atom_add32, "add.u32", a, b, "r")
ATOMIC(global_atom_add64, "add.u64", x, y, "l")
ATOMIC(global_atom_addf32, "add.f32", f, 1.0f, "f")
ATOMIC(global_atom_addf64, "add.f64", g, 1.0, "d")
ATOMIC(global_atom_exch32, "exch.b32", a, b, "r")
GLOBAL_KERNEL(global_atom_cas32, WHEN_ON("atom.global.cas.b32 %1, [%2], %3, %4",
                                         : "+r"(on), "+r"(a)
                                         : "l"(at), "r"(b), "r"(c)
                                         : "memory");)
GLOBAL_KERNEL(global_atom_cas64, WHEN_ON("atom.global.cas.b64 %1, [%2], %3, %4",
                                         : "+r"(on), "+l"(x)
                                         : "l"(at), "l"(y), "l"(x + 2)
                                         : "memory");)
REDUCTION(global_red_add32, "add.u32", a, "r")
REDUCTION(global_red_add64, "add.u64", x, "l")
REDUCTION(global_red_addf32, "add.f32", f, "f")
REDUCTION(global_red_addf64, "add.f64", g, "d")

/* The shared side of the copy is contiguous: 16 bytes a lane. */
#define COPY_ASYNC(NAME, KIND, BYTES)                                                              \
    __global__ void NAME(ARGUMENTS)                                                                \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[LANES * 16];                                 \
        REGISTERS                                                                                  \
        size_t at = __cvta_generic_to_global(data) + offsets.at[lane];                             \
        unsigned to = (unsigned)__cvta_generic_to_shared(pool) + lane * 16;                        \
        WHEN_ON("cp.async." KIND ".shared.global [%1], [%2], " BYTES,                              \
                : "+r"(on)                                                                         \
                : "r"(to), "l"(at)                                                                 \
                : "memory");                                                                       \
        asm volatile("cp.async.wait_all;" ::: "memory");                                           \
        KEEP                                                                                       \
    }
COPY_ASYNC(global_copy32, "ca", "4")
COPY_ASYNC(global_copy64, "ca", "8")
COPY_ASYNC(global_copy128, "ca", "16")
COPY_ASYNC(global_copy128_bypass, "cg", "16")

GENERIC_KERNEL(generic_ld32, LOAD32(""))
GENERIC_KERNEL(generic_ld64, LOAD64(""))
GENERIC_KERNEL(generic_ld128, LOAD128(""))
GENERIC_KERNEL(generic_st32, STORE32(""))
GENERIC_KERNEL(generic_st128, STORE128(""))
GENERIC_KERNEL(generic_atom_add32, WHEN_ON("atom.add.u32 %1, [%2], %3",
                                           : "+r"(on), "+r"(a)
                                           : "l"(at), "r"(b)
                                           : "memory");)

LOCAL_KERNEL(local_ld8, LOAD8(".local"))
LOCAL_KERNEL(local_ld16, LOAD16(".local"))
LOCAL_KERNEL(local_ld32, LOAD32(".local"))
LOCAL_KERNEL(local_ld64, LOAD64(".local"))
LOCAL_KERNEL(local_ld128, LOAD128(".local"))
LOCAL_KERNEL(local_st8, STORE8(".local"))
LOCAL_KERNEL(local_st16, STORE16(".local"))
LOCAL_KERNEL(local_st32, STORE32(".local"))
LOCAL_KERNEL(local_st64, STORE64(".local"))
LOCAL_KERNEL(local_st128, STORE128(".local"))

typedef void global_kernel(const lane_offsets, unsigned, unsigned, unsigned char *, float *);

enum space { GLOBAL, GENERIC, LOCAL };

static const struct instruction {
    const char *op;
    unsigned width;
    space where;
    const char *name;
    global_kernel *kernel;
    pattern_depth depth;
} table[] = {
#define ROW(op, width, where, kernel, depth)                                                       \
    {                                                                                              \
        op, width, where, #kernel, kernel, depth                                                   \
    }
    ROW("ld", 1, GLOBAL, global_ld8, BRIEF),
    ROW("ld", 2, GLOBAL, global_ld16, BRIEF),
    ROW("ld", 4, GLOBAL, global_ld32, THOROUGH),
    ROW("ld", 8, GLOBAL, global_ld64, THOROUGH),
    ROW("ld", 16, GLOBAL, global_ld128, THOROUGH),
    ROW("ldnc", 4, GLOBAL, global_ldnc32, BRIEF),
    ROW("ldcg", 4, GLOBAL, global_ldcg32, BRIEF),
    ROW("st", 1, GLOBAL, global_st8, BRIEF),
    ROW("st", 2, GLOBAL, global_st16, BRIEF),
    ROW("st", 4, GLOBAL, global_st32, THOROUGH),
    ROW("st", 8, GLOBAL, global_st64, BRIEF),
    ROW("st", 16, GLOBAL, global_st128, BRIEF),
    ROW("atom_add", 4, GLOBAL, global_atom_add32, BRIEF),
    ROW("atom_add", 8, GLOBAL, global_atom_add64, BRIEF),
    ROW("atom_addf", 4, GLOBAL, global_atom_addf32, BRIEF),
    ROW("atom_addf", 8, GLOBAL, global_atom_addf64, BRIEF),
    ROW("atom_exch", 4, GLOBAL, global_atom_exch32, BRIEF),
    ROW("atom_cas", 4, GLOBAL, global_atom_cas32, BRIEF),
    ROW("atom_cas", 8, GLOBAL, global_atom_cas64, BRIEF),
    ROW("red_add", 4, GLOBAL, global_red_add32, BRIEF),
    ROW("red_add", 8, GLOBAL, global_red_add64, BRIEF),
    ROW("red_addf", 4, GLOBAL, global_red_addf32, BRIEF),
    ROW("red_addf", 8, GLOBAL, global_red_addf64, BRIEF),
    ROW("copy", 4, GLOBAL, global_copy32, BRIEF),
    ROW("copy", 8, GLOBAL, global_copy64, BRIEF),
    ROW("copy", 16, GLOBAL, global_copy128, BRIEF),
    ROW("copy_bypass", 16, GLOBAL, global_copy128_bypass, BRIEF),
    ROW("generic_ld", 4, GENERIC, generic_ld32, BRIEF),
    ROW("generic_ld", 8, GENERIC, generic_ld64, BRIEF),
    ROW("generic_ld", 16, GENERIC, generic_ld128, BRIEF),
    ROW("generic_st", 4, GENERIC, generic_st32, BRIEF),
    ROW("generic_st", 16, GENERIC, generic_st128, BRIEF),
    ROW("generic_atom_add", 4, GENERIC, generic_atom_add32, BRIEF),
    ROW("local_ld", 1, LOCAL, local_ld8, BRIEF),
    ROW("local_ld", 2, LOCAL, local_ld16, BRIEF),
    ROW("local_ld", 4, LOCAL, local_ld32, BRIEF),
    ROW("local_ld", 8, LOCAL, local_ld64, BRIEF),
    ROW("local_ld", 16, LOCAL, local_ld128, BRIEF),
    ROW("local_st", 1, LOCAL, local_st8, BRIEF),
    ROW("local_st", 2, LOCAL, local_st16, BRIEF),
    ROW("local_st", 4, LOCAL, local_st32, BRIEF),
    ROW("local_st", 8, LOCAL, local_st64, BRIEF),
    ROW("local_st", 16, LOCAL, local_st128, BRIEF),
};
static const int instructions = sizeof table / sizeof table[0];

static pattern_list patterns_of(const instruction &i, const micro_options &o)
{
    int few = (o.random + 4) / 5;
    switch (i.where) {
    case LOCAL:
        return local_memory_patterns(i.width, few, o.seed);
    case GENERIC:
        return generic_patterns(i.width, few, o.seed);
    default:
        return global_memory_patterns(i.width, i.depth, i.depth == THOROUGH ? o.random : few,
                                      o.seed);
    }
}

int main(int argc, char **argv)
{
    const char *ops[instructions];
    for (int i = 0; i < instructions; i++)
        ops[i] = table[i].op;
    micro_options o = micro_parse(
        argc, argv, "Executes one global, generic or local memory instruction a launch.", ops,
        instructions);
    FILE *csv = micro_csv_open(o);
    unsigned char *allocation = nullptr, *data = nullptr;
    if (!o.dry_run) {
        MICRO_CUDA(cudaMalloc((void **)&allocation, 2 * SPAN));
        data = (unsigned char *)(((uintptr_t)allocation + SPAN - 1) & ~(uintptr_t)(SPAN - 1));
    }
    int launch = 0;
    for (const instruction &i : table) {
        if ((o.op && strcmp(o.op, i.op) != 0) || (o.width && o.width != i.width))
            continue;
        for (const pattern &p : patterns_of(i, o)) {
            micro_csv_row(csv, launch++, i.name, i.op, i.width, p);
            if (o.dry_run)
                continue;
            i.kernel<<<1, LANES>>>(p.offsets, p.mask, p.shared_mask, data, nullptr);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaDeviceSynchronize());
        }
    }
    micro_csv_close(csv, o);
    cudaFree(allocation);
    fprintf(stderr, "%s: %d launches%s\n", o.program, launch, o.dry_run ? " (not made)" : "");
    return 0;
}
