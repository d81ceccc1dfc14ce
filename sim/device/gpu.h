/* SPDX-License-Identifier: MIT
 *
 * gpu.h - one GPU as numbers. Every number comes from an .ini file of sim/device/ (installed under
 * $(pkgdatadir)/device), where each key stands beside its source; only defaults are built in.
 */
#ifndef GMSIM_GPU_H
#define GMSIM_GPU_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/policy/plugin.h"

G_BEGIN_DECLS

#define GMSIM_ERROR (gmsim_error_quark())
GQuark gmsim_error_quark(void);

/* The four ways to fail; the command's exit code follows from them (USAGE: 2, the others: 1). */
typedef enum gmsim_error_code {
    GMSIM_ERROR_USAGE,       /* an option, a --set key or an .ini key is wrong */
    GMSIM_ERROR_CORRUPT,     /* the bytes of a file contradict its format */
    GMSIM_ERROR_UNSUPPORTED, /* valid, but not something this version can do */
    GMSIM_ERROR_IO,          /* the operating system said no */
} gmsim_error_code;

#define GMSIM_LIST_MAX     16u
#define GMSIM_SECTOR_BYTES 32u
#define GMSIM_LINE_BYTES   128u
#define GMSIM_BANKS        32u

typedef struct gmsim_list {
    uint32_t count, value[GMSIM_LIST_MAX];
} gmsim_list;

/* Pipes of a sub-partition. An instruction occupies one or two of them. */
typedef enum gmsim_pipe {
    GMSIM_PIPE_ISSUE, /* the scheduler: every instruction, one a clock */
    GMSIM_PIPE_FMA,   /* FP32 and, on its heavy half, integer multiply-add */
    GMSIM_PIPE_HEAVY, /* that half */
    GMSIM_PIPE_ALU,   /* integer, logic, compare, select, shift */
    GMSIM_PIPE_XU,    /* special functions, conversions */
    GMSIM_PIPE_FP64,
    GMSIM_PIPE_TENSOR,
    GMSIM_PIPE_UNIFORM, /* what is the same for all lanes */
    GMSIM_PIPES
} gmsim_pipe;

/* One instruction: what it keeps busy, in clocks. */
typedef struct gmsim_cost {
    uint16_t pipe, clocks; /* GMSIM_PIPE_ISSUE: no other than that */
    uint16_t issue;        /* clocks that the scheduler issues nothing else; 0: one */
    uint16_t heavy;        /* GMSIM_PIPE_HEAVY */
    uint16_t full;         /* either half of GMSIM_PIPE_FMA, three times of four the heavy one */
    uint16_t doubles;      /* GMSIM_PIPE_FP64, where the warp's way has doubles */
    uint16_t unit;         /* the SM's load-store unit: shuffles and the like */
    uint16_t constant;     /* the SM's constant cache */
    uint16_t latency;      /* until the scoreboard that it sets is free */
    uint16_t delay;        /* of the warp's next instruction, beyond what control bits say */
} gmsim_cost;

/* Most that the model's tables hold. */
#define GMSIM_QUEUE     8u
#define GMSIM_OPEN_ROWS 4096u

#define GMSIM_PLUGINS 8u

/* Sizes are bytes, rates are per SM clock of the whole GPU unless the name says otherwise. A key
 * `x` of group [g] in the .ini is the field g_x here and `g.x` for --set. */
