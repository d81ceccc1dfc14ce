/* SPDX-License-Identifier: MIT
 *
 * gmkernels.cu - the driver: lists the kernels of every topic file, runs the named ones, one launch
 * each (pipelines: several), and says whether their results agree with the CPU's.
 *
 * Exit codes: 0 done, 1 a kernel failed or could not run, 2 usage.
 */
#include "kernels/gmkernels.h"
#include <errno.h>
#include <getopt.h>

#define TOPICS(X)                                                                                  \
    X(gmk_vector_add)                                                                              \
    X(gmk_shared_read)                                                                             \
    X(gmk_transpose)                                                                               \
    X(gmk_dot)                                                                                     \
    X(gmk_smooth)                                                                                  \
    X(gmk_matmul)                                                                                  \
    X(gmk_block_size)                                                                              \
    X(gmk_walk)                                                                                    \
    X(gmk_convolution)                                                                             \
    X(gmk_reduction)                                                                               \
    X(gmk_spmv)                                                                                    \
    X(gmk_particles)                                                                               \
    X(gmk_strided_store)                                                                           \
    X(gmk_padded_column)                                                                           \
    X(gmk_precision)                                                                               \
    X(gmk_spill)                                                                                   \
    X(gmk_double_buffer)                                                                           \
    X(gmk_constant_memory)                                                                         \
    X(gmk_divergent_clamp)                                                                         \
    X(gmk_latency)                                                                                 \
    X(gmk_occupancy)                                                                               \
    X(gmk_gemm_cublas)                                                                             \
    X(gmk_attention)                                                                               \
    X(gmk_carveouts)                                                                               \
    X(gmk_column)                                                                                  \
    X(gmk_conv2d_layer)                                                                            \
    X(gmk_embedding)                                                                               \
    X(gmk_gather_reuse)                                                                            \
    X(gmk_graph)                                                                                   \
    X(gmk_hash_probe)                                                                              \
    X(gmk_histogram)                                                                               \
    X(gmk_layer_norm)                                                                              \
    X(gmk_pipeline)                                                                                \
    X(gmk_reduce_forms)                                                                            \
    X(gmk_scan)                                                                                    \
    X(gmk_softmax)                                                                                 \
    X(gmk_sort)                                                                                    \
    X(gmk_spmv_formats)                                                                            \
    X(gmk_stencil2d)                                                                               \
    X(gmk_stencil3d)                                                                               \
    X(gmk_working_set)

#define DECLARE(topic) extern const gmk_topic topic;
TOPICS(DECLARE)
#define ADDRESS(topic) &topic,
static const gmk_topic *const topics[] = {TOPICS(ADDRESS)};
static const int topic_count = sizeof topics / sizeof topics[0];

struct options {
    bool list, small, check;
    int size, block; /* 0: the kernel's own */
};

static const char usage[] =
    "Usage: gmkernels [OPTION]... NAME...\n"
    "       gmkernels --list\n"
    "Runs CUDA kernels from course notes on memory optimisation, and others of the\n"
    "kinds real programs have. One launch each; pipelines are several.\n"
    "\n"
    "  -l, --list       print name, file, size, small size, block, what size\n"
    "                   counts and the notes' claim, one line a kernel\n"
    "  -n, --size=N     problem size (default: the size used for validation)\n"
    "  -s, --small      the small size, whose trace fits in a megabyte\n"
    "  -b, --block=N    threads a block, where the kernel leaves the choice\n"
    "  -c, --check      compare every result with the CPU's\n"
    "  -h, --help       print this\n"
    "  -V, --version    print the version\n"
    "\n"
    "NAME is a kernel's name, or `all`. Exit codes: 0 done, 1 failed, 2 usage.\n";

/* No heading: scripts take the first word of every line. */
static void list(void)
{
    for (int t = 0; t < topic_count; t++)
        for (int k = 0; k < topics[t]->kernels; k++) {
            const gmk_kernel &kernel = topics[t]->kernel[k];
            char counts[32];
            snprintf(counts, sizeof counts, "%s", topics[t]->counts);
            for (char *c = counts; *c; c++)
                if (*c == ' ')
                    *c = '-'; /* one word, so that columns can be cut */
            printf("%-30s %-18s %8d %7d %5d  %-17s %s\n", kernel.name, topics[t]->file, kernel.size,
                   kernel.small, kernel.block, counts, kernel.claim);
        }
}

static const gmk_kernel *find(const char *name)
{
    for (int t = 0; t < topic_count; t++)
        for (int k = 0; k < topics[t]->kernels; k++)
            if (strcmp(topics[t]->kernel[k].name, name) == 0)
                return &topics[t]->kernel[k];
    return nullptr;
}

static int positive(const char *option, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1 || value > INT_MAX) {
        fprintf(stderr, "gmkernels: %s: '%s' is not a whole number from 1 to %d\n", option, text,
                INT_MAX);
        exit(2);
    }
    return (int)value;
}

