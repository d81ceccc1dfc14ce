/* SPDX-License-Identifier: MIT
 *
 * patches.c - the table of patches. BARRIER_RELEASE and SYNCWARP_RELEASE are left out on purpose:
 * they report the same barriers again. SHFL, CALL and RET touch no memory; what they would say
 * follows from the code. Shared memory set by st.bulk (compute capability 10.0) is not traced.
 */
#include "traces/capture/patches.h"

#define ROW(id, callback, what)                                                                    \
    {                                                                                              \
        SANITIZER_INSTRUCTION_##id, callback, what                                                 \
    }

const gmc_patch gmc_patch_table[] = {
    ROW(GLOBAL_MEMORY_ACCESS, "gmcapture_global", "global memory"),
    ROW(SHARED_MEMORY_ACCESS, "gmcapture_shared", "shared memory"),
    ROW(LOCAL_MEMORY_ACCESS, "gmcapture_local", "local memory"),
    ROW(REMOTE_SHARED_MEMORY_ACCESS, "gmcapture_remote_shared", "distributed shared memory"),
    ROW(MEMCPY_ASYNC, "gmcapture_copy", "cp.async"),
    ROW(PIPELINE_COMMIT, "gmcapture_copy_commit", "cp.async.commit_group"),
    ROW(PIPELINE_WAIT, "gmcapture_copy_wait", "cp.async.wait_group"),
    ROW(MATRIX_MEMORY_ACCESS, "gmcapture_matrix", "ldmatrix"),
    ROW(CACHE_CONTROL, "gmcapture_prefetch", "prefetch"),
    ROW(ASYNC_STORE, "gmcapture_async_store", "st.async"),
    ROW(ASYNC_REDUCTION, "gmcapture_async_reduce", "red.async"),
    ROW(CUDA_BARRIER, "gmcapture_mbarrier", "mbarrier"),
    ROW(BARRIER, "gmcapture_barrier", "barrier"),
    ROW(CLUSTER_BARRIER_ARRIVE, "gmcapture_cluster_arrive", "barrier.cluster.arrive"),
    ROW(CLUSTER_BARRIER_WAIT, "gmcapture_cluster_wait", "barrier.cluster.wait"),
    ROW(SYNCWARP, "gmcapture_syncwarp", "__syncwarp"),
    ROW(CALL, "gmcapture_call", "call"),
    ROW(BULK_COPY_GLOBAL_TO_SHARED, "gmcapture_bulk_load", "bulk copy"),
    ROW(BULK_COPY_SHARED_TO_GLOBAL, "gmcapture_bulk_store", "bulk copy"),
    ROW(BULK_COPY_SHARED_TO_SHARED, "gmcapture_bulk_shared", "bulk copy"),
    ROW(BULK_REDUCTION_SHARED_TO_GLOBAL, "gmcapture_bulk_reduce_global", "bulk reduction"),
    ROW(BULK_REDUCTION_SHARED_TO_SHARED, "gmcapture_bulk_reduce_shared", "bulk reduction"),
    ROW(WARPGROUP_MMA_ASYNC, "gmcapture_wgmma", "wgmma"),
    ROW(BLOCK_ENTER, "gmcapture_enter", "block entry"),
    ROW(BLOCK_EXIT, "gmcapture_exit", "block exit"),
};

const size_t gmc_patch_count = sizeof gmc_patch_table / sizeof *gmc_patch_table;

__asm__(".section .rodata\n"
        ".balign 64\n"
        ".globl gmc_patch_image\n"
        ".hidden gmc_patch_image\n"
        ".type gmc_patch_image, @object\n"
        "gmc_patch_image:\n"
        ".incbin \"" GMC_PATCH_FILE "\"\n"
        ".size gmc_patch_image, . - gmc_patch_image\n"
        ".previous\n");
