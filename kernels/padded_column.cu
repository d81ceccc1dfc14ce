/* SPDX-License-Identifier: MIT
 *
 * padded_column.cu - a block writes its 32 x 32 elements into shared memory column by column and
 * reads them back row by row: data[32][32] (a column lies in one bank), data[32][33] (in 32), and
 * data[32][32] with the column offset by the row, which needs no padding.
 */
#include "kernels/gmkernels.h"

#define SIDE 32

__global__ void column_write_plain(const int *in, int *out)
{
    __shared__ int data[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * SIDE * SIDE;
    data[x][y] = in[base + y * SIDE + x];
    __syncthreads();
    out[base + y * SIDE + x] = data[y][x];
}

__global__ void column_write_padded(const int *in, int *out)
{
    __shared__ int data[SIDE][SIDE + 1];
    int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * SIDE * SIDE;
    data[x][y] = in[base + y * SIDE + x];
    __syncthreads();
    out[base + y * SIDE + x] = data[y][x];
}

__global__ void column_write_offset(const int *in, int *out)
{
    __shared__ int data[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y, base = blockIdx.x * SIDE * SIDE;
    data[x][(y + x) % SIDE] = in[base + y * SIDE + x];
    __syncthreads();
    out[base + y * SIDE + x] = data[y][(x + y) % SIDE];
}

static void write(gmk_run &run, void (*kernel)(const int *, int *))
{
    size_t n = (size_t)run.size * SIDE * SIDE;
    gmk_array<int> in(n), out(n);
    in.fill(1, -1000000, 1000000);
    out.upload();
    kernel<<<run.size, dim3(SIDE, SIDE)>>>(in.device, out.device);
    gmk_finish();
    if (!run.check)
        return;
    int *want = out.expect();
    for (size_t base = 0; base < n; base += SIDE * SIDE)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                want[base + y * SIDE + x] = in.host[base + x * SIDE + y];
    gmk_compare(run, out, 0);
}

static const gmk_kernel table[] = {
    {"column_write_plain", 1024, 64, 1 << 20, SIDE *SIDE, false,
     "data[32][32] by column: 32-way conflict",
     [](gmk_run &run) { write(run, column_write_plain); }},
    {"column_write_padded", 1024, 64, 1 << 20, SIDE *SIDE, false,
     "data[32][33] by column: no conflict", [](gmk_run &run) { write(run, column_write_padded); }},
    {"column_write_offset", 1024, 64, 1 << 20, SIDE *SIDE, false,
     "offset indexing: no conflict, no padding",
     [](gmk_run &run) { write(run, column_write_offset); }},
};
GMK_TOPIC(gmk_padded_column, "blocks");
