/* SPDX-License-Identifier: MIT
 *
 * import.c - gmtrace import: the options, and the line that says what the format does not tell.
 */
#include "traces/command/command.h"
#include "traces/import/kernel.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static bool parse_carveout(accel_import *import, const char *text)
{
    uint64_t number;
    const char *end = accel_decimal(text, &number);
    if (!end)
        return false;
    if (strcmp(end, "%") == 0 && number <= 100) {
        import->carveout_percent = (int32_t)number;
        return true;
    }
    if (!gmtrace_read_size(text, &number) || number > (1u << 20))
        return false;
    import->shared_config = (uint32_t)number;
    return true;
}

static bool is_one_kernel(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash : path, ".trace") != NULL;
}

static void tell(const accel_import *import)
{
    const bool carveout = import->shared_config != GMTRACE_UNKNOWN || import->carveout_percent >= 0;
    printf("%s: %" PRIu64 " launches, %" PRIu64 " warp instructions; the format does not tell%s%s "
           "constant and texture addresses%s\n",
           clean(import->output), import->launches, import->instructions,
           carveout ? "" : " the carve-out (gmsim chooses as the driver would; or --carveout),",
           import->gpu ? "" : " the GPU (--gpu),",
           import->copies ? ", nor where asynchronous copies go in shared memory" : "");
}

int command_import(int argc, char **argv)
{
    static const struct option options[] = {{"accelsim", required_argument, NULL, 'a'},
                                            {"carveout", required_argument, NULL, 'C'},
                                            {"gpu", required_argument, NULL, 'g'},
                                            {"output", required_argument, NULL, 'o'},
                                            {0}};
    accel_error error = {""};
    accel_import import = {.shared_config = GMTRACE_UNKNOWN,
                           .carveout_percent = -1,
                           .progress = isatty(STDERR_FILENO) == 1,
                           .error = &error};
    const char *path = NULL;
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        if (option == 'a')
            path = optarg;
        else if (option == 'g')
            import.gpu = optarg;
        else if (option == 'o')
            import.output = optarg;
        else if (option != 'C')
            return complain_option();
        else if (!parse_carveout(&import, optarg))
            return complain_usage("--carveout %s: give bytes an SM, as 100K, or a preference, as "
                                  "50%%",
                                  optarg);
    }
    if (optind < argc)
        return complain_usage("import takes no argument '%s'; name the list with --accelsim",
                              argv[optind]);
    if (!path)
        return complain_usage("import needs --accelsim");
    if (!import.output)
        return complain_usage("import needs --output");
    if (!spares_input(import.output, path))
        return EXIT_USAGE;
    bool done =
        is_one_kernel(path) ? accel_import_kernel(&import, path) : accel_import_list(&import, path);
    gmtrace_error failure;
    gmtrace_writer *writer = import.writer;
    if (!gmtrace_writer_close(writer, done, &failure) && done)
        done = accel_fail(&error, "%.250s: %s", import.output, failure.text);
    if (done)
        tell(&import);
    else
        fprintf(stderr, "gmtrace: %s\n", clean(error.text));
    accel_import_free(&import);
    return finish_output(done ? EXIT_DONE : EXIT_FAILED);
}
