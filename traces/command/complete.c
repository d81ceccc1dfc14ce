/* SPDX-License-Identifier: MIT
 *
 * complete.c - gmtrace complete: copies a trace and adds the local accesses that its capture did
 * not see. Launches that have them are copied as they are.
 */
#include "traces/command/copy.h"

static int run(copier *c, gmtrace_reader *reader, const char *path, const char *output,
               bool verbose)
{
    gmtrace_error error;
    if (!copier_open(c, reader, output, &error))
        return complain(output, &error);
    for (uint32_t i = 0; i < gmtrace_launch_count(reader); i++)
        if (!copier_copy(c, i, &error))
            return complain(path, &error);
    progress_end();
    if (verbose)
        fprintf(stderr,
                "gmtrace: %s: %llu local accesses added, %llu doubtful choices, %llu times no path "
                "was found\n",
                path, (unsigned long long)c->added, (unsigned long long)c->doubtful,
                (unsigned long long)c->lost);
    return copier_close(c, true, &error) ? EXIT_DONE : complain(output, &error);
}

int command_complete(int argc, char **argv)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'}, {"verbose", no_argument, NULL, 'v'}, {0}};
    copier made = {.complete = true};
    const char *output = NULL;
    bool verbose = false;
    for (int option; (option = getopt_long(argc, argv, "o:v", options, NULL)) != -1;) {
        if (option == 'o')
            output = optarg;
        else if (option == 'v')
            verbose = true;
        else
            return complain_option();
    }
    if (argc - optind != 1)
        return complain_usage("complete needs one trace");
    if (!output)
        return complain_usage("complete needs --output");
    gmtrace_error error;
    progress_begin("complete", argv[optind]);
    gmtrace_reader *reader = open_trace(argv[optind], &error);
    if (!reader)
        return complain(argv[optind], &error);
    const int status = run(&made, reader, argv[optind], output, verbose);
    copier_close(&made, false, NULL);
    gmtrace_close(reader);
    return status;
}
