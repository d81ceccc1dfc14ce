/* SPDX-License-Identifier: MIT
 *
 * gemm_cublas.cu - c = a * b with cuBLAS SGEMM, an unmodified library kernel. The library is opened
 * at run time, so that gmkernels starts where it is missing and says so. cuBLAS chooses the kernel;
 * where it splits the product, it launches more than one.
 */
#include "kernels/gmkernels.h"

#if defined(__has_include)
#if __has_include(<cublas_v2.h>)
#define HAVE_CUBLAS 1
#endif
#endif

#ifdef HAVE_CUBLAS
#include <cublas_v2.h>
#include <dlfcn.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        gmk_fail(true, "libcublas has no %s", name);
    return symbol;
}

static void expect_success(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        gmk_fail(false, "%s: cuBLAS status %d", what, (int)status);
}

static void sgemm(gmk_run &run)
{
    int n = run.size;
    void *library = dlopen("libcublas.so." TEXT(CUBLAS_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libcublas.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        gmk_fail(true, "%s", dlerror());
    decltype(&cublasCreate_v2) create = (decltype(create))find(library, "cublasCreate_v2");
    decltype(&cublasDestroy_v2) destroy = (decltype(destroy))find(library, "cublasDestroy_v2");
    decltype(&cublasSgemm_v2) multiply = (decltype(multiply))find(library, "cublasSgemm_v2");

    gmk_array<float> a((size_t)n * n), b((size_t)n * n), c((size_t)n * n);
    a.fill(1, -4, 4);
    b.fill(2, -4, 4);
    c.upload();
    cublasHandle_t handle;
    const float one = 1, zero = 0;
    cublasStatus_t status = create(&handle);
    if (status == CUBLAS_STATUS_NOT_INITIALIZED)
        gmk_fail(true, "cuBLAS finds no GPU"); /* built with gmcc, say */
    expect_success(status, "cublasCreate");
    /* cuBLAS counts columns first: its b * a is our a * b. */
    expect_success(multiply(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b.device, n, a.device,
                            n, &zero, c.device, n),
                   "cublasSgemm");
    gmk_finish();
    expect_success(destroy(handle), "cublasDestroy");
    if (!run.check)
        return;
    float *want = c.expect();
    for (int i = 0; i < n; i++) {
        float *row = want + (size_t)i * n;
        for (int j = 0; j < n; j++)
            row[j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                row[j] += a.host[(size_t)i * n + k] * b.host[(size_t)k * n + j];
    }
    gmk_compare(run, c, 0);
}
#else
static void sgemm(gmk_run &)
{
    gmk_fail(true, "built without cublas_v2.h");
}
#endif

static const gmk_kernel table[] = {
    {"sgemm_cublas", 512, 256, 16384, 0, false, "the library kernel a student compares with",
     sgemm},
};
GMK_TOPIC(gmk_gemm_cublas, "rows and columns");
