/* SPDX-License-Identifier: MIT
 *
 * api_unit.c - gmsim.h as a program outside would use it: the report is the command's, failures
 * are one line, threads do not disturb each other.
 */
#include <glib.h>
#include <string.h>

#include "sim/gmsim.h"

static char *sample(const char *name)
{
    return g_build_filename(g_getenv("GMSIM_SRCDIR"), "traces", "samples", name, NULL);
}

static char *simulated(const gmsim_job *job)
{
    char *report, *error;

    g_assert_cmpint(gmsim_simulate(job, &report, &error), ==, GMSIM_DONE);
    g_assert_null(error);
    g_assert_nonnull(report);
    return report;
}

static void test_same_as_command(void)
{
    static const char *const set[] = {"l2.size=20M", "l1.latency=40", NULL};
    static const char *const formats[] = {"json", "csv", "text"};
    g_autofree char *trace = sample("transpose_nopad.trc");
    g_autofree char *gmsim = g_build_filename(g_getenv("GMSIM_BUILDDIR"), "gmsim", NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        const gmsim_job job = {.size = sizeof job,
                               .trace = trace,
                               .gpu = "a100",
                               .set = set,
                               .launch = "0",
                               .caches = "warm",
                               .format = formats[i],
                               .flush = true};
        const char *const command[] = {gmsim,      trace,      "--gpu",   "a100",     "--set",
                                       set[0],     "--set",    set[1],    "--launch", "0",
                                       "--caches", "warm",     "--flush", "--color",  "never",
                                       "--format", formats[i], NULL};
        char *printed, *said, *report = simulated(&job);
        int status;
        GError *error = NULL;

        g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_DEFAULT, NULL, NULL, &printed, &said,
                     &status, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(said, ==, "");
        g_assert_cmpint(status, ==, 0);
        g_assert_cmpstr(report, ==, printed);
        gmsim_free(report);
        g_free(printed);
        g_free(said);
    }
}

static void test_failures(void)
{
    static const char *const typo[] = {"l1.sise=64K", NULL};
    g_autofree char *trace = sample("transpose_nopad.trc");
    const struct {
        gmsim_job job;
        gmsim_status status;
        const char *says;
    } cases[] = {
        {{.trace = "/nowhere\n/x.trc"}, GMSIM_FAILED, "/nowhere?/x.trc: *"},
        {{.trace = "/dev/null"}, GMSIM_FAILED, "/dev/null: *"},
        {{.trace = NULL}, GMSIM_USAGE, "no trace given"},
        {{.trace = trace, .gpu = "h2000"}, GMSIM_USAGE, "unknown GPU 'h2000'*"},
        {{.trace = trace, .set = typo}, GMSIM_USAGE, "*l1.sise*"},
        {{.trace = trace, .kernel = "("}, GMSIM_USAGE, "kernel: *"},
        {{.trace = trace, .kernel = "absent"}, GMSIM_USAGE, "kernel absent: *"},
        {{.trace = trace, .launch = "99"}, GMSIM_USAGE, "launch 99: *"},
        {{.trace = trace, .launch = "one"}, GMSIM_USAGE, "launch one: *"},
        {{.trace = trace, .caches = "hot"}, GMSIM_USAGE, "caches hot: *"},
        {{.trace = trace, .format = "xml"}, GMSIM_USAGE, "format xml: *"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        gmsim_job job = cases[i].job;
        char *report, *error;

        job.size = sizeof job;
        g_assert_cmpint(gmsim_simulate(&job, &report, &error), ==, cases[i].status);
        g_assert_null(report);
        g_test_message("%s", error);
        g_assert_true(g_pattern_match_simple(cases[i].says, error));
        g_assert_null(strchr(error, '\n'));
        gmsim_free(error);
        g_assert_cmpint(gmsim_simulate(&job, NULL, NULL), ==, cases[i].status);
    }
}

/* A caller built when gmsim_job ended after `gpu`: what lies behind is not read. */
static void test_older_caller(void)
{
    static const char *const bad[] = {"no such key", NULL};
    g_autofree char *trace = sample("transpose_nopad.trc");
    const gmsim_job job = {
        .size = offsetof(gmsim_job, set), .trace = trace, .set = bad, .format = "no such format"};

    gmsim_free(simulated(&job));
}

static gpointer simulate_in_thread(gpointer job)
{
    return simulated((const gmsim_job *)job);
}

static void test_threads(void)
{
    g_autofree char *trace = sample("transpose_nopad.trc");
    gmsim_job job = {.size = sizeof job, .trace = trace};
    char *expected = simulated(&job);
    GThread *thread[4];

    for (unsigned i = 0; i < G_N_ELEMENTS(thread); i++)
        thread[i] = g_thread_new("simulate", simulate_in_thread, &job);
    for (unsigned i = 0; i < G_N_ELEMENTS(thread); i++) {
        char *report = g_thread_join(thread[i]);

        g_assert_cmpstr(report, ==, expected);
        gmsim_free(report);
    }
    gmsim_free(expected);
}

static void test_gpus(void)
{
    static const char *const set[] = {"l1.size=64K", NULL};
    char *text, *error;

    g_assert_cmpint(gmsim_describe_gpus(NULL, NULL, &text, &error), ==, GMSIM_DONE);
    g_assert_null(error);
    g_assert_nonnull(strstr(text, "\"name\": \"h200\""));
    g_assert_null(strstr(text, "\"parameters\""));
    gmsim_free(text);
    g_assert_cmpint(gmsim_describe_gpus("h200", NULL, &text, &error), ==, GMSIM_DONE);
    g_assert_nonnull(strstr(text, "\"gpu.sm_count\": {\"value\": 132, "));
    gmsim_free(text);
    g_assert_cmpint(gmsim_describe_gpus("v100", set, &text, &error), ==, GMSIM_USAGE);
    g_assert_null(text);
    gmsim_free(error);
    g_assert_cmpint(gmsim_describe_gpus("h2000", NULL, &text, &error), ==, GMSIM_USAGE);
    g_assert_true(g_str_has_prefix(error, "unknown GPU"));
    gmsim_free(error);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/api/same-as-command", test_same_as_command);
    g_test_add_func("/api/failures", test_failures);
    g_test_add_func("/api/older-caller", test_older_caller);
    g_test_add_func("/api/threads", test_threads);
    g_test_add_func("/api/gpus", test_gpus);
    return g_test_run();
}
