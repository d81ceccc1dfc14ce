/* SPDX-License-Identifier: MIT
 *
 * warp_turns.cu - which of two warps its scheduler takes. Each repeats a loop that first reads the
 * clock twelve times, a `stall` apart, then issues 68 FADD that depend on nothing, and the clock
 * behind each eight of the first half; its code is written over (own_code.h) for stalls that no
 * compiler asks for. Settles: that a scheduler stays with a warp as long as that can issue each clock, and goes
 * to the other where it stalls; that the yield bit of what stalls changes nothing. Leaves out:
 * memory accesses, more than two warps. Output: CSV: set,stall,yield,offset,warp,clocks - `set` is
 * `apart` (the twelve are a stall apart) or `broken` (so is the fourth of each eight FADD from the
 * fifth, the twelve two clocks); FADD that the second warp begins behind the first; the clocks of
 * the last turn since it began, of the twelve and of the eight.
 */
#include "validate/micro/check.h"
#include "validate/micro/own_code.h"
#include <algorithm>

#define APART 12
#define BLOCKS 8
#define STAMPS (APART + BLOCKS)
#define SHOWN  (APART + 4) /* compilers put the last into uniform registers, another way */

extern "C" __global__ void __launch_bounds__(1024) turns(unsigned count, unsigned offset, unsigned *out)
{
    unsigned t[STAMPS];
    float r[8], behind = (float)out[8];
    for (int i = 0; i < 8; i++)
        r[i] = (float)out[i];
    for (int i = 0; i < STAMPS; i++)
        t[i] = 0;
    __syncthreads();
    if (threadIdx.x >= 128)
#pragma unroll 1
        for (unsigned i = 0; i < offset; i++)
            asm volatile("add.f32 %0,%0,%0;" : "+f"(behind));
#pragma unroll 1
    for (unsigned n = 0; n < count; n++) {
#pragma unroll
        for (int i = 0; i < APART; i++)
            asm volatile("mov.u32 %0,%%clock;" : "=r"(t[i]));
#pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                asm volatile("fma.rn.f32 %0,%1,%2,%0;"
                             : "+f"(r[i])
                             : "f"(r[(i + 1) % 8]), "f"(r[(i + 3) % 8]));
            asm volatile("mov.u32 %0,%%clock;" : "=r"(t[APART + b]));
        }
    }
    for (int i = 0; i < 8; i++)
        behind += r[i];
    if (behind == 1234.5f)
        out[9] = 1;
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < STAMPS; i++)
            out[64 + threadIdx.x / 32 * STAMPS + i] = t[i];
}

static own_code code;
static std::vector<size_t> adds, stamps; /* where they stand */
static std::vector<instruction> stamp;   /* as they were */
static unsigned *out;

static instruction yields(instruction i, unsigned yield)
{
    i.high = (i.high & ~(1ull << 45)) | (uint64_t)yield << 45;
    return i;
}

/* FADD of a constant and no register, which writes none. */
static instruction add(unsigned stall)
{
    return instruction{0x3f000000ff007421, 0}.with(16, 255).with(24, 255).after(stall);
}

static void look(void)
{
    code = own_code_of("turns");
    for (size_t n = 0; n < code.count; n++) {
        const instruction i = code.get(n);
        if (i.opcode() == 0x223)
            adds.push_back(n);
        if ((i.opcode() == 0x805 || i.opcode() == 0x9c3) && (i.high & 0xff00) == 0x5000)
            stamps.push_back(n), stamp.push_back(i);
    }
    const bool seen = stamps.size() == STAMPS &&
                      std::all_of(stamp.begin(), stamp.begin() + SHOWN,
                                  [](const instruction &i) { return i.opcode() == 0x805; });
    if (adds.size() != 8 * BLOCKS || !seen) {
        fprintf(stderr, "the loop has %zu FFMA and %zu clocks, not %d and %d, or reads them another way\n",
                adds.size(), stamps.size(), 8 * BLOCKS, STAMPS);
        exit(1);
    }
}

static void run(const char *set, unsigned stall, unsigned yield)
{
    const bool broken = *set == 'b';
    for (size_t k = 0; k < adds.size(); k++)
        code.put(adds[k], broken && k % 8 == 3 ? yields(add(stall), yield) : add(1));
    for (size_t k = 0; k < stamps.size(); k++)
        code.put(stamps[k], k >= SHOWN   ? add(1)
                            : k >= APART ? stamp[k].after(1)
                                         : yields(stamp[k].after(broken ? 2 : stall), broken ? 1 : yield));
    cudaLibrary_t library;
    cudaKernel_t kernel;
    MICRO_CUDA(cudaLibraryLoadData(&library, code.image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    MICRO_CUDA(cudaLibraryGetKernel(&kernel, library, "turns"));
    for (unsigned warps = 1; warps <= 2; warps++)
        for (unsigned offset : {0u, 8u, 20u}) {
            if (warps == 1 && offset)
                continue;
            const unsigned count = 20;
            unsigned h[64 + 8 * STAMPS];
            void *arguments[] = {(void *)&count, (void *)&offset, (void *)&out};
            for (int again = 0; again < 2; again++) /* the first brings code */
                MICRO_CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(128 * warps), arguments, 0, 0));
            MICRO_CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
            for (unsigned w = 0; w < warps; w++) {
                const unsigned *t = h + 64 + 4 * w * STAMPS;
                printf("%s,%u,%u,%u,%s,", set, stall, yield, offset, warps == 1 ? "alone" : w ? "second" : "first");
                for (int i = 0; i < SHOWN; i++)
                    printf("%u%s", t[i] - t[0], i + 1 < SHOWN ? " " : "\n");
            }
        }
    MICRO_CUDA(cudaLibraryUnload(library));
}

int main(void)
{
    look();
    MICRO_CUDA(cudaMalloc(&out, 4096));
    MICRO_CUDA(cudaMemset(out, 0, 4096));
    puts("set,stall,yield,offset,warp,clocks");
    for (unsigned yield : {0u, 1u})
        for (unsigned stall : {2u, 4u, 8u})
            run("apart", stall, yield);
    for (unsigned yield : {0u, 1u})
        for (unsigned stall : {2u, 3u, 4u, 6u})
            run("broken", stall, yield);
    return 0;
}
