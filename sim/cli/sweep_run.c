/* SPDX-License-Identifier: MIT
 *
 * sweep_run.c - simulates the points of a sweep, several at once, each in a process of its own that
 * leaves its numbers in a file without a name. Points are begun in their order, and of several
 * failures the first in that order is told, so that nothing depends on how many run at once.
 */
#include "config.h"

#include "sim/cli/sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api/simulation.h"

/* ------------------------------------------------------------------------- in a point's process */

static void put(FILE *out, const void *data, size_t size)
{
    if (size > 0)
        (void)fwrite(data, size, 1, out); /* ferror() is asked at the end */
}

/* What the sweep's process reads. */
static void put_launch(FILE *out, const GArray *metrics, uint32_t index, const gmsim_result *result)
{
    uint32_t length = (uint32_t)strlen(result->kernel->name);

    put(out, &index, sizeof index);
    put(out, &length, sizeof length);
    put(out, result->kernel->name, length);
    for (unsigned i = 0; i < metrics->len; i++) {
        double value;

        if (!gmsim_metric_value(result, g_array_index(metrics, unsigned, i), &value))
            value = (double)NAN;
        put(out, &value, sizeof value);
    }
}

/* Exit code of a point's process. A failure's text takes the place of the numbers. */
static int simulate_point(const sweep_study *study, uint64_t point, FILE *out)
{
    gmsim_job job = study->job;
    gmsim_simulation simulation;
    GError *error = NULL;
    int code = CLI_DONE;

    sweep_plan_job(&study->plan, point, &job);
    if (gmsim_simulation_open(&simulation, &job, "--", &error)) {
        while (error == NULL && gmsim_simulation_pending(&simulation)) {
            const gmsim_result *result;
            uint32_t index;

            if (gmsim_simulation_replay(&simulation, &result, &index, NULL, NULL, &error) &&
                result != NULL)
                put_launch(out, study->sweep.metrics, index, result);
        }
        if (error == NULL)
            (void)gmsim_simulation_damage(&simulation, &error);
    }
    gmsim_simulation_close(&simulation);
    if (error == NULL && (fflush(out) != 0 || ferror(out)))
        error = g_error_new(GMSIM_ERROR, GMSIM_ERROR_IO, "temporary file: %s", g_strerror(errno));
    if (error != NULL) {
        code = g_error_matches(error, GMSIM_ERROR, GMSIM_ERROR_USAGE) ? CLI_USAGE : CLI_FAILED;
        rewind(out);
        if (ftruncate(fileno(out), 0) != 0 || fputs(error->message, out) == EOF)
            code = CLI_FAILED;
        (void)fflush(out);
        g_error_free(error);
    }
    g_free((gpointer)job.set);
    return code;
}

/* ----------------------------------------------------------------------------- in the parent */

static void free_row(gpointer data)
{
    gmsim_sweep_row *row = data;

    g_free(row->kernel);
    g_free(row->value);
    g_free(row);
}

/* False at the end of the file, and where it is cut short. */
static bool read_row(FILE *in, const GArray *metrics, GPtrArray *rows)
{
    uint32_t launch, length;
    gmsim_sweep_row *row;
    bool whole;

    if (fread(&launch, sizeof launch, 1, in) != 1 || fread(&length, sizeof length, 1, in) != 1)
        return false;
    row = g_new0(gmsim_sweep_row, 1);
    row->launch = launch;
    row->kernel = g_malloc0((gsize)length + 1);
    row->value = g_new0(double, metrics->len + 1);
    whole = fread(row->kernel, 1, length, in) == length &&
            fread(row->value, sizeof *row->value, metrics->len, in) == metrics->len;
    if (whole)
        g_ptr_array_add(rows, row);
    else
        free_row(row);
    return whole;
}

static void collect(const sweep_study *study, gmsim_sweep_point *result, FILE *in, int status)
{
    rewind(in);
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_FAILED;
    result->rows = g_ptr_array_new_with_free_func(free_row);
    if (WIFSIGNALED(status)) {
        result->failure = g_strdup_printf("its process was ended by signal %d (%s)",
                                          WTERMSIG(status), g_strsignal(WTERMSIG(status)));
    } else if (result->code != CLI_DONE) {
        char text[1024];
        size_t length = fread(text, 1, sizeof text - 1, in);

        text[length] = 0;
        result->failure = g_strdup(length > 0 ? text : "its process failed");
    } else {
        while (read_row(in, study->sweep.metrics, result->rows)) {
        }
        if (result->rows->len == 0) {
            result->failure = g_strdup("its process left no numbers");
            result->code = CLI_FAILED;
        }
    }
}

