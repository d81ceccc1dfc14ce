/* SPDX-License-Identifier: MIT
 *
 * copy.c - copies launches. Grids and CTA numbers stay as they were; a launch of which CTAs were
 * left out tells by its count of CTAs.
 */
#include "traces/command/copy.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WARPS 32u /* of a CTA */

static bool out_of_memory(gmtrace_error *error)
{
    *error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
    return false;
}

/* Accesses first to last - 1 of the list. */
static bool add(copier *c, const gmtrace_cursor *at, size_t first, size_t last,
                gmtrace_error *error)
{
    for (; first < last; first++) {
        gmtrace_record record;
        gmtrace_unseen_record(c->unseen, &gmtrace_unseen_list(c->unseen)[first], &record);
        if (!gmtrace_writer_append(c->writer, at->cta, at->warp, &record, NULL, error))
            return false;
    }
    return true;
}

/* Appends what is left of the cursor's segment. */
static bool copy_segment(copier *c, gmtrace_cursor *cursor, gmtrace_unseen_warp *warp,
                         gmtrace_error *error)
{
    for (; cursor->next < cursor->end; cursor->next++) {
        const gmtrace_record *r = cursor->next;
        uint64_t address[GMTRACE_WARP_LANES];
        size_t before = 0, count = 0;
        const bool lanes = r->shape == GMTRACE_OFFSETS || r->shape == GMTRACE_FULL;
        if (lanes)
            gmtrace_expand(cursor->chunk, r, address);
        if (c->unseen)
            count = gmtrace_unseen_step(c->unseen, warp, r->instr, r->mask, &before);
        if (!add(c, cursor, 0, before, error) ||
            !gmtrace_writer_append(c->writer, cursor->cta, cursor->warp, r, lanes ? address : NULL,
                                   error) ||
            !add(c, cursor, before, count, error))
            return false;
    }
    return true;
}

static uint32_t live_lanes(uint32_t threads, uint32_t warp)
{
    const uint32_t left = threads - warp * GMTRACE_WARP_LANES;
    return left >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << left) - 1u;
}

/* Warp by warp in turn, a segment each, so that slices of time stay what they were. */
static bool copy_cta(copier *c, uint64_t cta, uint32_t threads, gmtrace_error *error)
{
    const uint32_t warps = (threads + GMTRACE_WARP_LANES - 1) / GMTRACE_WARP_LANES;
    gmtrace_cursor cursor[MAX_WARPS];
    gmtrace_unseen_warp warp[MAX_WARPS];
    bool open[MAX_WARPS] = {false};
    bool done = true;
    uint32_t left = 0;
    for (uint32_t w = 0; done && w < warps; w++, left++) {
        done = open[w] = gmtrace_cursor_open(c->reader, &cursor[w], cta, w, error);
        if (done && c->unseen) {
            cursor[w].cta = cta;
            cursor[w].warp = w;
            size_t count = gmtrace_unseen_enter(c->unseen, &warp[w], live_lanes(threads, w));
            done = add(c, &cursor[w], 0, count, error);
        }
    }
    while (done && left)
        for (uint32_t w = 0; done && w < warps; w++) {
            if (!open[w])
                continue;
            done = copy_segment(c, &cursor[w], &warp[w], error);
            if (done && !gmtrace_cursor_refill(c->reader, &cursor[w], error)) {
                done = error->status == GMTRACE_OK;
                if (done && c->unseen) {
                    size_t count = gmtrace_unseen_end(c->unseen, &warp[w], UINT32_MAX);
                    done = add(c, &cursor[w], 0, count, error);
                }
                open[w] = false;
                left--;
            }
        }
    for (uint32_t w = 0; w < warps; w++)
        if (open[w])
            gmtrace_cursor_close(c->reader, &cursor[w]);
    return done && gmtrace_writer_end_cta(c->writer, cta, error);
}

/* Does the launch have records of such accesses already? Then it was captured or completed with
 * them. Launches come in the order of their chunks. */
