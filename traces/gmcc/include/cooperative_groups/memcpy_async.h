/* SPDX-License-Identifier: MIT
 *
 * cooperative_groups/memcpy_async.h - copies from global to shared memory that a group does
 * together: words of 16 bytes where both addresses and the length allow it, else of 8 or 4, thread
 * by thread in turn; single bytes where they do not, at once. Left out: sizes with a promised
 * alignment.
 */
#ifndef GMCUDA_MEMCPY_ASYNC_H
#define GMCUDA_MEMCPY_ASYNC_H

#include "cooperative_groups.h"
#include "cuda_pipeline_primitives.h"

namespace cooperative_groups
{
namespace __v1
{
template <size_t Word, typename Group>
GMCUDA_DEVICE void __gmcuda_copy_words(const Group &group, char *to, const char *from, size_t bytes)
{
    for (size_t i = group.thread_rank() * Word; i < bytes; i += group.size() * Word)
        __pipeline_memcpy_async(to + i, from + i, Word);
}

template <typename Group, typename To, typename From>
GMCUDA_DEVICE void memcpy_async(const Group &group, To *to, const From *from, size_t bytes)
{
    char *t = (char *)to;
    const char *f = (const char *)from;
    const size_t odd = ((size_t)t | (size_t)f | bytes) & 15;
    if (!__isShared(t) || !__isGlobal(f) || odd & 3)
        for (size_t i = group.thread_rank(); i < bytes; i += group.size())
            t[i] = f[i];
    else if (odd == 0)
        __gmcuda_copy_words<16>(group, t, f, bytes);
    else if (odd == 8)
        __gmcuda_copy_words<8>(group, t, f, bytes);
    else
        __gmcuda_copy_words<4>(group, t, f, bytes);
    __pipeline_commit();
}
/* As many elements as both sides have. */
template <typename Group, typename T>
GMCUDA_DEVICE void memcpy_async(const Group &group, T *to, size_t to_count, const T *from,
                                size_t from_count)
{
    memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

template <unsigned int Pending, typename Group> GMCUDA_DEVICE void wait_prior(const Group &group)
{
    if (Pending == 0)
        asm volatile("cp.async.wait_all;" ::: "memory");
    else
        __pipeline_wait_prior(Pending);
    group.sync();
}
template <typename Group> GMCUDA_DEVICE void wait(const Group &group)
{
    wait_prior<0>(group);
}
} // namespace __v1
} // namespace cooperative_groups

#endif
