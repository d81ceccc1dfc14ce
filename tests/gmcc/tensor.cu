/* SPDX-License-Identifier: MIT
 *
 * tensor.cu - products on tensor cores against plain sums on the host: wmma in every type, shape and
 * layout, from global and from shared memory; mma, ldmatrix, stmatrix and movmatrix as inline PTX.
 */
#include <mma.h>

using namespace nvcuda;

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

/* Numbers small enough for every sum to be exact. */
static double value(int i, bool negative)
{
    const int v = (i * 7 + i / 5 * 3) % 11;
    return negative ? v - 5 : v;
}
static void put(__half &x, double v) { x = __half(v); }
static void put(__nv_bfloat16 &x, double v) { x = __nv_bfloat16(v); }
template <typename T> static void put(T &x, double v) { x = (T)v; }
template <typename T> static double get(T x) { return (double)x; }
static double get(__half x) { return (float)x; }

template <typename T> struct kept { typedef T type; };
template <> struct kept<wmma::precision::tf32> { typedef float type; };

template <int m, int n, int k, typename T, typename A, typename B, typename D>
__global__ void multiply(const typename kept<T>::type *a, const typename kept<T>::type *b,
                         const D *c, D *d, bool by_column, bool in_shared, int pad)
{
    typedef typename kept<T>::type stored;
    __shared__ __align__(32) stored sa[(m + 16) * (k + 16)], sb[(k + 16) * (n + 16)];
    const bool a_rows = std::is_same<A, wmma::row_major>::value;
    const bool b_rows = std::is_same<B, wmma::row_major>::value;
    const int lda = (a_rows ? k : m) + pad, ldb = (b_rows ? n : k) + pad;
    const wmma::layout_t layout = by_column ? wmma::mem_col_major : wmma::mem_row_major;
    const int ldc = by_column ? m : n;
    wmma::fragment<wmma::matrix_a, m, n, k, T, A> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, B> fb;
    wmma::fragment<wmma::accumulator, m, n, k, D> fc, fd;
    if (in_shared) {
        for (int i = threadIdx.x; i < lda * (a_rows ? m : k); i += 32)
            sa[i] = a[i];
        for (int i = threadIdx.x; i < ldb * (b_rows ? k : n); i += 32)
            sb[i] = b[i];
        __syncwarp();
        wmma::load_matrix_sync(fa, sa, lda);
        wmma::load_matrix_sync(fb, sb, ldb);
    } else {
        wmma::load_matrix_sync(fa, a, lda);
        wmma::load_matrix_sync(fb, b, ldb);
    }
    wmma::load_matrix_sync(fc, c, ldc, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++)
        fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d, fd, ldc, layout);
}

template <int m, int n, int k, typename T, typename A, typename B, typename D>
static bool product(bool by_column, bool in_shared)
{
    typedef typename kept<T>::type stored;
    const bool a_rows = std::is_same<A, wmma::row_major>::value;
    const bool b_rows = std::is_same<B, wmma::row_major>::value;
    const bool negative = !std::is_same<T, unsigned char>::value;
    const int pad = in_shared ? 16 : 0;
    const int lda = (a_rows ? k : m) + pad, ldb = (b_rows ? n : k) + pad;
    stored *a, *b;
    D *c, *d;
    cudaMallocManaged(&a, sizeof(stored) * lda * (a_rows ? m : k));
    cudaMallocManaged(&b, sizeof(stored) * ldb * (b_rows ? k : n));
    cudaMallocManaged(&c, sizeof(D) * m * n);
    cudaMallocManaged(&d, sizeof(D) * m * n);
    for (int i = 0; i < m * k; i++)
        put(a[a_rows ? i / k * lda + i % k : i % k * lda + i / k], value(i, negative));
    for (int i = 0; i < k * n; i++)
        put(b[b_rows ? i / n * ldb + i % n : i % n * ldb + i / n], value(i + 3, negative));
    for (int i = 0; i < m * n; i++)
        put(c[i], value(i + 5, true));
    multiply<m, n, k, T, A, B, D><<<1, 32>>>(a, b, c, d, by_column, in_shared, pad);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < m && good; i++)
        for (int j = 0; j < n && good; j++) {
            const int at = by_column ? j * m + i : i * n + j;
            double sum = get(c[at]);
            for (int l = 0; l < k; l++)
                sum += value(i * k + l, negative) * value(l * n + j + 3, negative);
            D expected;
            put(expected, sum); /* rounded to D, as d is before it is doubled */
            good = get(d[at]) == 2 * get(expected);
            if (!good)
                printf("# %d,%d: %g, not %g\n", i, j, get(d[at]), 2 * sum);
        }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
    return good;
}

