/* SPDX-License-Identifier: MIT
 *
 * message.c - messages and guesses at what a mistyped word was meant to be.
 */
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/keys.h"
#include "sim/report/format.h"

/* One line whatever the text holds: names from files may contain line ends and escapes. */
static void put_line(const char *text)
{
    g_autofree char *clean = gmsim_clean(text, 0);

    fprintf(stderr, "gmsim: %s\n", clean);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    put_line(text);
    g_free(text);
}

int cli_fail(const char *file, GError *error)
{
    int code = g_error_matches(error, GMSIM_ERROR, GMSIM_ERROR_USAGE) ? CLI_USAGE : CLI_FAILED;

    if (file != NULL)
        cli_say("%s: %s", file, error->message);
    else
        cli_say("%s", error->message);
    g_error_free(error);
    return code;
}

const char *cli_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    unsigned least = (unsigned)MAX(1, strlen(word) / 3) + 1;

    for (; *names != NULL; names++) {
        unsigned edits = gmsim_word_distance(word, *names);

        if (edits < least) {
            least = edits;
            best = *names;
        }
    }
    return best;
}

static char *nearest_option(const char *argument, const GOptionEntry *const *tables)
{
    GPtrArray *names = g_ptr_array_new();
    char *word, *guess;
    const char *best;

    if (!g_str_has_prefix(argument, "--")) {
        g_ptr_array_unref(names);
        return NULL;
    }
    word = g_strndup(argument + 2, strcspn(argument + 2, "="));
    for (; *tables != NULL; tables++)
        for (const GOptionEntry *entry = *tables; entry->long_name != NULL; entry++)
            g_ptr_array_add(names, (gpointer)entry->long_name);
    g_ptr_array_add(names, NULL);
    best = cli_nearest(word, (const char *const *)names->pdata);
    guess = best != NULL ? g_strdup_printf("--%s", best) : NULL;
    g_ptr_array_unref(names);
    g_free(word);
    return guess;
}

int cli_flush(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    cli_say("standard output: %s", g_strerror(errno != 0 ? errno : EIO));
    return CLI_FAILED;
}

static bool parse(GOptionContext *context, const GOptionEntry *const *tables, int *argc,
                  char ***argv)
{
    GError *error = NULL;
    char *guess = NULL;

    if (g_option_context_parse(context, argc, argv, &error))
        return true;
    if (g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
        const char *at = strstr(error->message, "--");

        guess = at != NULL ? nearest_option(at, tables) : NULL;
    }
    if (guess != NULL)
        cli_say("%s; did you mean %s?", error->message, guess);
    else
        cli_say("%s; 'gmsim --help' lists the options", error->message);
    g_free(guess);
    g_error_free(error);
    return false;
}

bool cli_parse(const char *summary, const char *description, const GOptionEntry *const *tables,
               int *argc, char ***argv)
{
    /* GLib's own help would not see that a disk is full. */
    static gboolean help;
    static const GOptionEntry more[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "Print this help and exit", NULL},
        G_OPTION_ENTRY_NULL};
    GOptionContext *context = g_option_context_new(NULL);
    bool good;

    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_context_set_help_enabled(context, FALSE);
    for (const GOptionEntry *const *table = tables; *table != NULL; table++)
        g_option_context_add_main_entries(context, *table, NULL);
    g_option_context_add_main_entries(context, more, NULL);
    good = parse(context, tables, argc, argv);
    if (good && help) {
        char *text = g_option_context_get_help(context, TRUE, NULL);

        fputs(text, stdout);
        g_free(text);
        g_option_context_free(context);
        exit(cli_flush(CLI_DONE));
    }
    g_option_context_free(context);
    return good;
}

const char *const cli_caches[] = {"cold", "warm", NULL};

bool cli_one_of(const char *option, const char *value, const char *const *words)
{
    const char *guess;

    if (value == NULL || g_strv_contains(words, value))
        return true;
    guess = cli_nearest(value, words);
    if (guess != NULL)
        cli_say("--%s %s: did you mean %s?", option, value, guess);
    else {
        char *all = g_strjoinv(", ", (char **)words);

        cli_say("--%s %s: must be one of %s", option, value, all);
        g_free(all);
    }
    return false;
}

const gmsim_format *cli_format(const char *wanted, const char *output)
{
    GPtrArray *names = g_ptr_array_new();
    const gmsim_format *format = NULL;

    for (unsigned i = 0; gmsim_formats[i] != NULL; i++)
        g_ptr_array_add(names, (gpointer)gmsim_formats[i]->name);
    g_ptr_array_add(names, NULL);
    if (wanted == NULL)
        format = gmsim_format_of(output);
    else if (cli_one_of("format", wanted, (const char *const *)names->pdata))
        format = gmsim_format_find(wanted);
    g_ptr_array_unref(names);
    return format;
}

bool cli_count(const char *option, const char *text, guint64 least, guint64 most, guint64 *number)
{
    if (text == NULL || g_ascii_string_to_unsigned(text, 10, least, most, number, NULL))
        return true;
    cli_say("--%s %s: must be a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
            option, text, least, most);
    return false;
}

bool cli_say_lacks(const gmsim_format *format, const char *what)
{
    cli_say("--format %s: cannot show %s", format->name, what);
    return true;
}
