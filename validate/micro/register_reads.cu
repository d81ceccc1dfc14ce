/* SPDX-License-Identifier: MIT
 *
 * register_reads.cu - what the register file makes a scheduler wait for. A loop of 60 instructions
 * that issue clock by clock, depend on nothing and keep no pipe but FP32's full: its code is
 * written over with chosen registers (own_code.h), and a turn takes as many clocks more as it
 * waits.
 * Settles, set by set:
 *   reads   FFMA, FADD, IMAD, LOP3 of registers of even (e) and odd (o) numbers, one of `every`
 *           instructions, the others FADD of a constant and an even, odd or (z) no register
 *   fresh   FFMA of two registers, of one bank or (apart) of both, written by FADD or LOP3 `young`
 *           and `old` instructions before
 *   late    DADD, DFMA, HFMA2.MMA of no or of different registers (p: pairs of doubles), one of
 *           `every`, beside FADD that write registers (w) or (z) none
 *   loaded  shared loads of 4, 8, 16 bytes a lane, alike in all lanes, beside FADD that write
 *           registers of even (e), odd (o), both (eo) numbers or (z) none
 * Leaves out: more than one SM, other units' results. Output: CSV: set,name,count,warps,clocks -
 * what the loop has `count` of; warps on a sub-partition; clocks of a turn, of one warp.
 */
#include "validate/micro/check.h"
#include "validate/micro/own_code.h"
#include <algorithm>
#include <iterator>
#include <set>

#define SLOTS   60
#define RZ      255u
#define NUMBERS 36 /* registers that may be written */

extern "C" __global__ void __launch_bounds__(512) slots(uint32_t turns, unsigned *out)
{
    __shared__ __align__(16) float memory[512];
    float r[NUMBERS];
    memory[threadIdx.x] = 0;
    for (int i = 0; i < NUMBERS; i++)
        r[i] = (float)(threadIdx.x + i) + out[i];
    uint32_t here = (uint32_t)__cvta_generic_to_shared(memory), last;
    asm volatile("" : "+r"(here));
    __syncthreads();
    uint32_t began = clock(), need;
    asm volatile("" : "+r"(began), "+r"(turns));
#pragma unroll 1
    for (uint32_t n = 0; n < turns; n++) {
        asm volatile("ld.shared.b32 %0,[%1];" : "=r"(need) : "r"(here)); /* says where memory is */
        asm volatile("" : "+r"(need));
#pragma unroll
        for (int i = 0; i < SLOTS; i++)
            asm volatile("fma.rn.f32 %0,%1,%2,%0;"
                         : "+f"(r[i % NUMBERS])
                         : "f"(r[(i + 7) % NUMBERS]), "f"(r[(i + 18) % NUMBERS]));
    }
    /* Loads come back in order: all of the loop's have when this one has. */
    asm volatile("ld.shared.b32 %0,[%1];" : "=r"(last) : "r"(here));
    uint32_t ended = clock() + (last & 0u);
    asm volatile("" : "+r"(ended), "+r"(last));
    float sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum += r[i];
    __syncthreads();
    if (sum == 12345.678f)
        out[99] = need + last;
    if (threadIdx.x % 32 == 0) {
        out[128 + threadIdx.x / 32 * 2] = began;
        out[129 + threadIdx.x / 32 * 2] = ended;
    }
}

enum opcode {
    FADD = 0x421,
    FADD_TWO = 0x221,
    FFMA = 0x223,
    IMAD = 0x224,
    LOP3 = 0x212,
    LOP3_ONE = 0x812,
    DADD = 0x229,
    DFMA = 0x22b,
    HFMA2_MMA = 0x235
};

static const struct form {
    opcode op;
    const char *name;
    uint64_t low, high; /* with no registers; always, whatever predicates say */
    unsigned operands;
} forms[] = {
    {FADD, "FADD", 0x3f000000ff007421, 0x0000000000000000, 1},
    {FADD_TWO, "FADD", 0x000000ffff007221, 0x0000000000000000, 2},
    {FFMA, "FFMA", 0x000000ffff007223, 0x00000000000000ff, 3},
    {IMAD, "IMAD", 0x000000ffff007224, 0x00000000078e02ff, 3},
    {LOP3, "LOP3", 0x000000ffff007212, 0x00000000078e96ff, 3},
    {LOP3_ONE, "LOP3", 0x00012345ff007812, 0x00000000078e3cff, 1},
    {DADD, "DADD", 0x00000000ff007229, 0x00000000000000ff, 2}, /* its second operand's place is the third's */
    {DFMA, "DFMA", 0x000000ffff00722b, 0x00000000000000ff, 3},
    {HFMA2_MMA, "HFMA2.MMA", 0x000000ffff007235, 0x00000000000000ff, 3},
};

