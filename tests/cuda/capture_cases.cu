/* SPDX-License-Identifier: MIT
 *
 * capture_cases.cu - one small kernel for each thing gmcapture must see, and for each way a program
 * can launch kernels. `capture_cases CASE...` runs them, --list names them. On a machine with a GPU
 *
 *     make tests/cuda/capture_cases
 *     validate/measure --program tests/cuda/capture_cases --metrics exact --out FOLDER
 *
 * compares what is captured of each with the hardware's counters. `divergent`, `ragged`,
 * `early_exit` and the `generic` ones settle that a warp comes in as many pieces as the hardware
 * executes: on an H200 (CUDA 13.0, driver 580.159) both counted 704 global loads and 256 stores in
 * divergent, 128 and 68 in ragged, 22 and 22 in early_exit, and an instruction whose lanes read
 * three spaces once for each space. The `graph` ones, dependent, green, jit, streams and child settle
 * that launches of each kind are seen, each with the hardware's counts; asserts, prints and
 * allocates how many registers a thread gets where the driver links functions in.
 */
#include "capture_kernels.cuh"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "capture_cases: %s: %s\n", #call, cudaGetErrorString(error_));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static float *floats;
static int *ints;
static const size_t bytes = 64u << 20;

static void run_copy() { copy<<<1024, 256>>>(floats, floats + (4 << 20), 1024 * 256 - 5); }
static void run_divergent() { divergent<<<16, 128>>>(ints, ints + (1 << 20)); }
static void run_ragged() { ragged<<<4, 64>>>(ints, ints + (1 << 20)); }
static void run_early_exit() { early_exit<<<8, 96>>>(ints, ints + (1 << 20), 700); }
static void run_callee() { callee<<<8, 64>>>(ints, ints + (1 << 20)); }
static void run_local() { local<<<8, 64>>>(ints, ints + (1 << 20)); }
static void run_atomics() { atomics<<<2, 128>>>(ints, ints + (1 << 20)); }
static void run_widths()
{
    widths<<<1, 128>>>((double *)floats, (float4 *)floats + 4096, (unsigned char *)ints,
                       (short *)ints + 4096);
}
static void run_async_copy() { async_copy<<<2, 128>>>(floats, floats + (1 << 20)); }
static void run_matrices() { matrices<<<2, 32>>>((unsigned *)ints); }
static void run_generic_shared() { generic<<<2, 64>>>(ints, ints + (1 << 20), 1); }
static void run_generic_local() { generic<<<2, 64>>>(ints, ints + (1 << 20), 2); }
static void run_generic() { generic<<<2, 64>>>(ints, ints + (1 << 20), 3); }
static void run_prefetches() { prefetches<<<2, 32>>>(floats, floats + (1 << 20)); }
static void run_blocks()
{
    blocks_of_two_dimensions<<<dim3(4, 4), dim3(16, 16)>>>(floats, floats + (1 << 20), 64);
}

/* Addresses 4 GiB and more apart do not fit 32-bit distances. */
static void run_scattered()
{
    const int *list[64], **where;
    char *far_away;
    CHECK(cudaMalloc(&far_away, (size_t)6 << 30));
    for (int i = 0; i < 64; i++)
        list[i] = i % 2 ? ints + i * 9 : (const int *)(far_away + (size_t)i * (96 << 20));
    CHECK(cudaMalloc(&where, sizeof list));
    CHECK(cudaMemcpy(where, list, sizeof list, cudaMemcpyHostToDevice));
    scattered<<<1, 64>>>(where, ints + (1 << 20));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(far_away));
    CHECK(cudaFree(where));
}

static void run_dynamic_shared()
{
    CHECK(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               100 << 10));
    CHECK(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout,
                               60));
    dynamic_shared<<<3, 128, 70000>>>(ints);
}

static void run_cooperative()
{
    void *arguments[] = {&ints};
    CHECK(cudaLaunchCooperativeKernel((void *)cooperative, dim3(132), dim3(256), arguments));
}

static void run_cluster() { cluster<<<4, 128>>>(ints); }
static void run_cluster_generic() { cluster_generic<<<4, 128>>>(ints, ints + (1 << 20)); }
static void run_bulk() { bulk<<<2, 256>>>(ints, ints + (1 << 20)); }

