/* SPDX-License-Identifier: MIT
 *
 * mma.h - nvcuda::wmma: matrices that a warp holds together, and their products on tensor cores.
 * Half, bfloat16, tf32, double, 8-bit and 4-bit integers and bits, in the shapes that CUDA names.
 * Which lane holds which element of a fragment is CUDA's own secret; that sums of one shape have
 * their elements at the same places whatever the type holds here, too.
 */
#ifndef GMCUDA_MMA_H
#define GMCUDA_MMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace nvcuda
{
namespace wmma
{

enum layout_t { mem_row_major, mem_col_major };
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision
{
struct tf32;
}
namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* What an element is in a program, and what is kept; elements of a matrix of `size` a lane has. */
template <typename T> struct __gmcuda_element {
    typedef T type, stored;
    static constexpr int held(int size) { return size / 32; }
};
template <> struct __gmcuda_element<__half> {
    typedef __half type, stored;
    static constexpr int held(int) { return 16; }
};
template <> struct __gmcuda_element<precision::tf32> {
    typedef float type, stored;
    static constexpr int held(int size) { return size / 32; }
};
#define GMCUDA_SMALL(NAME, TYPE, BITS)                                                             \
    template <> struct __gmcuda_element<experimental::precision::NAME> {                           \
        typedef experimental::precision::NAME type;                                                \
        typedef TYPE stored;                                                                       \
        static constexpr int held(int size) { return size / 32 * BITS / 32; }                      \
    };
GMCUDA_SMALL(u4, unsigned, 4)
GMCUDA_SMALL(s4, int, 4)
GMCUDA_SMALL(b1, unsigned, 1)
#undef GMCUDA_SMALL

template <typename T, int count> struct __gmcuda_fragment {
    typedef typename __gmcuda_element<T>::type element_type;
    typedef typename __gmcuda_element<T>::stored storage_element_type;
    enum { num_elements = count, num_storage_elements = count };
    __attribute__((aligned(
        sizeof(storage_element_type) * count < 16 ? sizeof(storage_element_type) * count : 16)))
    storage_element_type x[count];
};
template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;
template <int m, int n, int k, typename T, typename Layout>
class fragment<matrix_a, m, n, k, T, Layout>
    : public __gmcuda_fragment<T, __gmcuda_element<T>::held(m *k)>
{
};
template <int m, int n, int k, typename T, typename Layout>
class fragment<matrix_b, m, n, k, T, Layout>
    : public __gmcuda_fragment<T, __gmcuda_element<T>::held(k *n)>
{
};
template <int m, int n, int k, typename T>
class fragment<accumulator, m, n, k, T, void> : public __gmcuda_fragment<T, m * n / 32>
{
};

#define GMCUDA_WMMA __device__ inline __attribute__((always_inline, nodebug)) void

template <typename T, int count>
GMCUDA_WMMA fill_fragment(__gmcuda_fragment<T, count> &f,
                          const typename __gmcuda_element<T>::stored &value)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        f.x[i] = value;
}

__device__ inline __attribute__((always_inline, nodebug)) float __float_to_tf32(float value)
{
    int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __int_as_float(bits);
}

/* As the compiler's functions take them. */
template <typename To, typename T, int count>
__device__ inline __attribute__((always_inline, nodebug)) To *
__gmcuda_words(const __gmcuda_fragment<T, count> &f)
{
    return (To *)f.x;
}

/* WORD: what the compiler takes a fragment and its memory for. */
#define GMCUDA_LOAD_AS(USE, M, N, K, T, LAYOUT, WORD, LOAD, BY_COLUMN)                             \
    GMCUDA_WMMA load_matrix_sync(fragment<USE, M, N, K, T, LAYOUT> &f, const void *p,              \
                                 unsigned stride)                                                  \
    {                                                                                              \
        LOAD(__gmcuda_words<WORD>(f), (const WORD *)p, stride, BY_COLUMN);                         \
    }
#define GMCUDA_LOAD(USE, M, N, K, T, WORD, LOAD)                                                   \
    GMCUDA_LOAD_AS(USE, M, N, K, T, row_major, WORD, LOAD, 0)                                      \
    GMCUDA_LOAD_AS(USE, M, N, K, T, col_major, WORD, LOAD, 1)
#define GMCUDA_SUMS(M, N, K, T, WORD, LOAD, STORE)                                                 \
    GMCUDA_WMMA load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p,                 \
                                 unsigned stride, layout_t layout)                                 \
    {                                                                                              \
        if (layout == mem_row_major)                                                               \
            LOAD(__gmcuda_words<WORD>(f), (const WORD *)p, stride, 0);                             \
        else                                                                                       \
            LOAD(__gmcuda_words<WORD>(f), (const WORD *)p, stride, 1);                             \
    }                                                                                              \
    GMCUDA_WMMA store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f,                \
                                  unsigned stride, layout_t layout)                                \
    {                                                                                              \
        if (layout == mem_row_major)                                                               \
            STORE((WORD *)p, __gmcuda_words<WORD>(f), stride, 0);                                  \
        else                                                                                       \
            STORE((WORD *)p, __gmcuda_words<WORD>(f), stride, 1);                                  \
    }
