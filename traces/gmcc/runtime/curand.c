/* SPDX-License-Identifier: MIT
 *
 * curand.c - cuRAND's calls of the host as loops on the host. Whatever the generator is called,
 * numbers are those of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
 * SC 2011): word n of the sequence is a function of n and the seed, so an offset costs nothing.
 * Left out: quasirandom generators, and the orders in which a GPU gives numbers.
 */
#include "traces/gmcc/include/fallback/curand.h"
#include "traces/gmcc/runtime/capture.h"

#include <math.h>
#include <stdlib.h>

struct curandGenerator_st {
    uint64_t seed, next; /* word of the sequence */
    bool host;           /* gives its numbers to host memory */
};

static uint32_t word_at(uint64_t seed, uint64_t n)
{
    uint32_t c[4] = {(uint32_t)(n / 4), (uint32_t)(n / 4 >> 32), 0, 0};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        const uint32_t mixed[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b,
                                   (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = mixed[i];
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c[n % 4];
}

static uint32_t next_word(curandGenerator_t g)
{
    return word_at(g->seed, g->next++);
}
static uint64_t next_wide(curandGenerator_t g)
{
    const uint64_t low = next_word(g);
    return low | (uint64_t)next_word(g) << 32;
}
/* Half a step above 0 at least, 1 at most. */
static float next_float(curandGenerator_t g)
{
    return (float)((double)next_word(g) * 0x1p-32 + 0x1p-33);
}
static double next_double(curandGenerator_t g)
{
    return (double)(next_wide(g) >> 11) * 0x1p-53 + 0x1p-54;
}

/* Two at a time (Box and Muller). */
static void next_normals(curandGenerator_t g, double two[2])
{
    const double length = sqrt(-2 * log(next_double(g)));
    const double angle = 6.283185307179586477 * next_double(g);
    two[0] = length * cos(angle);
    two[1] = length * sin(angle);
}

/* By products of uniform numbers while lambda is small, and as a sum of parts that are. */
static uint32_t next_poisson(curandGenerator_t g, double lambda)
{
    uint32_t count = 0;
    for (double left = lambda; left > 0; left -= 30) {
        const double limit = exp(left < 30 ? -left : -30);
        for (double product = next_double(g); product > limit; product *= next_double(g))
            count++;
    }
    return count;
}

/* ---------------------------------------------------------------------------------------- calls */

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host)
{
    if (generator == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (type < CURAND_RNG_PSEUDO_DEFAULT || type >= CURAND_RNG_QUASI_DEFAULT) {
        gmcuda_message("curandCreateGenerator: quasirandom generators are not supported");
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = calloc(1, sizeof **generator);
    if (*generator == NULL)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*generator)->host = host;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    free(generator);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    (void)stream;
    return generator != NULL ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (generator == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    return order < CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS
                                                 : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    if (generator == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed;
    generator->next = 0;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (generator == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->next = offset;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    return generator != NULL ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

/* May the numbers be written? Says once that the trace lacks what happens. */
static curandStatus_t begin(const char *call, curandGenerator_t g, const void *to, size_t count,
                            size_t size)
{
    static bool said;
    char where[160];
    size_t bytes;
    const uint64_t address = (uint64_t)(uintptr_t)to;
    if (g == NULL)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (__builtin_mul_overflow(count, size, &bytes))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (g->host || bytes == 0)
        return CURAND_STATUS_SUCCESS;
    gmcuda_enter();
    curandStatus_t status =
        gmcuda_sticky() != cudaSuccess ? CURAND_STATUS_PREEXISTING_FAILURE : CURAND_STATUS_SUCCESS;
    if (gmcuda_captures()) {
        gmcuda_message("%s: not supported while a stream is captured", call);
        status = CURAND_STATUS_LAUNCH_FAILURE;
    } else if (!gmcuda_accessible(NULL, address, bytes, true, NULL) &&
               !gmcuda_in_variable(address, bytes)) {
        gmcuda_describe(address, bytes, where, sizeof where);
        gmcuda_message("%s: %zu bytes at %p are not device memory: %s", call, bytes, to, where);
        status = CURAND_STATUS_LAUNCH_FAILURE;
    }
    if (status == CURAND_STATUS_SUCCESS) {
        if (!said)
            gmcuda_message("warning: %s() runs on the host: it is in no trace and not simulated, "
                           "and its numbers are not those of a GPU",
                           call);
        said = true;
        gmptx_shadow_mark(gmcuda_shadow(), address, bytes, true);
    }
    gmcuda_leave(cudaSuccess);
    return status;
}

#define GENERATE(call, value)                                                                      \
    const curandStatus_t status = begin(call, generator, to, count, sizeof *to);                   \
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < count; i++)                          \
        to[i] = (value);                                                                           \
    return status;
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t count){
    GENERATE("curandGenerate", next_word(generator))} curandStatus_t
    curandGenerateLongLong(curandGenerator_t generator, unsigned long long *to, size_t count){
        GENERATE("curandGenerateLongLong", next_wide(generator))} curandStatus_t
    curandGenerateUniform(curandGenerator_t generator, float *to, size_t count){
        GENERATE("curandGenerateUniform", next_float(generator))} curandStatus_t
    curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count){
        GENERATE("curandGenerateUniformDouble", next_double(generator))} curandStatus_t
    curandGeneratePoisson(curandGenerator_t generator, unsigned int *to, size_t count,
                          double lambda)
{
    if (!(lambda > 0) || lambda > 400000)
        return CURAND_STATUS_OUT_OF_RANGE;
    GENERATE("curandGeneratePoisson", next_poisson(generator, lambda))
}

#define NORMAL(name, type, value)                                                                  \
    curandStatus_t name(curandGenerator_t generator, type *to, size_t count, type mean,            \
                        type deviation)                                                            \
    {                                                                                              \
        if (count % 2 != 0)                                                                        \
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                              \
        const curandStatus_t status = begin(#name, generator, to, count, sizeof *to);              \
        double two[2], normal;                                                                     \
        for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < count; i++) {                    \
            if (i % 2 == 0)                                                                        \
                next_normals(generator, two);                                                      \
            normal = (double)mean + (double)deviation * two[i % 2];                                \
            to[i] = (type)(value);                                                                 \
        }                                                                                          \
        return status;                                                                             \
    }
NORMAL(curandGenerateNormal, float, normal)
NORMAL(curandGenerateNormalDouble, double, normal)
NORMAL(curandGenerateLogNormal, float, exp(normal))
NORMAL(curandGenerateLogNormalDouble, double, exp(normal))
