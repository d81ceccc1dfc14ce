/* SPDX-License-Identifier: MIT
 *
 * synthetic.c - gmtrace synthetic: makes a trace from one line of text.
 */
#include "traces/command/command.h"

#include "traces/synthetic/synthetic.h"

#include <stdlib.h>
#include <string.h>

static int print_help(const char *pattern)
{
    char *text = gmtrace_synthetic_help(pattern);
    if (!text)
        return complain_usage("'%s' is no pattern; see 'gmtrace synthetic help'",
                              pattern ? pattern : "");
    fputs(text, stdout);
    free(text);
    return finish_output(EXIT_DONE);
}

int command_synthetic(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'}, {0}};
    const char *output = NULL;
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        if (option != 'o')
            return complain_option();
        output = optarg;
    }
    const int given = argc - optind;
    if (given >= 1 && given <= 2 && strcmp(argv[optind], "help") == 0)
        return print_help(given == 2 ? argv[optind + 1] : NULL);
    if (given != 1)
        return complain_usage("synthetic needs one pattern; see 'gmtrace synthetic help'");
    if (!output)
        return complain_usage("synthetic needs --output");
    gmtrace_error error;
    if (gmtrace_synthetic_write(argv[optind], output, &error))
        return EXIT_DONE;
    return complain(error.status == GMTRACE_USAGE ? "synthetic" : output, &error);
}
