/* SPDX-License-Identifier: MIT
 *
 * replay.c - one record's way through coalescer, banks, L1 and L2, and what it counts as. The rows
 * and their counting follow Nsight Compute:
 *
 * - Every executed global, local or shared instruction with an active lane is one request.
 * - A local access of 8 or 16 bytes is 2 or 4 requests, one a word of each lane (seen on an H200:
 *   l1tex__t_requests against smsp__sass_inst_executed of spilling kernels).
 * - cp.async (LDGSTS) comes as two records: its global read is a row of its own, its shared write
 *   another; the instruction counts in both. A copy that only writes zeros has no read.
 *   One past L1 reads the sectors of its source at once, and those that go to several places again
 *   where it is known to which (micro/copy_async.cu): no further request, no sectors of L1.
 * - Global atomics and reductions are one request each and go past L1 to L2, sector by sector.
 *   Atomics return their sectors, reductions return nothing.
 * - LDSM and STSM count as rows of 16 bytes, 8 a matrix.
 * - Bulk copies (TMA) bypass the load-store unit: no request, their sectors go to L2. Those through
 *   tensor maps are boxes.c's.
 * - A prefetch brings lines into L2, whole ones where it is not through a map, and counts nowhere.
 *
 * Left out: wavefronts of distributed shared memory, of bulk copies and of warpgroup MMA; constant
 * memory (no source of traces sees it yet).
 */
#include "sim/model/replay.h"

#include "sim/model/boxes.h"
#include "sim/model/cache/tags.h"
#include "sim/model/count/banks.h"
#include "sim/model/count/lanes.h"
#include "sim/model/count/local.h"
#include "sim/model/watch.h"
#include "sim/model/whatif.h"

#define WIDE      16u /* bytes a lane */
#define BULK_STEP ((GMSIM_MAX_LINES - 1u) * GMSIM_LINE_BYTES)

static void keep_worst(gmsim_worst *worst, uint32_t work, uint64_t turn, const gmsim_executor *who,
                       const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    *worst = (gmsim_worst){.cta = who->cta,
                           .warp = who->warp,
                           .mask = record->mask,
                           .work = work,
                           .turn = turn,
                           .size = record->size};
    gmsim_lane_addresses(chunk, record, worst->address);
}

/* The first of those with the most work, whatever the order in which SMs are run. */
static inline void note_worst(const gmsim_replay *replay, gmsim_instr_counts *entry, uint32_t work,
                              const gmsim_executor *who, const gmtrace_chunk *chunk,
                              const gmtrace_record *record)
{
    const gmsim_worst *worst = &entry->worst;
    if (work > worst->work || (work == worst->work && replay->turn < worst->turn))
        keep_worst(&entry->worst, work, replay->turn, who, chunk, record);
}

static inline gmsim_counts *count_instruction(gmsim_instr_counts *entry,
                                              const gmtrace_record *record)
{
    gmsim_counts *counts = &entry->counts;
    uint32_t mask = record->mask;
    uint32_t threads = mask == GMSIM_ALL_LANES ? 32u : gmsim_lane_count(mask);
    counts->instructions++;
    counts->threads += threads;
    counts->bytes += (uint64_t)threads * record->size;
    counts->requests++;
    return counts;
}

void gmsim_replay_prepare(gmsim_replay *replay, const gmsim_gpu *gpu)
{
    replay->gpu = gpu;
    uint32_t sets = gpu->l1_tag_sets;
    for (uint32_t bits = 0; bits < GMSIM_MOST_TAG_SETS; bits++) {
        uint32_t set = 0;
        for (uint32_t left = bits; left && sets > 1u; left /= sets)
            set ^= left % sets;
        replay->tag_set[bits] = (uint8_t)set;
    }
}

void gmsim_replay_reset(gmsim_replay *replay)
{
    gmsim_tally_reset(&replay->tally);
    replay->l1_clocks = 0;
    memset(replay->degree, 0, sizeof replay->degree);
}

void gmsim_replay_add(gmsim_replay *replay, const gmsim_replay *other)
{
    gmsim_tally_add(&replay->tally, &other->tally);
    replay->l1_clocks += other->l1_clocks;
    for (uint32_t n = 0; n < GMSIM_DEGREE_BINS; n++)
        replay->degree[n] += other->degree[n];
}

