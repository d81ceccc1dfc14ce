/* SPDX-License-Identifier: MIT
 *
 * graph.cu - one step over a directed graph in CSR form, one thread a vertex: pull (a vertex adds
 * up what its neighbours hold: a gather) and push (a vertex adds its value to every neighbour's: a
 * scatter by atomicAdd). Two graphs: a power law (3 edges or more, few vertices with very many,
 * both as source and as target; the targets that many edges name lie anywhere), and a band (9
 * edges, all to vertices near by). Leaves out frontiers and weights: every edge is walked once.
 */
#include "kernels/gmkernels.h"

#define LEAST      3   /* edges a vertex has in the power law */
#define MOST       256 /* keeps one thread from walking alone for long */
#define BAND_EDGES 9
#define BAND       64 /* how far a banded edge reaches to either side */

static __device__ void pull(const int *start, const int *neighbour, const int *x, int *sum,
                            int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    int s = 0;
    for (int e = start[v]; e < start[v + 1]; e++)
        s += x[neighbour[e]];
    sum[v] = s;
}

static __device__ void push(const int *start, const int *neighbour, const int *x, int *sum,
                            int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    int own = x[v];
    for (int e = start[v]; e < start[v + 1]; e++)
        atomicAdd(&sum[neighbour[e]], own);
}

__global__ void graph_pull_powerlaw(const int *start, const int *neighbour, const int *x, int *sum,
                                    int vertices)
{
    pull(start, neighbour, x, sum, vertices);
}

__global__ void graph_push_powerlaw(const int *start, const int *neighbour, const int *x, int *sum,
                                    int vertices)
{
    push(start, neighbour, x, sum, vertices);
}

__global__ void graph_pull_band(const int *start, const int *neighbour, const int *x, int *sum,
                                int vertices)
{
    pull(start, neighbour, x, sum, vertices);
}

__global__ void graph_push_band(const int *start, const int *neighbour, const int *x, int *sum,
                                int vertices)
{
    push(start, neighbour, x, sum, vertices);
}

/* P(edges >= k) = (LEAST / k)^2, as in graphs that grew by preferential attachment. */
static int powerlaw_edges(int v)
{
    double u = (double)((gmk_hash(1, v) >> 32) + 1) / 4294967296.0;
    int edges = (int)(LEAST / sqrt(u));
    return edges < MOST ? edges : MOST;
}

/* The square of a uniform number prefers low ranks as the power law asks; where the vertex of a
 * rank lies is drawn at random. */
static int powerlaw_target(uint64_t edge, int vertices)
{
    uint64_t u = gmk_hash(2, edge) >> 32;
    uint64_t rank = ((u * u) >> 32) * (uint64_t)vertices >> 32;
    return (int)(gmk_hash(3, rank) % (uint64_t)vertices);
}

static int band_target(int v, uint64_t edge, int vertices)
{
    int64_t target = (int64_t)v - BAND + (int64_t)(gmk_hash(2, edge) % (2 * BAND + 1));
    return (int)((target % vertices + vertices) % vertices);
}

typedef void graph_kernel(const int *, const int *, const int *, int *, int);

static void step(gmk_run &run, graph_kernel *kernel, bool powerlaw, bool is_push)
{
    int vertices = run.size;
    gmk_array<int> start((size_t)vertices + 1), x(vertices), sum(vertices);
    start.host[0] = 0;
    for (int v = 0; v < vertices; v++)
        start.host[v + 1] = start.host[v] + (powerlaw ? powerlaw_edges(v) : BAND_EDGES);
    start.upload();
    gmk_array<int> neighbour(start.host[vertices]);
    for (int v = 0; v < vertices; v++)
        for (int e = start.host[v]; e < start.host[v + 1]; e++)
            neighbour.host[e] =
                powerlaw ? powerlaw_target(e, vertices) : band_target(v, e, vertices);
    neighbour.upload();
    x.fill(4, -1000, 1000);
    if (is_push)
        sum.fill(5, 0, 0);
    else
        sum.upload();
    kernel<<<gmk_blocks(vertices, run.block), run.block>>>(start.device, neighbour.device, x.device,
                                                           sum.device, vertices);
    gmk_finish();
    if (!run.check)
        return;
    int *want = sum.expect();
    for (int v = 0; v < vertices; v++)
        want[v] = 0;
    for (int v = 0; v < vertices; v++)
        for (int e = start.host[v]; e < start.host[v + 1]; e++)
            if (is_push)
                want[neighbour.host[e]] += x.host[v];
            else
                want[v] += x.host[neighbour.host[e]];
    gmk_compare(run, sum, 0);
}

static const gmk_kernel table[] = {
    {"graph_pull_powerlaw", 1 << 17, 1 << 12, 1 << 25, 256, true,
     "gather over a power-law graph: uneven rows, a few popular sectors",
     [](gmk_run &run) { step(run, graph_pull_powerlaw, true, false); }},
    {"graph_push_powerlaw", 1 << 17, 1 << 12, 1 << 25, 256, true,
     "scatter by atomicAdd over the same graph",
     [](gmk_run &run) { step(run, graph_push_powerlaw, true, true); }},
    {"graph_pull_band", 1 << 18, 1 << 13, 1 << 26, 256, true,
     "gather over a banded graph: neighbours are near by",
     [](gmk_run &run) { step(run, graph_pull_band, false, false); }},
    {"graph_push_band", 1 << 18, 1 << 13, 1 << 26, 256, true,
     "scatter by atomicAdd over the same graph",
     [](gmk_run &run) { step(run, graph_push_band, false, true); }},
};
GMK_TOPIC(gmk_graph, "vertices");
