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
    gmc_origins_call("cudaMalloc_v3020", true);
    gmc_origins_call("cuMemAlloc_v2", true);
    gmc_allocations_add(next_address, bytes, gmc_origins_make());
    gmc_origins_call("cuMemAlloc_v2", false);
    gmc_origins_call("cudaMalloc_v3020", false);
    *memory = next_address;
    next_address += 0x10000;
}

#endif
