/* SPDX-License-Identifier: MIT
 *
 * spmv_formats.cu - y = A * x for one sparse matrix in four formats other than CSR (spmv.cu). A row
 * has 1 to 16 values, three in four near the diagonal and the others anywhere. ELL: every row is
 * padded to 16 values, stored column after column. SELL-32: every slice of 32 rows is padded to its
 * own longest row. COO: one thread a value, products added by atomicAdd. BSR: a matrix of as many
 * rows made of dense 4 x 4 blocks, one thread a row, four threads sharing a block's sectors.
 */
#include "kernels/gmkernels.h"

#define LONGEST 16 /* values a row */
#define SLICE   32 /* rows */
#define NEAR    64 /* how far from the diagonal a near value may be */
#define SIDE    4  /* of a dense block */
#define NONE    (-1)

__global__ void spmv_ell(const int *column, const float *value, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < LONGEST; k++) {
        int c = column[k * rows + row];
        if (c != NONE)
            sum += value[k * rows + row] * x[c];
    }
    y[row] = sum;
}

/* slice[s] is where slice s begins; within it, the k-th values of its 32 rows are neighbours. */
__global__ void spmv_sell(const int *slice, const int *column, const float *value, const float *x,
                          float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = slice[row / SLICE] + row % SLICE; k < slice[row / SLICE + 1]; k += SLICE) {
        int c = column[k];
        if (c != NONE)
            sum += value[k] * x[c];
    }
    y[row] = sum;
}

__global__ void spmv_coo(const int *row, const int *column, const float *value, const float *x,
                         float *y, int values)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < values)
        atomicAdd(&y[row[k]], value[k] * x[column[k]]);
}

__global__ void spmv_bsr(const int *start, const int *column, const float4 *value, const float4 *x,
                         float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int b = start[row / SIDE]; b < start[row / SIDE + 1]; b++) {
        float4 v = value[b * SIDE + row % SIDE];
        float4 u = x[column[b]];
        sum += v.x * u.x + v.y * u.y + v.z * u.z + v.w * u.w;
    }
    y[row] = sum;
}

/* The matrix every format stores: row r has row_length(r) values, the k-th in this column. */
static int row_length(int r)
{
    return 1 + (int)(gmk_hash(1, r) % LONGEST);
}

static int column_of(int r, int k, int columns)
{
    uint64_t h = gmk_hash(2, (uint64_t)r * LONGEST + k), far = h >> 2;
    if (h % 4 == 0)
        return (int)(far % (uint64_t)columns);
    int64_t c = (int64_t)r - NEAR + (int64_t)(far % (2 * NEAR + 1));
    return (int)((c % columns + columns) % columns);
}

static float value_of(int r, int k)
{
    return (float)(gmk_hash(3, (uint64_t)r * LONGEST + k) % 19) - 9;
}

static void expect_product(gmk_run &run, const gmk_array<float> &x, gmk_array<float> &y)
{
    float *want = y.expect();
    for (int r = 0; r < run.size; r++) {
        want[r] = 0;
        for (int k = 0; k < row_length(r); k++)
            want[r] += value_of(r, k) * x.host[column_of(r, k, run.size)];
    }
    gmk_compare(run, y, 0);
}

static void ell(gmk_run &run)
{
    int rows = run.size;
    gmk_array<int> column((size_t)rows * LONGEST);
    gmk_array<float> value((size_t)rows * LONGEST), x(rows), y(rows);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < LONGEST; k++) {
            bool there = k < row_length(r);
            column.host[(size_t)k * rows + r] = there ? column_of(r, k, rows) : NONE;
            value.host[(size_t)k * rows + r] = there ? value_of(r, k) : 0;
        }
    column.upload();
    value.upload();
    x.fill(4, -9, 9);
    y.upload();
    spmv_ell<<<gmk_blocks(rows, run.block), run.block>>>(column.device, value.device, x.device,
                                                         y.device, rows);
    gmk_finish();
    if (run.check)
        expect_product(run, x, y);
}

