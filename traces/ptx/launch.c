/* SPDX-License-Identifier: MIT
 *
 * launch.c - runs a grid: CTAs in order, or several at once; what they print and record comes out
 * in order all the same, so nothing depends on the number of threads.
 */
#include "traces/ptx/exec.h"
#include "traces/ptx/check/check.h"
#include "traces/ptx/check/races.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SHARED (16u << 20)

typedef struct run {
    const gmptx_launch *launch;
    const ptx_kernel *kernel;
    uint8_t *params;
    uint32_t shared_bytes;
    uint64_t ctas;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    bool ordered;   /* a CTA starts when the one before has run, as its results may depend on it */
    uint64_t next;  /* to be started */
    uint64_t ran;   /* of ordered ones: CTAs below have run */
    uint64_t ended; /* CTAs below have been written */
    bool failed;    /* an ordered CTA: what comes after it does not run */
    bool stop;
    ptx_races *races; /* NULL: none are looked for */
    ptx_check *check;
    gmptx_result result;
    gmtrace_error error;
} run;

static void report(run *r, const ptx_cta *cta)
{
    const ptx_kernel *k = r->kernel;
    const gmptx_launch *l = r->launch;
    const ptx_statement *s = gmptx_statement_of(k, cta->fault_op);
    const ptx_function *f = &k->module->function[k->image[k->op_function[cta->fault_op]].function];
    gmptx_fault *fault = &r->result.fault;
    *fault = cta->fault;
    fault->kernel = k->info.mangled;
    const uint32_t lane = cta->fault_lane < LANES ? cta->fault_lane : 0;
    const uint32_t thread = cta->fault_warp * LANES + lane;
    memcpy(fault->block, cta->index, sizeof fault->block);
    fault->thread[0] = thread % l->block[0];
    fault->thread[1] = thread / l->block[0] % l->block[1];
    fault->thread[2] = thread / l->block[0] / l->block[1];
    ptx_slice text = f->name;
    if (s) {
        fault->ptx_line = s->line;
        if (s->file < k->module->file_count && k->module->file[s->file]) {
            fault->file = k->module->file[s->file];
            fault->line = s->source_line;
        }
        text = s->opcode;
    }
    if (cta->trace_error.status != GMTRACE_OK) {
        r->error = cta->trace_error;
        return;
    }
    const char *base = fault->file ? strrchr(fault->file, '/') : NULL;
    base = base ? base + 1 : fault->file;
    char where[80] = "", what[64] = "";
    if (base)
        snprintf(where, sizeof where, "%.50s:%u, ", base, fault->line);
    if (fault->kind == GMPTX_FAULT_ACCESS || fault->kind == GMPTX_FAULT_MISALIGNED)
        snprintf(what, sizeof what, " (%s of %u bytes at 0x%llx)",
                 fault->is_write ? "write" : "read", fault->bytes,
                 (unsigned long long)fault->address);
    gmptx_fail(&r->error, GMTRACE_CORRUPT, 0,
               "%.60s: %s%.*s, line %u of the PTX, block (%u,%u,%u) thread (%u,%u,%u): %s%s",
               l->name ? l->name : fault->kernel, where, (int)(text.length < 30 ? text.length : 30),
               text.text, fault->ptx_line, fault->block[0], fault->block[1], fault->block[2],
               fault->thread[0], fault->thread[1], fault->thread[2], gmptx_fault_text(fault->kind),
               what);
}

/* In the order of CTAs, and without the lock: others run meanwhile. */
static void write_records(run *r, ptx_cta *cta)
{
    if (cta->print_bytes)
        fwrite(cta->print, 1, cta->print_bytes, r->launch->print ? r->launch->print : stdout);
    if (cta->sink && cta->trace_error.status == GMTRACE_OK &&
        (!gmptx_sink_flush(cta->sink, cta->number, &cta->trace_error) ||
         !gmtrace_writer_end_cta(r->launch->writer, cta->number, &cta->trace_error)) &&
        cta->fault.kind == GMPTX_FAULT_NONE)
        cta->fault.kind = GMPTX_FAULT_OTHER;
}

static void tell_strays(const run *r, ptx_cta *cta)
{
    for (uint32_t i = 0; i < cta->strays && r->launch->stray; i++) {
        const ptx_stray *s = &cta->stray[i];
        const gmptx_finding finding = {.kind = GMPTX_FOUND_OUTSIDE,
                                       .kernel = r->kernel->info.mangled,
                                       .space = GMTRACE_SPACE_GLOBAL,
                                       .count = s->count,
                                       .at =
                                           gmptx_side_of(cta, cta->number, s->warp, s->lane, s->op),
                                       .address = s->address,
                                       .bytes = s->bytes};
        r->launch->stray(r->launch->race_user, &finding);
    }
    cta->strays = 0;
}

