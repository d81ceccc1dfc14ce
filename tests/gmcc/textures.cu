/* SPDX-License-Identifier: MIT
 *
 * textures.cu - textures and surfaces against CUDA's formulas on the host: elements of every kind,
 * addressing modes, the linear filter's weights of 8 bits, layers, volumes, linear and pitched
 * memory, copies to and from arrays; and what is refused.
 */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

enum { W = 13, H = 7, D = 3, POINTS = 400 };

template <typename T> static cudaArray_t make_array(const T *from, int w, int h)
{
    cudaArray_t array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    cudaMallocArray(&array, &d, w, h);
    cudaMemcpy2DToArray(array, 0, 0, from, w * sizeof(T), w * sizeof(T), h ? h : 1,
                        cudaMemcpyHostToDevice);
    return array;
}
static cudaResourceDesc of_array(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}
static cudaTextureObject_t make_texture(const cudaResourceDesc &r, cudaTextureAddressMode address,
                                        cudaTextureFilterMode filter, bool normalized,
                                        cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaTextureDesc t = {};
    cudaTextureObject_t object = 0;
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = address;
    t.filterMode = filter;
    t.readMode = read;
    t.normalizedCoords = normalized;
    t.borderColor[0] = 5;
    cudaCreateTextureObject(&object, &r, &t, nullptr);
    return object;
}

__global__ void sample2(cudaTextureObject_t texture, const float2 *at, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < POINTS)
        out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

/* The formulas of the programming guide, in one dimension at a time. */
static int folded(int i, int n, cudaTextureAddressMode mode, bool normalized)
{
    if (i >= 0 && i < n)
        return i;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (mode == cudaAddressModeWrap && normalized)
        return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror && normalized) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    return i < 0 ? 0 : n - 1;
}
static double expected(const float *image, double x, double y, cudaTextureAddressMode mode,
                       bool linear, bool normalized)
{
    auto texel = [&](int i, int j) {
        i = folded(i, W, mode, normalized), j = folded(j, H, mode, normalized);
        return i < 0 || j < 0 ? 5.0 : (double)image[j * W + i];
    };
    if (normalized)
        x *= W, y *= H;
    if (!linear)
        return texel((int)floor(x), (int)floor(y));
    x -= 0.5, y -= 0.5;
    double i = floor(x), j = floor(y), a = rint((x - i) * 256) / 256, b = rint((y - j) * 256) / 256;
    return (1 - a) * (1 - b) * texel((int)i, (int)j) + a * (1 - b) * texel((int)i + 1, (int)j) +
           (1 - a) * b * texel((int)i, (int)j + 1) + a * b * texel((int)i + 1, (int)j + 1);
}

static void test_modes()
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
    std::vector<float> image(W * H);
    float2 *at;
    float *out;
    cudaMallocManaged(&at, POINTS * sizeof *at);
    cudaMallocManaged(&out, POINTS * sizeof *out);
    for (int i = 0; i < W * H; i++)
        image[i] = (float)((i * 37 + 11) % 101) / 4;
    cudaArray_t array = make_array(image.data(), W, H);
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = 0; normalized < 2; normalized++) {
                cudaTextureObject_t texture =
                    make_texture(of_array(array), (cudaTextureAddressMode)mode,
                                 linear ? cudaFilterModeLinear : cudaFilterModePoint, normalized);
                for (int i = 0; i < POINTS; i++) {
                    at[i].x = (float)((i * 53 % 397) - 150) / 11;
                    at[i].y = (float)((i * 71 % 389) - 150) / 17;
                    if (normalized)
                        at[i].x /= 8, at[i].y /= 8;
                }
                sample2<<<4, 128>>>(texture, at, out);
                cudaDeviceSynchronize();
                int wrong = 0;
                for (int i = 0; i < POINTS; i++)
                    wrong += fabs(out[i] - expected(image.data(), at[i].x, at[i].y,
                                                    (cudaTextureAddressMode)mode, linear,
                                                    normalized)) > 1e-5;
                char text[96];
                snprintf(text, sizeof text, "%s, %s, %s coordinates", names[mode],
                         linear ? "linear" : "nearest", normalized ? "normalized" : "texel");
                ok(wrong == 0, text);
                cudaDestroyTextureObject(texture);
            }
    cudaFreeArray(array);
}

