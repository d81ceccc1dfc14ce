/* SPDX-License-Identifier: MIT
 *
 * samples.c - `gmsim samples`: the traces that come with gmsim, a line each.
 */
#include "config.h"

#include "sim/cli/cli.h"

#include "sim/api/samples.h"
#include "sim/report/format.h"
#include "sim/report/table.h"

static const char description[] = "A sample is replayed by its name from any folder:\n"
                                  "  gmsim transpose_nopad.trc\n"
                                  "\n"
                                  "Exit status: 0 done, 1 no samples found, 2 usage.\n";

static int print_samples(void)
{
    static const gmsim_column columns[] = {
        {.title = "sample", .left = true},
        {.title = "what it shows, or what course notes say of it", .gap = 2, .left = true},
    };
    GError *error = NULL;
    GPtrArray *all = gmsim_samples(&error);
    GString *out;
    gmsim_table table;

    if (all == NULL)
        return cli_fail(NULL, error);
    out = g_string_new(NULL);
    gmsim_table_begin(&table, GMSIM_TABLE_TEXT, columns, G_N_ELEMENTS(columns), out, false);
    for (unsigned i = 0; i < all->len; i++) {
        const gmsim_sample *sample = all->pdata[i];
        char *name = gmsim_clean(sample->name, 0), *what = gmsim_clean(sample->what, 0);

        gmsim_table_row(&table, (gmsim_field[]){gmsim_words(name), gmsim_words(what)});
        g_free(name);
        g_free(what);
    }
    gmsim_table_end(&table);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
    g_ptr_array_unref(all);
    return cli_flush(CLI_DONE);
}

int cli_samples(int argc, char **argv)
{
    static char **rest;
    static const GOptionEntry entries[] = {
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    static const GOptionEntry *const tables[] = {entries, NULL};

    if (!cli_parse("Lists the traces that come with gmsim.", description, tables, &argc, &argv))
        return CLI_USAGE;
    if (rest != NULL) {
        cli_say("%s: samples takes no argument; 'gmsim %s' replays it", rest[0], rest[0]);
        return CLI_USAGE;
    }
    return print_samples();
}