template <int m, int n, int k, typename T, typename D> static bool layouts()
{
    typedef wmma::row_major row;
    typedef wmma::col_major col;
    bool good = true;
    for (int i = 0; i < 4; i++) {
        good = product<m, n, k, T, row, row, D>(i % 2, i / 2) && good;
        good = product<m, n, k, T, row, col, D>(i % 2, i / 2) && good;
        good = product<m, n, k, T, col, row, D>(i % 2, i / 2) && good;
        good = product<m, n, k, T, col, col, D>(i % 2, i / 2) && good;
    }
    return good;
}
template <typename T, typename D> static bool shapes()
{
    return layouts<16, 16, 16, T, D>() & layouts<32, 8, 16, T, D>() & layouts<8, 32, 16, T, D>();
}

namespace tiny = wmma::experimental::precision;
template <typename A, typename B, typename C> __device__ void multiply(C &d, A &a, B &b, tiny::s4 *)
{
    wmma::mma_sync(d, a, b, d);
}
template <typename A, typename B, typename C> __device__ void multiply(C &d, A &a, B &b, tiny::b1 *)
{
    wmma::bmma_sync(d, a, b, d);
}
template <int k, typename T>
__device__ void add(int *d, const unsigned *a, const unsigned *b, int c)
{
    wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, k, int> fd;
    wmma::fill_fragment(fd, c);
    wmma::load_matrix_sync(fa, a, k);
    wmma::load_matrix_sync(fb, b, k);
    multiply(fd, fa, fb, (T *)nullptr);
    wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
/* 4 bits: row i of a holds i - 4 and column j of b j - 4; of single bits, what differs. */
__global__ void small(int *d, const unsigned *a, const unsigned *b, int *e)
{
    add<32, tiny::s4>(d, a, b, 0);
    add<128, tiny::b1>(e, a, b, 100);
}
static bool check_small()
{
    unsigned *a, *b;
    int *d, *e;
    cudaMallocManaged(&a, 128);
    cudaMallocManaged(&b, 128);
    cudaMallocManaged(&d, 256);
    cudaMallocManaged(&e, 256);
    for (int i = 0; i < 32; i++)
        a[i] = (i / 4 - 4 & 15) * 0x11111111u, b[i] = (i / 4 - 4 & 15) * 0x01010101u;
    small<<<1, 32>>>(d, a, b, e);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 64; i++) {
        int differ = 100;
        for (int w = 0; w < 4; w++)
            differ += __builtin_popcount(a[i / 8 * 4 + w] ^ b[i % 8 * 4 + w]);
        good = good && d[i] == 16 * (i / 8 - 4) * (i % 8 - 4) && e[i] == differ;
    }
    return good;
}

/* A tile of 16 by 16 halves by ldmatrix, one of 16 by 8 by ldmatrix.trans, and their product. */
__global__ void by_hand(const __half *a, const __half *b, float *c, unsigned *turned)
{
    __shared__ __align__(16) __half sa[16][24], sb[16][8];
    __shared__ __align__(16) unsigned sc[8][4];
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        sa[i / 16][i % 16] = a[i];
    for (int i = lane; i < 128; i += 32)
        sb[i / 8][i % 8] = b[i];
    __syncwarp();
    unsigned fa[4], fb[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(&sa[lane % 16][lane / 16 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
    at = (unsigned)__cvta_generic_to_shared(&sb[lane % 16][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"(at));
    float d[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; i++)
        c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i] - (i + 1);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned[lane]) : "r"(fa[0]));
    at = (unsigned)__cvta_generic_to_shared(&sc[lane % 8][0]);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(fa[0])
                 : "memory");
    __syncwarp();
    turned[32 + lane] = sc[lane / 4][lane % 4];
}
static bool check_by_hand()
{
    __half *a, *b;
    float *c;
    unsigned *turned;
    cudaMallocManaged(&a, 512);
    cudaMallocManaged(&b, 256);
    cudaMallocManaged(&c, 512);
    cudaMallocManaged(&turned, 256);
    for (int i = 0; i < 256; i++)
        a[i] = __half(value(i, true)), b[i / 2] = __half(value(i / 2 + 1, true));
    by_hand<<<1, 32>>>(a, b, c, turned);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 128; i++) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += (float)a[i / 8 * 16 + k] * (float)b[k * 8 + i % 8];
        good = good && c[i] == sum;
    }
    const __half *t = (const __half *)turned;
    for (int i = 0; i < 64; i++)
        good = good && (float)t[i] == (float)a[i % 8 * 16 + i / 8] &&
               (float)t[64 + i] == (float)t[i];
    return good;
}