static const form &form_of(opcode op)
{
    return *std::find_if(std::begin(forms), std::end(forms), [op](const form &f) { return f.op == op; });
}

static instruction make(opcode op, unsigned result, unsigned a = RZ, unsigned b = RZ, unsigned c = RZ)
{
    const form &f = form_of(op);
    instruction i = {f.low, f.high};
    i = i.with(16, result).with(24, a);
    if (f.operands > 1)
        i = i.with(op == DADD ? 64 : 32, b);
    if (f.operands > 2)
        i = i.with(64, c);
    return i.after(1);
}

static own_code code;
static std::vector<size_t> places;      /* of the loop's instructions that are written over */
static std::vector<unsigned> banks[2];  /* registers that may be written, even and odd */
static std::vector<unsigned> fours;     /* the first of four in a row */
static instruction load;                /* of a word */
static unsigned *out;

/* FFMA stand in the loop alone; what they write the kernel only adds up. */
static void look(void)
{
    code = own_code_of("slots");
    std::set<unsigned> written;
    for (size_t n = 0; n < code.count; n++)
        if (code.get(n).opcode() == FFMA) {
            places.push_back(n);
            written.insert(code.get(n).result());
        }
    if (places.size() != SLOTS) {
        fprintf(stderr, "the loop has %zu FFMA, not %d\n", places.size(), SLOTS);
        exit(1);
    }
    bool found = false;
    for (size_t n = places.front() < 4 ? 0 : places.front() - 4; n < places.back(); n++)
        if (code.get(n).opcode() == 0x984)
            load = code.get(n), found = true;
    for (unsigned r : written) {
        if (r % 4 == 0 && written.count(r + 1) && written.count(r + 2) && written.count(r + 3) && fours.size() < 2)
            fours.push_back(r);
    }
    for (unsigned r : written)
        if (std::none_of(fours.begin(), fours.end(), [r](unsigned f) { return r - f < 4; }))
            banks[r % 2].push_back(r);
    if (!found || fours.size() < 2 || banks[0].size() < 8 || banks[1].size() < 8) {
        fprintf(stderr, "this compiler left too few registers: %zu, %zu, %zu fours\n", banks[0].size(),
                banks[1].size(), fours.size());
        exit(1);
    }
}

