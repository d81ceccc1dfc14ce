/* SPDX-License-Identifier: MIT
 *
 * model.c - the model as a whole: its tables, one launch from trace to result, and the least time
 * each resource needs. The parts: coalesce.c and local.c (addresses to lines and sectors), banks.c
 * (shared memory), sm_memory.c and l1.c (what an SM has), shared.c, lrc.h, l2.c, dram.c and
 * atomics.c (what all share), tally.c (counters), replay.c (one record), step.c and
 * schedule.c (their order), crew.c (on how many threads).
 */
#include "sim/model/model.h"

#include "sim/model/plugged.h"
#include "sim/model/time/cluster.h"
#include "sim/model/time/constants.h"
#include "sim/model/time/crew.h"
#include "sim/model/time/fetch.h"
#include "sim/model/time/mbarrier.h"
#include "sim/model/time/polls.h"
#include "sim/model/time/schedule.h"
#include "sim/model/trace_error.h"
#include "sim/model/watch.h"
#include "sim/model/whatif.h"
#include "traces/code/indices.h"
#include "traces/code/tensor.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of local memory that a thread has at least, which is a driver's default for the stack, and
 * what is added to them under Nsight Compute (micro/local_windows.cu; 576 without it). */
#define LEAST_LOCAL UINT64_C(1024)
#define MORE_LOCAL  UINT64_C(1104)

#define ALONE 256u

/* Of fewer records a launch is over before its crew would be ready. */
#define SHARE_FROM 30000u

struct gmsim_model {
    gmsim_gpu gpu;
    gmsim_options options;
    gmsim_l1_set *l1_set;
    gmsim_l2_set *l2_set;
    gmsim_sm *sm;
    gmsim_sm_lists *lists; /* of each SM */
    gmsim_freed *freed;
    uint64_t *dirty_line; /* of L2, for a watch */
    gmsim_plugged plugged;
    gmsim_paces paces;
    gmsim_recorder *recorder; /* NULL: no timelines */
    gmsim_replay replay;
    gmsim_crew *crew; /* NULL: one thread */
    struct {
        void *l2_set; /* NULL: not yet needed */
        bool started;
    } before; /* what a launch found, while it is not certain that it need not begin anew */
    /* Kernels of which a launch had to begin anew, by their numbers' lowest bits: others would. */
    uint64_t alone[ALONE / 64u];
    bool started; /* an earlier launch has left something in L2 */
    bool fresh;   /* L2 is as gmsim_shared_init() leaves it */
    gmsim_result result;
    /* These are large, and whoever uses them fills them in: `before` and now. */
    gmsim_shared shared_before, shared;
};

/* Aligned to the lines of the host's cache. Of a large table, which is gone over at random, the
 * host is asked for large pages: each access would miss in its table of small ones. */
static void *new_room(size_t count, size_t size)
{
    enum { LARGE = 1 << 21 };
    size_t bytes = count * size, unit = bytes >= LARGE ? LARGE : 128u;
    bytes = (bytes + unit - 1u) & ~(unit - 1u);
    void *room = aligned_alloc(unit, bytes);
#ifdef MADV_HUGEPAGE
    if (room && unit == LARGE)
        madvise(room, bytes, MADV_HUGEPAGE);
#endif
    return room;
}

/* The same, zeroed. */
static void *new_table(size_t count, size_t size)
{
    void *table = new_room(count, size);
    if (table)
        memset(table, 0, count * size);
    return table;
}

static void no_memory(GError **error)
{
    g_set_error_literal(error, GMSIM_ERROR, GMSIM_ERROR_IO, "out of memory");
}

/* Who looks on, changes things or is a plug-in is told of one access after the other. */
static bool can_share(const gmsim_model *model)
{
    const gmsim_plugged *plugged = &model->plugged;
    return !model->options.watch && !model->options.whatif && !model->options.apart &&
           !model->recorder && !plugged->l1 && !plugged->l2 && !plugged->prefetch;
}