#define GMCUDA_MMA_AS(M, N, K, T, A, B, D, C, WORD, DWORD, CWORD, MMA, LAYOUTS)                    \
    GMCUDA_WMMA mma_sync(                                                                          \
        fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a,          \
        const fragment<matrix_b, M, N, K, T, B> &b, const fragment<accumulator, M, N, K, C> &c)    \
    {                                                                                              \
        MMA(__gmcuda_words<DWORD>(d), __gmcuda_words<WORD>(a), __gmcuda_words<WORD>(b),            \
            __gmcuda_words<CWORD>(c), LAYOUTS, 0);                                                 \
    }
#define GMCUDA_MMA(M, N, K, T, D, C, WORD, DWORD, CWORD, MMA)                                      \
    GMCUDA_MMA_AS(M, N, K, T, row_major, row_major, D, C, WORD, DWORD, CWORD, MMA, 0)              \
    GMCUDA_MMA_AS(M, N, K, T, row_major, col_major, D, C, WORD, DWORD, CWORD, MMA, 1)              \
    GMCUDA_MMA_AS(M, N, K, T, col_major, row_major, D, C, WORD, DWORD, CWORD, MMA, 2)              \
    GMCUDA_MMA_AS(M, N, K, T, col_major, col_major, D, C, WORD, DWORD, CWORD, MMA, 3)

