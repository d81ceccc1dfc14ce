/* SPDX-License-Identifier: MIT
 *
 * output.c - the writer of the one trace that a process makes.
 */
#include "traces/capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/capture/message.h"

static const gmc_settings *settings;
static gmtrace_writer *writer;
static pid_t owner; /* the process that opened the writer */
static char output[4096];
static bool broken; /* the trace cannot be written: stop capturing */
static uint64_t captured, records;
static uint32_t unseen;

void gmc_output_init(const gmc_settings *chosen)
{
    settings = chosen;
}

gmtrace_writer *gmc_output_writer(void)
{
    return writer;
}

bool gmc_output_broken(void)
{
    return __atomic_load_n(&broken, __ATOMIC_RELAXED);
}

bool gmc_output_is_others(void)
{
    return owner && owner != getpid();
}

static bool check(bool good, const gmtrace_error *error)
{
    if (!good && !__atomic_exchange_n(&broken, true, __ATOMIC_RELAXED)) {
        gmc_warn("%s: %s", output, error->text);
        gmc_report(settings, "error", error->text);
    }
    return good;
}

/* The first process that captures takes the name asked for, another one adds its number. */
static void choose_output(void)
{
    char claim[4096];
    snprintf(claim, sizeof claim, "%s/owner", settings->scratch ? settings->scratch : "/nowhere");
    int file = open(claim, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool first = file >= 0 || errno != EEXIST;
    if (file >= 0)
        close(file);
    if (first) {
        snprintf(output, sizeof output, "%s", settings->output);
        return;
    }
    size_t length = strlen(settings->output);
    bool suffix = length > 4 && strcmp(settings->output + length - 4, ".trc") == 0;
    snprintf(output, sizeof output, "%.*s-%ld.trc", (int)(suffix ? length - 4 : length),
             settings->output, (long)getpid());
}

bool gmc_output_open(CUdevice device)
{
    if (writer || gmc_output_broken())
        return writer != NULL;
    gmc_gpu gpu;
    gmc_query_gpu(device, &gpu);
    gmtrace_capture capture = {
        .source = "gmcapture " GMC_VERSION,
        .program = program_invocation_short_name,
        .gpu = gpu.name,
        .cc_major = gpu.cc_major,
        .cc_minor = gpu.cc_minor,
        .sm_count = gpu.sm_count,
        .driver_version = gpu.driver_version,
        .detail = GMTRACE_DETAIL_CALLS,
    };
    gmtrace_writer_options options = {.level = settings->level, .pending_limit = settings->memory};
    gmtrace_error error = {0};
    char text[4200];
    choose_output();
    owner = getpid();
    snprintf(text, sizeof text, "%ld %s", (long)owner, output);
    gmc_report(settings, "open", text);
    writer = gmtrace_writer_create(output, &capture, &options, &error);
    return check(writer != NULL, &error);
}

static bool add_kernel(gmc_entry *entry)
{
    const gmc_kernel *kernel = entry->kernel;
    gmtrace_kernel description = {
        .mangled = kernel->mangled,
        .name = kernel->name,
        .registers = kernel->registers,
        .static_shared = kernel->static_shared,
        .local_bytes = kernel->local_bytes,
        .barriers = kernel->barriers,
        .instr_count = kernel->sass.instr_count,
        .instr = kernel->sass.instr,
        .file_count = kernel->sass.file_count,
        .file = kernel->sass.file,
    };
    gmtrace_error error = {0};
    gmc_output_add_unseen(kernel->unseen);
    entry->added = gmtrace_writer_add_kernel(writer, &description, &entry->trace_index, &error);
    return check(entry->added, &error);
}

/* The open launch misses records: said here and in the trace. */
static void lose(const gmc_kernel *kernel, const char *why)
{
    gmtrace_error error = {0};
    gmc_warn("%s, launch %llu: records are missing: %s", kernel->name, (unsigned long long)captured,
             why);
    check(gmtrace_writer_lose(writer, why, &error), &error);
}

bool gmc_output_begin(gmc_entry *entry, gmc_kind *kind, gmtrace_launch *launch)
{
    gmtrace_error error = {0};
    if (!entry->added && !add_kernel(entry))
        return false;
    launch->kernel = entry->trace_index;
    if (!check(gmtrace_writer_begin_launch(writer, launch, &error), &error) ||
        !check(gmc_kinds_opened(kind, (uint32_t)captured, writer, &error), &error))
        return false;
    const char *unseen_tensors = gmc_modules_tensors_unseen(entry);
    if (unseen_tensors)
        lose(entry->kernel, unseen_tensors);
    return true;
}

void gmc_output_know(const gmtrace_known *known)
{
    gmtrace_error error = {0};
    check(gmtrace_writer_know(writer, known, &error), &error);
}

void gmc_output_end(const gmc_kernel *kernel, const gmc_result *taken, bool whole)
{
    gmtrace_error error = {0};
    const char *name = kernel->name;
    /* A record that a trace cannot hold costs this launch, not the file. */
    if (taken->error.status == GMTRACE_USAGE || taken->odd)
        lose(kernel, taken->error.status == GMTRACE_USAGE ? taken->error.text
                                                          : "some accesses have no known size");
    else if (taken->error.status != GMTRACE_OK)
        check(false, &taken->error);
    else if (!whole || !taken->sound)
        lose(kernel, "it ended with an error");
    if (taken->unknown_pc)
        gmc_note("%s: %llu records belong to no instruction of the table", name,
                 (unsigned long long)taken->unknown_pc);
    if (kernel->slots)
        gmc_note("%s: %llu local accesses at fixed stack offsets reconstructed (%llu under a "
                 "predicate, taken as executed); several paths %llu times, none %llu times",
                 name, (unsigned long long)taken->slots.accesses,
                 (unsigned long long)taken->slots.predicated,
                 (unsigned long long)taken->slots.ambiguous, (unsigned long long)taken->slots.lost);
    check(gmtrace_writer_end_launch(writer, &error), &error);
    captured++;
    records += taken->records;
    gmc_note("%s: %llu records", name, (unsigned long long)taken->records);
}

void gmc_output_add_unseen(uint32_t bits)
{
    __atomic_fetch_or(&unseen, bits, __ATOMIC_RELAXED);
}

void gmc_output_close(void)
{
    char text[4200];
    gmtrace_error error = {0};
    if (!writer)
        return;
    gmtrace_writer_add_unseen(writer, __atomic_load_n(&unseen, __ATOMIC_RELAXED));
    uint64_t repeats, dropped;
    check(gmc_kinds_write(writer, &repeats, &dropped, &error), &error);
    if (dropped)
        gmc_warn("%llu launches are left out: those that they are like could not be captured",
                 (unsigned long long)dropped);
    bool keep = captured > 0 && !broken;
    bool good = check(gmtrace_writer_close(writer, keep, &error), &error);
    writer = NULL;
    if (good && keep) {
        snprintf(text, sizeof text, "%llu %llu %s", (unsigned long long)captured,
                 (unsigned long long)records, output);
        gmc_report(settings, "trace", text);
        snprintf(text, sizeof text, "%llu", (unsigned long long)repeats);
        if (repeats)
            gmc_report(settings, "repeats", text);
    }
}
