/* SPDX-License-Identifier: MIT
 *
 * copy_async.cu - one warp executes one cp.async a launch. Settles what Nsight Compute counts of
 * it: shared wavefronts by the banks of source and target, of lanes that only write zeros too, of
 * copies of part of the bytes with zeros behind them, and whether lanes whose predicate is false
 * count with the addresses that their registers happen to hold.
 *
 * Columns: bypass (1: cp.async.cg, LDGSTS.BYPASS; 0: cp.async.ca), bytes a lane, the pattern's
 * name, the mask of lanes that execute, that of lanes which write zeros, then each lane's source
 * offset (s0-s31, from a multiple of 1024) and target offset (t0-t31, in shared memory, from a
 * multiple of 1024), of the lanes outside the mask too. Offsets come from constant memory; nothing
 * else touches memory.
 */
#include "validate/micro/check.h"
#include <stdint.h>
#include <string.h>

#define LANES  32
#define POOL   16384
#define SOURCE (1u << 20)

struct lanes {
    unsigned at[LANES];
};

/* The loop, which runs once, makes the compiler guard the copy with a predicate; it would branch
 * around it otherwise, and lanes that branch are not there to be counted. Where all lanes execute,
 * there is no guard: of guarded copies ncu's sass counters say nothing sensible. */
#define COPY(NAME, KIND, BYTES)                                                                    \
    __global__ void NAME##_guarded(const __grid_constant__ lanes from,                             \
                                   const __grid_constant__ lanes to, unsigned mask,                \
                                   const unsigned char *source, unsigned times)                    \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[POOL];                                       \
        unsigned lane = threadIdx.x;                                                               \
        unsigned target = (unsigned)__cvta_generic_to_shared(pool) + to.at[lane];                  \
        size_t at = __cvta_generic_to_global(source) + from.at[lane];                              \
        _Pragma("unroll 1") for (unsigned i = 0; i < times; i++)                                   \
        {                                                                                          \
            if (mask >> lane & 1)                                                                  \
                START(KIND, BYTES);                                                                \
            asm volatile("cp.async.commit_group;" ::: "memory");                                   \
        }                                                                                          \
        asm volatile("cp.async.wait_all;" ::: "memory");                                           \
    }                                                                                              \
    __global__ void NAME(const __grid_constant__ lanes from, const __grid_constant__ lanes to,     \
                         unsigned, const unsigned char *source, unsigned)                          \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[POOL];                                       \
        unsigned lane = threadIdx.x;                                                               \
        unsigned target = (unsigned)__cvta_generic_to_shared(pool) + to.at[lane];                  \
        size_t at = __cvta_generic_to_global(source) + from.at[lane];                              \
        START(KIND, BYTES);                                                                        \
        asm volatile("cp.async.wait_all;" ::: "memory");                                           \
    }                                                                                              \
    __global__ void NAME##_zeros(const __grid_constant__ lanes from,                               \
                                 const __grid_constant__ lanes to, unsigned zeros,                 \
                                 const unsigned char *source, unsigned)                            \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[POOL];                                       \
        unsigned lane = threadIdx.x;                                                               \
        unsigned target = (unsigned)__cvta_generic_to_shared(pool) + to.at[lane];                  \
        size_t at = __cvta_generic_to_global(source) + from.at[lane];                              \
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n"                                   \
                     "cp.async." KIND ".shared.global [%0], [%1], " BYTES ", p;\n}" ::"r"(target), \
                     "l"(at), "r"(zeros >> lane & 1)                                               \
                     : "memory");                                                                  \
        asm volatile("cp.async.wait_all;" ::: "memory");                                           \
    }                                                                                              \
    template <int TAKES>                                                                           \
    __global__ void NAME##_part(const __grid_constant__ lanes from,                                \
                                const __grid_constant__ lanes to, unsigned size,                   \
                                const unsigned char *source, unsigned)                             \
    {                                                                                              \
        __shared__ __align__(1024) unsigned char pool[POOL];                                       \
        unsigned lane = threadIdx.x;                                                               \
        unsigned target = (unsigned)__cvta_generic_to_shared(pool) + to.at[lane];                  \
        size_t at = __cvta_generic_to_global(source) + from.at[lane];                              \
        asm volatile("cp.async." KIND ".shared.global [%0], [%1], " BYTES ", %2;" ::"r"(target),   \
                     "l"(at), "r"(TAKES < 0 ? size : (unsigned)TAKES)                              \
                     : "memory");                                                                  \
        asm volatile("cp.async.wait_all;" ::: "memory");                                           \
    }