/* Halves, bfloat16 and bytes have three shapes. */
#define GMCUDA_BYTES(M, N, K, SHAPE, T, NAME)                                                      \
    GMCUDA_LOAD(matrix_a, M, N, K, T, int, __imma_##SHAPE##_ld_a_##NAME)                           \
    GMCUDA_LOAD(matrix_b, M, N, K, T, int, __imma_##SHAPE##_ld_b_##NAME)                           \
    GMCUDA_MMA(M, N, K, T, int, int, int, int, int, __imma_##SHAPE##_mma_##NAME)
#define GMCUDA_SHAPE(M, N, K, SHAPE)                                                               \
    GMCUDA_LOAD(matrix_a, M, N, K, __half, int, __hmma_##SHAPE##_ld_a)                             \
    GMCUDA_LOAD(matrix_b, M, N, K, __half, int, __hmma_##SHAPE##_ld_b)                             \
    GMCUDA_SUMS(M, N, K, float, float, __hmma_##SHAPE##_ld_c_f32, __hmma_##SHAPE##_st_c_f32)       \
    GMCUDA_SUMS(M, N, K, __half, int, __hmma_##SHAPE##_ld_c_f16, __hmma_##SHAPE##_st_c_f16)        \
    GMCUDA_MMA(M, N, K, __half, float, float, int, float, float, __hmma_##SHAPE##_mma_f32f32)      \
    GMCUDA_MMA(M, N, K, __half, __half, __half, int, int, int, __hmma_##SHAPE##_mma_f16f16)        \
    GMCUDA_MMA(M, N, K, __half, float, __half, int, float, int, __hmma_##SHAPE##_mma_f32f16)       \
    GMCUDA_MMA(M, N, K, __half, __half, float, int, int, float, __hmma_##SHAPE##_mma_f16f32)       \
    GMCUDA_LOAD(matrix_a, M, N, K, __nv_bfloat16, int, __mma_bf16_##SHAPE##_ld_a)                  \
    GMCUDA_LOAD(matrix_b, M, N, K, __nv_bfloat16, int, __mma_bf16_##SHAPE##_ld_b)                  \
    GMCUDA_MMA(M, N, K, __nv_bfloat16, float, float, int, float, float,                            \
               __mma_bf16_##SHAPE##_mma_f32)                                                       \
    GMCUDA_BYTES(M, N, K, SHAPE, signed char, s8)                                                  \
    GMCUDA_BYTES(M, N, K, SHAPE, unsigned char, u8)                                                \
    GMCUDA_SUMS(M, N, K, int, int, __imma_##SHAPE##_ld_c, __imma_##SHAPE##_st_c_i32)
GMCUDA_SHAPE(16, 16, 16, m16n16k16)
GMCUDA_SHAPE(32, 8, 16, m32n8k16)
GMCUDA_SHAPE(8, 32, 16, m8n32k16)

GMCUDA_LOAD(matrix_a, 16, 16, 8, precision::tf32, int, __mma_tf32_m16n16k8_ld_a)
GMCUDA_LOAD(matrix_b, 16, 16, 8, precision::tf32, int, __mma_tf32_m16n16k8_ld_b)
GMCUDA_SUMS(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
GMCUDA_MMA(16, 16, 8, precision::tf32, float, float, int, float, float, __mma_tf32_m16n16k8_mma_f32)

GMCUDA_LOAD(matrix_a, 8, 8, 4, double, double, __dmma_m8n8k4_ld_a)
GMCUDA_LOAD(matrix_b, 8, 8, 4, double, double, __dmma_m8n8k4_ld_b)
GMCUDA_SUMS(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
GMCUDA_MMA(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)

/* Smaller than a byte: a in rows, b in columns, and nothing else. */
#define GMCUDA_NIBBLES(T, NAME)                                                                    \
    GMCUDA_LOAD_AS(matrix_a, 8, 8, 32, experimental::precision::T, row_major, int,                 \
                   __imma_m8n8k32_ld_a_##NAME, 0)                                                  \
    GMCUDA_LOAD_AS(matrix_b, 8, 8, 32, experimental::precision::T, col_major, int,                 \
                   __imma_m8n8k32_ld_b_##NAME, 1)                                                  \
    GMCUDA_MMA_AS(8, 8, 32, experimental::precision::T, row_major, col_major, int, int, int, int,  \
                  int, __imma_m8n8k32_mma_##NAME, 1)
GMCUDA_NIBBLES(s4, s4)
GMCUDA_NIBBLES(u4, u4)
GMCUDA_SUMS(8, 8, 32, int, int, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
GMCUDA_LOAD_AS(matrix_a, 8, 8, 128, experimental::precision::b1, row_major, int,
               __bmma_m8n8k128_ld_a_b1, 0)
GMCUDA_LOAD_AS(matrix_b, 8, 8, 128, experimental::precision::b1, col_major, int,
               __bmma_m8n8k128_ld_b_b1, 1)
GMCUDA_SUMS(8, 8, 128, int, int, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
GMCUDA_WMMA
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    if (op == experimental::bmmaBitOpXOR)
        __bmma_m8n8k128_mma_xor_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
    else
        __bmma_m8n8k128_mma_and_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
}

#undef GMCUDA_LOAD_AS
#undef GMCUDA_LOAD
#undef GMCUDA_SUMS
#undef GMCUDA_MMA_AS
#undef GMCUDA_MMA
#undef GMCUDA_BYTES
#undef GMCUDA_SHAPE
#undef GMCUDA_NIBBLES
#undef GMCUDA_WMMA

} // namespace wmma
} // namespace nvcuda

#endif
