/* SPDX-License-Identifier: MIT
 *
 * kernel.c - one kernel's trace is read twice: first for the instruction table, the extent of local
 * memory and the cluster's size, which a gmsim trace has before its records, then for the records.
 * What stays in memory is the code, a buffer of lines and the CTA in progress.
 */
#include "traces/import/kernel.h"

#include "config.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_STEP (1u << 17)
#define PENDING       ((size_t)64 << 20) /* bytes of unwritten records */
#define MAX_LOCAL     ((uint64_t)16 << 20)

char *accel_demangle(const char *mangled)
{
    typedef char *(*demangler)(const char *, char *, size_t *, int *);
    static demangler demangle;
    static bool searched;
    if (!searched) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&demangle, &symbol, sizeof symbol);
        searched = true;
    }
    int status = -2; /* no such name; -1 is no memory */
    char *name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    if (status == -1)
        return NULL;
    return name && status == 0 ? name : strdup(mangled);
}

static bool out_of_memory(const accel_stream *stream)
{
    return accel_stream_fail(stream, "out of memory");
}

/* A failure of the trace being written. */
static bool output_failed(const accel_import *import, const gmtrace_error *error)
{
    return accel_fail(import->error, "%.250s: %s", import->output, error->text);
}

static bool cta_number(const accel_stream *stream, uint64_t *number)
{
    const uint32_t *grid = stream->header.grid, *cta = stream->cta;
    if (cta[0] >= grid[0] || cta[1] >= grid[1] || cta[2] >= grid[2])
        return accel_stream_fail(stream, "CTA %u,%u,%u is outside the grid of %ux%ux%u", cta[0],
                                 cta[1], cta[2], grid[0], grid[1], grid[2]);
    *number = cta[0] + ((uint64_t)cta[2] * grid[1] + cta[1]) * grid[0];
    return true;
}

static void show_progress(const accel_import *import, const accel_stream *stream, uint64_t lines,
                          bool survey)
{
    if (import->progress && lines % PROGRESS_STEP == 0)
        fprintf(stderr, "\rgmtrace: %.60s: %s %.1f million instructions ", stream->path,
                survey ? "looked at" : "read", (double)lines / 1e6);
}

/* ------------------------------------------------------------------------------- the first pass */

static bool survey(accel_import *import, accel_stream *stream, accel_kernel *kernel,
                   uint32_t cluster[3])
{
    const accel_format format = {stream->header.version, stream->header.line_info};
    const accel_local before = kernel->local;
    const uint32_t known = kernel->code.count;
    accel_inst inst = {0};
    uint64_t lines = 0, cta;
    const char *problem;
    bool done = true;
    for (accel_event event = ACCEL_CTA; done && event != ACCEL_END;) {
        event = accel_stream_next(stream);
        switch (event) {
        case ACCEL_LINE:
            done = accel_parse_line(&kernel->code, &format, stream->line, stream->length, true,
                                    &inst, &problem) ||
                   accel_stream_fail(stream, "%s", problem);
            if (done && inst.site->places)
                accel_note_local(&kernel->local, &stream->header, &inst);
            show_progress(import, stream, ++lines, true);
            break;
        case ACCEL_CTA_END:
            for (unsigned i = 0; stream->clustered && i < 3; i++)
                if (stream->cluster_cta[i] >= cluster[i] && stream->cluster_cta[i] < 1024)
                    cluster[i] = stream->cluster_cta[i] + 1;
            break;
        case ACCEL_FAILED:
            done = false;
            break;
        case ACCEL_CTA:
            done = cta_number(stream, &cta);
            break;
        default:
            break;
        }
    }
    free(inst.list);
    if (done && (kernel->code.count != known || kernel->local.low != before.low ||
                 kernel->local.high != before.high))
        kernel->written = false;
    return done;
}

/* ------------------------------------------------------------------------------ the second pass */

