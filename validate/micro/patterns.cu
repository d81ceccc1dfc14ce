/* SPDX-License-Identifier: MIT
 *
 * patterns.cu - makes the patterns that patterns.h declares. Host code only.
 *
 * Beside strides and permutations there are families meant to tell rules apart: which groups of
 * lanes make up a pass (partitions and halves), whether equal addresses merge across groups, and
 * whether a partial mask regroups the lanes that are left (compact).
 */
#include "validate/micro/patterns.h"
#include <stdarg.h>
#include <string.h>

static const unsigned FULL = 0xffffffffu;

static const unsigned masks[] = {
    0x00000001u, 0x80000000u, 0x00000100u, 0x55555555u, 0xaaaaaaaau, 0x11111111u, 0x88888888u,
    0x33333333u, 0xccccccccu, 0x0f0f0f0fu, 0xf0f0f0f0u, 0x00ff00ffu, 0xff00ff00u, 0x0000ffffu,
    0xffff0000u, 0x000000ffu, 0xff000000u, 0x00ffff00u, 0x01010101u, 0x80808080u, 0x03030303u,
    0xc0c0c0c0u, 0x00010001u, 0x80000001u, 0x00000101u, 0x00010100u, 0xfffffffeu, 0x7fffffffu};

/* SplitMix64. */
struct generator {
    uint64_t state;
    unsigned below(unsigned n)
    {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        return (unsigned)((z >> 16) % n);
    }
    unsigned mask()
    {
        unsigned a = below(0x10000) << 16 | below(0x10000);
        unsigned b = below(0x10000) << 16 | below(0x10000);
        switch (below(4)) {
        case 0:
            return a & b;
        case 1:
            return a | b;
        default:
            return a;
        }
    }
};

/* f gives a lane's offset in bytes. */
template <typename F>
static void add(pattern_list &list, unsigned mask, F f, const char *format, ...)
{
    pattern p;
    memset(&p, 0, sizeof p);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p.name, sizeof p.name, format, arguments);
    va_end(arguments);
    p.mask = mask;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (mask >> lane & 1)
            p.offsets.at[lane] = f(lane);
    list.push_back(p);
}

static unsigned rank_in(unsigned mask, unsigned lane)
{
    return (unsigned)__builtin_popcount(mask & ((1u << lane) - 1));
}

static unsigned reverse_bits(unsigned lane)
{
    return (lane & 1) << 4 | (lane & 2) << 2 | (lane & 4) | (lane & 8) >> 2 | (lane & 16) >> 4;
}

/* Drops bit `bit` of a lane number: lanes that differ in it alone become equal. */
static unsigned without(unsigned lane, unsigned bit)
{
    return (lane >> (bit + 1)) << bit | (lane & ((1u << bit) - 1));
}

static void add_uniform(pattern_list &list, unsigned w)
{
    add(
        list, FULL, [=](unsigned) { return 0u; }, "uniform");
    add(
        list, FULL, [=](unsigned) { return 37 * w; }, "uniform+37");
    for (unsigned apart : {w, 32u, 64u, 128u, 256u}) {
        if (apart % w)
            continue;
        add(
            list, FULL, [=](unsigned l) { return l / 16 * apart; }, "half-uniform/%u", apart);
        add(
            list, FULL, [=](unsigned l) { return l / 8 * apart; }, "quarter-uniform/%u", apart);
        add(
            list, FULL, [=](unsigned l) { return l / 4 * apart; }, "eighth-uniform/%u", apart);
        add(
            list, FULL, [=](unsigned l) { return l % 2 * apart; }, "odd-even/%u", apart);
    }
}