gmsim_model *gmsim_model_new(const gmsim_gpu *gpu, const gmsim_options *options, GError **error)
{
    gmsim_model *model = new_room(1, sizeof *model);
    uint32_t sms = gpu->gpu_sm_count;
    if (!model) {
        no_memory(error);
        return NULL;
    }
    memset(model, 0, offsetof(gmsim_model, shared_before));
    model->gpu = *gpu;
    if (options)
        model->options = *options;
    if (model->options.share_from == 0)
        model->options.share_from = SHARE_FROM;
    model->l1_set = new_room((size_t)sms * gmsim_l1_room(gpu), sizeof *model->l1_set);
    model->l2_set = new_room(1, gmsim_l2_size(gpu));
    model->sm = new_room(sms, sizeof *model->sm);
    model->lists = malloc(sms * sizeof *model->lists);
    model->freed = new_table((size_t)sms * GMSIM_MAX_SM_CTAS, sizeof *model->freed);
    model->recorder = model->options.timeline ? gmsim_recorder_new(sms) : NULL;
    if (!model->l1_set || !model->l2_set || !model->sm || !model->lists || !model->freed ||
        (model->options.timeline && !model->recorder) ||
        !gmsim_plugged_init(&model->plugged, &model->gpu)) {
        gmsim_model_free(model);
        no_memory(error);
        return NULL;
    }
    gmsim_shared_init(&model->shared, model->l2_set, &model->gpu);
    model->shared.course = model->recorder ? &model->recorder->shared : NULL;
    gmsim_plugged_shared(&model->plugged, &model->shared);
    model->fresh = true;
    gmsim_replay_prepare(&model->replay, &model->gpu);
    if (model->options.threads > 1u && can_share(model))
        model->crew = gmsim_crew_new(model->options.threads, model->options.together);
    model->replay.whatif = model->options.whatif;
    if (model->options.watch) {
        model->dirty_line = new_table(gmsim_l2_sets(gpu), GMSIM_L2_WAYS * sizeof(uint64_t));
        if (!model->dirty_line) {
            gmsim_model_free(model);
            no_memory(error);
            return NULL;
        }
        model->replay.watch = model->shared.l2.watch = model->options.watch;
        model->shared.l2.dirty_line = model->dirty_line;
    }
    return model;
}

void gmsim_model_free(gmsim_model *model)
{
    if (!model)
        return;
    gmsim_crew_free(model->crew);
    free(model->before.l2_set);
    gmsim_tally_clear(&model->replay.tally);
    gmsim_paces_clear(&model->paces);
    free(model->dirty_line);
    free(model->recorder);
    gmsim_plugged_clear(&model->plugged);
    free(model->freed);
    free(model->lists);
    free(model->sm);
    free(model->l2_set);
    free(model->l1_set);
    free(model);
}

static uint64_t volume(const uint32_t extent[3])
{
    return (uint64_t)extent[0] * extent[1] * extent[2];
}

static bool usage(GError **error, const char *kernel, const char *what)
{
    g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "kernel %s: %s", kernel, what);
    return false;
}

/* PTX and imported code has none: no instruction stalls. */
static bool has_control_bits(const gmtrace_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->instr_count; i++)
        if (kernel->instr[i].stall)
            return true;
    return false;
}

/* Warps for which an SM has registers, and CTAs for which it has all else: as many as fit, unless
 * warps that end before their CTAs can leave room for more. */
static void plan_room(const gmsim_gpu *gpu, const gmsim_occupancy *o, gmsim_plan *plan)
{
    const uint32_t parts = gpu->occupancy_sub_partitions, all = gpu->occupancy_registers_per_sm;
    const uint32_t a_warp = o->registers_per_block / MAX(o->warps_per_block, 1u);
    const uint32_t warps = a_warp ? all / parts / a_warp * parts : GMSIM_MAX_SM_WARPS;
    plan->sm_warps = MAX(MIN(warps, gpu->occupancy_warps_per_sm), o->warps);
    plan->sm_warps = MIN(plan->sm_warps, GMSIM_MAX_SM_WARPS);
    plan->places = plan->sm_ctas;
    const bool others = o->limiters & (GMSIM_LIMIT_SHARED | GMSIM_LIMIT_BARRIERS);
    if (others || plan->functional || plan->cta_warps == 1u ||
        plan->ctas <= (uint64_t)plan->sms * plan->sm_ctas)
        return;
    const uint32_t most = MIN(MIN(o->limit_blocks, o->limit_shared), o->limit_barriers);
    plan->places = CLAMP(most, plan->sm_ctas, GMSIM_MAX_SM_CTAS);
}