/* What the writer says of a line: a CTA that comes twice, or trouble with the output. */
static bool put_failed(const accel_import *import, const accel_stream *stream,
                       const gmtrace_error *error)
{
    return error->status == GMTRACE_USAGE ? accel_stream_fail(stream, "%s", error->text)
                                          : output_failed(import, error);
}

static bool copy(accel_import *import, accel_stream *stream, accel_kernel *kernel)
{
    const accel_format format = {stream->header.version, stream->header.line_info};
    accel_output out = {
        .writer = import->writer, .header = &stream->header, .local_low = kernel->local.low};
    accel_inst inst = {0};
    gmtrace_error error;
    const char *problem;
    uint64_t lines = 0, cta = 0;
    bool done = true;
    for (accel_event event = ACCEL_CTA; done && event != ACCEL_END;) {
        event = accel_stream_next(stream);
        switch (event) {
        case ACCEL_LINE:
            done = accel_parse_line(&kernel->code, &format, stream->line, stream->length, false,
                                    &inst, &problem) ||
                   accel_stream_fail(stream, "%s", problem);
            if (done && !accel_put(&out, &inst, &error))
                done = put_failed(import, stream, &error);
            show_progress(import, stream, ++lines, false);
            break;
        case ACCEL_CTA:
            done = cta_number(stream, &cta);
            break;
        case ACCEL_WARP:
            accel_begin_warp(&out, cta, stream->warp);
            break;
        case ACCEL_CTA_END:
            done = gmtrace_writer_end_cta(import->writer, cta, &error) ||
                   put_failed(import, stream, &error);
            break;
        case ACCEL_FAILED:
            done = false;
            break;
        default:
            break;
        }
    }
    free(inst.list);
    import->instructions += lines;
    import->copies += out.copies;
    return done;
}

/* ----------------------------------------------------------------------------- what frames them */

/* The first header tells what the whole trace's CAPTURE section needs. */
static bool create(accel_import *import, const accel_stream *stream)
{
    const accel_header *h = &stream->header;
    char source[80];
    snprintf(source, sizeof source, "gmtrace import %s, Accel-Sim tracer %u", PACKAGE_VERSION,
             h->version);
    const uint32_t major = h->binary_version / 10 % 100;
    const gmtrace_capture capture = {
        .source = source,
        .program = "",
        .gpu = import->gpu ? import->gpu : "",
        .cc_major = major,
        .cc_minor = h->binary_version % 10,
        .detail = GMTRACE_DETAIL_FULL,
        .unseen = GMTRACE_UNSEEN_CONSTANT | GMTRACE_UNSEEN_TEXTURE | GMTRACE_UNSEEN_SURFACE,
    };
    const gmtrace_writer_options options = {.pending_limit = PENDING};
    gmtrace_error error;
    import->version = h->version;
    import->writer = gmtrace_writer_create(import->output, &capture, &options, &error);
    return import->writer || output_failed(import, &error);
}

static accel_kernel *find_kernel(accel_import *import, const accel_stream *stream)
{
    const accel_header *h = &stream->header;
    for (accel_kernel *k = import->kernels; k; k = k->next)
        if (k->registers == h->registers && k->binary_version == h->binary_version &&
            strcmp(k->mangled, h->name) == 0)
            return k;
    accel_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel || !(kernel->mangled = strdup(h->name))) {
        free(kernel);
        out_of_memory(stream);
        return NULL;
    }
    kernel->registers = h->registers;
    kernel->binary_version = h->binary_version;
    kernel->local.low = UINT64_MAX;
    kernel->next = import->kernels;
    import->kernels = kernel;
    return kernel;
}