static void add_permutations(pattern_list &list, unsigned w, generator &g)
{
    for (unsigned bit = 0; bit < 5; bit++)
        add(
            list, FULL, [=](unsigned l) { return without(l, bit) * w; }, "equal^%u", 1u << bit);
    for (unsigned x : {1u, 2u, 4u, 8u, 16u, 31u})
        add(
            list, FULL, [=](unsigned l) { return (l ^ x) * w; }, "swap^%u", x);
    add(
        list, FULL, [=](unsigned l) { return reverse_bits(l) * w; }, "bit-reversed");
    add(
        list, FULL, [=](unsigned l) { return (l % 4 * 8 + l / 4) * w; }, "interleave4");
    add(
        list, FULL, [=](unsigned l) { return (l % 8 * 4 + l / 8) * w; }, "interleave8");
    add(
        list, FULL, [=](unsigned l) { return (l + 5) % 32 * w; }, "rotated5");
    static const unsigned char quarters[][4] = {{1, 0, 2, 3}, {2, 1, 0, 3}, {3, 1, 2, 0},
                                                {0, 2, 1, 3}, {1, 0, 3, 2}, {3, 2, 1, 0}};
    for (const unsigned char *q : quarters)
        add(
            list, FULL, [=](unsigned l) { return (q[l / 8] * 8u + l % 8) * w; }, "quarters%u%u%u%u",
            q[0], q[1], q[2], q[3]);
    for (int k = 0; k < 3; k++) {
        unsigned p[LANES];
        for (unsigned i = 0; i < LANES; i++)
            p[i] = i;
        for (unsigned i = LANES; i > 1; i--) {
            unsigned j = g.below(i), t = p[i - 1];
            p[i - 1] = p[j];
            p[j] = t;
        }
        add(
            list, FULL, [&](unsigned l) { return p[l] * w; }, "permuted%d", k);
    }
}

/* Every way to let quarter-warps share their eight addresses: 15 set partitions of four. */
static void add_partitions(pattern_list &list, unsigned w)
{
    for (unsigned code = 0; code < 256; code++) {
        unsigned group[4], most = 0;
        bool canonical = true;
        for (unsigned q = 0; q < 4; q++) {
            group[q] = code >> (2 * q) & 3;
            canonical = canonical && group[q] <= most;
            if (group[q] == most)
                most++;
        }
        if (canonical)
            add(
                list, FULL, [&](unsigned l) { return (group[l / 8] * 8 + l % 8) * w; },
                "share%u%u%u%u", group[0], group[1], group[2], group[3]);
    }
}

/* Each group of lanes reads half as many addresses as it has lanes, in the lower or upper half of
 * what it could span, for all choices; lanes are equal in pairs that differ in one bit. If passes
 * pair up whenever their banks do not collide, only the choice matters; if pairing looks at the
 * lanes, the bit matters. */
static void add_halves(pattern_list &list, unsigned w)
{
    unsigned lanes = w >= 16 ? 8 : w == 8 ? 16 : 32; /* a pass of that width */
    unsigned groups = LANES / lanes;
    for (unsigned bit = 0; 1u << bit < lanes; bit++)
        for (unsigned upper = 0; upper < 1u << groups; upper++)
            add(
                list, FULL,
                [=](unsigned l) {
                    unsigned half = upper >> (l / lanes) & 1;
                    return (half * lanes / 2 + without(l % lanes, bit)) * w;
                },
                "half^%u:%x", 1u << bit, upper);
    /* Which groups read one address each and which read all of theirs. */
    for (unsigned uniform = 1; uniform < 1u << groups; uniform++)
        add(
            list, FULL,
            [=](unsigned l) { return (uniform >> (l / lanes) & 1 ? 0 : l % lanes) * w; },
            "one-address:%x", uniform);
    /* Equal pairs with other words in the same banks from group to group. */
    for (unsigned bit = 0; bit < 3; bit++)
        add(
            list, FULL, [=](unsigned l) { return without(l % lanes, bit) * w + l / lanes * 128; },
            "half-apart^%u", 1u << bit);
}

static void add_masked(pattern_list &list, unsigned w, pattern_depth depth)
{
    for (unsigned mask : masks) {
        add(
            list, mask, [=](unsigned l) { return l * w; }, "contiguous&%08x", mask);
        add(
            list, mask, [=](unsigned l) { return rank_in(mask, l) * w; }, "compact&%08x", mask);
        if (depth == BRIEF)
            continue;
        add(
            list, mask, [=](unsigned) { return 0u; }, "uniform&%08x", mask);
        add(
            list, mask, [=](unsigned l) { return l * 128; }, "one-bank&%08x", mask);
        add(
            list, mask, [=](unsigned l) { return l / 2 * w; }, "equal^1&%08x", mask);
        add(
            list, mask, [=](unsigned l) { return without(l, 1) * w; }, "equal^2&%08x", mask);
    }
}

