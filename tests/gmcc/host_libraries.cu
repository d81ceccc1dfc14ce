/* SPDX-License-Identifier: MIT
 *
 * host_libraries.cu - cuRAND's calls of the host, cuBLAS's on vectors, and cuBLASLt's products:
 * distributions, seeds and offsets, and sums against loops here.
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <curand.h>

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

template <typename T> static bool moments(const T *x, size_t n, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    const double found = sqrt(squares / n), error = 6 * deviation / sqrt((double)n);
    return fabs(sum / n - mean) < error && fabs(found - deviation) < 2 * error;
}

static void random_numbers()
{
    const size_t n = 40000;
    unsigned int *words;
    float *floats, *again;
    double *doubles;
    curandGenerator_t g;
    cudaMallocManaged(&words, n * sizeof *words);
    cudaMallocManaged(&floats, n * sizeof *floats);
    cudaMallocManaged(&again, n * sizeof *again);
    cudaMallocManaged(&doubles, n * sizeof *doubles);
    bool good = curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS &&
                curandSetPseudoRandomGeneratorSeed(g, 0) == CURAND_STATUS_SUCCESS &&
                curandGenerate(g, words, n) == CURAND_STATUS_SUCCESS;
    /* The known answer of Philox4x32-10 for a counter and a key of zeros. */
    ok(good && words[0] == 0x6627e8d5 && words[1] == 0xe169c58d && words[2] == 0xbc57ac4c &&
           words[3] == 0x9b00dbd8,
       "words are Philox's");
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    good = curandGenerateUniform(g, floats, n) == CURAND_STATUS_SUCCESS;
    for (size_t i = 0; i < n; i++)
        good = good && floats[i] > 0 && floats[i] <= 1;
    ok(good && moments(floats, n, 0.5, sqrt(1 / 12.0)), "uniform numbers");
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    curandSetGeneratorOffset(g, 100);
    curandGenerateUniform(g, again, n - 100);
    ok(memcmp(again, floats + 100, (n - 100) * sizeof *again) == 0, "the same from an offset on");
    ok(curandGenerateNormal(g, floats, n, 3, 2) == CURAND_STATUS_SUCCESS &&
           moments(floats, n, 3, 2),
       "normal numbers");
    ok(curandGenerateNormalDouble(g, doubles, n, -1, 0.5) == CURAND_STATUS_SUCCESS &&
           moments(doubles, n, -1, 0.5),
       "normal numbers in double precision");
    ok(curandGenerateLogNormalDouble(g, doubles, n, 0, 0.25) == CURAND_STATUS_SUCCESS &&
           moments(doubles, n, exp(0.03125), exp(0.03125) * sqrt(exp(0.0625) - 1)),
       "numbers whose logarithms are normal");
    ok(curandGeneratePoisson(g, words, n, 42) == CURAND_STATUS_SUCCESS &&
           moments(words, n, 42, sqrt(42.0)),
       "Poisson's");
    float here[2], *device;
    cudaMalloc(&device, 16);
    ok(curandGenerateNormal(g, floats, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE &&
           curandGenerateUniform(g, here, 2) != CURAND_STATUS_SUCCESS &&
           curandGenerateUniform(g, device, 5) != CURAND_STATUS_SUCCESS &&
           curandGenerate(g, words, ~(size_t)0 / 4 + 1) == CURAND_STATUS_OUT_OF_RANGE,
       "odd numbers of normal ones, host memory and too little memory are refused");
    curandDestroyGenerator(g);
    ok(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_SUCCESS &&
           curandGenerateUniform(g, here, 2) == CURAND_STATUS_SUCCESS && here[0] != here[1],
       "a generator for the host");
    curandDestroyGenerator(g);
    ok(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR,
       "quasirandom generators are refused");
}