/* Where there are other than four sets of tags: all groups of bits of the line number XORed. */
static uint32_t folded_set(const gmsim_replay *replay, uint64_t line)
{
    line ^= line >> 32;
    line ^= line >> 16;
    line ^= line >> 8;
    line ^= line >> 4;
    return replay->tag_set[line & (GMSIM_MOST_TAG_SETS - 1u)];
}

/* Passes through L1's tag stage: a set takes one line a clock (tags.h). */
static uint32_t tag_clocks(const gmsim_replay *replay, const gmsim_footprint *footprint)
{
    const bool four = replay->gpu->l1_tag_sets == GMSIM_TAG_SETS;
    uint32_t lines = footprint->lines, most = 1u;
    uint8_t set[GMSIM_MOST_TAG_SETS] = {0};
    for (uint32_t i = 0; i < lines; i++) {
        const uint64_t line = footprint->line[i];
        uint32_t depth = ++set[four ? gmsim_tag_set(line) : folded_set(replay, line)];
        most = MAX(most, depth);
    }
    return most;
}

static inline void count_footprint(gmsim_replay *replay, gmsim_executor *who,
                                   const gmsim_footprint *footprint, uint32_t wavefronts,
                                   gmsim_counts *counts)
{
    uint32_t tags = footprint->lines > 1u ? tag_clocks(replay, footprint) : 1u;
    uint32_t clocks = MAX(tags, wavefronts);
    counts->sectors += footprint->sectors;
    counts->sectors_ideal += gmsim_sectors_ideal(footprint);
    counts->tags += footprint->lines;
    replay->l1_clocks += clocks;
    who->clocks += clocks;
}

/* Hands it to the memory hierarchy. */
static inline void send(gmsim_sm_memory *memory, gmsim_executor *who, gmsim_request *request)
{
    request->now = who->now;
    request->part = who->part;
    gmsim_sm_memory_take(memory, request, &who->answer);
}

/* What L2 counts of an atomic: a sector once, and once more for every further lane that meets the
 * others in one address (dot_naive: 32 of a warp on one word count 32 times). */
static __attribute__((noinline)) void
count_operations(gmsim_request *request, const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    const gmsim_footprint *footprint = &request->footprint;
    uint64_t address[GMTRACE_WARP_LANES];
    uint8_t most[GMSIM_MAX_LINES][GMSIM_LINE_BYTES / GMSIM_SECTOR_BYTES] = {{0}};
    uint8_t lanes_of[GMSIM_MAX_LINES][2] = {{0}}; /* halves */
    uint8_t parts[GMSIM_MAX_LINES] = {0};         /* of 16 bytes, two a sector */
    gmsim_lane_addresses(chunk, record, address);
    const bool apart = record->shape == GMTRACE_AFFINE && record->stride;
    for (uint32_t left = record->mask, at = 0; left;) {
        uint64_t first = address[gmsim_lowest(left)];
        uint8_t lanes = 1;
        left &= left - 1u;
        for (uint32_t rest = apart ? 0 : left; rest; rest &= rest - 1u) {
            uint32_t lane = gmsim_lowest(rest);
            if (address[lane] != first)
                continue;
            left &= ~(1u << lane);
            lanes++;
        }
        if (footprint->line[at] != first / GMSIM_LINE_BYTES)
            for (at = 0; at + 1u < footprint->lines; at++)
                if (footprint->line[at] == first / GMSIM_LINE_BYTES)
                    break;
        uint8_t *sector = &most[at][first / GMSIM_SECTOR_BYTES % 4u];
        *sector = MAX(*sector, lanes);
        uint8_t *half = &lanes_of[at][first / (GMSIM_LINE_BYTES / 2u) % 2u];
        *half = (uint8_t)(*half + lanes);
        parts[at] = (uint8_t)(parts[at] | 1u << first / (GMSIM_SECTOR_BYTES / 2u) % 8u);
    }
    for (uint32_t i = 0; i < footprint->lines; i++) {
        uint8_t sum = 0, lone = 0, passes = 0, wide = 0;
        for (uint32_t k = 0; k < 2u; k++) {
            const uint8_t one = most[i][2u * k], other = most[i][2u * k + 1u];
            const uint8_t longer = MAX(one, other);
            sum = (uint8_t)(sum + one + other);
            lone = (uint8_t)(lone + (longer == lanes_of[i][k] ? longer : 0));
            passes = MAX(passes, longer);
            const uint32_t both = parts[i] >> 4u * k & parts[i] >> (4u * k + 1u);
            wide = (uint8_t)(wide + (both & 1u ? one : 0) + (both & 4u ? other : 0));
        }
        request->line_operations[i] = sum;
        request->line_lone[i] = lone;
        request->line_wide[i] = wide;
        request->line_passes[i] = passes;
        request->line_lanes[i] = (uint8_t)(lanes_of[i][0] + lanes_of[i][1]);
    }
}

