/* SPDX-License-Identifier: MIT
 *
 * ring.h - what the patched kernels write and the host reads: the ring of cells in pinned host
 * memory. Shared by the device code (patches.cu) and the consumer (consumer.c); nothing else may
 * know the layout.
 *
 * A record is one header cell of 32 bytes, followed by payload cells where the lanes' addresses do
 * not form first + lane * stride. Writers claim cells with one atomic add on `head`, wait until the
 * host's `tail` leaves room, write, and store the header's `mark` last. The host takes records in
 * claim order, zeroes the last word of every cell it has read and moves `tail`; so a cell whose
 * last word is zero has not been written, and nothing is ever overwritten or dropped.
 */
#ifndef GMCAPTURE_RING_H
#define GMCAPTURE_RING_H

#include <stdint.h>

typedef struct gmc_cell {
    uint64_t address; /* lane 0's, or the base of the payload's offsets */
    uint32_t stride;  /* bytes between neighbouring lanes, signed; other kinds: an operand */
    uint32_t aux;     /* accesses: size | flags << 8; other kinds: an operand */
    uint32_t pc;      /* (pc - the kernel's entry) / 16, signed; GMC_FAR_PC where that overflows */
    uint32_t cta;     /* linear */
    uint32_t mask;    /* executing lanes */
    uint32_t mark;    /* GMC_READY | kernel << 16 | event << 8 | shape << 5 | warp; written last */
} gmc_cell;

#define GMC_READY  0x80000000u
#define GMC_FAR_PC 0x80000000u

#define GMC_MARK(event, shape, warp) (GMC_READY | (event) << 8 | (shape) << 5 | (warp))
#define GMC_MARK_KERNEL(mark)        ((mark) >> 16 & 0x7fffu) /* of its CUDA graph; 0 outside */
#define GMC_MARK_EVENT(mark)         ((mark) >> 8 & 0xffu)
#define GMC_MARK_SHAPE(mark)         ((mark) >> 5 & 3u)
#define GMC_MARK_WARP(mark)          ((mark)&31u)

/* Shapes of the lanes' addresses. Payload entries stand for the active lanes, lowest first. */
enum {
    GMC_AFFINE = 0, /* no payload */
    GMC_NEAR = 1,   /* signed 32-bit distances from the address */
    GMC_FAR = 2,    /* 64-bit addresses */
};

/* Events. Those up to GMC_LAST_ACCESS carry an address a lane. */
enum {
    GMC_GLOBAL = 1,
    GMC_SHARED,
    GMC_LOCAL,
    GMC_REMOTE_SHARED,
    GMC_COPY_READ,  /* cp.async, its global side */
    GMC_COPY_WRITE, /* and its shared side */
    GMC_MATRIX,     /* LDSM, STSM */
    GMC_PREFETCH,
    GMC_ASYNC_STORE, /* st.async */
    GMC_ASYNC_REDUCE,
    GMC_MBARRIER, /* address a lane; aux = the action */
    GMC_LAST_ACCESS = GMC_MBARRIER,
    GMC_BARRIER, /* address = number, aux = threads */
    GMC_CLUSTER_ARRIVE,
    GMC_CLUSTER_WAIT,
    GMC_SYNCWARP,    /* aux = mask asked for */
    GMC_COPY_COMMIT, /* cp.async.commit_group */
    GMC_COPY_WAIT,   /* aux = groups */
    GMC_BULK_LOAD,   /* address = global source, stride = GMC_TO, aux = 16-byte blocks and, from bit
                      * 16 on, the cluster's CTAs that get them */
    GMC_BULK_STORE,  /* address = global destination, stride = shared source, aux = blocks */
    GMC_BULK_SHARED, /* address = source, stride = destination, aux = blocks */
    GMC_BULK_REDUCE_GLOBAL, /* as BULK_STORE */
    GMC_BULK_REDUCE_SHARED, /* as BULK_SHARED */
    GMC_WGMMA,              /* address = A | B << 32, stride = size A, aux = size B */
    GMC_CALL,               /* of a function */
    GMC_TENSOR, /* a box: address = shared side | mbarrier << 32; payload: a gmc_tensor */
    GMC_ENTER,  /* CTA 0 alone; address = GMC_SHAPE(), aux = dynamic shared memory, stride = all */
    GMC_EXIT,
};

/* Shared destination of a bulk load and the mbarrier that it completes, offsets in a CTA's window
 * of up to 256 KiB, one a multiple of 16, the other of 8. */
#define GMC_TO(target, barrier) (((target) >> 4 & 0x3fffu) | ((barrier) >> 3 & 0x7fffu) << 14)
#define GMC_TO_TARGET(to)       (((to)&0x3fffu) << 4)
#define GMC_TO_BARRIER(to)      (((to) >> 14 & 0x7fffu) << 3)

/* The operands of a copy through a tensor map as the callback has them, which is told of a load:
 * what a store has stands elsewhere (tensor.h). Three payload cells. */
typedef struct gmc_tensor {
    int32_t coordinate[5];
    uint32_t args;   /* bits 0-15 im2col offsets, 16-31 CTAs of a multicast */
    uint32_t rank;   /* of the CTA in its cluster */
    uint32_t unused; /* the host zeroes each cell's last word */
    uint64_t map[8];
} gmc_tensor;

#define GMC_TENSOR_CELLS (sizeof(gmc_tensor) / sizeof(gmc_cell))

/* Tells launches of one kernel with other dimensions apart. */
#define GMC_SHAPE(grid_x, grid_y, grid_z, block_x, block_y, block_z)                               \
    ((((((uint64_t)(grid_x)*0x9e3779b97f4a7c15u + (grid_y)) * 0xbf58476d1ce4e5b9u + (grid_z)) *    \
           0x94d049bb133111ebu +                                                                   \
       (block_x)) *                                                                                \
          0xd6e8feb86659fd93u +                                                                    \
      (block_y)) *                                                                                 \
         0xa0761d6478bd642fu +                                                                     \
     (block_z))

/* What all kernels that write into one ring share. In device memory. */
typedef struct gmc_counters {
    uint64_t head; /* cells claimed so far; alone in its line */
    uint64_t pad0[15];
    uint64_t tail_seen; /* the host's tail as last read by any warp */
    uint32_t polling;   /* 1 while some warp reads the host's tail */
    uint32_t pad1[29];
} gmc_counters;

/* Kernels of one CUDA graph that can be captured each time that it is launched. */
#define GMC_GRAPH_KERNELS 4096u

/* In device memory; every callback gets its address. Only a captured launch has one: the first of
 * GMC_GRAPH_KERNELS in a row, a kernel of a graph the one of its number. */
typedef struct gmc_device {
    gmc_counters *counters;
    gmc_cell *ring;       /* host memory as the device sees it */
    const uint64_t *tail; /* host memory: cells the host has taken */
    uint64_t cells;       /* size of the ring, a power of two */
    uint64_t pc_base;     /* the kernel's entry */
    uint64_t kernel;      /* its number, in a mark's place */
    const struct gmc_device *first;
    uint64_t pad;
} gmc_device;

#endif