static void vectors()
{
    const int n = 100;
    float *x, *y, *a;
    float alpha = 2, beta = 3, result = 0, cosine = 0.6f, sine = 0.8f;
    int at = 0, least = 0;
    cublasHandle_t handle;
    cublasCreate(&handle);
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    cudaMallocManaged(&a, n * n * sizeof *a);
    for (int i = 0; i < n; i++)
        x[i] = i % 10 - 5, y[i] = i;
    x[77] = -9, x[78] = 9, x[5] = 0;
    double squares = 0, absolute = 0;
    for (int i = 0; i < n; i += 2)
        squares += x[i] * x[i], absolute += fabsf(x[i]);
    ok(cublasSnrm2(handle, n / 2, x, 2, &result) == CUBLAS_STATUS_SUCCESS &&
           fabs(result - sqrt(squares)) < 1e-4 &&
           cublasSasum(handle, n / 2, x, 2, &result) == CUBLAS_STATUS_SUCCESS && result == absolute,
       "nrm2 and asum of every second element");
    ok(cublasIsamax(handle, n, x, 1, &at) == CUBLAS_STATUS_SUCCESS && at == 78 &&
           cublasIsamin(handle, n, x, 1, &least) == CUBLAS_STATUS_SUCCESS && least == 6,
       "the first of the largest and of the smallest, counted from 1");
    const float x3 = x[3], y3 = y[3];
    bool good = cublasSswap(handle, n, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS && x[3] == y3 &&
                y[3] == x3 && cublasSaxpy(handle, n, &alpha, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS &&
                y[3] == x3 + 2 * y3 &&
                cublasSrot(handle, n, x, 1, y, 1, &cosine, &sine) == CUBLAS_STATUS_SUCCESS &&
                fabsf(x[3] - (0.6f * y3 + 0.8f * (x3 + 2 * y3))) < 1e-5f &&
                cublasScopy(handle, n, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS && y[99] == x[99];
    ok(good, "swap, axpy, rot, copy");
    cudaMemset(a, 0, n * n * sizeof *a);
    good = cublasSger(handle, 3, 4, &alpha, x, 1, y, 2, a, 10) == CUBLAS_STATUS_SUCCESS &&
           a[3 * 10 + 2] == 2 * x[2] * y[6] && a[3 * 10 + 3] == 0;
    float *c = a + 200, *d = a + 400;
    good = good &&
           cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 3, &alpha, a, 10, &beta, d, 4, c, 4) ==
               CUBLAS_STATUS_SUCCESS &&
           c[2 * 4 + 3] == 2 * a[3 * 10 + 2];
    ok(good, "ger, and geam of a transposed matrix");
    float host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {};
    good = cublasSetMatrix(2, 3, sizeof(float), host, 2, a, 5) == CUBLAS_STATUS_SUCCESS &&
           a[11] == 6 &&
           cublasGetMatrix(2, 3, sizeof(float), a, 5, back, 2) == CUBLAS_STATUS_SUCCESS;
    ok(good && memcmp(host, back, sizeof host) == 0, "matrices to the device and back");
    float **list, one = 1, zero = 0;
    cudaMallocManaged(&list, 6 * sizeof *list);
    for (int i = 0; i < 2; i++) {
        list[i] = a + 100 * i, list[2 + i] = a + 1000 + 100 * i, list[4 + i] = a + 2000 + 100 * i;
        for (int k = 0; k < 4; k++)
            list[i][k] = i + k, list[2 + i][k] = k == 0 || k == 3 ? 2 : 0;
    }
    ok(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, list, 2, list + 2, 2,
                          &zero, list + 4, 2, 2) == CUBLAS_STATUS_SUCCESS &&
           list[5][3] == 2 * 4 && list[4][1] == 2,
       "products by lists of pointers");
    ok(strcmp(cublasGetStatusString(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE") ==
               0 &&
           cublasSscal(handle, n, &alpha, x, 0) == CUBLAS_STATUS_INVALID_VALUE &&
           cublasSscal(handle, n + 1, &alpha, x, 1) == CUBLAS_STATUS_EXECUTION_FAILED,
       "wrong steps and lengths are refused");
    cublasDestroy(handle);
}

/* d = f(2 a^T b + 3 c + bias), two of them, by columns: 5 x 4, sums of 3; d is of halves. */
static void light()
{
    enum { M = 5, N = 4, K = 3, COUNT = 2 };
    float *a, *b, *c, *bias;
    __half *d;
    cudaMallocManaged(&a, COUNT * K * M * sizeof *a);
    cudaMallocManaged(&b, COUNT * K * N * sizeof *b);
    cudaMallocManaged(&c, COUNT * M * N * sizeof *c);
    cudaMallocManaged(&d, COUNT * (M + 1) * N * sizeof *d);
    cudaMallocManaged(&bias, M * sizeof *bias);
    for (int i = 0; i < COUNT * K * M; i++)
        a[i] = i % 7 - 3;
    for (int i = 0; i < COUNT * K * N; i++)
        b[i] = i % 5 - 2;
    for (int i = 0; i < COUNT * M * N; i++)
        c[i] = 0.25f * (i % 11) - 1;
    for (int i = 0; i < M; i++)
        bias[i] = i - 1.5f;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t layout[4];
    cublasLtMatmulPreference_t preference;
    const float alpha = 2, beta = 3;
    const int64_t strides[4] = {K * M, K * N, M * N, (M + 1) * N};
    const int32_t count = COUNT;
    const cublasOperation_t turned = CUBLAS_OP_T;
    const cudaDataType type = CUDA_R_32F;
    const size_t room = 1 << 20;
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &type,
                                   sizeof type);
    cublasLtMatrixLayoutCreate(&layout[0], CUDA_R_32F, K, M, K);
    cublasLtMatrixLayoutCreate(&layout[1], CUDA_R_32F, K, N, K);
    cublasLtMatrixLayoutCreate(&layout[2], CUDA_R_32F, M, N, M);
    cublasLtMatrixLayoutCreate(&layout[3], CUDA_R_16F, M, N, M + 1);
    for (int i = 0; i < 4; i++) {
        cublasLtMatrixLayoutSetAttribute(layout[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                         sizeof count);
        cublasLtMatrixLayoutSetAttribute(layout[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                         &strides[i], sizeof strides[i]);
    }
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &room, sizeof room);
    static const cublasLtEpilogue_t functions[] = {
        CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
        CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS};
    bool good = true;
    for (cublasLtEpilogue_t f : functions) {
        cublasLtMatmulHeuristicResult_t found;
        int several = 0;
        cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &f, sizeof f);
        good =
            good &&
            cublasLtMatmulAlgoGetHeuristic(handle, product, layout[0], layout[1], layout[2],
                                           layout[3], preference, 1, &found,
                                           &several) == CUBLAS_STATUS_SUCCESS &&
            several == 1 &&
            cublasLtMatmul(handle, product, &alpha, a, layout[0], b, layout[1], &beta, c, layout[2],
                           d, layout[3], &found.algo, nullptr, 0, 0) == CUBLAS_STATUS_SUCCESS;
        for (int p = 0; p < COUNT && good; p++)
            for (int i = 0; i < M * N; i++) {
                float x = 0;
                for (int l = 0; l < K; l++)
                    x += a[p * K * M + i % M * K + l] * b[p * K * N + i / M * K + l];
                x = 2 * x + 3 * c[p * M * N + i] + (f & CUBLASLT_EPILOGUE_BIAS ? bias[i % M] : 0);
                if (f & CUBLASLT_EPILOGUE_RELU)
                    x = x > 0 ? x : 0;
                if (f & CUBLASLT_EPILOGUE_GELU)
                    x = 0.5f * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715f * x * x * x)));
                const float is = (float)d[p * (M + 1) * N + i / M * (M + 1) + i % M];
                good = good && fabsf(is - x) <= 1e-3f * (1 + fabsf(x));
            }
    }
    ok(good, "cublasLtMatmul: batches with bias and activation");
    const cublasLtEpilogue_t auxiliary = (cublasLtEpilogue_t)164;
    cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &auxiliary,
                                   sizeof auxiliary);
    ok(cublasLtMatmul(handle, product, &alpha, a, layout[0], b, layout[1], &beta, c, layout[2], d,
                      layout[3], nullptr, nullptr, 0, 0) == CUBLAS_STATUS_NOT_SUPPORTED &&
           cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &room,
                                          sizeof room) == CUBLAS_STATUS_INVALID_VALUE,
       "cublasLtMatmul: what is not there is refused");
    for (int i = 0; i < 4; i++)
        cublasLtMatrixLayoutDestroy(layout[i]);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(product);
    cublasLtDestroy(handle);
}

int main()
{
    random_numbers();
    vectors();
    light();
    printf("1..%d\n", number);
    return failed != 0;
}