/* Puts the kernel into the output, unless it is there with all that this launch executes. */
static bool write_kernel(accel_import *import, const accel_stream *stream, accel_kernel *kernel)
{
    if (kernel->written)
        return true;
    if (!accel_code_finish(&kernel->code))
        return out_of_memory(stream);
    accel_local *local = &kernel->local;
    uint32_t bytes = 0;
    if (local->low < local->high) { /* frames are multiples of 16 */
        local->low &= ~(uint64_t)15;
        const uint64_t used = (local->high - local->low + 15) / 16 * 16;
        bytes = used <= MAX_LOCAL ? (uint32_t)used : GMTRACE_UNKNOWN;
    }
    for (uint32_t i = 0; i < kernel->code.count; i++)
        kernel->barriers |= kernel->code.table[i].op_class == GMTRACE_CLASS_BARRIER;
    char *name = accel_demangle(kernel->mangled);
    if (!name)
        return out_of_memory(stream);
    const gmtrace_kernel out = {
        .mangled = kernel->mangled,
        .name = name,
        .registers = kernel->registers,
        .local_bytes = bytes,
        .barriers = kernel->barriers,
        .instr_count = kernel->code.count,
        .instr = kernel->code.table,
    };
    gmtrace_error error;
    kernel->written = gmtrace_writer_add_kernel(import->writer, &out, &kernel->index, &error);
    free(name);
    return kernel->written || output_failed(import, &error);
}

static bool stream_number(accel_import *import, const accel_stream *stream, uint32_t *number)
{
    const uint64_t wanted = stream->header.stream;
    for (*number = 0; *number < import->stream_count; ++*number)
        if (import->streams[*number] == wanted)
            return true;
    uint64_t *larger = realloc(import->streams, (*number + (size_t)1) * sizeof *larger);
    if (!larger)
        return out_of_memory(stream);
    larger[*number] = wanted;
    import->streams = larger;
    import->stream_count++;
    return true;
}

static bool begin_launch(accel_import *import, const accel_stream *stream,
                         const accel_kernel *kernel, const uint32_t cluster[3])
{
    const accel_header *h = &stream->header;
    gmtrace_launch launch = {
        .kernel = kernel->index,
        .dynamic_shared = h->shared,
        .shared_config = import->shared_config,
        .carveout_percent = import->carveout_percent,
        .ordinal = import->launches,
        .allocation_count = import->allocation_count,
        .allocation = import->allocation,
    };
    memcpy(launch.grid, h->grid, sizeof launch.grid);
    memcpy(launch.block, h->block, sizeof launch.block);
    memcpy(launch.cluster, cluster, sizeof launch.cluster);
    gmtrace_error error;
    if (!stream_number(import, stream, &launch.stream))
        return false;
    return gmtrace_writer_begin_launch(import->writer, &launch, &error) ||
           put_failed(import, stream, &error);
}

static bool end_launch(accel_import *import, const accel_kernel *kernel)
{
    gmtrace_error error;
    import->launches++;
    gmtrace_writer_add_unseen(import->writer, kernel->code.unseen);
    return gmtrace_writer_end_launch(import->writer, &error) || output_failed(import, &error);
}

bool accel_import_kernel(accel_import *import, const char *path)
{
    accel_stream stream;
    uint32_t cluster[3] = {1, 1, 1};
    accel_kernel *kernel = NULL;
    bool done = accel_stream_open(&stream, path, import->error) &&
                (import->writer || create(import, &stream)) &&
                (kernel = find_kernel(import, &stream)) != NULL &&
                survey(import, &stream, kernel, cluster);
    accel_stream_close(&stream);
    done = done && accel_stream_open(&stream, path, import->error) &&
           write_kernel(import, &stream, kernel) &&
           begin_launch(import, &stream, kernel, cluster) && copy(import, &stream, kernel) &&
           end_launch(import, kernel);
    accel_stream_close(&stream);
    if (import->progress)
        fputs("\r\033[K", stderr);
    return done;
}

void accel_import_free(accel_import *import)
{
    for (accel_kernel *kernel = import->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        accel_code_free(&kernel->code);
        free(kernel->mangled);
        free(kernel);
    }
    free(import->allocation);
    free(import->streams);
}
