/* SPDX-License-Identifier: MIT
 *
 * slice.c - gmtrace slice: copies launches or CTAs to a new trace. Grids and CTA numbers stay as
 * they were; a launch of which CTAs were left out tells by its count of CTAs. With --relative-to,
 * source files below that folder are named from there, so that a trace can be given away without
 * telling where it was made.
 */
#include "traces/command/command.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef struct slice {
    gmtrace_reader *reader;
    gmtrace_writer *writer;
    number_list launch, cta;
    const char *pattern, *folder;
    regex_t regex;
    uint32_t *kernel; /* number in the output, or UINT32_MAX */
} slice;

#define MAX_WARPS 32u /* of a CTA */

static bool wanted(const slice *s, uint32_t number)
{
    const gmtrace_launch *l = gmtrace_get_launch(s->reader, number);
    const gmtrace_kernel *k = gmtrace_get_kernel(s->reader, l->kernel);
    if (!has_number(&s->launch, number))
        return false;
    return !s->pattern || regexec(&s->regex, k->name, 0, NULL, 0) == 0 ||
           regexec(&s->regex, k->mangled, 0, NULL, 0) == 0;
}

/* Appends what is left of the cursor's segment. */
static bool copy_segment(slice *s, gmtrace_cursor *cursor, gmtrace_error *error)
{
    for (; cursor->next < cursor->end; cursor->next++) {
        const gmtrace_record *r = cursor->next;
        uint64_t address[GMTRACE_WARP_LANES];
        const bool lanes = r->shape == GMTRACE_OFFSETS || r->shape == GMTRACE_FULL;
        if (lanes)
            gmtrace_expand(cursor->chunk, r, address);
        if (!gmtrace_writer_append(s->writer, cursor->cta, cursor->warp, r, lanes ? address : NULL,
                                   error))
            return false;
    }
    return true;
}

/* Warp by warp in turn, a segment each, so that slices of time stay what they were. */
static bool copy_cta(slice *s, uint64_t cta, uint32_t warps, gmtrace_error *error)
{
    gmtrace_cursor cursor[MAX_WARPS];
    bool open[MAX_WARPS] = {false};
    bool done = true;
    uint32_t left = 0;
    for (uint32_t w = 0; done && w < warps; w++, left++)
        done = open[w] = gmtrace_cursor_open(s->reader, &cursor[w], cta, w, error);
    while (done && left)
        for (uint32_t w = 0; done && w < warps; w++) {
            if (!open[w])
                continue;
            done = copy_segment(s, &cursor[w], error);
            if (done && !gmtrace_cursor_refill(s->reader, &cursor[w], error)) {
                done = error->status == GMTRACE_OK;
                open[w] = false;
                left--;
            }
        }
    for (uint32_t w = 0; w < warps; w++)
        if (open[w])
            gmtrace_cursor_close(s->reader, &cursor[w]);
    return done && gmtrace_writer_end_cta(s->writer, cta, error);
}

static const char *relative(const char *file, const char *folder)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    return strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

static bool add_kernel(slice *s, uint32_t number, uint32_t *copy, gmtrace_error *error)
{
    gmtrace_kernel kernel = *gmtrace_get_kernel(s->reader, number);
    const char **file = malloc((kernel.file_count + (size_t)1) * sizeof *file);
    if (!file) {
        *error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
        return false;
    }
    for (uint32_t i = 0; i < kernel.file_count; i++)
        file[i] = s->folder ? relative(kernel.file[i], s->folder) : kernel.file[i];
    kernel.file = file;
    const bool done = gmtrace_writer_add_kernel(s->writer, &kernel, copy, error);
    free(file);
    return done;
}