#define START(KIND, BYTES)                                                                         \
    asm volatile("cp.async." KIND ".shared.global [%0], [%1], " BYTES ";" ::"r"(target), "l"(at)   \
                 : "memory")
COPY(copy4, "ca", "4")
COPY(copy8, "ca", "8")
COPY(copy16, "ca", "16")
COPY(copy16_bypass, "cg", "16")

typedef void (*kernel_of)(const lanes, const lanes, unsigned, const unsigned char *, unsigned);

static const struct kind {
    void (*kernel)(const lanes, const lanes, unsigned, const unsigned char *, unsigned);
    void (*guarded)(const lanes, const lanes, unsigned, const unsigned char *, unsigned);
    void (*zeros)(const lanes, const lanes, unsigned, const unsigned char *, unsigned);
    unsigned bytes, bypass;
} kinds[] = {{copy16_bypass, copy16_bypass_guarded, copy16_bypass_zeros, 16, 1},
             {copy16, copy16_guarded, copy16_zeros, 16, 0},
             {copy8, copy8_guarded, copy8_zeros, 8, 0},
             {copy4, copy4_guarded, copy4_zeros, 4, 0}};

static const unsigned char *source;

static void launch(const kind &k, const char *name, unsigned mask, const lanes &from,
                   const lanes &to, unsigned zeros = 0, kernel_of other = NULL, unsigned takes = 0)
{
    printf("%u,%u,%s,0x%08x,0x%08x", k.bypass, k.bytes, name, mask, zeros);
    for (unsigned i = 0; i < LANES; i++)
        printf(",%u", from.at[i]);
    for (unsigned i = 0; i < LANES; i++)
        printf(",%u", to.at[i]);
    putchar('\n');
    (other         ? other
     : zeros       ? k.zeros
     : mask == ~0u ? k.kernel
                   : k.guarded)<<<1, LANES>>>(from, to,
                                              other   ? takes
                                              : zeros ? zeros
                                                      : mask,
                                              source, 1);
    MICRO_CUDA(cudaGetLastError());
    MICRO_CUDA(cudaDeviceSynchronize());
}

static uint32_t draw()
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static lanes line(unsigned start, unsigned step)
{
    lanes l;
    for (unsigned i = 0; i < LANES; i++)
        l.at[i] = start + step * i;
    return l;
}

/* Rows of `width` lanes side by side, `pitch` bytes from one to the next. */
static lanes rows(unsigned start, unsigned bytes, unsigned width, unsigned pitch)
{
    lanes l;
    for (unsigned i = 0; i < LANES; i++)
        l.at[i] = start + i % width * bytes + i / width * pitch;
    return l;
}

/* As `l`, but lanes outside the mask lie `step` bytes apart from `start` on. */
static lanes apart(lanes l, unsigned mask, unsigned start, unsigned step)
{
    for (unsigned i = 0, n = 0; i < LANES; i++)
        if (!(mask >> i & 1))
            l.at[i] = start + step * n++;
    return l;
}

/* Contiguous on both sides, each side shifted. */
static void shifted(const kind &k)
{
    char name[40];
    for (unsigned shift = 0; shift < 256; shift += shift < 64 ? 16 : 64) {
        snprintf(name, sizeof name, "target+%u", shift);
        launch(k, name, ~0u, line(0, k.bytes), line(shift, k.bytes));
        snprintf(name, sizeof name, "source+%u", shift);
        launch(k, name, ~0u, line(shift, k.bytes), line(0, k.bytes));
        snprintf(name, sizeof name, "both+%u", shift);
        launch(k, name, ~0u, line(shift, k.bytes), line(shift, k.bytes));
    }
    for (unsigned width = 4; width < LANES; width *= 2)
        for (unsigned pad = 0; pad < 96; pad += 32) {
            unsigned row = width * k.bytes + pad;
            snprintf(name, sizeof name, "rows%u pad%u", width, pad);
            launch(k, name, ~0u, rows(0, k.bytes, width, 2048), rows(0, k.bytes, width, row));
            snprintf(name, sizeof name, "rows%u pad%u source+64", width, pad);
            launch(k, name, ~0u, rows(64, k.bytes, width, 2048), rows(0, k.bytes, width, row));
        }
}