static bool has_unseen(copier *c, uint32_t number, bool *found, gmtrace_error *error)
{
    *found = false;
    for (bool past = false; c->chunk < gmtrace_chunk_count(c->reader) && !*found; c->chunk++) {
        const gmtrace_chunk *chunk = gmtrace_chunk_read(c->reader, c->chunk, error);
        if (!chunk)
            return false;
        past = chunk->launch > number;
        for (uint32_t r = 0; chunk->launch == number && r < chunk->record_count && !*found; r++)
            *found = gmtrace_unseen_is_slot(c->unseen, chunk->record[r].instr);
        gmtrace_chunk_release(c->reader, chunk);
        if (past)
            break;
    }
    return true;
}

static bool prepare(copier *c, uint32_t number, const gmtrace_kernel *kernel, gmtrace_error *error)
{
    c->unseen = NULL;
    if (!c->complete)
        return true;
    if (!gmtrace_unseen_create(kernel->instr, kernel->instr_count,
                               gmtrace_get_capture(c->reader)->detail, &c->unseen))
        return out_of_memory(error);
    bool found = false;
    if (c->unseen && !has_unseen(c, number, &found, error))
        return false;
    if (found) {
        gmtrace_unseen_free(c->unseen);
        c->unseen = NULL;
    }
    return true;
}

static bool finish(copier *c, gmtrace_error *error)
{
    if (!c->unseen)
        return true;
    const gmtrace_unseen_counts counts = gmtrace_unseen_take_counts(c->unseen);
    c->added += counts.accesses;
    c->doubtful += counts.predicated + counts.ambiguous;
    c->lost += counts.lost;
    gmtrace_unseen_free(c->unseen);
    c->unseen = NULL;
    return counts.dropped == 0 || out_of_memory(error);
}

static const char *relative(const char *file, const char *folder)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    return strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

static bool add_kernel(copier *c, uint32_t number, uint32_t *copy, gmtrace_error *error)
{
    gmtrace_kernel kernel = *gmtrace_get_kernel(c->reader, number);
    const char **file = malloc((kernel.file_count + (size_t)1) * sizeof *file);
    if (!file)
        return out_of_memory(error);
    for (uint32_t i = 0; i < kernel.file_count; i++)
        file[i] = c->folder ? relative(kernel.file[i], c->folder) : kernel.file[i];
    kernel.file = file;
    const bool done = gmtrace_writer_add_kernel(c->writer, &kernel, copy, error);
    free(file);
    return done;
}

/* The launch's allocations with the files of their origins as the kernels' are named; to be freed,
 * where it is not NULL. */
static gmtrace_allocation *rename_origins(const gmtrace_launch *launch, const char *folder)
{
    const size_t count = launch->allocation_count;
    gmtrace_allocation *allocation = malloc(count * (sizeof *allocation + sizeof(gmtrace_origin)));
    if (!allocation)
        return NULL;
    gmtrace_origin *origin = (gmtrace_origin *)(void *)(allocation + count);
    for (size_t i = 0; i < count; i++) {
        allocation[i] = launch->allocation[i];
        if (!allocation[i].origin)
            continue;
        origin[i] = *allocation[i].origin;
        origin[i].file = relative(origin[i].file, folder);
        allocation[i].origin = &origin[i];
    }
    return allocation;
}

/* Strings and arrays are copied as the launch begins. */
static bool begin_launch(copier *c, gmtrace_launch *launch, gmtrace_error *error)
{
    gmtrace_allocation *renamed = NULL;
    if (c->folder && launch->allocation_count) {
        renamed = rename_origins(launch, c->folder);
        if (!renamed)
            return out_of_memory(error);
        launch->allocation = renamed;
    }
    bool done = gmtrace_writer_begin_launch(c->writer, launch, error);
    free(renamed);
    uint16_t same; /* each has the number it had */
    for (uint32_t i = 0; done && i < launch->tensor_map_count; i++)
        done = gmtrace_writer_tensor_map(c->writer, launch->tensor_map[i], &same, error);
    return done && (!launch->known || gmtrace_writer_know(c->writer, launch->known, error));
}

