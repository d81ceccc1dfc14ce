/* SPDX-License-Identifier: MIT
 *
 * hash_probe.cu - a hash table with open addressing and linear probing, half full. hash_lookup: one
 * thread a query, three in four of them found, in a table that L2 holds. hash_insert: keys were
 * sorted into partitions before, as a hash join does, and one warp fills a partition's part of the
 * table by atomicCAS. No two warps meet there, so that the number of probes is the same in every
 * run. Leaves out deletion and growing.
 */
#include "kernels/gmkernels.h"

#define EMPTY     (-1)
#define WARP      32
#define ROUNDS    4               /* keys a lane inserts */
#define PARTITION (WARP * ROUNDS) /* keys */
#define PART      (2 * PARTITION) /* slots of a partition, a power of two */

struct alignas(8) slot { /* read as one */
    int key, value;
};

static __host__ __device__ unsigned home(int key, unsigned slots)
{
    unsigned h = (unsigned)key;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h ^= h >> 13;
    return h & (slots - 1);
}

__global__ void hash_lookup(const slot *table, unsigned slots, const int *query, int *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = query[i], value = EMPTY;
    unsigned s = home(key, slots);
    for (slot at = table[s]; at.key != EMPTY; at = table[s]) {
        if (at.key == key) {
            value = at.value;
            break;
        }
        s = (s + 1) & (slots - 1);
    }
    found[i] = value;
}

__global__ void hash_insert(const int *key, int *table, int partitions)
{
    int partition = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (partition >= partitions)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        int own = key[(partition * ROUNDS + round) * WARP + lane];
        unsigned s = home(own, PART);
        while (atomicCAS(&table[partition * PART + s], EMPTY, own) != EMPTY)
            s = (s + 1) & (PART - 1);
        __syncwarp();
    }
}

/* No key comes twice: an odd factor maps the numbers below 2^31 one to one. */
static int key_of(int i)
{
    return (int)(((unsigned)i * 0x9e3779b1u) & 0x7fffffffu);
}

static void lookup(gmk_run &run)
{
    int n = run.size;
    unsigned slots = 2;
    while (slots < 2u * (unsigned)n)
        slots *= 2;
    gmk_array<slot> table(slots);
    gmk_array<int> query(n), found(n);
    for (int i = 0; i < n; i++) {
        unsigned s = home(key_of(i), slots);
        while (table.host[s].key != EMPTY)
            s = (s + 1) & (slots - 1);
        table.host[s].key = key_of(i);
        table.host[s].value = i;
    }
    table.upload();
    for (int i = 0; i < n; i++) {
        int which = (int)(gmk_hash(1, i) % (uint64_t)n);
        query.host[i] = key_of(i % 4 == 3 ? n + which : which);
    }
    query.upload();
    found.upload();
    hash_lookup<<<gmk_blocks(n, run.block), run.block>>>(table.device, slots, query.device,
                                                         found.device, n);
    gmk_finish();
    if (!run.check)
        return;
    int *want = found.expect();
    for (int i = 0; i < n; i++)
        want[i] = i % 4 == 3 ? EMPTY : (int)(gmk_hash(1, i) % (uint64_t)n);
    gmk_compare(run, found, 0);
}

/* Which key took which slot is open. `want` becomes the table as found, changed where that is not
 * possible: every key must lie where probing finds it, and nothing else in the table. */
static void expect_keys(const gmk_array<int> &key, gmk_array<int> &table)
{
    GMK_CUDA(
        cudaMemcpy(table.host, table.device, table.count * sizeof(int), cudaMemcpyDeviceToHost));
    int *want = table.expect();
    for (size_t s = 0; s < table.count; s++)
        want[s] = EMPTY;
    for (size_t i = 0; i < key.count; i++) {
        size_t part = i / PARTITION * PART;
        unsigned first = home(key.host[i], PART), s = first;
        for (int probes = 0; probes < PART; probes++, s = (s + 1) & (PART - 1))
            if (table.host[part + s] == key.host[i] || table.host[part + s] == EMPTY)
                break;
        want[part + s] = key.host[i];
    }
}

static void insert(gmk_run &run)
{
    int partitions = run.size / PARTITION;
    if (run.size % PARTITION)
        gmk_fail(false, "--size must be a multiple of %d", PARTITION);
    gmk_array<int> key((size_t)partitions * PARTITION), table((size_t)partitions * PART);
    for (size_t i = 0; i < key.count; i++)
        key.host[i] = key_of((int)i);
    key.upload();
    table.upload(); /* every slot is EMPTY, as arrays start */
    hash_insert<<<gmk_blocks(partitions * WARP, run.block), run.block>>>(key.device, table.device,
                                                                         partitions);
    gmk_finish();
    if (!run.check)
        return;
    expect_keys(key, table);
    gmk_compare(run, table, 0);
}

static const gmk_kernel table[] = {
    {"hash_lookup", 1 << 20, 1 << 13, 1 << 26, 256, true, "linear probing in a table that L2 holds",
     lookup},
    {"hash_insert", 1 << 20, 1 << 13, 1 << 26, 256, false, "atomicCAS until a free slot is found",
     insert},
};
GMK_TOPIC(gmk_hash_probe, "keys");
