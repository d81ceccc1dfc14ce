/* SPDX-License-Identifier: MIT
 *
 * groups.cu - cooperative groups against what a loop on the host finds: partitions, groups of no
 * known kind, shuffles and reductions of structures, scans. And cuComplex.h, the driver's
 * questions, pitched memory, and names of older toolkits.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <memory>

namespace cg = cooperative_groups;

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

struct pair {
    double sum;
    int count;
    __host__ __device__ pair(double s = 0, int n = 0) : sum(s), count(n) {}
};
struct add_pairs {
    __device__ pair operator()(const pair &a, const pair &b) const
    {
        return pair(a.sum + b.sum, a.count + b.count);
    }
};
__device__ int sum_of(cg::thread_group group, int *scratch, int value)
{
    for (int n = group.size() / 2; n > 0; n /= 2) {
        scratch[group.thread_rank()] = value;
        group.sync();
        if (group.thread_rank() < n)
            value += scratch[group.thread_rank() + n];
        group.sync();
    }
    return value;
}

__global__ void root_bfloats(__nv_bfloat16 *to, __half *other)
{
    const int n = threadIdx.x;
    to[n] = __shfl_xor_sync(~0u, hsqrt(__nv_bfloat16(n * n)), 1);
    other[n] = __shfl_xor_sync(~0u, hsqrt(__half(n * n)), 1);
}
__global__ void add_bfloats(__nv_bfloat16 *to)
{
    atomicAdd(to, __nv_bfloat16(1));
    atomicAdd((__nv_bfloat162 *)(to + 2), __floats2bfloat162_rn(1, -2));
}

/* Copies of every length and alignment below 80 bytes; what lies beside them stays. */
__global__ void copies(const char *from, int *wrong)
{
    __shared__ __align__(16) char to[96];
    cg::thread_block block = cg::this_thread_block();
    for (int at = 0; at < 16; at += 1 + at % 4)
        for (int bytes = 0; bytes < 80; bytes++) {
            for (int i = threadIdx.x; i < 96; i += blockDim.x)
                to[i] = 0x7f;
            block.sync();
            cg::memcpy_async(block, to + at, from + at, bytes);
            cg::wait(block);
            for (int i = threadIdx.x; i < 96; i += blockDim.x)
                if (to[i] != (i >= at && i < at + bytes ? from[i] : 0x7f))
                    atomicAdd(wrong, 1);
            block.sync();
        }
    __shared__ int first[32], second[32];
    cg::memcpy_async(block, first, 32, (const int *)from, 20);
    cg::memcpy_async(block, second, (const int *)from, 16);
    cg::wait_prior<1>(block);
    if (threadIdx.x < 20 && first[threadIdx.x] != ((const int *)from)[threadIdx.x])
        atomicAdd(wrong, 1);
    cg::wait(block);
    if (threadIdx.x < 4 && second[threadIdx.x] != ((const int *)from)[threadIdx.x])
        atomicAdd(wrong, 1);
}

__global__ void groups(int *out, double *sums)
{
    __shared__ int scratch[64];
    const int t = threadIdx.x;
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<8>(warp);
    int *o = out + 12 * t;
    o[0] = sum_of(block, scratch, t);
    o[1] = sum_of(cg::tiled_partition(block, 16), scratch + t / 16 * 16, t);
    auto odd = cg::binary_partition(warp, t % 3 == 0);
    o[2] = cg::reduce(odd, t, cg::plus<int>());
    o[3] = odd.thread_rank() * 100 + odd.size();
    auto same = cg::labeled_partition(warp, t % 5);
    o[4] = same.size();
    o[5] = cg::inclusive_scan(quad, t);
    o[6] = cg::exclusive_scan(warp, t % 7, cg::plus<int>());
    o[7] = cg::exclusive_scan(same, t, cg::plus<int>());
    const pair p = cg::reduce(warp, pair(t * 0.5, 1), add_pairs());
    sums[t] = p.sum;
    o[8] = p.count;
    o[9] = odd.shfl_down(t, 1);
    o[10] = __popc(odd.ballot(t % 2));
    o[11] = quad.shfl(pair(t, t + 1), 3).count;
}

__global__ void multiply(cuFloatComplex *z, cuDoubleComplex *w)
{
    z[0] = cuCdivf(cuCmulf(z[0], z[1]), z[1]);
    w[0] = cuCfma(w[0], cuConj(w[1]), w[1]);
}
__global__ void older(unsigned int *out)
{
    out[threadIdx.x] = __vadd4(0x01ff7f80u, threadIdx.x * 0x01010101u);
}