/* What the GPU is told by each CTA: that it has ended, and before that others may begin. */
static uint32_t cta_messages(const gmsim_tally *tally)
{
    for (uint32_t i = 0; i < tally->kernel->instr_count; i++)
        if (tally->decoded[i].lets_others)
            return 2u;
    return 1u;
}

/* As many CTAs as there would be if they took neither registers nor shared memory. */
static void fill_sms(const gmsim_gpu *gpu, gmsim_demand demand, gmsim_occupancy *occupancy)
{
    gmsim_occupancy all;
    demand.registers = demand.static_shared = demand.dynamic_shared = 0;
    gmsim_occupancy_compute(gpu, &demand, &all);
    if (all.blocks <= occupancy->blocks)
        return;
    all.shared_config = occupancy->shared_config;
    all.l1_bytes = occupancy->l1_bytes;
    *occupancy = all;
}

/* Occupancy of the launch on this GPU, and from it the plan. */
static bool plan_launch(const gmsim_model *model, const gmtrace_capture *capture,
                        const gmtrace_launch *launch, const gmtrace_kernel *kernel,
                        gmsim_result *result, gmsim_plan *plan, GError **error)
{
    const gmsim_gpu *gpu = &model->gpu;
    gmsim_occupancy *occupancy = &result->occupancy;
    uint64_t threads = volume(launch->block);
    bool same_gpu =
        capture->cc_major == gpu->gpu_cc_major && capture->cc_minor == gpu->gpu_cc_minor;
    result->demand = (gmsim_demand){
        .threads = (uint32_t)MIN(threads, UINT32_MAX),
        .registers = gmsim_registers_granted(kernel->registers),
        .static_shared = kernel->static_shared,
        .dynamic_shared = launch->dynamic_shared,
        .barriers = kernel->barriers,
        /* A carve-out says something about the GPU that chose it, and no other. */
        .shared_config = same_gpu ? launch->shared_config : UINT32_MAX,
        .carveout_percent = launch->carveout_percent,
    };
    const gmsim_whatif *whatif = model->options.whatif;
    if (whatif)
        result->demand.dynamic_shared += whatif->more_shared;
    gmsim_occupancy_compute(gpu, &result->demand, occupancy);
    if (whatif && whatif->full_occupancy)
        fill_sms(gpu, result->demand, occupancy);
    if (occupancy->blocks == 0 || threads == 0)
        return usage(error, kernel->name,
                     "one CTA needs more than an SM of this GPU has; choose another with --gpu");
    if (occupancy->warps_per_block > GMSIM_MAX_CTA_WARPS || occupancy->warps > GMSIM_MAX_SM_WARPS ||
        occupancy->blocks > GMSIM_MAX_SM_CTAS)
        return usage(error, kernel->name,
                     "the model holds up to 64 warps and 32 CTAs an SM; lower occupancy.*");
    const uint32_t one_in = whatif && whatif->one_in ? whatif->one_in : 1u;
    uint64_t local = kernel->local_bytes == GMTRACE_UNKNOWN || kernel->local_bytes == 0
                         ? (1u << 24) + GMSIM_LINE_BYTES /* the largest window, and some */
                         : kernel->local_bytes;
    *plan = (gmsim_plan){
        .ctas = (volume(launch->grid) + one_in - 1u) / one_in,
        .sms = gpu->gpu_sm_count,
        .gpu = gpu,
        .functional = model->options.functional,
        .apart = model->options.apart,
        .groups = gpu->launch_groups,
        .again = gpu->launch_again,
        .singles = gpu->launch_groups.count && gpu->launch_singles,
        .cta_warps = occupancy->warps_per_block,
        .cta_threads = (uint32_t)threads,
        .sm_ctas = occupancy->blocks,
        .control_bits = has_control_bits(kernel),
        .sub_partitions = MIN(gpu->occupancy_sub_partitions, GMSIM_MAX_SUB_PARTITIONS),
        .window_size =
            (MAX((local + 15u) & ~UINT64_C(15), LEAST_LOCAL) + MORE_LOCAL) * GMTRACE_WARP_LANES,
        .records = launch->records,
    };
    plan_room(gpu, occupancy, plan);
    if (volume(launch->cluster) > 1u)
        plan->places = plan->sm_ctas;
    return true;
}