template <typename T>
__global__ void fetch(cudaTextureObject_t linear, cudaTextureObject_t array, T *out)
{
    out[threadIdx.x] = tex1Dfetch<T>(linear, threadIdx.x);
    out[32 + threadIdx.x] = tex1D<T>(array, threadIdx.x + 0.5f);
    T other;
    tex1Dfetch(&other, linear, (int)threadIdx.x - 1);
    out[64 + threadIdx.x] = other;
}
template <typename T> static void test_type(const char *name)
{
    unsigned char bytes[32 * sizeof(T)];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 29 + 3) & 0xbf; /* no NaN */
    T *memory, *out;
    cudaMalloc(&memory, sizeof bytes);
    cudaMallocManaged(&out, 96 * sizeof(T));
    cudaMemcpy(memory, bytes, sizeof bytes, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = sizeof bytes;
    cudaArray_t array = make_array((const T *)bytes, 32, 0);
    fetch<T><<<1, 32>>>(
        make_texture(r, cudaAddressModeClamp, cudaFilterModePoint, false),
        make_texture(of_array(array), cudaAddressModeClamp, cudaFilterModePoint, false), out);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    T zero;
    memset(&zero, 0, sizeof zero);
    ok(good && memcmp(out, bytes, sizeof bytes) == 0 &&
           memcmp(out + 32, bytes, sizeof bytes) == 0 &&
           memcmp(out + 64, &zero, sizeof zero) == 0 &&
           memcmp(out + 65, bytes, sizeof bytes - sizeof(T)) == 0,
       name);
}