typedef struct worker {
    pid_t pid; /* 0: none */
    uint64_t point;
    FILE *file;
} worker;

static bool start(const sweep_study *study, worker *w, uint64_t point)
{
    w->point = point;
    w->file = tmpfile();
    if (w->file != NULL) {
        w->pid = fork();
        if (w->pid == 0) {
            for (int i = 0; i < CLI_GUARDS; i++) /* what others still need */
                cli_guard((cli_guarded)i, NULL);
            _exit(simulate_point(study, point, w->file));
        }
        if (w->pid > 0)
            return true;
        fclose(w->file);
    }
    w->pid = 0;
    cli_say("sweep: cannot begin point %" G_GUINT64_FORMAT ": %s", point, g_strerror(errno));
    return false;
}

/* Waits for any worker's end; false where there is none, or its point failed. */
static bool finish_one(sweep_study *study, worker *workers)
{
    int status;
    pid_t pid;

    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    for (unsigned i = 0; pid > 0 && i < study->processes; i++) {
        worker *w = &workers[i];

        if (w->pid != pid)
            continue;
        collect(study, &study->sweep.point[w->point], w->file, status);
        fclose(w->file);
        w->pid = 0;
        return study->sweep.point[w->point].failure == NULL;
    }
    return false;
}

static bool tell_failures(const sweep_study *study, int *code)
{
    bool good = true;

    for (uint64_t i = study->sweep.first; i < study->sweep.count; i += study->sweep.step) {
        const gmsim_sweep_point *result = &study->sweep.point[i];
        char *what;

        if (result->failure == NULL)
            continue;
        what = gmsim_sweep_describe(&study->sweep, i);
        cli_say("point %" G_GUINT64_FORMAT "%s%s%s: %s", i, *what != 0 ? " (" : "", what,
                *what != 0 ? ")" : "", result->failure);
        g_free(what);
        if (good)
            *code = result->code;
        good = false;
        if (!study->keep_going)
            break;
    }
    return good;
}

/* The next point of this share from `next` on, over those whose program failed. */
static uint64_t next_point(const sweep_study *study, uint64_t next, uint64_t *done)
{
    while (next < study->sweep.count && study->sweep.point[next].failure != NULL) {
        next += study->sweep.step;
        (*done)++;
    }
    return next;
}

/* False where a process could not be begun. */
static bool simulate_points(sweep_study *study)
{
    worker *workers = g_new0(worker, study->processes);
    uint64_t share = (study->sweep.count - study->sweep.first + study->sweep.step - 1) /
                     study->sweep.step,
             done = 0;
    uint64_t next = next_point(study, study->sweep.first, &done);
    unsigned running = 0;
    bool begin = true, started = true;
    cli_progress progress;

    cli_progress_init(&progress, !study->quiet);
    while (running > 0 || (begin && next < study->sweep.count)) {
        for (unsigned i = 0; i < study->processes && begin && next < study->sweep.count; i++) {
            if (workers[i].pid != 0)
                continue;
            begin = started = start(study, &workers[i], next);
            if (started) {
                running++;
                next = next_point(study, next + study->sweep.step, &done);
            }
        }
        if (running == 0)
            break;
        cli_progress_parts(&progress, "points", done, share, running);
        if (!finish_one(study, workers) && !study->keep_going)
            begin = false;
        running--;
        done++;
    }
    cli_progress_end(&progress);
    g_free(workers);
    return started;
}

bool sweep_run(sweep_study *study, int *code)
{
    bool good;
    int ended;

    study->sweep.point = g_new0(gmsim_sweep_point, study->sweep.count);
    good = sweep_programs_run(study, &ended) && simulate_points(study);
    sweep_programs_forget(study);
    if (ended != 0) {
        (void)signal(ended, SIG_DFL);
        (void)raise(ended);
    }
    if (!good)
        *code = CLI_FAILED;
    return good && tell_failures(study, code);
}

void sweep_results_free(sweep_study *study)
{
    for (uint64_t i = 0; study->sweep.point != NULL && i < study->sweep.count; i++) {
        if (study->sweep.point[i].rows != NULL)
            g_ptr_array_unref(study->sweep.point[i].rows);
        g_free(study->sweep.point[i].failure);
    }
    g_free(study->sweep.point);
    study->sweep.point = NULL;
}