static uint64_t divide_up(uint64_t work, uint64_t rate)
{
    return rate ? (work + rate - 1u) / rate : 0;
}

/* Least SM clocks of each resource, were it busy all the time and the work spread evenly over the
 * SMs that got a CTA: one shared wavefront a clock; L1 by passes through its tag stage or
 * wavefronts, whichever are more (replay.c); L2 and DRAM sectors by bytes a clock. */
static void find_bound(const gmsim_model *model, const gmsim_plan *plan, gmsim_result *result)
{
    const gmsim_l2_counts *l2 = &result->l2;
    uint64_t sms = MIN(plan->ctas, plan->sms), wavefronts = 0, crossing = 0;
    for (uint32_t row = 0; row < GMSIM_ROWS; row++) {
        wavefronts += result->row[row].wavefronts;
        crossing += result->row[row].xbar_read_sectors + result->row[row].xbar_write_sectors;
    }
    uint64_t dram = l2->dram_read_sectors + l2->dram_write_sectors;
    result->min_cycles[GMSIM_RESOURCE_SHARED] = divide_up(wavefronts, sms);
    result->min_cycles[GMSIM_RESOURCE_L1] = divide_up(model->replay.l1_clocks, sms);
    result->min_cycles[GMSIM_RESOURCE_L2] =
        divide_up(crossing * GMSIM_SECTOR_BYTES, model->gpu.l2_bytes_per_clock);
    result->min_cycles[GMSIM_RESOURCE_DRAM] =
        divide_up(dram * GMSIM_SECTOR_BYTES, model->gpu.dram_bytes_per_clock);
    result->peak[GMSIM_RESOURCE_SHARED] = result->peak[GMSIM_RESOURCE_L1] =
        model->gpu.gpu_sm_count * GMSIM_LINE_BYTES;
    result->peak[GMSIM_RESOURCE_L2] = model->gpu.l2_bytes_per_clock;
    result->peak[GMSIM_RESOURCE_DRAM] = model->gpu.dram_bytes_per_clock;
    result->bound = GMSIM_RESOURCE_SHARED;
    for (int i = 0; i < GMSIM_RESOURCES; i++)
        if (result->min_cycles[i] && result->min_cycles[i] >= result->min_cycles[result->bound])
            result->bound = (gmsim_resource)i;
}

/* Clocks that a launch needs, once its SMs have ended, for what they asked L2 for. */
static uint64_t settle(const gmsim_gpu *gpu, const gmsim_l2_counts *l2)
{
    const uint64_t sectors = l2->read_sectors + l2->write_sectors;
    return MIN(sectors / gpu->launch_settle_sectors, gpu->launch_settle);
}

static void finish_timing(const gmsim_model *model, const gmsim_scheduler *scheduler,
                          gmsim_result *result)
{
    gmsim_timing *timing = &result->timing;
    *timing = scheduler->timing;
    timing->sms = model->gpu.gpu_sm_count;
    timing->sm_warps = model->gpu.occupancy_warps_per_sm;
    timing->clock_mhz = model->gpu.gpu_clock_mhz;
    timing->launch_cycles = model->gpu.launch_overhead + settle(&model->gpu, &result->l2);
    timing->cycles = scheduler->end + timing->launch_cycles;
    uint64_t known = 0;
    for (int i = GMSIM_STALL_ISSUE + 1; i < GMSIM_STALLS; i++)
        known += timing->stall[i];
    timing->stall[GMSIM_STALL_ISSUE] +=
        timing->warp_active - MIN(timing->warp_active, known + timing->stall[GMSIM_STALL_ISSUE]);
    result->timed = true;
    result->timeline = model->recorder ? &model->recorder->timeline : NULL;
}

static gmsim_executed executed_of(const gmsim_scheduler *scheduler)
{
    const gmtrace_path_counts counts = scheduler->crew ? gmsim_crew_path_counts(scheduler->crew)
                                                       : gmtrace_path_get_counts(scheduler->paths);
    return (gmsim_executed){.instructions = counts.instructions,
                            .ways = counts.steps,
                            .doubtful = counts.ambiguous + counts.estimated + counts.lost,
                            .loops = counts.estimated};
}

