/* SPDX-License-Identifier: MIT
 *
 * executed.c - gmtrace executed: the warp instructions that a trace's launches executed, those
 * between the records reconstructed from the code.
 */
#include "traces/command/command.h"
#include "traces/code/path.h"

#include <inttypes.h>

static uint32_t live_lanes(uint64_t threads, uint32_t warp)
{
    const uint64_t left = threads - (uint64_t)warp * GMTRACE_WARP_LANES;
    return left >= GMTRACE_WARP_LANES ? UINT32_MAX : (1u << left) - 1;
}

/* One warp; false on damage. *any is set where it has a record. */
static bool walk_warp(gmtrace_reader *reader, gmtrace_paths *paths, uint64_t cta, uint32_t warp,
                      uint32_t live, bool *any, gmtrace_error *error)
{
    gmtrace_cursor cursor;
    gmtrace_path_warp state;
    if (!gmtrace_cursor_open(reader, &cursor, cta, warp, error))
        return false;
    gmtrace_path_enter_as(paths, &state, live, cta, warp);
    bool more = cursor.next < cursor.end || gmtrace_cursor_refill(reader, &cursor, error);
    *any |= more;
    for (; more; more = gmtrace_cursor_refill(reader, &cursor, error))
        for (; cursor.next < cursor.end; cursor.next++)
            gmtrace_path_step_in(paths, &state, cursor.next, cursor.chunk);
    gmtrace_path_end(paths, &state);
    gmtrace_cursor_close(reader, &cursor);
    return error->status == GMTRACE_OK;
}

static void print_counts(uint32_t number, const gmtrace_kernel *kernel,
                         const gmtrace_path_counts *counts, uint64_t silent, bool by_class)
{
    printf("launch %" PRIu32 " %s\n", number,
           clean(*kernel->name ? kernel->name : kernel->mangled));
    printf("  executed  %" PRIu64 "\n", counts->instructions);
    printf("  recorded  %" PRIu64 "\n", counts->steps);
    printf("  doubtful  %" PRIu64 " ways with a choice, %" PRIu64 " with a loop, %" PRIu64
           " lost\n",
           counts->ambiguous, counts->estimated, counts->lost);
    if (silent)
        printf("  silent    %" PRIu64 " CTAs without a record\n", silent);
    for (unsigned c = 0; by_class && c < GMTRACE_CLASS_COUNT; c++)
        if (counts->by_class[c])
            printf("  %-9s %" PRIu64 "\n", gmtrace_class_name((gmtrace_class)c),
                   counts->by_class[c]);
}

static bool walk_launch(gmtrace_reader *reader, uint32_t number, bool by_class,
                        gmtrace_error *error)
{
    const gmtrace_launch *launch = gmtrace_get_launch(reader, number);
    const gmtrace_kernel *kernel = gmtrace_get_kernel(reader, launch->kernel);
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint32_t warps = (uint32_t)((threads + GMTRACE_WARP_LANES - 1) / GMTRACE_WARP_LANES);
    if (!gmtrace_check_claims(reader, number, error))
        return false;
    progress_begin("executed", "");
    gmtrace_paths *paths = gmtrace_paths_create(kernel, gmtrace_get_capture(reader)->detail);
    bool good = paths != NULL;
    if (paths)
        gmtrace_paths_know(paths, launch);
    if (!paths)
        *error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
    good = good && gmtrace_select_launch(reader, number, error);
    uint64_t silent = 0;
    for (uint64_t cta = 0; good && cta < ctas; cta++) {
        bool any = false;
        progress_at(cta, ctas);
        for (uint32_t warp = 0; good && warp < warps; warp++)
            good = walk_warp(reader, paths, cta, warp, live_lanes(threads, warp), &any, error);
        silent += !any;
    }
    if (good && gmtrace_paths_failed(paths)) {
        *error = (gmtrace_error){.status = GMTRACE_MEMORY, .text = "out of memory"};
        good = false;
    }
    progress_end();
    if (good) {
        const gmtrace_path_counts counts = gmtrace_path_get_counts(paths);
        print_counts(number, kernel, &counts, silent, by_class);
    }
    gmtrace_paths_free(paths);
    return good;
}

int command_executed(int argc, char **argv)
{
    static const struct option options[] = {
        {"by-class", no_argument, NULL, 'b'}, {"launch", required_argument, NULL, 'l'}, {0}};
    number_list launches = {0};
    bool by_class = false;
    for (int option; (option = getopt_long(argc, argv, "bl:", options, NULL)) != -1;) {
        if (option == 'b')
            by_class = true;
        else if (option != 'l')
            return complain_option();
        else if (!parse_numbers(optarg, &launches))
            return complain_usage("'%s' is no list of launches such as 0,2-5", optarg);
    }
    if (argc - optind != 1)
        return complain_usage("executed needs one trace");
    const char *path = argv[optind];
    gmtrace_error error = {0};
    progress_begin("executed", path);
    gmtrace_reader *reader = open_trace(path, &error);
    if (!reader)
        return complain(path, &error);
    int status = EXIT_DONE;
    for (uint32_t i = 0; status == EXIT_DONE && i < gmtrace_launch_count(reader); i++)
        if (has_number(&launches, i) && !walk_launch(reader, i, by_class, &error))
            status = complain(path, &error);
    if (status == EXIT_DONE)
        status = report_damage(path, reader);
    gmtrace_close(reader);
    return finish_output(status);
}