typedef struct gmsim_gpu {
    char name[32];  /* "h200": the .ini's base name */
    char title[64]; /* [gpu] title: "NVIDIA H200 SXM" */
    char path[512]; /* the file it was read from */

    uint32_t gpu_cc_major, gpu_cc_minor;
    uint32_t gpu_sm_count;
    uint32_t gpu_clock_mhz; /* the clock predictions are made for */

    /* [occupancy]: what a CTA is limited by (cuda_occupancy.h, CUDA programming guide). */
    uint32_t occupancy_warps_per_sm;
    uint32_t occupancy_threads_per_sm;
    uint32_t occupancy_threads_per_block;
    uint32_t occupancy_blocks_per_sm;
    uint32_t occupancy_registers_per_sm;
    uint32_t occupancy_registers_per_block;
    uint32_t occupancy_registers_per_thread; /* largest allowed */
    uint32_t occupancy_register_unit;        /* registers a warp are rounded up to this */
    uint32_t occupancy_sub_partitions;
    uint32_t occupancy_barriers_per_sm; /* 0: not a limit on this GPU */

    /* [shared] */
    uint32_t shared_per_sm;          /* largest carve-out */
    uint32_t shared_per_block;       /* without opting in */
    uint32_t shared_per_block_optin; /* largest after opting in */
    uint32_t shared_reserved;        /* taken by the system in each CTA */
    uint32_t shared_unit;            /* a CTA's shared memory is rounded up to this */
    uint32_t shared_generous;        /* see carveout.c; 0 where not measured */
    uint32_t shared_latency;         /* SM clocks, as are all latencies */
    gmsim_list shared_carveouts;     /* ascending */
    uint32_t shared_wavefront;       /* clocks of latency */
    uint32_t shared_issue;           /* clocks between accesses of a sub-partition */
    uint32_t shared_load16;          /* clocks of a load of 16 bytes a lane, at least */

    /* [l1]: unified data cache and shared memory. */
    uint32_t l1_size;      /* unified, shared memory included */
    uint32_t l1_max_cache; /* most of it that ever caches */
    uint32_t l1_reserved;  /* neither shared memory nor cache */
    uint32_t l1_sets, l1_ways;
    uint32_t l1_replacement, l1_hash, l1_write; /* policies of sim/policy, by GMSIM_*_NAME */
    uint32_t l1_prefetch;                       /* the same */
    uint32_t l1_latency;
    uint32_t l1_tag_sets;
    uint32_t l1_hit_wavefront, l1_miss_wavefront;          /* 16ths of a clock */
    uint32_t l1_writes;                                    /* clocks of an SM's way out to L2 */
    uint32_t l1_packets, l1_packet_idle, l1_packet_stores; /* stores that merge; see packets.h */

    /* [l2] */
    uint64_t l2_size;
    uint32_t l2_ways;
    uint32_t l2_slices;
    uint32_t l2_partitions, l2_partition_lines; /* neighbouring lines whose home is the same */
    uint32_t l2_fill_sectors;    /* sectors brought from DRAM for one missing sector: 1, 2 or 4 */
    uint32_t l2_bytes_per_clock; /* read */
    uint32_t l2_write_bytes_per_clock;       /* a partly written line counts 32 bytes more */
    uint32_t l2_group_write_bytes_per_clock; /* from a group of SMs; 0: as fast as all together */
    uint32_t l2_completed_percent; /* of DRAM's time for what it completes for a store, that the
                                    * store's slice takes */
    uint32_t l2_contested_clocks;  /* stores to a line, one of each side: where they are no further
                                    * apart than that, */
    uint32_t l2_contested;         /* so many 16ths of a clock of a slice, */
    uint32_t l2_contested_line;    /* so many more for each line of its last four such, */
    uint32_t l2_contested_sector_percent; /* more for each sector, and for one not whole */
    uint32_t l2_reads_per_clock;          /* lines looked up for loads, all slices together */
    uint32_t l2_crossings_per_clock; /* requests of a line between the sides, both ways; 0: any */
    uint32_t l2_atomics_per_clock;   /* operations, all slices together */
    uint32_t l2_dirty_percent, l2_partial_percent; /* lines of a group, at most; see l2.c */
    uint32_t l2_partial_groups; /* for partly written lines, of every 100 for dirty ones */
    uint32_t l2_flush_dirty;    /* sectors */
    uint32_t l2_replacement, l2_hash, l2_write; /* policies */
    uint32_t l2_latency, l2_far_latency;
    uint32_t l2_group_slices,
        l2_group_lines; /* slices that share what does atomics; see shared.c */
    uint32_t l2_cluster_slices, l2_cluster_lines;
    uint32_t l2_spread;        /* clocks between the mean slice and the nearest or farthest */
    uint32_t l2_write_percent; /* of l2_latency, until a write is there */

    /* [atomic]: percent of the time that l2.atomics_per_clock gives a sector; see atomics.c. Of a
     * group of slices, and of one. */
    uint32_t atomic_request, atomic_sector, atomic_back_request, atomic_back_sector;
    uint32_t atomic_half, atomic_lane, atomic_swap, atomic_alone, atomic_meeting, atomic_returning;
    uint32_t atomic_slice, atomic_slice_part, atomic_slice_wide, atomic_slice_float;
    uint32_t atomic_latency;           /* clocks more than a load's */
    uint32_t atomic_read, atomic_fill; /* hundredths of a clock: a sector that the slice reads, or
                                        * that comes from DRAM, keeps reductions waiting */
    uint32_t atomic_near_percent; /* of a slice, for SMs of the line's side while both sides wait */

    /* [lrc]: the request coalescer before L2. */
    uint32_t lrc_merge;         /* reads that become one; 1: none */
    uint32_t lrc_way_percent;   /* of l2_latency: the way from an SM to there */
    uint32_t lrc_again_percent; /* of a slice's time: a read that meets another of its line there */

    /* [dram] */
    uint64_t dram_size;
    uint32_t dram_latency;     /* of a line whose home is on the reader's side of L2 */
    uint32_t dram_far_latency; /* of the others; 0: the same */
    uint32_t dram_bytes_per_clock;
    uint32_t dram_bank_clocks;     /* that an access waits on average for others in its bank, times
                                    * load / (1 - load / 2) */
    uint32_t dram_row_bytes;       /* bytes that could have been moved while a row is opened */
    uint32_t dram_row_write_bytes; /* the same of what is written; 0: as many */
    uint32_t dram_refresh_period, dram_refresh_clocks; /* of a bank, which serves nobody then */
    uint32_t dram_granule;                             /* bytes of the least access */
    uint32_t dram_write_percent; /* of the time of a read: the bus turns around */
    uint32_t dram_write_weight;  /* of a write in the load that reads meet */
    uint32_t dram_load_steps;    /* over which that is averaged */
    uint32_t dram_row_lines, dram_open_rows, dram_refresh_lines;

    /* [sm] */
    uint32_t sm_issue;        /* clocks in which a sub-partition issues an instruction */
    uint32_t sm_queue;        /* memory instructions a sub-partition holds, at most GMSIM_QUEUE */
    uint32_t sm_store_issue;  /* clocks until it hands the load-store unit what is behind a store */
    uint32_t sm_wavefront;    /* clocks until a warp's next wavefront; other warps' come between */
    uint32_t sm_code;         /* bytes of code that an SM's cache holds */
    uint32_t sm_code_line;    /* clocks that a line of 128 bytes takes from the cache behind it */
    uint32_t sm_code_jump;    /* the same of one that nobody has asked for before it is needed */
    uint32_t sm_branch;       /* clocks that a taken branch takes beyond its stall count */
    uint32_t sm_operands;     /* clocks that such an instruction takes to read them */
    uint32_t sm_under_way;    /* accesses of a warp, where the trace tells no dependences */
    uint32_t sm_barrier;      /* clocks from the last arrival until the first warp goes on */
    uint32_t sm_barrier_warp; /* and for each warp */
    uint32_t sm_barrier_shadow;   /* clocks in which who waits there still issues */
    uint32_t sm_mbarrier;         /* clocks from an mbarrier's test to its answer */
    uint32_t sm_mbarrier_issue;   /* clocks of the SM's unit that an arrival takes; a test two */
    uint32_t sm_cluster_barrier;  /* clocks from the last arrival at a cluster's barrier */
    uint32_t sm_remote;           /* clocks of the way to another SM of the cluster */
    uint32_t sm_remote_bytes;     /* between it and others of its cluster, a clock */
    uint32_t sm_mbarrier_wake;    /* and from a phase's end to the next instruction of who waits */
    uint32_t sm_meeting;          /* percent: what a warp waits at pipes that others use; share.c */
    uint32_t sm_passed;           /* percent of a clock: what special functions lose to others */
    uint32_t sm_missed;           /* percent of clocks: when a full scheduler issues nothing */
    uint32_t sm_constant_address; /* clocks of latency of each further address of a constant load */
    uint32_t sm_constant_miss;    /* clocks that a constant which misses comes later, */
    uint32_t sm_constant_uniform; /* and one that ULDC asks for */
    uint32_t sm_constant_cold;    /* and later still if nobody on the SM has read it */
    uint32_t sm_constant_dram;    /* ... nor on another since L2 was emptied */

    /* [pipe]: what an instruction costs, by what carries it out: a gmtrace_unit each. */
    gmsim_cost pipe_other, pipe_fp32, pipe_fp16, pipe_fp16_mma, pipe_fp64, pipe_imad,
        pipe_imad_wide, pipe_alu, pipe_sfu, pipe_check, pipe_convert, pipe_convert64, pipe_bits,
        pipe_tensor, pipe_tensor_f16, pipe_tensor_tf32, pipe_tensor_int8, pipe_tensor_fp64,
        pipe_wgmma, pipe_shuffle, pipe_vote, pipe_match_any, pipe_match_all, pipe_redux, pipe_ldc,
        pipe_uldc, pipe_s2r, pipe_s2ur, pipe_cs2r, pipe_b2r, pipe_uniform, pipe_membar,
        pipe_membar_cta, pipe_membar_sys, pipe_reconverge, pipe_return, pipe_jump;

    /* [launch]: order in which hardware hands the first CTAs to SMs is built from these. */
    gmsim_list launch_groups; /* SMs of each group of SMs (GPC); one group of all where unknown */
    uint32_t launch_singles;  /* TPCs of the first group, each by itself; 0: none */
    uint32_t launch_order;    /* policy */
    uint32_t launch_overhead; /* clocks of a launch before the first and after the last warp */
    uint32_t launch_settle;   /* clocks that it ends later, at most, for what SMs asked L2 for: */
    uint32_t launch_settle_sectors; /* one for each so many sectors read and written there */
    uint32_t launch_first;  /* clocks from a CTA's start to its first instruction: of those with
                             * which an SM begins, which find no instructions there, */
    uint32_t launch_start;  /* and of those that follow them */
    uint32_t launch_exit;   /* clocks from a warp's last instruction until it is gone */
    uint32_t launch_early;  /* clocks from a warp's end until its place counts for another CTA */
    uint32_t launch_refill; /* clocks from a CTA's end until the next one starts in its place */
    uint32_t launch_half;   /* clocks that the second half of an SM's first warps starts later */
    uint32_t launch_ctas;   /* CTAs that can end in 1000 clocks, on all SMs together; 0: any */
    uint32_t launch_first_warps; /* of an SM, that start at once */
    uint32_t launch_code;      /* bytes of a kernel's code that the cache behind the SMs' holds when
                                * it begins, */
    uint32_t launch_code_line; /* clocks that a line takes which never was there, */
    uint32_t launch_code_kept; /* bytes that it holds, */
    uint32_t launch_code_again; /* and clocks that a line takes which has left it; */
    uint32_t launch_code_jump;  /* either, of one that nobody has asked for before it is needed */
    uint32_t launch_again; /* the first group's turn comes again after so many of the others; 0:
                            * groups simply take turns */
    uint32_t launch_turn;  /* clocks of a turn over the groups, in which places that are free again
                            * take CTAs; 0: in the order in which they became free */
    uint32_t launch_turn_ctas; /* CTAs of one warp that a group takes in a turn where more places
                                * are free than launch_ctas fills; 0: as others */

    /* Plug-ins whose policies keys can name. Behind the numbers of a key's built-in policies stand
     * these: policy COUNT + i is plugin[i]'s. */
    uint32_t plugins;
    const gmsim_plugin *plugin[GMSIM_PLUGINS]; /* owned by who called gmsim_gpu_plug() */
} gmsim_gpu;