/* Copies through maps that are not understood are not counted; nor those that a capture lost. */
static uint32_t unread_maps(const gmtrace_launch *launch)
{
    gmtrace_tensor tensor;
    bool all = launch->complete;
    for (uint32_t i = 0; i < launch->tensor_map_count; i++)
        all &= gmtrace_tensor_read(launch->tensor_map[i], &tensor);
    return all ? 0 : GMTRACE_UNSEEN_TENSOR_COPY;
}

/* What the capture could not see of this kernel; all that it could not where there is no code. */
static uint32_t unseen_of(const gmtrace_kernel *kernel, const gmtrace_decoded *decoded,
                          uint32_t unseen)
{
    const uint32_t told = GMSIM_UNSEEN_TRAFFIC | GMTRACE_UNSEEN_WGMMA;
    uint32_t does = kernel->instr_count ? 0 : told;
    for (uint32_t i = 0; i < kernel->instr_count; i++)
        does |= decoded[i].unseen;
    return unseen & (does | ~told);
}

/* One pass over the launch from an empty L1. */
static bool replay_once(gmsim_model *model, gmsim_scheduler *scheduler, GError **error)
{
    uint32_t sets = gmsim_l1_room(&model->gpu);
    for (uint32_t i = 0; i < model->gpu.gpu_sm_count; i++) {
        gmsim_sm_memory_begin(&model->sm[i].memory, &model->gpu, i,
                              model->l1_set + (size_t)i * sets, model->result.occupancy.l1_bytes);
        gmsim_plugged_sm(&model->plugged, &model->sm[i].memory, i);
    }
    if (model->options.watch)
        model->options.watch->begin(model->options.watch);
    gmsim_replay_reset(&model->replay);
    gmsim_l2_reset_counts(&model->shared.l2);
    gmsim_shared_begin(&model->shared);
    if (scheduler->crew)
        gmsim_crew_reset(scheduler->crew);
    if (!gmsim_schedule(scheduler, error))
        return false;
    bool complete = !model->paces.failed && !gmtrace_paths_failed(scheduler->paths) &&
                    (!scheduler->crew || gmsim_crew_complete(scheduler->crew));
    if (!complete)
        no_memory(error);
    if (complete && scheduler->crew)
        gmsim_crew_add_up(scheduler->crew, scheduler);
    return complete && gmsim_plugged_check(&model->plugged, model->sm, &model->shared, error);
}

/* What warps wait for: phases of the kernel's mbarriers, words that they poll; and room for that.
 */
static bool read_phases(gmsim_scheduler *scheduler, const gmtrace_launch *launch,
                        const gmtrace_kernel *kernel, GError **error)
{
    memset(&scheduler->phases, 0, sizeof scheduler->phases);
    if (scheduler->plan.functional || !launch->ctas)
        return true;
    uint64_t peer[16];
    uint32_t peers = 0;
    if (!gmsim_clusters_begin(scheduler, launch)) {
        no_memory(error);
        return false;
    }
    for (; peers + 1u < scheduler->clusters.size; peers++)
        peer[peers] = gmsim_cluster_cta(scheduler, peers + 1u);
    bool read = gmsim_phases_read(&scheduler->phases, scheduler->reader, kernel,
                                  scheduler->replay->tally.decoded, scheduler->plan.cta_warps, peer,
                                  peers, error);
    if (read && gmsim_mbarriers_begin(scheduler) && gmsim_polls_begin(scheduler, kernel, error))
        return true;
    if (!*error)
        no_memory(error);
    return false;
}

/* What the launch's code is, and what each instruction of it takes. */
static bool read_code(gmsim_model *model, gmtrace_reader *reader, const gmtrace_kernel *kernel,
                      const gmtrace_launch *launch, uint32_t lanes, gmtrace_loaded **loaded,
                      GError **error)
{
    gmsim_tally *tally = &model->replay.tally;
    gmtrace_error reason = {.status = GMTRACE_OK};
    if (gmsim_tally_begin(tally, kernel, lanes) &&
        gmtrace_decode_indices(reader, kernel, launch, tally->decoded, loaded, &reason) &&
        gmsim_paces_begin(&model->paces, kernel, tally->decoded, &model->gpu))
        return true;
    gmtrace_loaded_free(*loaded);
    *loaded = NULL;
    if (reason.status == GMTRACE_OK)
        no_memory(error);
    else
        gmsim_trace_error(error, NULL, &reason);
    return false;
}

