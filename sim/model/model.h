/* SPDX-License-Identifier: MIT
 *
 * model.h - replays one launch of a trace on one GPU and counts what its memory hierarchy does.
 *
 * Pattern counts (instructions, requests, sectors, tags, wavefronts) depend on addresses alone and
 * equal hardware's. Cache and DRAM counts depend on the order in which warps come, which the model
 * imitates: CTAs are dealt to SMs in waves, SMs advance in turn, warps of an SM interleave.
 * All state is integer and flat; results are bit-identical on every run. What is allocated while
 * records are replayed: a table of the ways between records, which grows until all are known
 * (pace.c), and what the trace library holds of the code and the chunks.
 */
#ifndef GMSIM_MODEL_H
#define GMSIM_MODEL_H

#include "sim/model/occupancy.h"
#include "traces/gmtrace.h"

G_BEGIN_DECLS

/* The pipe rows of the report: one for each memory space and kind of access. */
typedef enum gmsim_row {
    GMSIM_GLOBAL_LOAD,
    GMSIM_GLOBAL_STORE,
    GMSIM_GLOBAL_ATOMIC,
    GMSIM_GLOBAL_REDUCTION,
    GMSIM_GLOBAL_COPY, /* cp.async, its global read; ncu counts it with the loads at L1 */
    GMSIM_LOCAL_LOAD,
    GMSIM_LOCAL_STORE,
    GMSIM_SHARED_LOAD,
    GMSIM_SHARED_STORE,
    GMSIM_SHARED_ATOMIC,
    GMSIM_SHARED_LDSM,   /* LDSM */
    GMSIM_SHARED_STSM,   /* STSM */
    GMSIM_SHARED_COPY,   /* cp.async, its shared write */
    GMSIM_REMOTE_SHARED, /* distributed shared memory */
    GMSIM_BULK_LOAD,     /* bulk copy engine, global to shared */
    GMSIM_BULK_STORE,
    GMSIM_ROWS
} gmsim_row;

typedef struct gmsim_counts {
    uint64_t instructions;   /* executed warp instructions with at least one active lane */
    uint64_t copies_bypass;  /* of those, LDGSTS.BYPASS */
    uint64_t copies_shifted; /* sectors that L1 counts of them, less their source's; may be less
                              * than 0 */
    uint64_t copies_moved;   /* sectors that come from L2 for them, less their source's; the same */
    uint64_t threads;        /* active lanes */
    uint64_t bytes;          /* asked for by the lanes */
    uint64_t requests;       /* sent to L1TEX */
    uint64_t sectors;        /* distinct 32-byte sectors a request, summed */
    uint64_t sectors_ideal;  /* were the lanes' distinct bytes packed */
    uint64_t tags;           /* distinct 128-byte lines a request, summed */
    uint64_t l1_hit_sectors; /* tag hit and data present */
    uint64_t l1_miss_sectors;
    uint64_t wavefronts;         /* passes through the shared-memory data stage */
    uint64_t wavefronts_ideal;   /* without bank conflicts */
    uint64_t xbar_read_sectors;  /* fetched from L2 into L1 */
    uint64_t xbar_write_sectors; /* sent from L1 to L2 */
    uint64_t multicast_sectors;  /* of xbar_read_sectors, came with a multicast */
} gmsim_counts;

/* Wavefronts of one shared request; degrees above 32 (wide accesses) fall in the last bin. */
#define GMSIM_DEGREE_BINS 33u

/* The request with the most wavefronts (shared) or sectors (global) of one instruction. */
typedef struct gmsim_worst {
    uint64_t cta;
    uint32_t warp, mask;
    uint32_t work; /* its wavefronts or sectors; 0: none seen */
    uint64_t turn; /* of the first such: the step of the schedule << 16 | the SM */
    uint32_t size; /* bytes a lane */
    uint64_t address[GMTRACE_WARP_LANES];
} gmsim_worst;

/* One instruction of the kernel's table that touched memory. */
typedef struct gmsim_instr_counts {
    uint32_t instr; /* index into gmtrace_kernel.instr; GMTRACE_NO_INSTR: pc not in the table */
    gmsim_row row;  /* an LDGSTS has two entries, GLOBAL_COPY and SHARED_COPY */
    gmsim_counts counts;
    gmsim_worst worst;
} gmsim_instr_counts;