/* Reads a GPU: `what` is a name ("h200") looked up in $GMSIM_DEVICE_PATH, then in the build tree,
 * then in the installed folder; or a path when it holds a '/' or ends in ".ini". A file may say
 * `based-on = WHAT` in [gpu], a path there being relative to it, and then gives only the keys that
 * differ; what no file gives has the default of keys.c, if there is one. Unknown keys, missing
 * keys, duplicates, bad numbers and numbers out of range are errors that name file, line and key
 * ("h200.ini:14: [l1] sets: ..."), and so are files based on themselves. Returns false and sets
 * error. Where no source gives a number the .ini says `unknown`, which is 0 here and allowed for
 * the few keys that the model can do without: l2.slices, l2.partitions, launch.groups,
 * launch.again, launch.turn, dram.far_latency, dram.row_bytes, dram.refresh_*, and the rates of
 * [l2] and [dram], without which that resource gives no bound. */
bool gmsim_gpu_load(gmsim_gpu *gpu, const char *what, GError **error);

/* Applies "group.key=value" (sizes take K, M, G with optional iB). Unknown keys are answered with
 * the nearest known one. On error the GPU stays as it was. */
bool gmsim_gpu_set(gmsim_gpu *gpu, const char *assignment, GError **error);

/* The same for a NULL-terminated list, or NULL, of assignments that may only make sense together:
 * the numbers are checked against one another after the last. */