/* `crew`: NULL, or who runs it; `depends` is set where it has to be run anew without. */
static const gmsim_result *run_launch(gmsim_model *model, gmsim_crew *crew, gmtrace_reader *reader,
                                      uint32_t index, gmsim_progress progress, gpointer data,
                                      bool *depends, GError **error)
{
    gmsim_result *result = &model->result;
    gmsim_replay *replay = &model->replay;
    gmtrace_error reason = {.status = GMTRACE_OK};
    memset(result, 0, sizeof *result);
    const gmtrace_launch *launch = gmtrace_get_launch(reader, index);
    const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, launch->kernel);
    gmsim_scheduler scheduler = {.sm = model->sm,
                                 .lists = model->lists,
                                 .freed = model->freed,
                                 .replay = replay,
                                 .shared = &model->shared,
                                 .paces = &model->paces,
                                 .recorder = model->recorder,
                                 .reader = reader,
                                 .progress = progress,
                                 .progress_data = data,
                                 .stop = model->options.stop};
    if (!plan_launch(model, gmtrace_get_capture(reader), launch, kernel, result, &scheduler.plan,
                     error))
        return NULL;
    replay->tensor_map = launch->tensor_map;
    replay->tensor_maps = launch->tensor_map_count;
    if (!gmtrace_select_launch(reader, index, &reason)) {
        gmsim_trace_error(error, NULL, &reason);
        return NULL;
    }
    const uint32_t lanes = MIN(scheduler.plan.cta_threads, GMTRACE_WARP_LANES);
    if (!read_code(model, reader, kernel, launch, lanes, &scheduler.loaded, error))
        return NULL;
    scheduler.plan.cta_messages = cta_messages(&replay->tally);
    if (model->options.whatif) {
        gmsim_tally_change(&replay->tally, model->options.whatif);
        model->shared.sector_fill = model->options.whatif->free_fills ? 0 : 1u;
    }
    replay->local_load = model->options.whatif && model->options.whatif->l1_holds
                             ? GMSIM_L1_PRESENT
                             : GMSIM_L1_ALLOCATE;
    if ((model->options.flush || !model->started) && !model->fresh)
        gmsim_l2_flush(&model->shared.l2);
    model->fresh = false;
    const bool warm = model->options.caches == GMSIM_CACHES_WARM;
    result->start = warm                    ? GMSIM_START_WARM
                    : model->options.flush  ? GMSIM_START_FLUSHED
                    : launch->unseen_before ? GMSIM_START_UNKNOWN
                    : model->started        ? GMSIM_START_WARM
                                            : GMSIM_START_COLD;
    model->started = true;
    scheduler.paths = gmtrace_paths_create(kernel, gmtrace_get_capture(reader)->detail);
    if (scheduler.paths)
        gmtrace_paths_know(scheduler.paths, launch);
    const bool cold = result->start != GMSIM_START_WARM;
    if (!scheduler.paths || !gmsim_fetch_begin(&scheduler, kernel, cold) ||
        !gmsim_constants_begin(&scheduler, kernel, lanes, cold)) {
        gmtrace_paths_free(scheduler.paths);
        gmsim_fetch_end(&scheduler);
        gmsim_constants_end(&scheduler);
        no_memory(error);
        return NULL;
    }
    if (!read_phases(&scheduler, launch, kernel, error)) {
        gmsim_polls_end(&scheduler);
        gmtrace_paths_free(scheduler.paths);
        gmsim_fetch_end(&scheduler);
        gmsim_constants_end(&scheduler);
        return NULL;
    }
    bool done =
        !crew || gmsim_crew_begin(crew, &scheduler, launch, gmtrace_get_capture(reader)->detail);
    if (!done)
        no_memory(error);
    done = done && (!warm || replay_once(model, &scheduler, error));
    const gmsim_executed before = done ? executed_of(&scheduler) : (gmsim_executed){0};
    done = done && replay_once(model, &scheduler, error);
    gmsim_executed executed = done ? executed_of(&scheduler) : before;
    *depends = scheduler.depends;
    executed.instructions -= before.instructions;
    executed.ways -= before.ways;
    executed.doubtful -= before.doubtful;
    executed.loops -= before.loops;
    gmsim_crew_end(crew);
    gmtrace_paths_free(scheduler.paths);
    gmsim_polls_end(&scheduler);
    gmsim_mbarriers_end(&scheduler);
    gmsim_clusters_end(&scheduler);
    gmsim_fetch_end(&scheduler);
    gmsim_constants_end(&scheduler);
    if (!done)
        return NULL;

    result->launch = launch;
    result->kernel = kernel;
    result->waves =
        (double)scheduler.plan.ctas / ((double)scheduler.plan.sms * (double)scheduler.plan.sm_ctas);
    result->records = scheduler.records;
    result->barriers = scheduler.barriers;
    result->product_wavefronts = scheduler.product_bytes / (4u * GMSIM_LINE_BYTES);
    result->instr_count = gmsim_tally_finish(&replay->tally, result->row);
    result->instr = replay->tally.entry;
    result->unsteady = replay->tally.meet ? replay->tally.meet->kinds : 0;
    result->unsteady_instr = replay->tally.unsteady;
    memcpy(result->degree, replay->degree, sizeof result->degree);
    result->l2 = model->shared.l2.counts;
    result->unseen = unseen_of(kernel, replay->tally.decoded,
                               gmtrace_get_capture(reader)->unseen | unread_maps(launch));
    result->truncated = scheduler.truncated || !launch->complete;
    find_bound(model, &scheduler.plan, result);
    if (!scheduler.plan.functional && !(result->unseen & GMSIM_UNSEEN_TRAFFIC))
        finish_timing(model, &scheduler, result);
    if (result->timed && kernel->instr_count)
        result->executed = executed;
    return result;
}