/* L2 and DRAM, in sectors of 32 bytes. */
typedef struct gmsim_l2_counts {
    uint64_t read_sectors;     /* asked for by the SMs, after the merging before L2 */
    uint64_t read_hit_sectors; /* found on the asking SM's side (ncu's lookup_hit) */
    uint64_t fabric_read_sectors, fabric_write_sectors; /* asked for on, sent to the other side */
    uint64_t
        fabric_read_hit_sectors; /* asked for by an SM, missed on its side, found on the other */
    uint64_t write_sectors, write_hit_sectors;
    uint64_t prefetch_sectors, prefetch_hit_sectors; /* asked for by prefetches; found at home */
    uint64_t atomic_sectors, reduction_sectors;      /* as ncu counts them: one an operation */
    uint64_t fabric_update_sectors, missed_update_sectors; /* of both: sent to the other side; not
                                                            * found at home */
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t dirty_sectors; /* left in L2 when the launch ends */
} gmsim_l2_counts;

/* Atomics and reductions. */
static inline uint64_t gmsim_l2_updates(const gmsim_l2_counts *l2)
{
    return l2->atomic_sectors + l2->reduction_sectors;
}

/* Resources whose least time is known from the counts alone. Rates are [l2] and [dram] of the GPU
 * and one wavefront or tag group a clock of each SM. */
typedef enum gmsim_resource {
    GMSIM_RESOURCE_SHARED, /* shared-memory wavefronts */
    GMSIM_RESOURCE_L1,     /* L1 tag and data stage */
    GMSIM_RESOURCE_L2,
    GMSIM_RESOURCE_DRAM,
    GMSIM_RESOURCES
} gmsim_resource;

/* What a resident warp spends its clocks on. */
typedef enum gmsim_stall {
    GMSIM_STALL_ISSUE,          /* issues, or waits for its scheduler or a fixed latency */
    GMSIM_STALL_MATH,           /* waits for a math pipe */
    GMSIM_STALL_SHARED,         /* waits for shared memory */
    GMSIM_STALL_L1,             /* waits for L1: its queue, its latency */
    GMSIM_STALL_L2,             /* waits for L2: the way there, its queues */
    GMSIM_STALL_DRAM_LATENCY,   /* waits for DRAM, as long as an idle one takes */
    GMSIM_STALL_DRAM_BANDWIDTH, /* waits for DRAM to serve others first */
    GMSIM_STALL_BARRIER,        /* waits for the other warps of its CTA */
    GMSIM_STALL_LAUNCH,         /* is being set up, or has ended and waits for its CTA's others */
    GMSIM_STALLS
} gmsim_stall;

/* Times of the timed replay, in SM clocks. */
typedef struct gmsim_timing {
    uint64_t cycles;                   /* gpc__cycles_elapsed.max: from the launch to its end */
    uint64_t launch_cycles;            /* of those, before the first and after the last warp */
    uint64_t sm_active;                /* clocks with a resident warp, summed over all SMs */
    uint64_t warp_active;              /* clocks each warp was resident, summed over warps */
    uint64_t stall[GMSIM_STALLS];      /* parts of warp_active; they add up to it */
    uint32_t sms, sm_warps, clock_mhz; /* of the GPU: SMs, warps one can hold, SM clock */
    uint64_t loads;                    /* global and local load requests timed */
    uint64_t load_cycles;              /* from issue until their data were there, summed */
} gmsim_timing;

/* What L2 held when the launch began to be counted. */
typedef enum gmsim_start {
    GMSIM_START_COLD,    /* nothing: no launch came before it */
    GMSIM_START_WARM,    /* what the launches before it left, or its own replay before */
    GMSIM_START_FLUSHED, /* nothing: it was emptied for this launch */
    GMSIM_START_UNKNOWN, /* as warm, without what launches left that were not captured */
    GMSIM_STARTS
} gmsim_start;

/* What warps executed, recorded or not, as traces/code/path.h puts it together from the code. */
typedef struct gmsim_executed {
    uint64_t instructions; /* of warps, those predicated off included */
    uint64_t ways;         /* from one record to the next */
    uint64_t doubtful;     /* of those, with a choice, or a loop of unknown length; lost ones */
    uint64_t loops;        /* of those, with such a loop: its turns are guessed, mostly as one */
} gmsim_executed;

typedef struct gmsim_timeline gmsim_timeline; /* timeline.h */

