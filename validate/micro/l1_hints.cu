/* SPDX-License-Identifier: MIT
 *
 * l1_hints.cu - which lines L1 gives up first when loads and stores bear a hint: .cs, .lu,
 * .L1::evict_first, evict_last, evict_unchanged, no_allocate. One lane accesses lines in scripted
 * order, each load after the last one has come, each store some time after. Which lines share a
 * set is known from l1_replace.cu. Output: CSV:
 * kind,op,script,hits
 *   steps    scripts in sets of their own: A-H a load of the line without a hint, a-h the access
 * with `op`, 1-8 a store without; then one of the lines that were named is loaded. hits: for each
 * of these in order of the letters, how often of four the last load hit random   such scripts by
 * chance; hits: bits of the accesses, as hexadecimal, the first the lowest large
 * percent:what:hot:times:others, all of L1; hits: of each of the passes
 */
#include "validate/micro/check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#define MAX_STEPS 14000
#define WORDS     ((MAX_STEPS + 31) / 32)
#define OPS       16
#define TRIALS    320

__constant__ uint32_t script[MAX_STEPS]; /* line | op << 24 */

#define TIMED_LOAD(text)                                                                           \
    asm volatile("mov.u32 %0, %%clock;\n\t" text " %1, [%2];"                                      \
                 : "=r"(t0), "=r"(v)                                                               \
                 : "l"(p)                                                                          \
                 : "memory");                                                                      \
    if (v == 0xdeadbeef)                                                                           \
        __trap();                                                                                  \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t1)::"memory");                                     \
    break
#define STORE(text)                                                                                \
    asm volatile(text " [%0], %1;" ::"l"(p), "r"(i & 0xffffu) : "memory");                         \
    t0 = (uint32_t)clock();                                                                        \
    while ((uint32_t)clock() - t0 < 800u)                                                          \
        ;                                                                                          \
    break

static const char *const op_name[OPS] = {"ld",
                                         "ld.cs",
                                         "ld.lu",
                                         "ld.L1::evict_first",
                                         "ld.L1::evict_last",
                                         "ld.L1::evict_unchanged",
                                         "ld.L1::no_allocate",
                                         "ld.nc.L1::evict_first",
                                         "st",
                                         "st.cs",
                                         "st.L1::evict_first",
                                         "st.L1::evict_last",
                                         "st.L1::evict_unchanged",
                                         "st.L1::no_allocate",
                                         "ld.nc.L1::evict_last",
                                         "st.cg"};

__global__ void play(char *base, uint32_t steps, uint32_t *out)
{
    __shared__ uint32_t hit[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        hit[i] = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < steps; i++) {
        char *p = base + 128ull * (script[i] & 0xffffffu);
        uint32_t t0 = 0, t1 = 1000, v;
        switch (script[i] >> 24) {
        case 0:
            TIMED_LOAD("ld.global.u32");
        case 1:
            TIMED_LOAD("ld.global.cs.u32");
        case 2:
            TIMED_LOAD("ld.global.lu.u32");
        case 3:
            TIMED_LOAD("ld.global.L1::evict_first.u32");
        case 4:
            TIMED_LOAD("ld.global.L1::evict_last.u32");
        case 5:
            TIMED_LOAD("ld.global.L1::evict_unchanged.u32");
        case 6:
            TIMED_LOAD("ld.global.L1::no_allocate.u32");
        case 7:
            TIMED_LOAD("ld.global.nc.L1::evict_first.u32");
        case 14:
            TIMED_LOAD("ld.global.nc.L1::evict_last.u32");
        case 8:
            STORE("st.global.u32");
        case 9:
            STORE("st.global.cs.u32");
        case 10:
            STORE("st.global.L1::evict_first.u32");
        case 11:
            STORE("st.global.L1::evict_last.u32");
        case 12:
            STORE("st.global.L1::evict_unchanged.u32");
        case 13:
            STORE("st.global.L1::no_allocate.u32");
        case 15:
            STORE("st.global.cg.u32");
        }
        if (t1 - t0 < 120)
            hit[i / 32] |= 1u << i % 32;
    }
    for (uint32_t i = 0; i < WORDS; i++)
        out[i] = hit[i];
}