bool gmsim_gpu_set_all(gmsim_gpu *gpu, char *const *assignments, GError **error);

/* From now on gmsim_gpu_set() knows the plug-in's policies by its name. It is borrowed, also by
 * copies of the GPU. UNSUPPORTED where the table is of another version, lacks functions or asks for
 * more state than plugin.h allows, where the name is none or taken, or there are too many. */
bool gmsim_gpu_plug(gmsim_gpu *gpu, const gmsim_plugin *plugin, GError **error);

/* Checks the numbers against one another (a carve-out larger than the SM's shared memory, a set
 * count that does not divide ...). Called by the functions above. */
bool gmsim_gpu_check(const gmsim_gpu *gpu, GError **error);

/* Names that gmsim_gpu_load() would find, sorted, each once. Free with g_strfreev(). */
char **gmsim_gpu_list(void);

/* Calls visit for each key in the order of keys.c: "l1.sets", its value as text, its meaning, and
 * its source: the comment above it, which begins "measured: PROGRAM", "cited: ..." or "assumed:
 * ...", and the file where that is not the GPU's own. For `gmsim gpus NAME` and for the manual. */
typedef void (*gmsim_gpu_visit)(const char *key, const char *value, const char *meaning,
                                const char *source, gpointer data);
void gmsim_gpu_foreach(const gmsim_gpu *gpu, gmsim_gpu_visit visit, gpointer data);

G_END_DECLS

#endif
