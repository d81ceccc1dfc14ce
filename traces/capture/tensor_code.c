/* SPDX-License-Identifier: MIT
 *
 * tensor_code.c - see tensor_code.h.
 */
#include "traces/capture/tensor_code.h"

#define INSTR 16u /* bytes */

/* Of the high word's low half a load keeps the rank and one bit that all of them have. */
#define KEPT_HIGH 0xffffffff08038000u

bool gmc_tensor_hides(const uint64_t instr[2])
{
    const unsigned opcode = instr[0] & GMC_OPCODE_MASK;
    return opcode == GMC_UTMASTG || opcode == GMC_UTMAREDG || opcode == GMC_UTMAPF;
}

bool gmc_tensor_loads(const uint64_t instr[2])
{
    const unsigned opcode = instr[0] & GMC_OPCODE_MASK;
    return opcode == GMC_UTMALDG || opcode == GMC_UTMALDG_MULTICAST;
}

void gmc_tensor_mask(const uint64_t instr[2], uint64_t masked[2])
{
    masked[0] = (instr[0] & ~(uint64_t)GMC_OPCODE_MASK) | GMC_UTMALDG;
    masked[1] = instr[1] & KEPT_HIGH;
}

uint64_t gmc_tensor_target(const uint64_t instr[2], uint64_t pc)
{
    enum { CALL_RELATIVE = 0x944, BRA = 0x947, JMP = 0x94a };
    const uint64_t blocks = (instr[1] & 0x3ffff) << 32 | instr[0] >> 32;
    const uint64_t bytes = (blocks & ~(uint64_t)3) << 8;
    const uint64_t far = (uint64_t)((int64_t)(bytes << 6) >> 6) + (instr[0] >> 16 & 0xff) * 4;
    switch (instr[0] & GMC_OPCODE_MASK) {
    case JMP:
        return far & 0xffffffffffffff;
    case BRA:
    case CALL_RELATIVE:
        return pc + INSTR + far;
    default:
        return 0;
    }
}

int gmc_tensor_find(const uint64_t (*code)[2], unsigned count, const uint64_t original[2],
                    uint64_t fixed[2])
{
    uint64_t masked[2];
    int found = -1;
    gmc_tensor_mask(original, masked);
    for (unsigned i = 0; i < count; i++) {
        /* The copy has a predicate (bits 12-15) and scheduling bits of its own. */
        const bool same = (code[i][0] & GMC_OPCODE_MASK) == GMC_UTMALDG &&
                          (code[i][0] ^ masked[0]) >> 16 == 0 &&
                          (uint32_t)code[i][1] == (uint32_t)masked[1];
        if (same && found >= 0)
            return -1;
        if (same)
            found = (int)i;
    }
    if (found < 0)
        return -1;
    fixed[0] = (code[found][0] & ~(uint64_t)GMC_OPCODE_MASK) | (original[0] & GMC_OPCODE_MASK);
    fixed[1] = (code[found][1] & ~(uint64_t)UINT32_MAX) | (uint32_t)original[1];
    return found;
}
