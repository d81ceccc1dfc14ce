/* SPDX-License-Identifier: MIT
 *
 * functions.cu - every mathematical function of gmcc's headers against the host's library, in units
 * in the last place, and the bit, conversion, warp and half functions against values worked out on
 * the host. Speaks TAP. No file of its own includes the runtime's header: gmcc does.
 */
#include <cfloat>
#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <vector>

static int tests, failures;

static void report(bool good, const char *name, const char *format, double a, double b)
{
    char text[128];
    snprintf(text, sizeof text, format, a, b);
    printf("%sok %d - %s%s%s\n", good ? "" : "not ", ++tests, name, *text ? ": " : "", text);
    failures += !good;
}

static double ulp(double got, double want, bool single)
{
    if (got == want || (got != got && want != want))
        return 0;
    if (got != got || want != want || std::isinf(got) || std::isinf(want))
        return 1e300;
    int e;
    frexp(want, &e);
    double unit = single ? ldexp(1, e - 24 < -149 ? -149 : e - 24)
                         : ldexp(1, e - 53 < -1074 ? -1074 : e - 53);
    return fabs(got - want) / unit;
}

/* Points of [low, high], evenly spaced and, where low is positive, by their logarithms as well. */
static std::vector<double> points(double low, double high, bool single)
{
    std::vector<double> x;
    const int n = 700;
    for (int i = 0; i <= n; i++) {
        double v = low + (high - low) * i / n;
        x.push_back(single ? (float)v : v);
        if (low > 0) {
            v = exp(log(low) + (log(high) - log(low)) * i / n);
            x.push_back(single ? (float)v : v);
        }
    }
    return x;
}

template <typename T, typename F> __global__ void apply(const T *x, const T *y, T *out, int n, F f)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = f(x[i], y[i]);
}