static void run_streams()
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([t] {
            cudaStream_t stream[2];
            for (cudaStream_t &one : stream)
                CHECK(cudaStreamCreate(&one));
            for (int k = 0; k < 10; k++)
                copy<<<16, 128, 0, stream[k % 2]>>>(floats + t * 65536,
                                                    floats + (8 << 20) + k * 4096, 2048);
            for (cudaStream_t one : stream)
                CHECK(cudaStreamDestroy(one));
        });
    for (std::thread &thread : threads)
        thread.join();
}

static void run_graph()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    copy<<<16, 128, 0, stream>>>(floats, floats + 65536, 2048);
    copy<<<16, 128, 0, stream>>>(floats, floats + 131072, 2048);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 3; k++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* Two branches that run side by side, and meet again. */
static void run_graph_branches()
{
    cudaStream_t stream, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    early_exit<<<8, 96, 0, stream>>>(ints, ints + (1 << 20), 700);
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(other, fork, 0));
    copy<<<64, 256, 0, stream>>>(floats, floats + (4 << 20), 64 * 256);
    divergent<<<16, 128, 0, other>>>(ints + (2 << 20), ints + (3 << 20));
    cluster<<<4, 128, 0, other>>>(ints);
    CHECK(cudaEventRecord(join, other));
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    copy<<<16, 128, 0, stream>>>(floats, floats + 65536, 2048);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphUpload(exec, stream));
    for (int k = 0; k < 2; k++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
}

/* Made node by node, with a graph in the graph; its kernels are launched in no other way. */
static void run_graph_built()
{
    static int *out = ints, n = 700;
    static const int *in = ints + (1 << 20);
    void *shared_arguments[] = {&out}, *exit_arguments[] = {&out, &in, &n};
    cudaKernelNodeParams shared = {}, exits = {};
    cudaGraph_t graph, child;
    cudaGraphNode_t first, second;
    cudaGraphExec_t exec;
    shared.func = (void *)dynamic_shared;
    shared.gridDim = dim3(3);
    shared.blockDim = dim3(128);
    shared.sharedMemBytes = 9000;
    shared.kernelParams = shared_arguments;
    exits.func = (void *)early_exit;
    exits.gridDim = dim3(8);
    exits.blockDim = dim3(96);
    exits.kernelParams = exit_arguments;
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddKernelNode(&first, child, NULL, 0, &shared));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&first, graph, NULL, 0, &exits));
    CHECK(cudaGraphAddChildGraphNode(&second, graph, &first, 1, child));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
}

static void run_dependent()
{
    cudaStream_t stream;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    CHECK(cudaStreamCreate(&stream));
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(16);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int k = 0; k < 3; k++)
        CHECK(cudaLaunchKernelEx(&config, dependent, floats + k * 4096,
                                 (const float *)floats + 65536, 2000));
    CHECK(cudaStreamSynchronize(stream));
}