/* Whoever looks on is told. */
static inline void tell(const gmsim_replay *replay, gmsim_row row, const gmtrace_chunk *chunk,
                        const gmtrace_record *record, const gmsim_footprint *footprint)
{
    if (G_UNLIKELY(replay->watch))
        replay->watch->access(replay->watch, row, chunk, record, footprint);
}

/* Of a load that reads L1's data. Gathers hardly ever do so twice alike. */
static uint32_t load_wavefronts(gmsim_replay *replay, const gmtrace_chunk *chunk,
                                const gmtrace_record *record)
{
    return record->shape <= GMTRACE_GRID
               ? gmsim_banks_again(&replay->banks, chunk, record, GMSIM_BANK_STORE, 0).actual
               : gmsim_banks(chunk, record, GMSIM_BANK_STORE, 0).actual;
}

static const char *replay_global(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                                 const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    static const int8_t row_of[GMTRACE_OP_COUNT] = {
        [GMTRACE_OP_LOAD] = GMSIM_GLOBAL_LOAD + 1,
        [GMTRACE_OP_STORE] = GMSIM_GLOBAL_STORE + 1,
        [GMTRACE_OP_ATOMIC] = GMSIM_GLOBAL_ATOMIC + 1,
        [GMTRACE_OP_REDUCTION] = GMSIM_GLOBAL_REDUCTION + 1,
        [GMTRACE_OP_COPY_READ] = GMSIM_GLOBAL_COPY + 1,
    };
    static const uint8_t kind_of[GMTRACE_OP_COUNT] = {
        [GMTRACE_OP_LOAD] = GMSIM_REQUEST_LOAD,
        [GMTRACE_OP_STORE] = GMSIM_REQUEST_STORE,
        [GMTRACE_OP_ATOMIC] = GMSIM_REQUEST_ATOMIC,
        [GMTRACE_OP_REDUCTION] = GMSIM_REQUEST_REDUCTION,
        [GMTRACE_OP_COPY_READ] = GMSIM_REQUEST_LOAD,
    };
    int row = row_of[record->op] - 1;
    if (row < 0)
        return "an operation that global memory does not have";
    gmsim_request request;
    gmsim_footprint *footprint = &request.footprint;
    bool is_line = gmsim_is_line(record);
    if (is_line)
        gmsim_coalesce_line(footprint, record);
    else
        gmsim_coalesce(footprint, chunk, record);
    const gmsim_site *site = gmsim_tally_site(&replay->tally, record->instr);
    gmsim_instr_counts *entry =
        gmsim_tally_entry(&replay->tally, site, record->instr, (gmsim_row)row);
    gmsim_counts *counts = count_instruction(entry, record);
    /* Loads read L1's data by the rule of shared memory's banks, but for merged phases. */
    request.wavefronts = 1u;
    if (record->op == GMTRACE_OP_LOAD && !is_line)
        request.wavefronts = (uint8_t)load_wavefronts(replay, chunk, record);
    count_footprint(replay, who, footprint, request.wavefronts, counts);
    if (record->op == GMTRACE_OP_LOAD)
        who->wavefronts = request.wavefronts;
    if (G_UNLIKELY(site->unsteady))
        gmsim_meet_note(replay->tally.meet, site->unsteady, who->cta, who->warp, chunk, record);
    if (row == GMSIM_GLOBAL_COPY) {
        gmsim_copy_lines(who->copy, chunk, record);
        who->copy_instr = record->instr;
        who->copy_sectors = footprint->sectors;
        if (!site->copy_bypass) { /* a line after the other (micro/copy_timing.cu) */
            who->wavefronts = footprint->lines;
            request.wavefronts = (uint8_t)footprint->lines;
        }
        counts->copies_bypass += site->copy_bypass;
    }
    note_worst(replay, entry, footprint->sectors, who, chunk, record);
    tell(replay, (gmsim_row)row, chunk, record, footprint);
    request.counts = counts;
    gmsim_l1_words_begin(&request.words, footprint, chunk, record);
    request.kind = kind_of[record->op];
    request.load = site->load;
    request.whole_lines = site->whole_lines;
    if (row == GMSIM_GLOBAL_ATOMIC || row == GMSIM_GLOBAL_REDUCTION) {
        count_operations(&request, chunk, record);
        request.is_float = site->is_float;
        request.is_double = site->is_float && record->size == 8u;
        request.is_swap = site->is_swap;
    }
    send(memory, who, &request);
    if (row == GMSIM_GLOBAL_COPY && site->copy_bypass)
        who->clocks = 1u; /* its lines are not looked up (micro/copy_rows.cu) */
    return NULL;
}