/* What L2 holds before a launch that may have to begin anew; of one that finds it empty, nothing.
 */
static bool keep_before(gmsim_model *model)
{
    const size_t bytes = gmsim_l2_size(&model->gpu);
    model->before.started = model->started;
    if (model->options.flush || !model->started)
        return true;
    if (!model->before.l2_set)
        model->before.l2_set = new_room(1, bytes);
    if (!model->before.l2_set)
        return false;
    model->shared_before = model->shared;
    memcpy(model->before.l2_set, model->l2_set, bytes);
    return true;
}

static void bring_back(gmsim_model *model)
{
    model->started = model->before.started;
    if (model->options.flush || !model->started)
        return;
    model->shared = model->shared_before;
    memcpy(model->l2_set, model->before.l2_set, gmsim_l2_size(&model->gpu));
}

/* Whether the crew is to run it. */
static bool is_shared(const gmsim_model *model, const gmtrace_launch *launch)
{
    const uint32_t kernel = launch->kernel % ALONE;
    return model->crew && launch->records >= model->options.share_from &&
           !(model->alone[kernel / 64u] >> kernel % 64u & 1u);
}

const gmsim_result *gmsim_model_run(gmsim_model *model, gmtrace_reader *reader, uint32_t index,
                                    gmsim_progress progress, gpointer data, GError **error)
{
    bool depends = false;
    if (index >= gmtrace_launch_count(reader)) {
        g_set_error(error, GMSIM_ERROR, GMSIM_ERROR_USAGE, "the trace has no launch %u", index);
        return NULL;
    }
    const gmtrace_launch *launch = gmtrace_get_launch(reader, index);
    gmsim_crew *crew = is_shared(model, launch) && keep_before(model) ? model->crew : NULL;
    const gmsim_result *result =
        run_launch(model, crew, reader, index, progress, data, &depends, error);
    if (result || !depends)
        return result;
    const uint32_t kernel = launch->kernel % ALONE;
    model->alone[kernel / 64u] |= 1ull << kernel % 64u;
    bring_back(model);
    return run_launch(model, NULL, reader, index, progress, data, &depends, error);
}