#define DRIVER(call)                                                                               \
    do {                                                                                           \
        CUresult result_ = (call);                                                                 \
        if (result_ != CUDA_SUCCESS) {                                                             \
            fprintf(stderr, "capture_cases: %s: error %d\n", #call, (int)result_);                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A stream that may use some of the SMs alone. */
static void run_green()
{
    CUdevResource all, part;
    CUdevResourceDesc description;
    CUgreenCtx green;
    CUstream stream;
    unsigned groups = 1;
    DRIVER(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    DRIVER(cuDevSmResourceSplitByCount(&part, &groups, &all, NULL, 0, 16));
    DRIVER(cuDevResourceGenerateDesc(&description, &part, 1));
    DRIVER(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    DRIVER(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    copy<<<16, 128, 0, stream>>>(floats, floats + 65536, 2048);
    CHECK(cudaStreamSynchronize(stream));
}

/* Compiled by the driver when it is loaded, as NVRTC's PTX is. */
static void run_jit()
{
    static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                              ".visible .entry jitted(.param .u64 p) {\n"
                              ".reg .b64 %a<3>; .reg .b32 %r<3>;\n"
                              "ld.param.u64 %a0, [p]; mov.u32 %r0, %tid.x;\n"
                              "mul.wide.u32 %a1, %r0, 4; add.s64 %a2, %a0, %a1;\n"
                              "ld.global.u32 %r1, [%a2]; st.global.u32 [%a2+8192], %r1;\n"
                              "ret;\n}\n";
    CUmodule module;
    CUfunction function;
    void *arguments[] = {&ints};
    DRIVER(cuModuleLoadData(&module, ptx));
    DRIVER(cuModuleGetFunction(&function, module, "jitted"));
    DRIVER(cuLaunchKernel(function, 4, 1, 1, 128, 1, 1, 0, 0, arguments, NULL));
    CHECK(cudaDeviceSynchronize());
    DRIVER(cuModuleUnload(module));
}

static void run_asserts() { asserts<<<2, 64>>>(ints, ints + (1 << 20)); }
static void run_prints() { prints<<<2, 64>>>(ints, ints + (1 << 20)); }
static void run_allocates() { allocates<<<1, 32>>>(ints, ints + (1 << 20)); }

/* One launch before the profiler's start, two up to its stop, three after. */
static void run_ranges()
{
    auto some = [](int launches) {
        for (int k = 0; k < launches; k++)
            copy<<<16, 128>>>(floats, floats + 65536, 2048);
    };
    some(1);
    CHECK(cudaProfilerStart());
    some(2);
    CHECK(cudaProfilerStop());
    some(3);
}

/* This process launches nothing, its child does. */
static void run_child()
{
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "capture_cases", "copy", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) {
        fprintf(stderr, "capture_cases: the child failed\n");
        exit(1);
    }
}

/* 8 million warp records in one launch, all with a constant stride or none. */
static void run_big() { repeated<<<16384, 1024>>>(floats, 8, 0); }
static void run_big_scatter() { repeated<<<16384, 1024>>>(floats, 8, 40503); }

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    {"copy", run_copy},
    {"divergent", run_divergent},
    {"ragged", run_ragged},
    {"early_exit", run_early_exit},
    {"callee", run_callee},
    {"local", run_local},
    {"atomics", run_atomics},
    {"widths", run_widths},
    {"async_copy", run_async_copy},
    {"matrices", run_matrices},
    {"generic_shared", run_generic_shared},
    {"generic_local", run_generic_local},
    {"generic", run_generic},
    {"scattered", run_scattered},
    {"prefetches", run_prefetches},
    {"blocks", run_blocks},
    {"dynamic_shared", run_dynamic_shared},
    {"cooperative", run_cooperative},
    {"cluster", run_cluster},
    {"cluster_generic", run_cluster_generic},
    {"bulk", run_bulk},
    {"streams", run_streams},
    {"graph", run_graph},
    {"graph_branches", run_graph_branches},
    {"graph_built", run_graph_built},
    {"dependent", run_dependent},
    {"green", run_green},
    {"jit", run_jit},
    {"asserts", run_asserts},
    {"prints", run_prints},
    {"allocates", run_allocates},
    {"ranges", run_ranges},
    {"child", run_child},
    {"big", run_big},
    {"big_scatter", run_big_scatter},
};

int main(int count, char **argument)
{
    if (count < 2 || strcmp(argument[1], "--list") == 0) {
        for (const auto &at : cases)
            puts(at.name);
        return 0;
    }
    if (strcmp(argument[1], "child") == 0) {
        run_child();
        return 0;
    }
    CHECK(cudaMalloc(&floats, bytes));
    CHECK(cudaMalloc(&ints, bytes));
    CHECK(cudaMemset(floats, 0, bytes));
    std::vector<int> numbers(bytes / sizeof(int));
    uint32_t state = 1;
    for (int &number : numbers)
        number = (int)((state = state * 1664525u + 1013904223u) >> 12);
    CHECK(cudaMemcpy(ints, numbers.data(), bytes, cudaMemcpyHostToDevice));
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (const auto &at : cases) {
            if (strcmp(at.name, argument[i]) != 0)
                continue;
            at.run();
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            known = true;
        }
        if (!known) {
            fprintf(stderr, "capture_cases: %s: no such case\n", argument[i]);
            return 2;
        }
    }
    return 0;
}