static const char *replay_local(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                                const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    bool is_store = record->op == GMTRACE_OP_STORE;
    if (!is_store && record->op != GMTRACE_OP_LOAD)
        return "an operation that local memory does not have";
    const gmsim_site *site = gmsim_tally_site(&replay->tally, record->instr);
    gmsim_instr_counts *entry = gmsim_tally_entry(&replay->tally, site, record->instr,
                                                  is_store ? GMSIM_LOCAL_STORE : GMSIM_LOCAL_LOAD);
    gmsim_counts *counts = count_instruction(entry, record);
    uint32_t passes = gmsim_local_passes(record), sectors = 0;
    counts->requests += passes - 1u;
    for (uint32_t pass = 0; pass < passes; pass++) {
        gmsim_request request;
        gmsim_coalesce_local(&request.footprint, chunk, record, who->window, pass);
        request.wavefronts = 1u;
        count_footprint(replay, who, &request.footprint, 1u, counts);
        who->wavefronts += !is_store;
        sectors += request.footprint.sectors;
        tell(replay, is_store ? GMSIM_LOCAL_STORE : GMSIM_LOCAL_LOAD, chunk, pass ? NULL : record,
             &request.footprint);
        request.counts = counts;
        gmsim_l1_words_begin(&request.words, &request.footprint, NULL, NULL);
        if (gmsim_has_part(&request.footprint)) {
            gmsim_local_bytes(request.words.bytes, &request.footprint, chunk, record, who->window,
                              pass);
            gmsim_l1_words_tell(&request.words);
        }
        request.whole_lines = false;
        request.kind = is_store ? GMSIM_REQUEST_STORE : GMSIM_REQUEST_LOAD;
        request.load = replay->local_load;
        send(memory, who, &request);
    }
    note_worst(replay, entry, sectors, who, chunk, record);
    return NULL;
}

/* A copy past L1 has been asked for once; what comes more often is asked for again. */
static __attribute__((noinline)) void copy_again(gmsim_replay *replay, gmsim_sm_memory *memory,
                                                 gmsim_executor *who, const gmtrace_chunk *chunk,
                                                 const gmtrace_record *record,
                                                 const gmsim_site *site, gmsim_counts *counts)
{
    const gmsim_copy_source *source = who->copy;
    const uint32_t sectors = who->copy_sectors;
    gmsim_copy_moves moves;
    counts->copies_bypass++;
    if (!source->mask)
        return;
    gmsim_copy_past(&moves, chunk, record, source, sectors);
    counts->copies_shifted +=
        (uint64_t)gmsim_copy_sectors(chunk, record, source, sectors) - sectors;
    counts->copies_moved += (uint64_t)moves.sectors - sectors;
    if (!moves.requests)
        return;
    gmsim_request request;
    gmsim_footprint *footprint = &request.footprint;
    footprint->lines = moves.requests;
    footprint->sectors = 0;
    for (uint32_t i = 0; i < moves.requests; i++) {
        footprint->line[i] = source->number[moves.line[i]];
        footprint->touched[i] = moves.touched[i];
        footprint->sectors += gmsim_sector_count(moves.touched[i]);
    }
    request.counts =
        &gmsim_tally_entry(&replay->tally, site, record->instr, GMSIM_GLOBAL_COPY)->counts;
    request.kind = GMSIM_REQUEST_FETCH;
    request.load = GMSIM_L1_DROP;
    request.whole_lines = site->whole_lines;
    request.wavefronts = 1u;
    send(memory, who, &request);
}