template <typename T, typename F, typename R>
static void compare(const char *name, F f, R reference, double low, double high, double limit)
{
    std::vector<double> x = points(low, high, sizeof(T) == 4);
    int n = (int)x.size();
    T *in, *out;
    cudaMalloc(&in, 2 * n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    std::vector<T> a(2 * n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = (T)x[i];
        a[n + i] = (T)x[(i * 37 + 11) % n];
    }
    cudaMemcpy(in, a.data(), 2 * n * sizeof(T), cudaMemcpyHostToDevice);
    apply<<<(n + 127) / 128, 128>>>(in, in + n, out, n, f);
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(b.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
    double worst = 0, where = 0;
    for (int i = 0; i < n; i++) {
        long double want = reference((long double)a[i], (long double)a[n + i]);
        double u =
            ulp((double)b[i], sizeof(T) == 4 ? (double)(float)want : (double)want, sizeof(T) == 4);
        if (u > worst) {
            worst = u;
            where = (double)a[i];
        }
    }
    cudaFree(in);
    cudaFree(out);
    report(error == cudaSuccess && worst <= limit, name, "%.3g ulp at %.17g", worst, where);
}

#define FUNCTION1(name, low, high, single_limit, double_limit)                                     \
    compare<float>(                                                                                \
        #name "f", [] __device__(float x, float) { return name##f(x); },                           \
        [](long double x, long double) { return name##l(x); }, low, high, single_limit);           \
    compare<double>(                                                                               \
        #name, [] __device__(double x, double) { return name(x); },                                \
        [](long double x, long double) { return name##l(x); }, low, high, double_limit);
#define FUNCTION2(name, low, high, single_limit, double_limit)                                     \
    compare<float>(                                                                                \
        #name "f", [] __device__(float x, float y) { return name##f(x, y); },                      \
        [](long double x, long double y) { return name##l(x, y); }, low, high, single_limit);      \
    compare<double>(                                                                               \
        #name, [] __device__(double x, double y) { return name(x, y); },                           \
        [](long double x, long double y) { return name##l(x, y); }, low, high, double_limit);

/* No library of the host has the inverses: bisection, and Newton's steps in long double. */
static long double erfcinvl(long double y, long double)
{
    long double low = -7, high = 14;
    for (int i = 0; i < 60; i++) {
        const long double middle = (low + high) / 2;
        (erfcl(middle) > y ? low : high) = middle;
    }
    long double x = (low + high) / 2;
    for (int i = 0; i < 4; i++) {
        const long double off = y > 0.5l && y < 1.5l ? (1 - y) - erfl(x) : erfcl(x) - y;
        x += off * 0.886226925452758013649l * expl(x * x);
    }
    return x;
}
#define INVERSE(name, low, high, single_limit, double_limit, reference)                            \
    compare<float>(                                                                                \
        #name "f", [] __device__(float x, float) { return name##f(x); }, reference, low, high,     \
        single_limit);                                                                             \
    compare<double>(                                                                               \
        #name, [] __device__(double x, double) { return name(x); }, reference, low, high,          \
        double_limit);

static void mathematics(void)
{
    INVERSE(erfcinv, 1e-30, 0.5, 4, 4, erfcinvl)
    INVERSE(erfcinv, 0.5, 1.999, 4, 4, erfcinvl)
    INVERSE(erfinv, -0.999, 0.999, 4, 4,
            [](long double x, long double) { return erfcinvl(1 - x, 0); })
    INVERSE(normcdfinv, 1e-30, 0.75, 4, 4,
            [](long double x, long double) { return -sqrtl(2) * erfcinvl(2 * x, 0); })
    FUNCTION1(sin, -100, 100, 2, 2)
    FUNCTION1(cos, -100, 100, 2, 2)
    FUNCTION1(tan, -100, 100, 4, 4)
    FUNCTION1(sin, 1e4, 1e37, 2, 2)
    FUNCTION1(cos, 1e4, 1e37, 2, 2)
    FUNCTION1(exp, -80, 88, 2, 2)
    FUNCTION1(exp, -103, -80, 2, 2)
    FUNCTION1(exp2, -120, 127, 2, 2)
    FUNCTION1(expm1, -2, 2, 3, 5)
    FUNCTION1(log, 1e-30, 1e30, 2, 2)
    FUNCTION1(log, 0.5, 2, 2, 2)
    FUNCTION1(log2, 1e-30, 1e30, 2, 2)
    FUNCTION1(log10, 1e-30, 1e30, 2, 2)
    FUNCTION1(log1p, -0.5, 2, 2, 3)
    FUNCTION1(log1p, 1e-20, 1, 2, 3)
    FUNCTION1(sqrt, 0, 1e6, 0, 1)
    FUNCTION1(cbrt, -1e6, 1e6, 1, 2)
    FUNCTION1(sinh, -20, 20, 2, 4)
    FUNCTION1(cosh, -20, 20, 2, 3)
    FUNCTION1(tanh, -5, 5, 3, 4)
    FUNCTION1(asin, -1, 1, 3, 3)
    FUNCTION1(acos, -1, 1, 3, 3)
    FUNCTION1(atan, -30, 30, 3, 3)
    FUNCTION1(asinh, -30, 30, 2, 5)
    FUNCTION1(acosh, 1, 30, 2, 5)
    FUNCTION1(atanh, -0.999, 0.999, 2, 5)
    FUNCTION1(erf, -4, 4, 3, 3)
    FUNCTION1(erfc, -4, 9, 3, 8)
    FUNCTION1(tgamma, 0.1, 33, 2, 40)
    FUNCTION1(lgamma, 3, 1000, 2, 40)
    FUNCTION1(floor, -9, 9, 0, 0)
    FUNCTION1(ceil, -9, 9, 0, 0)
    FUNCTION1(trunc, -9, 9, 0, 0)
    FUNCTION1(rint, -9, 9, 0, 0)
    FUNCTION1(round, -9, 9, 0, 0)
    FUNCTION1(fabs, -9, 9, 0, 0)
    FUNCTION1(logb, 1e-30, 1e30, 0, 0)
    FUNCTION2(pow, 0.01, 20, 1, 4)
    FUNCTION2(atan2, -9, 9, 4, 4)
    FUNCTION2(fmod, -1000, 1000, 0, 0)
    FUNCTION2(remainder, -1000, 1000, 0, 0)
    FUNCTION2(hypot, -1000, 1000, 1, 2)
    FUNCTION2(fmin, -9, 9, 0, 0)
    FUNCTION2(fmax, -9, 9, 0, 0)
    FUNCTION2(fdim, -9, 9, 0, 0)
    FUNCTION2(copysign, -9, 9, 0, 0)
    /* Approximations of the hardware. */
    compare<float>(
        "__expf", [] __device__(float x, float) { return __expf(x); },
        [](long double x, long double) { return expl(x); }, -10, 10, 20);
    compare<float>(
        "rsqrtf", [] __device__(float x, float) { return rsqrtf(x); },
        [](long double x, long double) { return 1 / sqrtl(x); }, 1e-6, 1e6, 3);
    compare<float>(
        "sinpif", [] __device__(float x, float) { return sinpif(x); },
        [](long double x, long double) { return sinl(fmodl(x, 2) * M_PIl); }, 0.01, 0.9, 3);
}

static const int checks = 64;
/* One bit a check that held, for the thread that asks. */
__global__ void words(unsigned long long *bits, float one, int minus_one)
{
    unsigned long long b = 0;
    int n = 0;
    unsigned int lane = threadIdx.x & 31, all = 0xffffffffu;
#define CHECK(condition) b |= (unsigned long long)!!(condition) << n++
    CHECK(__popc(minus_one) == 32 && __popcll(0x8000000000000001ull) == 2);
    CHECK(__clz(1) == 31 && __clzll(1) == 63 && __ffs(8) == 4 && __ffs(0) == 0);
    CHECK(__brev(1u) == 0x80000000u && __byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311u);
    CHECK(__mulhi(minus_one, 2) == -1 && __umulhi(0x80000000u, 4u) == 2);
    CHECK(__umul64hi(1ull << 63, 4) == 2 && __sad(1, 5, 3) == 7);
    CHECK(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(1u, 1u, 1) == 0x80000000u);
    CHECK(__dp4a(0x01020304, 0x01010101, 5) == 15);
    CHECK(__fns(0xf0u, 0, 2) == 5u);
    CHECK(__float2int_rn(2.5f * one) == 2 && __float2int_ru(2.1f * one) == 3);
    CHECK(__float2int_rz(-2.9f * one) == -2 && __float2int_rd(-2.1f * one) == -3);
    CHECK(__float_as_int(one) == 0x3f800000 && __double2hiint(1.0) == 0x3ff00000);
    CHECK(__fadd_ru(one, 1e-9f) > 1.0f && __fadd_rd(one, 1e-9f) == 1.0f);
    CHECK(__fdiv_rn(one, 3.0f) == 1.0f / 3.0f && __saturatef(2 * one) == 1.0f);
    CHECK(min(minus_one, 3) == -1 && max(minus_one, 3) == 3 && abs(minus_one) == 1);
    CHECK(min(one, 2.0f) == 1.0f && max(one, 2.0) == 2.0);
    CHECK(__shfl_sync(all, (int)lane, 5) == 5 &&
          __shfl_xor_sync(all, (int)lane, 1) == (int)(lane ^ 1));
    CHECK(__shfl_down_sync(all, (double)lane, 2) == (double)(lane < 30 ? lane + 2 : lane));
    CHECK(__shfl_up_sync(all, (long long)lane, 3, 8) ==
          (long long)((lane & 7) < 3 ? lane : lane - 3));
    CHECK(__ballot_sync(all, lane & 1) == 0xaaaaaaaau && __any_sync(all, lane == 7));
    CHECK(!__all_sync(all, lane == 7) && __activemask() == all);
    CHECK(__match_any_sync(all, lane >> 4) == (lane < 16 ? 0xffffu : 0xffff0000u));
    int same;
    CHECK(__match_all_sync(all, 7, &same) == all && same);
    CHECK(__reduce_add_sync(all, lane) == 496u && __reduce_max_sync(all, (int)lane) == 31);
    CHECK(__syncthreads_count(lane < 3) == 3 * (int)(blockDim.x / 32));
    CHECK(__syncthreads_or(lane == 3) && !__syncthreads_and(lane == 3));
    __half h(1.5f * one);
    __half2 h2 = __floats2half2_rn(one, 2 * one);
    CHECK((float)(h + h) == 3.0f && (float)__hfma(h, h, h) == 3.75f && h > __half(1.0f));
    CHECK(__high2float(h2 * h2) == 4.0f && __half_as_ushort(h) == 0x3e00);
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    CHECK(tile.thread_rank() == (lane & 7) && tile.size() == 8 && tile.ballot(lane & 1) == 0xaau);
    CHECK(cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>()) == 28);
    CHECK(block.thread_rank() == threadIdx.x && block.size() == blockDim.x);
    CHECK(cg::this_grid().thread_rank() == blockIdx.x * blockDim.x + threadIdx.x);
    bool odd = true;
    if (lane & 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        odd = g.size() == 16 && g.thread_rank() == lane / 2 && g.shfl((int)lane, 2) == 5;
    }
    CHECK(odd);
    for (; n < checks; n++)
        b |= 1ull << n;
    bits[blockIdx.x * blockDim.x + threadIdx.x] = b;
#undef CHECK
}

__global__ void atomics(int *i, unsigned int *u, unsigned long long *l, float *f, double *d)
{
    int t = (int)threadIdx.x;
    atomicAdd(i, 1);
    atomicSub(i + 1, t);
    atomicMin(i + 2, -t);
    atomicMax(i + 3, t);
    atomicAnd(i + 4, ~(1 << (t & 31)));
    atomicOr(i + 5, 1 << (t & 31));
    atomicXor(i + 6, t);
    atomicExch(i + 7, 5);
    atomicCAS(i + 8, t, t + 1);
    atomicInc(u, 9);
    atomicDec(u + 1, 9);
    atomicAdd(l, 1ull << 33);
    atomicMax(l + 1, (unsigned long long)t);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    __shared__ int s;
    if (t == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, t);
    __syncthreads();
    if (t == 0)
        i[9] = s;
}

struct atomic_results {
    int i[10];
    unsigned int u[2];
    unsigned long long l[2];
    float f;
    double d;
};

static void check_atomics(void)
{
    atomic_results *device, r = {};
    r.i[4] = -1;
    cudaMalloc(&device, sizeof r);
    cudaMemcpy(device, &r, sizeof r, cudaMemcpyHostToDevice);
    atomics<<<1, 64>>>(device->i, device->u, device->l, &device->f, &device->d);
    cudaError_t error = cudaMemcpy(&r, device, sizeof r, cudaMemcpyDeviceToHost);
    report(error == cudaSuccess && r.i[0] == 64 && r.i[1] == -2016 && r.i[2] == -63 &&
               r.i[3] == 63 && r.i[4] == 0 && r.i[5] == -1 && r.i[6] == 0 && r.i[7] == 5 &&
               r.i[8] == 64 && r.i[9] == 2016,
           "atomics on int", "", 0, 0);
    report(r.u[0] == 4 && r.u[1] == 6 && r.l[0] == 64ull << 33 && r.l[1] == 63,
           "atomics on unsigned integers", "%g, %g", r.u[0], r.u[1]);
    report(r.f == 32.0f && r.d == 16.0, "atomics on float and double", "%g, %g", r.f, r.d);
    cudaFree(device);
}

template <typename T> __global__ void operators(const T *in, T *out)
{
    int i = (int)threadIdx.x;
    __stwb(out + i, __ldg(in + i));
    __stcg(out + i + 32, __ldca(in + i));
    __stcs(out + i + 64, __ldcg(in + i));
    __stwt(out + i + 96, __ldcs(in + i));
    out[i + 128] = __ldcv(in + i);
    out[i + 160] = __ldlu(in + i);
}
template <typename T> static void check_operators(const char *name)
{
    T *device;
    unsigned char in[32 * sizeof(T)], out[192 * sizeof(T)];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7 + 1);
    cudaMalloc(&device, sizeof in + sizeof out);
    cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
    operators<<<1, 32>>>(device, device + 32);
    cudaMemcpy(out, device + 32, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(device);
    bool good = cudaGetLastError() == cudaSuccess;
    for (size_t i = 0; i < sizeof out; i++)
        good = good && out[i] == in[i % sizeof in];
    report(good, name, "", 0, 0);
}

int main(void)
{
    mathematics();
    unsigned long long *bits, host[128];
    cudaMalloc(&bits, sizeof host);
    words<<<2, 64>>>(bits, 1.0f, -1);
    cudaError_t error = cudaMemcpy(host, bits, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(bits);
    for (int n = 0; n < 32; n++) {
        bool good = error == cudaSuccess;
        for (int t = 0; t < 128; t++)
            good = good && (host[t] >> n & 1);
        report(good, "words", "check %g", n + 1, 0);
    }
    check_atomics();
    check_operators<char>("cache operators: char");
    check_operators<unsigned short>("cache operators: unsigned short");
    check_operators<int>("cache operators: int");
    check_operators<double>("cache operators: double");
    check_operators<char4>("cache operators: char4");
    check_operators<short2>("cache operators: short2");
    check_operators<float2>("cache operators: float2");
    check_operators<float4>("cache operators: float4");
    check_operators<ulonglong2>("cache operators: ulonglong2");
    check_operators<__half2>("cache operators: half2");
    printf("1..%d\n", tests);
    return failures != 0;
}