/* What lanes that do not execute hold: on the source's side, on the target's, on both. */
static void left_out(const kind &k)
{
    static const unsigned masks[] = {0x000f000fu, 0x0f0f0f0fu, 0x80000000u, 0u};
    char name[40];
    for (unsigned mask : masks) {
        lanes from = rows(0, k.bytes, 16, 2048), to = rows(0, k.bytes, 16, 16 * k.bytes);
        static const struct {
            const char *name;
            unsigned start, step;
        } hold[] = {
            {"0", 0, 0}, {"one far", 8192, 0}, {"32 apart", 8192, 32}, {"128 apart", 8192, 128}};
        for (const auto &h : hold) {
            snprintf(name, sizeof name, "off source %s", h.name);
            launch(k, name, mask, apart(from, mask, h.start, h.step), to);
            snprintf(name, sizeof name, "off target %s", h.name);
            launch(k, name, mask, from, apart(to, mask, h.start, h.step));
            snprintf(name, sizeof name, "off both %s", h.name);
            launch(k, name, mask, apart(from, mask, h.start, h.step),
                   apart(to, mask, h.start, h.step));
        }
    }
}

/* Lanes that write zeros: alone, in halves and quarters of a phase, here and there. */
static void zeros(const kind &k)
{
    const unsigned masks[] = {~0u,         0xffffu,     0xffff0000u, 0x0f0f0f0fu, 0xf0f0f0f0u,
                              0x55555555u, 0xaaaaaaaau, 0x000000ffu, 0x00000001u, 0x80000000u,
                              0x7fffffffu, 0xfffffff0u, 0x33333333u, 0x00ff00ffu};
    const lanes sources[] = {line(0, k.bytes),
                             line(k.bytes, k.bytes),
                             line(64, k.bytes),
                             rows(0, k.bytes, 64 / k.bytes, 1024),
                             rows(0, k.bytes, 4, 1024),
                             rows(64, k.bytes, 4, 1152),
                             line(0, 0),
                             line(0, 256)};
    lanes swizzled;
    for (unsigned i = 0; i < LANES; i++)
        swizzled.at[i] = (i * k.bytes) ^ (i * k.bytes / 128 % 8 * 16);
    const lanes targets[] = {line(0, k.bytes), swizzled, rows(0, k.bytes, 4, 144),
                             line(k.bytes, k.bytes)};
    char name[40];
    for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++)
        for (unsigned s = 0; s < sizeof sources / sizeof *sources; s++)
            for (unsigned t = 0; t < sizeof targets / sizeof *targets; t++) {
                if (m && (s * 5 + t * 3 + m * 7) % 8)
                    continue; /* a choice of them */
                snprintf(name, sizeof name, "zeros source %u target %u", s, t);
                launch(k, name, ~0u, sources[s], targets[t], masks[m]);
            }
}

/* Copies of part of a lane's bytes, zeros behind them: the first `takes`, which the code says or,
 * where `known` is not set, a register. */
static void part(const kind &k, kernel_of run, unsigned takes, bool known, unsigned every)
{
    const lanes sources[] = {line(0, k.bytes),
                             line(k.bytes, k.bytes),
                             line(64, k.bytes),
                             rows(0, k.bytes, 64 / k.bytes, 1024),
                             rows(0, k.bytes, 4, 1024),
                             line(0, 2 * k.bytes),
                             line(0, 0),
                             line(0, 256)};
    const lanes targets[] = {line(0, k.bytes), rows(0, k.bytes, 4, 144), line(k.bytes, k.bytes)};
    char name[40];
    for (unsigned s = 0; s < sizeof sources / sizeof *sources; s++)
        for (unsigned t = 0; t < sizeof targets / sizeof *targets; t++)
            if ((s * 5 + t * 3) % every == 0) {
                snprintf(name, sizeof name, "part %u%s source %u target %u", takes,
                         known ? "" : " of a register", s, t);
                launch(k, name, ~0u, sources[s], targets[t], 0, run, takes);
            }
}