static const char *replay_shared(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                                 const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    const gmsim_site *site = gmsim_tally_site(&replay->tally, record->instr);
    bool matrix = site->matrices != 0;
    gmsim_row row;
    gmsim_bank_use use;
    switch ((gmtrace_op)record->op) {
    case GMTRACE_OP_LOAD:
        row = matrix ? GMSIM_SHARED_LDSM : GMSIM_SHARED_LOAD;
        use = matrix ? GMSIM_BANK_MATRIX : GMSIM_BANK_LOAD;
        break;
    case GMTRACE_OP_STORE:
        row = matrix ? GMSIM_SHARED_STSM : GMSIM_SHARED_STORE;
        use = matrix ? GMSIM_BANK_MATRIX : GMSIM_BANK_STORE;
        break;
    case GMTRACE_OP_ATOMIC:
    case GMTRACE_OP_REDUCTION:
        if (site->unsteady)
            gmsim_meet_note(replay->tally.meet, site->unsteady, who->cta, who->warp, chunk, record);
        row = GMSIM_SHARED_ATOMIC;
        use = (gmsim_bank_use)site->atomic;
        break;
    case GMTRACE_OP_COPY_WRITE:
        row = GMSIM_SHARED_COPY;
        use = GMSIM_BANK_STORE;
        break;
    default:
        return "an operation that shared memory does not have";
    }
    gmsim_wavefronts wavefronts;
    if (row == GMSIM_SHARED_COPY) {
        if (who->copy_instr != record->instr)
            memset(who->copy, 0, sizeof *who->copy); /* no lane reads: zeros are written */
        wavefronts = gmsim_banks_copy(chunk, record, who->copy, site->copy_bypass);
        who->copy_instr = GMTRACE_NO_INSTR;
    } else {
        wavefronts = gmsim_banks_again(&replay->banks, chunk, record, use, site->matrices);
    }
    gmsim_instr_counts *entry = gmsim_tally_entry(&replay->tally, site, record->instr, row);
    gmsim_counts *counts = count_instruction(entry, record);
    who->clocks = wavefronts.actual;
    if (row == GMSIM_SHARED_LOAD && record->size == WIDE && who->clocks) /* of however few lanes */
        who->clocks = MAX(who->clocks, replay->gpu->shared_load16);
    if (row == GMSIM_SHARED_COPY && site->copy_bypass && wavefronts.actual > 1u)
        who->clocks = gmsim_copy_clocks(chunk, record, who->copy, wavefronts.actual);
    who->wavefronts = row == GMSIM_SHARED_COPY ? 0 : wavefronts.actual;
    const gmsim_gpu *gpu = replay->gpu;
    who->answer.done = who->now + gpu->shared_latency +
                       (wavefronts.actual ? gpu->shared_wavefront * (wavefronts.actual - 1u) : 0);
    counts->wavefronts += wavefronts.actual;
    counts->wavefronts_ideal += wavefronts.ideal;
    if (G_UNLIKELY(site->copy_zeros) && site->copy_bypass) /* counts as if through L1, too */
        counts->wavefronts += gmsim_banks_copy(chunk, record, who->copy, false).actual;
    if (row == GMSIM_SHARED_COPY && site->copy_bypass)
        copy_again(replay, memory, who, chunk, record, site, counts);
    if (use == GMSIM_BANK_LOAD || row == GMSIM_SHARED_STORE)
        replay->degree[MIN(wavefronts.actual, GMSIM_DEGREE_BINS - 1u)]++;
    note_worst(replay, entry, wavefronts.actual, who, chunk, record);
    return NULL;
}

