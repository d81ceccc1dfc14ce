/* SPDX-License-Identifier: MIT
 *
 * plot.c - a picture of each launch, drawn by gnuplot: where its warps' clocks go, and the clocks
 * each resource needs at least beside those the launch takes. For each launch DIR gets NAME.gp, the
 * script with its numbers, and what that draws, NAME.svg and NAME.png.
 *
 * Left out: pictures of several launches or runs (plots/ of the sources has those).
 */
#include "sim/cli/plot.h"

#include "sim/cli/cli.h"

#include <errno.h>
#include <string.h>

#include "sim/analysis/rows.h"

/* A kernel's name comes from the trace, and gnuplot's scripts run commands: what C++ names are made
 * of gets through, nothing that ends a quoted string or a line or is expanded in one. */
void cli_plot_quote(GString *out, const char *text)
{
    static const char harmless[] =
        G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS " _:<>()[]{},.*&+-=~/|^!?#%";
    char *name = g_strcanon(g_strndup(text, 200), harmless, '?');

    g_string_append_printf(out, "'%s'", name);
    g_free(name);
}

static void put_clocks(GString *out, const gmsim_timing *timing)
{
    g_string_append(out, "$clocks << END\n");
    for (int i = 0; i < GMSIM_STALLS; i++)
        g_string_append_printf(out, "\"%s\" %.3f\n", gmsim_stall_name((gmsim_stall)i),
                               100.0 * (double)timing->stall[i] /
                                   (double)MAX(timing->warp_active, 1u));
    g_string_append(out, "END\n");
}

static void put_least(GString *out, const gmsim_result *result)
{
    g_string_append(out, "$least << END\n");
    for (int i = 0; i < GMSIM_RESOURCES; i++)
        g_string_append_printf(out, "\"%s\" %" G_GUINT64_FORMAT "\n",
                               gmsim_resource_name((gmsim_resource)i), result->min_cycles[i]);
    g_string_append_printf(out, "\"all of it\" %" G_GUINT64_FORMAT "\nEND\n",
                           result->timing.cycles);
}

/* A launch without times: a capture that did not see all traffic leaves clocks and what resources
 * need unknown. */
static const char nothing_to_draw[] =
    "  set xrange [0:1]\n  set yrange [0:1]\n  unset border\n  unset xtics\n  unset ytics\n"
    "  unset grid\n  set multiplot layout 1,1 title kernel noenhanced\n"
    "  set label 1 'no clocks and no least clocks: the trace does not tell all memory traffic' "
    "at 0.5, 0.5 center\n"
    "  plot NaN notitle\n";

static const char both_panels[] =
    "  set multiplot layout 2,1 title kernel noenhanced\n"
    "  set xrange [0:*]\n"
    "  set xlabel 'share of the warps'' clocks, percent'\n"
    "  plot $clocks using ($2/2):0:($2/2):(0.35):ytic(1) with boxxyerror lc rgb '#0072b2'\n"
    "  set xlabel 'clocks: needed at least by each resource; taken'\n"
    "  plot $least using ($2/2):0:($2/2):(0.35):ytic(1) with boxxyerror lc rgb '#e69f00'\n";

/* Blue and orange differ to every kind of colour vision (Okabe and Ito). */
char *cli_plot_script(const char *name, const gmsim_result *result)
{
    GString *out = g_string_new("# Drawn by gmsim --plot; run gnuplot on it in this folder.\n");
    if (result->timed) {
        put_clocks(out, &result->timing);
        put_least(out, result);
    }
    g_string_append(out, "kernel = ");
    cli_plot_quote(out, result->kernel->name);
    g_string_append_printf(out,
                           "\nname = '%s'\n"
                           "set style fill solid border rgb '#333333'\n"
                           "set yrange [] reverse\nset ytics nomirror\nset xtics nomirror\n"
                           "set border 3\nset grid xtics lc rgb '#dddddd'\nunset key\n"
                           "set boxwidth 0.7\n"
                           "do for [kind in 'svg png'] {\n"
                           "  if (kind eq 'svg') { set terminal svg size 900,640 font 'sans,14' "
                           "background '#ffffff' }\n"
                           "  else { set terminal pngcairo size 1200,860 font 'sans,16' }\n"
                           "  set output name.'.'.kind\n"
                           "%s"
                           "  unset multiplot\n  unset output\n}\n",
                           name, result->timed ? both_panels : nothing_to_draw);
    return g_string_free(out, FALSE);
}

/* Runs gnuplot in the folder, without anybody's settings; says what is wrong. */
static bool draw(const char *folder, const char *script)
{
    const char *argv[] = {"gnuplot", "-d", script, NULL};
    g_autofree char *said = NULL;
    g_autoptr(GError) error = NULL;
    int status = 0;

    if (!g_spawn_sync(folder, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &said,
                      &status, &error)) {
        cli_say("gnuplot: %s; install it to use --plot", error->message);
        return false;
    }
    if (g_spawn_check_wait_status(status, NULL))
        return true;
    cli_say("gnuplot: could not draw %s/%s: %s", folder, script, said ? g_strstrip(said) : "");
    return false;
}

bool cli_plot_folder(const char *folder)
{
    if (g_mkdir_with_parents(folder, 0777) == 0)
        return true;
    cli_say("%s: cannot be made: %s", folder, g_strerror(errno));
    return false;
}

bool cli_plot_write(const char *folder, const char *name, const char *script)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *file = g_strdup_printf("%s.gp", name);
    g_autofree char *path = g_build_filename(folder, file, NULL);

    if (!g_file_set_contents(path, script, -1, &error)) {
        cli_say("%s", error->message);
        return false;
    }
    return draw(folder, file);
}

bool cli_plot_launch(const char *folder, uint32_t index, const gmsim_result *result)
{
    g_autofree char *kernel = g_strndup(result->kernel->name, strcspn(result->kernel->name, "(<"));

    g_strcanon(kernel, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_", '_');
    g_autofree char *name = g_strdup_printf("%.60s-%u", *kernel != 0 ? kernel : "kernel", index);
    g_autofree char *script = cli_plot_script(name, result);
    return cli_plot_write(folder, name, script);
}
