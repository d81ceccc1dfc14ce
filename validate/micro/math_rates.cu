/* SPDX-License-Identifier: MIT
 *
 * math_rates.cu - how often a sub-partition issues an instruction, and how long one takes if the
 * next needs its result. A kernel repeats blocks of one instruction on `chains` independent
 * registers in turn (1: each waits for the one before), by `warps` warps of one CTA, a quarter of
 * them on each sub-partition. Rows with two instructions alternate them, which tells whether they
 * share a pipe. Operands differ from lane to lane, else the compiler takes the uniform pipe, and
 * chains are such that it cannot shorten them: tests/validate/micro_sass.test looks at what it made. Rows of
 * FFMA with shorter and longer loops tell what the loop itself costs.
 * Settles: the pipes, their rates and the latencies in sim/model/time/pace.c.
 * Leaves out: operands from constant memory, conflicts between register banks, wgmma.
 * Output: CSV: name,sass,chains,warps,block,units,clocks - `sass` is what one unit consists of;
 * units of one warp, `block` of them a turn of the loop, to which a turn adds an addition, a
 * comparison and a branch; clocks are those of the slowest warp, the least of three runs. With
 * --list: the kernels' numbers, names, instructions and units of a block, without a GPU.
 */
#include "validate/micro/check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define UNITS 4096 /* of one warp */
#define BLOCK 32   /* units a turn, where nothing else is said */

struct regs {
    uint32_t u[8];
    float f[4];
    double d[4];
    uint64_t l[4];
    float h[4][4];
};

/* clang-format off */
/* I(name, what it becomes, assembly of one unit): i is the register, j its partner (the two change
 * roles from step to step where the compiler would fold a longer chain), c, e operands. */