/* Shared memory of another CTA of the cluster: there and back, at a rate of its own. */
static const char *replay_remote(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                                 const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    const gmsim_site *site = gmsim_tally_site(&replay->tally, record->instr);
    gmsim_instr_counts *entry =
        gmsim_tally_entry(&replay->tally, site, record->instr, GMSIM_REMOTE_SHARED);
    count_instruction(entry, record);
    note_worst(replay, entry, gmsim_lane_count(record->mask), who, chunk, record);
    const gmsim_gpu *gpu = replay->gpu;
    const uint32_t bytes = gmsim_lane_count(record->mask) * record->size;
    const uint64_t begin = MAX(memory->remote_free, who->now);
    memory->remote_free = begin + (bytes + gpu->sm_remote_bytes - 1u) / gpu->sm_remote_bytes;
    who->answer.held = begin;
    who->answer.stored = memory->remote_free;
    who->answer.done = memory->remote_free + 2u * gpu->sm_remote;
    return NULL;
}

GMSIM_INLINE const char *replay_access(gmsim_replay *replay, gmsim_sm_memory *memory,
                                       gmsim_executor *who, const gmtrace_chunk *chunk,
                                       const gmtrace_record *record)
{
    if (record->mask == 0)
        return "an access without active lanes";
    if (record->op == GMTRACE_OP_PREFETCH) {
        gmtrace_record touch = *record;
        gmsim_request request;
        touch.size = 1;
        gmsim_coalesce(&request.footprint, chunk, &touch);
        for (uint32_t i = 0; i < request.footprint.lines; i++)
            request.footprint.touched[i] = request.footprint.full[i] = 0xf;
        request.footprint.sectors = 4u * request.footprint.lines;
        request.kind = GMSIM_REQUEST_PREFETCH;
        request.whole_lines = false;
        request.wavefronts = 1u;
        send(memory, who, &request);
        return NULL;
    }
    if (record->size == 0 || record->size > GMSIM_MAX_WIDTH)
        return "an access of neither 1, 2, 4, 8, 16 nor 32 bytes a lane";
    switch ((gmtrace_space)record->space) {
    case GMTRACE_SPACE_GLOBAL:
        return replay_global(replay, memory, who, chunk, record);
    case GMTRACE_SPACE_LOCAL:
        return replay_local(replay, memory, who, chunk, record);
    case GMTRACE_SPACE_SHARED:
        return replay_shared(replay, memory, who, chunk, record);
    case GMTRACE_SPACE_REMOTE_SHARED:
        return replay_remote(replay, memory, who, chunk, record);
    case GMTRACE_SPACE_CONSTANT:
        return NULL;
    default:
        return "an access to no memory space";
    }
}