bool copier_copy(copier *c, uint32_t number, gmtrace_error *error)
{
    gmtrace_launch launch = *gmtrace_get_launch(c->reader, number);
    if (!launch.complete && !launch.lost) {
        *error = *gmtrace_damage(c->reader);
        snprintf(error->text, sizeof error->text,
                 "launch %u is cut short; leave it out with slice --launch", number);
        return false;
    }
    const gmtrace_kernel *kernel = gmtrace_get_kernel(c->reader, launch.kernel);
    uint32_t *known = &c->kernel[launch.kernel];
    if (*known == UINT32_MAX && !add_kernel(c, launch.kernel, known, error))
        return false;
    launch.kernel = *known;
    uint64_t *cta = NULL;
    size_t count = 0;
    gmtrace_error ignored;
    const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    bool done = prepare(c, number, kernel, error) && begin_launch(c, &launch, error) &&
                gmtrace_select_launch(c->reader, number, error) &&
                list_ctas(c->reader, &c->cta, &cta, &count, error);
    for (size_t i = 0; done && i < count; i++) {
        progress_at(i, count);
        done = copy_cta(c, cta[i], threads, error);
    }
    free(cta);
    if (!finish(c, done ? error : &ignored))
        done = false;
    done = done && (!launch.lost || gmtrace_writer_lose(c->writer, launch.lost, error));
    c->launch[number] = c->launches++;
    const uint32_t like = c->launch[launch.like];
    if (done && launch.like != number && like != UINT32_MAX)
        done = gmtrace_writer_like(c->writer, like, error);
    return done && gmtrace_writer_end_launch(c->writer, error);
}

/* What was not captured goes with launches of its kind where all of them were copied: of some it is
 * not asked. */
static bool copy_repeats(copier *c, gmtrace_error *error)
{
    const gmtrace_repeat *repeat = gmtrace_get_repeats(c->reader);
    const uint64_t count = gmtrace_repeat_count(c->reader);
    const uint32_t launches = gmtrace_launch_count(c->reader);
    bool done = true;
    bool *partly = count ? calloc(launches + (size_t)1, sizeof *partly) : NULL;
    if (count && !partly)
        return out_of_memory(error);
    for (uint32_t i = 0; count && i < launches; i++)
        partly[gmtrace_get_launch(c->reader, i)->like] |= c->launch[i] == UINT32_MAX;
    for (uint64_t i = 0; done && i < count; i++)
        if (!partly[repeat[i].launch])
            done = gmtrace_writer_repeat(c->writer,
                                         &(gmtrace_repeat){.ordinal = repeat[i].ordinal,
                                                           .launch = c->launch[repeat[i].launch]},
                                         error);
    free(partly);
    return done;
}

bool copier_open(copier *c, gmtrace_reader *reader, const char *output, gmtrace_error *error)
{
    const uint32_t kernels = gmtrace_kernel_count(reader);
    c->reader = reader;
    c->kernel = malloc((kernels + (size_t)1) * sizeof *c->kernel);
    if (!c->kernel)
        return out_of_memory(error);
    memset(c->kernel, 0xff, kernels * sizeof *c->kernel);
    const uint32_t launches = gmtrace_launch_count(reader);
    c->launch = malloc((launches + (size_t)1) * sizeof *c->launch);
    if (!c->launch)
        return out_of_memory(error);
    memset(c->launch, 0xff, launches * sizeof *c->launch);
    c->writer = gmtrace_writer_create(output, gmtrace_get_capture(reader), NULL, error);
    return c->writer != NULL;
}

bool copier_close(copier *c, bool keep, gmtrace_error *error)
{
    gmtrace_writer *writer = c->writer;
    gmtrace_error ignored;
    const bool done = !keep || copy_repeats(c, error);
    free(c->kernel);
    free(c->launch);
    c->kernel = c->launch = NULL;
    c->writer = NULL;
    return gmtrace_writer_close(writer, keep && done, done ? error : &ignored) && done;
}
