/* SPDX-License-Identifier: MIT
 *
 * validate_trace.c - writes the trace that tests/validate/gmvalidate.test compares: three launches of one
 * kernel, small enough to count by hand.
 *
 *   0: 2 CTAs of 64 threads, each warp one contiguous 4-byte global load and one store of the same
 *      line: 4 + 4 instructions, (4 + 4) * 4 sectors, 8 lines
 *   1: 2 CTAs of 64 threads, each warp one global load at stride 128: 4 instructions, 128 sectors,
 *      128 lines
 *   2: 1 CTA of 32 threads, one shared load of one bank: 1 instruction, 32 wavefronts
 */
#include "tests/support/trace_builder.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    gmtest_trace trace;

    if (argc != 2) {
        fprintf(stderr, "usage: validate_trace FILE.trc\n");
        return 2;
    }
    gmtest_open(&trace, argv[1]);
    gmtest_launch(&trace, 2, 64);
    for (uint32_t cta = 0; cta < 2; cta++) {
        for (uint32_t warp = 0; warp < 2; warp++) {
            uint64_t base = 0x10000 + 128 * (2 * cta + warp);

            gmtest_affine(&trace, cta, warp, GMTEST_LDG, ~0u, base, 4);
            gmtest_affine(&trace, cta, warp, GMTEST_STG, ~0u, base, 4);
        }
    }
    gmtest_launch(&trace, 2, 64);
    for (uint32_t cta = 0; cta < 2; cta++) {
        for (uint32_t warp = 0; warp < 2; warp++)
            gmtest_affine(&trace, cta, warp, GMTEST_LDG, ~0u, 0x100000 + 4096 * (2 * cta + warp),
                          128);
    }
    gmtest_launch(&trace, 1, 32);
    gmtest_affine(&trace, 0, 0, GMTEST_LDS, ~0u, 0, 128);
    gmtest_close(&trace);
    return 0;
}