__global__ void volumes(cudaTextureObject_t volume, cudaTextureObject_t layers,
                        cudaTextureObject_t bytes, cudaTextureObject_t pitched, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x, i = (z * H + y) * W + x;
    out[4 * i] = tex3D<float>(volume, x + 0.5f, y + 0.5f, z + 0.75f);
    out[4 * i + 1] = tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, z);
    out[4 * i + 2] = tex1D<float4>(bytes, x + 0.5f).y;
    out[4 * i + 3] = tex2D<float>(pitched, x + 0.5f, y + 0.5f);
}
static void test_volumes()
{
    std::vector<float> data(W * H * D);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (float)(i * 7 % 64);
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t array[2];
    for (int i = 0; i < 2; i++) {
        cudaMalloc3DArray(&array[i], &d, make_cudaExtent(W, H, D), i ? cudaArrayLayered : 0);
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(data.data(), W * sizeof(float), W, H);
        p.dstArray = array[i];
        p.extent = make_cudaExtent(W, H, D);
        p.kind = cudaMemcpyHostToDevice;
        ok(cudaMemcpy3D(&p) == cudaSuccess, i ? "copy to layers" : "copy to a volume");
    }
    signed char quads[4 * W];
    for (int i = 0; i < 4 * W; i++)
        quads[i] = (signed char)(i == 1 ? -128 : i * 5 - 100);
    cudaArray_t small = make_array((const char4 *)quads, W, 0);
    float *out, *memory;
    size_t pitch;
    cudaMallocPitch(&memory, &pitch, W * sizeof(float), H);
    cudaMemcpy2D(memory, pitch, data.data(), W * sizeof(float), W * sizeof(float), H,
                 cudaMemcpyHostToDevice);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = d;
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaMallocManaged(&out, 4 * data.size() * sizeof *out);
    volumes<<<D, dim3(W, H)>>>(
        make_texture(of_array(array[0]), cudaAddressModeClamp, cudaFilterModeLinear, false),
        make_texture(of_array(array[1]), cudaAddressModeClamp, cudaFilterModePoint, false),
        make_texture(of_array(small), cudaAddressModeClamp, cudaFilterModePoint, false,
                     cudaReadModeNormalizedFloat),
        make_texture(r, cudaAddressModeClamp, cudaFilterModePoint, false), out);
    ok(cudaDeviceSynchronize() == cudaSuccess, "volumes run");
    int wrong[4] = {};
    for (int z = 0; z < D; z++)
        for (int i = 0; i < W * H; i++) {
            const float *o = &out[4 * (z * W * H + i)];
            float low = data[z * W * H + i], high = data[(z + 1 < D ? z + 1 : z) * W * H + i];
            float q = quads[4 * (i % W) + 1] / 127.0f;
            wrong[0] += o[0] != 0.75f * low + 0.25f * high;
            wrong[1] += o[1] != low;
            wrong[2] += o[2] != (q < -1 ? -1 : q);
            wrong[3] += o[3] != data[i];
        }
    ok(wrong[0] == 0, "a volume between two planes");
    ok(wrong[1] == 0, "layers");
    ok(wrong[2] == 0, "bytes as numbers from -1 to 1");
    ok(wrong[3] == 0, "pitched memory");
}

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    uchar4 v = surf2Dread<uchar4>(from, x * 4, y);
    surf2Dwrite(make_uchar4(v.w, v.z, v.y, v.x), to, (W - 1 - x) * 4, y);
    surf2Dwrite(v, to, W * 4, y, cudaBoundaryModeZero);
}
__global__ void past_end(cudaSurfaceObject_t to)
{
    surf2Dwrite(make_uchar4(1, 2, 3, 4), to, W * 4, 0);
}
static void test_surfaces()
{
    uchar4 in[W * H], out[W * H];
    for (int i = 0; i < W * H; i++)
        in[i] = make_uchar4(i, i + 1, i * 3, 255 - i);
    cudaArray_t from = make_array(in, W, H), to = make_array(in, W, H);
    cudaResourceDesc r = of_array(from), s = of_array(to);
    cudaSurfaceObject_t a, b;
    cudaCreateSurfaceObject(&a, &r);
    cudaCreateSurfaceObject(&b, &s);
    turn<<<1, dim3(W, H)>>>(a, b);
    bool good = cudaMemcpy2DFromArray(out, W * 4, to, 0, 0, W * 4, H, cudaMemcpyDeviceToHost) ==
                cudaSuccess;
    for (int i = 0; i < W * H; i++) {
        uchar4 u = in[i / W * W + W - 1 - i % W], v = out[i];
        good = good && v.x == u.w && v.y == u.z && v.z == u.y && v.w == u.x;
    }
    ok(good, "surfaces are read and written");
    ok(cudaMemcpy2DToArray(to, 4, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidValue,
       "a copy beyond an array is refused");
    cudaResourceDesc none = of_array(nullptr);
    cudaTextureDesc t = {};
    cudaTextureObject_t object;
    ok(cudaCreateTextureObject(&object, &none, &t, nullptr) == cudaErrorInvalidResourceHandle,
       "a texture of nothing is refused");
    t.sRGB = 1;
    ok(cudaCreateTextureObject(&object, &r, &t, nullptr) == cudaErrorNotSupported,
       "sRGB is refused");
    past_end<<<1, 1>>>(b);
    ok(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "a write beyond a surface is found");
}

int main()
{
    test_modes();
    test_type<unsigned char>("unsigned char");
    test_type<char4>("char4");
    test_type<short2>("short2");
    test_type<unsigned short>("unsigned short");
    test_type<int4>("int4");
    test_type<unsigned int>("unsigned int");
    test_type<float>("float");
    test_type<float2>("float2");
    test_type<float4>("float4");
    test_volumes();
    test_surfaces();
    printf("1..%d\n", number);
    return failed != 0;
}
