/* SPDX-License-Identifier: MIT
 *
 * cuda_runtime.h - stands where NVIDIA's runtime library would be, whose lines tell nobody
 * anything: an allocation that calls back as the Sanitizer does.
 */
#ifndef FAKE_CUDA_RUNTIME_H
#define FAKE_CUDA_RUNTIME_H

#include "traces/capture/allocations.h"
#include "traces/capture/origins.h"

static uint64_t next_address = 0x700000000000;

static __attribute__((noinline)) void cudaMalloc(uint64_t *memory, uint64_t bytes)
{
    gmc_origins_enter("cudaMalloc_v3020");
    if (next_address == 0x700000000000) /* the first call loads modules */
        gmc_allocations_add(0x600000000000, 4, gmc_origins_make(0x600000000000));
    gmc_origins_enter("cuMemAlloc_v2");
    gmc_allocations_add(next_address, bytes, gmc_origins_make(next_address));
    gmc_origins_leave(next_address);
    gmc_origins_leave(next_address);
    *memory = next_address;
    next_address += 0x10000;
}

#endif