static void sell(gmk_run &run)
{
    int rows = run.size, slices = gmk_blocks(rows, SLICE);
    gmk_array<int> slice((size_t)slices + 1);
    slice.host[0] = 0;
    for (int s = 0; s < slices; s++) {
        int longest = 0;
        for (int r = s * SLICE; r < rows && r < (s + 1) * SLICE; r++)
            longest = row_length(r) > longest ? row_length(r) : longest;
        slice.host[s + 1] = slice.host[s] + longest * SLICE;
    }
    slice.upload();
    gmk_array<int> column(slice.host[slices]);
    gmk_array<float> value(slice.host[slices]), x(rows), y(rows);
    for (int r = 0; r < rows; r++) {
        int first = slice.host[r / SLICE] + r % SLICE;
        for (int k = 0; first + k * SLICE < slice.host[r / SLICE + 1]; k++) {
            bool there = k < row_length(r);
            column.host[first + k * SLICE] = there ? column_of(r, k, rows) : NONE;
            value.host[first + k * SLICE] = there ? value_of(r, k) : 0;
        }
    }
    column.upload();
    value.upload();
    x.fill(4, -9, 9);
    y.upload();
    spmv_sell<<<gmk_blocks(rows, run.block), run.block>>>(slice.device, column.device, value.device,
                                                          x.device, y.device, rows);
    gmk_finish();
    if (run.check)
        expect_product(run, x, y);
}

static void coo(gmk_run &run)
{
    int rows = run.size, values = 0;
    for (int r = 0; r < rows; r++)
        values += row_length(r);
    gmk_array<int> row(values), column(values);
    gmk_array<float> value(values), x(rows), y(rows);
    for (int r = 0, i = 0; r < rows; r++)
        for (int k = 0; k < row_length(r); k++, i++) {
            row.host[i] = r;
            column.host[i] = column_of(r, k, rows);
            value.host[i] = value_of(r, k);
        }
    row.upload();
    column.upload();
    value.upload();
    x.fill(4, -9, 9);
    y.fill(5, 0, 0);
    spmv_coo<<<gmk_blocks(values, run.block), run.block>>>(row.device, column.device, value.device,
                                                           x.device, y.device, values);
    gmk_finish();
    if (run.check)
        expect_product(run, x, y);
}

/* Row r of the matrix above gives the block row r its length and its columns of blocks, up to a
 * quarter of the longest row: as many values as the other formats have. */
static void bsr(gmk_run &run)
{
    int rows = run.size, block_rows = rows / SIDE;
    if (rows % SIDE)
        gmk_fail(false, "--size must be a multiple of %d", SIDE);
    gmk_array<int> start((size_t)block_rows + 1);
    start.host[0] = 0;
    for (int r = 0; r < block_rows; r++)
        start.host[r + 1] = start.host[r] + gmk_blocks(row_length(r), SIDE);
    start.upload();
    gmk_array<int> column(start.host[block_rows]);
    gmk_array<float> x(rows), y(rows), value((size_t)start.host[block_rows] * SIDE * SIDE);
    for (int r = 0; r < block_rows; r++)
        for (int b = start.host[r]; b < start.host[r + 1]; b++)
            column.host[b] = column_of(r, b - start.host[r], block_rows);
    column.upload();
    value.fill(3, -9, 9);
    x.fill(4, -9, 9);
    y.upload();
    spmv_bsr<<<gmk_blocks(rows, run.block), run.block>>>(start.device, column.device,
                                                         (const float4 *)value.device,
                                                         (const float4 *)x.device, y.device, rows);
    gmk_finish();
    if (!run.check)
        return;
    float *want = y.expect();
    for (int r = 0; r < rows; r++) {
        want[r] = 0;
        for (int b = start.host[r / SIDE]; b < start.host[r / SIDE + 1]; b++)
            for (int c = 0; c < SIDE; c++)
                want[r] += value.host[((size_t)b * SIDE + r % SIDE) * SIDE + c] *
                           x.host[column.host[b] * SIDE + c];
    }
    gmk_compare(run, y, 0);
}

static const gmk_kernel table[] = {
    {"spmv_ell", 1 << 17, 1 << 12, 1 << 26, 256, true, "padded rows, stored column by column", ell},
    {"spmv_sell", 1 << 17, 1 << 12, 1 << 26, 256, true, "slices of 32 rows, each padded by itself",
     sell},
    {"spmv_coo", 1 << 17, 1 << 12, 1 << 26, 256, true, "one thread a value, added by atomicAdd",
     coo},
    {"spmv_bsr", 1 << 18, 1 << 13, 1 << 26, 256, true, "dense 4 x 4 blocks, read as float4", bsr},
};
GMK_TOPIC(gmk_spmv_formats, "rows");