/* With the lock held, in the order of CTAs. */
static void account(run *r, ptx_cta *cta)
{
    tell_strays(r, cta);
    r->result.warp_instructions += cta->instructions;
    r->result.thread_instructions += cta->thread_instructions;
    r->result.records += cta->records;
    if (cta->fault.kind != GMPTX_FAULT_NONE) {
        report(r, cta);
        r->stop = true;
    }
}

/* Runs the CTA and writes what came of it, each when it is its turn; the lock is held before and
 * after. */
static void run_one(run *r, ptx_cta *cta, ptx_sink *sink, uint64_t number)
{
    cta->check = r->check;
    cta->races = number < r->launch->race_ctas ? r->races : NULL;
    cta->watched = cta->check || cta->races;
    const bool ordered = r->ordered || cta->races;
    while (ordered && r->ran != number)
        pthread_cond_wait(&r->turn, &r->lock);
    const bool goes_on = !r->stop && !r->failed;
    sink->direct = number == r->ended; /* nobody else writes until this one has ended */
    pthread_mutex_unlock(&r->lock);
    if (goes_on)
        gmptx_run_cta(cta, number);
    pthread_mutex_lock(&r->lock);
    r->failed |= ordered && cta->fault.kind != GMPTX_FAULT_NONE;
    r->ran += ordered;
    pthread_cond_broadcast(&r->turn);
    while (r->ended != number)
        pthread_cond_wait(&r->turn, &r->lock);
    if (goes_on && !r->stop) {
        pthread_mutex_unlock(&r->lock);
        write_records(r, cta);
        pthread_mutex_lock(&r->lock);
        account(r, cta);
    }
    cta->print_bytes = 0;
    cta->thread_instructions = cta->records = 0;
    r->ended++;
    pthread_cond_broadcast(&r->turn);
}

static void *work(void *data)
{
    run *r = data;
    ptx_cta cta;
    ptx_sink sink = {.writer = r->launch->writer};
    bool good = gmptx_open_cta(&cta, r->launch, r->params, r->shared_bytes);
    pthread_mutex_lock(&r->lock);
    if (!good && !r->stop) {
        r->stop = true;
        r->result.fault.kind = GMPTX_FAULT_OTHER;
        gmptx_fail(&r->error, GMTRACE_MEMORY, 0, "no memory for a CTA of %s",
                   r->kernel->info.mangled);
    }
    if (r->launch->writer)
        cta.sink = &sink;
    while (good && !r->stop && r->next < r->ctas)
        run_one(r, &cta, &sink, r->next++);
    pthread_mutex_unlock(&r->lock);
    gmptx_sink_free(&sink);
    gmptx_close_cta(&cta);
    return NULL;
}

static bool check_launch(const gmptx_launch *l, run *r)
{
    const ptx_kernel *k = r->kernel;
    uint64_t threads = 1, ctas = 1;
    for (unsigned i = 0; i < 3; i++) {
        threads *= l->block[i];
        if (!l->grid[i] || !l->block[i] || l->block[i] > 1024 || threads > 1024)
            return gmptx_fail(&r->error, GMTRACE_USAGE, 0,
                              "%s: the grid or block is empty, or the block has more than 1024 "
                              "threads",
                              k->info.mangled);
        if (__builtin_mul_overflow(ctas, l->grid[i], &ctas) || ctas > INT64_MAX)
            return gmptx_fail(&r->error, GMTRACE_USAGE, 0, "%s: the grid is too large",
                              k->info.mangled);
    }
    if (k->info.max_threads && threads > k->info.max_threads)
        return gmptx_fail(&r->error, GMTRACE_USAGE, 0,
                          "%s: %u threads a block, but it was compiled for %u at most",
                          k->info.mangled, (unsigned)threads, k->info.max_threads);
    if (l->dynamic_shared > MAX_SHARED)
        return gmptx_fail(&r->error, GMTRACE_USAGE, 0, "%s: too much shared memory",
                          k->info.mangled);
    if (k->info.allocates && (!l->allocate || !l->release))
        return gmptx_fail(&r->error, GMTRACE_UNSUPPORTED, 0,
                          "%s: calls malloc() or free(), and there is no heap", k->info.mangled);
    r->ctas = ctas;
    r->shared_bytes = l->dynamic_shared ? k->dynamic_start + l->dynamic_shared : k->static_bytes;
    return true;
}

/* CTAs that may wait for one another: all are there at once and have their turns. */
static bool open_together(run *r, ptx_cta *cta, ptx_sink *sink)
{
    const uint32_t warps =
        (r->launch->block[0] * r->launch->block[1] * r->launch->block[2] + LANES - 1) / LANES;
    bool good = cta && sink;
    for (uint64_t i = 0; good && i < r->ctas; i++) {
        good = gmptx_open_cta(&cta[i], r->launch, r->params, r->shared_bytes);
        cta[i].together = true;
        sink[i] = (ptx_sink){.writer = r->launch->writer, .direct = true};
        cta[i].sink = r->launch->writer ? &sink[i] : NULL;
        if (good && r->launch->checks)
            good = (cta[i].check = gmptx_open_check(r->launch, r->shared_bytes, warps)) != NULL;
        cta[i].watched = cta[i].check != NULL;
        if (good)
            gmptx_start_cta(&cta[i], i);
    }
    return good;
}

