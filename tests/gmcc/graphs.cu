/* SPDX-License-Identifier: MIT
 *
 * graphs.cu - CUDA graphs: captured streams, a stream that joins by an event, graphs made node by
 * node, launches again and again, other arguments for a node; and what is refused during a capture.
 */
#include <cstdio>

static int number, failed;
static void ok(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failed += !good;
}

__global__ void add(int *to, int value)
{
    to[threadIdx.x] += value;
}
__global__ void twice(int *to, const int *from)
{
    to[threadIdx.x] = 2 * from[threadIdx.x];
}
static void count(void *user)
{
    ++*(int *)user;
}

static void captured()
{
    int *a, *b, out[32] = {}, calls = 0;
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    cudaMemset(a, 0, 128);
    cudaMemset(b, 1, 128);
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    for (int i = 1; i <= 3; i++) /* the argument's variable is gone when the graph runs */
        add<<<1, 32, 0, one>>>(a, i);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(two, fork, 0);
    twice<<<1, 32, 0, two>>>(b, a);
    cudaEventRecord(join, two);
    cudaStreamWaitEvent(one, join, 0);
    cudaMemcpyAsync(out, b, 128, cudaMemcpyDeviceToHost, one);
    cudaLaunchHostFunc(one, count, &calls);
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(two, &status);
    ok(status == cudaStreamCaptureStatusActive,
       "a stream that waits for an event is captured, too");
    ok(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported,
       "nobody waits for a captured stream");
    ok(cudaStreamEndCapture(two, &graph) == cudaErrorStreamCaptureUnmatched,
       "a capture ends where it began");
    ok(cudaStreamEndCapture(one, &graph) == cudaSuccess && out[5] == 0 && calls == 0,
       "a capture runs nothing");
    cudaStreamIsCapturing(two, &status);
    ok(status == cudaStreamCaptureStatusNone, "and ends for all of its streams");
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    ok(nodes == 6, "nodes are counted");
    cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
    cudaGraphDestroy(graph);
    bool good = true;
    for (int i = 1; i <= 3; i++) {
        good = good && cudaGraphLaunch(exec, one) == cudaSuccess;
        cudaStreamSynchronize(one);
        good = good && out[0] == 12 * i && out[31] == 12 * i && calls == i;
    }
    ok(good, "each launch runs all of it, without the graph that it came from");
    ok(cudaGraphExecDestroy(exec) == cudaSuccess, "an instance is given back");
    ok(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported,
       "the legacy stream is not captured");
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

static void by_hand()
{
    int *a, *b, value = 5, out[32] = {};
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    cudaMemset(b, 0, 128);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t clear, sum, product, back;
    cudaGraphCreate(&graph, 0);
    void *of_product[] = {&b, &a}, *of_sum[] = {&a, &value};
    cudaKernelNodeParams k = {};
    k.func = (void *)twice;
    k.gridDim = dim3(1);
    k.blockDim = dim3(32);
    k.kernelParams = of_product;
    /* The node that comes last is made first. */
    cudaGraphAddKernelNode(&product, graph, nullptr, 0, &k);
    cudaMemsetParams m = {};
    m.dst = a;
    m.value = 1000;
    m.elementSize = 4;
    m.width = 32;
    m.height = 1;
    cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &m);
    k.func = (void *)add;
    k.kernelParams = of_sum;
    cudaGraphAddKernelNode(&sum, graph, &clear, 1, &k);
    cudaGraphAddDependencies(graph, &sum, &product, 1);
    cudaGraphAddMemcpyNode1D(&back, graph, &product, 1, out, b, 128, cudaMemcpyDeviceToHost);
    value = 77; /* kept when the node was made */
    cudaGraphInstantiate(&exec, graph);
    ok(cudaGraphLaunch(exec, 0) == cudaSuccess && out[3] == 2010, "nodes run in dependency order");
    cudaGraphExecKernelNodeSetParams(exec, sum, &k);
    ok(cudaGraphLaunch(exec, 0) == cudaSuccess && out[3] == 2154, "a node gets other arguments");
    cudaGraphAddDependencies(graph, &back, &clear, 1);
    cudaGraphExec_t circle;
    cudaGraphInstantiate(&circle, graph);
    ok(cudaGraphLaunch(circle, 0) == cudaErrorInvalidValue, "a circle is refused");
    cudaGraphExecDestroy(circle);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

int main()
{
    captured();
    by_hand();
    printf("1..%d\n", number);
    return failed != 0;
}