typedef struct gmsim_result {
    const gmtrace_launch *launch;
    const gmtrace_kernel *kernel;
    gmsim_demand demand; /* what occupancy follows from */
    gmsim_occupancy occupancy;
    gmsim_start start;
    double waves;                /* CTAs / (SMs * CTAs an SM) */
    uint64_t records;            /* replayed */
    uint64_t barriers;           /* warp-level CTA barriers */
    uint64_t product_wavefronts; /* operands of warpgroup MMA: one each 128 bytes in shared memory,
                                  * A and B, whatever their layout (validate/PROGRAMS.md) */
    gmsim_counts row[GMSIM_ROWS];
    uint64_t degree[GMSIM_DEGREE_BINS]; /* shared loads and stores by wavefronts a request */
    gmsim_l2_counts l2;
    uint64_t min_cycles[GMSIM_RESOURCES]; /* least SM clocks each resource needs */
    uint32_t peak[GMSIM_RESOURCES];       /* bytes an SM clock of the whole GPU; 0: unknown */
    gmsim_resource bound;                 /* the largest of them */
    bool timed;                           /* timing is set */
    gmsim_timing timing;
    const gmsim_timeline *timeline; /* of a timed result, where it was asked for; else NULL */
    uint32_t unsteady; /* 1 << gmtrace_unsteady: warps met where the code depends on it */
    const uint8_t *unsteady_instr; /* gmtrace_unsteady of each of the kernel's */
    gmsim_executed executed;       /* of a timed result of a kernel whose code the trace has */
    uint32_t unseen; /* GMTRACE_UNSEEN_* of the trace; of tensor copies, WGMMA, textures and
                      * surfaces only what this kernel's code does */
    bool truncated;  /* the trace ended before the launch did */
    uint32_t instr_count;
    const gmsim_instr_counts *instr; /* by pc */
} gmsim_result;

/* Not seen, these leave caches, DRAM and times unknown; a result with them is not timed. */
#define GMSIM_UNSEEN_TRAFFIC                                                                       \
    (GMTRACE_UNSEEN_TENSOR_COPY | GMTRACE_UNSEEN_TEXTURE | GMTRACE_UNSEEN_SURFACE)

typedef enum gmsim_caches {
    GMSIM_CACHES_COLD, /* empty before the first launch */
    GMSIM_CACHES_WARM, /* the launch is replayed once before counting */
} gmsim_caches;

typedef struct gmsim_watch gmsim_watch;
typedef struct gmsim_whatif gmsim_whatif;

#define GMSIM_MOST_THREADS 64u

typedef struct gmsim_options {
    gmsim_caches caches;
    bool flush; /* L2 is emptied before every launch, as ncu does by default; else a launch finds
                 * what the one before left there */
    bool apart; /* SMs are run one by one, the last first, before any of what they ask for in a step
                 * is answered: the same result, more slowly. For tests */
    uint32_t threads; /* that run its SMs; more than there are processors make it slower. 0, 1: the
                       * caller's. The result is the same. Where a watch, a whatif, a timeline or a
                       * plug-in is there, and of small launches, it is one */
    uint32_t share_from; /* a launch of so many records is not small; 0: 30,000 */
    bool together;       /* they run each step, be it faster alone. For tests */
    bool functional; /* no times: warps take turns record by record. Faster; what depends on order
                      * comes out somewhat different */
    bool timeline;   /* timed results have a timeline; takes 70 KiB an SM */
    gmsim_watch *watch;       /* told of every access (watch.h); NULL: nobody. Borrowed */
    gmsim_whatif *whatif;     /* what is changed of launches (whatif.h); NULL: nothing. Borrowed */
    const volatile int *stop; /* not 0, which another thread or a signal handler may make it: the
                               * run ends soon, with IO. NULL: it never is. Borrowed */
} gmsim_options;

typedef struct gmsim_model gmsim_model;

/* Allocates every table for this GPU (about 16 bytes a 128-byte line of L1, 8 of L2, 160 KiB an
 * SM). The GPU is copied. NULL, and error, where there is no memory. Free with gmsim_model_free().
 */
gmsim_model *gmsim_model_new(const gmsim_gpu *gpu, const gmsim_options *options, GError **error);
void gmsim_model_free(gmsim_model *model);

/* Called now and then with records replayed so far and expected; may be NULL. */
typedef void (*gmsim_progress)(uint64_t done, uint64_t total, gpointer data);

/* Replays a launch. The result is owned by the model and valid until the next run or free. A trace
 * cut short gives the counts up to the damage with `truncated` set; corrupt streams give NULL and
 * error. A kernel that cannot run on this GPU (occupancy 0) gives NULL and USAGE. */
const gmsim_result *gmsim_model_run(gmsim_model *model, gmtrace_reader *reader, uint32_t launch,
                                    gmsim_progress progress, gpointer data, GError **error);

G_END_DECLS

#endif
