/* SPDX-License-Identifier: MIT
 *
 * tensor_code.h - encodings of the instructions that copy boxes of tensors, and of what a patched
 * one becomes (masquerade.h). Of compute capability 9.0, seen on an H200 with patching
 * libraries 13.3 to 13.5. Code alone: no GPU, no CUDA.
 */
#ifndef GMCAPTURE_TENSOR_CODE_H
#define GMCAPTURE_TENSOR_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* The low 12 bits of instructions that copy boxes. */
enum {
    GMC_OPCODE_MASK = 0xfff,
    GMC_UTMALDG = 0x5b4,
    GMC_UTMALDG_MULTICAST = 0x3b4,
    GMC_UTMASTG = 0x3b5,
    GMC_UTMAREDG = 0x3b6,
    GMC_UTMAPF = 0x5b8,
};

/* Does it load a box? Does it store, reduce or prefetch one? */
bool gmc_tensor_loads(const uint64_t instr[2]);
bool gmc_tensor_hides(const uint64_t instr[2]);
/* The load that stands in for an instruction. */
void gmc_tensor_mask(const uint64_t instr[2], uint64_t masked[2]);
/* Where the jump at `pc` goes; 0 where the instruction is none that is known. */
uint64_t gmc_tensor_target(const uint64_t instr[2], uint64_t pc);
/* Of the instructions that a patched place jumps to, the one that executes `masked` in its stead:
 * its index, and `fixed`, that the original shall replace it by. -1 where there is none, or more.
 */
int gmc_tensor_find(const uint64_t (*code)[2], unsigned count, const uint64_t original[2],
                    uint64_t fixed[2]);

#endif
