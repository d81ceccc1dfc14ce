/* SPDX-License-Identifier: MIT
 *
 * gmcuda/simd.h - functions of four bytes or two halfwords in one word: __vadd4() ... __vsetne2().
 * Left out: sums with maximum or minimum (__viaddmax_s32 ...).
 */
#ifndef GMCUDA_SIMD_H
#define GMCUDA_SIMD_H

/* One part after the other; a and b are ints of the part's sign. */
#define GMCUDA_PARTS(name, bits, part, expression)                                                 \
    GMCUDA_DEVICE unsigned int name(unsigned int x, unsigned int y)                                \
    {                                                                                              \
        unsigned int d = 0;                                                                        \
        for (int i = 0; i < 32; i += bits) {                                                       \
            const int a = (part)(x >> i), b = (part)(y >> i);                                      \
            d |= ((unsigned int)(expression) & (0xffffffffu >> (32 - bits))) << i;                 \
        }                                                                                          \
        return d;                                                                                  \
    }
#define GMCUDA_PARTS1(name, bits, part, expression)                                                \
    GMCUDA_DEVICE unsigned int name(unsigned int x)                                                \
    {                                                                                              \
        unsigned int d = 0;                                                                        \
        for (int i = 0; i < 32; i += bits) {                                                       \
            const int a = (part)(x >> i);                                                          \
            d |= ((unsigned int)(expression) & (0xffffffffu >> (32 - bits))) << i;                 \
        }                                                                                          \
        return d;                                                                                  \
    }
#define GMCUDA_SUM(name, bits, part, expression)                                                   \
    GMCUDA_DEVICE unsigned int name(unsigned int x, unsigned int y)                                \
    {                                                                                              \
        unsigned int d = 0;                                                                        \
        for (int i = 0; i < 32; i += bits) {                                                       \
            const int a = (part)(x >> i), b = (part)(y >> i);                                      \
            d += (unsigned int)(expression);                                                       \
        }                                                                                          \
        return d;                                                                                  \
    }
#define GMCUDA_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))

#define GMCUDA_WIDTH(n, bits, sign, plain, low, high, most)                                        \
    GMCUDA_PARTS(__vadd##n, bits, plain, a + b)                                                    \
    GMCUDA_PARTS(__vsub##n, bits, plain, a - b)                                                    \
    GMCUDA_PARTS(__vaddss##n, bits, sign, GMCUDA_CLAMP(a + b, low, high))                          \
    GMCUDA_PARTS(__vsubss##n, bits, sign, GMCUDA_CLAMP(a - b, low, high))                          \
    GMCUDA_PARTS(__vaddus##n, bits, plain, GMCUDA_CLAMP(a + b, 0, most))                           \
    GMCUDA_PARTS(__vsubus##n, bits, plain, GMCUDA_CLAMP(a - b, 0, most))                           \
    GMCUDA_PARTS(__vavgs##n, bits, sign, (a + b + (a + b >= 0)) >> 1)                              \
    GMCUDA_PARTS(__vavgu##n, bits, plain, (a + b + 1) >> 1)                                        \
    GMCUDA_PARTS(__vhaddu##n, bits, plain, (a + b) >> 1)                                           \
    GMCUDA_PARTS(__vmaxs##n, bits, sign, a > b ? a : b)                                            \
    GMCUDA_PARTS(__vmaxu##n, bits, plain, a > b ? a : b)                                           \
    GMCUDA_PARTS(__vmins##n, bits, sign, a < b ? a : b)                                            \
    GMCUDA_PARTS(__vminu##n, bits, plain, a < b ? a : b)                                           \
    GMCUDA_PARTS(__vabsdiffs##n, bits, sign, a > b ? a - b : b - a)                                \
    GMCUDA_PARTS(__vabsdiffu##n, bits, plain, a > b ? a - b : b - a)                               \
    GMCUDA_PARTS1(__vabs##n, bits, sign, a < 0 ? -a : a)                                           \
    GMCUDA_PARTS1(__vabsss##n, bits, sign, a == low ? high : a < 0 ? -a : a)                       \
    GMCUDA_PARTS1(__vneg##n, bits, sign, -a)                                                       \
    GMCUDA_PARTS1(__vnegss##n, bits, sign, a == low ? high : -a)                                   \
    GMCUDA_SUM(__vsads##n, bits, sign, a > b ? a - b : b - a)                                      \
    GMCUDA_SUM(__vsadu##n, bits, plain, a > b ? a - b : b - a)                                     \
    GMCUDA_COMPARE(n, bits, plain, eq, a == b)                                                     \
    GMCUDA_COMPARE(n, bits, plain, ne, a != b)                                                     \
    GMCUDA_COMPARE(n, bits, sign, ges, a >= b)                                                     \
    GMCUDA_COMPARE(n, bits, plain, geu, a >= b)                                                    \
    GMCUDA_COMPARE(n, bits, sign, gts, a > b)                                                      \
    GMCUDA_COMPARE(n, bits, plain, gtu, a > b)                                                     \
    GMCUDA_COMPARE(n, bits, sign, les, a <= b)                                                     \
    GMCUDA_COMPARE(n, bits, plain, leu, a <= b)                                                    \
    GMCUDA_COMPARE(n, bits, sign, lts, a < b)                                                      \
    GMCUDA_COMPARE(n, bits, plain, ltu, a < b)
#define GMCUDA_COMPARE(n, bits, part, name, condition)                                             \
    GMCUDA_PARTS(__vcmp##name##n, bits, part, (condition) ? ~0u : 0u)                              \
    GMCUDA_PARTS(__vset##name##n, bits, part, (condition) ? 1u : 0u)

GMCUDA_WIDTH(2, 16, short, unsigned short, -32768, 32767, 65535)
GMCUDA_WIDTH(4, 8, signed char, unsigned char, -128, 127, 255)
#undef GMCUDA_COMPARE
#undef GMCUDA_WIDTH
#undef GMCUDA_CLAMP
#undef GMCUDA_SUM
#undef GMCUDA_PARTS1
#undef GMCUDA_PARTS

#endif