static void run(const char *set, const std::string &name, int count, const std::vector<instruction> &with)
{
    for (size_t i = 0; i < SLOTS; i++)
        code.put(places[i], with[i]);
    cudaLibrary_t library;
    cudaKernel_t kernel;
    MICRO_CUDA(cudaLibraryLoadData(&library, code.image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    MICRO_CUDA(cudaLibraryGetKernel(&kernel, library, "slots"));
    for (unsigned warps = 1; warps <= 4; warps *= 2) {
        const uint32_t turns = 1000;
        double least = 1e30;
        for (int again = 0; again < 3; again++) { /* the first brings code */
            uint32_t at[64];
            void *arguments[] = {(void *)&turns, (void *)&out};
            MICRO_CUDA(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(128 * warps), arguments, 0, 0));
            MICRO_CUDA(cudaMemcpy(at, out + 128, sizeof at, cudaMemcpyDeviceToHost));
            uint32_t first = at[0], last = at[1];
            for (unsigned w = 0; w < 4 * warps; w++) {
                first = (int32_t)(at[2 * w] - first) < 0 ? at[2 * w] : first;
                last = (int32_t)(at[2 * w + 1] - last) > 0 ? at[2 * w + 1] : last;
            }
            least = std::min(least, (double)(last - first) / turns / warps);
        }
        printf("%s,%s,%d,%u,%.2f\n", set, name.c_str(), count, warps, least);
    }
    MICRO_CUDA(cudaLibraryUnload(library));
}

/* Registers of a bank, one after the other. */
struct taker {
    unsigned next[2] = {0, 0};
    unsigned take(char bank)
    {
        if (bank == 'z')
            return RZ;
        const unsigned b = bank == 'o';
        return banks[b][next[b]++ % banks[b].size()];
    }
    unsigned of(const char *banks_, unsigned n) { return take(banks_[n % strlen(banks_)]); }
};

/* One of the registers that nothing reads. */
static unsigned unread(int i)
{
    return fours[i % 2] + (unsigned)(i / 2 % 4);
}

static void reads(void)
{
    static const struct {
        opcode op;
        const char *read;
    } kinds[] = {{FFMA, "eeo"}, {FFMA, "eoe"}, {FFMA, "oee"}, {FFMA, "eee"}, {FFMA, "eoz"}, {FADD_TWO, "ee"},
                 {FADD_TWO, "eo"}, {IMAD, "eeo"}, {IMAD, "eee"}, {LOP3, "eeo"}, {LOP3, "eee"}};
    for (const char *beside : {"e", "o", "eo", "z"})
        for (int every : {1, 2, 3, 4, 6, 12})
            for (const auto &k : kinds) {
                taker from;
                std::vector<instruction> with;
                for (int i = 0; i < SLOTS; i++)
                    if (i % every)
                        with.push_back(make(FADD, unread(i), from.of(beside, (unsigned)i)));
                    else {
                        unsigned r[3] = {RZ, RZ, RZ};
                        for (size_t n = 0; n < strlen(k.read); n++)
                            r[n] = from.take(k.read[n]);
                        with.push_back(make(k.op, unread(i), r[0], r[1], r[2]));
                    }
                run("reads", std::string(form_of(k.op).name) + "-" + k.read + "-beside-" + beside, SLOTS / every, with);
            }
}

static void fresh(void)
{
    for (opcode writes : {FADD, LOP3_ONE})
        for (bool apart : {false, true})
            for (int young = 2; young <= 8; young++)
                for (int old = young + 1; old <= 9; old++) {
                    const unsigned a = banks[0][0], b = apart ? banks[1][0] : banks[0][1];
                    std::vector<instruction> with;
                    for (int i = 0; i < SLOTS; i++) {
                        const int before = 14 - i % 15;
                        with.push_back(before == 0     ? make(FFMA, banks[1][1], a, b)
                                       : before == young ? make(writes, a)
                                       : before == old   ? make(FADD, b)
                                                         : make(FADD, banks[i % 2][(unsigned)(2 + i % 5)]));
                    }
                    run("fresh",
                        std::string(writes == FADD ? "FADD" : "LOP3") + (apart ? "-apart-" : "-one-") +
                            std::to_string(young) + "-" + std::to_string(old),
                        SLOTS / 15, with);
                }
}

static void late(void)
{
    std::vector<unsigned> pairs;
    for (unsigned r : banks[0])
        if (std::count(banks[1].begin(), banks[1].end(), r + 1))
            pairs.push_back(r);
    for (opcode op : {DADD, DFMA, HFMA2_MMA})
        for (bool of : {false, true})
            for (bool writes : {false, true})
                for (int every : {2, 3, 4, 5, 6, 12}) {
                    size_t next = 0;
                    std::vector<instruction> with;
                    for (int i = 0; i < SLOTS; i++)
                        if (i % every) {
                            with.push_back(make(FADD, writes ? unread(i) : RZ));
                        } else {
                            unsigned r[3] = {RZ, RZ, RZ};
                            for (unsigned n = 0; of && n < form_of(op).operands; n++)
                                r[n] = pairs[next++ % pairs.size()];
                            with.push_back(make(op, fours[0], r[0], r[1], r[2]));
                        }
                    run("late", std::string(form_of(op).name) + (of ? "-p" : "-z") + "-beside-" + (writes ? "w" : "z"),
                        SLOTS / every, with);
                }
}

static void loaded(void)
{
    for (unsigned bytes : {4u, 8u, 16u})
        for (const char *beside : {"e", "o", "eo", "z"})
            for (int count : {0, 1, 2, 3, 4, 6, 8, 10})
                for (bool burst : {false, true}) {
                    if (burst && count < 2)
                        continue;
                    taker to;
                    std::vector<instruction> with;
                    for (int i = 0, n = 0; i < SLOTS; i++) {
                        if (n < count && i >= (burst ? n : n * SLOTS / count)) {
                            instruction l = load.after(1).with(16, fours[n++ % 2]);
                            l.high = (l.high & ~0xe00ull) | (bytes == 4 ? 0x800u : bytes == 8 ? 0xa00u : 0xc00u);
                            with.push_back(l);
                        } else {
                            with.push_back(make(FADD, to.of(beside, (unsigned)i)));
                        }
                    }
                    run("loaded", std::to_string(bytes) + (burst ? "-burst-" : "-spread-") + beside, count, with);
                }
}

int main(void)
{
    look();
    MICRO_CUDA(cudaMalloc(&out, 4096));
    MICRO_CUDA(cudaMemset(out, 0, 4096));
    puts("set,name,count,warps,clocks");
    reads();
    fresh();
    late();
    loaded();
    return 0;
}
