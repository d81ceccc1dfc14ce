/* SPDX-License-Identifier: MIT
 *
 * gpus.c - `gmsim gpus`: which GPUs there are, and every number of one with its source: measured,
 * cited or assumed, and by which file where that is not the GPU's own.
 */
#include "sim/cli/cli.h"

#include "sim/report/format.h"

static char **assignments, **rest;

static const GOptionEntry entries[] = {
    {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &assignments,
     "Change one number before printing: l1.size=192K", "KEY=VALUE"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &rest, NULL, "[NAME|FILE.ini]"},
    G_OPTION_ENTRY_NULL,
};

/* Text of an .ini file, which may be anybody's, and what follows it. */
static void put_clean(GString *out, const char *text, const char *after)
{
    char *clean = gmsim_clean(text, 0);

    g_string_append_printf(out, "%s%s", clean, after);
    g_free(clean);
}

static void put_key(const char *key, const char *value, const char *meaning, const char *source,
                    gpointer data)
{
    GString *out = data;

    g_string_append_printf(out, "%s = ", key);
    put_clean(out, value, "\n    ");
    g_string_append_printf(out, "%s\n    ", meaning);
    put_clean(out, source, "\n");
}

static int print_one(const char *name)
{
    GError *error = NULL;
    gmsim_gpu gpu;
    GString *out;

    if (!gmsim_gpu_load(&gpu, name, &error))
        return cli_fail(NULL, error);
    if (!gmsim_gpu_set_all(&gpu, assignments, &error))
        return cli_fail(NULL, error);
    out = g_string_new(NULL);
    put_clean(out, gpu.name, ": ");
    put_clean(out, gpu.title, ", from ");
    put_clean(out, gpu.path, "\n\n");
    gmsim_gpu_foreach(&gpu, put_key, out);
    fputs(out->str, stdout);
    g_string_free(out, TRUE);
    return CLI_DONE;
}

static int print_list(void)
{
    char **names = gmsim_gpu_list();
    int code = CLI_DONE;

    if (names == NULL || names[0] == NULL) {
        cli_say("no GPU files found; set GMSIM_DEVICE_PATH to the folder that holds them");
        g_strfreev(names);
        return CLI_FAILED;
    }
    printf("%-10s %-28s %4s %5s %12s %12s %12s\n", "name", "GPU", "cc", "SMs", "L1+shared/SM", "L2",
           "DRAM");
    for (char **name = names; *name != NULL; name++) {
        GError *error = NULL;
        gmsim_gpu gpu;
        char *title;

        if (!gmsim_gpu_load(&gpu, *name, &error)) {
            fflush(stdout);
            (void)cli_fail(NULL, error);
            code = CLI_FAILED;
            continue;
        }
        title = gmsim_clean(gpu.title, 0);
        printf("%-10s %-28s %u.%-2u %5u %12s %12s %12s\n", *name, title, gpu.gpu_cc_major,
               gpu.gpu_cc_minor, gpu.gpu_sm_count, gmsim_bytes(gpu.l1_size).text,
               gmsim_bytes(gpu.l2_size).text, gmsim_bytes(gpu.dram_size).text);
        g_free(title);
    }
    g_strfreev(names);
    return code;
}

int cli_gpus(int argc, char **argv)
{
    static const GOptionEntry *const tables[] = {entries, NULL};
    int code = CLI_USAGE;

    if (!cli_parse("Lists the GPUs that --gpu knows; with a name, every number and its source.",
                   NULL, tables, &argc, &argv))
        return CLI_USAGE;
    if (rest != NULL && rest[1] != NULL)
        cli_say("gpus: one name at a time");
    else if (rest == NULL && assignments != NULL)
        cli_say("gpus: --set needs the name of a GPU");
    else
        code = cli_flush(rest != NULL ? print_one(rest[0]) : print_list());
    return code;
}
