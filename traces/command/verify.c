/* SPDX-License-Identifier: MIT
 *
 * verify.c - gmtrace verify.
 */
#include "traces/command/command.h"

static int verify_one(const char *path)
{
    gmtrace_error error;
    progress_begin("verify", path);
    gmtrace_reader *reader = open_trace(path, &error);
    if (!reader)
        return complain(path, &error);
    int status = EXIT_DONE;
    const bool good = gmtrace_verify(reader, &error);
    if (!good)
        status = complain(path, &error);
    gmtrace_close(reader);
    progress_end();
    return status;
}

int command_verify(int argc, char **argv)
{
    static const struct option options[] = {{0}};
    if (getopt_long(argc, argv, "", options, NULL) != -1)
        return complain_option();
    if (optind == argc)
        return complain_usage("verify needs a trace");
    int worst = EXIT_DONE;
    for (int i = optind; i < argc; i++) {
        const int status = verify_one(argv[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