static void run_together(run *r)
{
    ptx_cta *cta = calloc(r->ctas, sizeof *cta);
    ptx_sink *sink = calloc(r->ctas, sizeof *sink);
    bool *ended = calloc(r->ctas, sizeof *ended);
    const bool good = ended && open_together(r, cta, sink);
    if (!good) {
        r->stop = true;
        r->result.fault.kind = GMPTX_FAULT_OTHER;
        gmptx_fail(&r->error, GMTRACE_MEMORY, 0, "no memory for all CTAs of %s at once",
                   r->kernel->info.mangled);
    }
    for (uint64_t left = good ? r->ctas : 0; left > 0 && !r->failed;)
        for (uint64_t i = 0; i < r->ctas && !r->failed; i++) {
            if (ended[i] || gmptx_step_cta(&cta[i]))
                continue;
            ended[i] = true;
            left--;
            r->failed = cta[i].fault.kind != GMPTX_FAULT_NONE;
        }
    for (uint64_t i = 0; cta && i < r->ctas; i++) {
        if (good && !r->stop) {
            write_records(r, &cta[i]);
            account(r, &cta[i]);
        }
        if (cta[i].check)
            gmptx_tell_findings(cta[i].check, r->launch);
        gmptx_close_check(cta[i].check);
        gmptx_close_cta(&cta[i]);
    }
    free(cta);
    free(sink);
    free(ended);
}

static void run_ctas(run *r)
{
    unsigned threads = r->launch->threads ? r->launch->threads : 1;
    r->ordered = r->kernel->order_matters || r->check;
    if (r->ordered && threads > 2)
        threads = 2; /* one runs, one writes */
    threads = threads > 64 ? 64 : threads;
    if (threads > r->ctas)
        threads = (unsigned)r->ctas;
    pthread_t thread[64];
    unsigned started = 0;
    while (started + 1 < threads && pthread_create(&thread[started], NULL, work, r) == 0)
        started++;
    work(r);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

static bool run_watched(run *r)
{
    const gmptx_launch *l = r->launch;
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    if (l->together) {
        run_together(r);
        return !r->stop;
    }
    if (l->race && l->race_ctas)
        r->races = gmptx_open_races(r->shared_bytes, l->race_accesses);
    if (l->checks)
        r->check = gmptx_open_check(l, r->shared_bytes, (threads + LANES - 1) / LANES);
    if (l->checks && !r->check) {
        gmptx_close_races(r->races);
        r->result.fault.kind = GMPTX_FAULT_OTHER;
        return gmptx_fail(&r->error, GMTRACE_MEMORY, 0, "no memory to check %s",
                          r->kernel->info.mangled);
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->turn, NULL);
    run_ctas(r);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->turn);
    if (r->check)
        gmptx_tell_findings(r->check, l);
    if (r->races) {
        gmptx_tell_races(r->races, l);
        r->result.races_incomplete = gmptx_races_incomplete(r->races);
    }
    gmptx_close_check(r->check);
    gmptx_close_races(r->races);
    return !r->stop;
}

bool gmptx_run(const gmptx_launch *launch, gmptx_result *result, gmtrace_error *error)
{
    run r = {.launch = launch, .kernel = kernel_of(launch->kernel)};
    const gmptx_kernel *info = launch->kernel;
    bool good = check_launch(launch, &r);
    r.params = calloc(1, (size_t)info->param_bytes + 16);
    if (good && !r.params)
        good = gmptx_fail(&r.error, GMTRACE_MEMORY, 0, "out of memory");
    for (uint32_t i = 0; good && i < info->param_count; i++)
        memcpy(r.params + info->param[i].offset, launch->args[i], info->param[i].size);
    if (good && r.kernel->sass)
        gmsass_begin_launch(launch, r.params);
    bool begun = false;
    if (good && launch->writer) {
        gmtrace_launch trace = launch->trace;
        memcpy(trace.grid, launch->grid, sizeof trace.grid);
        memcpy(trace.block, launch->block, sizeof trace.block);
        trace.dynamic_shared = launch->dynamic_shared;
        for (unsigned i = 0; i < 3; i++)
            trace.cluster[i] = trace.cluster[i] ? trace.cluster[i] : 1;
        good = begun = gmtrace_writer_begin_launch(launch->writer, &trace, &r.error);
    }
    if (good) {
        good = run_watched(&r);
    } else {
        r.result.fault.kind = GMPTX_FAULT_OTHER;
    }
    gmtrace_error ending = {0};
    if (begun && !gmtrace_writer_end_launch(launch->writer, good ? &r.error : &ending))
        good = false;
    free(r.params);
    if (result)
        *result = r.result;
    if (!good && error)
        *error = r.error;
    return good;
}
