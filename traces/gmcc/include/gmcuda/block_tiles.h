/* SPDX-License-Identifier: MIT
 *
 * gmcuda/block_tiles.h - tiles of 64 to 1,024 threads: several warps of a block. They meet at one
 * of the block's barriers, from the 15th down, and pass values through shared memory of their own,
 * so that the memory which a program sets aside for them is not used. Left out: scans over them.
 *
 * A part of cooperative_groups.h, within its namespace.
 */

template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    unsigned char unused[MaxBlockSize / 32];
};
template <unsigned int MaxBlockSize>
GMCUDA_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

/* A value for each warp of the block. */
template <typename T> GMCUDA_METHOD T *__gmcuda_room()
{
    static_assert(__is_trivially_copyable(T), "only plain values go from thread to thread");
    static __shared__ __attribute__((aligned(16))) unsigned char room[32 * sizeof(T)];
    return (T *)room;
}

template <unsigned int Size, typename Parent> class __gmcuda_tile<Size, Parent, true>
{
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile has 2^n threads, to 1,024");
    typedef __gmcuda_tile<32, Parent> warp;

    static GMCUDA_METHOD unsigned int number() { return thread_block::thread_rank() / Size; }
    static GMCUDA_METHOD unsigned int first_warp() { return number() * (Size / 32); }

  public:
    static GMCUDA_METHOD unsigned int thread_rank() { return thread_block::thread_rank() % Size; }
    static constexpr GMCUDA_METHOD unsigned int num_threads() { return Size; }
    static constexpr GMCUDA_METHOD unsigned int size() { return Size; }
    static GMCUDA_METHOD unsigned int meta_group_rank() { return Parent::thread_rank() / Size; }
    static GMCUDA_METHOD unsigned int meta_group_size()
    {
        return (Parent::num_threads() + Size - 1) / Size;
    }
    static GMCUDA_METHOD void sync()
    {
        asm volatile("barrier.sync %0, %1;" ::"r"(15 - number()), "r"(Size) : "memory");
    }
    template <typename T> static GMCUDA_METHOD T shfl(T value, unsigned int rank)
    {
        T *room = __gmcuda_room<T>() + first_warp();
        if (thread_rank() == rank)
            *room = value;
        sync();
        value = *room;
        sync();
        return value;
    }
    /* op over the tile: of each warp by shuffles, then of the warps' results. */
    template <typename T, typename Op> static GMCUDA_METHOD T combine(T value, Op op)
    {
        T *room = __gmcuda_room<T>() + first_warp();
        value = warp::combine(value, op);
        if (__gmcuda_lane() == 0)
            room[thread_rank() / 32] = value;
        sync();
        value = room[0];
        for (unsigned int i = 1; i < Size / 32; i++)
            value = op(value, room[i]);
        sync();
        return value;
    }
    static GMCUDA_METHOD int any(int predicate)
    {
        return combine(predicate != 0, [](int a, int b) { return a | b; });
    }
    static GMCUDA_METHOD int all(int predicate)
    {
        return combine(predicate != 0, [](int a, int b) { return a & b; });
    }
};