/* What the options ask of this kernel, or false and a message. */
static bool settle(const gmk_kernel &kernel, const options &o, gmk_run &run)
{
    memset(&run, 0, sizeof run);
    run.name = kernel.name;
    run.check = o.check;
    run.size = o.size ? o.size : o.small ? kernel.small : kernel.size;
    run.block = o.block ? o.block : kernel.block;
    if (run.size > kernel.most) {
        fprintf(stderr, "gmkernels: %s: --size %d is too large, the most is %d\n", kernel.name,
                run.size, kernel.most);
        return false;
    }
    if (o.block && o.block != kernel.block && !kernel.any_block) {
        fprintf(stderr, "gmkernels: %s: its block size cannot be changed; leave out --block\n",
                kernel.name);
        return false;
    }
    if (run.block > 1024) {
        fprintf(stderr, "gmkernels: %s: --block %d is too large, the most is 1024\n", kernel.name,
                run.block);
        return false;
    }
    return true;
}

enum outcome { GOOD, BAD, UNAVAILABLE };

static outcome execute(const gmk_kernel &kernel, gmk_run &run)
{
    outcome result = GOOD;
    try {
        kernel.run(run);
        if (run.wrong) {
            printf("%-30s size %-8d FAILED: %zu of %zu values wrong, first %s\n", run.name,
                   run.size, run.wrong, run.compared, run.first);
            result = BAD;
        } else if (run.check) {
            printf("%-30s size %-8d OK: %zu values%s%s\n", run.name, run.size, run.compared,
                   run.note[0] ? ", " : "", run.note);
        } else {
            printf("%-30s size %-8d ran, not checked%s%s\n", run.name, run.size,
                   run.note[0] ? ", " : "", run.note);
        }
    } catch (const gmk_failure &failure) {
        if (failure.unavailable) {
            printf("%-30s size %-8d unavailable: %s\n", run.name, run.size, failure.text);
            return UNAVAILABLE;
        }
        printf("%-30s size %-8d FAILED: %s\n", run.name, run.size, failure.text);
        cudaDeviceReset(); /* an error inside a kernel would fail every later call as well */
        result = BAD;
    }
    fflush(stdout);
    return result;
}

static int run_all(const options &o)
{
    int status = 0;
    for (int t = 0; t < topic_count; t++)
        for (int k = 0; k < topics[t]->kernels; k++) {
            gmk_run run;
            if (!settle(topics[t]->kernel[k], o, run))
                return 2;
            if (execute(topics[t]->kernel[k], run) == BAD)
                status = 1;
        }
    return status;
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"list", no_argument, nullptr, 'l'},    {"size", required_argument, nullptr, 'n'},
        {"small", no_argument, nullptr, 's'},   {"block", required_argument, nullptr, 'b'},
        {"check", no_argument, nullptr, 'c'},   {"help", no_argument, nullptr, 'h'},
        {"version", no_argument, nullptr, 'V'}, {nullptr, 0, nullptr, 0}};
    options o = {};
    int c;
    while ((c = getopt_long(argc, argv, "ln:sb:chV", longs, nullptr)) != -1) {
        switch (c) {
        case 'l':
            o.list = true;
            break;
        case 'n':
            o.size = positive("--size", optarg);
            break;
        case 's':
            o.small = true;
            break;
        case 'b':
            o.block = positive("--block", optarg);
            break;
        case 'c':
            o.check = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
        case 'V':
            puts("gmkernels " PACKAGE_VERSION);
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
        default:
            fputs("Try `gmkernels --help`.\n", stderr);
            return 2;
        }
    }
    if (o.list) {
        if (optind < argc) {
            fprintf(stderr, "gmkernels: --list takes no NAME\n");
            return 2;
        }
        list();
        return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
    }
    if (optind == argc) {
        fputs("gmkernels: which kernel? Name one, or `all`; --list shows them.\n", stderr);
        return 2;
    }
    if (o.size && o.small) {
        fputs("gmkernels: --size and --small contradict each other\n", stderr);
        return 2;
    }
    for (int i = optind; i < argc; i++) {
        gmk_run run;
        if (strcmp(argv[i], "all") == 0) {
            if (o.size || o.block) {
                fputs("gmkernels: all: sizes differ from kernel to kernel; use --small or name "
                      "kernels\n",
                      stderr);
                return 2;
            }
            continue;
        }
        const gmk_kernel *kernel = find(argv[i]);
        if (!kernel) {
            fprintf(stderr, "gmkernels: %s: no such kernel; --list shows them\n", argv[i]);
            return 2;
        }
        if (!settle(*kernel, o, run))
            return 2;
    }

    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        fprintf(stderr, "gmkernels: no usable GPU: %s\n",
                error == cudaSuccess ? "none found" : cudaGetErrorString(error));
        return 1;
    }
    int status = 0;
    for (int i = optind; i < argc; i++) {
        gmk_run run;
        if (strcmp(argv[i], "all") == 0) {
            int one = run_all(o);
            status = one > status ? one : status;
            continue;
        }
        const gmk_kernel *kernel = find(argv[i]);
        settle(*kernel, o, run);
        if (execute(*kernel, run) != GOOD) /* asked for by name: unavailable is a failure */
            status = 1;
    }
    return status;
}