static bool copy_launch(slice *s, uint32_t number, gmtrace_error *error)
{
    gmtrace_launch launch = *gmtrace_get_launch(s->reader, number);
    if (!launch.complete) {
        *error = *gmtrace_damage(s->reader);
        snprintf(error->text, sizeof error->text,
                 "launch %u is cut short; leave it out with --launch", number);
        return false;
    }
    uint32_t *kernel = &s->kernel[launch.kernel];
    if (*kernel == UINT32_MAX && !add_kernel(s, launch.kernel, kernel, error))
        return false;
    launch.kernel = *kernel;
    uint64_t *cta = NULL;
    size_t count = 0;
    const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    const uint32_t warps = (threads + GMTRACE_WARP_LANES - 1) / GMTRACE_WARP_LANES;
    bool done = gmtrace_writer_begin_launch(s->writer, &launch, error) &&
                gmtrace_select_launch(s->reader, number, error) &&
                list_ctas(s->reader, number, &s->cta, &cta, &count, error);
    for (size_t i = 0; done && i < count; i++)
        done = copy_cta(s, cta[i], warps, error);
    free(cta);
    return done && gmtrace_writer_end_launch(s->writer, error);
}

static int run(slice *s, const char *path, const char *output)
{
    gmtrace_error error;
    s->reader = gmtrace_open(path, &error);
    if (!s->reader)
        return complain(path, &error);
    uint32_t count = 0;
    for (uint32_t i = 0; i < gmtrace_launch_count(s->reader); i++)
        count += wanted(s, i);
    if (count == 0)
        return complain_usage("%s: no launch is chosen; see 'gmtrace info'", path);
    const uint32_t kernels = gmtrace_kernel_count(s->reader);
    s->kernel = malloc((kernels + (size_t)1) * sizeof *s->kernel);
    if (!s->kernel) {
        error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
        return complain(path, &error);
    }
    memset(s->kernel, 0xff, kernels * sizeof *s->kernel);
    s->writer = gmtrace_writer_create(output, gmtrace_get_capture(s->reader), NULL, &error);
    if (!s->writer)
        return complain(output, &error);
    for (uint32_t i = 0; i < gmtrace_launch_count(s->reader); i++)
        if (wanted(s, i) && !copy_launch(s, i, &error))
            return complain(path, &error);
    gmtrace_writer *writer = s->writer;
    s->writer = NULL;
    return gmtrace_writer_close(writer, true, &error) ? EXIT_DONE : complain(output, &error);
}

int command_slice(int argc, char **argv)
{
    static const struct option options[] = {
        {"launch", required_argument, NULL, 'l'},      {"cta", required_argument, NULL, 'c'},
        {"kernel", required_argument, NULL, 'k'},      {"output", required_argument, NULL, 'o'},
        {"relative-to", required_argument, NULL, 'r'}, {0}};
    slice s = {0};
    const char *output = NULL;
    for (int option; (option = getopt_long(argc, argv, "l:c:k:o:r:", options, NULL)) != -1;) {
        number_list *list = option == 'l' ? &s.launch : option == 'c' ? &s.cta : NULL;
        if (option == 'o')
            output = optarg;
        else if (option == 'k')
            s.pattern = optarg;
        else if (option == 'r')
            s.folder = optarg;
        else if (!list)
            return complain_option();
        else if (!parse_numbers(optarg, list))
            return complain_usage("'%s' is no list of numbers", optarg);
    }
    if (argc - optind != 1)
        return complain_usage("slice needs one trace");
    if (!output)
        return complain_usage("slice needs --output");
    if (s.pattern) {
        const int problem = regcomp(&s.regex, s.pattern, REG_EXTENDED | REG_NOSUB);
        if (problem) {
            char text[200];
            regerror(problem, &s.regex, text, sizeof text);
            return complain_usage("--kernel %s: %s", s.pattern, text);
        }
    }
    const int status = run(&s, argv[optind], output);
    gmtrace_writer_close(s.writer, false, NULL);
    gmtrace_close(s.reader);
    free(s.kernel);
    if (s.pattern)
        regfree(&s.regex);
    return status;
}