/* C = 2 A B' + 3 C against loops, of two pairs of matrices. */
template <typename T> static bool products(cublasStatus_t multiply(cublasHandle_t, T *, T *, T *))
{
    const int m = 5, n = 4, k = 3;
    T *a, *b, *c, was[2 * m * n];
    cublasHandle_t handle;
    bool good = cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS;
    cudaMallocManaged(&a, 2 * m * k * sizeof(T));
    cudaMallocManaged(&b, 2 * n * k * sizeof(T));
    cudaMallocManaged(&c, 2 * m * n * sizeof(T));
    for (int i = 0; i < 2 * m * k; i++)
        a[i] = (T)(float)(i % 7 - 3);
    for (int i = 0; i < 2 * n * k; i++)
        b[i] = (T)(float)(i % 5 - 2);
    for (int i = 0; i < 2 * m * n; i++)
        was[i] = c[i] = (T)(float)(i % 3);
    good &= multiply(handle, a, b, c) == CUBLAS_STATUS_SUCCESS;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int l = 0; l < k; l++)
                    sum += (float)a[p * m * k + i + l * m] * (float)b[p * n * k + j + l * n];
                good &= (float)c[p * m * n + i + j * m] ==
                        2 * sum + 3 * (float)was[p * m * n + i + j * m];
            }
    return good && cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS;
}
static cublasStatus_t singles(cublasHandle_t handle, float *a, float *b, float *c)
{
    const float alpha = 2, beta = 3;
    return cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 5, 4, 3, &alpha, a, 5, 15, b,
                                     4, 12, &beta, c, 5, 20, 2);
}
static cublasStatus_t bfloats(cublasHandle_t handle, __nv_bfloat16 *a, __nv_bfloat16 *b,
                              __nv_bfloat16 *c)
{
    const float alpha = 2, beta = 3;
    return cublasGemmStridedBatchedEx(
        handle, CUBLAS_OP_N, CUBLAS_OP_T, 5, 4, 3, &alpha, a, CUDA_R_16BF, 5, 15, b, CUDA_R_16BF, 4,
        12, &beta, c, CUDA_R_16BF, 5, 20, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

int main()
{
    const int n = 64;
    int *out;
    double *sums;
    cudaMallocManaged(&out, 12 * n * sizeof *out);
    cudaMallocManaged(&sums, n * sizeof *sums);
    groups<<<1, n>>>(out, sums);
    ok(cudaThreadSynchronize() == cudaSuccess, "the kernel runs");
    bool good[12];
    for (int i = 0; i < 12; i++)
        good[i] = true;
    for (int t = 0; t < n; t++) {
        const int *o = out + 12 * t, warp = t / 32 * 32;
        int all = 0, tile = 0, members = 0, rank = 0, labels = 0, below = 0, quad = 0,
            label_below = 0, next = -1, odds = 0;
        double halves = 0;
        for (int i = 0; i < n; i++)
            all += i;
        for (int i = t / 16 * 16; i < t / 16 * 16 + 16; i++)
            tile += i;
        int total = 0;
        for (int i = warp; i < warp + 32; i++) {
            const bool with = (i % 3 == 0) == (t % 3 == 0);
            total += with ? i : 0;
            members += with;
            rank += with && i < t;
            odds += with && i % 2;
            if (with && i > t && next < 0)
                next = i;
            labels += i % 5 == t % 5;
            label_below += i % 5 == t % 5 && i < t ? i : 0;
            below += i < t ? i % 7 : 0;
            halves += i * 0.5;
        }
        for (int i = t / 8 * 8; i <= t; i++)
            quad += i;
        good[0] &= t != 0 || o[0] == all;
        good[1] &= t % 16 != 0 || o[1] == tile;
        good[2] &= o[2] == total;
        good[3] &= o[3] == rank * 100 + members;
        good[4] &= o[4] == labels;
        good[5] &= o[5] == quad;
        good[6] &= o[6] == below;
        good[7] &= o[7] == label_below;
        good[8] &= o[8] == 32 && sums[t] == halves;
        good[9] &= o[9] == (next < 0 ? t : next);
        good[10] &= o[10] == odds;
        good[11] &= o[11] == t / 8 * 8 + 3 + 1;
    }
    static const char *const names[12] = {
        "thread_group of a block", "thread_group of a tile",
        "reduce over a partition", "ranks in a partition",
        "labeled_partition",       "inclusive_scan of a tile",
        "exclusive_scan",          "exclusive_scan of a partition",
        "reduce of a structure",   "shfl_down in a partition",
        "ballot in a partition",   "shfl of a structure"};
    for (int i = 0; i < 12; i++)
        ok(good[i], names[i]);

    char *bytes;
    int *wrong;
    cudaMallocManaged(&bytes, 96);
    cudaMallocManaged(&wrong, sizeof *wrong);
    for (int i = 0; i < 96; i++)
        bytes[i] = (char)(i * 3);
    *wrong = 0;
    copies<<<1, 48>>>(bytes, wrong);
    ok(cudaDeviceSynchronize() == cudaSuccess && *wrong == 0, "a group's copies to shared memory");

    cuFloatComplex *z;
    cuDoubleComplex *w;
    cudaMallocManaged(&z, 2 * sizeof *z);
    cudaMallocManaged(&w, 2 * sizeof *w);
    z[0] = make_cuComplex(3, -4);
    z[1] = make_cuFloatComplex(0.5f, 2);
    w[0] = make_cuDoubleComplex(1, 2);
    w[1] = make_cuDoubleComplex(3, -1);
    multiply<<<1, 1>>>(z, w);
    cudaDeviceSynchronize();
    ok(fabsf(cuCrealf(z[0]) - 3) < 1e-5f && fabsf(cuCimagf(z[0]) + 4) < 1e-5f &&
           cuCabsf(make_cuComplex(3, 4)) == 5,
       "complex numbers in single precision");
    ok(cuCreal(w[0]) == 3 - 2 + 3 && cuCimag(w[0]) == 1 + 6 - 1, "and in double precision");

    CUdevice device;
    int value = 0;
    char name[64];
    ok(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
           cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ==
               CUDA_SUCCESS &&
           value == 9 && cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS &&
           strstr(name, "H200") != nullptr && cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE,
       "the driver answers about its device");

    cudaPitchedPtr cube;
    char host[4 * 3 * 5], back[4 * 3 * 5] = {0};
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (char)i;
    const cudaExtent extent = make_cudaExtent(5, 3, 4);
    cudaMalloc3D(&cube, extent);
    cudaMemcpy3DParms to = {}, from = {};
    to.srcPtr = make_cudaPitchedPtr(host, 5, 5, 3);
    to.dstPtr = cube;
    to.extent = from.extent = extent;
    to.kind = cudaMemcpyHostToDevice;
    from.srcPtr = cube;
    from.dstPtr = make_cudaPitchedPtr(back, 5, 5, 3);
    from.kind = cudaMemcpyDeviceToHost;
    ok(cudaMemcpy3D(&to) == cudaSuccess && cudaMemcpy3D(&from) == cudaSuccess &&
           memcmp(host, back, sizeof host) == 0,
       "three dimensions there and back");

    unsigned int *sum;
    cudaMallocManaged(&sum, 32 * sizeof *sum);
    older<<<1, 32>>>(sum);
    cudaDeviceSynchronize();
    ok(sum[0] == 0x01ff7f80u && sum[1] == 0x02008081u, "__vadd4 wraps byte by byte");
    ok(*std::make_shared<int>(7) == 7, "libstdc++'s headers know no __noinline__ of CUDA's");
    ok(products<float>(singles), "cublasSgemmStridedBatched");
    ok(products<__nv_bfloat16>(bfloats), "cublasGemmStridedBatchedEx of bfloat16");
    ok(__half2int_rn(__half(2.5f)) == 2 && __half2int_ru(__half(2.25f)) == 3 &&
           (float)__hfma(__nv_bfloat16(3), __nv_bfloat16(4), __nv_bfloat16(5)) == 17 &&
           __bfloat16_as_ushort(__ushort_as_bfloat16(0x3f80)) == 0x3f80,
       "halves and bfloats convert");
    __half h = 3;
    h *= __half(0.5f);
    __nv_bfloat162 pair = __floats2bfloat162_rn(2, -3);
    pair *= __floats2bfloat162_rn(4, 5);
    ok((float)(h + __half(1)) == 2.5f && (float)__habs(-h) == 1.5f &&
           (float)__hmax(h, __half(7)) == 7 && (float)pair.x == 8 && (float)__habs(pair.y) == 15,
       "arithmetic of halves and bfloats on the host");
    const __nv_bfloat16 third(0.333984375f), none = __ushort_as_bfloat16(0x7f81);
    ok(__hlt(third, __nv_bfloat16(1)) && !__heq(none, none) && __hisnan(none) &&
           __hisinf(__ushort_as_bfloat16(0xff80)) == -1 && (float)-pair.y == 15 &&
           __hisinf(__half(70000.0f)) == 1 && !__hisnan(h),
       "comparisons of halves and bfloats");
    __nv_bfloat16 *b;
    cudaMallocManaged(&b, 8);
    memset(b, 0, 8);
    add_bfloats<<<1, 32>>>(b);
    ok(cudaDeviceSynchronize() == cudaSuccess && (float)b[0] == 32 && (float)b[2] == 32 &&
           (float)b[3] == -64,
       "atomicAdd of bfloats");
    __nv_bfloat16 *roots;
    __half *others;
    cudaMallocManaged(&roots, 64);
    cudaMallocManaged(&others, 64);
    root_bfloats<<<1, 32>>>(roots, others);
    ok(cudaDeviceSynchronize() == cudaSuccess && (float)roots[6] == 7 && (float)roots[11] == 10 &&
           (float)others[20] == 21,
       "roots of halves and bfloats, shuffled");
    ok(rsqrtf(4) == 0.5f && rsqrt(16.0) == 0.25 && fabs(normcdf(0.0) - 0.5) < 1e-15,
       "CUDA's own functions on the host");
    printf("1..%d\n", number);
    return failed != 0;
}
