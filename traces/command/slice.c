/* SPDX-License-Identifier: MIT
 *
 * slice.c - gmtrace slice: copies launches or CTAs to a new trace. Grids and CTA numbers stay as
 * they were; a launch of which CTAs were left out tells by its count of CTAs. With --relative-to,
 * source files below that folder are named from there, so that a trace can be given away without
 * telling where it was made.
 */
#include "traces/command/copy.h"

#include <errno.h>
#include <regex.h>

typedef struct slice {
    gmtrace_reader *reader;
    copier copier;
    number_list launch;
    const char *pattern;
    regex_t regex;
    bool lacks_memory; /* to tell whether a name matches */
} slice;

/* Where memory is short, some C libraries say REG_ESPACE and glibc that nothing matches. */
static bool matches(slice *s, const char *name)
{
    errno = 0;
    const int result = regexec(&s->regex, name, 0, NULL, 0);
    s->lacks_memory |= result == REG_ESPACE || (result != 0 && errno == ENOMEM);
    return result == 0;
}

static bool wanted(slice *s, uint32_t number)
{
    const gmtrace_launch *l = gmtrace_get_launch(s->reader, number);
    const gmtrace_kernel *k = gmtrace_get_kernel(s->reader, l->kernel);
    if (!has_number(&s->launch, number))
        return false;
    return !s->pattern || matches(s, k->name) || matches(s, k->mangled);
}

static int out_of_memory(void)
{
    static const gmtrace_error error = {.status = GMTRACE_MEMORY, .text = "out of memory"};
    return complain("--kernel", &error);
}

static int run(slice *s, const char *path, const char *output)
{
    gmtrace_error error;
    progress_begin("slice", path);
    s->reader = open_trace(path, &error);
    if (!s->reader)
        return complain(path, &error);
    uint32_t count = 0;
    for (uint32_t i = 0; i < gmtrace_launch_count(s->reader); i++)
        count += wanted(s, i);
    if (s->lacks_memory)
        return out_of_memory();
    if (count == 0)
        return complain_usage("%s: no launch is chosen; see 'gmtrace info'", path);
    if (!copier_open(&s->copier, s->reader, output, &error))
        return complain(output, &error);
    for (uint32_t i = 0; i < gmtrace_launch_count(s->reader); i++)
        if (wanted(s, i) && !copier_copy(&s->copier, i, &error))
            return complain(path, &error);
    if (s->lacks_memory)
        return out_of_memory();
    const bool done = copier_close(&s->copier, true, &error);
    progress_end();
    return done ? EXIT_DONE : complain(output, &error);
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
        number_list *list = option == 'l' ? &s.launch : option == 'c' ? &s.copier.cta : NULL;
        if (option == 'o')
            output = optarg;
        else if (option == 'k')
            s.pattern = optarg;
        else if (option == 'r')
            s.copier.folder = optarg;
        else if (!list)
            return complain_option();
        else if (!parse_numbers(optarg, list))
            return complain_usage("'%s' is no list of numbers", optarg);
    }
    if (argc - optind != 1)
        return complain_usage("slice needs one trace");
    if (!output)
        return complain_usage("slice needs --output");
    if (!spares_input(output, argv[optind]))
        return EXIT_USAGE;
    if (s.pattern) {
        const int problem = regcomp(&s.regex, s.pattern, REG_EXTENDED | REG_NOSUB);
        if (problem == REG_ESPACE)
            return out_of_memory();
        if (problem) {
            char text[200];
            regerror(problem, &s.regex, text, sizeof text);
            return complain_usage("--kernel %s: %s", s.pattern, text);
        }
    }
    const int status = run(&s, argv[optind], output);
    copier_close(&s.copier, false, NULL);
    gmtrace_close(s.reader);
    if (s.pattern)
        regfree(&s.regex);
    return status;
}