/* Every a is 1 and every b 2 but in one place each: the place of an element in its register. */
__global__ void bytes(int *d, float *e)
{
    const int lane = threadIdx.x;
    unsigned a[4], b[2];
    int s[4] = {2147483647, 0, 0, 0}; /* row and column 0 saturate in lane 0 */
    for (int r = 0; r < 4; r++) { /* a[i][k] = i + (k == 5) */
        const int row = lane / 4 + r % 2 * 8, k = r / 2 * 16 + lane % 4 * 4;
        a[r] = row * 0x01010101u + (k == 4 ? 0x100u : 0);
    }
    for (int r = 0; r < 2; r++) /* b[k][j] = j + 2 (k == 30) */
        b[r] = lane / 4 * 0x01010101u + (r * 16 + lane % 4 * 4 == 28 ? 0x20000u : 0);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; i++)
        d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = s[i];
    const unsigned ones = 0x38383838u, halves = 0x38383838u; /* 1 in e4m3, 0.5 in e5m2 */
    float f[4] = {};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, "
                 "{%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(ones), "r"(halves));
    e[lane] = f[0] + f[1] + f[2] + f[3];
}
static bool check_bytes()
{
    int *d;
    float *e;
    cudaMallocManaged(&d, 512);
    cudaMallocManaged(&e, 128);
    bytes<<<1, 32>>>(d, e);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int at = 0; at < 128; at++) {
        const int i = at / 8, j = at % 8, first = j % 2 == 0 && i < 8 ? 2147483647 : 0;
        const long long sum = (long long)first + 32 * i * j + j + 2 * i;
        good = good && d[at] == (sum > 2147483647 ? 2147483647 : sum);
    }
    for (int i = 0; i < 32; i++)
        good = good && e[i] == 64;
    return good;
}

__global__ void parted(const __half *a, float *d)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    if (threadIdx.x < 16) {
        wmma::load_matrix_sync(fa, a, 16);
        d[threadIdx.x] = (float)fa.x[0];
    }
}

__global__ void round_tf32(const float *in, float *out)
{
    out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]);
}

/* Ten bits behind the point; halves away from 0, also into the next power of two. */
static bool check_rounding()
{
    const float in[] = {1 + 0x1p-11f, 1 + 0x1.8p-12f, -1 - 0x1p-11f, 2 - 0x1p-12f, 0, INFINITY, 1 + 0x1.8p-10f};
    const float right[] = {1 + 0x1p-10f, 1, -1 - 0x1p-10f, 2, 0, INFINITY, 1 + 0x1p-9f};
    const int n = sizeof in / sizeof *in;
    float *d, out[n];
    cudaMalloc(&d, 2 * sizeof in);
    cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice);
    round_tf32<<<1, n>>>(d, d + n);
    cudaMemcpy(out, d + n, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return memcmp(out, right, sizeof out) == 0;
}

int main()
{
    ok(check_rounding(), "tf32 of float");
    ok(shapes<__half, float>(), "half, sums in float");
    ok(shapes<__half, __half>(), "half, sums in half");
    ok(shapes<__nv_bfloat16, float>(), "bfloat16");
    ok(shapes<signed char, int>(), "signed bytes");
    ok(shapes<unsigned char, int>(), "unsigned bytes");
    ok(layouts<16, 16, 8, wmma::precision::tf32, float>(), "tf32");
    ok(layouts<8, 8, 4, double, double>(), "double");
    ok(check_small(), "four bits and one");
    ok(check_by_hand(), "ldmatrix, mma, stmatrix, movmatrix");
    ok(check_bytes(), "mma of bytes that saturates, and of 8-bit floats");
    float *d;
    cudaMalloc(&d, 512);
    parted<<<1, 32>>>((const __half *)d, d);
    ok(cudaDeviceSynchronize() != cudaSuccess, "half a warp cannot");
    printf("1..%d\n", number);
    return failed != 0;
}
