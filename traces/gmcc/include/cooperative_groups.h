/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups.h - thread_block, tiles of a warp, coalesced groups, this_grid()'s ranks, and
 * reduce() over tiles.
 *
 * Left out: grid.sync() and clusters (a launch here runs CTA by CTA), memcpy_async, scans.
 */
#ifndef GMCUDA_COOPERATIVE_GROUPS_H
#define GMCUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{
#define GMCUDA_METHOD __device__ __attribute__((always_inline, nodebug))

GMCUDA_DEVICE unsigned int __gmcuda_lane(void)
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

class thread_block
{
  public:
    static GMCUDA_METHOD void sync() { __syncthreads(); }
    static GMCUDA_METHOD unsigned int thread_rank()
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    static GMCUDA_METHOD unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static GMCUDA_METHOD unsigned int size() { return num_threads(); }
    static GMCUDA_METHOD dim3 group_index() { return blockIdx; }
    static GMCUDA_METHOD dim3 thread_index() { return threadIdx; }
    static GMCUDA_METHOD dim3 group_dim() { return blockDim; }
    static GMCUDA_METHOD dim3 dim_threads() { return blockDim; }
};
GMCUDA_DEVICE thread_block this_thread_block(void)
{
    return thread_block();
}

class grid_group
{
  public:
    static GMCUDA_METHOD bool is_valid() { return false; } /* cannot sync() */
    static GMCUDA_METHOD unsigned long long block_rank()
    {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    }
    static GMCUDA_METHOD unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static GMCUDA_METHOD unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    static GMCUDA_METHOD unsigned long long num_threads()
    {
        return num_blocks() * thread_block::num_threads();
    }
    static GMCUDA_METHOD unsigned long long size() { return num_threads(); }
    static GMCUDA_METHOD dim3 group_dim() { return gridDim; }
    static GMCUDA_METHOD dim3 dim_blocks() { return gridDim; }
};
GMCUDA_DEVICE grid_group this_grid(void)
{
    return grid_group();
}

/* What the program asks of a group of `Size` neighbouring lanes; 0: known at run time. */
template <unsigned int Size, typename Parent = thread_block> class thread_block_tile
{
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    static GMCUDA_METHOD unsigned int thread_rank() { return __gmcuda_lane() & (Size - 1); }
    static constexpr GMCUDA_METHOD unsigned int num_threads() { return Size; }
    static constexpr GMCUDA_METHOD unsigned int size() { return Size; }
    static GMCUDA_METHOD unsigned int meta_group_rank()
    {
        return thread_block::thread_rank() / Size;
    }
    static GMCUDA_METHOD unsigned int meta_group_size()
    {
        return (thread_block::num_threads() + Size - 1) / Size;
    }
    static GMCUDA_METHOD unsigned int mask()
    {
        return Size == 32 ? ~0u : ((1u << (Size & 31)) - 1) << (__gmcuda_lane() & ~(Size - 1));
    }
    static GMCUDA_METHOD void sync() { __syncwarp(mask()); }
    template <typename T> static GMCUDA_METHOD T shfl(T value, int rank)
    {
        return __shfl_sync(mask(), value, rank, Size);
    }
    template <typename T> static GMCUDA_METHOD T shfl_up(T value, unsigned int n)
    {
        return __shfl_up_sync(mask(), value, n, Size);
    }
    template <typename T> static GMCUDA_METHOD T shfl_down(T value, unsigned int n)
    {
        return __shfl_down_sync(mask(), value, n, Size);
    }
    template <typename T> static GMCUDA_METHOD T shfl_xor(T value, unsigned int n)
    {
        return __shfl_xor_sync(mask(), value, (int)n, Size);
    }
    static GMCUDA_METHOD int any(int predicate) { return __any_sync(mask(), predicate); }
    static GMCUDA_METHOD int all(int predicate) { return __all_sync(mask(), predicate); }
    static GMCUDA_METHOD unsigned int ballot(int predicate)
    {
        unsigned int lanes = __ballot_sync(mask(), predicate);
        return Size == 32 ? lanes
                          : lanes >> (__gmcuda_lane() & ~(Size - 1)) & ((1u << (Size & 31)) - 1);
    }
    template <typename T> static GMCUDA_METHOD unsigned int match_any(T value)
    {
        unsigned int lanes = __match_any_sync(mask(), value);
        return Size == 32 ? lanes : lanes >> (__gmcuda_lane() & ~(Size - 1));
    }
};

template <unsigned int Size, typename Parent>
GMCUDA_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

/* The lanes that are active where it is made. */
class coalesced_group
{
    unsigned int lanes;

  public:
    GMCUDA_METHOD coalesced_group(unsigned int active) : lanes(active) {}
    GMCUDA_METHOD unsigned int num_threads() const { return (unsigned int)__popc(lanes); }
    GMCUDA_METHOD unsigned int size() const { return num_threads(); }
    GMCUDA_METHOD unsigned int thread_rank() const
    {
        unsigned int below;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
        return (unsigned int)__popc(lanes & below);
    }
    GMCUDA_METHOD void sync() const { __syncwarp(lanes); }
    template <typename T> GMCUDA_METHOD T shfl(T value, unsigned int rank) const
    {
        return __shfl_sync(lanes, value, (int)__fns(lanes, 0, (int)rank + 1));
    }
    GMCUDA_METHOD int any(int predicate) const { return __any_sync(lanes, predicate); }
    GMCUDA_METHOD int all(int predicate) const { return __all_sync(lanes, predicate); }
};
GMCUDA_DEVICE __attribute__((convergent)) coalesced_group coalesced_threads(void)
{
    return coalesced_group(__activemask());
}

template <typename Group> GMCUDA_DEVICE void sync(const Group &group)
{
    group.sync();
}

template <typename T> struct plus {
    GMCUDA_METHOD T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    GMCUDA_METHOD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    GMCUDA_METHOD T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T> struct bit_and {
    GMCUDA_METHOD T operator()(T a, T b) const { return a & b; }
};
template <typename T> struct bit_or {
    GMCUDA_METHOD T operator()(T a, T b) const { return a | b; }
};
template <typename T> struct bit_xor {
    GMCUDA_METHOD T operator()(T a, T b) const { return a ^ b; }
};

/* A butterfly of shuffles. (CUDA uses redux for 32-bit integers; a trace shows the difference.) */
template <unsigned int Size, typename Parent, typename T, typename Op>
GMCUDA_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T value, Op op)
{
#pragma unroll
    for (unsigned int n = Size / 2; n > 0; n /= 2)
        value = op(value, tile.shfl_xor(value, n));
    return value;
}
#undef GMCUDA_METHOD
} // namespace cooperative_groups

#endif
