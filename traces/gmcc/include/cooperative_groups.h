/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups.h - thread_block, tiles of a warp, coalesced groups and their partitions,
 * thread_group, grid_group with sync(), reduce() and scans over groups of a warp.
 *
 * gmcuda/block_tiles.h has tiles larger than a warp. Left out: clusters, several grids at once.
 */
#ifndef GMCUDA_COOPERATIVE_GROUPS_H
#define GMCUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{
namespace __v1 /* NVIDIA's headers name it */
{
#define GMCUDA_METHOD __device__ __attribute__((always_inline, nodebug))

GMCUDA_DEVICE unsigned int __gmcuda_lane(void)
{
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* A value of any type from another lane, word by word; `shuffle` takes one word. */
template <typename T, typename Shuffle>
GMCUDA_METHOD T __gmcuda_exchange(const T &value, Shuffle shuffle)
{
    static_assert(__is_trivially_copyable(T), "only plain values go from thread to thread");
    unsigned int word[(sizeof(T) + 3) / 4] = {};
    T result;
    __builtin_memcpy(word, &value, sizeof(T));
#pragma unroll
    for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; i++)
        word[i] = shuffle(word[i]);
    __builtin_memcpy(&result, word, sizeof(T));
    return result;
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

static __device__ unsigned int __gmcuda_grid_arrived;

class grid_group
{
  public:
    /* Was it launched with cudaLaunchCooperativeKernel()? */
    static GMCUDA_METHOD bool is_valid()
    {
        unsigned int together;
        asm("mov.u32 %0, %%envreg2;" : "=r"(together));
        return together != 0;
    }
    typedef unsigned int arrival_token;
    /* One thread of each block counts it in; the top bit turns over when all are there. */
    static GMCUDA_METHOD arrival_token barrier_arrive()
    {
        unsigned int before = 0;
        if (!is_valid())
            __trap();
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            const unsigned int others = (unsigned int)num_blocks() - 1;
            __threadfence();
            before =
                atomicAdd(&__gmcuda_grid_arrived, block_rank() == 0 ? 0x80000000u - others : 1u);
        }
        return before;
    }
    static GMCUDA_METHOD void barrier_wait(arrival_token &&before)
    {
        if (thread_block::thread_rank() == 0) {
            unsigned int now;
            do
                asm volatile("ld.acquire.gpu.u32 %0, [%1];"
                             : "=r"(now)
                             : "l"(&__gmcuda_grid_arrived)
                             : "memory");
            while (((before ^ now) & 0x80000000u) == 0);
        }
        __syncthreads();
    }
    static GMCUDA_METHOD void sync() { barrier_wait(barrier_arrive()); }
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
template <unsigned int Size, typename Parent, bool Warps = (Size > 32)> class __gmcuda_tile
{
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile has 2^n threads");

  public:
    static GMCUDA_METHOD unsigned int thread_rank() { return __gmcuda_lane() & (Size - 1); }
    static constexpr GMCUDA_METHOD unsigned int num_threads() { return Size; }
    static constexpr GMCUDA_METHOD unsigned int size() { return Size; }
    static GMCUDA_METHOD unsigned int meta_group_rank() { return Parent::thread_rank() / Size; }
    static GMCUDA_METHOD unsigned int meta_group_size()
    {
        return (Parent::num_threads() + Size - 1) / Size;
    }
    static GMCUDA_METHOD unsigned int mask()
    {
        return Size == 32 ? ~0u : ((1u << (Size & 31)) - 1) << (__gmcuda_lane() & ~(Size - 1));
    }
    static GMCUDA_METHOD void sync() { __syncwarp(mask()); }
    template <typename T> static GMCUDA_METHOD T shfl(T value, int rank)
    {
        return __gmcuda_exchange(
            value, [=](unsigned int word) { return __shfl_sync(mask(), word, rank, Size); });
    }
    template <typename T> static GMCUDA_METHOD T shfl_up(T value, unsigned int n)
    {
        return __gmcuda_exchange(
            value, [=](unsigned int word) { return __shfl_up_sync(mask(), word, n, Size); });
    }
    template <typename T> static GMCUDA_METHOD T shfl_down(T value, unsigned int n)
    {
        return __gmcuda_exchange(
            value, [=](unsigned int word) { return __shfl_down_sync(mask(), word, n, Size); });
    }
    template <typename T> static GMCUDA_METHOD T shfl_xor(T value, unsigned int n)
    {
        return __gmcuda_exchange(
            value, [=](unsigned int word) { return __shfl_xor_sync(mask(), word, (int)n, Size); });
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
    template <typename T> static GMCUDA_METHOD unsigned int match_all(T value, int &all)
    {
        unsigned int lanes = __match_all_sync(mask(), value, &all);
        return Size == 32 ? lanes : lanes >> (__gmcuda_lane() & ~(Size - 1));
    }
    /* A butterfly of shuffles. (CUDA uses redux for 32-bit integers; a trace shows the difference.)
     */
    template <typename T, typename Op> static GMCUDA_METHOD T combine(T value, Op op)
    {
#pragma unroll
        for (unsigned int n = Size / 2; n > 0; n /= 2)
            value = op(value, shfl_xor(value, n));
        return value;
    }
};

#include "gmcuda/block_tiles.h"

template <unsigned int Size, typename Parent = thread_block>
class thread_block_tile : public __gmcuda_tile<Size, Parent>
{
  public:
    thread_block_tile() = default;
    template <typename Other> GMCUDA_METHOD thread_block_tile(thread_block_tile<Size, Other>) {}
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
    GMCUDA_METHOD unsigned int mask() const { return lanes; }
    static GMCUDA_METHOD unsigned int meta_group_rank() { return 0; }
    static GMCUDA_METHOD unsigned int meta_group_size() { return 1; }
    /* The lane of a rank; ranks that do not exist are one's own. */
    GMCUDA_METHOD int lane_of(unsigned int rank) const
    {
        return rank < num_threads() ? (int)__fns(lanes, 0, (int)rank + 1) : (int)__gmcuda_lane();
    }
    template <typename T> GMCUDA_METHOD T shfl(T value, unsigned int rank) const
    {
        const int lane = lane_of(rank);
        const unsigned int mask = lanes;
        return __gmcuda_exchange(value,
                                 [=](unsigned int word) { return __shfl_sync(mask, word, lane); });
    }
    template <typename T> GMCUDA_METHOD T shfl_up(T value, unsigned int n) const
    {
        return shfl(value, thread_rank() < n ? thread_rank() : thread_rank() - n);
    }
    template <typename T> GMCUDA_METHOD T shfl_down(T value, unsigned int n) const
    {
        return shfl(value, thread_rank() + n);
    }
    GMCUDA_METHOD int any(int predicate) const { return __any_sync(lanes, predicate); }
    GMCUDA_METHOD int all(int predicate) const { return __all_sync(lanes, predicate); }
    /* A bit a rank. */
    GMCUDA_METHOD unsigned int pack(unsigned int of_lanes) const
    {
        unsigned int packed = 0, rank = 0;
        for (unsigned int left = lanes; left; left &= left - 1)
            packed |= (of_lanes >> (__ffs((int)left) - 1) & 1) << rank++;
        return packed;
    }
    GMCUDA_METHOD unsigned int ballot(int predicate) const
    {
        return pack(__ballot_sync(lanes, predicate));
    }
    template <typename T> GMCUDA_METHOD unsigned int match_any(T value) const
    {
        return pack(__match_any_sync(lanes, value));
    }
};
GMCUDA_DEVICE __attribute__((convergent)) coalesced_group coalesced_threads(void)
{
    return coalesced_group(__activemask());
}

/* Groups of those who agree. */
template <typename Group>
GMCUDA_DEVICE __attribute__((convergent)) coalesced_group binary_partition(const Group &group,
                                                                           bool yes)
{
    const unsigned int lanes = __ballot_sync(group.mask(), yes);
    return coalesced_group(yes ? lanes : group.mask() & ~lanes);
}
template <typename Group, typename Label>
GMCUDA_DEVICE __attribute__((convergent)) coalesced_group labeled_partition(const Group &group,
                                                                            Label label)
{
    return coalesced_group(__match_any_sync(group.mask(), label));
}

/* Any group of the above, of which only the program knows which: lanes of a warp, or the block. */
class thread_group
{
    unsigned int lanes; /* 0: the block */

  public:
    GMCUDA_METHOD thread_group(const thread_block &) : lanes(0) {}
    GMCUDA_METHOD thread_group(const coalesced_group &group) : lanes(group.mask()) {}
    template <unsigned int Size, typename Parent>
    GMCUDA_METHOD thread_group(const thread_block_tile<Size, Parent> &tile) : lanes(tile.mask())
    {
    }
    GMCUDA_METHOD void sync() const
    {
        if (lanes == 0)
            __syncthreads();
        else
            __syncwarp(lanes);
    }
    GMCUDA_METHOD unsigned int num_threads() const
    {
        return lanes == 0 ? thread_block::num_threads() : (unsigned int)__popc((int)lanes);
    }
    GMCUDA_METHOD unsigned int size() const { return num_threads(); }
    GMCUDA_METHOD unsigned int thread_rank() const
    {
        return lanes == 0 ? thread_block::thread_rank() : coalesced_group(lanes).thread_rank();
    }
};

/* Neighbouring threads, by a size that is known at run time: up to a warp. */
template <typename Parent>
GMCUDA_DEVICE thread_group tiled_partition(const Parent &, unsigned int size)
{
    const unsigned int first = __gmcuda_lane() & ~(size - 1);
    const coalesced_group tile(size >= 32 ? __activemask() : ((1u << size) - 1) << first);
    return thread_group(tile);
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

template <unsigned int Size, typename Parent, typename T, typename Op>
GMCUDA_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T value, Op op)
{
    return tile.combine(value, op);
}
template <typename T, typename Op>
GMCUDA_DEVICE T reduce(const coalesced_group &group, T value, Op op)
{
    T sum = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < group.num_threads(); rank++)
        sum = op(sum, group.shfl(value, rank));
    return sum;
}

/* Scans: what the ranks below have, with and without one's own. The first of an exclusive scan has
 * the type's zero. */
template <typename Group, typename T, typename Op>
GMCUDA_DEVICE T inclusive_scan(const Group &group, T value, Op op)
{
    for (unsigned int n = 1; n < group.num_threads(); n *= 2) {
        const T below = group.shfl_up(value, n);
        if (group.thread_rank() >= n)
            value = op(below, value);
    }
    return value;
}
template <typename Group, typename T> GMCUDA_DEVICE T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Op>
GMCUDA_DEVICE T exclusive_scan(const Group &group, T value, Op op)
{
    const T below = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : below;
}
template <typename Group, typename T> GMCUDA_DEVICE T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

/* By one thread of the group. */
template <typename Group, typename Function, typename... Arguments>
GMCUDA_DEVICE void invoke_one(const Group &group, Function &&function, Arguments &&...arguments)
{
    if (group.thread_rank() == 0)
        function(static_cast<Arguments &&>(arguments)...);
}
template <typename Group, typename Function, typename... Arguments>
GMCUDA_DEVICE auto invoke_one_broadcast(const Group &group, Function &&function,
                                        Arguments &&...arguments)
    -> decltype(function(static_cast<Arguments &&>(arguments)...))
{
    decltype(function(static_cast<Arguments &&>(arguments)...)) result;
    if (group.thread_rank() == 0)
        result = function(static_cast<Arguments &&>(arguments)...);
    return group.shfl(result, 0);
}
#undef GMCUDA_METHOD
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