static const char *replay_bulk(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                               const gmtrace_record *record)
{
    uint64_t address = record->op == GMTRACE_OP_BULK_LOAD ? record->address : record->aux64;
    gmsim_row row = record->op == GMTRACE_OP_BULK_LOAD   ? GMSIM_BULK_LOAD
                    : record->op == GMTRACE_OP_BULK_COPY ? GMSIM_REMOTE_SHARED
                                                         : GMSIM_BULK_STORE;
    if (record->op < GMTRACE_OP_BULK_LOAD || record->op > GMTRACE_OP_BULK_REDUCE)
        return "a bulk copy with another operation";
    if (record->aux > GMSIM_MOST_BULK_BYTES || address + record->aux < address)
        return "a bulk copy larger than shared memory";
    const gmsim_site *site = gmsim_tally_site(&replay->tally, record->instr);
    gmsim_counts *counts = &gmsim_tally_entry(&replay->tally, site, record->instr, row)->counts;
    counts->instructions++;
    counts->threads += gmsim_lane_count(record->mask);
    counts->bytes += record->aux;
    if (row == GMSIM_REMOTE_SHARED)
        return NULL;
    gmsim_request_kind kind = record->op == GMTRACE_OP_BULK_LOAD     ? GMSIM_REQUEST_FETCH
                              : record->op == GMTRACE_OP_BULK_REDUCE ? GMSIM_REQUEST_REDUCTION
                                                                     : GMSIM_REQUEST_WRITE_OUT;
    for (uint32_t left = record->aux; left;) {
        uint32_t step = left < BULK_STEP ? left : BULK_STEP - (uint32_t)(address & 127u);
        gmsim_request request;
        gmsim_coalesce_range(&request.footprint, address, step);
        counts->sectors += request.footprint.sectors;
        counts->tags += request.footprint.lines;
        tell(replay, row, NULL, left == record->aux ? record : NULL, &request.footprint);
        request.counts = counts;
        gmsim_l1_words_begin(&request.words, &request.footprint, NULL, NULL);
        request.kind = (uint8_t)kind;
        request.wavefronts = 1u;
        request.whole_lines = request.is_float = request.is_double = request.is_swap = false;
        for (uint32_t i = 0; i < request.footprint.lines; i++)
            gmsim_request_reduces(&request, i, gmsim_sector_count(request.footprint.touched[i]));
        send(memory, who, &request);
        address += step;
        left -= step;
    }
    counts->sectors_ideal += (record->aux + GMSIM_SECTOR_BYTES - 1u) / GMSIM_SECTOR_BYTES;
    return NULL;
}

/* The access as it is changed; false where it falls away. */
static __attribute__((noinline)) bool change(const gmsim_replay *replay, const gmsim_executor *who,
                                             const gmtrace_chunk **chunk, gmtrace_record *record)
{
    gmsim_whatif *whatif = replay->whatif;
    const gmsim_actor actor = {who->cta, who->warp, who->slot};
    return !whatif->access || whatif->access(whatif, &actor, chunk, record);
}

const char *gmsim_replay_record(gmsim_replay *replay, gmsim_sm_memory *memory, gmsim_executor *who,
                                const gmtrace_chunk *chunk, const gmtrace_record *record)
{
    who->answer = (gmsim_answer){.done = who->now};
    who->clocks = who->wavefronts = 0;
    if (record->op >= GMTRACE_OP_COUNT)
        return "an unknown operation";
    gmtrace_record changed;
    if (G_UNLIKELY(replay->whatif) && record->kind == GMTRACE_ACCESS) {
        changed = *record;
        if (!change(replay, who, &chunk, &changed))
            return NULL; /* nor is the load-store unit busy with it */
        record = &changed;
    }
    const char *wrong =
        record->kind == GMTRACE_ACCESS ? replay_access(replay, memory, who, chunk, record)
        : record->kind == GMTRACE_BULK ? replay_bulk(replay, memory, who, record)
                                       : gmsim_replay_box(replay, memory, who, record);
    who->clocks = MAX(who->clocks, 1u);
    return wrong;
}

bool gmsim_replay_copy_room(const gmsim_replay *replay, const gmsim_sm_memory *memory,
                            const gmtrace_record *record)
{
    if (record->kind == GMTRACE_TENSOR)
        return gmsim_replay_box_room(replay, memory, record);
    uint32_t lines = MIN(record->aux, GMSIM_MOST_BULK_BYTES) / GMSIM_LINE_BYTES + 2u;
    return gmsim_sm_memory_room(memory, lines, record->op == GMTRACE_OP_BULK_LOAD ? 0 : lines * 5u);
}

bool gmsim_replay_access_room(const gmsim_sm_memory *memory, const gmtrace_record *record)
{
    if (record->space == GMTRACE_SPACE_SHARED && record->op != GMTRACE_OP_COPY_WRITE)
        return true; /* it asks for nothing */
    /* A lane's bytes lie in two lines at most. */
    uint32_t lines = 2u * gmsim_lane_count(record->mask);
    if (record->space == GMTRACE_SPACE_LOCAL)
        lines = GMSIM_RECORD_LINES;
    else if (gmsim_is_line(record))
        lines = 1u;
    return gmsim_sm_memory_room(memory, lines, GMSIM_RECORD_UNITS);
}