static void add_random(pattern_list &list, unsigned w, unsigned bytes, int count, generator &g)
{
    static const unsigned pools[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 512};
    for (int k = 0; k < count; k++) {
        unsigned pool = pools[g.below(sizeof pools / sizeof pools[0])];
        unsigned mask = k % 2 ? g.mask() : FULL;
        unsigned spread = g.below(3) == 0 ? 128 : w; /* words of one bank, or neighbours */
        unsigned units = bytes / spread;
        unsigned start = g.below(units > pool ? units - pool : 1);
        while (pool > units)
            pool /= 2;
        if (mask == 0)
            mask = 1;
        add(
            list, mask, [&](unsigned) { return (start + g.below(pool)) * spread; },
            "random%d/%u*%u", k, pool, spread);
    }
}

pattern_list shared_memory_patterns(unsigned w, pattern_depth depth, int random, uint64_t seed)
{
    pattern_list list;
    generator g = {seed * 1000 + w};
    add_uniform(list, w);
    for (unsigned k = 0; k <= 33; k++)
        if (depth == THOROUGH || k < 10 || (k & (k - 1)) == 0 || k == 33)
            add(
                list, FULL, [=](unsigned l) { return l * k * w; }, "stride%u", k);
    add_permutations(list, w, g);
    if (depth == THOROUGH) {
        add_partitions(list, w);
        add_halves(list, w);
    }
    add_masked(list, w, depth);
    add(
        list, 0, [](unsigned) { return 0u; }, "no-lane");
    add_random(list, w, 16384, random, g);
    return list;
}

pattern_list matrix_patterns(int rows, int random, uint64_t seed)
{
    pattern_list list;
    generator g = {seed * 1000 + 900 + rows};
    for (unsigned stride : {0u, 16u, 32u, 48u, 64u, 80u, 112u, 128u, 144u, 256u, 272u})
        add(
            list, FULL, [=](unsigned l) { return l * stride; }, "row-stride%u", stride);
    for (unsigned stride : {16u, 32u, 64u, 128u, 144u})
        add(
            list, FULL, [=](unsigned l) { return l % 8 * stride; }, "same-matrix%u", stride);
    /* Conflict-free as a whole, or matrix by matrix only. */
    add(
        list, FULL, [](unsigned l) { return l % 8 * 128 + ((l % 8) ^ (l / 8)) * 16; }, "swizzled");
    add(
        list, FULL, [](unsigned l) { return l % 8 * 16 + l / 8 * 4096; }, "matrices-apart");
    add(
        list, FULL, [](unsigned l) { return l % 2 * 16; }, "two-rows");
    add(
        list, FULL, [](unsigned l) { return l / 8 * 16; }, "row-a-matrix");
    add(
        list, FULL, [](unsigned l) { return l / 8 * 128; }, "row-a-matrix-one-bank");
    add(
        list, FULL, [](unsigned l) { return l / 2 * 16; }, "rows-equal^1");
    add(
        list, FULL, [](unsigned l) { return without(l, 1) * 16; }, "rows-equal^2");
    /* Addresses of lanes beyond `rows` should not count. */
    if (rows < LANES)
        add(
            list, FULL, [=](unsigned l) { return l < (unsigned)rows ? l * 16 : l * 128; },
            "unused-lanes-conflict");
    add_random(list, 16, 16384, random, g);
    for (pattern &p : list)
        p.mask = FULL; /* these instructions need the whole warp */
    return list;
}