static void parts()
{
    part(kinds[0], copy16_bypass_part<8>, 8, true, 1);
    part(kinds[0], copy16_bypass_part<4>, 4, true, 4);
    part(kinds[0], copy16_bypass_part<12>, 12, true, 4);
    part(kinds[0], copy16_bypass_part<-1>, 8, false, 4);
    part(kinds[0], copy16_bypass_part<-1>, 16, false, 4);
    part(kinds[1], copy16_part<8>, 8, true, 4), part(kinds[2], copy8_part<4>, 4, true, 4);
}

/* Lanes that read the same place, or in another order than they write. */
static void repeated(const kind &k)
{
    static const struct {
        const char *name;
        unsigned start, divisor, step, lanes, flip;
    } all[] = {{"one", 0, 1, 0, 32, 0},        {"one high", 1, 1, 0, 32, 0},
               {"pairs", 0, 2, 1, 32, 0},      {"fours", 0, 4, 1, 32, 0},
               {"halves", 0, 1, 1, 16, 0},     {"swapped", 0, 1, 1, 32, 1},
               {"reversed", 0, 1, 1, 32, 31},  {"low", 0, 2, 2, 32, 0},
               {"high", 1, 2, 2, 32, 0},       {"apart", 0, 1, 2, 32, 0},
               {"apart high", 1, 1, 2, 32, 0}, {"lines", 0, 1, 8, 32, 0},
               {"lines high", 1, 1, 8, 32, 0}, {"pairs apart", 0, 2, 8, 32, 0},
               {"crossed", 0, 1, 1, 32, 2},    {"far crossed", 0, 1, 1, 32, 16}};
    for (const auto &a : all) {
        lanes from;
        for (unsigned i = 0; i < LANES; i++)
            from.at[i] = (a.start + (i ^ a.flip) % a.lanes / a.divisor * a.step) * k.bytes;
        launch(k, a.name, ~0u, from, line(0, k.bytes));
        if (k.bypass) /* the target a chunk further */
            launch(k, a.name, ~0u, from, line(k.bytes, k.bytes));
    }
}

static void shuffled(const kind &k)
{
    char name[40];
    for (unsigned n = 0; n < (k.bytes == 16 ? 40 : 20); n++) {
        lanes from, to;
        unsigned units = n % 3 == 0 ? 32 : n % 3 == 1 ? 64 : 256, mask = n % 2 ? draw() : ~0u;
        for (unsigned i = 0; i < LANES; i++) {
            from.at[i] = n % 4 == 0 ? i * k.bytes : draw() % units * k.bytes;
            to.at[i] = n % 5 == 0 ? i * k.bytes : draw() % units * k.bytes;
        }
        snprintf(name, sizeof name, "random%u", n);
        launch(k, name, mask, from, to);
    }
    for (unsigned pitch = 256; pitch <= 1024; pitch *= 2) /* tiles of 128-byte rows, swizzled */
        for (unsigned first = 0; first < 8; first += 4) {
            lanes from, to;
            unsigned width = 128 / k.bytes;
            for (unsigned i = 0; i < LANES; i++) {
                unsigned row = first + i / width, column = i % width;
                from.at[i] = row * pitch + column * k.bytes;
                to.at[i] = row * 128 + ((column * k.bytes) ^ (row % 8 * 16));
            }
            snprintf(name, sizeof name, "swizzled%u/%u", pitch, first);
            launch(k, name, ~0u, from, to);
        }
}

int main()
{
    unsigned char *memory;
    MICRO_CUDA(cudaMalloc((void **)&memory, SOURCE));
    source = memory;
    printf("bypass,bytes,pattern,mask,zeros");
    for (int side = 0; side < 2; side++)
        for (unsigned i = 0; i < LANES; i++)
            printf(",%c%u", "st"[side], i);
    putchar('\n');
    for (const kind &k : kinds) {
        shifted(k);
        if (k.bytes == 16)
            left_out(k), repeated(k);
        shuffled(k);
        if (k.bypass)
            zeros(k);
    }
    parts();
    cudaFree(memory);
    return 0;
}