#define U(text, ...) asm volatile(text : "+r"(r.u[i]) : __VA_ARGS__)
#define F(text, ...) asm volatile(text : "+f"(r.f[i]) : __VA_ARGS__)
#define MIX(a, b) if (k & 1) { b; } else { a; }
#define FFMA F("fma.rn.f32 %0,%0,%1,%1;", "f"(x))
#define IMAD U("mad.lo.s32 %0,%0,%1,%2;", "r"(c), "r"(e))
#define LOP3 U("lop3.b32 %0,%0,%1,%2,0x6a;", "r"(c), "r"(e))
#define HFMA2 U("fma.rn.f16x2 %0,%0,%1,%1;", "r"(c))
#define DFMA asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(r.d[i]) : "d"(z))
#define RSQ F("rsqrt.approx.ftz.f32 %0,%0;", "f"(x))
#define IADD3 asm volatile("{.reg .s32 t; add.s32 t,%0,%1; add.s32 %0,t,%2;}" : "+r"(*a) : "r"(*b), "r"(c))
#define LIST(I)                                                                                    \
    I(ffma, "FFMA", FFMA)                                                                          \
    I(fadd, "FADD", F("add.rn.f32 %0,%0,%1;", "f"(x)))                                             \
    I(fmul, "FMUL", F("mul.rn.f32 %0,%0,%1;", "f"(x)))                                             \
    I(fmnmx, "FMNMX", F("min.f32 %0,%0,%1;", "f"(x)))                                              \
    I(iadd3, "IADD3", IADD3)                                                                       \
    I(imad, "IMAD", IMAD)                                                                          \
    I(imad_wide, "IMAD.WIDE", asm volatile("{.reg .u32 t,u; mov.b64 {t,u},%0; mul.wide.u32 %0,t,u;}" \
                                           : "+l"(r.l[i])))                                        \
    I(lop3, "LOP3", LOP3)                                                                          \
    I(shf, "SHF", U("shf.l.wrap.b32 %0,%0,%1,%2;", "r"(c), "r"(e)))                                \
    I(prmt, "PRMT", U("prmt.b32 %0,%0,%1,%2;", "r"(c), "r"(e)))                                    \
    I(imnmx, "VIMNMX+LOP3", asm volatile("min.s32 %0,%0,%1;" : "+r"(*a) : "r"(*b));                     \
                       asm volatile("xor.b32 %0,%0,%1;" : "+r"(*b) : "r"(*a)))                     \
    I(isetp_sel, "ISETP+SEL", U("{.reg .pred p; setp.lt.s32 p,%0,%1; selp.b32 %0,%1,%2,p;}", "r"(c), "r"(e))) \
    I(fsetp_fsel, "FSETP+FSEL", F("{.reg .pred p; setp.lt.f32 p,%0,%1; selp.f32 %0,%1,%2,p;}", "f"(x), "f"(y))) \
    I(popc, "POPC", U("popc.b32 %0,%0;", "r"(c)))                                                  \
    I(flo, "FLO", U("bfind.u32 %0,%0;", "r"(c)))                                                   \
    I(brev_iadd3, "BREV+IADD3", asm volatile("brev.b32 %0,%0;" : "+r"(*a)); IADD3)                 \
    I(rsq, "MUFU", RSQ)                                                                            \
    I(ex2, "MUFU", F("ex2.approx.ftz.f32 %0,%0;", "f"(x)))                                         \
    I(sin, "FMUL+MUFU", F("sin.approx.ftz.f32 %0,%0;", "f"(x)))                                    \
    I(i2f, "I2FP", asm volatile("cvt.rn.f32.s32 %0,%1;" : "=f"(r.f[i]) : "r"(__float_as_int(r.f[i])))) \
    I(f2i, "F2I", asm volatile("cvt.rzi.s32.f32 %0,%1;" : "=r"(r.u[i]) : "f"(__int_as_float((int)r.u[i])))) \
    I(f2f16, "F2FP+HADD2", F("{.reg .f16 h; cvt.rn.f16.f32 h,%0; cvt.f32.f16 %0,h;}", "f"(x)))     \
    I(f2f64, "F2F.F32.F64+F2F.F64.F32", asm volatile("{.reg .f32 x; cvt.rn.f32.f64 x,%0; cvt.f64.f32 %0,x;}" : "+d"(r.d[i]))) \
    I(dfma, "DFMA", DFMA)                                                                          \
    I(dfma_half, "DFMA", asm volatile("fma.rn.f64 %0,%0,%1,0d3fe0000000000000;" : "+d"(r.d[i]) : "d"(z))) \
    I(dadd, "DADD", asm volatile("add.rn.f64 %0,%0,%1;" : "+d"(r.d[i]) : "d"(z)))                  \
    I(hfma2, "HFMA2", HFMA2)                                                                       \
    I(hadd2, "HADD2|HFMA2", U("add.rn.f16x2 %0,%0,%1;", "r"(c)))                                         \
    I(shfl, "SHFL", asm volatile("shfl.sync.bfly.b32 %0,%0,%1,31,-1;" : "+r"(*a) : "r"(*b)))       \
    I(vote, "ISETP+VOTE", U("{.reg .pred p; setp.lt.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,-1;}", "r"(c))) \
    I(match_all_differ, "MATCH+LOP3", U("match.any.sync.b32 %0,%0,-1; xor.b32 %0,%0,%1;", "r"(c))) \
    I(match_all_same, "MATCH", asm volatile("match.any.sync.b32 %0,%0,-1;" : "+r"(r.u[i])))        \
    I(redux, "REDUX+MOV|IMAD", U("redux.sync.add.s32 %0,%0,-1;", "r"(c)))                                   \
    I(s2ur, "S2UR+NOP+LOP3", U("{.reg .u32 t; mov.u32 t,%%clock; lop3.b32 %0,%0,%1,t,0x6a;}", "r"(c))) \
    I(s2r, "S2R+SHF+SGXT+LOP3", U("{.reg .u32 t; mov.u32 t,%%warpid; lop3.b32 %0,%0,%1,t,0x6a;}", "r"(c))) \
    I(hmma, "HMMA", asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}," \
                                 "{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                            \
                                 : "+f"(r.h[i][0]), "+f"(r.h[i][1]), "+f"(r.h[i][2]), "+f"(r.h[i][3]) \
                                 : "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]), "r"(m[4]), "r"(m[5]))) \
    I(syncwarp, "NOP", asm volatile("bar.warp.sync -1;" ::: "memory"))                             \
    I(ffma_imad, "FFMA+IMAD", MIX(FFMA, IMAD))                                                     \
    I(ffma_iadd3, "FFMA+IADD3", MIX(FFMA, IADD3))                                                  \
    I(ffma_lop3, "FFMA+LOP3", MIX(FFMA, LOP3))                                                     \
    I(imad_lop3, "IMAD+LOP3", MIX(IMAD, LOP3))                                                     \
    I(iadd3_lop3, "IADD3+LOP3", MIX(IADD3, LOP3))                                                  \
    I(viadd_lop3, "VIADD+LOP3", U("{.reg .s32 t; add.s32 t,%0,77; lop3.b32 %0,t,%1,%2,0x6a;}", "r"(c), "r"(e))) \
    I(viadd_shf_lop3, "VIADD+SHF+LOP3", U("{.reg .b32 t,s; add.s32 t,%0,77; shf.l.wrap.b32 s,%0,%0,3; xor.b32 %0,t,s;}", "r"(c))) \
    I(ffma_mufu, "FFMA+MUFU", MIX(FFMA, RSQ))                                                      \
    I(ffma_hfma2, "FFMA+HFMA2", MIX(FFMA, HFMA2))                                                  \
    I(imad_hfma2, "IMAD+HFMA2", MIX(IMAD, HFMA2))                                                  \
    I(ffma_dfma, "FFMA+DFMA", MIX(FFMA, DFMA))                                                     \
    I(dfma_lop3, "DFMA+LOP3", MIX(DFMA, LOP3))                                                     \
    I(dfma_imad, "DFMA+IMAD", MIX(DFMA, IMAD))                                                     \
    I(dfma_hfma2, "DFMA+HFMA2", MIX(DFMA, HFMA2))                                                  \
    I(lop3_mufu, "LOP3+MUFU", MIX(LOP3, RSQ))                                                      \
    I(lop3_hfma2, "LOP3+HFMA2", MIX(LOP3, HFMA2))                                                  \
    I(ffma_imad_lop3, "FFMA+IMAD+LOP3", FFMA; IMAD; LOP3) \
    I(dfma_imad_lop3, "DFMA+IMAD+LOP3", DFMA; IMAD; LOP3)
/* clang-format on */

enum which {
#define I(name, ...) K_##name,
    LIST(I)
#undef I
};

template <int WHICH, int CHAINS, int LENGTH>
__device__ static void turn(regs &r, uint32_t c, uint32_t e, float x, float y, double z,
                            const uint32_t (&m)[6])
{
#pragma unroll
    for (int k = 0; k < LENGTH; k++) {
        const int i = k % CHAINS, step = k / CHAINS;
        uint32_t *a = &r.u[step & 1 ? i + 4 : i], *b = &r.u[step & 1 ? i : i + 4];
        (void)a, (void)b, (void)c, (void)e, (void)x, (void)y, (void)z, (void)m;
#define I(name, sass, ...)                                                                         \
    if constexpr (WHICH == K_##name) {                                                             \
        __VA_ARGS__;                                                                               \
    }
        LIST(I)
#undef I
    }
}

/* Seeds come from memory, so that the compiler takes them for different in every lane. */
template <int WHICH, int CHAINS, int LENGTH>
__global__ void __launch_bounds__(1024)
    repeat(const volatile uint32_t *seed, unsigned long long *clocks, uint32_t *sink)
{
    __shared__ unsigned long long last;
    const volatile uint32_t *s = seed + (WHICH == K_match_all_same ? 0 : threadIdx.x % 32 * 32);
    if (WHICH == K_match_all_same)
        s += s[31] & threadIdx.x; /* s[31] is 0 */
    regs r;
    uint32_t m[6];
    for (int i = 0; i < 8; i++)
        r.u[i] = s[i];
    for (int i = 0; i < 4; i++) {
        r.f[i] = (float)s[i + 8];
        r.d[i] = (double)s[i + 12];
        r.l[i] = (uint64_t)s[i + 16] << 32 | s[i + 20];
        for (int j = 0; j < 4; j++)
            r.h[i][j] = (float)s[i + j];
    }
    for (int i = 0; i < 6; i++)
        m[i] = s[i + 20];
    uint32_t c = s[26], e = s[27];
    float x = (float)s[28], y = (float)s[29];
    double z = (double)s[30];
    if (threadIdx.x == 0)
        last = 0;
    turn<WHICH, CHAINS, LENGTH>(r, c, e, x, y, z, m);
    __syncthreads();
    uint64_t begin = clock64();
#pragma unroll 1
    for (int t = 0; t < UNITS / LENGTH; t++)
        turn<WHICH, CHAINS, LENGTH>(r, c, e, x, y, z, m);
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum ^= r.u[i] ^ r.u[i + 4] ^ __float_as_uint(r.f[i]) ^ (uint32_t)r.l[i] ^
               (uint32_t)__double_as_longlong(r.d[i]) ^ __float_as_uint(r.h[i][0]) ^
               __float_as_uint(r.h[i][3]);
    asm volatile("" ::"r"(sum) : "memory");
    atomicMax(&last, (unsigned long long)(clock64() - begin));
    __syncthreads();
    if (threadIdx.x == 0)
        *clocks = last;
    if (sum == 0x12345)
        *sink = sum;
}

static uint32_t *seed, *sink;
static unsigned long long *clocks;

/* Of one chain alone, unless it is to be a crowd, one warp. */
template <int WHICH, int CHAINS, int LENGTH = BLOCK, bool CROWD = CHAINS != 1>
static void run(const char *name, const char *sass)
{
    for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
        unsigned long long least = ~0ull, now;
        if (!CROWD && warps > 1)
            break;
        for (int again = 0; again < 3; again++) {
            repeat<WHICH, CHAINS, LENGTH><<<1, warps * 32>>>(seed, clocks, sink);
            MICRO_CUDA(cudaGetLastError());
            MICRO_CUDA(cudaMemcpy(&now, clocks, sizeof now, cudaMemcpyDeviceToHost));
            least = std::min(least, now);
        }
        printf("%s,%s,%d,%u,%d,%d,%llu\n", name, sass, CHAINS, warps, LENGTH, UNITS, least);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list")) {
#define I(name, sass, ...) printf("%d,%s,%s,%d\n", (int)K_##name, #name, sass, BLOCK);
        LIST(I)
#undef I
        return 0;
    }
    uint32_t numbers[1024];
    for (uint32_t i = 0; i < 1024; i++)
        numbers[i] = i % 32 == 31 ? 0 : (i * 2654435761u >> 8) | 1;
    MICRO_CUDA(cudaMalloc(&seed, sizeof numbers));
    MICRO_CUDA(cudaMalloc(&clocks, sizeof *clocks));
    MICRO_CUDA(cudaMalloc(&sink, sizeof *sink));
    MICRO_CUDA(cudaMemcpy(seed, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    puts("name,sass,chains,warps,block,units,clocks");
#define I(name, sass, ...)                                                                         \
    run<K_##name, 1>(#name, sass);                                                                 \
    run<K_##name, 4>(#name, sass);
    LIST(I)
#undef I
    run<K_dfma, 1, 64, true>("dfma", "DFMA");
    run<K_dfma_half, 1, 64, true>("dfma_half", "DFMA");
    run<K_lop3, 1, 64, true>("lop3", "LOP3");
    run<K_ffma, 4, 8>("ffma", "FFMA");
    run<K_ffma, 4, 16>("ffma", "FFMA");
    run<K_ffma, 4, 64>("ffma", "FFMA");
    run<K_ffma, 4, 128>("ffma", "FFMA");
    run<K_ffma, 4, 512>("ffma", "FFMA");
    run<K_ffma, 4, 1024>("ffma", "FFMA");
    return 0;
}