pattern_list global_memory_patterns(unsigned w, pattern_depth depth, int random, uint64_t seed)
{
    pattern_list list;
    generator g = {seed * 1000 + 500 + w};
    add_uniform(list, w);
    for (unsigned k = 0; k <= 33; k++)
        if (depth == THOROUGH || k < 6 || (k & (k - 1)) == 0 || k == 33)
            add(
                list, FULL, [=](unsigned l) { return l * k * w; }, "stride%u", k);
    for (unsigned start : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u})
        add(
            list, FULL, [=](unsigned l) { return (start + l) * w; }, "start%u", start);
    for (unsigned step :
         {32u, 64u, 96u, 128u, 160u, 256u, 384u, 512u, 1024u, 2048u, 4096u, 4224u, 8192u, 16384u})
        add(
            list, FULL, [=](unsigned l) { return l * step; }, "bytes%u", step);
    for (unsigned pitch : {128u, 256u, 512u, 1024u, 4096u}) {
        add(
            list, FULL, [=](unsigned l) { return l % 8 * w + l / 8 * pitch; }, "8x4/%u", pitch);
        add(
            list, FULL, [=](unsigned l) { return l % 4 * w + l / 4 * pitch; }, "4x8/%u", pitch);
        add(
            list, FULL, [=](unsigned l) { return l % 16 * w + l / 16 * pitch; }, "16x2/%u", pitch);
    }
    add_permutations(list, w, g);
    add_masked(list, w, depth);
    add(
        list, 0, [](unsigned) { return 0u; }, "no-lane");
    add_random(list, w, 16384, random / 2, g);
    for (int k = 0; k < random - random / 2; k++) {
        unsigned mask = k % 2 ? g.mask() | 1 : FULL;
        unsigned span = 1u << (8 + g.below(12)); /* 256 B to 512 KB */
        add(
            list, mask, [&](unsigned) { return g.below(span / w) * w; }, "scatter%d/%u", k, span);
    }
    return list;
}

pattern_list local_memory_patterns(unsigned w, int random, uint64_t seed)
{
    pattern_list list;
    generator g = {seed * 1000 + 700 + w};
    for (unsigned k = 0; k < 20; k++)
        add(
            list, FULL, [=](unsigned) { return k * w; }, "uniform%u", k);
    for (unsigned k : {1u, 2u, 4u, 8u})
        add(
            list, FULL, [=](unsigned l) { return l * k * w % 1024; }, "stride%u", k);
    for (unsigned mask : masks) {
        add(
            list, mask, [=](unsigned) { return 0u; }, "uniform&%08x", mask);
        add(
            list, mask, [=](unsigned l) { return l % 2 * w; }, "odd-even&%08x", mask);
    }
    add(
        list, 0, [](unsigned) { return 0u; }, "no-lane");
    add_random(list, w, 1024, random, g);
    return list;
}

pattern_list generic_patterns(unsigned w, int random, uint64_t seed)
{
    pattern_list list;
    generator g = {seed * 1000 + 800 + w};
    for (unsigned to_shared : {0u, FULL}) {
        size_t first = list.size();
        for (unsigned k : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 33u})
            add(
                list, FULL, [=](unsigned l) { return l * k * w; }, "%s-stride%u",
                to_shared ? "shared" : "global", k);
        for (unsigned bit = 0; bit < 5; bit++)
            add(
                list, FULL, [=](unsigned l) { return without(l, bit) * w; }, "%s-equal^%u",
                to_shared ? "shared" : "global", 1u << bit);
        add(
            list, 0x0000ffffu, [=](unsigned l) { return l * w; }, "%s-half",
            to_shared ? "shared" : "global");
        add(
            list, 0x55555555u, [=](unsigned l) { return l * w; }, "%s-odd",
            to_shared ? "shared" : "global");
        add_random(list, w, 16384, random, g);
        for (size_t i = first; i < list.size(); i++)
            list[i].shared_mask = list[i].mask & to_shared;
    }
    for (unsigned mask : {0x55555555u, 0x0000ffffu, 0x000000ffu, 0x00000001u, 0x7fffffffu}) {
        add(
            list, FULL, [=](unsigned l) { return l * w; }, "mixed-contiguous");
        list.back().shared_mask = mask;
        add(
            list, FULL, [=](unsigned l) { return l * 32 * w; }, "mixed-stride32");
        list.back().shared_mask = mask;
    }
    add(
        list, 0, [](unsigned) { return 0u; }, "no-lane");
    return list;
}