static char *array;
static uint32_t *hits;
static std::vector<uint32_t> in_set[512];

/* Of the sums that say a line's set (l1_replace.cu) those of bits 0 to 10, 12 and 13. */
static void find_sets(void)
{
    static const uint32_t sum[] = {0x001, 0x002, 0x087, 0x05f, 0x0b1, 0x032, 0x1cf,
                                   0x1e3, 0x0ba, 0x14d, 0x0ed, 0x000, 0x12b, 0x0dd};
    for (uint32_t line = 0; line < 16384; line++) {
        uint32_t set = 0;
        for (uint32_t bit = 0; bit < 14; bit++)
            set ^= line >> bit & 1u ? sum[bit] : 0;
        if (!(line >> 11 & 1u))
            in_set[set].push_back(line);
    }
}

/* Which accesses hit; every operator is used twice before, so that its code is there. */
static std::vector<bool> run(const std::vector<uint32_t> &steps, int percent)
{
    std::vector<uint32_t> all;
    for (uint32_t op = 0; op < OPS; op++)
        all.insert(all.end(), 2, in_set[511][0] | op << 24);
    const size_t before = all.size();
    all.insert(all.end(), steps.begin(), steps.end());
    if (all.size() > MAX_STEPS) {
        fprintf(stderr, "a script of %zu steps is longer than %d\n", all.size(), MAX_STEPS);
        exit(1);
    }
    MICRO_CUDA(cudaMemcpyToSymbol(script, all.data(), all.size() * sizeof all[0]));
    MICRO_CUDA(cudaFuncSetAttribute(play, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    for (int again = 0; again < 2; again++) /* the second time L2 has all */
        play<<<1, 1>>>(array, (uint32_t)all.size(), hits);
    MICRO_CUDA(cudaGetLastError());
    uint32_t bits[WORDS];
    MICRO_CUDA(cudaMemcpy(bits, hits, sizeof bits, cudaMemcpyDeviceToHost));
    std::vector<bool> hit(steps.size());
    for (size_t i = 0; i < steps.size(); i++)
        hit[i] = bits[(before + i) / 32] >> (before + i) % 32 & 1;
    return hit;
}

static uint32_t step_of(char what, uint32_t set, uint32_t op)
{
    if (what <= '8')
        return in_set[set][what - '1'] | 8u << 24;
    return what >= 'a' ? in_set[set][what - 'a'] | op << 24 : in_set[set][what - 'A'];
}

/* Sets spread over banks and rows. */
static uint32_t trial_set(size_t trial)
{
    return (uint32_t)(trial * 37u) % 509u;
}

static void steps(uint32_t op)
{
    static const char *const script[] = {
        /* one line with the hint: first, in between, last; what leaves then */
        "ABCDE", "aBCDE", "AbCDE", "ABcDE", "ABCdE", "ABCdEF", "ABCdEFG", "ABcDEF", "aBCDEF",
        "aBCDEFGH",
        /* several */
        "abCDE", "aBcDE", "ABcdE", "aBCdE", "ABcdEF", "abcDE", "Abcde", "abcdE", "abcdEF",
        "abcdEFG", "abcdEFGH", "abcde", "abcdef", "abcdefgh", "ABCDe", "ABCDef", "ABCDefg",
        "ABCDefgh", "ABCDeF", "ABCDeFG", "AbCdE", "AbCdEF", "AbCdEFG",
        /* on lines that are there */
        "ABCDA", "ABCDAE", "ABCDa", "ABCDaE", "ABCDaEF", "ABCDdE", "ABCDdEF", "ABCDcE", "ABCDabE",
        "ABCDabEF", "ABCDcdEF", "ABCDbaE", "ABCDabcE", "ABCDabcdE", "ABCDabcdEF",
        /* protected lines */
        "ABCDABE", "ABCDABEFG", "ABCDABaEF", "ABCDABbE", "ABCDABbEF", "ABCDABabEF", "ABCDABcE",
        "ABCDABdE", "ABCDABceF", "ABABcdE", "ABABcdEF", "ABABcdEFG", "ABABCdEF", "ABABefgH",
        /* a line that came with the hint, wanted again */
        "ABCdDE", "ABCdDEF", "ABCdDEFG", "ABCddE", "ABCddEF", "ABCdddE", "aABCDE", "aABCDEF",
        "aaBCDE", "aaBCDEF", "abcdaE", "abcdaEF", "abcdabEF", "abcdabEFG", "abcdabcdEFG",
        "abcdAEFG", "abcdABEFG", "abcdABCDEFGH", "aBBCCDDE", "aBBCCDDEE", "aabbCDEF", "aabbCDEFGH",
        "ABABccddEF", "ABABccddEFGH", "AAbCDE", "AaBCDE", "AaBCDEF", "AaBCDEFG", "aaABCDEF",
        /* with stores */
        "1BCDE", "11BCDE", "A1BCDE", "A1BCDEF", "ABCd4E", "ABCd4EF", "ab12CDEF", "a1BCDE",
        "a1BCDEF", "12cdEF", "1234e", "1234ef", "1234aEF"};
    std::vector<uint32_t> all;
    struct trial {
        size_t script, probe, last;
    };
    std::vector<trial> trials;
    const size_t scripts = sizeof script / sizeof *script;
    std::vector<std::string> found(scripts);
    auto play_all = [&]() {
        const std::vector<bool> hit = run(all, 4);
        for (const trial &t : trials)
            found[t.script][t.probe] = (char)(found[t.script][t.probe] + hit[t.last]);
        all.clear(), trials.clear();
    };
    for (size_t s = 0; s < scripts; s++) {
        size_t lines = 0;
        for (const char *c = script[s]; *c; c++)
            lines = std::max(lines, (size_t)(*c <= '8' ? *c - '0' : (*c & 31)));
        found[s].assign(lines, '0');
        for (size_t probe = 0; probe < lines; probe++)
            for (uint32_t again = 0; again < 4; again++) {
                const uint32_t set = trial_set(trials.size());
                for (const char *c = script[s]; *c; c++)
                    all.push_back(step_of(*c, set, op));
                all.push_back(step_of((char)('A' + probe), set, op));
                trials.push_back({s, probe, all.size() - 1});
                if (trials.size() == TRIALS)
                    play_all();
            }
    }
    play_all();
    for (size_t s = 0; s < scripts; s++)
        printf("steps,%s,%s,%s\n", op_name[op], script[s], found[s].c_str());
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

/* Lines, and of eight accesses those with the operator and the plain stores. */
static void random_scripts(uint32_t op, uint32_t lines, uint32_t hinted, uint32_t stores)
{
    const size_t count = 24, length = 40;
    std::vector<std::string> scripts(count);
    std::vector<uint32_t> all;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < length; i++) {
            uint32_t kind = draw(8), line = draw(lines);
            char c = (char)((kind < hinted ? 'a' : kind < hinted + stores ? '1' : 'A') + line);
            scripts[s] += c;
            all.push_back(step_of(c, trial_set(s), op));
        }
    const std::vector<bool> hit = run(all, 4);
    for (size_t s = 0; s < count; s++) {
        unsigned long long bits = 0;
        for (size_t i = 0; i < length; i++)
            bits |= (unsigned long long)hit[s * length + i] << i;
        printf("random,%s,%s,%llx\n", op_name[op], scripts[s].c_str(), bits);
    }
}

static void add(std::vector<uint32_t> &all, uint32_t from, uint32_t count, uint32_t op)
{
    for (uint32_t i = 0; i < count; i++)
        all.push_back((from + i) | op << 24);
}

/* Passes over lines, of which the hits are counted one by one; passes of nought are none. */
static void large(uint32_t op, int percent, const char *what, uint32_t hot, uint32_t times,
                  uint32_t others)
{
    std::vector<uint32_t> all, begin;
    auto pass = [&](uint32_t from, uint32_t count, uint32_t with) {
        begin.push_back((uint32_t)all.size());
        add(all, from, count, with);
    };
    if (!strcmp(what, "past")) { /* plain lines, then others with the operator, then the plain */
        for (uint32_t i = 0; i < times; i++)
            pass(0, hot, 0);
        pass(16384, others, op);
        pass(0, hot, 0);
    } else if (!strcmp(what, "hot")) { /* lines with the operator, plain others, the first again */
        for (uint32_t i = 0; i < times; i++)
            pass(0, hot, op);
        pass(16384, others, 0);
        pass(0, hot, 0);
    } else if (!strcmp(what, "turn")) { /* in turn, all with the operator */
        for (uint32_t i = 0; i < times; i++)
            pass(0, hot, op);
    } else { /* mixed: passes over plain lines, after each `others` / `times` more with the operator
              */
        for (uint32_t i = 0; i < times; i++) {
            begin.push_back((uint32_t)all.size());
            uint32_t next = 0, more = others / times;
            for (uint32_t k = 0; k < hot; k++) {
                add(all, k, 1, 0);
                for (; next < more && next * hot < (k + 1) * more; next++)
                    add(all, 16384 + i * more + next, 1, op);
            }
        }
    }
    const std::vector<bool> hit = run(all, percent);
    begin.push_back((uint32_t)all.size());
    printf("large,%s,%d:%s:%u:%u:%u,", op_name[op], percent, what, hot, times, others);
    for (size_t p = 0; p + 1 < begin.size(); p++) {
        uint32_t sum = 0;
        for (uint32_t i = begin[p]; i < begin[p + 1]; i++)
            sum += hit[i] && (strcmp(what, "mixed") || all[i] < 16384);
        printf("%s%u", p ? ":" : "", sum);
    }
    puts("");
}

int main(void)
{
    find_sets();
    MICRO_CUDA(cudaMalloc(&array, 16u << 20));
    MICRO_CUDA(cudaMemset(array, 0, 16u << 20));
    MICRO_CUDA(cudaMalloc(&hits, WORDS * sizeof *hits));
    puts("kind,op,script,hits");
    for (uint32_t op = 0; op < OPS; op++) {
        steps(op);
        random_scripts(op, 6, 4, 0);
        random_scripts(op, 7, 2, 0);
        random_scripts(op, 6, 8, 0);
        random_scripts(op, 6, 3, 2);
        for (uint32_t quarters = 1; quarters <= 4; quarters++)
            for (uint32_t times = 1; times <= 2; times++)
                for (uint32_t others : {928u, 1856u, 3712u}) {
                    large(op, 4, "past", 464 * quarters, times, others);
                    large(op, 4, "hot", 464 * quarters, times, others);
                }
        for (uint32_t more : {0u, 32u, 128u, 384u})
            large(op, 4, "turn", 1856 + more, 5, 0);
        for (uint32_t quarters = 1; quarters <= 4; quarters++)
            for (uint32_t others : {464u, 1856u})
                if (464 * quarters + others <= 3300)
                    large(op, 4, "mixed", 464 * quarters, 4, 4 * others);
        large(op, 28, "past", 592, 1, 1184), large(op, 28, "past", 592, 2, 2368);
        large(op, 28, "hot", 592, 1, 1184), large(op, 28, "hot", 592, 2, 2368);
        large(op, 28, "mixed", 592, 4, 4736);
    }
    return 0;
}
